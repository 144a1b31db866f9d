"""The real child: what the engine decides survives the server's own sums."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from live_play import BUNDLES, MARKET, Play, market_text, read

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.engine_results import OutcomeResult
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import former_conduct
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer
from boca.live.work import child
from boca.live.work.process import Child
from boca.live.work.requests import check_request, job_request
from boca.live.work.results import (
    Rubbish,
    read_mechanisms,
    read_outcome,
    read_plan,
    read_preview,
    read_result,
)
from boca.mechanism import PRESETS

pytest.importorskip("pyscipopt")  # live outcomes are confirmed by a second solver

NAMES = ("hall", "kitchen", "chairs")


def answered(seed, most=60, least=1, **keys):
    """An auction that is being decided, with random pushes of two bidders."""
    generator = np.random.default_rng(seed)
    play = Play(push_bids=20, typo_factor=1000000, **keys)
    play.open()
    for bidder in (0, 1):
        rows = generator.permutation(len(BUNDLES) - 2)[: generator.integers(1, 9)] + 2
        pushes = tuple(
            BundleValue(
                {name: n for name, n in zip(NAMES, BUNDLES[row], strict=True) if n},
                f"{generator.integers(least, most)}.0{generator.integers(0, 3)}",
            )
            for row in rows
        )
        play.submit(Submission(pushes=pushes), bidder)
    play.do(cmd.Stop("enough"))
    play.clock.turn(hours=2)
    play.do(cmd.CloseRound(0), "server")
    play.do(cmd.Close())
    return play


def outcome_of(play) -> OutcomeResult:
    """What the engine says, through JSON as between the two processes."""
    result = {**child.decide(job_request(play.state)), "seconds": 0.0}
    return read_result(json.dumps(result).encode(), read_outcome)


def best(play, absent=None):
    """The largest surplus of the reports, by trying every allocation."""
    rules, market = play.state.setup
    reserve = rules.reserve_units(market)
    choices = [
        [(0, (0, 0, 0))]
        + [
            (report.units - sum(n * r for n, r in zip(bundle, reserve, strict=True)), bundle)
            for bundle, report in book.reports.items()
            if i != absent
        ]
        for i, book in enumerate(play.state.books)
    ]
    return max(
        sum(surplus for surplus, _ in rows)
        for rows in product(*choices)
        if (np.sum([b for _, b in rows], axis=0) <= market.capacities).all()
    )


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("base", [1, 9_999_999_000])
def test_vcg_outcomes_are_exact(seed, base):
    """Tests welfare and every payment in whole units against brute force, with reserve prices."""
    reserve = {"hall": "3.00"} if seed % 2 else {}
    keys = {"reserve": reserve, "max_value": "10000000000.00"}
    play = answered(seed, most=base + 60, least=base, **keys)
    play.do(cmd.TakeOutcome(outcome_of(play)), "server")
    outcome, rules, market = play.state.outcome, *play.state.setup
    prices = rules.reserve_units(market)
    surplus = {}
    for i, bundle in enumerate(outcome.allocation):
        if any(bundle):
            cost = sum(n * r for n, r in zip(bundle, prices, strict=True))
            surplus[i] = (play.state.books[i].reports[bundle].units - cost, cost)
    assert sum(s for s, _ in surplus.values()) == best(play)
    for i, payment in enumerate(outcome.payments):
        if i not in surplus:
            assert payment == 0
            continue
        own, cost = surplus[i]
        assert payment == best(play, absent=i) - (best(play) - own) + cost
        result = play.state.results[i]
        assert result.payment == result.others_without - result.others_with + result.reserve
    assert outcome.verified_by == "scip"


@pytest.mark.parametrize("seed", range(8))
def test_core_payments_are_whole_units_between_vcg_and_bid(seed):
    """Tests that rounding up to the unit leaves nobody above its bid."""
    play = answered(seed, payment_rule="core")
    play.do(cmd.TakeOutcome(outcome_of(play)), "server")
    for i, result in play.state.results.items():
        assert isinstance(play.state.outcome.payments[i], int)
        assert result.payment <= result.units
        if any(result.bundle):
            assert result.payment >= result.vcg_payment


def test_values_that_differ_by_one_unit_are_told_apart():
    """Tests the largest value that rules can allow against one unit less, for the same bundle."""
    for winner in (0, 1):
        play = Play(push_bids=2, typo_factor=1000000, max_value="10000000000.00")
        play.open()
        values = ("10000000000.00", "9999999999.99")
        for bidder in (0, 1):
            push = BundleValue({"hall": 1}, values[bidder != winner])
            play.submit(Submission(pushes=(push,)), bidder)
        play.do(cmd.Stop("enough"))
        play.clock.turn(hours=2)
        play.do(cmd.CloseRound(0), "server")
        play.do(cmd.Close())
        play.do(cmd.TakeOutcome(outcome_of(play)), "server")
        assert any(play.state.outcome.allocation[winner])
        assert play.state.outcome.payments[winner] == 10**12 - 1


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, payments=(r.payments[0] + 1, r.payments[1] + 1)),
        lambda r: replace(r, payments=(float("nan"), 0.0)),
        lambda r: replace(r, payments=r.payments[:1]),
        lambda r: replace(r, allocation=((1, 1, 3), (1, 1, 3))),
        lambda r: replace(r, allocation=((1, 1), (0, 0))),
        lambda r: replace(r, allocation=r.allocation[:1]),
        lambda r: replace(r, without={}),
        lambda r: replace(r, without=dict.fromkeys(r.without, r.allocation)),
        lambda r: replace(r, verified_by=None),
        lambda r: replace(r, rule="core"),
    ],
)
def test_changed_outcome_is_refused(change):
    """Tests that the server does the sums again."""
    play = answered(3)
    good = outcome_of(play)
    with pytest.raises(Refusal):
        play.do(cmd.TakeOutcome(change(good)), "server")
    play.do(cmd.TakeOutcome(good), "server")


def test_rehearsal_may_do_without_a_second_solver():
    """Tests the one place where an unverified outcome counts."""
    play = answered(3, is_rehearsal=True)
    play.do(cmd.TakeOutcome(replace(outcome_of(play), verified_by=None)), "server")
    assert play.state.phase == "decided"


@pytest.mark.parametrize("mechanism", ["boca", "mvnn", "nn", "svr", "random", "local"])
def test_every_mechanism_of_the_rules_asks_for_values(mechanism):
    """Tests that the engine knows each name, and that none announces prices at first."""
    play = Play(mechanism=mechanism)
    play.start()
    child.check(job_request(play.state))
    result = {**child.plan(job_request(play.state)), "seconds": 0.0}
    plan = read_result(json.dumps(result).encode(), read_plan)
    assert plan.queries
    assert all(query.prices is None for query in plan.queries)


def test_mechanisms_tell_what_people_meet():
    """Tests that nothing has to be known about a mechanism but what it tells."""
    told = read_result(json.dumps(child.mechanisms({})).encode(), read_mechanisms)

    # Who wins in a clock auction is asked for a hundred bundles at once; others are of experiments.
    published = {"boca-2023", "mvnn-2022", "nn-2020", "fourier-2021", "random-2023"}
    assert set(PRESETS) - set(told) == {"cca", *published}
    for name, conduct in told.items():
        assert conduct == former_conduct(name), name


@pytest.mark.parametrize("mechanism", ["random", "svr"])
def test_planning_goes_on_from_its_own_steps(mechanism):
    """Tests three rounds whose steps went through the log, and the end of the budget."""
    play = Play(mechanism=mechanism, close_early=True, typo_factor=1000)
    play.start()
    for _ in range(3):
        result = {**child.plan(job_request(play.state)), "seconds": 0.0}
        plan = read_result(json.dumps(result).encode(), read_plan)
        assert not any("economy" in query.reason for query in plan.queries)
        play.do(cmd.TakePlan(play.state.plan_from, plan), "server")
        for bidder in (0, 1):
            answers = {
                q.query.id.replace("-", "_"): 10 * sum(q.query.bundle) + bidder
                for q in play.state.books[bidder].open
            }
            play.answer(bidder, **answers)
    assert play.state.num_asked == (4, 4)
    last = {**child.plan(job_request(play.state)), "seconds": 0.0}
    stop = read_result(json.dumps(last).encode(), read_plan)
    assert "budget" in stop.stop
    play.do(cmd.TakePlan(play.state.plan_from, stop), "server")
    assert play.state.phase == "stopped"


def test_declined_and_pushed_bundles_are_not_asked():
    """Tests that the engine knows what was refused and what was said unasked."""
    play = Play(close_early=True, num_initial=4, num_total=13)
    play.start()
    known = set()
    for _ in range(3):
        result = {**child.plan(job_request(play.state)), "seconds": 0.0}
        plan = read_result(json.dumps(result).encode(), read_plan)
        play.do(cmd.TakePlan(play.state.plan_from, plan), "server")
        asked = {q.query.bundle for q in play.state.books[0].open}
        assert not asked & known
        known |= asked
        play.submit(Submission(declines=tuple(q.query.id for q in play.state.books[0].open)))
        play.submit(Submission(declines=tuple(q.query.id for q in play.state.books[1].open)), 1)


def test_preview_by_a_real_process():
    """Tests the page for new auctions: the engine looks at the rules in its own process."""
    ended = Child("check", check_request(*read(market_text(num_total=5)))).run(120)
    assert ended.code == 0, ended.message
    preview = read_result(ended.output, read_preview)
    assert (preview.name, preview.num_goods, preview.num_bidders) == ("village hall", 3, 2)
    assert preview.second_solver == "scip"


def test_what_the_engine_cannot_use_is_one_sentence():
    """Tests that a child ends with a sentence, not with a traceback."""
    request = check_request(*read(market_text()))
    request["rules"]["mechanism"] = "nosuch"
    ended = Child("check", request).run(120)
    assert ended.code == 2
    assert "nosuch" in ended.message
    assert "Traceback" not in ended.message
    with pytest.raises(InputError):
        child.check(request)


@pytest.mark.parametrize(
    "output", [b"", b"[]", b"{}", b"NaN", b'{"queries": 5}', b"\xff", b"[" * 9999]
)
def test_rubbish_is_told_apart(output):
    """Tests what no reader of results may trip over."""
    with pytest.raises(Rubbish):
        read_result(output, read_plan)


START = dict.fromkeys(NAMES, "0.30")


@pytest.mark.parametrize(
    ("mechanism", "keys"),
    [
        ("hybrid", {"num_total": 9}),
        ("hybrid", {"num_total": 5, "unit": "1", "max_value": "1000"}),
        ("ml-cca", {"num_total": 4, "start_prices": START}),
        ("mlhca", {"num_total": 8, "start_prices": START}),
    ],
)
def test_auction_that_announces_prices_comes_to_an_outcome(mechanism, keys):
    """Tests the real engine: bundles at prices until the budget is used, then exact payments."""
    play = Play(mechanism=mechanism, close_early=True, typo_factor=1000000, **keys)
    play.start()
    values = ((7, 3, 2), (5, 4, 3))
    decimals = play.state.rules.money.decimals
    types, announced = [], []
    while play.state.phase == "planning":
        result = {**child.plan(job_request(play.state)), "seconds": 0.0}
        plan = read_result(json.dumps(result).encode(), read_plan)
        play.do(cmd.TakePlan(play.state.plan_from, plan), "server")
        for bidder, euros in enumerate(values):
            worth = [value * 10**decimals for value in euros]
            answers, demands = [], []
            for asked in play.state.books[bidder].open:
                types.append(asked.query.type)
                if asked.query.type == "value":
                    value = sum(n * v for n, v in zip(asked.query.bundle, euros, strict=True))
                    answers.append(ValueAnswer(asked.query.id, str(value)))
                    continue
                announced.append(asked.query.prices)
                copies = (1, 1, 3)
                wanted = {
                    name: n
                    for name, n, v, p in zip(NAMES, copies, worth, asked.query.prices, strict=True)
                    if v > p
                }
                demands.append(DemandAnswer(asked.query.id, wanted))
            if answers or demands:
                play.submit(Submission(tuple(answers), demands=tuple(demands)), bidder)
    assert "demand" in types
    assert ("value" in types) == (mechanism != "ml-cca")
    # What truthful bidders want never contradicts what they said.
    assert not any(t.event.warnings for book in play.state.books for t in book.submissions)
    assert min(map(min, announced)) > 0
    assert play.state.phase == "stopped"
    play.do(cmd.Close())
    play.do(cmd.TakeOutcome(outcome_of(play)), "server")
    assert play.state.phase == "decided"
    for result in play.state.results.values():
        assert result.units == play.state.bids(result.bidder).get(result.bundle, 0)


def test_clock_goes_on_where_nobody_answers():
    """Tests that a round in which everybody declines is followed by the same prices."""
    play = Play(mechanism="ml-cca", start_prices=START, num_total=15, close_early=True)
    play.start()
    for number in range(2):
        result = {**child.plan(job_request(play.state)), "seconds": 0.0}
        plan = read_result(json.dumps(result).encode(), read_plan)
        assert [query.prices for query in plan.queries] == [(30, 30, 30)] * 2
        play.do(cmd.TakePlan(play.state.plan_from, plan), "server")
        for bidder in (0, 1):
            play.submit(Submission(declines=(f"r{number}-b{bidder + 1}-q1",)), bidder)


def test_first_questions_end_at_what_a_bidder_can_hold(monkeypatch):
    """
    Tests a bidder whose limits forbid the full bundle: it is asked about a largest one that it can
    have, can answer and correct that, and is asked about nothing beyond.
    """
    limited = MARKET.replace('name = "Ann"', 'name = "Ann"\nat_most = 2')
    monkeypatch.setattr("live_play.MARKET", limited)
    play = Play(num_initial=3)
    play.start()
    result = {**child.plan(job_request(play.state)), "seconds": 0.0}
    plan = read_result(json.dumps(result).encode(), read_plan)
    play.do(cmd.TakePlan(play.state.plan_from, plan), "server")
    sizes = {i: sum(q.query.bundle) for i, q in play.state.books[0].queries.items()}
    assert max(sizes.values()) == 2
    largest = next(i for i, size in sizes.items() if size == 2)
    bundle = play.state.books[0].queries[largest].query.bundle
    play.answer(0, **{largest.replace("-", "_"): 9})
    assert play.state.books[0].reports[bundle].units == 900
    names = dict(zip(("hall", "kitchen", "chairs"), bundle, strict=True))
    correction = BundleValue({good: n for good, n in names.items() if n}, "8.00")
    play.submit(Submission(corrections=(correction,)))
    assert play.state.books[0].reports[bundle].units == 800


def test_a_plan_names_answers_that_contradict_each_other():
    """Tests a bidder who wants A at (4, 1) and B at (1, 4)."""
    play = Play(mechanism="hybrid", num_initial=1, num_total=8)
    play.open()
    request = job_request(play.state)
    request["reports"][0] = [[[1, 1, 0], 1000], [[1, 1, 3], 1000]]
    request["num_asked"] = [1, 1]
    request["steps"] = []
    for demands, num in (([], 0), ([[[400, 100, 0], [1, 0, 0]], [[100, 400, 0], [0, 1, 0]]], 1)):
        request["demands"][0] = demands
        step = json.loads(json.dumps(child.plan(request)["step"]))
        assert len(step["contradictions"]) == num
    (found,) = step["contradictions"]
    assert found["bidder"] == 0
    # The two choices contradict each other, whatever the bundles are worth.
    assert len(found["demands"]) == 2
    assert (step["record"] or {}).get("welfare_bound") is None


@pytest.mark.parametrize("mechanism", ["random", "hybrid"])
def test_a_whole_auction_with_ranges(mechanism):
    """Tests that the engine asks to narrow ranges in the end, once each, until nothing is open."""
    play = Play(mechanism=mechanism, num_initial=3, num_per_round=1, num_total=8, ranges=True)
    play.start()
    worth, narrowed = {0: (60, 35, 12), 1: (55, 40, 10)}, 0
    while True:
        plan = {**child.plan(job_request(play.state)), "seconds": 0.0}
        play.do(
            cmd.TakePlan(play.state.plan_from, read_result(json.dumps(plan).encode(), read_plan)),
            "server",
        )
        if play.state.phase == "stopped":
            break
        for bidder, book in enumerate(play.state.books):
            answers, demands = [], []
            for asked in book.open:
                query = asked.query
                if query.prices is not None:
                    gains = [a - b / 100 for a, b in zip(worth[bidder], query.prices, strict=True)]
                    most = zip(NAMES, gains, (1, 1, 3), strict=True)
                    wanted = {name: n for name, gain, n in most if gain > 0}
                    demands.append(DemandAnswer(query.id, wanted))
                    continue
                value = sum(n * w for n, w in zip(query.bundle, worth[bidder], strict=True))
                narrowed += asked.within is not None
                text = f"{value}" if asked.within else f"{value - 5}-{value + 5}"
                answers.append(ValueAnswer(query.id, text))
            if answers or demands:
                play.submit(Submission(tuple(answers), demands=tuple(demands)), bidder)
        play.clock.turn(hours=2)
        play.do(cmd.CloseRound(play.state.round), "server")
    assert narrowed
    play.do(cmd.Close())
    play.do(cmd.TakeOutcome(outcome_of(play)), "server")
    assert play.state.phase == "decided"
