"""Assignments of tiny markets against trying everything: prices, efficiency, envy."""

import pytest
from tiny_courses import BruteForce, TinyMarket, equilibrium_exists, tiny_market

from boca.core import Market
from boca.functions import AdjustedSum
from boca.seats import SeatParams, SeatRules, assign_seats
from boca.seats.search import FEW_ATTEMPTS

FIRST, NUM, CHUNK = 20_000, 520, 40


def assigned(seed):
    tiny = tiny_market(seed)
    seating = assign_seats(tiny.market, tiny.utilities, tiny.rules, seed=seed)
    return tiny, seating, BruteForce(tiny, seating)


@pytest.mark.parametrize("first", range(FIRST, FIRST + NUM, CHUNK))
def test_what_clears_is_an_equilibrium(first):
    """
    Tests demands, clearing, efficiency, envy within one course and envy along the order by brute
    force, in markets with conflicts, credits, sections, priorities and reserved seats.
    """
    for seed in range(first, first + CHUNK):
        tiny, seating, truth = assigned(seed)
        assert (seating.taken <= tiny.market.capacities).all(), seed
        assert not seating.is_repaired, seed
        assert seating.error == 0, seed
        assert truth.clears(), seed
        assert truth.wrong_demands() == [], seed
        if seating.ties_by_lot:
            assert not seating.is_efficient
        elif not tiny.rules.priorities:
            assert seating.is_efficient
            assert truth.dominating() is None, seed
        envious = truth.envious()
        assert seating.envy.pairs == len(envious), seed
        alike = [(i, j) for i, j in envious if truth.same_kind(i, j)]
        assert not [p for p in alike if truth.beyond_one(*p)], seed
        base = seating.base_budgets
        assert not [(i, j) for i, j in alike if base[i] > base[j]], seed
        assert seating.envy.against_order == 0


def test_a_market_without_equilibrium_is_repaired_and_says_so():
    """
    Tests two students with the same budget and the same wishes for single seats: whoever is not
    outbid takes all, no prices clear, and nothing is claimed.
    """
    market = Market.simple(2, 2)
    utilities = [AdjustedSum([2.0, 1.0])] * 2
    params = SeatParams(budget_spread=0, budget_moves=0, num_attempts=8)
    seating = assign_seats(market, utilities, params=params)
    tiny = TinyMarket(market, utilities, SeatRules())
    assert not equilibrium_exists(tiny, seating.base_budgets, 0.0)
    assert seating.is_repaired
    assert seating.stopped == "attempts"
    assert seating.proven()["repaired"]
    assert not seating.is_efficient
    assert (seating.taken <= 1).all()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 60))
def test_one_program_finds_prices_wherever_there_are_any(seed):
    """Tests the program for small markets against trying every allocation, with few attempts."""
    tiny = tiny_market(seed, with_rules=False)
    moves = (0.0, 0.01)[seed % 2]
    few = SeatParams(budget_moves=moves, num_rounds=1, patience=1, num_attempts=FEW_ATTEMPTS)
    seating = assign_seats(tiny.market, tiny.utilities, tiny.rules, few, seed=seed)
    exists = equilibrium_exists(tiny, seating.base_budgets, moves)
    assert seating.is_repaired == (not exists)
    if exists:
        truth = BruteForce(tiny, seating)
        assert truth.clears()
        assert truth.wrong_demands() == []
        assert truth.dominating() is None
        assert seating.envy.against_order == 0
