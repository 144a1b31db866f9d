import numpy as np

from boca.core import Bidder, Good, Limit, Market
from boca.milp import Model, solve
from boca.wdp.encodings import BundleVariables, add_limits


def test_limits_of_a_market_hold():
    """Tests that each limit becomes a row, in the form in which a market gives them."""
    limits = (Limit((1.0, 1.0), 3, "credits"), Limit((0.0, 2.0), 3, "second"))
    market = Market((Good("a", 4), Good("b", 4)), (Bidder("one", limits=limits),))
    model = Model()
    bundle = BundleVariables(model, market.capacities)

    add_limits(bundle, *market.limits(0))
    model.add_cost(bundle.columns, [1.0, 3.0])

    assert solve(model).x[bundle.columns].tolist() == [2, 1]  # 2 b <= 3 allows one b


def test_no_limits_no_rows():
    """Tests a bidder without limits."""
    market = Market.simple(2, 1)
    model = Model()

    add_limits(BundleVariables(model, market.capacities), *market.limits(0))

    assert model.num_rows == 0
    assert np.isinf(model.arrays().row_upper).all()
