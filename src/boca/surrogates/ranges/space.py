"""What a search may choose about a surrogate: ranges in, parameters out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from boca.core.errors import InputError
from boca.core.settings import check_keys
from boca.core.wording import did_you_mean
from boca.surrogates.ranges.dimension import Dimension, read_dimension
from boca.surrogates.registry import Surrogate

# Any bidder type will do where only the class of the parameters matters.
ANYBODY = "any"

# Reports that ranges are tried out with when they are read.
USUAL_REPORTS = 50


@dataclass(frozen=True)
class Space:
    """
    The ranges of one surrogate. Checked on construction, at the ends of every range.

    Parameters
    ----------
    surrogate
        A registered name.
    dimensions
        Ranges by hyperparameter, or by any other name where the choices are tables.
    fixed
        Hyperparameters that have one value only.
    """

    surrogate: str
    dimensions: Mapping[str, Dimension]
    fixed: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not self.dimensions:
            raise InputError("There is nothing to choose; expected a table [ranges].")
        valid = field_names(self.surrogate)
        for name in self._names():
            if name not in valid:
                raise InputError(f"'{name}' is no hyperparameter; {did_you_mean(name, valid)}")
        start = {name: dimension.corners[0] for name, dimension in self.dimensions.items()}
        for name, dimension in self.dimensions.items():
            for corner in dimension.corners:
                try:
                    self.params({**start, name: corner}, USUAL_REPORTS)
                except (InputError, TypeError) as error:
                    raise InputError(f"{name} may become {corner!r}: {error}") from None

    def params(self, point: Mapping[str, Any], num_reports: int) -> Any:
        """
        The parameters that a point of the space means.

        Parameters
        ----------
        point
            A number or label for every dimension.
        num_reports
            Reports that networks are trained on, for what is relative to them.
        """
        values = dict(self.fixed)
        for name, dimension in self.dimensions.items():
            value = dimension.value_of(point[name])
            if isinstance(value, Mapping):
                values |= value
            else:
                values[name] = value
        for name, dimension in self.dimensions.items():
            if dimension.unit == "reports":
                values[name] = math.ceil(values[name] * num_reports)
        for name, dimension in self.dimensions.items():
            if dimension.unit == "batch share":
                share = values.get("batch_size", num_reports) / num_reports
                values[name] = max(1, round(values[name] * share))
        return make_params(self.surrogate, values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in a file."""
        return {
            "surrogate": self.surrogate,
            "fixed": dict(self.fixed),
            "ranges": {name: dimension.to_dict() for name, dimension in self.dimensions.items()},
        }

    @classmethod
    def from_dict(cls, data: Any, source: str = "The ranges") -> "Space":
        """
        Reads and checks ranges; every mistake is one line that begins with their source.

        Parameters
        ----------
        data
            Tables ``fixed`` and ``ranges``, and the name of the surrogate.
        source
            Where they come from.
        """
        try:
            check_keys(data, ("surrogate", "fixed", "ranges"), "key of a file of ranges")
            surrogate, ranges = data.get("surrogate", "mvnn"), data.get("ranges", {})
            fixed = data.get("fixed", {})
            if not isinstance(surrogate, str):
                raise InputError(f"Received surrogate = {surrogate!r}; expected its name.")
            for name, part in (("ranges", ranges), ("fixed", fixed)):
                if not isinstance(part, Mapping):
                    raise InputError(f"Received {name} = {part!r}; expected a table.")
            return cls(surrogate, {name: _read(name, ranges[name]) for name in ranges}, fixed)
        except InputError as error:
            raise InputError(f"{source} cannot be used: {error}") from None

    def _names(self) -> list[str]:
        """Every hyperparameter that is set by a range or fixed."""
        names = list(self.fixed)
        for name, dimension in self.dimensions.items():
            values = [dimension.value_of(corner) for corner in dimension.corners]
            tables = [value for value in values if isinstance(value, Mapping)]
            names += [key for table in tables for key in table] if tables else [name]
        return list(dict.fromkeys(names))


def make_params(surrogate: str, values: Mapping[str, Any]) -> Any:
    """Parameters of a surrogate from plain values, checked by their class."""
    return Surrogate.from_dict({"name": surrogate, "params": {ANYBODY: values}}).params[ANYBODY]


def field_names(surrogate: str) -> list[str]:
    """What the parameters of a surrogate are called."""
    return [field.name for field in fields(make_params(surrogate, {}))]


def _read(name: str, data: Any) -> Dimension:
    try:
        return read_dimension(data)
    except InputError as error:
        raise InputError(f"The range of {name} has {error}") from None
