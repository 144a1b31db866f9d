"""What is believed of a student's utility before any comparison."""

from dataclasses import dataclass

import numpy as np

from boca.core.frozen import read_only, set_fields
from boca.functions import AdjustedSum

# Points of the scale on which a student's highest rating is this.
TOP = 100.0
# Smaller ratings count as untyped: nobody means them, and their squares would vanish.
LEAST_RATING = 1e-6


@dataclass(frozen=True, eq=False)
class Prior:
    """
    Independent normal distributions of a worth per course and an effect per pair of courses.

    Parameters
    ----------
    mean, variance
        Of the worth of single courses ``(num_goods,)``, in the student's own points.
    pairs, pair_variance
        Of the effects of pairs, symmetric ``(num_goods, num_goods)`` with zeros on the diagonal.
    unit
        The student's own points that make one of a hundred.
    """

    mean: np.ndarray
    variance: np.ndarray
    pairs: np.ndarray
    pair_variance: np.ndarray
    unit: float

    def __post_init__(self) -> None:
        for name in ("mean", "variance", "pairs", "pair_variance"):
            set_fields(self, **{name: read_only(np.array(getattr(self, name), dtype=float))})

    @property
    def num_goods(self) -> int:
        return len(self.mean)


@dataclass(frozen=True, eq=False)
class Form:
    """
    One student's form on the common scale.

    Parameters
    ----------
    unit
        The student's own points that make one of a hundred.
    ratings
        On the common scale ``(num_goods,)``; 0 where none was typed.
    typed
        Where one was.
    factors, points
        What pairs that were typed add: a share of the two courses' worth, and points
        ``(num_goods, num_goods)``, symmetric.
    stated
        Which pairs were typed.
    """

    unit: float
    ratings: np.ndarray
    typed: np.ndarray
    factors: np.ndarray
    points: np.ndarray
    stated: np.ndarray

    @classmethod
    def of(cls, function: AdjustedSum) -> "Form":
        """A form from ratings and adjustments; a rating of 0 or below is one not typed."""
        typed = function.ratings > LEAST_RATING
        unit = float(function.ratings.max()) / TOP if typed.any() else 1.0
        num = function.num_goods
        factors, points = np.zeros((num, num)), np.zeros((num, num))
        stated = np.zeros((num, num), dtype=bool)
        for part in function.adjustments:
            at = np.ix_(part.goods, part.goods)
            size = len(part.goods)
            # Two courses of a set change their ratings by this share; what three change is nearer
            # to three pairs than to what forms say of them.
            factors[at] += part.factors[2]
            # Points for the whole set are spread over its pairs.
            points[at] += part.points[size] / (size * (size - 1) / 2) / unit
            stated[at] = True
        for matrix in (factors, points, stated):
            np.fill_diagonal(matrix, 0)
        return cls(
            unit, np.where(typed, function.ratings / unit, 0.0), typed, factors, points, stated
        )

    @property
    def lowest(self) -> float:
        """The smallest typed rating; infinite if none was typed."""
        return float(self.ratings[self.typed].min(initial=np.inf))
