"""An auction that is closed with a second solver, which lies: sales, purchases and exchanges."""

from importlib import import_module

import numpy as np
import pytest

from boca.core import Bidder, Good, Market, SolverError
from boca.mechanism import Auction, AuctionParams
from boca.milp import Status
from boca.milp.result import MilpResult

pytest.importorskip("pyscipopt")
SCIP = import_module("boca.milp.backends.scip")
GOODS, BIDDERS = (Good("a"), Good("b")), (Bidder("A"), Bidder("B"), Bidder("C"))
SALE = Market(GOODS, BIDDERS)
LOTS = Market(GOODS, BIDDERS, sense="buy")
SHOP = Market((Good("house"),), (Bidder("seller", endowment=(1,)), Bidder("buyer")))
BIDS = [(0, [1, 0], 6), (1, [0, 1], 6), (2, [1, 1], 10)]
VALUES = [(0, [1], 5), (1, [1], 8)]


def closed(market, rule, answers, reserve=()):
    """An auction in which these answers were given, closed with a second solver."""
    auction = Auction.start(market, AuctionParams(payment_rule=rule, reserve=reserve))
    for bidder, bundle, value in answers:
        auction.tell(bidder, bundle, value)
    return auction.close(verify=True)


@pytest.mark.parametrize(
    ("market", "rule", "answers", "reserve"),
    [
        (SALE, "vcg", BIDS, ()),
        (SALE, "core", BIDS, ()),
        (LOTS, "offered", BIDS, (20, 20)),
        (LOTS, "vcg", BIDS, (20, 20)),
        (SHOP, "threshold", VALUES, ()),
    ],
)
def test_no_auction_is_closed_on_a_lie(monkeypatch, market, rule, answers, reserve):
    """Tests that the honest solver is asked, and that nothing for nobody is not taken from it."""
    right, asked = SCIP.run, []
    monkeypatch.setattr(SCIP, "run", lambda *a: asked.append(a) or right(*a))
    closed(market, rule, answers, reserve)
    assert asked

    def lie(arrays, params, start):
        x = np.zeros(arrays.num_variables)
        return MilpResult(Status.OPTIMAL, x, arrays.objective(x), arrays.objective(x), 0.0)

    monkeypatch.setattr(SCIP, "run", lie)
    with pytest.raises(SolverError):
        closed(market, rule, answers, reserve)
