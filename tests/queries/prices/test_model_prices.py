"""Demand queries at prices from networks, alone and together with value queries."""

import numpy as np
import pytest
from hybrid_situations import additive, fitted_to, full_bundle_values, nothing, state_of

from boca.core import Bidder, DemandQuery, Good, InputError, Market, Query, Reports, Seeds
from boca.core.demand import Demands
from boca.functions import XorTable
from boca.functions.supply import savings
from boca.queries import ModelPrices, PricesAndValues, TrustRegion
from boca.queries.planner import planner_from_dict, planner_to_dict
from boca.surrogates.fitted import Fitted

MARKET = Market.simple(2, 2)
FITTED = fitted_to([additive([10, 3]), additive([6, 4])])


def test_prices_separate_the_two_bidders():
    """Tests that each good costs between what its buyer and the other would pay."""
    planner = ModelPrices()
    situation = state_of(MARKET, planner, full_bundle_values(MARKET, [13.0, 10.0]))
    plan = planner.plan(situation, FITTED, Seeds(0))
    assert [type(question) for question in plan.questions] == [DemandQuery] * 2
    prices = plan.questions[0].prices
    np.testing.assert_array_equal(prices, plan.questions[1].prices)
    assert 5.9 < prices[0] < 10.1
    assert 2.9 < prices[1] < 4.1


def test_surrogates_without_networks_are_refused():
    """Tests the message: W is minimised on networks only."""
    planner = ModelPrices()
    situation = state_of(MARKET, planner, full_bundle_values(MARKET, [13.0, 10.0]))
    table = {0: Fitted(XorTable([[1, 0]], [1.0], [1, 1]))}
    with pytest.raises(InputError, match="received XorTable"):
        planner.plan(situation, table, Seeds(0))


def test_a_round_asks_for_demands_and_values():
    """Tests that every bidder gets a demand query, and a value query if its bundle is new."""
    planner = PricesAndValues()
    situation = state_of(MARKET, planner, full_bundle_values(MARKET, [13.0, 10.0]))
    plan = planner.plan(situation, FITTED, Seeds(0))
    values = [(q.bidder, q.bundle.tolist()) for q in plan.questions if isinstance(q, Query)]
    assert values == [(0, [1, 0]), (1, [0, 1])]  # the best allocation of the networks
    assert sum(isinstance(q, DemandQuery) for q in plan.questions) == 2


def test_every_third_round_values_what_was_wanted_last():
    """Tests that the raised value comes in the third round, not before, and once."""
    planner = PricesAndValues(values=TrustRegion(marginal_every=0), raise_every=3)
    demands = [Demands([[1, 1]], [[0, 1]]), Demands([[1, 1]], [[0, 1]])]
    reports = full_bundle_values(MARKET, [13.0, 10.0])
    raised = []
    for rounds in range(3):
        situation = state_of(MARKET, planner, reports, demands, rounds)
        plan = planner.plan(situation, FITTED, Seeds(0))
        raised.append(
            [
                q.bidder
                for q in plan.questions
                if isinstance(q, Query) and q.reason.source == "raised"
            ]
        )
    assert raised == [[], [], [0]]  # bidder 1 is asked about the bundle anyway


def test_planners_inside_a_planner_survive_a_file():
    """Tests that the nested settings come back as what they were."""
    planner = PricesAndValues(prices=ModelPrices(steps=50), raise_every=0)
    assert planner_from_dict(planner_to_dict(planner)) == planner
    assert planner.per_round == 2


def test_bidders_without_answers_want_nothing():
    """Tests that a missing network neither fails nor moves prices."""
    planner = ModelPrices()
    situation = state_of(MARKET, planner, full_bundle_values(MARKET, [13.0, 10.0]), nothing(MARKET))
    plan = planner.plan(situation, {0: FITTED[0]}, Seeds(0))
    assert len(plan.questions) == 2


def test_prices_fall_while_nobody_wants_anything():
    """Tests that prices which were too high for all do not become 0, where no choice is a bid."""
    planner, market = ModelPrices(), Market.simple(2, 2)
    wanted_nothing = Demands.empty(2).add(np.array([8.0, 6.0]), np.zeros(2, dtype=int))
    state = state_of(market, planner, [Reports.empty(2)] * 2, [wanted_nothing] * 2)
    plan = planner.plan(state, {}, Seeds(0))
    assert [query.prices.tolist() for query in plan.questions] == [[4.0, 3.0]] * 2


def test_prices_of_a_purchase_separate_the_suppliers():
    """Tests that each lot is offered a price between the costs of the two suppliers."""
    market = Market((Good("a"), Good("b")), (Bidder("A"), Bidder("B")), sense="buy")
    planner = ModelPrices()
    situation = state_of(market, planner, full_bundle_values(market, [13.0, 10.0]))
    at_most = situation.at_most
    assert at_most.tolist() == [13, 13]
    nets = [savings(additive(costs), at_most) for costs in ([10, 3], [6, 4])]

    plan = planner.plan(situation, fitted_to(nets), Seeds(0))

    prices = plan.questions[0].prices
    assert 5.9 < prices[0] < 10.1
    assert 2.9 < prices[1] < 4.1
