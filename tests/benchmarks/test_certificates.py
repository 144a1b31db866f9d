"""A part of the comparison of certificates with linear programs, and whether it sees faults."""

import certificates
import numpy as np
import pytest
from certificates import Case, can_be_true, draw, faults

from boca.core import Demands, Market, Reports
from boca.mechanism import AuctionState


@pytest.mark.parametrize("block", range(4))
def test_claims_hold_and_contradictions_are_named(block):
    """Tests truthful, tied, corrected, declined and false answers."""
    seeds = range(100_000 + 60 * block, 100_060 + 60 * block)
    wrong = {seed: faults(draw(seed), with_supremum=seed % 10 == 0)[0] for seed in seeds}

    assert {seed: found for seed, found in wrong.items() if found} == {}


def textbook_case() -> Case:
    """A bidder who wants A at prices (4, 1) and B at (1, 4), with AB worth 10."""
    market = Market.simple(2, 1)
    bundles = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    reports = (Reports([[1, 1]], [10.0]),)
    demands = (Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]),)
    return Case("random", market, bundles, (np.zeros(4),), reports, demands)


@pytest.mark.parametrize("too_much", [0.0, 0.2, 1.0])
def test_a_claim_that_forgets_the_discrepancy_is_seen(monkeypatch, too_much):
    """Tests contradicting answers where the winners are said to be worth more than is sure."""
    right, case = certificates.finished_round, draw(73)

    def hopeful(state):
        record = right(state)
        more = too_much * (record.welfare - record.sure_welfare)
        return certificates.replace(record, sure_welfare=record.sure_welfare + more)

    monkeypatch.setattr(certificates, "finished_round", hopeful)
    found, said = faults(case, with_supremum=True)
    assert said == "contradiction"
    assert bool(found) == (too_much > 0)


def test_a_bound_that_forgets_the_discrepancy_is_seen(monkeypatch):
    """Tests a bound that holds only if answers are off by less than they must be."""
    right = certificates.finished_round

    def bold(state):
        return certificates.replace(right(state), welfare_bound=12.9)

    assert faults(textbook_case(), with_supremum=True) == ([], "contradiction")
    monkeypatch.setattr(certificates, "finished_round", bold)
    assert faults(textbook_case(), with_supremum=True)[0]


def test_the_textbook_contradiction_ends_no_auction():
    """Tests the case that was once certified with "at most 0.0 % missing"."""
    case = textbook_case()

    assert not can_be_true(case.reports[0], case.demands[0], case.market, 0, case.bundles)
    assert faults(case) == ([], "contradiction")


def test_the_comparison_sees_a_claim_on_contradictions(monkeypatch):
    """Tests that an auction which looks for no contradictions is caught."""
    monkeypatch.setattr(AuctionState, "contradictions", ())

    assert faults(textbook_case())[0] == ["bidder 0 is not said to contradict itself"]


def test_the_comparison_sees_a_bound_that_is_too_small(monkeypatch):
    """Tests the comparison with the largest welfare that is possible."""
    right = certificates.finished_round
    case = next(
        case for seed in range(99) if faults(case := draw(seed), with_supremum=True)[1] == "claimed"
    )

    def too_small(state):
        record = right(state)
        return certificates.replace(record, welfare_bound=0.9 * record.welfare_bound)

    monkeypatch.setattr(certificates, "finished_round", too_small)
    assert faults(case, with_supremum=True)[0]
