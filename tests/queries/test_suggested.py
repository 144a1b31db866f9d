"""Bundles that a surrogate wants to know about."""

import numpy as np
from hybrid_situations import state_of

from boca.core import Bidder, Good, Limit, Market, Reports, Seeds
from boca.functions import Quadratic
from boca.queries import SuggestedBundles
from boca.surrogates import Fitted

GOODS = tuple(Good(name) for name in "abcd")
AT_MOST_TWO = Limit((1.0, 1.0, 1.0, 1.0), 2.0)
MARKET = Market(GOODS, (Bidder("Ann", limits=(AT_MOST_TWO,)), Bidder("Ben"), Bidder("Cid")))
ROWS = np.array(
    [[0, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0]]
)


def planned(num_per_round: int) -> list[list[tuple[str, list[int]]]]:
    """What each bidder is asked, with the reasons; Ann has said something, Cid is not learned."""
    said = Reports([[1, 0, 0, 0]], [3.0])
    planner = SuggestedBundles(num_per_round)
    situation = state_of(MARKET, planner, [said, Reports.empty(4), Reports.empty(4)])
    mean = Quadratic(np.zeros((4, 4)), np.ones(4), MARKET.capacities)
    fitted = {0: Fitted(mean, suggestions=ROWS), 1: Fitted(mean, suggestions=ROWS[:2])}
    questions = planner.plan(situation, fitted, Seeds(1)).questions
    return [
        [(q.reason.source, q.bundle.tolist()) for q in questions if q.bidder == i] for i in range(3)
    ]


def test_suggestions_come_in_their_order_if_they_are_allowed_and_new():
    """Tests that the empty bundle, one beyond limits and one that is known are passed over."""
    ann, _, _ = planned(2)
    assert ann == [("suggested", [0, 1, 1, 0]), ("suggested", [0, 0, 0, 1])]


def test_random_bundles_take_the_place_of_missing_suggestions():
    """Tests that everybody is asked as much, never twice the same, also without a surrogate."""
    ann, ben, cid = planned(4)
    assert [reason for reason, _ in ann] == ["suggested"] * 3 + ["random"]
    assert [reason for reason, _ in ben] == ["suggested"] + ["random"] * 3
    assert [reason for reason, _ in cid] == ["random"] * 4
    for asked in (ann, ben, cid):
        bundles = [tuple(bundle) for _, bundle in asked]
        assert len(set(bundles)) == 4
        assert all(any(bundle) for bundle in bundles)
    assert all(sum(bundle) <= 2 and bundle != [1, 0, 0, 0] for _, bundle in ann)
