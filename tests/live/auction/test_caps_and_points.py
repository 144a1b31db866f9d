"""Spending caps and the activity rule: what is read, what is refused, what counts."""

from dataclasses import replace

import numpy as np
import pytest
from live_play import MARKET, MECHANISMS, Play, market_text, plan_result, read

from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.activity import eligibility
from boca.live.auction.audience import Viewer, seen_by
from boca.live.auction.choices import PricedChoice, proven_bids
from boca.live.auction.engine_results import PlannedQuery
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules, read_auction
from boca.live.auction.state import RoundSummary
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer, check
from boca.live.auction.views import bidder_view, progress
from boca.live.clock import to_text

POINTS = {"hall": 3, "kitchen": 2, "chairs": 1}
PRICES = (500, 200, 100)


def capped(cap="6.00", **keys):
    """An open round with prices and a question about the hall; Ann has a cap."""
    play = Play(
        **{"mechanism": "hybrid", "num_total": 8, "spending_caps": {"Ann": cap}, **keys},
    )
    play.start()
    announce(play, PRICES, (1, 0, 0))
    return play


def with_points(**keys):
    """An open round with prices; all goods together have 8 points."""
    play = Play(**{"mechanism": "hybrid", "num_total": 8, "points": POINTS, **keys})
    play.start()
    announce(play, PRICES)
    return play


def announce(play, *what):
    """Both bidders are asked at prices, or about bundles; prices first."""
    prices = [PlannedQuery(b, (), {"source": "clock"}, what[0]) for b in (0, 1)]
    values = [PlannedQuery(b, bundle, {}) for b in (0, 1) for bundle in what[1:]]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(prices + values)), "server")


def next_prices(play, *what):
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(play.state.round), "server")
    announce(play, *(what or (PRICES,)))


def wants(play, bidder=0, number=None, **copies):
    """What is wanted at the prices of a round, the open one unless given."""
    number = play.state.round if number is None else number
    query = f"r{number}-b{bidder + 1}-q1"
    play.submit(Submission(demands=(DemandAnswer(query, copies),)), bidder)


def mistake(play, submission=None, bidder=0, **copies):
    """What is wrong with a submission, or with a choice."""
    query = f"r{play.state.round}-b{bidder + 1}-q1"
    wanted = submission or Submission(demands=(DemandAnswer(query, copies),))
    with pytest.raises(Refusal) as refusal:
        play.submit(wanted, bidder)
    found = refusal.value.mistakes[0]
    return f"found {found.found}; expected {found.expected}"


def own_view(play, bidder=0):
    return bidder_view(seen_by(play.state, Viewer("bidder", bidder)), bidder, play.clock.now())


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"spending_caps": {"Eve": "5.00"}}, "'Eve', which is not a bidder"),
        ({"spending_caps": {"An": "5.00"}}, "did you mean 'Ann'"),
        ({"spending_caps": {"Ann": "0"}}, "expected more than 0 and at most max_value"),
        ({"spending_caps": {"Ann": "2000000"}}, "which is 1000000.00"),
        ({"spending_caps": {"Ann": "5.001"}}, "spending_caps"),
        ({"spending_caps": {"Ann": 5}}, "Ann"),
        ({"spending_caps": "5.00"}, 'such as { Ann = "500.00" }'),
        ({"points": POINTS}, "'random' announces no prices"),
        ({"mechanism": "hybrid", "points": {"hall": 1}}, "no points of 'kitchen'"),
        ({"mechanism": "hybrid", "points": {**POINTS, "hal": 1}}, "did you mean 'hall'"),
        ({"mechanism": "hybrid", "points": {**POINTS, "hall": -1}}, "hall"),
        ({"mechanism": "hybrid", "points": {**POINTS, "hall": 1.5}}, "hall"),
        ({"mechanism": "hybrid", "points": {**POINTS, "hall": 1_000_001}}, "at most 1,000,000"),
        ({"mechanism": "hybrid", "points": dict.fromkeys(POINTS, 0)}, "0 for every good"),
        ({"eligibility": {"Ann": 3}}, "expected points of goods too"),
        ({"mechanism": "hybrid", "points": POINTS, "eligibility": {"Ann": 9}}, "at most 8"),
        ({"mechanism": "hybrid", "points": POINTS, "eligibility": {"Ann": -1}}, "Ann"),
        ({"mechanism": "hybrid", "points": POINTS, "eligibility": {"Eve": 1}}, "not a bidder"),
    ],
)
def test_mistakes_name_the_key(keys, message):
    """Tests what a market file can have wrong about both rules."""
    with pytest.raises(InputError) as error:
        read(market_text(**keys))
    assert message in str(error.value)


@pytest.mark.parametrize("rule", ['spending_caps = { Ann = "5.00" }', "points = { hall = 1 }"])
def test_both_rules_are_for_sales(rule):
    """Tests a purchase, in which nobody who answers pays, and an exchange."""
    auction = f'[auction]\nmechanism = "hybrid"\n{rule}\n'
    lot = '[[lots]]\nname = "hall"\nneeded = 1\nat_most = 5\n[[suppliers]]\nname = "Ann"\n'
    held = '[[goods]]\nname = "hall"\n[[participants]]\nname = "Ann"\nendowment = { hall = 1 }\n'
    for text in (lot, held):
        with pytest.raises(InputError, match="are for sales alone"):
            read_auction(text + auction, MECHANISMS)


def test_rules_come_back_from_the_log_and_say_nothing_where_there_are_none():
    """Tests that logs of auctions without these rules are what they were."""
    keys = {"mechanism": "hybrid", "points": POINTS, "eligibility": {"Ben": 5}}
    rules, _ = read(market_text(spending_caps={"Ann": "5.00"}, **keys))
    assert Rules.from_dict(rules.to_dict()) == rules
    plain, _ = read(MARKET)
    assert not {"spending_caps", "points", "eligibility"} & plain.to_dict().keys()


@pytest.mark.parametrize(
    "submission",
    [
        Submission((ValueAnswer("r0-b1-q2", "6.01"),)),
        Submission((ValueAnswer("r0-b1-q2", "5.00 to 6.01"),)),
        Submission(pushes=(BundleValue({"kitchen": 1}, "6.01"),)),
        Submission(demands=(DemandAnswer("r0-b1-q1", {"hall": 1, "chairs": 2}),)),
    ],
    ids=["value", "range", "own bid", "choice"],
)
def test_nothing_beyond_a_spending_cap_is_taken(submission):
    """Tests every kind of answer, and that another bidder may say the same."""
    play = capped(ranges=True)
    assert "expected at most 6.00 EUR, your spending cap" in mistake(play, submission)
    others = Submission((ValueAnswer("r0-b2-q2", "6.01"),))
    play.submit(others, 1)


@pytest.mark.parametrize("channel", ["page", "sheet", "api", "operator"])
def test_a_cap_holds_on_every_way_in(channel):
    """Tests typed, uploaded and sent values, and entry on behalf."""
    play = capped()
    submission = Submission((ValueAnswer("r0-b1-q2", "6.01"),))
    command = cmd.Submit(0, submission, to_text(play.clock.now()), channel, "by phone")
    with pytest.raises(Refusal, match="your spending cap"):
        play.do(command)


def test_a_correction_keeps_to_the_cap():
    """Tests that exactly the cap can be bid, and not a unit more."""
    play = capped()
    play.answer(r0_b1_q2="6.00")
    correction = Submission(corrections=(BundleValue({"hall": 1}, "6.01"),))
    assert "your spending cap" in mistake(play, correction)
    assert play.state.bids(0) == {(1, 0, 0): 600}


def test_what_choices_prove_ends_at_the_cap():
    """Tests that nobody pays more than its cap for what it only chose."""
    play = capped()
    play.answer(r0_b1_q2="5.80")
    wants(play, kitchen=1, chairs=3)  # 5.00, and at least what the hall would have left, 0.80
    assert play.state.bids(0)[(0, 1, 3)] == 580
    next_prices(play, (100, 200, 100))
    wants(play, kitchen=1, chairs=3)  # now the hall would have left 4.80
    assert play.state.bids(0)[(0, 1, 3)] == 600


def test_who_bids_its_cap_may_want_more_than_it_says():
    """Tests that a value at the cap is not taken for what the bundle is worth at most."""
    play = capped(cap="9.00")
    play.answer(r0_b1_q2="9.00")
    next_prices(play, (500, 100, 10), (0, 1, 0))
    play.answer(r1_b1_q2="8.50")
    # The kitchen leaves 7.50; the hall would leave 4.00 if it were worth no more than the cap.
    hall = Submission(demands=(DemandAnswer("r1-b1-q1", {"hall": 1}),))
    assert check(play.state, 0, hall, "page").warnings == ()


def test_eligibility_by_hand():
    """Tests the rule itself: first, last round with prices, its largest choice, no answer."""
    points = (3, 2, 1)
    assert eligibility(points, 8, [], 4) == 8
    assert eligibility(points, 8, [(4, (0, 0, 1))], 4) == 8  # this round does not count
    assert eligibility(points, 8, [(0, (1, 1, 0)), (2, (0, 1, 0))], 4) == 2
    assert eligibility(points, 8, [(2, (0, 0, 1)), (2, (0, 1, 1)), (2, None)], 4) == 3
    assert eligibility(points, 8, [(0, (1, 1, 0)), (2, None)], 4) == 0
    assert eligibility(points, 8, [(0, (0, 0, 0))], 1) == 0


def test_whoever_chooses_less_cannot_choose_more_later():
    """Tests three rounds with prices, one of them without a question of this kind in between."""
    play = with_points()
    wants(play, hall=1, kitchen=1, chairs=3)
    next_prices(play)
    wants(play, hall=1, chairs=1)
    assert play.state.eligibility(0, 1) == 8
    next_prices(play)
    assert play.state.eligibility(0, 2) == 4
    said = mistake(play, hall=1, kitchen=1)
    assert said == "found a bundle with 5 points; expected at most 4 points, your eligibility"
    wants(play, hall=1, chairs=1)
    assert play.state.eligibility(0, 3) == 4


def test_rounds_without_prices_leave_eligibility_as_it_is():
    """Tests a round of values between two rounds with prices."""
    play = with_points()
    wants(play, hall=1)
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(0), "server")
    play.plan(1)
    next_prices(play)
    assert play.state.eligibility(0, 2) == 3
    wants(play, hall=1)


@pytest.mark.parametrize("how", ["nothing", "declined", "unanswered"])
def test_no_choice_is_choosing_nothing(how):
    """Tests that wanting nothing, declining and not answering leave no points."""
    play = with_points()
    if how == "nothing":
        wants(play)
    elif how == "declined":
        play.submit(Submission(declines=("r0-b1-q1",)))
    next_prices(play)
    assert mistake(play, chairs=1) == (
        "found a bundle with 1 point; expected nothing; you have no points left to choose with"
    )
    wants(play)
    assert play.state.books[0].queries["r1-b1-q1"].status == "answered"


def test_the_first_eligibility_is_the_rules():
    """Tests a bidder with fewer points, and one with all of them."""
    play = with_points(eligibility={"Ann": 1})
    said = mistake(play, kitchen=1)
    assert said == "found a bundle with 2 points; expected at most 1 point, your eligibility"
    wants(play, chairs=1)
    wants(play, 1, hall=1, kitchen=1, chairs=3)


@pytest.mark.parametrize("channel", ["page", "api", "operator"])
def test_points_hold_on_every_way_in(channel):
    """Tests a page, a program and entry on behalf; spreadsheets have no choices."""
    play = with_points(eligibility={"Ann": 1})
    submission = Submission(demands=(DemandAnswer("r0-b1-q1", {"hall": 1}),))
    command = cmd.Submit(0, submission, to_text(play.clock.now()), channel, "by phone")
    with pytest.raises(Refusal, match="your eligibility"):
        play.do(command)


def test_values_and_own_bids_need_no_points():
    """Tests that the rule is about choices alone."""
    play = with_points(eligibility={"Ann": 0})
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "5.00"),)))
    assert play.state.bids(0) == {(1, 0, 0): 500}


def test_two_questions_of_a_round_have_one_eligibility():
    """Tests that both may use all points, and that the larger choice counts later."""
    play = Play(mechanism="hybrid", num_total=8, points=POINTS, eligibility={"Ann": 5})
    play.start()
    queries = [PlannedQuery(0, (), {}, PRICES), PlannedQuery(0, (), {}, (600, 300, 100))]
    play.do(cmd.TakePlan(play.state.plan_from, plan_result(queries)), "server")
    wants(play, kitchen=1)
    again = DemandAnswer("r0-b1-q2", {"hall": 1, "kitchen": 1})
    play.submit(Submission(demands=(again,)))
    next_prices(play)
    assert play.state.eligibility(0, 1) == 5


def test_choices_of_earlier_rounds_are_final():
    """Tests that with points a choice changes within its round only, and values always."""
    play = with_points(corrections="always")
    wants(play, hall=1)
    wants(play, hall=1, kitchen=1)
    assert own_view(play).demands[0].can_correct
    next_prices(play)
    assert not own_view(play).demands[0].can_correct
    with pytest.raises(Refusal) as refusal:
        wants(play, number=0, hall=1)
    assert refusal.value.mistakes[0].expected == (
        "a choice of the open round; earlier ones are final"
    )


def test_what_could_not_be_chosen_proves_nothing():
    """Tests that a bundle with too many points was not turned down."""
    play = with_points(eligibility={"Ann": 2})
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "9.00"),)))
    wants(play, kitchen=1)  # 2.00; the hall would have left 4.00, but has 3 points
    assert play.state.bids(0) == {(1, 0, 0): 900, (0, 1, 0): 200}
    free = with_points()
    free.submit(Submission(pushes=(BundleValue({"hall": 1}, "9.00"),)))
    wants(free, kitchen=1)
    assert free.state.bids(0)[(0, 1, 0)] == 600


def test_no_warning_about_what_could_not_be_chosen():
    """Tests that earlier answers doubt a choice only by bundles within the eligibility."""
    wanted = Submission(demands=(DemandAnswer("r0-b1-q1", {"kitchen": 1}),))
    for points, num in ((2, 0), (8, 1)):
        play = with_points(eligibility={"Ann": points})
        play.submit(Submission(pushes=(BundleValue({"hall": 1}, "9.00"),)))
        play.submit(Submission(pushes=(BundleValue({"kitchen": 1}, "3.00"),)))
        assert len(check(play.state, 0, wanted, "page").warnings) == num


def test_choices_within_points_say_nothing_of_others_later():
    """Tests that evidence from a limited choice does not doubt a value beyond its points."""
    play = with_points(eligibility={"Ann": 2})
    wants(play, kitchen=1)
    hall = Submission(pushes=(BundleValue({"hall": 1}, "900.00"),))
    kinds = [w.kind for w in check(play.state, 0, hall, "page").warnings]
    assert "more-than-choices" not in kinds


def test_proven_bids_of_limited_choices_agree_with_every_monotone_value():
    """Tests random truthful choices within points: no bid exceeds the true value."""
    rng = np.random.default_rng(5)
    _, market = read(MARKET)
    points = np.array([3, 2, 1])
    bundles = [tuple(b) for b in np.ndindex(2, 2, 4)]
    for _ in range(200):
        worth = rng.integers(1, 300, 3)
        pair = int(rng.integers(0, 200))
        values = {b: int(np.dot(b, worth)) + pair * (b[0] * b[1]) for b in bundles}
        most, choices = 8, []
        for _ in range(4):
            prices = tuple(int(p) for p in rng.integers(0, 400, 3))
            open_ = [b for b in bundles if np.dot(b, points) <= most]
            best = max(open_, key=lambda b: values[b] - int(np.dot(b, prices)))
            choices.append(PricedChoice(prices, best, tuple(points.tolist()), most))
            most = int(np.dot(best, points))
        known = bundles[int(rng.integers(1, len(bundles)))]
        bids = proven_bids({known: values[known]}, choices, market, 0, 10**6)
        assert all(units <= values[bundle] for bundle, units in bids.items())


def test_own_page_tells_what_can_be_paid():
    """Tests bids largest first, what is left of a cap, and points before and after a choice."""
    play = capped(points=POINTS, ranges=True, reserve={"kitchen": "3.00"})
    play.answer(r0_b1_q2="4.00 to 5.00")
    view = own_view(play).exposure
    assert (view.largest, view.cap, view.left) == (400, 600, 200)
    assert (view.eligibility, view.num_chosen) == (8, None)
    play.submit(Submission(pushes=(BundleValue({"kitchen": 1}, "2.99"),)))
    wants(play, hall=1)
    wants(play, chairs=3)
    view = own_view(play).exposure
    # The kitchen's bid is below its reserve price and cannot win.
    rows = [(bid.bundle, bid.units, bid.most, bid.is_proven) for bid in view.bids]
    assert rows == [((1, 0, 0), 400, 500, False), ((0, 0, 3), 399, None, True)]
    assert (view.eligibility, view.num_chosen) == (8, 3)
    play.clock.turn(minutes=300)
    play.do(cmd.CloseRound(0), "server")
    view = own_view(play).exposure
    assert (view.eligibility, view.num_chosen) == (3, None)  # of the next prices
    assert own_view(play, 1).exposure.bids == ()


def test_a_question_tells_its_eligibility_and_what_can_be_chosen():
    """Tests the points of a question, and earlier answers within them."""
    play = with_points(eligibility={"Ann": 2})
    play.submit(Submission(pushes=(BundleValue({"hall": 1}, "9.00"),)))
    play.submit(Submission(pushes=(BundleValue({"kitchen": 1}, "3.00"),)))
    question = own_view(play).questions[0]
    assert question.eligibility == 2
    assert [row.bundle for row in question.at_prices] == [(0, 1, 0)]


def test_bids_after_a_submission_are_told_before():
    """Tests the sum of the check page: everything that would be bid."""
    play = capped()
    hall = Submission((ValueAnswer("r0-b1-q2", "5.00"),))
    assert check(play.state, 0, hall, "page").bids == {(1, 0, 0): 500}


@pytest.mark.parametrize(
    "keys",
    [
        {"spending_caps": {"Ann": "5.00"}},
        {"mechanism": "hybrid", "points": POINTS},
    ],
    ids=["cap", "points"],
)
def test_the_desk_claims_nothing_that_the_rules_may_have_kept_back(keys):
    """Tests bounds and contradictions, which the engine finds without knowing the rules."""
    found = {"bidder": 0, "reports": [], "demands": []}
    step = {
        "record": {"round": 0, "num_reports": 4, "welfare": 1200.0, "welfare_bound": 1500.0},
        "contradictions": [found, {**found, "bidder": 1}],
    }
    for rules, bound, bidders in (({}, 1500.0, [0, 1]), (keys, None, [1][: "points" not in keys])):
        play = Play(**rules)
        state = replace(play.state, round=1, rounds=(RoundSummary(1, step, 3.0),))
        view = progress(seen_by(state, Viewer("auditor")), play.clock.now(), False)
        assert [row.bound for row in view.rounds] == [bound]
        assert [one.bidder for one in view.contradictions] == bidders


def test_a_range_beside_a_question_counts_with_its_lower_end_and_says_so():
    """Tests that what a bundle leaves is the least of it, for ranges as for proven values."""
    play = capped(ranges=True)
    play.answer(r0_b1_q2="4.00 to 5.00")
    (row,) = [row for row in own_view(play).questions[0].at_prices if row.bundle == (1, 0, 0)]
    assert (row.units, row.is_range, row.is_least, row.is_proven) == (400, True, True, False)
    other = capped(ranges=True)
    other.answer(r0_b1_q2="4.00")
    (row,) = [row for row in own_view(other).questions[0].at_prices if row.bundle == (1, 0, 0)]
    assert (row.units, row.is_range, row.is_least) == (400, False, False)
