"""What can learn from reports, by name: each entry gives a parameter class and a `fit` function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.surrogates.arguments import reporting
from boca.surrogates.fitted import Fitted

# A class of parameters, and fit(reports, market, params by bidder type, seed).
Parts = tuple[type, Callable[..., dict[int, Fitted]]]


def _mvnn() -> Parts:
    from boca.surrogates.mvnn.fit import MvnnParams, fit_bidders

    return MvnnParams, _present(fit_bidders)


def _mean_net() -> Parts:
    from boca.surrogates.mean_nets.fit import MeanNetParams, fit_bidders

    return MeanNetParams, _present(fit_bidders)


def _svr() -> Parts:
    from boca.surrogates.svr.fit import SvrParams, fit

    return SvrParams, lambda reports, *rest: fit(reports, [], *rest)


def _fourier() -> Parts:
    from boca.surrogates.fourier.fit import FourierParams, fit_bidders

    return FourierParams, _present(fit_bidders)


def _fourier_network() -> Parts:
    from boca.surrogates.fourier.fit import FourierParams, fit_means, network_params

    def fit(reports, market, params, seeds):
        return fit_means(reports, market, network_params(params), seeds)

    return FourierParams, _present(fit)


def _present(fit: Callable[..., dict[int, Fitted]]) -> Callable[..., dict[int, Fitted]]:
    """Calls with the reports of those who have any and with the stream of a seed."""

    def fit_present(
        reports: Sequence[Reports], market: Market, params: Mapping[str, Any], seed: int
    ) -> dict[int, Fitted]:
        return fit(reporting(reports), market, params, Seeds(seed))

    return fit_present


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
