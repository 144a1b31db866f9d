"""How far forms and answers are believed."""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.settings import check_types


@dataclass(frozen=True)
class PairwiseParams:
    """
    The settings of a belief, in points of a scale where a student's highest rating is 100.

    The defaults were set by thought, knowing how the mistakes in simulated forms arise; they were
    not chosen by results.

    Parameters
    ----------
    rating_noise
        Standard deviation of a typed rating around what the student would say after thinking.
    typed_share
        Standard deviation of a pair's effect that was typed, as a share of the two ratings.
    pair_share
        The same for a pair that nobody mentioned.
    minor_share
        Factor of the last for pairs without one of the student's ``num_high`` best courses.
    num_high
        Courses that count as a student's best.
    doubt
        Standard deviation of the error with which people compare two schedules.
    same_within
        Standard deviation of the difference of two schedules that are called about the same.
    detection
        How probable it is that a student types the effect of a pair that has one.
    is_pooled
        Whether a student's belief starts from what others typed too; if None, only if typed pairs
        repeat among students more often than chance explains.
    significance
        p-value below which it does not.
    """

    rating_noise: float = 20.0
    typed_share: float = 0.15
    pair_share: float = 0.12
    minor_share: float = 0.3
    num_high: int = 3
    doubt: float = 5.0
    same_within: float = 5.0
    detection: float = 0.25
    is_pooled: bool | None = None
    significance: float = 0.01

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("rating_noise", "typed_share", "pair_share", "doubt", "same_within"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"Received {name} = {value}; expected a positive number.")
        for name in ("minor_share", "detection", "significance"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(
                    f"Received {name} = {getattr(self, name)}; expected above 0, at most 1."
                )
        if self.num_high < 1:
            raise InputError(f"Received num_high = {self.num_high}; expected at least 1.")
