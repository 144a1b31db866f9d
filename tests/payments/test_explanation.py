"""What outcomes say about their payments, and the range that payments are kept in."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import Market, Reports, SolverError
from boca.payments import vcg
from boca.payments.explanation import settle

MARKET = Market.simple(2, 2)


def outcome_of(first, second):
    """Good 0 for the first bidder; good 1, or both for 8, for the second."""
    return vcg([Reports([[1, 0]], [first]), Reports([[0, 1], [1, 1]], [second, 8])], MARKET)


def test_a_vcg_payment_is_explained_in_two_sentences():
    """Tests all words, for the winner who does harm and for the one who does not."""
    assert outcome_of(5, 6).explain().splitlines() == [
        "Without bidder 0 the others would get 8; with bidder 0 they get 6. bidder 0 pays the "
        "difference of 2.",
        "Without bidder 1 the others would get 5; with bidder 1 they get 5. bidder 1 pays the "
        "difference of 0.",
    ]


def test_the_status_tells_payments_from_the_allocation():
    """Tests a term, and an allocation, that are not proven; terms of losers do not matter."""
    outcome = outcome_of(5, 6)
    first, second = outcome.explanations
    assert outcome.status == "optimal"
    open_ = replace(outcome, explanations=(replace(first, is_proven=False), second))
    assert open_.unproven == (0,)
    assert open_.status == "payments not proven"
    assert replace(open_, is_proven=False).status == "not proven"

    lost = outcome_of(1, 6)
    first, second = lost.explanations
    assert lost.allocation.bundles.tolist() == [[0, 0], [1, 1]]
    assert replace(lost, explanations=(replace(first, is_proven=False), second)).unproven == ()


def test_nobody_is_said_to_be_paid():
    """Tests a term that rounding made a little too small."""
    outcome = outcome_of(5, 6)
    first, second = outcome.explanations
    less = replace(first, reserve=1.0, others_without=first.others_with - 1)
    assert replace(outcome, explanations=(less, second)).vcg_payments.tolist() == [1, 0]


def test_only_bidders_without_whom_nothing_changes_have_no_other_allocation():
    """Tests a winner who does no harm, and a loser without whom something better is known."""
    rows = outcome_of(5, 8).to_dict()["bidders"]
    assert rows[0]["others_with"] == rows[0]["others_without"]
    assert rows[0]["allocation_without"] == {"bidder 1": {"good 1": 1}}

    lost = outcome_of(1, 6)
    first, second = lost.explanations
    assert lost.to_dict()["bidders"][0]["allocation_without"] is None
    better = replace(first, others_without=9.0)
    rows = replace(lost, explanations=(better, second)).to_dict()["bidders"]
    assert rows[0]["allocation_without"] == {"bidder 1": {"good 0": 1, "good 1": 1}}


def test_payments_may_be_off_by_the_tolerance_of_solvers():
    """Tests a millionth of the largest surplus, above and below, and who is named beyond it."""
    lower, bids = np.array([0.0, 2.0]), np.array([5.0, 8.0])

    assert settle(np.array([0.0, 1.0]), lower, bids, 1e6).tolist() == [0, 2]
    assert settle(np.array([6.0, 3.0]), lower, bids, 1e6).tolist() == [5, 3]
    with pytest.raises(SolverError, match=r"Bidder 1 would pay 0\.9, which is 1\.1 less than"):
        settle(np.array([0.0, 0.9]), lower, bids, 1e6)
    with pytest.raises(SolverError, match=r"Bidder 0 would pay 6\.1, which is 1\.1 more than"):
        settle(np.array([6.1, 3.0]), lower, bids, 1e6)


def test_rounding_is_relative_to_the_largest_value():
    """Tests a surplus far below values: they are rounded to 1e-12 of the largest one."""
    lower, bids = np.array([1e6, 0.0]), np.array([1e6, 1.0])

    assert settle(np.array([1e6 - 5e-7, 0.0]), lower, bids, 1e-9).tolist() == [1e6, 0]
    with pytest.raises(SolverError, match="Bidder 0"):
        settle(np.array([1e6 - 2e-6, 0.0]), lower, bids, 1e-9)
