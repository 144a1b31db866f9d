"""Buying: awards and payments on examples that can be done by hand, and against brute force."""

from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Limit, Market, Reports, SolverError
from boca.core.errors import MissingExtra
from boca.core.rule import Rule
from boca.payments import awards, economies, options
from boca.payments.awards import NoPayments, award, holds
from boca.payments.options import choose
from boca.payments.program import OutOfTime, Program

INF = np.inf


def market_of(needed, num_suppliers, *rules, limits=()):
    """A market that buys units of lots a, b, ... from suppliers A, B, ..."""
    goods = tuple(Good("abcdefgh"[j], n) for j, n in enumerate(needed))
    suppliers = tuple(
        Bidder("ABCDEFGH"[i], limits=limits[i] if limits else ()) for i in range(num_suppliers)
    )
    return Market(goods, suppliers, sense="buy", rules=tuple(rules))


def offers_of(market, *offers):
    """Reports of every supplier from rows of supplier, units and cost."""
    reports = [Reports.empty(market.num_goods) for _ in market.bidders]
    for supplier, bundle, cost in offers:
        reports[supplier] = reports[supplier].add(np.array(bundle), cost)
    return reports


def test_vcg_pays_more_than_a_losing_package_and_core_does_not():
    """Tests A {a} 2, B {b} 2, C {a, b} 10, at most 20 each."""
    pytest.importorskip("pyscipopt")
    market = market_of((1, 1), 3)
    offers = offers_of(market, (0, (1, 0), 2), (1, (0, 1), 2), (2, (1, 1), 10))

    vcg = award(offers, market, [20, 20], "vcg")
    assert vcg.cost == 4
    assert vcg.payments.tolist() == [8, 8, 0]
    core = award(offers, market, [20, 20], "core", verify=True)
    assert core.payments.tolist() == [5, 5, 0]
    assert core.spend == 10
    assert core.binding == (((0, 1), 6.0),)
    assert core.verified_by == "scip"


@pytest.mark.parametrize("unit", [1.0, 0.01, 0.5, 1 / 3, 1e6 / 3, 1e-3 / 3])
def test_payments_are_the_same_in_any_unit_of_money(unit):
    """
    Tests A {a} 2, B {b} 2, C {a, b} 9, at most 20 each, in whole units, cents, halves and amounts
    that no number of decimals writes: VCG pays 7 each, the core the 9 that C asks, a half each.
    """
    market = market_of((1, 1), 3)
    rows = (0, (1, 0), 2 * unit), (1, (0, 1), 2 * unit), (2, (1, 1), 9 * unit)
    offers, at_most = offers_of(market, *rows), [20 * unit] * 2

    vcg = award(offers, market, at_most, "vcg")
    assert vcg.cost == pytest.approx(4 * unit, rel=1e-12)
    assert vcg.payments == pytest.approx(np.array([7, 7, 0]) * unit, rel=1e-9)
    assert [(i, other.cost) for i, other in vcg.without] == [
        (0, pytest.approx(9 * unit)), (1, pytest.approx(9 * unit))
    ]  # fmt: skip
    core = award(offers, market, at_most, "core")
    assert core.payments == pytest.approx(np.array([4.5, 4.5, 0]) * unit, rel=1e-9)
    ((payers, gain),) = core.binding
    assert (payers, gain) == ((0, 1), pytest.approx(5 * unit, rel=1e-9))
    assert (core.rule, vcg.rule, award(offers, market, at_most).rule) == ("core", "vcg", "none")


def test_time_is_for_the_award_and_for_those_without_each_winner(monkeypatch):
    """Tests 8 s: all of them for an award alone; half where others follow, then what is left."""
    given = []

    def told(options, effort, **more):
        given.append((effort.deadline, more.get("start") is None))
        return choose(options, effort, **more)

    monkeypatch.setattr(economies, "choose", told)
    for module in ("effort", "options", "winners", "program"):
        monkeypatch.setattr(f"boca.payments.{module}.perf_counter", lambda: 100.0)
    right = awards.Effort
    monkeypatch.setattr(awards, "Effort", lambda *a, **more: right(*a, began=100.0, **more))
    market = market_of((1,), 2)
    offers = offers_of(market, (0, (1,), 2), (1, (1,), 3))
    for payments, deadlines in (("none", [108]), ("offered", [108]), ("vcg", [104, 108])):
        given.clear()
        award(offers, market, [5], payments, max_seconds=8.0)
        assert given == [(pytest.approx(deadline), False) for deadline in deadlines]
    given.clear()
    award(offers, market, [5], "vcg")
    assert given == [(np.inf, True)] * 2


def test_what_is_not_needed_is_not_bought_outside():
    """Tests five units of which three are offered, where units outside are free: two are bought."""
    market = market_of((5, 1), 1)
    made = award(offers_of(market, (0, (3, 1), 0)), market, [0, 7])
    assert made.outside.tolist() == [2, 0]
    for needed in (1, 2, 3, 6, 7, 8, 11):
        lots = market_of((needed,), 1)
        assert award([Reports.empty(1)], lots, [1.5]).outside.tolist() == [needed]


def test_units_that_cost_nothing_outside_are_bought_where_they_are_missing():
    """Tests random markets where everything is free outside, and an offer that is needed."""
    for seed in range(30):
        market, offers, _ = random_market(seed)
        made = award(offers, market, np.zeros(market.num_goods))
        if made is not None:
            delivered = np.minimum(made.supplied, market.capacities).sum(axis=0)
            missing = np.maximum(market.capacities - delivered, 0)
            assert made.outside.tolist() == missing.tolist()


def test_an_offer_beyond_its_suppliers_limits_is_none():
    """Tests limits that are kept, and one that allows nothing of a."""
    limit = Limit((1.0, 1.0), 2.0)
    market = market_of((1, 1), 2, limits=((), (limit,)))
    offers = offers_of(market, (0, (0, 1), 4), (1, (1, 0), 3))
    assert award(offers, market, [9, 9]).winners == [0, 1]
    most = Market(
        market.goods, (Bidder("A"), Bidder("B", limits=(Limit((1.0, 0.0), 0.0),))), sense="buy"
    )
    made = award(offers, most, [9, 9])
    assert (made.winners, made.cost) == ([0], 13)


def test_offers_that_overlap_win_together():
    """Tests A {1, 2} 5, B {2, 3} 5, at most 10 each: covering costs 10, packing 15."""
    market = market_of((1, 1, 1), 2)
    offers = offers_of(market, (0, (1, 1, 0), 5), (1, (0, 1, 1), 5))

    made = award(offers, market, [10, 10, 10])
    assert made.cost == 10
    assert made.winners == [0, 1]
    assert not made.outside.any()


def test_a_rule_makes_monopolists():
    """Tests at least 2 winners, A {a, b} 4 or {a} 3, B {b} 4, at most 10: the rule costs 3."""
    rule = Rule("winners", at_least=2)
    for rules, cost in (((), 4), ((rule,), 7)):
        market = market_of((1, 1), 2, *rules)
        offers = offers_of(market, (0, (1, 1), 4), (0, (1, 0), 3), (1, (0, 1), 4))
        assert award(offers, market, [10, 10]).cost == cost
    # At-most prices are recommended where they are missing, and not where they do not help.
    with pytest.raises(InputError, match=r"^A is indispensable.*You can relax a rule"):
        award(offers, market, [10, 10], "vcg")
    with pytest.raises(InputError, match=r"^A is indispensable.*at-most prices for its lots \(a\)"):
        award(offers, market, [np.inf, 10], "vcg")


def test_payments_are_capped_at_the_prices_outside():
    """Tests at least 2 winners, A {a} 1, B {b} 1, C {a} 30, at most 10: not 30 and 40."""
    market = market_of((1, 1), 3, Rule("winners", at_least=2))
    offers = offers_of(market, (0, (1, 0), 1), (1, (0, 1), 1), (2, (1, 0), 30))

    made = award(offers, market, [10, 10], "vcg")
    assert made.cost == 2
    assert made.vcg.tolist() == [30, 40, 0]
    assert made.payments.tolist() == [10, 10, 0]
    assert "outside, its lots cost no more" in made.explain()


def test_units():
    """Tests need 5, A 3 for 9 or 5 for 20, B 3 for 12, C 2 for 5, at most 6 each."""
    market = market_of((5,), 3)
    offers = offers_of(market, (0, (3,), 9), (0, (5,), 20), (1, (3,), 12), (2, (2,), 5))

    made = award(offers, market, [6], "vcg")
    assert made.cost == 14
    assert made.winners == [0, 2]
    assert (made.payments - made.costs).tolist() == [3, 0, 6]


def test_what_is_missing_is_bought_outside_or_nothing_is():
    """Tests a lot that nobody offers, with and without a price outside."""
    market = market_of((3, 1), 1)
    offers = offers_of(market, (0, (2, 0), 1.25))

    made = award(offers, market, [0.75, 7.75], "offered")
    assert made.outside.tolist() == [1, 1]
    assert made.cost == 9.75 == made.spend
    assert award(offers, market) is None
    assert award(offers, market, [INF, 7.75]) is None


def test_what_is_bought_outside_is_written_as_people_write_it():
    """Tests three units at 0.1, which floats make 0.30000000000000004, outside and as a cap."""
    market = market_of([3, 1], 2)
    offers = offers_of(market, (0, [0, 1], 0.5), (1, [3, 0], 0.25))
    outside = award(offers_of(market, (0, [0, 1], 0.5)), market, [0.1, 1.0])
    assert (outside.outside_cost, outside.cost) == (0.3, 0.8)
    assert award(offers, market, [0.1, 1.0], "vcg").payments.tolist() == [1, 0.3]


def test_selling_markets_and_wrong_prices_are_refused():
    """Tests that values are never taken for costs."""
    with pytest.raises(InputError, match="sells; an award is for"):
        award([Reports.empty(1)], Market.simple(1, 1))
    market = market_of((1,), 1)
    with pytest.raises(InputError, match="at-most prices"):
        award([Reports.empty(1)], market, [-1])
    shares = market_of((1,), 1, Rule("spend", at_most=0.4, share=True, each=True))
    with pytest.raises(InputError, match="share of units"):
        award(offers_of(shares, (0, (1,), 1)), shares, [1], "vcg")


class TestSecondSolver:
    """Whether another solver is believed, with answers that it did not give."""

    MARKET = market_of((1,), 1)
    OFFERS = offers_of(MARKET, (0, (1,), 3))

    def answered(self, monkeypatch, change, names=("highs", "scip", "gurobi")):
        """Our own award; whatever another solver finds is changed."""

        def told(options, effort, *others, solver=None, **more):
            best = choose(options, effort, *others, **more)
            asked.append(solver)
            return best if solver is None else change(best)

        asked = []
        monkeypatch.setattr(economies, "installed", lambda: names)
        monkeypatch.setattr(economies, "choose", told)
        made = award(self.OFFERS, self.MARKET, verify=True)
        assert asked[0] is None
        assert asked[1:] == ([] if made.verified_by is None else [made.verified_by])
        return made.verified_by

    @pytest.mark.parametrize("other", [-1.0, 1.0])
    def test_another_cost_is_an_error(self, monkeypatch, other):
        """Tests one unit more and one less."""
        with pytest.raises(SolverError, match="solver 'scip' found"):
            self.answered(monkeypatch, lambda best: replace(best, worth=best.worth + other))

    def test_no_award_is_an_error(self, monkeypatch):
        """Tests a solver that says that nothing satisfies the rules."""
        with pytest.raises(SolverError, match="solver 'scip' found -inf"):
            self.answered(monkeypatch, lambda best: None)

    def test_less_than_a_unit_is_no_difference(self, monkeypatch):
        """Tests a solver's own rounding: money is whole."""
        rounded = self.answered(monkeypatch, lambda best: replace(best, worth=best.worth + 0.9))
        assert rounded == "scip"

    def test_without_units_a_millionth_is_the_difference(self, monkeypatch):
        """Tests costs that no number of decimals writes: a third of a million."""
        monkeypatch.setattr(self, "OFFERS", offers_of(self.MARKET, (0, (1,), 1e6 / 3)))
        for other, is_same in ((0.1, True), (-0.1, True), (0.5, False), (-0.5, False)):
            if is_same:
                assert self.answered(monkeypatch, lambda b, x=other: replace(b, worth=b.worth + x))
            else:
                with pytest.raises(SolverError, match="Verification failed"):
                    self.answered(monkeypatch, lambda b, x=other: replace(b, worth=b.worth + x))

    def test_whoever_is_there_is_asked(self, monkeypatch):
        """Tests one extra, the other, and none."""
        assert self.answered(monkeypatch, lambda best: best, ("highs", "gurobi")) == "gurobi"
        with pytest.raises(MissingExtra, match="second solver"):
            self.answered(monkeypatch, lambda best: best, ("highs",))


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize(
    ("bound", "units", "cost", "total"),
    [
        # In binary 0.29 * 100 and 0.57 * 100 are below 29 and 57, 0.07 * 100 and 1.1 * 10 above.
        ({"counts": "units", "at_most": 0.29, "share": True}, 29, 1, 72),
        ({"counts": "units", "at_most": 0.28, "share": True}, 29, 1, 100),
        ({"counts": "units", "at_least": 0.07, "share": True}, 7, 50, 143),
        ({"counts": "units", "at_least": 0.08, "share": True}, 7, 50, None),
        ({"counts": "spend", "at_most": 0.57}, 29, 0.57, 71.57),
        ({"counts": "spend", "at_most": 0.56}, 29, 0.57, 100),
        ({"counts": "spend", "at_least": 1.1}, 1, 1.1, 100.1),
        ({"counts": "spend", "at_least": 1.2}, 1, 1.1, None),
    ],
)
def test_bounds_are_met_where_binary_numbers_miss_them(each, bound, units, cost, total):
    """Tests one offer that reaches a bound, and one by a hundredth beyond; outside a unit is 1."""
    market = market_of((100,), 2, Rule(**bound, who=(0,), each=each))
    made = award(offers_of(market, (0, (units,), cost)), market, [1])
    assert (made and made.cost) == total


@pytest.mark.parametrize("at_most", [[-1.0], [np.nan], [1.0, 1.0], 3.0])
def test_each_wrong_price_is_refused(at_most):
    """Tests negative, undefined, too many and too few prices; 0 and infinite ones are fine."""
    market = market_of((1,), 1)
    with pytest.raises(InputError, match="at-most prices"):
        award(offers_of(market, (0, (1,), 1)), market, at_most)
    two = market_of((1, 1), 1)
    for wrong in ([np.nan, 1.0], [1.0, -0.5]):
        with pytest.raises(InputError, match="at-most prices"):
            award(offers_of(two, (0, (1, 1), 1)), two, wrong)
    assert award(offers_of(market, (0, (1,), 1)), market, [0]).cost == 0
    assert award(offers_of(market, (0, (1,), 1)), market, [0.5]).cost == 0.5
    assert award(offers_of(market, (0, (1,), 1)), market, [INF]).cost == 1


def test_an_award_as_plain_values():
    """Tests that what is paid and who confirmed it are there if they are known, and only then."""
    market = market_of((2,), 2)
    offers = offers_of(market, (0, (1,), 3), (1, (2,), 9))
    plain = award(offers, market, [4]).to_dict()
    assert not {"spend", "verified_by"} & plain.keys()
    paid = award(offers, market, [4], "vcg").to_dict()
    assert paid["spend"] == 8  # 4 to A, whose unit would be bought outside, and 4 outside
    assert [row["supplier"] for row in paid["awards"]] == ["A"]


def test_bounds_beyond_everything():
    """Tests that a bound no machine counts to is no bound, or cannot be met."""
    offers = offers_of(market_of((1,), 1), (0, (1,), 2))
    assert award(offers, market_of((1,), 1, Rule("winners", at_most=1e30)), [5]).cost == 2
    assert award(offers, market_of((1,), 1, Rule("units", at_least=1e30)), [5]) is None


@pytest.mark.parametrize(("units", "cost"), [(3, 1), (4, 20)])
def test_limits_are_met_where_binary_numbers_miss_them(units, cost):
    """Tests a tenth for each unit and three tenths in all: three units fit, four do not."""
    market = market_of((4,), 1, limits=((Limit((0.1,), 0.3),),))
    made = award(offers_of(market, (0, (units,), 1)), market, [5])
    assert made.cost == (cost if units == 4 else cost + 5)


# Brute force ----------------------------------------------------------------------------------


def cheapest(offers, market, at_most, suppliers=None):
    """The least cost over all choices of offers, and of units outside; None if there is none."""
    best = None
    choices = []
    for i, report in enumerate(offers):
        own = [(np.zeros(market.num_goods, dtype=int), 0.0)]
        if suppliers is None or i in suppliers:
            own += [
                (bundle, value)
                for bundle, value in zip(report.bundles, report.values, strict=True)
                if not market.broken_limits(i, bundle)
            ]
        choices.append(own)
    for choice in product(*choices):
        supplied = np.array([bundle for bundle, _ in choice])
        costs = np.array([cost for _, cost in choice])
        missing = market.capacities - np.minimum(supplied, market.capacities).sum(axis=0)
        missing = np.maximum(missing, 0)
        if not np.isfinite(at_most[missing > 0]).all():
            continue
        cost = costs.sum() + (missing[missing > 0] * at_most[missing > 0]).sum()
        made = _Made(market, supplied, costs, missing, at_most)
        if all(holds(rule, made) for rule in market.rules) and (best is None or cost < best - 1e-9):
            best = cost
    return best


class _Made:
    """What rules look at."""

    def __init__(self, market, supplied, costs, outside, at_most):
        self.market, self.supplied, self.costs = market, supplied, costs
        self.outside, self.at_most = outside, np.asarray(at_most)


def random_rule(rng, num_suppliers, num_lots):
    """One rule of any kind that is linear in whole numbers."""
    counts = rng.choice(["winners", "lots", "units"])
    who = None
    if rng.random() < 0.5:
        size = rng.integers(1, num_suppliers + 1)
        who = tuple(int(i) for i in rng.choice(num_suppliers, size, replace=False))
    lots = None
    if rng.random() < 0.3:
        lots = tuple(int(j) for j in rng.choice(num_lots, 1))
    is_share = counts != "winners" and rng.random() < 0.4
    each = counts != "winners" and rng.random() < 0.4
    bound = rng.choice([0.2, 0.3, 0.5, 0.6]) if is_share else int(rng.integers(0, 4))
    is_least = rng.random() < 0.4
    return Rule(
        str(counts),
        at_least=float(bound) if is_least else None,
        at_most=None if is_least else float(bound),
        who=who,
        lots=lots,
        share=is_share,
        each=each,
        if_any=bool(each and is_least and rng.random() < 0.7),
    )


def random_market(seed):
    """A tiny market that buys, its offers and at-most prices."""
    rng = np.random.default_rng(seed)
    num_lots, num_suppliers = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    needed = rng.integers(1, 4, num_lots)
    cents = 100 if rng.random() < 0.3 else 1
    limits = [
        (Limit((1.0,) * num_lots, float(rng.integers(1, 5))),) if rng.random() < 0.3 else ()
        for _ in range(num_suppliers)
    ]
    rules = [random_rule(rng, num_suppliers, num_lots) for _ in range(rng.integers(0, 4))]
    market = market_of(needed.tolist(), num_suppliers, *rules, limits=limits)
    rows = []
    for i in range(num_suppliers):
        for _ in range(rng.integers(0, 4)):
            bundle = rng.integers(0, needed + 2)
            bundle = np.minimum(bundle, market.capacities)
            if bundle.any():
                rows.append((i, bundle, int(rng.integers(0, 20 * cents)) / cents))
    seen, kept = set(), []
    for i, bundle, cost in rows:
        if (i, bundle.tobytes()) not in seen:
            seen.add((i, bundle.tobytes()))
            kept.append((i, bundle, cost))
    at_most = np.where(rng.random(num_lots) < 0.7, rng.integers(1, 15, num_lots) * 1.0, INF)
    return market, offers_of(market, *kept), at_most


@pytest.mark.parametrize("block", range(4))
def test_awards_and_payments_against_brute_force(block):
    """Tests costs, indispensable suppliers, VCG, and every group of the core, 100 markets each."""
    for seed in range(100 * block, 100 * (block + 1)):
        check_market(seed)


def check_market(seed):
    """One random market against brute force; also what benchmarks/award.py calls."""
    market, offers, at_most = random_market(seed)
    least = cheapest(offers, market, at_most)
    made = award(offers, market, at_most)
    assert (made is None) == (least is None), seed
    if made is None:
        return "no award"
    assert made.cost == pytest.approx(least, abs=1e-9), seed
    assert made.is_proven
    everybody = range(market.num_bidders)
    without = {
        i: cheapest(offers, market, at_most, [j for j in everybody if j != i]) for i in made.winners
    }
    if None in without.values():
        with pytest.raises(InputError, match="indispensable"):
            award(offers, market, at_most, "vcg")
        return "indispensable"
    vcg = award(offers, market, at_most, "vcg")
    core = award(offers, market, at_most, "core")
    for i in made.winners:
        assert vcg.vcg[i] == pytest.approx(vcg.costs[i] + without[i] - least), seed
        assert vcg.costs[i] <= vcg.payments[i] <= vcg.vcg[i] + 1e-9
        assert core.costs[i] - 1e-9 <= core.payments[i] <= core.vcg[i] + 1e-9
    profits = core.payments - core.costs
    groups = chain.from_iterable(combinations(everybody, k) for k in range(len(everybody) + 1))
    tight = set()
    for group in groups:
        cost = cheapest(offers, market, at_most, group)
        outside = [i for i in core.winners if i not in group]
        if cost is not None:
            room = cost - least - profits[outside].sum()
            assert room >= -1e-6, (seed, group)
            if room <= 1e-6:
                tight.update(outside)
    # Nobody could be paid more: everybody is below its VCG payment only for a group's sake.
    below = {i for i in core.winners if core.payments[i] < core.vcg[i] - 1e-6}
    assert below <= tight, seed
    return "paid"


# Where time is short ---------------------------------------------------------------------------


def out_of_time(monkeypatch):
    """Lets the program end without a choice; our own methods have no time either."""

    def solve(self, effort, gap, start=None):
        raise OutOfTime

    monkeypatch.setattr(Program, "solve", solve)
    monkeypatch.setattr(options, "_by_packing", lambda *a: None)


def test_who_saves_most_comes_first_where_time_is_short(monkeypatch):
    """
    Tests A {a, b} 12, B {a} 5, B {c} 1, at most 10 each: A saves 8, then B's c saves 9; nothing
    less than that is known to be possible.
    """
    market = market_of((1, 1, 1), 2)
    offers = offers_of(market, (0, (1, 1, 0), 12), (1, (1, 0, 0), 5), (1, (0, 0, 1), 1))
    out_of_time(monkeypatch)
    made = award(offers, market, [10, 10, 10], max_seconds=9.0)
    assert (made.cost, made.winners, made.outside.tolist()) == (13, [0, 1], [0, 0, 0])
    assert (made.is_proven, made.bound) == (False, 0)
    with pytest.raises(NoPayments, match="not proven") as caught:
        award(offers, market, [10, 10, 10], "vcg", max_seconds=9.0)
    assert caught.value.made.cost == 13


def test_nothing_is_dearer_than_everything_outside(monkeypatch):
    """Tests offers that save nothing, and a rule that only buying outside keeps."""
    market = market_of((5, 3), 2)
    offers = offers_of(market, (0, (4, 3), 90), (1, (5, 0), 51))
    out_of_time(monkeypatch)
    made = award(offers, market, [10, 10], max_seconds=9.0)
    assert (made.cost, made.outside.tolist()) == (80, [5, 3])
    cheap = offers_of(market, (0, (4, 3), 9), (1, (5, 0), 5))
    assert award(cheap, market, [10, 10], max_seconds=9.0).cost == 14
    nobody = market_of((5, 3), 2, Rule("winners", at_most=0))
    assert award(cheap, nobody, [10, 10], max_seconds=9.0).cost == 80
    both = market_of((1,), 2, Rule("winners", at_least=2))
    twice = offers_of(both, (0, (1,), 1), (1, (1,), 2))
    with pytest.raises(SolverError, match="Time ran out"):
        award(twice, both, [9], max_seconds=9.0)


def test_what_must_be_offered_comes_before_savings(monkeypatch):
    """Tests a lot without a price outside: whoever offers it is taken first, whatever it asks."""
    market = market_of((1, 1), 2)
    offers = offers_of(market, (0, (1, 0), 1), (0, (0, 1), 99), (1, (1, 0), 3))
    out_of_time(monkeypatch)
    made = award(offers, market, [10, INF], max_seconds=9.0)
    assert (made.cost, made.winners) == (102, [0, 1])


@pytest.mark.parametrize("limit", [None, 1000.0])
def test_a_limit_of_time_changes_no_cost(limit):
    """Tests 60 markets with more time than is needed: the same costs and payments."""
    for seed in range(60):
        market, offers, at_most = random_market(seed)
        plain = award(offers, market, at_most)
        other = award(offers, market, at_most, max_seconds=limit)
        assert (plain is None) == (other is None)
        assert plain is None or (plain.cost, plain.bound) == (other.cost, other.bound)
