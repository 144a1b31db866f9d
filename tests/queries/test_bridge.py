"""The bridge bid."""

from hybrid_situations import state_of

from boca.core import Market, Reports, Seeds
from boca.core.demand import Demands
from boca.queries import Bridge

MARKET = Market.simple(2, 2)


def test_winners_are_asked_about_what_they_win():
    """Tests that bidder 1, whose winning bundle has a value already, is not asked."""
    planner = Bridge()
    reports = [Reports.empty(2), Reports([[0, 1]], [7.0])]
    demands = [Demands([[3, 9]], [[1, 0]]), Demands([[3, 9]], [[0, 0]])]
    situation = state_of(MARKET, planner, reports, demands)
    plan = planner.plan(situation, {}, Seeds(0))
    assert [(q.bidder, q.bundle.tolist()) for q in plan.questions] == [(0, [1, 0])]
    later = state_of(MARKET, planner, reports, demands, rounds=1)
    assert not planner.plan(later, {}, Seeds(0)).questions
