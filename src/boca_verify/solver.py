"""SCIP, a row at a time: linear programs, some of whose variables are whole numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal

from boca_verify.errors import Undecided

# Whole numbers that are further from one than this, and rows that are missed by more than this part
# of their terms, are a failure of the solver and not rounding.
TOLERANCE = 1e-5
# Between what was found and what is proven, as a difference.
GAP = 1e-9

How = Literal["optimal", "infeasible", "unbounded"]
ENDS: dict[str, How] = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
    "inforunbd": "unbounded",
}


@dataclass(frozen=True)
class Solution:
    """
    What SCIP answers.

    Parameters
    ----------
    how
        The way it ended.
    point
        One number per variable, whole where it must be; None if there is none.
    objective, bound
        Of the point, and what no point is better than.
    """

    how: How
    point: tuple[float, ...] | None = None
    objective: float = inf
    bound: float = inf


@dataclass(frozen=True)
class Row:
    """The row ``lower <= terms <= upper``; terms are variables with their coefficients."""

    terms: tuple[tuple[int, float], ...]
    lower: float
    upper: float

    def missed(self, point: Sequence[float]) -> float:
        """By how much a point misses it, as a part of the size of its terms."""
        values = [factor * point[k] for k, factor in self.terms]
        total, size = sum(values), 1 + sum(map(abs, values))
        return max(self.lower - total, total - self.upper) / size


class Program:
    """
    A linear program under construction.

    Parameters
    ----------
    maximise
        Whether the sum of costs is to be large, or small.
    """

    def __init__(self, maximise: bool):
        self.maximise = maximise
        self.costs: list[float] = []
        self.bounds: list[tuple[float, float]] = []
        self.wholes: set[int] = set()
        self.rows: list[Row] = []

    def variable(
        self, cost: float, lower: float = 0.0, upper: float = inf, is_whole: bool = False
    ) -> int:
        """A further variable; returns its number."""
        number = len(self.costs)
        self.costs.append(cost)
        self.bounds.append((lower, upper))
        if is_whole:
            self.wholes.add(number)
        return number

    def row(
        self, terms: Iterable[tuple[int, float]], lower: float = -inf, upper: float = inf
    ) -> None:
        """A further row; every variable at most once."""
        self.rows.append(Row(tuple(terms), lower, upper))

    def solve(self) -> Solution:
        """The best point; Undecided if SCIP says something that cannot be used."""
        # Only here: whether a chain of records is whole can be told without SCIP.
        import pyscipopt

        if any(not row.terms and (row.lower > 0 or row.upper < 0) for row in self.rows):
            return Solution("infeasible")
        scip = pyscipopt.Model()
        scip.hideOutput()
        scip.setParam("limits/gap", 0.0)
        scip.setParam("limits/absgap", GAP)
        variables = [
            scip.addVar(
                vtype="I" if number in self.wholes else "C",
                lb=lower if isfinite(lower) else None,
                ub=upper if isfinite(upper) else None,
            )
            for number, (lower, upper) in enumerate(self.bounds)
        ]
        terms = (cost * variables[k] for k, cost in enumerate(self.costs) if cost)
        scip.setObjective(pyscipopt.quicksum(terms), "maximize" if self.maximise else "minimize")
        for row in self.rows:
            if not row.terms:
                continue
            total = pyscipopt.quicksum(factor * variables[k] for k, factor in row.terms)
            if row.lower == row.upper:
                scip.addCons(total == row.lower)
                continue
            if isfinite(row.upper):
                scip.addCons(total <= row.upper)
            if isfinite(row.lower):
                scip.addCons(total >= row.lower)
        scip.optimize()

        end = scip.getStatus()
        if end not in ENDS:
            raise Undecided(f"SCIP stopped with '{end}'.")
        how = ENDS[end]
        if how == "unbounded" or not scip.getNSols():
            return Solution(how)
        point = self._rounded([scip.getVal(variable) for variable in variables])
        objective = sum(cost * value for cost, value in zip(self.costs, point, strict=True))
        return Solution(how, point, objective, float(scip.getDualbound()))

    def _rounded(self, raw: Sequence[float]) -> tuple[float, ...]:
        """The point within its bounds, with whole numbers; Undecided if that is another point."""
        rounded = [float(round(v)) if k in self.wholes else v for k, v in enumerate(raw)]
        point = tuple(
            min(max(value, lower), upper)
            for value, (lower, upper) in zip(rounded, self.bounds, strict=True)
        )
        away = max((abs(raw[k] - rounded[k]) for k in self.wholes), default=0.0)
        missed = max((row.missed(point) for row in self.rows), default=0.0)
        if max(away, missed) > TOLERANCE:
            raise Undecided(
                f"SCIP returned a point that misses a row or a whole number by "
                f"{max(away, missed):.1e}; expected at most {TOLERANCE:.0e}."
            )
        return point
