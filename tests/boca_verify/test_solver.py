"""Small programs whose best points are known, and answers of a solver that cannot be used."""

import pyscipopt
import pytest

from boca_verify import Undecided
from boca_verify.solver import Program


def tell(monkeypatch, **answers):
    """A SCIP whose methods answer something else."""
    methods = {name: lambda self, *_, answer=answer: answer() for name, answer in answers.items()}
    monkeypatch.setattr(pyscipopt, "Model", type("Liar", (pyscipopt.Model,), methods))


def knapsack(is_whole=True, maximise=True):
    """Three things of weights 2, 3 and 4, in a bag for 6."""
    program = Program(maximise)
    things = [program.variable(worth, upper=1.0, is_whole=is_whole) for worth in (3.0, 4.0, 6.0)]
    program.row(list(zip(things, (2.0, 3.0, 4.0), strict=True)), upper=6.0)
    return program


def test_the_best_point_is_found_and_proven():
    """Tests whole numbers: the first and the last thing fill the bag."""
    solution = knapsack().solve()
    assert (solution.how, solution.point) == ("optimal", (1.0, 0.0, 1.0))
    assert solution.objective == 9.0
    assert solution.bound == pytest.approx(9.0)


def test_numbers_may_be_parts():
    """Tests a linear program with a row that bounds from below and one from both sides."""
    program = Program(maximise=False)
    x, y = program.variable(2.0), program.variable(3.0, lower=0.5, upper=8.0)
    program.row([(x, 1.0), (y, 1.0)], lower=4.0)
    program.row([(x, 1.0), (y, -1.0)], 2.0, 2.0)
    assert program.solve().point == pytest.approx((3.0, 1.0))
    program.row([(x, 1.0)], upper=2.75)
    program.row([], lower=0.0, upper=0.0)
    assert program.solve().how == "infeasible"


def test_without_a_point_there_is_none():
    """Tests what has no point, and what has no best one."""
    program = knapsack()
    program.row([], lower=1.0)
    assert program.solve().how == "infeasible"
    program = knapsack()
    program.row([], upper=-1.0)
    assert program.solve().how == "infeasible"
    program = Program(maximise=True)
    program.row([(program.variable(1.0), 1.0)], lower=1.0)
    solution = program.solve()
    assert (solution.how, solution.point) == ("unbounded", None)


@pytest.mark.parametrize("raw", [(1.0, 0.4, 1.0), (1.0, 1.0, 1.0), (1.0, 2e-5, 1.0)])
def test_an_answer_that_misses_something_is_none(raw, monkeypatch):
    """Tests a solver that errs: no whole number, or a row that does not hold."""
    tell(monkeypatch, getVal=iter(raw).__next__)
    with pytest.raises(Undecided, match="misses a row or a whole number"):
        knapsack().solve()


def test_rounding_is_taken_off(monkeypatch):
    """Tests that whole numbers and bounds hold to the last digit."""
    tell(monkeypatch, getVal=iter((1.0 + 1e-9, -1e-9, 1 - 1e-9)).__next__)
    assert knapsack().solve().point == (1.0, 0.0, 1.0)
    tell(monkeypatch, getVal=iter((1.0 + 1e-9, -1e-9, 0.5)).__next__)
    assert knapsack(is_whole=False).solve().point == (1.0, 0.0, 0.5)


def test_an_end_that_is_not_known_decides_nothing(monkeypatch):
    """Tests that only ends that are understood count."""
    tell(monkeypatch, getStatus=lambda: "userinterrupt")
    with pytest.raises(Undecided, match="SCIP stopped with 'userinterrupt'"):
        knapsack().solve()
