"""What ranges of values prove, against brute force over all bundles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from boca.core import Demands, Market, Reports
from boca.functions.consistency import contradiction
from boca.functions.revealed import RevealedBound, lower_bids

BUNDLES = np.array(list(np.ndindex(2, 2, 2)))
MARKET = Market.simple(3, 1)
PRICES = st.tuples(*[st.integers(0, 12)] * 3)


@st.composite
def answers(draw, truthful: bool):
    """
    Ranges and choices of one bidder; and its true values of all bundles, where it is truthful.
    """
    worth = draw(st.lists(st.integers(0, 12), min_size=8, max_size=8))
    parts = (BUNDLES[:, None] <= BUNDLES[None]).all(axis=2)  # row is part of column
    values = np.where(parts, np.array(worth)[:, None] * (BUNDLES.sum(1) > 0)[:, None], 0).max(0)
    asked = draw(st.lists(st.integers(1, 7), unique=True, max_size=4))
    below = draw(st.lists(st.integers(0, 5), min_size=4, max_size=4))
    above = draw(st.lists(st.integers(0, 5), min_size=4, max_size=4))
    lows = [max(0, values[k] - below[i]) for i, k in enumerate(asked)]
    highs = [values[k] + above[i] for i, k in enumerate(asked)]
    if not truthful:
        shift = draw(st.lists(st.integers(-6, 6), min_size=4, max_size=4))
        lows = [max(0, low + s) for low, s in zip(lows, shift, strict=False)]
        highs = [max(low, high + s) for low, high, s in zip(lows, highs, shift, strict=False)]
    prices = draw(st.lists(PRICES, max_size=3))
    if truthful:
        wanted = [int(np.argmax(values - BUNDLES @ p)) for p in np.array(prices).reshape(-1, 3)]
    else:
        wanted = draw(st.lists(st.integers(0, 7), min_size=len(prices), max_size=len(prices)))
    reports = Reports(BUNDLES[asked].reshape(-1, 3), lows, highs)
    demands = Demands(np.array(prices, float).reshape(-1, 3), BUNDLES[wanted].reshape(-1, 3))
    return reports, demands, values


@settings(max_examples=300, deadline=None)
@given(answers(truthful=True))
def test_bounds_hold_for_every_bundle(case):
    """Tests that what ranges and choices prove lies on its own side of the true value."""
    reports, demands, values = case
    assert contradiction(reports, demands, MARKET, 0) is None
    bound = RevealedBound.from_answers(reports, demands, MARKET, 0)
    if bound is not None:
        assert (bound(BUNDLES) >= values - 1e-9).all()
    for bundle, value in lower_bids(reports, demands, MARKET, 0):
        assert value <= values[int(bundle @ [4, 2, 1])] + 1e-9


@settings(max_examples=300, deadline=None)
@given(answers(truthful=False))
def test_a_contradiction_is_found_where_no_values_fit(case):
    """Tests against a linear program over the values of all bundles."""
    reports, demands, _ = case
    rows, least = [], []
    parts = (BUNDLES[:, None] <= BUNDLES[None]).all(axis=2)
    for a, b in np.argwhere(parts):
        rows.append(np.eye(8)[b] - np.eye(8)[a])
        least.append(0.0)
    for prices, wanted in demands:
        d = int(wanted @ [4, 2, 1])
        for x in range(8):
            rows.append(np.eye(8)[d] - np.eye(8)[x])
            least.append(float(prices @ (BUNDLES[d] - BUNDLES[x])))
    sides = [(0.0, 0.0)] + [(0.0, None)] * 7
    for bundle, low, high in zip(reports.bundles, reports.values, reports.highs, strict=True):
        sides[int(bundle @ [4, 2, 1])] = (low, high)
    fits = linprog(np.zeros(8), A_ub=-np.array(rows), b_ub=-np.array(least), bounds=sides)
    found = contradiction(reports, demands, MARKET, 0)
    assert (found is None) == (fits.status == 0)
    if found is not None:  # what is named is enough, and keeps its ranges
        assert contradiction(found.reports, found.demands, MARKET, 0) is not None


def test_the_end_of_a_range_bounds_parts_and_its_beginning_is_bid():
    """Tests that the most of the whole bounds a part, and that what a part may be does not."""
    reports = Reports([[1, 1, 1], [1, 0, 0]], [8, 3], [10, 20])
    bound = RevealedBound.from_answers(reports, Demands.empty(3), MARKET, 0)
    assert bound([[1, 1, 0], [1, 0, 0]]) == pytest.approx([10, 10])
    wants = Demands([[1, 1, 9]], [[0, 1, 0]])
    assert lower_bids(reports, wants, MARKET, 0) == Reports([[0, 1, 0]], [3])


def test_a_contradiction_says_the_range():
    reports = Reports([[1, 1, 1], [1, 0, 0]], [2, 4], [3, 5])
    found = contradiction(reports, Demands.empty(3), MARKET, 0)
    assert "worth 2 to 3; good 0 worth 4 to 5." in found.text(MARKET)
