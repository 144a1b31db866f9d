"""What can learn from reports, by name: each entry gives a parameter class and a `fit` function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.surrogates.fitted import Fitted

# A class of parameters, and fit(reports, market, params by bidder type, seed).
Parts = tuple[type, Callable[..., dict[int, Fitted]]]


def _mvnn() -> Parts:
    from boca.surrogates import MvnnParams, fit

    def fit_present(
        reports: Sequence[Reports], market: Market, params: Mapping[str, MvnnParams], seed: int
    ) -> dict[int, Fitted]:
        present = {i: own for i, own in enumerate(reports) if len(own)}
        return fit(present, market, params, seed)

    return MvnnParams, fit_present


def _mean_net() -> Parts:
    from boca.surrogates.mean_nets.fit import fit
    from boca.surrogates.mean_nets.params import MeanNetParams

    return MeanNetParams, fit


def _svr() -> Parts:
    from boca.surrogates.svr import SvrParams, fit

    return SvrParams, fit


def _fourier() -> Parts:
    from boca.surrogates.fourier import FourierParams, fit

    return FourierParams, fit


def _fourier_network() -> Parts:
    from boca.surrogates.fourier import FourierParams, fit_networks

    return FourierParams, fit_networks


# Loaded when first used, because the ML framework takes a second.
LEARNERS: dict[str, Callable[[], Parts]] = {
    "mvnn": _mvnn,
    "mean-net": _mean_net,
    "svr": _svr,
    "fourier": _fourier,
    "fourier-network": _fourier_network,
}


@dataclass(frozen=True)
class Learner:
    """
    Reports in, fitted functions out.

    Parameters
    ----------
    name
        A key of ``LEARNERS``.
    params
        Parameters by bidder type, as plain values.
    """

    name: str
    params: Mapping[str, Mapping[str, Any]]

    def __post_init__(self):
        if self.name not in LEARNERS:
            raise InputError(
                f"Received the surrogate {self.name!r}; expected one of {', '.join(LEARNERS)}."
            )

    def fit(self, reports: Sequence[Reports], market: Market, seed: int) -> dict[int, Fitted]:
        """One fitted function a bidder that has reports; the others are left out."""
        params_class, fit = LEARNERS[self.name]()
        params = {kind: params_class(**values) for kind, values in self.params.items()}
        return fit(reports, market, params, seed)
