"""A sale as a problem: options, what they mean, and what is no deal."""

import numpy as np

from boca.core import Market, Reports
from boca.payments.program import Chosen
from boca.payments.sales import sale


def chosen(*options) -> Chosen:
    return Chosen(np.array(options), 0.0, 0.0, "scripted", True)


def test_a_sale_is_nothing_and_every_bid_above_the_reserve_prices():
    """Tests worths less reserve prices, what was said, and somebody without a useful bid."""
    reports = [Reports([[1, 0], [1, 1]], [3, 9]), Reports([[0, 1]], [2]), Reports([[1, 0]], [4])]
    problem = sale(reports, Market.simple(2, 3), [1, 2])
    options = problem.options
    assert options.owners.tolist() == [0, 0, 0, 1, 2, 2]
    assert options.worth.tolist() == [0, 2, 6, 0, 0, 3]
    assert problem.said.tolist() == [0, 3, 9, 0, 0, 4]
    assert problem.bundles.tolist() == [[0, 0], [1, 0], [1, 1], [0, 0], [0, 0], [1, 0]]
    assert problem.no_deal.tolist() == [0, 3, 4]
    assert options.is_plain
    assert problem.dealers(chosen(0, 3, 5)) == [2]
    assert problem.worth(chosen(2, 3, 5)) == 9
    assert problem.stage == "main economy"
