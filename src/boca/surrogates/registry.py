"""What can learn from answers, by name: each surrogate has parameters and a `fit` function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.settings import plain
from boca.core.wording import did_you_mean
from boca.surrogates.builtin import BUILTIN, Fit, Kind
from boca.surrogates.fitted import Fitted

_KINDS: dict[str, Kind] = dict(BUILTIN)


def register_surrogate(name: str, params: type, fit: Fit) -> None:
    """
    Makes a surrogate known under a name, for auctions and their files.

    Parameters
    ----------
    name
        What settings call it. A name used before is taken over.
    params
        A frozen dataclass; one object of it serves one bidder type.
    fit
        What learns, see :class:`boca.surrogates.builtin.Fit`.
    """
    _KINDS[name] = Kind(params, fit)


def surrogate_names() -> tuple[str, ...]:
    """The names that are known."""
    return tuple(_KINDS)


@dataclass(frozen=True)
class Surrogate:
    """
    A surrogate with its parameters: answers in, fitted functions out.

    Parameters
    ----------
    name
        A name that was registered.
    params
        Parameters by bidder type, objects of the surrogate's own class.
    """

    name: str
    params: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.name not in _KINDS:
            raise InputError(
                f"Received the surrogate {self.name!r}; {did_you_mean(self.name, _KINDS)}"
            )

    def fit(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """One fitted function for each bidder that has answered anything."""
        return _KINDS[self.name].fit(reports, demands, market, self.params, seeds)

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters as plain values, for files."""
        params = {kind: plain(values) for kind, values in self.params.items()}
        return {"name": self.name, "params": params}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Surrogate":
        """The inverse of :meth:`to_dict`."""
        name = str(data["name"])
        if name not in _KINDS:
            raise InputError(
                f"Received the surrogate {name!r}; {did_you_mean(name, _KINDS)} "
                "A surrogate of your own must be registered before its file is read."
            )
        params_class = _KINDS[name].params_class
        try:
            params = {kind: params_class(**values) for kind, values in data["params"].items()}
        except TypeError as error:
            raise InputError(
                f"The parameters of the surrogate '{name}' cannot be used: {error}."
            ) from None
        return cls(name, params)
