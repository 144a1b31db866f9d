"""Ranges that matter are asked again, and no others."""

from dataclasses import replace

import numpy as np
import pytest
from hybrid_situations import state_of
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import Demands, InputError, Market, Reports, Seeds
from boca.core.economy import Economy
from boca.queries import Narrowing
from boca.queries.narrowing import most_of

MARKET = Market.simple(2, 2)


def asked(reports, demands=None, market=MARKET):
    state = state_of(market, Narrowing(), reports, demands)
    plan = Narrowing().plan(state, {}, Seeds(0))
    return [(q.bidder, q.bundle.tolist(), q.reason.economy) for q in plan.questions]


def test_a_range_that_may_win_is_narrowed():
    """Tests the main economy first: the winner's own range, and that of who could win instead."""
    wins, may_win = Reports([[1, 1]], [10], [12]), Reports([[1, 1]], [5], [13])
    main = "main"
    assert asked([wins, may_win]) == [(0, [1, 1], main), (1, [1, 1], main)]
    exact = Reports([[1, 1]], [10])
    assert asked([exact, may_win]) == [(1, [1, 1], main)]


def test_a_range_that_cannot_decide_the_winner_is_asked_for_payments_only():
    exact, loses = Reports([[1, 1]], [10]), Reports([[1, 1]], [5], [9])
    assert asked([exact, loses]) == [(1, [1, 1], "without bidder 0")]
    assert asked([exact, Reports([[1, 1]], [5])]) == []


def test_choices_narrow_too():
    """Tests that a bundle which a choice bounds below the winner is no possible winner."""
    exact, may_win = Reports([[1, 1]], [10]), Reports([[1, 1]], [5], [13])
    nothing_at_nine = Demands([[4.5, 4.5]], [[0, 0]])
    questions = asked([exact, may_win], [Demands.empty(2), nothing_at_nine])
    assert questions == [(1, [1, 1], "without bidder 0")]
    state = state_of(MARKET, Narrowing(), [exact, may_win], [Demands.empty(2), nothing_at_nine])
    assert most_of(state, 1).values.tolist() == [9.0]


def test_who_will_not_narrow_is_left_alone():
    state = state_of(MARKET, Narrowing(), [Reports([[1, 1]], [10], [12]), Reports.empty(2)])
    (question,) = Narrowing().plan(state, {}, Seeds(0)).questions
    state = replace(state, pending=(question,)).decline(0, question.bundle)
    assert state.pending == ()
    assert state.reports[0].high_of([1, 1]) == 12
    assert Narrowing().plan(state, {}, Seeds(0)).questions == ()


def test_a_purchase_has_no_ranges():
    with pytest.raises(InputError, match="ranges"):
        Narrowing().check(Market(MARKET.goods, MARKET.bidders, sense="buy"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_narrowing_finds_the_best_of_what_was_asked_about(seed):
    """Tests by brute force that the winners are the best by true values in the end."""
    rng = np.random.default_rng(seed)
    market = Market.simple(3, 3)
    bundles = np.array(list(np.ndindex(2, 2, 2)))[1:]
    truths, reports = [], []
    for _ in range(3):
        values = np.sort(rng.integers(1, 40, 7)).astype(float)
        rows = rng.choice(7, 4, replace=False)
        low = np.maximum(values[rows] - rng.integers(0, 12, 4), 0)
        truths.append(dict(zip(map(tuple, bundles[rows].tolist()), values[rows], strict=True)))
        reports.append(Reports(bundles[rows], low, values[rows] + rng.integers(0, 12, 4)))
    state = state_of(market, Narrowing(), reports)
    for _ in range(40):
        questions = Narrowing().plan(state, {}, Seeds(0)).questions
        if not questions:
            break
        for question in questions:
            value = truths[question.bidder][tuple(question.bundle.tolist())]
            state = state.report(question.bidder, question.bundle, value)
    else:
        pytest.fail("narrowing does not end")

    def true(allocation):
        return sum(truths[i].get(tuple(b), 0.0) for i, b in enumerate(allocation))

    best = 0.0
    choices = [[(0, 0, 0), *t] for t in truths]
    for a in choices[0]:
        for b in choices[1]:
            for c in choices[2]:
                if (np.array(a) + b + c <= 1).all():
                    best = max(best, true([a, b, c]))
    won = state.winners(Economy.main(3)).bundles.tolist()
    assert true(won) == best
