"""Value queries near the best allocation so far."""

from types import SimpleNamespace

import numpy as np
import pytest
from hybrid_situations import additive, fitted_to, state_of

from boca.core import (
    Bidder,
    Demands,
    Economy,
    Good,
    InputError,
    Limit,
    Market,
    Query,
    Reason,
    Reports,
    Seeds,
)
from boca.queries import TrustRegion, trust_region
from boca.queries.planner import Prediction
from boca.queries.trust_region import EVERYWHERE, NEARBY, scale_of
from boca.queries.winners import Winners

MARKET = Market.simple(6, 3)
# Bidder 0 holds everything on bids; networks would give goods 0 to 2 to bidder 1 and 3 to 5 to 2.
REPORTS = [
    Reports([[1] * 6], [30.0]),
    Reports([[1] * 6], [12.0]),
    Reports([[1] * 6], [9.0]),
]
FITTED = fitted_to([additive([5] * 6), additive([9] * 3 + [1] * 3), additive([1] * 3 + [9] * 3)])


def situation_of(planner, rounds=0, reports=REPORTS):
    return state_of(MARKET, planner, reports, rounds=rounds)


def plan_of(planner, rounds=0, reports=REPORTS):
    return planner.plan(situation_of(planner, rounds, reports), FITTED, Seeds(1))


def test_nearby_rounds_move_few_copies():
    """
    Tests that with distance 2 each bidder's bundle changes by at most two copies, although the
    networks would exchange everything.
    """
    plan = plan_of(TrustRegion(distance=2, penalty=10.0))
    bundles = {query.bidder: query.bundle for query in plan.questions}
    incumbent = situation_of(TrustRegion()).winners(Economy.main(3)).bundles
    assert incumbent[0].sum() == 6
    assert bundles
    for bidder, bundle in bundles.items():
        assert np.abs(bundle - incumbent[bidder]).sum() <= 2
    assert all(query.reason.source == "nearby" for query in plan.questions)


def test_one_round_in_four_looks_everywhere():
    """Tests that the fourth round finds the best allocation of the networks."""
    planner = TrustRegion(distance=1, marginal_every=0, global_every=4)
    plan = plan_of(planner, rounds=3)
    bundles = {query.bidder: query.bundle.tolist() for query in plan.questions}
    assert bundles == {1: [1, 1, 1, 0, 0, 0], 2: [0, 0, 0, 1, 1, 1]}
    assert plan.questions[0].reason.source == "main"
    assert plan.prediction.welfare == pytest.approx(54)


def test_one_round_in_three_leaves_out_a_winner():
    """Tests that the third round looks at the economy without the only winner."""
    plan = plan_of(TrustRegion(marginal_every=3, global_every=0), rounds=2)
    assert {query.reason.economy for query in plan.questions} == {"without bidder 0"}
    assert 0 not in [query.bidder for query in plan.questions]


def test_winners_take_turns():
    """Tests that two winners are left out one after the other."""
    planner = TrustRegion(marginal_every=1)
    reports = [
        Reports([[1, 1, 1, 0, 0, 0]], [30.0]),
        Reports([[0, 0, 0, 1, 1, 1]], [20.0]),
        Reports([[1] * 6], [1.0]),
    ]

    def left_out(planner, num_rounds):
        """The bidder that each round of a marginal economy leaves out."""
        situations = [situation_of(planner, rounds, reports) for rounds in range(num_rounds)]
        firsts = [planner.attempts(situation, Seeds(0))[0][0] for situation in situations]
        return [{0, 1, 2} - set(economy.bidders) for economy in firsts]

    assert left_out(planner, 4) == [{0}, {1}, {0}, {1}]
    assert left_out(TrustRegion(marginal_every=2), 6) == [set(), {0}, set(), {1}, set(), {0}]


def test_the_others_are_tried_in_order():
    """Tests all that a round can look at, its own economy first: nearby, everywhere, marginal."""
    reports = [
        Reports([[1, 1, 1, 0, 0, 0]], [30.0]),
        Reports([[0, 0, 0, 1, 1, 1]], [20.0]),
        Reports([[1] * 6], [1.0]),
    ]
    main = Economy.main(3)
    first, second = Economy.without(0, 3), Economy.without(1, 3)
    everything = [(main, True), (main, False), (first, False), (second, False)]
    for planner in (TrustRegion(), TrustRegion(marginal_every=0)):
        assert planner.attempts(situation_of(planner, 0, reports), Seeds(0)) == everything
    planner = TrustRegion(marginal_every=1)
    attempts = planner.attempts(situation_of(planner, 1, reports), Seeds(3))
    assert attempts[0][0] == second
    others = [(main, True), (main, False), (second, False), (first, False)]
    assert attempts[1:] == [other for other in others if other != attempts[0]]
    planner = TrustRegion(global_every=1, marginal_every=0)
    assert planner.attempts(situation_of(planner, 0, reports), Seeds(0))[0] == (main, False)


def test_a_coin_decides_whether_marginal_economies_look_nearby():
    """Tests that it is a fair one, of the seeds alone: another coin is another auction."""
    planner = TrustRegion(marginal_every=1)
    situation = situation_of(planner)
    nearby = [planner.attempts(situation, Seeds(seed))[0][1] for seed in range(100)]
    assert 40 <= sum(nearby) <= 60
    assert nearby[:6] == [False, False, True, False, True, True]

    def thrown(number):
        seeds = SimpleNamespace(generator=lambda: SimpleNamespace(random=lambda: number))
        seeds.child = lambda *names: seeds
        return planner.attempts(situation, seeds)[0][1]

    assert [thrown(number) for number in (0.0, 0.49, 0.5, 0.51)] == [True, True, False, False]


def test_a_market_of_one_has_no_marginal_economy():
    """Tests one bidder, two, and winners that are not there."""
    planner = TrustRegion(marginal_every=1)
    one = state_of(Market.simple(1, 1), planner, [Reports([[1]], [3.0])])
    assert planner.attempts(one, Seeds(0)) == [(Economy.main(1), True), (Economy.main(1), False)]
    two = state_of(Market.simple(1, 2), planner, [Reports([[1]], [3.0]), Reports.empty(1)])
    assert planner.attempts(two, Seeds(0))[0][0] == Economy.without(0, 2)
    nobody = state_of(Market.simple(1, 2), planner, [Reports.empty(1)] * 2, rounds=1)
    main = Economy.main(2)
    assert planner.attempts(nobody, Seeds(0)) == [(main, True), (main, False)]


def test_how_often_a_round_without_news_looks():
    """Tests once without persistence, and once everywhere with it, whatever a round might have."""
    looked_at = []

    class Silent(TrustRegion):
        def ask(self, situation, fitted, economy, nearby, seeds, asked=()):
            looked_at.append((economy, nearby))
            return (), Prediction(num_solved=1)

    planner = Silent(num_per_round=3)
    situation = situation_of(planner)
    everything = planner.attempts(situation, Seeds(1))
    for persistent, expected in ((False, everything[:1]), (True, everything)):
        looked_at.clear()
        planner.propose(situation, FITTED, Seeds(1), persistent=persistent)
        assert looked_at == expected
    looked_at.clear()
    assert planner.plan(situation, FITTED, Seeds(1)).questions == ()
    assert looked_at == everything


def test_a_round_without_news_tries_other_economies():
    """
    Tests that the auction goes on where the round's own economy holds known bundles only: what
    the networks want is known, so that the economy without a winner is asked.
    """
    planner = TrustRegion(marginal_every=0, global_every=1)
    reports = [
        REPORTS[0],
        REPORTS[1].add([[1, 1, 1, 0, 0, 0]], [27.0]),
        REPORTS[2].add([[0, 0, 0, 1, 1, 1]], [27.0]),
    ]
    plan = plan_of(planner, 0, reports)
    assert plan.questions
    assert all(query.bundle not in reports[query.bidder] for query in plan.questions)


def test_design_asks_everybody_else():
    """Tests that bidders without a proposal get a small random change of their own bundle."""
    plan = plan_of(TrustRegion(distance=1, penalty=10.0, design=0.5))
    assert {query.bidder for query in plan.questions} == {0, 1, 2}
    designed = [query for query in plan.questions if query.reason.source == "design"]
    assert designed
    assert all(query.bundle.any() for query in designed)


def test_a_round_may_ask_about_several_allocations():
    """
    Tests that two allocations per round give each bidder at most two questions, none of them
    twice, and that the first allocation is the one of a round with a single one.
    """
    single = plan_of(TrustRegion(distance=2, penalty=10.0))
    planner = TrustRegion(distance=2, penalty=10.0, num_per_round=2)
    plan = plan_of(planner)
    assert planner.per_round == 2
    assert plan.questions[: len(single.questions)] == single.questions
    assert len(plan.questions) > len(single.questions)
    assert len({query.key for query in plan.questions}) == len(plan.questions)
    for bidder in range(3):
        assert sum(query.bidder == bidder for query in plan.questions) <= 2


def test_allocations_of_a_round_take_turns_like_rounds():
    """Tests that with two per round the third allocation, in round 1, leaves out a winner."""
    planner = TrustRegion(marginal_every=3, global_every=0, num_per_round=2)
    situation = situation_of(planner, rounds=1)
    assert planner.attempts(situation, Seeds(0), turn=0)[0][0] == Economy.without(0, 3)
    assert planner.attempts(situation, Seeds(0), turn=1)[0][0] == Economy.main(3)


def test_design_keeps_up_with_several_allocations():
    """Tests that everybody gets two questions where a round has two and design fills up."""
    plan = plan_of(TrustRegion(distance=1, penalty=10.0, design=0.5, num_per_round=2))
    assert len({query.key for query in plan.questions}) == len(plan.questions)
    assert [sum(q.bidder == i for q in plan.questions) for i in range(3)] == [2, 2, 2]


def test_same_seeds_same_questions():
    """Tests that nothing but situation, networks and seeds decides."""
    planner = TrustRegion()
    first, second = plan_of(planner), plan_of(planner)
    assert first.questions == second.questions


def test_settings_are_checked():
    """Tests the messages."""
    with pytest.raises(InputError, match="distance = 0"):
        TrustRegion(distance=0)
    with pytest.raises(InputError, match="num_per_round = 0"):
        TrustRegion(num_per_round=0)
    with pytest.raises(InputError, match="design = 2"):
        TrustRegion(design=2)
    with pytest.raises(InputError, match="acquisition"):
        TrustRegion(acquisition="best")
    with pytest.raises(InputError, match="global_every = -1"):
        TrustRegion(global_every=-1)
    with pytest.raises(InputError, match="marginal_every = -1"):
        TrustRegion(marginal_every=-1)
    with pytest.raises(InputError, match="penalty = 0"):
        TrustRegion(penalty=0)
    with pytest.raises(InputError, match="design = 'all'"):
        TrustRegion(design="all")
    assert TrustRegion(design=1).design == 1


def test_what_the_hybrid_was_measured_with():
    """Tests the settings behind the published tables of `hybrid`: another one is another result."""
    planner = TrustRegion()
    assert (planner.acquisition, planner.distance, planner.penalty) == ("mean", 3, 0.05)
    assert (planner.global_every, planner.marginal_every) == (4, 3)
    assert (planner.num_winners, planner.num_per_round, planner.design) == (4, 1, 0.0)
    assert (EVERYWHERE.chains, EVERYWHERE.steps) == (16, 200)
    assert (NEARBY.chains, NEARBY.steps) == (8, 60)


def all_known() -> list[Reports]:
    """Everybody has valued every bundle."""
    every = np.array(list(np.ndindex(*[2] * 6)))[1:]
    return [Reports(every, FITTED[i].mean(every)) for i in range(3)]


def test_a_round_without_any_news_says_so():
    """Tests the end of the phase, where everything was asked about."""
    plan = plan_of(TrustRegion(), reports=all_known())
    assert plan.questions == ()
    assert plan.over == "the best allocations hold no bundle that was not asked about"
    assert plan_of(TrustRegion()).prediction is not None


def test_a_single_attempt_ends_with_its_own_economy():
    """Tests that other economies are looked at only where that is wanted."""
    planner = TrustRegion(marginal_every=0, global_every=1)
    reports = [
        REPORTS[0],
        REPORTS[1].add([[1, 1, 1, 0, 0, 0]], [27.0]),
        REPORTS[2].add([[0, 0, 0, 1, 1, 1]], [27.0]),
    ]
    situation = situation_of(planner, 0, reports)
    assert planner.propose(situation, FITTED, Seeds(1), persistent=False)[0] == ()
    assert planner.propose(situation, FITTED, Seeds(1))[0]


def test_nothing_is_asked_where_every_allocation_is_excluded():
    """Tests a bidder that may get neither something nor nothing, since both are being asked."""
    market = Market.simple(1, 1)
    planner = TrustRegion(global_every=1)
    situation = state_of(market, planner, [Reports([[1]], [3.0])])
    asked = [Query(0, np.array([count]), Reason("main")) for count in (0, 1)]
    queries, prediction = planner.ask(
        situation, fitted_to([additive([2])]), Economy.main(1), False, Seeds(0), asked
    )
    assert queries == ()
    assert prediction.num_solved == 1
    assert prediction.welfare is None


def test_without_a_design_nobody_else_is_asked():
    """Tests winners whose bundles are wanted and not yet valued: they are no change of anything."""
    planner = TrustRegion()
    demands = [Demands([[1.0] * 6], [[1, 1, 0, 0, 0, 0]]), *[Demands.empty(6)] * 2]
    situation = state_of(MARKET, planner, [Reports.empty(6)] * 3, demands)
    assert planner.designed(situation, (), 0, Seeds(1)) == ()


def test_each_turn_has_its_own_changes():
    """Tests that the first turn uses the streams of the round, and the second others."""
    planner = TrustRegion(distance=1, penalty=10.0, design=0.5, num_per_round=2)
    reports = all_known()
    few = [Reports(r.bundles[-1:], r.values[-1:]) for r in reports]
    situation = situation_of(planner, 0, few)

    def changes(turn):
        queries, _ = planner.propose(situation, FITTED, Seeds(1), turn, persistent=False)
        return {q.bidder: q.bundle.tolist() for q in queries if q.reason.source == "design"}

    own = planner.designed(situation, (), 0, Seeds(1))
    expected = {query.bidder: query.bundle.tolist() for query in own}
    assert changes(0).items() <= expected.items()
    assert changes(0)
    assert changes(0) != changes(1)


def test_changes_are_by_one_copy_and_within_limits():
    """Tests a fifth of the goods: each one copy more or fewer."""
    market = Market.simple(40, 1, [4] * 40)
    planner = TrustRegion(design=0.2)
    start = np.full(40, 2)
    situation = state_of(market, planner, [Reports([start], [1.0])])
    steps = []
    for seed in range(40):
        for query in planner.designed(situation, (), 0, Seeds(seed)):
            steps.append(query.bundle - start)
    steps = np.array(steps)
    assert len(steps) == 40
    assert set(np.unique(steps)) == {-1, 0, 1}
    assert 0.17 < np.abs(steps).mean() < 0.23
    assert 0.4 < (steps == 1).sum() / np.abs(steps).sum() < 0.6


def designed_for(seeds, market, reports, incumbent=None):
    """Random changes of all goods of a market with one bidder."""
    planner = TrustRegion(design=1)
    situation = state_of(market, planner, [reports])
    if incumbent is not None:
        winners = Winners(np.array(incumbent), np.array([1.0]), 1.0)
        situation.__dict__["_winners"] = {Economy.main(1): winners}
    return planner.designed(situation, (), 0, seeds)


def test_changes_that_cannot_be_asked_about_are_left_out():
    """Tests one copy more of two: known, being asked about, beyond limits; and one fewer of one."""
    planner = TrustRegion(design=1)
    market = Market.simple(1, 1, [2])
    limited = Market((Good("a", 2),), (Bidder("x", limits=(Limit((1.0,), 1.0),)),))
    start = Reports([[1]], [1.0])
    up, down = (
        next(s for s in map(Seeds, range(20)) if bool(designed_for(s, market, start)) == is_up)
        for is_up in (True, False)
    )

    assert [query.bundle.tolist() for query in designed_for(up, market, start)] == [[2]]
    assert designed_for(down, market, start) == ()  # nothing is no bundle
    assert designed_for(up, market, Reports([[1], [2]], [1.0, 1.0]), [[1]]) == ()
    asked = [Query(0, np.array([2]), Reason("main"))]
    situation = state_of(market, planner, [start])
    assert planner.designed(situation, asked, 1, up) == ()
    assert designed_for(up, limited, start) == ()


def test_questions_say_where_they_come_from():
    """Tests each kind of search, and that nothing is displaced by it."""
    planner = TrustRegion()
    situation = situation_of(planner)
    for economy, nearby, source in (
        (Economy.main(3), True, "nearby"),
        (Economy.main(3), False, "main"),
        (Economy.without(0, 3), True, "nearby"),
        (Economy.without(0, 3), False, "marginal"),
    ):
        queries, prediction = planner.ask(situation, FITTED, economy, nearby, Seeds(1))
        assert {query.reason.source for query in queries} == {source}
        assert not any(query.reason.displaced for query in queries)
        assert prediction.num_solved == 1


def test_questions_of_those_who_take_no_part_exclude_nothing():
    """Tests a second allocation of a round, in the economy without somebody who was asked."""
    planner = TrustRegion()
    asked = [Query(0, np.array([1, 0, 0, 0, 0, 0]), Reason("main"))]
    economy = Economy.without(0, 3)
    queries, _ = planner.ask(situation_of(planner), FITTED, economy, False, Seeds(1), asked)
    again, _ = planner.ask(situation_of(planner), FITTED, economy, False, Seeds(1))
    assert queries == again


def test_those_nobody_learned_about_get_a_random_question():
    """Tests a bidder without a network: one bundle, unless it is being asked about it already."""
    planner = TrustRegion()
    some = {i: FITTED[i] for i in (0, 1)}
    main = Economy.main(3)
    queries, _ = planner.ask(situation_of(planner), some, main, False, Seeds(1))
    own = [query for query in queries if query.bidder == 2]
    assert [query.reason.source for query in own] == ["random"]
    again, _ = planner.ask(situation_of(planner), some, main, False, Seeds(1), own)
    assert [query for query in again if query.bidder == 2] == []

    # What it wanted and has not valued is no news of a network that it does not have.
    wanted = [*[Demands.empty(6)] * 2, Demands([[1.0] * 6], [[1, 1, 0, 0, 0, 0]])]
    situation = state_of(MARKET, planner, [Reports.empty(6)] * 3, wanted)
    worthless = fitted_to([additive([0] * 6)] * 2)
    queries, _ = planner.ask(situation, worthless, main, True, Seeds(1))
    assert [query.reason.source for query in queries if query.bidder == 2] == ["random"]


def test_searches_nearby_are_short_and_all_start_at_the_incumbent(monkeypatch):
    """Tests effort, starts and seeds of both kinds of search."""
    searches = []
    monkeypatch.setattr(
        trust_region, "improve_welfare", lambda problem, *arguments: searches.append(arguments)
    )
    planner = TrustRegion()
    situation = situation_of(planner)
    functions = planner.functions(situation, FITTED)
    for seed in range(8):
        for nearby in (True, False):
            planner.improve(situation, functions, Economy.main(3), nearby, Seeds(seed))
    for (starts, effort, _), nearby in zip(searches, [True, False] * 8, strict=True):
        assert effort == (NEARBY if nearby else EVERYWHERE)
        assert len(starts) == (8 if nearby else 1)
        assert all(np.array_equal(start, [[1] * 6, [0] * 6, [0] * 6]) for start in starts)
    seeds = [seed for _, _, seed in searches]
    assert len(set(seeds)) == 16
    assert 2**30 <= max(seeds) < 2**31


def test_distance_costs_a_share_of_the_largest_value():
    """
    Tests bidder 1, who has 6 goods and a scale of 12, and bidder 2, who values each at 4 more, with
    a scale of 8: beyond a distance of 2, twice 1 for a marginal economy, a good costs both scales.
    """
    reports = [Reports.empty(6), Reports([[1] * 6], [12.0]), Reports([[1] * 6], [8.0])]
    fitted = fitted_to([additive([0] * 6), additive([1] * 6), additive([5] * 6)])
    for distance, most in ((1, 2), (2, 4)):
        for penalty, moved in ((0.19, 6), (0.21, most)):  # 0.19 * 20 < 4 < 0.21 * 20
            planner = TrustRegion(distance=distance, penalty=penalty)
            situation = situation_of(planner, 0, reports)
            functions = planner.functions(situation, fitted)
            economy = Economy.without(0, 3)
            result = planner.improve(situation, functions, economy, True, Seeds(1))
            assert result.allocation.bundles[2].sum() == moved


def test_marginal_economies_allow_twice_the_distance():
    """Tests a search nearby without a winner: its goods have to go somewhere."""
    planner = TrustRegion(distance=1, penalty=100.0)
    situation = situation_of(planner)
    functions = planner.functions(situation, FITTED)
    for economy, most in ((Economy.main(3), 1), (Economy.without(0, 3), 2)):
        incumbent = situation.winners(economy).bundles
        result = planner.improve(situation, functions, economy, True, Seeds(1))
        moved = np.abs(result.allocation.bundles - incumbent).sum(axis=1)
        assert moved.max() == most


def test_the_scale_is_the_largest_value_known_of():
    """Tests reports and what was spent on a choice, whichever is larger."""
    demands = [Demands([[1.0] * 6, [4.0] * 6], [[1] * 6, [1, 1, 0, 0, 0, 0]])] * 3
    reports = [Reports([[1] * 6], [9.0]), Reports([[1] * 6], [5.0]), Reports.empty(6)]
    situation = state_of(MARKET, TrustRegion(), reports, demands)
    assert [scale_of(situation, i) for i in range(3)] == [9, 8, 8]
    nothing = situation_of(TrustRegion(), 0, [Reports.empty(6)] * 3)
    assert scale_of(nothing, 0) == 0


def test_without_rounds_of_that_kind_there_are_none():
    """Tests 0 for both kinds, and how often each is the turn's own otherwise."""
    for planner, nearby, marginal in (
        (TrustRegion(global_every=0, marginal_every=0), 12, 0),
        (TrustRegion(global_every=4, marginal_every=0), 9, 0),
        (TrustRegion(global_every=0, marginal_every=3), 8, 4),
    ):
        firsts = [
            planner.attempts(situation_of(planner, rounds), Seeds(0))[0] for rounds in range(12)
        ]
        assert sum(len(economy.bidders) == 2 for economy, _ in firsts) == marginal
        whole = [near for economy, near in firsts if len(economy.bidders) == 3]
        assert sum(whole) == nearby


def test_units_that_are_not_needed_are_left_out_of_the_incumbent():
    """Tests an award whose offers overlap: the later supplier's unit is not needed."""
    market = Market((Good("a"), Good("b")), (Bidder("A"), Bidder("B")), sense="buy")
    planner = TrustRegion()
    offers = [Reports([[1, 1]], [5.0]), Reports([[1, 1]], [9.0])]
    state, sale = (state_of(one, planner, offers) for one in (market, Market.simple(2, 2)))
    overlap = Winners(np.array([[1, 0], [1, 1]]), np.array([1.0, 1.0]), -2.0)
    state.__dict__["_winners"] = {Economy.main(2): overlap}

    assert planner.incumbent(state, Economy.main(2)).tolist() == [[1, 0], [0, 1]]
    assert planner.incumbent(sale, Economy.main(2)) is sale.winners(Economy.main(2)).bundles
