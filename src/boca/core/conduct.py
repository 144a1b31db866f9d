"""What people meet in an auction by a mechanism, as the mechanism tells it: plain values."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Conduct:
    """
    How a mechanism behaves towards whoever answers.

    Parameters
    ----------
    is_for_people
        Whether its questions can be answered by hand, one value or one bundle each.
    announces_prices
        Whether it also asks which bundle is wanted at announced prices.
    needs_start_prices
        Whether it begins with prices that somebody has to set.
    has_own_pace
        Whether it chooses the number of questions in a round by itself, within the budget.
    learns
        Whether planning learns from answers, which takes its time.
    """

    is_for_people: bool = True
    announces_prices: bool = False
    needs_start_prices: bool = False
    has_own_pace: bool = False
    learns: bool = True

    def to_dict(self) -> dict[str, bool]:
        """Plain values, for logs and other processes."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Conduct":
        """The inverse of :meth:`to_dict`, for values that anybody may have written."""
        values = {name: data[name] for name in asdict(cls())}
        for name, value in values.items():
            if not isinstance(value, bool):
                raise TypeError(f"{name} is {value!r}, not true or false")
        return cls(**values)
