"""Rules of a registrar, one at a time, and what a caller can rely on."""

import itertools

import numpy as np
import pytest

import boca
from boca.core import Bidder, Good, InputError, Limit, Market, Seeds
from boca.functions import AdjustedSum, Adjustment, XorTable
from boca.seats import SeatParams, SeatRules, assign_seats
from boca.seats.demand import Demand
from boca.seats.offer import Offer
from boca.seats.rankings import rank
from boca.seats.repair import end_oversubscription, fill_seats
from boca.seats.wish import wishes


def school(num_students=30, seats=8, num_courses=6, most=3, seed=20_001):
    """A market with popular courses and a conflict, and whole ratings, so with ties."""
    rng = np.random.default_rng(seed)
    conflict = np.zeros(num_courses)
    conflict[:2] = 1
    limits = (
        Limit((1.0,) * num_courses, float(most), "courses"),
        Limit(tuple(conflict), 1.0, "conflict"),
    )
    market = Market(
        tuple(Good(f"course {j}", seats) for j in range(num_courses)),
        tuple(Bidder(f"student {i}", "", limits) for i in range(num_students)),
    )
    utilities = [
        AdjustedSum(
            rng.integers(5, 40, num_courses) + 50 * (np.arange(num_courses) < 2),
            (Adjustment.together(rng.choice(num_courses, 2, replace=False), 15.0),),
        )
        for _ in range(num_students)
    ]
    return market, utilities


def test_same_assignment_for_any_order_of_students():
    """Tests that names decide ties and not places in a file."""
    market, utilities = school()
    first = assign_seats(market, utilities, seed=3)
    order = np.random.default_rng(0).permutation(market.num_bidders)
    shuffled = Market(market.goods, tuple(market.bidders[i] for i in order))
    second = assign_seats(shuffled, [utilities[i] for i in order], seed=3)

    assert np.array_equal(first.allocation.bundles[order], second.allocation.bundles)
    assert np.array_equal(first.prices, second.prices)
    assert np.array_equal(first.budgets[order], second.budgets)


def test_the_order_of_ties_is_drawn_from_seed_and_name():
    """Tests that a late student does not change who is before whom among the others."""
    market, utilities = school(num_students=10)
    seating = assign_seats(market, utilities, seed=5)
    draws = [Seeds(5).child("seats", "order", b.name).integer() for b in market.bidders]
    assert np.array_equal(np.argsort(draws), np.argsort(seating.base_budgets))
    assert seating.base_budgets.min() == 1.0
    assert seating.base_budgets.max() == pytest.approx(1 + 0.04 * 9 / 10)
    fewer = Market(market.goods, market.bidders[:9])
    rest = assign_seats(fewer, utilities[:9], seed=5).base_budgets
    assert np.array_equal(np.argsort(rest), np.argsort(seating.base_budgets[:9]))


def test_prices_clear_and_budgets_hold():
    """Tests clearing and affordability from the numbers that are returned."""
    market, utilities = school()
    seating = assign_seats(market, utilities)
    assert seating.error == 0
    assert seating.stopped == "cleared"
    assert (seating.prices[:2] > 0).all()
    full = seating.taken == market.capacities
    assert full[seating.prices > 0].all()
    costs = seating.allocation.bundles @ seating.prices
    assert np.allclose(costs, seating.costs)
    assert (costs <= seating.budgets + 1e-7).all()
    assert np.abs(seating.budgets - seating.base_budgets).max() <= 0.01 + 1e-9
    assert seating.is_best.all()
    assert seating.proven()["pareto_efficient"]


@pytest.mark.parametrize("num_marks", [2, 3])
def test_few_marks_clear_by_lot(num_marks):
    """
    Tests students who rate courses with two or three marks, so that most schedules are as good as
    many others: prices clear, everybody has a best schedule, and efficiency is not claimed.
    """
    market, utilities = school(40, 8, 10, 3)
    coarse = [AdjustedSum(np.round(u.ratings * num_marks / 90)) for u in utilities]
    seating = assign_seats(market, coarse, seed=20_002)
    assert seating.ties_by_lot
    assert not seating.is_repaired
    assert seating.error == 0
    assert seating.is_best.all()
    assert not seating.is_efficient
    assert seating.proven()["ties_by_lot"]
    assert seating.envy.beyond_one == seating.envy.against_order == 0
    again = assign_seats(market, coarse, seed=20_002)
    assert (again.allocation.bundles == seating.allocation.bundles).all()


def test_lots_order_equals_and_nothing_else():
    """Tests rankings without ties: schedules move within their ties, nothing stays last."""
    market, utilities = school(3, 1, 4, 2)
    coarse = [AdjustedSum(np.round(u.ratings / 45)) for u in utilities]
    rules = SeatRules()
    orders = [np.arange(4)] * 3
    all_wishes = wishes(market, coarse, rules, orders, [np.ones(4, bool)] * 3)
    rankings = rank(all_wishes, 100, 4)
    lots = np.random.default_rng(1).random((3, 4))
    strict = rankings.without_ties(lots)
    assert rankings.has_ties
    assert not strict.has_ties
    for i in range(3):
        num = rankings.num_listed[i]
        sums = np.append(lots[i], 0)[strict.members[i, :num].astype(int)].sum(axis=1)
        rows = [tuple(sorted(row)) for row in strict.members[i, :num].tolist()]
        assert sorted(rows) == sorted(tuple(sorted(r)) for r in rankings.members[i, :num].tolist())
        assert set(rows[-1]) == {4}
        for a, b in itertools.pairwise(range(num - 1)):
            values = coarse[i]([[c in rows[k] for c in range(4)] for k in (a, b)])
            assert values[0] > values[1] or (values[0] == values[1] and sums[a] <= sums[b])


def test_higher_priority_chooses_as_if_alone():
    """Tests that those with priority get what they get without the others."""
    market, utilities = school()
    priorities = tuple(float(i < 10) for i in range(30))
    seating = assign_seats(market, utilities, SeatRules(priorities=priorities))
    alone = Market(market.goods, market.bidders[:10])
    values = [
        float(u(row[None])[0])
        for u, row in zip(utilities, seating.allocation.bundles, strict=False)
    ]
    best = [max(utilities_of_all(u)) for u in utilities[:10]]
    assert assign_seats(alone, utilities[:10]).error == 0
    # Eight seats for ten students: most of them have their best, nobody after them does.
    assert np.mean(np.array(values[:10]) >= np.array(best) - 1e-9) >= 0.5
    assert seating.price_lists[0].priority == 1.0
    assert (seating.taken <= market.capacities).all()


def test_envy_beyond_one_course_is_not_denied_where_priorities_make_it():
    """Tests that the claim is what is counted: who chose first has two courses, the other none."""
    market = Market.simple(2, 2)
    both = [AdjustedSum([2.0, 1.0])] * 2
    seating = assign_seats(market, both, SeatRules(priorities=(1.0, 0.0)))
    assert seating.taken.tolist() == [1, 1]
    assert seating.envy.beyond_one == 1
    assert not seating.is_within_one_course
    assert seating.proven()["envy_within_one_course"] is False
    alone = assign_seats(market, both)
    assert alone.envy.beyond_one == 0
    assert alone.is_within_one_course


def test_what_is_published_after_a_repair_is_what_is_proven():
    """Tests that nobody's best is claimed for a smaller budget than the one that is told."""
    checked = 0
    for seed in range(20_001, 20_061):
        market, utilities = school(num_students=8, seats=2, num_courses=5, seed=seed)
        hasty = SeatParams(num_attempts=1, num_rounds=1, patience=1, budget_moves=0)
        seating = assign_seats(market, utilities, params=hasty, seed=seed)
        rows = np.array([row for row in np.ndindex(*[2] * 5) if sum(row) <= 3])
        rows = rows[rows[:, :2].sum(axis=1) <= 1]
        for i in np.flatnonzero(seating.is_best):
            within = rows @ seating.prices <= seating.budgets[i]
            assert utilities[i](rows[within]).max() <= seating.utilities[i] + 1e-9
            checked += seating.budgets[i] > seating.base_budgets[i] + 0.01
        # A free seat is wanted by nobody.
        free = seating.taken < market.capacities
        for i, own in enumerate(seating.allocation.bundles):
            possible = rows[(rows <= (free | (own > 0))).all(axis=1)]
            assert utilities[i](possible).max() <= seating.utilities[i] + 1e-9
    assert checked > 0


def utilities_of_all(utility):
    """Utilities of all schedules of three courses without the conflict."""
    rows = [row for row in np.ndindex(*[2] * 6) if sum(row) <= 3 and row[0] + row[1] <= 1]
    return utility(np.array(rows))


def test_reserved_seats_go_to_members_only():
    """Tests that outsiders get at most the open seats, and members pay no more than they."""
    market, utilities = school()
    groups = tuple("arts" if i < 12 else "" for i in range(30))
    reserved = ((("arts", 6),), *[()] * 5)
    seating = assign_seats(market, utilities, SeatRules(groups=groups, reserved=reserved))
    others = seating.allocation.bundles[12:, 0].sum()
    assert others <= 2
    assert seating.taken[0] == 8
    assert seating.prices_of(0)[0] <= seating.prices_of(20)[0]
    assert np.array_equal(seating.prices_of(0)[1:], seating.prices_of(20)[1:])


def test_required_courses_come_before_ratings():
    """Tests that a course nobody rates is taken where it is required."""
    market, utilities = school(num_students=4)
    disliked = [AdjustedSum([*u.ratings[:5], -5.0]) for u in utilities]
    required = (((5,),), ((4, 5),), (), ())
    seating = assign_seats(market, disliked, SeatRules(required=required))
    assert seating.allocation.bundles[0, 5] == 1
    assert seating.allocation.bundles[1, [4, 5]].sum() >= 1
    assert seating.allocation.bundles[2, 5] == 0


def test_held_courses_stay_and_cost_nothing():
    """Tests that what is held is kept, its seat not shared out, and the rest fits around it."""
    market, utilities = school(seats=5)
    held = ((0, 2, 3), (1,), *[()] * 28)
    seating = assign_seats(market, utilities, SeatRules(held=held))
    assert seating.allocation.bundles[0].tolist() == [1, 0, 1, 1, 0, 0]
    assert seating.allocation.bundles[1, 1] == 1
    assert seating.allocation.bundles[1, 0] == 0  # they clash
    assert (seating.taken <= 5).all()
    assert seating.costs[0] == 0


def test_a_course_below_its_minimum_is_cancelled():
    """Tests that the emptiest course goes, its students get something else, and both are said."""
    market, utilities = school(num_students=12)
    lonely = [
        AdjustedSum([*u.ratings[:5], 60.0 if i < 2 else -1.0]) for i, u in enumerate(utilities)
    ]
    minimums = (0, 0, 0, 0, 0, 4)
    seating = assign_seats(market, lonely, SeatRules(minimums=minimums))
    assert seating.cancelled == ((5, 2),)
    assert seating.taken[5] == 0
    assert seating.num_changed[0] >= 2
    assert (seating.allocation.bundles[:2].sum(axis=1) == 3).all()
    assert "cancelled: course 5 with 2 students" in seating.summary()


def test_target_is_filled_and_room_never_exceeded():
    """Tests that the search fills targets below the size of the room."""
    market, utilities = school()
    seating = assign_seats(market, utilities, SeatRules(targets=(6,) * 6))
    assert seating.error == 0
    assert (seating.taken <= 6).all()
    assert (seating.taken[:2] == 6).all()


def test_no_time_gives_a_feasible_assignment():
    """Tests that a time limit of 0 s ends in repair, oversells nothing and claims nothing."""
    market, utilities = school()
    seating = assign_seats(market, utilities, time_limit=0)
    assert seating.stopped == "time limit"
    assert seating.is_repaired
    assert (seating.taken <= market.capacities).all()
    assert not seating.is_efficient
    assert seating.taken.tolist() == [8] * 6  # a free seat is better taken than empty


def test_ctrl_c_gives_the_best_so_far():
    """Tests that an interruption in the search ends with a feasible assignment."""
    market, utilities = school(num_students=60, seats=7, num_courses=12, seed=20_004)

    def interrupt(progress):
        if progress.stage == "searching prices":
            raise KeyboardInterrupt

    params = SeatParams(budget_moves=0.0, num_rounds=5, patience=1)
    seating = assign_seats(market, utilities, params=params, on_progress=interrupt)
    assert seating.stopped == "interrupted"
    assert (seating.taken <= market.capacities).all()


def test_progress_names_stage_and_error():
    """Tests what a caller hears."""
    heard = []
    market, utilities = school()
    assign_seats(market, utilities, on_progress=heard.append)
    assert heard[0].stage == "ranking schedules"
    assert heard[-1].error == 0
    assert heard[-1].attempt >= 1


@pytest.mark.parametrize("seed", range(20_001, 20_011))
def test_repair_never_oversells_and_nobody_loses_by_filling(seed):
    """Tests stages two and three from prices of 0, where most courses are oversold."""
    market, utilities = school(seed=seed, seats=6)
    num, num_courses = market.num_bidders, market.num_goods
    everything = [np.ones(num_courses, dtype=bool)] * num
    all_wishes = wishes(market, utilities, SeatRules(), [np.arange(num_courses)] * num, everything)
    rankings = rank(all_wishes, 8, num_courses)  # short ones, which have to grow
    offer = Offer(market.capacities[None], np.zeros(num, dtype=int))
    demand = Demand(rankings, offer, 1 + 0.001 * np.arange(num))
    demand, point = end_oversubscription(demand, all_wishes, np.zeros((1, num_courses)))
    totals = demand.totals(point.choice)[0]
    assert (totals <= 6).all()
    choice = fill_seats(demand, point, offer.seats, np.arange(num))
    assert (demand.totals(choice)[0] <= 6).all()
    rows = np.arange(num)
    own = demand.rankings.utilities
    assert (own[rows, choice] >= own[rows, point.choice]).all()
    moved = choice != point.choice
    costs = demand.costs(point.prices, choice)
    assert (costs[moved] <= 1.1 * demand.budgets[moved] + 1e-9).all()


def test_nobody_is_left_with_nothing_by_a_short_ranking():
    """Tests that students whose listed schedules are all too dear get others looked up."""
    market, utilities = school(num_students=60, seats=12, num_courses=10, seed=20_007)
    short = assign_seats(market, utilities, params=SeatParams(num_ranked=2))
    assert short.error == 0
    assert short.is_best.all()
    assert (short.allocation.bundles.sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"targets": (9,) * 6}, "has the target 9; expected a number from 0 to its 8 seats"),
        ({"targets": (1,)}, "1 entries of 'targets'; expected one for each course, that is 6"),
        ({"minimums": (-1,) * 6}, "the minimum -1"),
        ({"held": ((9,), *[()] * 29)}, "has a course in 'held'"),
        ({"held": ((0, 1), *[()] * 29)}, "breaks its limit 'conflict'"),
        ({"held": ((0,),) * 30}, "is held by 30 students, but has 8 seats"),
        ({"reserved": ((("a", 9),),) * 6}, "reserves more seats than it has"),
        ({"reserved": ((("a", 1), ("a", 2)),) * 6}, "each group once"),
    ],
)
def test_impossible_rules_are_refused(fields, words):
    """Tests that each message says what was received and expected."""
    market, utilities = school()
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        assign_seats(market, utilities, SeatRules(**fields))


def test_other_input_is_checked():
    """Tests numbers of utilities and courses, and parameters."""
    market, utilities = school()
    with pytest.raises(InputError, match="29 utilities"):
        assign_seats(market, utilities[:29])
    with pytest.raises(InputError, match="is for 2 courses; expected 6"):
        assign_seats(market, [AdjustedSum([1.0, 2.0]), *utilities[1:]])
    for wrong in ({"budget_spread": -1}, {"budget_moves": 0.5}, {"num_attempts": 0}):
        with pytest.raises(InputError):
            SeatParams(**wrong)


def test_any_value_function_is_a_utility():
    """Tests bids on bundles beside ratings."""
    market = boca.Market.simple(3, 2, [1, 1, 1])
    bids = XorTable(np.eye(3, dtype=int), np.array([5.0, 3.0, 1.0]))
    seating = boca.assign_seats(market, [bids, AdjustedSum([9.0, 1.0, 1.0])])
    assert seating.error == 0
    assert seating.allocation.bundles.sum(axis=0).max() == 1
