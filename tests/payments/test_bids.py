"""Reports read as bids: what is left out, what conflicts, and what is refused."""

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.payments.bids import TIE, Packing


def test_bids_that_cannot_win_are_left_out():
    """
    Tests what stays: not the empty bundle, not what reserve prices eat up, not paying the same for
    more.
    """
    market = Market.simple(2, 2)
    first = Reports([[0, 0], [1, 0], [1, 1]], [0, 5, 5])
    second = Reports([[0, 1], [1, 0]], [3, 1])
    packing = Packing.from_reports([first, second], market, reserve=[1, 1])

    assert packing.owners.tolist() == [0, 1]
    assert packing.surplus.tolist() == [4, 2]
    assert packing.bundles.tolist() == [[1, 0], [0, 1]]


def test_conflicts_are_pairs_that_exceed_a_capacity_or_have_one_owner():
    """Tests every pair of random bids over goods with several copies against the definition."""
    rng = np.random.default_rng(0)
    capacities, num_bids = np.array([1, 3, 2]), 40
    bundles = rng.integers(0, capacities + 1, (num_bids, 3))
    owners = np.sort(rng.integers(0, 8, num_bids))
    packing = Packing(owners, bundles, np.ones(num_bids), capacities)

    together = bundles[:, None] + bundles[None, :]
    expected = (together > capacities).any(axis=2) | (owners[:, None] == owners[None, :])
    np.testing.assert_array_equal(packing.conflicts, expected)
    assert 0 < expected.sum() < expected.size


def test_breaking_ties_never_outweighs_surplus():
    """Tests that all tie-breaking amounts of an allocation together stay below a tie."""
    market = Market.simple(3, 3)
    reports = [Reports([[1, 0, 0]], [2]), Reports([[0, 1, 0]], [2]), Reports([[0, 0, 1]], [1])]
    packing = Packing.from_reports(reports, market)
    moved = packing.weights - packing.surplus / packing.scale
    assert (moved != 0).all()
    assert abs(moved).sum() < TIE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda reports, market: (market, reports), "check their order"),
        (lambda reports, market: (reports[:1], market), "Received reports of 1 bidders"),
        (lambda reports, market: ([[1, 2], reports[1]], market), "Received list as the reports of"),
        (lambda reports, market: ([Reports([[1]], [1])] * 2, market), "are about 1 goods"),
    ],
)
def test_wrong_reports_are_named(change, words):
    """Tests the message for every way to call it wrongly."""
    reports = [Reports([[1, 0]], [1]), Reports([[0, 1]], [1])]
    with pytest.raises(InputError, match=words):
        Packing.from_reports(*change(reports, Market.simple(2, 2)))
