"""Awards side by side: prices of rules, other bounds, conflicts."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports
from boca.core.rule import Rule
from boca.payments import scenarios as module
from boca.payments.program import OutOfTime
from boca.payments.scenarios import (
    Scenario,
    ScenarioResult,
    baseline_cost,
    near,
    run_scenarios,
    smallest_conflict,
    uncovered,
)

MARKET = Market(
    (Good("a"), Good("b"), Good("c")), (Bidder("A"), Bidder("B"), Bidder("C")), sense="buy"
)
OFFERS = [
    Reports(np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0]]), np.array([9.0, 2.0, 3.0])),
    Reports(np.array([[0, 1, 0], [0, 1, 1]]), np.array([2.5, 7.0])),
    Reports(np.array([[0, 0, 1]]), np.array([3.0])),
]
TWO = Rule("winners", at_most=2)
THREE = Rule("winners", at_least=3)


def scenarios(*rules, **options):
    return run_scenarios(OFFERS, MARKET, [Scenario("s", tuple(rules))], [5, 5, 5], **options)[0]


def test_the_smallest_conflict_of_few_rules_and_any_of_many():
    """
    Tests rules of which the first two conflict, and the last three: of twelve the pair is found, of
    thirteen what is left when one after another is left out.
    """
    for num_rules, expected in ((12, [0, 1]), (13, [10, 11, 12])):
        rules = [Rule("winners", at_most=k) for k in range(num_rules)]
        sets = {rules[0], rules[1]}, set(rules[-3:])
        conflict = smallest_conflict(
            rules, lambda part, sets=sets: not any(x <= {*part} for x in sets)
        )
        assert [int(rule.at_most) for rule in conflict] == expected


def test_a_conflict_of_nothing_of_one_and_of_all():
    """Tests offers that cover nothing even without rules, a rule on its own, and all of them."""
    rules = [Rule("winners", at_most=k) for k in range(3)]
    assert smallest_conflict(rules, lambda part: False) == ()
    assert smallest_conflict(rules, lambda part: rules[1] not in part) == (rules[1],)
    assert smallest_conflict(rules, lambda part: len(part) < 3) == tuple(rules)


def test_bounds_one_more_and_one_less():
    """Tests counts, shares in steps of ten per cent, both bounds, and shares of spend."""

    def bounds(**settings):
        return [(r.at_least, r.at_most, words) for r, words in near(Rule(**settings))]

    assert bounds(counts="winners", at_most=2) == [(None, 1, "at most 1"), (None, 3, "at most 3")]
    assert bounds(counts="winners", at_least=1) == [
        (0, None, "at least 0"),
        (2, None, "at least 2"),
    ]
    assert bounds(counts="winners", at_least=1, at_most=2) == [
        (0, 2, "at least 0"),
        (2, 2, "at least 2"),
        (1, 1, "at most 1"),
        (1, 3, "at most 3"),
    ]
    assert bounds(counts="units", at_most=0.3, share=True) == [
        (None, 0.2, "at most 20 %"),
        (None, 0.4, "at most 40 %"),
    ]
    assert [b for *_, b in bounds(counts="spend", at_least=0.1, share=True)] == [
        "at least 0 %",
        "at least 20 %",
    ]
    assert [b for *_, b in bounds(counts="units", at_most=0.9, share=True)] == [
        "at most 80 %",
        "at most 100 %",
    ]


def test_what_everything_costs_today():
    """Tests units, prices of nothing and below one, one that is not known, and wrong ones."""
    market = Market((Good("a", 3), Good("b")), (Bidder("A"),), sense="buy")
    assert baseline_cost(market, None) is None
    assert baseline_cost(market, [0.1, 0.0]) == 0.3
    assert baseline_cost(market, [2.0, np.nan]) is None
    for wrong in ([-0.5, 1.0], [2.0], [[1.0, 2.0]]):
        with pytest.raises(InputError, match="baselines"):
            baseline_cost(market, wrong)


def test_every_rule_of_a_scenario_has_neighbours_beside_the_others():
    """
    Tests two rules: C gets at least one lot (7.5 as it is, and without it), and at most two win
    (9). With two lots for C none of its offers would do; at most one winner is A with everything,
    but C has to win.
    """
    for_c = Rule("lots", who=(2,), at_least=1)
    result = scenarios(for_c, TWO)
    assert result.award.cost == 10  # A a 2, C c 3, b outside 5
    assert [(n.rule, n.bound, n.cost, n.is_proven) for n in result.neighbours] == [
        (for_c, "at least 0", 9, True),
        (for_c, "at least 2", None, True),
        (TWO, "at most 1", 13, True),
        (TWO, "at most 3", 7.5, True),
    ]


def test_a_conflict_beside_an_award_has_no_price():
    """Tests that rules that conflict cost nothing that could be said, and others do."""
    both = [Scenario("none", (TWO, THREE)), Scenario("two", (TWO,))]
    none, two = run_scenarios(OFFERS, MARKET, both, [5, 5, 5], [4, 4, 4])
    assert (none.award, none.rule_cost, none.savings, none.neighbours) == (None, None, None, ())
    assert set(none.conflict) == {TWO, THREE}
    assert none.uncovered == ()
    assert (two.rule_cost, two.savings) == (1.5, 3)
    assert run_scenarios(OFFERS, MARKET, both, [5, 5, 5], with_neighbours=False)[1].neighbours == ()


def test_rules_of_the_market_are_part_of_every_scenario_and_of_conflicts():
    market = replace(MARKET, rules=(TWO,))
    free, none = run_scenarios(OFFERS, market, [Scenario("a"), Scenario("b", (THREE,))], [5, 5, 5])
    assert free.award.cost == 9
    assert set(none.conflict) == {TWO, THREE}


def test_no_award_without_rules_leaves_no_price_of_rules():
    """Tests offers that do not cover the lots, of which nothing is computed."""
    offers = [OFFERS[1], OFFERS[1], Reports.empty(3)]
    wanted = [Scenario("free"), Scenario("two", (TWO,))]
    results = run_scenarios(offers, MARKET, wanted, [np.inf, 5, 5], [4, 4, 4])
    assert [(r.award, r.rule_cost, r.uncovered) for r in results] == [(None, None, (0,))] * 2


class Awards:
    """Awards that are noted, and a clock that stands still unless somebody moves it."""

    def __init__(self, monkeypatch, answer=None):
        self.now, self.asked, self.answer = 100.0, [], answer
        self.right = module.award
        monkeypatch.setattr(module, "perf_counter", lambda: self.now)
        monkeypatch.setattr(module, "award", self.award)

    def award(
        self, offers, market, at_most=None, payments="none", verify=False, max_seconds=None,
        progress=None,
    ):  # fmt: skip
        self.asked.append((market.rules, payments, verify, max_seconds, progress))
        if self.answer is not None:
            return self.answer(self, market.rules)
        return self.right(offers, market, at_most)


def test_scenarios_are_verified_and_paid_and_what_compares_them_is_not(monkeypatch):
    awards = Awards(monkeypatch)
    told = []
    scenarios(TWO, payments="core", verify=True, progress=told.append)
    assert awards.asked == [
        ((), "none", False, None, told.append),
        ((TWO,), "core", True, None, told.append),
        ((Rule("winners", at_most=1),), "none", False, None, told.append),
        ((THREE_AT_MOST,), "none", False, None, told.append),
    ]
    awards.asked.clear()
    scenarios(TWO, with_neighbours=False)
    assert [entry[1:3] for entry in awards.asked] == [("none", False), ("none", False)]


def test_time_is_kept_for_other_bounds_only_where_there_are_rules(monkeypatch):
    """Tests that an award without rules has all of the time, and one with rules two thirds."""
    awards = Awards(monkeypatch)
    scenarios(max_seconds=30.0)
    assert [seconds for *_, seconds, _ in awards.asked] == [30]
    awards.asked.clear()
    scenarios(TWO, max_seconds=30.0)
    assert [seconds for *_, seconds, _ in awards.asked][:2] == [10, 20]


THREE_AT_MOST = Rule("winners", at_most=3)


def test_other_bounds_that_time_does_not_suffice_for_are_left_out(monkeypatch):
    """Tests a bound for which it ran out, and then time that is over: no third is tried."""
    best = scenarios().award

    def answer(awards, rules):
        if rules and rules[0].at_most == 1:
            raise OutOfTime
        if rules == (TWO, Rule("winners", at_most=6)):
            awards.now += 30
            return replace(best, is_proven=False)
        return best

    awards = Awards(monkeypatch, answer)
    five = Rule("winners", at_most=5)
    result = scenarios(TWO, five, max_seconds=30.0)
    # At most 1 and 3 for the first, 4 and 6 for the second: the first ran out, the last is late.
    assert [(n.bound, n.is_proven) for n in result.neighbours] == [
        ("at most 3", True), ("at most 4", True), ("at most 6", False)
    ]  # fmt: skip
    awards.asked.clear()
    second = Scenario("t", (TWO, five)), Scenario("u", (five,))
    results = run_scenarios(OFFERS, MARKET, second, [5, 5, 5], max_seconds=30.0)
    assert [len(r.neighbours) for r in results] == [3, 0]
    assert len(awards.asked) == 3 + 4


def test_sets_of_rules_count_as_possible_where_time_does_not_suffice(monkeypatch):
    """
    Tests time that runs out for one rule alone, so that it is blamed only with another; and time
    that is over, so that all rules are named: there is no award with all of them.
    """
    best = scenarios().award
    other = Rule("units", at_most=3)
    seconds_for_three = 0.0

    def answer(awards, rules):
        if rules == (TWO,):
            raise OutOfTime
        awards.now += seconds_for_three if len(rules) == 3 else 1.0
        return None if len(rules) > 1 else best

    awards = Awards(monkeypatch, answer)
    result = scenarios(TWO, other, THREE, max_seconds=30.0)
    assert set(result.conflict) == {TWO, other}
    asked = [(rules, seconds) for rules, _, _, seconds, _ in awards.asked[2:]]
    assert asked == [((), 29), ((TWO,), 28), ((other,), 28), ((THREE,), 27), ((TWO, other), 26)]

    seconds_for_three = 30.0
    awards.asked.clear()
    result = scenarios(TWO, other, THREE, max_seconds=30.0)
    assert (set(result.conflict), result.uncovered) == ({TWO, other, THREE}, ())
    assert len(awards.asked) == 2


def test_a_clock_shares_what_is_left_and_always_gives_something(monkeypatch):
    """Tests 30 s for two awards of which the second takes too long, and another."""
    Awards(monkeypatch)
    clock = module._Clock(30.0, 2, True)
    assert (clock.left, clock.is_over, clock.share()) == (30, False, 10)
    monkeypatch.setattr(module, "perf_counter", lambda: 112.0)
    assert clock.share() == 8
    assert clock.share() == 8
    monkeypatch.setattr(module, "perf_counter", lambda: 121.0)
    assert (clock.share(), clock.left, clock.is_over) == (1e-3, 9, False)
    monkeypatch.setattr(module, "perf_counter", lambda: 130.0)
    assert (clock.left, clock.is_over) == (1e-3, True)
    endless = module._Clock(None, 2, True)
    assert (endless.left, endless.is_over, endless.share()) == (None, False, None)
    assert module._Clock(0.5, 1, False).share() == 0.5
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="time limit"):
            module._Clock(wrong, 1, False)


def test_a_rule_has_a_price():
    """Tests A a 2, B b 2.5, C c 3: 7.5; with two suppliers 8 (A b, c outside) or 9."""
    free, ruled = run_scenarios(
        OFFERS, MARKET, [Scenario("cheapest"), Scenario("two", (TWO,))], [5, 5, 5], [4, 4, 4]
    )

    assert (free.award.cost, free.rule_cost, free.savings) == (7.5, 0, 4.5)
    assert (ruled.award.cost, ruled.rule_cost, ruled.savings) == (9, 1.5, 3)
    assert {n.bound: n.cost for n in ruled.neighbours} == {"at most 1": 9, "at most 3": 7.5}


def test_payments_of_a_scenario():
    """Tests that a scenario is paid like an award of its own."""
    paid = scenarios(payments="vcg").award.payments
    np.testing.assert_allclose(paid, [5, 4, 4.5])


def test_payments_that_have_no_meaning_leave_the_award():
    """Tests that somebody indispensable, or a share of spend, is a reason and not an error."""
    every = Rule("winners", at_least=3)
    spend = Rule("spend", at_least=0.1, share=True)
    for rule, reason in ((every, "A is indispensable"), (spend, "enlarge the whole")):
        result = scenarios(rule, payments="core")
        assert result.award.payments is None
        assert result.award.cost == 7.5
        assert reason in result.unpaid
    assert scenarios(payments="core").unpaid == ""


def test_a_smallest_conflict_is_named():
    """Tests that of four rules the two that exclude each other are found, and nothing else."""
    harmless = Rule("units", at_most=3), Rule("lots", at_most=3, each=True)
    result = scenarios(harmless[0], TWO, harmless[1], THREE)

    assert result.award is None
    assert set(result.conflict) == {TWO, THREE}


def test_offers_that_do_not_cover_are_no_conflict_of_rules():
    """Tests that rules are not blamed where nobody offers a lot and there is no price outside."""
    offers = [OFFERS[1], OFFERS[1], Reports.empty(3)]
    result = run_scenarios(offers, MARKET, [Scenario("two", (TWO,))])[0]
    assert result.award is None
    assert (result.conflict, result.uncovered) == ((), (0,))


def test_lots_are_uncovered_by_all_offers_together_or_by_one_of_each():
    """
    Tests enough of every lot, of which no choice of one offer each covers all, units that add up
    over suppliers, an offer beyond its supplier's limits, and a price outside.
    """
    either = Reports(np.array([[1, 0, 0], [0, 1, 0]]), np.array([2.0, 3.0]))
    one_each = [either, OFFERS[2]]
    assert uncovered(one_each, MARKET) == ()
    result = run_scenarios([*one_each, Reports.empty(3)], MARKET, [Scenario("s")])[0]
    assert (result.award, result.conflict, result.uncovered) == (None, (), ())
    need = Market(
        (Good("a", 4),), (Bidder("A"), Bidder("B", limits=(Limit((1.0,), 1.0),))), sense="buy"
    )
    two = Reports(np.array([[2], [1]]), np.array([3.0, 2.0]))
    assert uncovered([two, two], need) == (0,)
    assert uncovered([two, two], need, [np.inf]) == (0,)
    assert uncovered([two, two], need, [5.0]) == ()
    assert uncovered([two, two], Market(need.goods, (Bidder("A"), Bidder("B")), sense="buy")) == ()


@pytest.mark.parametrize("num_rules", [4, 15])
def test_no_rule_of_a_conflict_can_be_left_out(num_rules):
    """Tests both ways of finding it, on rules that conflict where some three come together."""
    rules = [Rule("winners", at_most=k) for k in range(num_rules)]
    bad = {0, 2, 3}

    def is_possible(part):
        return not bad <= {int(rule.at_most) for rule in part}

    conflict = smallest_conflict(rules, is_possible)
    assert {int(rule.at_most) for rule in conflict} == bad
    assert all(is_possible(part) for part in combinations(conflict, 2))


def test_other_bounds_stay_sensible():
    """Tests that no bound gets negative or above everything, and money has no neighbours."""
    assert [bound for _, bound in near(Rule("winners", at_most=0))] == ["at most 1"]
    assert [b for _, b in near(Rule("units", at_most=0.95, share=True))] == ["at most 85 %"]
    assert near(Rule("spend", at_most=100)) == []
    both = Rule("winners", at_least=2, at_most=2)
    assert [bound for _, bound in near(both)] == ["at least 1", "at most 3"]


def test_baselines_are_for_every_lot_or_for_none():
    """Tests that savings are not computed from a part of the lots."""
    assert scenarios(baseline=[4, np.nan, 4]).savings is None
    with pytest.raises(InputError, match="baselines"):
        scenarios(baseline=[4, 4])


class Hands:
    """A clock whose hands are moved, and awards that take their time."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.given = 100.0, []
        right = module.award

        def slow(offers, market, at_most, *more):
            self.given.append(more[2])
            self.now += min(seconds, more[2])
            return right(offers, market, at_most, more[0])

        monkeypatch.setattr(module, "perf_counter", lambda: self.now)
        monkeypatch.setattr(module, "award", slow)


def test_time_is_for_all_awards_together(monkeypatch):
    """
    Tests 30 s for an award without rules, one with a rule, and two other bounds: 20 s are shared
    by the first two, and what is left by the others; all end in time.
    """
    hands = Hands(monkeypatch, 1e9)
    wanted = [Scenario("cheapest"), Scenario("two", (TWO,))]
    results = run_scenarios(OFFERS, MARKET, wanted, [5, 5, 5], max_seconds=30.0)
    assert hands.given == pytest.approx([10, 10, 5, 5])
    assert hands.now == pytest.approx(130)
    assert [len(result.neighbours) for result in results] == [0, 2]


def test_what_quick_awards_leave_is_for_the_others(monkeypatch):
    """Tests awards of a second, and none left for other bounds where there are none to compute."""
    hands = Hands(monkeypatch, 1.0)
    wanted = [Scenario("cheapest"), Scenario("two", (TWO,))]
    run_scenarios(OFFERS, MARKET, wanted, [5, 5, 5], max_seconds=30.0)
    assert hands.given == pytest.approx([10, 19, 14, 27])
    hands.given.clear()
    run_scenarios(OFFERS, MARKET, wanted, [5, 5, 5], max_seconds=30.0, with_neighbours=False)
    assert hands.given == pytest.approx([15, 29])


def test_an_award_that_cannot_be_paid_is_not_looked_for_again(monkeypatch):
    """Tests that the reason carries the award."""
    asked = []
    right = module.award
    monkeypatch.setattr(module, "award", lambda *a: asked.append(a[3]) or right(*a[:5]))
    every = Scenario("s", (Rule("winners", at_least=3),))
    result = run_scenarios(OFFERS, MARKET, [every], [5, 5, 5], None, "vcg", False)[0]
    assert asked == ["none", "vcg"]
    assert result.award.cost == 7.5
    assert "indispensable" in result.unpaid


def test_rules_cost_what_they_add_whatever_is_compared():
    """Tests that an award without rules is looked for once: as a scenario, or beside them."""
    for wanted, told in (
        ([Scenario("two", (TWO,))], ["without rules", "two"]),
        ([Scenario("two", (TWO,)), Scenario("free")], ["two", "free"]),
    ):
        said = []
        results = run_scenarios(
            OFFERS, MARKET, wanted, [5, 5, 5], with_neighbours=False, on_scenario=said.append
        )
        assert said == told
        assert [result.rule_cost for result in results] == [1.5, 0][: len(wanted)]


def test_no_time_is_refused():
    """Tests a limit of nothing."""
    with pytest.raises(InputError, match="time limit 0"):
        scenarios(max_seconds=0.0)


def test_nothing_is_called_cheapest_that_is_not():
    """Tests awards that are not proven, that are dearer than today, both, and neither."""
    best = scenarios().award
    open_one = replace(best, is_proven=False)
    for made, savings, name, title in (
        (best, 1.0, "cheapest", "cheapest"),
        (best, None, "cheapest", "cheapest"),
        (open_one, None, "cheapest", "on these offers: best found in time"),
        (best, -0.5, "cheapest", "on these offers: dearer than today"),
        (open_one, -1.0, "cheapest", "on these offers: best found in time, dearer than today"),
        (open_one, 0.0, "two", "two (best found in time)"),
        (None, None, "cheapest", "cheapest"),
    ):
        assert ScenarioResult(Scenario(name), made, savings).title == title
