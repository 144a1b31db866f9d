"""Sums of ratings, with adjustments for goods that go together or stand in for each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions.arrays import as_rows, blocks, frozen, frozen_capacities


@dataclass(frozen=True, eq=False)
class Adjustment:
    """
    What taking several goods of one set changes.

    With t goods of the set in a bundle, the bundle is worth ``points[t]`` more, and the ratings
    of these t goods count ``factors[t]`` times more.

    Parameters
    ----------
    goods
        At least two different goods, by their numbers.
    points
        One number for each t from 0 to the number of goods; all 0 if None.
    factors
        One number for each t likewise, such as 0.4 for complements; all 0 if None.
    """

    goods: np.ndarray
    points: np.ndarray = None  # type: ignore[assignment]
    factors: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        goods = np.array(self.goods, dtype=np.int64)
        if goods.ndim != 1 or len(goods) < 2 or len(np.unique(goods)) < len(goods):
            raise InputError(
                f"Received an adjustment of the goods {goods.tolist()}; expected two or more "
                "different ones."
            )
        goods.flags.writeable = False
        nothing = np.zeros(len(goods) + 1)
        object.__setattr__(self, "goods", goods)
        for name in ("points", "factors"):
            given = getattr(self, name)
            array = frozen(nothing if given is None else given, nothing.shape, name)
            object.__setattr__(self, name, array)

    @classmethod
    def together(cls, goods: Any, points: float) -> "Adjustment":
        """Points, of either sign, for holding all of the goods."""
        count = len(np.atleast_1d(goods))
        return cls(goods, np.append(np.zeros(count), points))


@dataclass(frozen=True, eq=False)
class AdjustedSum:
    """
    The sum of the ratings of all copies in a bundle, plus the adjustments of its sets of goods.

    Parameters
    ----------
    ratings
        Worth of one copy of each good ``(num_goods,)``, of any sign.
    adjustments
        What certain sets change.
    capacities
        Copies of each good ``(num_goods,)``; all 1 if None.
    """

    ratings: np.ndarray
    adjustments: tuple[Adjustment, ...] = ()
    capacities: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        ratings = frozen(self.ratings, (-1,), "ratings")
        object.__setattr__(self, "ratings", ratings)
        object.__setattr__(self, "adjustments", tuple(self.adjustments))
        object.__setattr__(self, "capacities", frozen_capacities(self.capacities, len(ratings)))
        for adjustment in self.adjustments:
            if adjustment.goods.min() < 0 or adjustment.goods.max() >= len(ratings):
                raise InputError(
                    f"Received an adjustment of the goods {adjustment.goods.tolist()}; expected "
                    f"numbers from 0 to {len(ratings) - 1}."
                )

    @property
    def num_goods(self) -> int:
        return len(self.ratings)

    def __call__(self, bundles: Any) -> np.ndarray:
        rows = as_rows(bundles, self.capacities)
        values = np.empty(len(rows))
        for block in blocks(len(rows), self.num_goods):
            values[block] = rows[block] @ self.ratings
            for adjustment in self.adjustments:
                part = rows[block][:, adjustment.goods]
                taken = (part > 0).sum(axis=1)
                ratings = part @ self.ratings[adjustment.goods]
                values[block] += adjustment.points[taken] + adjustment.factors[taken] * ratings
        return values
