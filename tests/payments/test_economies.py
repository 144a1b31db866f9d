"""Economies without somebody, and with everybody's worths lowered, for every kind of problem."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from boca.core import Bidder, Good, Market, Reports
from boca.payments import economies as module
from boca.payments.awards import award
from boca.payments.economies import Economies
from boca.payments.effort import Effort
from boca.payments.exchanges import exchange_problem
from boca.payments.options import choose
from boca.payments.program import Chosen
from boca.payments.purchases import purchase
from boca.payments.sales import sale
from boca.payments.winners import WinnerDetermination

LOT = Market((Good("a", 1),), (Bidder("A"), Bidder("B")), "sand", "buy")
OFFERS = [Reports([[1]], [3]), Reports([[1]], [5])]
TRADE = Market((Good("a"),), (Bidder("P", endowment=(1,)), Bidder("Q")))
VALUES = [Reports([[1]], [2]), Reports([[1]], [10])]
PAIR = Market.simple(1, 2)
BIDS = [Reports([[1]], [10]), Reports([[1]], [6])]
NO_PRICE = np.array([np.inf])


class Told:
    """Notes what is asked of the searches, and passes it on."""

    def __init__(self, monkeypatch):
        self.stages, self.shares, self.starts = [], [], []

        def choosing(options, effort, stage="award", start=None, solver=None):
            self.stages.append(stage)
            self.shares.append(effort)
            self.starts.append(start)
            return choose(options, effort, stage, start, solver)

        monkeypatch.setattr(module, "choose", choosing)


@pytest.mark.parametrize(
    ("problem", "worths"),
    [
        (sale(BIDS, PAIR), (10, {0: 6})),
        (purchase(OFFERS, LOT, NO_PRICE), (-3, {0: -5})),
        (exchange_problem(VALUES, TRADE), (8, {0: 0, 1: 0})),
    ],
)
def test_everybody_and_everybody_without_each_dealer(problem, worths):
    """Tests the worths of both, and that absence is only looked at where it is asked for."""
    best, without = Economies(problem, Effort()).solve(needs_shares=True)
    assert (best.worth, {i: own.worth for i, own in without.items()}) == worths
    for i, own in without.items():
        assert own.options[i] == problem.no_deal[i]
        assert own.is_proven
    alone, nobody = Economies(problem, Effort()).solve(needs_shares=False)
    assert (alone.options.tolist(), nobody) == (best.options.tolist(), {})


def test_everybody_has_half_of_a_limited_time(monkeypatch):
    """Tests a purchase and an exchange, and all of it where nobody's absence is asked for."""
    for problem in (purchase(OFFERS, LOT, NO_PRICE), exchange_problem(VALUES, TRADE)):
        told = Told(monkeypatch)
        effort = Effort(max_seconds=1000.0)
        Economies(problem, effort).solve(needs_shares=True)
        assert told.shares[0].max_seconds == pytest.approx(500, abs=20)
        assert told.shares[1].max_seconds == 1000
        assert set(told.stages) == {problem.stage}
        Economies(problem, effort).solve(needs_shares=False)
        assert told.shares[-1].max_seconds == 1000


def test_progress_names_what_is_solved(monkeypatch):
    """Tests the stages that pages and tests read."""
    stages = []
    right = WinnerDetermination.accept

    def accept(self, economy, stage="", starts=(), deadline=None):
        stages.append(stage)
        return right(self, economy, stage, starts, deadline)

    monkeypatch.setattr(WinnerDetermination, "accept", accept)
    problem = sale(BIDS, PAIR)
    best, _ = Economies(problem, Effort()).solve(needs_shares=True)
    Economies(problem, Effort()).lowered([Fraction(1), Fraction(0)], best)
    assert stages == ["main economy", "without bidder 0", "blocking groups"]
    assert purchase(OFFERS, LOT, NO_PRICE).stage == "award"
    assert exchange_problem(VALUES, TRADE).stage == "trades"


def test_groups_are_looked_for_from_the_winners_in_sales_only(monkeypatch):
    """Tests starts, which choose among groups that block as much."""
    for problem, is_begun in ((sale(BIDS, PAIR), True), (purchase(OFFERS, LOT, NO_PRICE), False)):
        asking = Economies(problem, Effort())
        best, _ = asking.solve(needs_shares=False)
        told = Told(monkeypatch)
        asking.lowered([Fraction(1), Fraction(0)], best)
        assert told.stages == ["blocking groups"]
        assert (told.starts[0] is not None) == is_begun
    # Those who have little time begin with what is known to be possible.
    late = Economies(problem, Effort(max_seconds=1000.0))
    told = Told(monkeypatch)
    late.lowered([Fraction(1), Fraction(0)], best)
    assert told.starts[0] is not None


def test_a_deal_is_worth_its_share_less():
    """Tests all offers of a supplier, of nobody outside, and of whoever must have a deal."""
    offers = [Reports([[1]], [3]), Reports([[1]], [5])]
    problem = purchase(offers, LOT, np.array([4.0]))
    asking = Economies(problem, Effort())
    worth, parts = asking._lowered([Fraction(3, 2), Fraction(0)])
    assert (worth.tolist(), parts) == ([0, -9, 0, -10, 0, -8], 2)
    best, _ = asking.solve(needs_shares=False)
    rival = asking.lowered([Fraction(3, 2), Fraction(0)], best)
    assert problem.dealers(rival) == []
    assert problem.worth(rival) == -4
    bound = Economies(replace(problem, no_deal=np.array([-1, 2])), Effort())
    assert bound._lowered([Fraction(1), Fraction(0)])[0].tolist() == [-1, -4, 0, -5, 0, -4]


def test_parts_of_a_unit_stay_exact():
    """
    Tests a purchase whose thirds are counted, and larger ones, which have no room for them: halves
    are left, and in the end whole units, of which sums are whole.
    """
    third = [Fraction(1, 3), Fraction(0)]
    for size, expected in ((3, 3), (2 * 10**13, 2), (10**14, 1)):
        offers = [Reports([[1]], [size]), Reports([[1]], [size + 1])]
        problem = purchase(offers, LOT, NO_PRICE)
        worth, parts = Economies(problem, Effort())._lowered(third)
        assert parts == expected
        assert (worth == np.round(worth)).all()
    free = sale([Reports([[1]], [np.pi]), Reports([[1]], [1])], PAIR)
    worth, parts = Economies(free, Effort())._lowered(third)
    assert (worth[1], parts) == (np.pi - 1 / 3, 1)


def test_only_sales_drop_what_gains_nothing():
    """Tests two bids for the same, dearer offers of the same supplier, and a free gift."""
    twice = [Reports([[1], [2]], [5, 5]), Reports([[1]], [3])]
    problem = sale(twice, Market((Good("a", 2),), (Bidder("A"), Bidder("B"))))
    assert problem.options.worth.tolist() == [0, 5, 0, 3]
    two = replace(LOT, goods=(Good("a", 2),))
    dear = purchase([Reports([[1], [2]], [5, 5]), Reports([[1]], [3])], two, NO_PRICE)
    assert dear.options.worth.tolist() == [0, -5, -5, 0, -3]
    gift = exchange_problem([Reports([[1]], [0]), Reports([[1]], [0])], TRADE)
    assert gift.options.worth.tolist() == [0, 0, 0, 0]


def test_absence_closes_options_and_solves_anew(monkeypatch):
    """Tests that the others' options are what they are, with seats counted from those left."""
    seen = []

    def choosing(options, effort, stage="award", start=None, solver=None):
        seen.append(options)
        return choose(options, effort, stage, start, solver)

    monkeypatch.setattr(module, "choose", choosing)
    problem = exchange_problem(VALUES, TRADE)
    Economies(problem, Effort()).solve(needs_shares=True)
    assert [options.owners.tolist() for options in seen] == [[0, 0, 1, 1], [0, 1, 1], [0, 0, 1]]
    packings = [options.packing()[0] for options in seen[1:]]
    assert [packing.surplus.tolist() for packing in packings] == [[11, 11], [5, 3, 3]]


def test_units_that_cost_nothing_outside_are_not_bought_beyond_need():
    """Tests three units of which one is delivered: of 1 and 2 that are free, only 2 are bought."""
    market = replace(LOT, goods=(Good("a", 3),))
    made = award([Reports([[1]], [0]), Reports.empty(1)], market, [0.0])
    assert made.supplied.sum() + made.outside.sum() == 3


def test_the_first_economy_without_proof_is_the_last_where_shares_need_proofs(monkeypatch):
    """Tests a purchase of two lots from two suppliers, and an exchange, which goes on."""
    calls = []

    def choosing(options, effort, stage="award", start=None, solver=None):
        chosen = choose(options, effort, stage, start, solver)
        calls.append(chosen)
        return replace(chosen, is_proven=len(calls) == 1)

    monkeypatch.setattr(module, "choose", choosing)
    market = Market((Good("a"), Good("b")), (Bidder("A"), Bidder("B")), "sand", "buy")
    offers = [Reports([[1, 0]], [3]), Reports([[0, 1]], [3])]
    problem = purchase(offers, market, np.array([9.0, 9.0]))
    _, without = Economies(problem, Effort()).solve(needs_shares=True)
    assert list(without) == [0]
    calls.clear()
    _, without = Economies(exchange_problem(VALUES, TRADE), Effort()).solve(needs_shares=True)
    assert list(without) == [0, 1]
    calls.append(None)  # now the best choice is open as well
    _, without = Economies(problem, Effort()).solve(needs_shares=True)
    assert without == {}


def opinion(monkeypatch, second, problem=None, **first) -> bool:
    """Whether an answer of another solver confirms the award that costs 3."""
    problem = problem or purchase(OFFERS, LOT, NO_PRICE)
    best, _ = Economies(problem, Effort()).solve(needs_shares=False)
    asking = Economies(problem, Effort(), "scip")
    with monkeypatch.context() as patch:
        patch.setattr(module, "choose", lambda *a, **k: second and replace(best, **second))
        asking._confirm(problem.options, replace(best, **first), "main")
    return asking.verifier is not None


def test_another_solver_confirms_contradicts_or_leaves_open(monkeypatch):
    """
    Tests answers that did not begin with ours: better, worse, unfinished, and none at all, where
    ours is proven and where it is not.
    """
    assert opinion(monkeypatch, {"worth": -3.0})
    assert not opinion(monkeypatch, {"worth": -3.0, "is_finished": False})
    assert not opinion(monkeypatch, {"worth": -9.0, "is_finished": False})
    for wrong in ({"worth": -2.0}, {"worth": -4.0}, {"bound": -4.0}, None):
        with pytest.raises(module.SolverError, match="Verification failed in the economy 'main'"):
            opinion(monkeypatch, wrong)
    is_open = {"is_proven": False, "bound": -1.0}
    assert not opinion(monkeypatch, {"worth": -2.0, "bound": -2.0}, **is_open)
    with pytest.raises(module.SolverError, match="found 0"):
        opinion(monkeypatch, {"worth": 0.0, "bound": 0.0}, **is_open)


def test_chosen_options_are_numbers_of_the_whole_problem():
    """Tests that what is chosen among some options is told in the numbers of all."""
    problem = exchange_problem(VALUES, TRADE)
    asking = Economies(problem, Effort())
    own = asking._without(1)
    assert isinstance(own, Chosen)
    assert own.options.tolist() == [0, 2]
    assert asking._numbers_without(0).tolist() == [0, 2, 3]


def test_one_unit_decides_wherever_there_is_one():
    """Tests a purchase whose seats are worth too much for exact sums, and sales that are."""
    large = [Reports([[1]], [10**14]), Reports([[1]], [10**14 - 1])]
    dear = purchase(large, LOT, NO_PRICE).options
    assert not dear.packing()[0].is_whole
    assert module.is_exact(dear)
    assert module.is_exact(sale(BIDS, PAIR).options)
    assert not module.is_exact(
        sale([Reports([[1]], [2 * 10**14])] * 40, Market.simple(1, 40)).options
    )
    free = [Reports([[1]], [np.pi]), Reports([[1]], [1])]
    assert not module.is_exact(purchase(free, LOT, NO_PRICE).options)
    assert not module.is_exact(sale(free, PAIR).options)
