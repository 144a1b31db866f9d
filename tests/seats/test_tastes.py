"""What students like: a bound on it that required courses must exceed."""

import numpy as np

from boca.core import Bidder, Good, Limit, Market
from boca.functions import AdjustedSum
from boca.functions.adjusted_sum import Adjustment
from boca.seats import SeatRules, assign_seats


def test_what_is_required_comes_before_goods_that_multiply_each_other():
    """Tests two courses that are worth 40 times their ratings together, and a required third."""
    market = Market(
        tuple(Good(name) for name in "ABC"),
        (Bidder("Ann", "", (Limit((1.0, 1.0, 1.0), 2.0, "two courses"),)),),
    )
    pair = Adjustment(np.array([0, 1]), factors=np.array([0.0, 0.0, 40.0]))
    taste = AdjustedSum([1.0, 1.0, 0.0], [pair])
    assert assign_seats(market, [taste]).allocation.bundles[0].tolist() == [1, 1, 0]
    required = SeatRules(required=(((2,),),))
    assert assign_seats(market, [taste], required).allocation.bundles[0, 2] == 1
