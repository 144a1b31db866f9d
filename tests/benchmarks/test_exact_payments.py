"""A small part of the comparison of payments with exact arithmetic, and whether it sees faults."""

from dataclasses import replace
from fractions import Fraction

import exact_payments
import numpy as np
import pytest
from exact_payments import Auction, core_faults, draw, faults


@pytest.mark.parametrize("block", range(4))
def test_payments_are_right_at_every_scale(block):
    """Tests money from one unit to 10^12, with groups that block by a unit."""
    wrong = {seed: faults(draw(seed)) for seed in range(100_000 + 60 * block, 100_060 + 60 * block)}

    assert {seed: found for seed, found in wrong.items() if found} == {}


def test_the_comparison_sees_faults(monkeypatch):
    """Tests that outcomes off by a unit are not called right."""
    bids = ({(1, 0): Fraction(8)}, {(0, 1): Fraction(10)}, {(1, 1): Fraction(12)})
    auction = Auction("whole", (1, 1), bids, (Fraction(0),) * 2)
    assert faults(auction) == []

    right = exact_payments.quadratic_core

    def dearer(*arguments):
        outcome = right(*arguments)
        return replace(outcome, payments=outcome.payments + np.array([0.0, 1.0, 0.0]))

    monkeypatch.setattr(exact_payments, "quadratic_core", dearer)
    assert "the revenue is not the least" in faults(auction)


def test_the_comparison_sees_payments_that_are_not_nearest():
    """Tests 4 and 8 instead of 5 and 7: the same revenue, further from VCG payments of 2 and 4."""
    best = {(): 0, (0,): 8, (1,): 10, (2,): 12, (0, 1): 18, (0, 2): 12, (1, 2): 12, (0, 1, 2): 18}
    exact = {group: Fraction(worth) for group, worth in best.items()}
    surplus, least = [Fraction(8), Fraction(10), Fraction(0)], np.array([2.0, 4.0, 0.0])

    assert core_faults(exact, surplus, least, np.array([5.0, 7.0, 0.0]), 1e-6) == []
    assert core_faults(exact, surplus, least, np.array([4.0, 8.0, 0.0]), 1e-6) == [
        "other payments with the least revenue are nearer to VCG"
    ]


def test_a_relaxation_that_highs_cannot_solve_with_tight_tolerances_is_no_error():
    """Tests auctions of bids a unit apart at which it stopped with 'Unknown', twice."""
    assert [faults(draw(seed)) for seed in (10_255, 18_195, 19_073)] == [[]] * 3
