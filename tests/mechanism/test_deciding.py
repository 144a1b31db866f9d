"""Purchases and exchanges, driven by ask, tell and close."""

from dataclasses import replace

import numpy as np
import pytest
from additive_learner import quick_params

from boca.core import Bidder, Economy, Good, InputError, Limit, Market, Rule
from boca.core.query import Query, Reason
from boca.core.randomness import Seeds
from boca.mechanism import Auction, AuctionParams, AuctionState, Phase, auction_params, run
from boca.mechanism.deciding import outcome
from boca.mechanism.params import StoppingParams
from boca.mechanism.round import explain, in_savings, learn
from boca.queries import FirstBundles

LOTS = Market((Good("a"), Good("b")), (Bidder("A"), Bidder("B"), Bidder("C")), sense="buy")
SHOP = Market((Good("house"),), (Bidder("seller", endowment=(1,)), Bidder("buyer")))


def told(market, params, reports):
    """An auction in which these reports were made, without any question."""
    auction = Auction.start(market, params)
    for bidder, bundle, value in reports:
        auction.tell(bidder, bundle, value)
    return auction


OFFERS = [(0, [1, 0], 2), (1, [0, 1], 2), (2, [1, 1], 10)]


@pytest.mark.parametrize(
    ("rule", "paid"),
    [("vcg", [8, 8, 0]), ("core", [5, 5, 0]), ("offered", [2, 2, 0]), ("none", [0, 0, 0])],
)
def test_a_purchase_ends_with_the_cheapest_award(rule, paid):
    """Tests award, cost and every payment rule: two suppliers for 2 each beat one for 10."""
    params = AuctionParams(payment_rule=rule, reserve=(20, 20))
    outcome = told(LOTS, params, OFFERS).close()

    assert outcome.allocation.bundles.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert outcome.payments.tolist() == paid
    assert outcome.welfare == -4
    assert outcome.revenue == -sum(paid)
    assert outcome.utilities.tolist() == [p - c for p, c in zip(paid, [2, 2, 0], strict=True)]
    assert outcome.summary().startswith("cost 4")


def test_what_nobody_supplies_is_bought_outside():
    """Tests the outside option in cost and spend, and in the winners of a round."""
    params = AuctionParams(payment_rule="offered", reserve=(20, 7))
    auction = told(LOTS, params, OFFERS[:1])
    outcome = auction.close()

    assert (outcome.welfare, outcome.revenue, outcome.outside_cost) == (-9, -9, 7)
    best = auction.state.winners(Economy.main(3))
    assert (best.welfare, best.values.tolist()) == (-9, [2, 0, 0])
    assert auction.state.winners(Economy.without(0, 3)).welfare == -27


def test_lots_that_must_be_covered_come_before_money():
    """
    Tests a market without at-most prices: a round counts what is missing as dearer than anything,
    and nothing can be closed before everything is covered.
    """
    auction = told(LOTS, AuctionParams(payment_rule="offered"), OFFERS[:1])
    state = auction.state
    assert state.winners(Economy.main(3)).welfare == -2 - 3  # 1 more than all costs
    assert state.at_most.tolist() == [2, 2]
    with pytest.raises(InputError, match="No award on the answers covers every lot"):
        auction.close()
    assert told(LOTS, AuctionParams(payment_rule="offered"), OFFERS).close().welfare == -4
    mixed = AuctionParams(payment_rule="offered", reserve=(9, float("inf")))
    assert AuctionState.start(LOTS, mixed).at_most.tolist() == [9, 1]


def test_rules_hold_in_the_end_and_wait_until_they_can():
    """Tests a rule across suppliers: at least two winners, while only one has offered anything."""
    market = replace(LOTS, rules=(Rule("winners", at_least=2),))
    params = AuctionParams(payment_rule="offered", reserve=(20, 20))
    auction = told(market, params, OFFERS[:1])
    assert auction.state.winners(Economy.main(3)).welfare == -22  # one winner, for planning
    with pytest.raises(InputError, match="under the rules"):
        auction.close()
    both = told(market, params, [(0, [1, 1], 3), *OFFERS[1:]])
    assert both.state.winners(Economy.main(3)).welfare == -5  # A alone would cost 3
    assert both.close().welfare == -5


def test_an_exchange_shares_its_gains():
    """Tests the textbook trade: worth 2 to the seller and 10 to the buyer, the price is 6."""
    reports = [(0, [1], 2), (1, [1], 10)]
    auction = told(SHOP, AuctionParams(payment_rule="threshold"), reports)
    outcome = auction.close()

    assert outcome.allocation.bundles.tolist() == [[0], [1]]
    assert outcome.payments.tolist() == [-6, 6]
    assert outcome.values.tolist() == [0, 10]
    assert outcome.utilities.tolist() == [4, 4]
    assert (outcome.welfare, outcome.revenue) == (10, 0)
    assert auction.state.winners(Economy.main(2)).welfare == 10
    alone = auction.state.winners(Economy.without(1, 2))  # the buyer keeps nothing, so no trade
    assert (alone.bundles.tolist(), alone.welfare) == ([[1], [0]], 2)
    nothing_paid = told(SHOP, AuctionParams(payment_rule="none"), reports).close()
    assert nothing_paid.payments.tolist() == [0, 0]
    vcg = told(SHOP, AuctionParams(payment_rule="vcg"), reports).close()
    assert vcg.payments.tolist() == [-10, 2]


def test_whoever_does_not_value_its_endowment_keeps_it():
    """Tests that nothing is taken from a participant that has said nothing about it."""
    auction = told(SHOP, AuctionParams(payment_rule="threshold"), [(1, [1], 10)])
    outcome = auction.close()

    assert outcome.allocation.bundles.tolist() == [[1], [0]]
    assert outcome.payments.tolist() == [0, 0]
    assert auction.state.winners(Economy.main(2)).bundles.tolist() == [[1], [0]]


SALE = Market.simple(2, 3)
BIDS = [(0, [1, 0], 4), (1, [0, 1], 4), (2, [1, 1], 5)]


@pytest.mark.parametrize(
    ("rule", "paid"), [("vcg", [1, 1, 0]), ("core", [2.5, 2.5, 0]), ("none", [0, 0, 0])]
)
def test_a_sale_ends_with_the_largest_sum_of_bids(rule, paid):
    """Tests who gets and pays what: two local bidders for 4 each beat one for both goods."""
    params = AuctionParams(payment_rule=rule)
    outcome = told(SALE, params, BIDS).close()

    assert outcome.allocation.bundles.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert outcome.payments.tolist() == paid
    assert outcome.values.tolist() == [4, 4, 0]
    assert (outcome.welfare, outcome.rule.lower()) == (8, rule)


def test_reserve_prices_hold_in_rounds_and_in_the_end():
    """Tests a reserve of 3.5 and 4.5: the second good is not sold, in any economy."""
    for rule, paid in (("vcg", [3.5, 0, 0]), ("core", [3.5, 0, 0]), ("none", [0, 0, 0])):
        auction = told(SALE, AuctionParams(payment_rule=rule, reserve=(3.5, 4.5)), BIDS)
        best = auction.state.winners(Economy.main(3))
        assert best.bundles.tolist() == [[1, 0], [0, 0], [0, 0]]
        assert best.values.tolist() == [4, 0, 0]
        assert auction.state.winners(Economy.without(0, 3)).bundles.sum() == 0
        outcome = auction.close()
        assert outcome.allocation.bundles.tolist() == [[1, 0], [0, 0], [0, 0]]
        assert outcome.payments.tolist() == paid


def test_winners_of_an_economy_are_its_own():
    """Tests a sale with everybody and without each of three."""
    state = told(SALE, AuctionParams(), BIDS).state
    assert state.winners(Economy.main(3)).welfare == 8
    assert [state.winners(Economy.without(i, 3)).welfare for i in range(3)] == [5, 5, 8]
    assert state.winners(Economy.without(0, 3)).bundles.tolist() == [[0, 0], [0, 0], [1, 1]]


def test_what_is_missing_costs_a_whole_amount_more():
    """Tests lots without a price outside: 2.5 is bid, so that the other lot counts 4."""
    auction = told(LOTS, AuctionParams(payment_rule="offered"), [(0, [1, 0], 2.5)])
    assert auction.state.winners(Economy.main(3)).welfare == -2.5 - 4
    # Whoever is absent counts neither as a supplier nor for the size of a price.
    assert auction.state.winners(Economy.without(0, 3)).welfare == -1 - 1


def test_payments_that_do_not_exist_cannot_be_verified():
    """Tests a second solver with every kind of market and without payments."""
    for market, params, bids in (
        (SALE, AuctionParams(), BIDS),
        (SALE, AuctionParams(payment_rule="core"), BIDS),
        (LOTS, AuctionParams(payment_rule="vcg", reserve=(20, 20)), OFFERS),
        (SHOP, AuctionParams(payment_rule="threshold"), [(0, [1], 2), (1, [1], 10)]),
    ):
        state = told(market, params, bids).state
        once, twice = (outcome(state.bids(), market, params, verify) for verify in (False, True))
        assert once.payments.tolist() == twice.payments.tolist()
        none = replace(params, payment_rule="none")
        assert outcome(state.bids(), market, none).payments.tolist() == [0] * market.num_bidders
        with pytest.raises(InputError, match="Verification is about payments"):
            outcome(state.bids(), market, none, verify=True)


def test_settings_with_a_meaning_are_taken():
    """Tests every payment rule of each kind of market, reserve prices and proofs."""
    sale = Market.simple(2, 2)
    proven = StoppingParams(when_proven=True, proven_gap=0.1)
    for market, params in (
        *((sale, AuctionParams(payment_rule=rule)) for rule in ("vcg", "core", "none")),
        *((LOTS, AuctionParams(payment_rule=rule)) for rule in ("vcg", "core", "offered", "none")),
        *(
            (SHOP, AuctionParams(payment_rule=rule))
            for rule in ("vcg", "threshold", "proportional", "small", "none")
        ),
        (sale, AuctionParams(reserve=(1, 0), stopping=proven)),
        (LOTS, AuctionParams(reserve=(1, float("inf")))),
        (SHOP, AuctionParams(stopping=proven)),
    ):
        assert AuctionState.start(market, params).params is params
    for reserve in ((1, float("inf")), (float("inf"), 1)):
        with pytest.raises(InputError, match="infinite reserve price"):
            AuctionState.start(sale, AuctionParams(reserve=reserve))


def test_settings_without_a_meaning_are_refused():
    """Tests payment rules, reserve prices and proofs in the wrong kind of market."""
    sale = Market.simple(1, 2)
    infinite = AuctionParams(reserve=(float("inf"),))
    for market, params, text in (
        (LOTS, AuctionParams(payment_rule="threshold"), "which buys; expected one of none"),
        (SHOP, AuctionParams(payment_rule="core"), "which exchanges; expected one of vcg"),
        (sale, AuctionParams(payment_rule="offered"), "which sells; expected one of vcg"),
        (SHOP, AuctionParams(payment_rule="vcg", reserve=(1,)), "an exchange, which has no"),
        (sale, infinite, "infinite reserve price"),
        (LOTS, AuctionParams(reserve=(1,)), "1 reserve prices; expected one for each of the 2"),
        (LOTS, AuctionParams(stopping=StoppingParams(when_proven=True)), "known for values only"),
        (LOTS, AuctionParams(stopping=StoppingParams(proven_gap=0.1)), "known for values only"),
        (LOTS, auction_params("cca", LOTS), "prices of a clock auction rise"),
    ):
        with pytest.raises(InputError, match=text):
            AuctionState.start(market, params)


COSTS = np.array([[5.0, 1, 2, 3], [1, 4, 3, 2], [2, 2, 2, 6]])


def cost(query):
    """Truthful suppliers: half of the fixed cost of 1 is saved by every further unit."""
    bundle = query.bundle
    return float(COSTS[query.bidder] @ bundle + (0.5 + 0.5 / bundle.sum() if bundle.any() else 0))


def market_of_four(sense="buy", endowments=((), (), ())):
    limit = Limit((1.0,) * 4, 3.0, "trucks")
    bidders = [Bidder(f"b{i}", limits=(limit,), endowment=own) for i, own in enumerate(endowments)]
    goods = [Good(f"lot {j}", c) for j, c in enumerate((1, 1, 2, 1))]
    return Market(tuple(goods), tuple(bidders), "four", sense)


def test_questions_of_a_purchase_look_for_cheap_supplies():
    """
    Tests a whole purchase with a learner of costs: the award is the best of all that could be
    asked, bundles stay within capacities, and reasons are told as costs.
    """
    market = market_of_four()
    params = quick_params(4, 2, 12, optimism=-0.1, seed=5, reserve=(9, 9, 9, 9))
    auction = Auction.start(market, params)
    outcome = run(auction, cost)

    # By hand: A supplies lot 1 and one lot 2 (or C does), B lot 0 and lot 3.
    assert -outcome.welfare <= 9.5
    assert all(market.allows(i, r.bundles).all() for i, r in enumerate(auction.state.reports))
    state = replace(auction.state, phase=1)
    fitted = learn(state, Seeds(5))
    bundle = np.array([1, 0, 1, 0])
    told_reason = explain(Query(0, bundle, Reason("main")), fitted).reason
    saved = in_savings(fitted[0], state)
    assert told_reason.mean == pytest.approx(fitted[0].mean(bundle)[0])
    assert saved.mean(bundle)[0] == pytest.approx(18 - told_reason.mean)
    assert saved.upper(bundle)[0] == pytest.approx(18 - told_reason.upper)
    assert saved.envelope(bundle)[0] == pytest.approx(18 - told_reason.envelope)
    sale = replace(state, market=market_of_four("sell"))
    assert in_savings(fitted[0], sale) is fitted[0]


@pytest.mark.parametrize(
    ("sense", "endowments", "settings"),
    [
        ("buy", ((), (), ()), {"reserve": (9, 9, 9, float("inf"))}),
        ("sell", ((1, 0, 1, 0), (0, 1, 0, 0), (0, 0, 1, 1)), {"payment_rule": "threshold"}),
    ],
)
def test_a_saved_auction_goes_on_as_if_nothing_had_happened(tmp_path, sense, endowments, settings):
    """Tests a state written and read before every round, of a purchase and of an exchange."""
    market = market_of_four(sense, endowments)
    params = quick_params(4, 2, 10, seed=5, **settings)
    whole = Auction.start(market, params)
    run(whole, cost)

    auction = Auction.start(market, params)
    while questions := auction.ask():
        for question in questions:
            auction.tell(question.bidder, question.bundle, cost(question))
        auction.save(tmp_path / "state.json")
        auction = Auction.load(tmp_path / "state.json")
    outcome = auction.close()

    assert auction.state.reports == whole.state.reports
    assert [r.welfare for r in auction.state.history] == [r.welfare for r in whole.state.history]
    assert outcome.payments.tolist() == whole.close().payments.tolist()


def test_endowments_are_asked_first():
    """
    Tests the first questions of an exchange, with and without a phase of their own, and that they
    count.
    """
    market = market_of_four("sell", ((1, 0, 1, 0), (), (0, 0, 1, 1)))
    for mechanism in ("random", "cca", "local", "hybrid"):
        params = auction_params(mechanism, market, num_initial=3)
        assert params.payment_rule == "threshold"
        start = replace(params, phases=params.phases[:1])
        questions = Auction.start(market, start).ask()
        firsts = {q.bidder: q.bundle.tolist() for q in reversed(questions)}
        assert firsts[0] == [1, 0, 1, 0]
        assert firsts[2] == [0, 0, 1, 1]
        assert firsts[1] != [0, 0, 0, 0]
        asked = start.phases[0].num_queries
        assert [sum(q.bidder == i for q in questions) for i in range(3)] == [asked] * 3
    sale = auction_params("random", market_of_four("sell"))
    assert (sale.payment_rule, len(sale.phases)) == ("vcg", 2)
    known = FirstBundles(2)
    auction = Auction.start(market, AuctionParams((Phase("first", known, num_queries=2),)))
    auction.tell(0, [1, 0, 1, 0], 7.0)
    assert [1, 0, 1, 0] not in [q.bundle.tolist() for q in auction.ask() if q.bidder == 0]


def test_hybrid_purchases_ask_prices_and_costs_in_their_shares():
    """
    Tests the phases of a hundred questions: 14 random bundles, 6 prices, 4 costs, rounds.

    Small purchases learn about all suppliers together, large ones have networks.
    """
    small = {"process": (["mean"] * 2, [14, 20, 24, 100, 100])}
    large = {"mixed": (["mean", "upper", "mean"], [14, 20, 24, 59, 100, 100])}
    for num_lots, num_suppliers, expected in ((18, 12, small), (19, 12, large), (18, 13, large)):
        market = Market(
            tuple(Good(f"lot {j}") for j in range(num_lots)),
            tuple(Bidder(f"supplier {i}") for i in range(num_suppliers)),
            sense="buy",
        )
        params = auction_params("hybrid", market)
        assert [phase.name for phase in params.phases[:3]] == ["first", "clock", "wanted"]
        kinds = [phase.planner.acquisition for phase in params.phases[3:]]
        # A phase goes on until its end is reached, in whole questions: 6 prices lead from 14 to 20.
        ends = [int(np.ceil(end)) for end in params.phase_ends]
        assert {phase.surrogate.name: (kinds, ends) for phase in params.phases[3:]} == expected
        clock = params.phases[1].planner
        assert clock.down > clock.up  # prices fall more quickly than they rise
