"""An exchange as a problem: holdings, gains, and what is no deal."""

import numpy as np
import pytest

from boca.core import Bidder, Good, InputError, Market, Reports
from boca.payments.exchanges import exchange_problem
from boca.payments.program import Chosen


def chosen(*options) -> Chosen:
    return Chosen(np.array(options), 0.0, 0.0, "scripted", True)


def test_an_exchange_begins_with_what_everybody_holds():
    """Tests gains, "gives everything away", and who keeps what it has without saying its worth."""
    market = Market(
        (Good("a", 3),), (Bidder("P", endowment=(2,)), Bidder("Q"), Bidder("R", endowment=(1,)))
    )
    reports = [Reports([[2], [1]], [5, 3]), Reports([[1]], [4]), Reports.empty(1)]
    problem = exchange_problem(reports, market, keeping=[2])
    options = problem.options
    assert options.owners.tolist() == [0, 0, 0, 1, 1, 2]
    assert problem.bundles.ravel().tolist() == [2, 0, 1, 0, 1, 1]
    assert options.worth.tolist() == [0, -5, -2, 0, 4, 0]
    assert problem.no_deal.tolist() == [0, 3, 5]
    assert not options.is_plain
    assert problem.dealers(chosen(2, 4, 5)) == [0, 1]
    with pytest.raises(InputError, match="'R' has not said what it is worth to keep a"):
        exchange_problem(reports, market)


def test_what_is_held_is_found_among_the_values():
    """Tests two goods, of which other bundles share one; markets that buy are refused."""
    market = Market((Good("a", 2), Good("b", 2)), (Bidder("P", endowment=(1, 1)), Bidder("Q")))
    reports = [Reports([[1, 0], [1, 1], [2, 1]], [3, 5, 9]), Reports([[0, 1]], [4])]
    problem = exchange_problem(reports, market)
    assert problem.bundles.tolist() == [[1, 1], [0, 0], [1, 0], [2, 1], [0, 0], [0, 1]]
    assert problem.options.worth.tolist() == [0, -5, -2, 4, 0, 4]
    with pytest.raises(InputError, match="buys; see award"):
        exchange_problem([Reports([[1]], [1])], Market((Good("a"),), (Bidder("P"),), "", "buy"))
