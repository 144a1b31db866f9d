"""One line of a search: what a hyperparameter may be."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from boca.core.errors import InputError
from boca.core.settings import check_keys

Scalar: TypeAlias = bool | int | float | str

# What a number is multiplied by before a network sees it: the number of reports, or the share of
# them that is in a mini-batch.
UNITS = ("", "reports", "batch share")


@dataclass(frozen=True)
class Choice:
    """
    One of several values.

    Parameters
    ----------
    values
        Scalars, or tables that set several hyperparameters at once.
    unit
        One of ``UNITS``.
    """

    values: tuple[Any, ...]
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("an empty list of choices; expected at least one.")
        kinds = {isinstance(value, Mapping) for value in self.values}
        if len(kinds) > 1:
            raise InputError("choices that are partly tables; expected all of them or none.")
        if len(set(self.labels)) < len(self.labels):
            raise InputError("the same choice twice; expected each once.")

    @property
    def labels(self) -> tuple[Scalar, ...]:
        """The values as scalars: a table in a few words."""
        return tuple(label_of(value) for value in self.values)

    @property
    def corners(self) -> tuple[Scalar, ...]:
        """Every value, because any of them may be wrong."""
        return self.labels

    def value_of(self, label: Any) -> Any:
        """The value behind a label."""
        return self.values[self.labels.index(label)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in a file."""
        return {"choices": list(self.values), "unit": self.unit}


@dataclass(frozen=True)
class Interval:
    """
    A number between two others, both included.

    Parameters
    ----------
    low, high
        The smallest and the largest value.
    log
        Whether the logarithm is spread evenly instead of the number.
    step
        Distance of the values that can be taken; None for any number.
    unit
        One of ``UNITS``.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        for name in ("low", "high", "step"):
            value = getattr(self, name)
            if value is not None and not is_number(value):
                raise InputError(f"{name} = {value!r}; expected a finite number.")
        if type(self.log) is not bool:
            raise InputError(f"log = {self.log!r}; expected true or false.")
        if not self.low < self.high:
            raise InputError(f"low = {self.low:g} and high = {self.high:g}; expected low < high.")
        if self.log and self.low <= 0:
            raise InputError(f"low = {self.low:g} with log; expected a number above 0.")
        if self.step is not None and (self.log or not 0 < self.step <= self.high - self.low):
            raise InputError(f"step = {self.step:g}; expected one that fits, and no log.")

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers are meant, which is how the ends are written."""
        return all(isinstance(end, int) for end in (self.low, self.high))

    @property
    def corners(self) -> tuple[float, ...]:
        """The two ends."""
        return self.low, self.high

    def value_of(self, number: Any) -> Any:
        """The number itself."""
        return number

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in a file."""
        return asdict(self)


Dimension: TypeAlias = Choice | Interval


def read_dimension(data: Any) -> Dimension:
    """
    A dimension from a table with ``choices``, or with ``low`` and ``high``.

    Parameters
    ----------
    data
        The table.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{data!r}; expected a table with choices, or with low and high.")
    unit = data.get("unit", "")
    if unit not in UNITS:
        raise InputError(f"unit = {unit!r}; expected 'reports' or 'batch share'.")
    if "choices" in data:
        check_keys(data, ("choices", "unit"), "key of a range")
        if not isinstance(data["choices"], list):
            raise InputError(f"choices = {data['choices']!r}; expected a list.")
        return Choice(tuple(data["choices"]), unit)
    check_keys(data, ("low", "high", "log", "step", "unit"), "key of a range")
    if not {"low", "high"} <= data.keys():
        raise InputError(f"only {', '.join(data) or 'nothing'}; expected low and high, or choices.")
    return Interval(**data)


def label_of(value: Any) -> Scalar:
    """A scalar as it is, a table as ``hidden_layers 2, hidden_units 32``."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    if not isinstance(value, bool | int | float | str):
        raise InputError(f"the choice {value!r}; expected a number, a word, true or false.")
    return value


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
