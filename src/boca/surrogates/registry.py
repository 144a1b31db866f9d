"""What can learn from answers, by name: each surrogate has parameters and a `fit` function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.wording import did_you_mean
from boca.surrogates.fitted import Fitted


class Fit(Protocol):
    """Learns about every bidder from what it has answered."""

    def __call__(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, Any],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """
        One fitted function for each bidder that has answered anything; the others are left out.

        Parameters
        ----------
        reports, demands
            What each bidder has reported, and what it has wanted at which prices.
        market
            Goods and bidders.
        params
            Parameters by bidder type.
        seeds
            The random streams of the training.
        """
        ...


# A class of parameters, and what learns with them.
Parts = tuple[type, Fit]

_SURROGATES: dict[str, Callable[[], Parts]] = {}


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
        What learns, see :class:`Fit`.
    """
    _SURROGATES[name] = lambda: (params, fit)


def surrogate_names() -> tuple[str, ...]:
    """The names that are known."""
    return tuple(_SURROGATES)


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
        if self.name not in _SURROGATES:
            raise InputError(
                f"Received the surrogate {self.name!r}; {did_you_mean(self.name, _SURROGATES)}"
            )

    def fit(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """One fitted function for each bidder that has answered anything."""
        _, fit = _SURROGATES[self.name]()
        return fit(reports, demands, market, self.params, seeds)

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters as plain values, for files."""
        params = {kind: asdict(values) for kind, values in self.params.items()}
        return {"name": self.name, "params": params}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Surrogate":
        """The inverse of :meth:`to_dict`."""
        name = str(data["name"])
        if name not in _SURROGATES:
            raise InputError(
                f"Received the surrogate {name!r}; {did_you_mean(name, _SURROGATES)} "
                "A surrogate of your own must be registered before its file is read."
            )
        params_class, _ = _SURROGATES[name]()
        try:
            params = {kind: params_class(**values) for kind, values in data["params"].items()}
        except TypeError as error:
            raise InputError(
                f"The parameters of the surrogate '{name}' cannot be used: {error}."
            ) from None
        return cls(name, params)


def _mvnn() -> Parts:
    from boca.surrogates import MvnnParams, fit

    def fit_present(
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, MvnnParams],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        present = {i: own for i, own in enumerate(reports) if len(own)}
        return fit(present, market, params, seeds.integer(31))

    return MvnnParams, fit_present


def _mean_net() -> Parts:
    from boca.surrogates.mean_nets.params import MeanNetParams

    def load() -> Any:
        from boca.surrogates.mean_nets.fit import fit

        return fit

    return MeanNetParams, _values_only(load)


def _svr() -> Parts:
    from boca.surrogates.svr import SvrParams, fit

    return SvrParams, _values_only(lambda: fit)


def _fourier() -> Parts:
    from boca.surrogates.fourier import FourierParams, fit

    return FourierParams, _values_only(lambda: fit)


def _fourier_network() -> Parts:
    from boca.surrogates.fourier import FourierParams, fit_networks

    return FourierParams, _values_only(lambda: fit_networks)


def _values_only(load: Callable[[], Any]) -> Fit:
    def adapted(
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, Any],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        fitted: dict[int, Fitted] = load()(reports, market, params, seeds.integer(31))
        return fitted

    return adapted


# Loaded when first used, because the ML framework takes a second.
_SURROGATES |= {
    "mvnn": _mvnn,
    "mean-net": _mean_net,
    "svr": _svr,
    "fourier": _fourier,
    "fourier-network": _fourier_network,
}
