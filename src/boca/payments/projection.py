"""
The cheapest payments that satisfy everybody, and of these the nearest to the least ones: exactly.

In whole units of money,

    minimise M (x_1 + ... + x_n) + |x|^2 / 2   subject to   sum_{i in S} x_i >= b_S,   0 <= x <= u,

where M is so large that the sum decides first and the distance only among equal sums. Goldfarb and
Idnani's dual method (1983, "A numerically stable dual method for solving strictly convex quadratic
programs") starts at the unconstrained minimum and takes in one violated row after another, so a row
more costs a few steps from the last point. All numbers are fractions: nothing is rounded, and
no two tolerances can contradict each other.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from boca.core.errors import SolverError

# A row of the active set: the number of a demand, or ("lower" | "upper", variable) for a bound.
_Row: TypeAlias = int | tuple[str, int]


class CheapestPoint:
    """
    The cheapest point above 0 that meets some demands; of the cheapest ones the nearest to 0.

    Parameters
    ----------
    upper
        The most of each variable, whole numbers at least 0.

    Attributes
    ----------
    point
        The variables.
    """

    def __init__(self, upper: Sequence[int]):
        num = len(upper)
        self.upper = list(upper)
        self.point = [Fraction(0)] * num
        self._demands: list[tuple[frozenset[int], int]] = []
        # All numbers on the way are a + b M, with numerators and denominators made of determinants
        # of at most n rows of zeros and ones (at most n^(n/2) by Hadamard) and of the offsets. M
        # is so large that the sign of b decides wherever b is not 0.
        digits = 8 * (num + 1) * num.bit_length() + 2 * sum(self.upper).bit_length()
        pull = Fraction(2 ** (digits + 64))
        # At 0 every lower bound holds against the pull of M.
        self._multipliers: dict[_Row, Fraction] = {("lower", i): pull for i in range(num)}

    def require(self, members: Sequence[int], least: int) -> None:
        """Takes in a demand: these variables together are at least so much, if they can be."""
        most = sum(self.upper[i] for i in members)
        self._demands.append((frozenset(members), min(least, most)))
        while (row := self._most_violated()) is not None:
            self._take_in(row)

    def _normal(self, row: _Row) -> dict[int, int]:
        """What multiplies the variables in a row; 0 where nothing is said."""
        if isinstance(row, int):
            return dict.fromkeys(self._demands[row][0], 1)
        return {row[1]: 1 if row[0] == "lower" else -1}

    def _slack(self, row: _Row) -> Fraction:
        """By how much a row holds; negative where it is violated."""
        if isinstance(row, int):
            members, least = self._demands[row]
            return sum((self.point[i] for i in members), Fraction(-least))
        side, i = row
        return self.point[i] if side == "lower" else self.upper[i] - self.point[i]

    def _most_violated(self) -> _Row | None:
        rows: list[_Row] = list(range(len(self._demands)))
        for i in range(len(self.point)):
            rows += [("lower", i), ("upper", i)]
        worst = min(
            ((self._slack(row), k) for k, row in enumerate(rows) if row not in self._multipliers),
            default=None,
        )
        return rows[worst[1]] if worst is not None and worst[0] < 0 else None

    def _take_in(self, row: _Row) -> None:
        """Goes to the nearest point that satisfies a violated row too; some rows give way."""
        normal = self._normal(row)
        multiplier = Fraction(0)
        while True:
            shares, step = self._direction(normal)
            ratios = [(self._multipliers[r] / s, k) for k, (r, s) in enumerate(shares) if s > 0]
            until_one_leaves = min(ratios, default=None)
            climb = sum((step.get(i, Fraction(0)) * c for i, c in normal.items()), Fraction(0))
            if climb:
                until_satisfied = -self._slack(row) / climb
                if until_one_leaves is None or until_satisfied <= until_one_leaves[0]:
                    self._move(shares, step, until_satisfied)
                    self._multipliers[row] = multiplier + until_satisfied
                    return
            if until_one_leaves is None:
                raise SolverError("Two demands on payments contradict each other.")
            length, leaving = until_one_leaves
            self._move(shares, step, length)
            multiplier += length
            del self._multipliers[shares[leaving][0]]

    def _move(
        self, shares: list[tuple[_Row, Fraction]], step: dict[int, Fraction], length: Fraction
    ) -> None:
        for i, change in step.items():
            self.point[i] += length * change
        for row, share in shares:
            self._multipliers[row] -= length * share

    def _direction(
        self, normal: dict[int, int]
    ) -> tuple[list[tuple[_Row, Fraction]], dict[int, Fraction]]:
        """
        A normal as a mix of the active ones, and what is left of it.

        Variables at a bound are left out first, so that the equations are as many as active
        demands, which are few.
        """
        held = {row[1]: row for row in self._multipliers if not isinstance(row, int)}
        demands = [row for row in self._multipliers if isinstance(row, int)]
        free = [self._demands[row][0] - held.keys() for row in demands]
        products = [[Fraction(len(a & b)) for b in free] for a in free]
        sides = [Fraction(sum(normal.get(i, 0) for i in a)) for a in free]
        mix = _solved(products, sides)
        rest = [Fraction(normal.get(i, 0)) for i in range(len(self.point))]
        for row, share in zip(demands, mix, strict=True):
            for i in self._demands[row][0]:
                rest[i] -= share
        shares: list[tuple[_Row, Fraction]] = list(zip(demands, mix, strict=True))
        shares += [(row, rest[i] if row[0] == "lower" else -rest[i]) for i, row in held.items()]
        return shares, {i: change for i, change in enumerate(rest) if i not in held and change}


def _solved(matrix: list[list[Fraction]], sides: list[Fraction]) -> list[Fraction]:
    """The solution of a positive definite system, by Gauss and Jordan: no pivot is ever 0."""
    num = len(sides)
    rows = [[*row, side] for row, side in zip(matrix, sides, strict=True)]
    for k in range(num):
        rows[k] = [number / rows[k][k] for number in rows[k]]
        for j in range(num):
            if j != k and rows[j][k]:
                factor = rows[j][k]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[k], strict=True)]
    return [row[-1] for row in rows]
