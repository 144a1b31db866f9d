"""
The surrogates that come with boca, by name: a class of parameters and a ``fit`` each.

Every ``fit`` has the same arguments and loads its framework when it is first called, so that the
names and parameters of all surrogates are known at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.surrogates.fitted import Fitted
from boca.surrogates.fourier.params import FourierParams
from boca.surrogates.joint.params import JointParams
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mixed.params import MixedParams
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.svr.params import SvrParams


class Fit(Protocol):
    """What learns: reports and demands in, fitted functions out."""

    def __call__(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, Any],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """
        Learns about every bidder that has reports; the others are left out.

        Parameters
        ----------
        reports, demands
            What each bidder has said, one entry per bidder of the market. Surrogates that learn
            from values alone ignore the demands.
        market
            Goods and bidders.
        params
            Parameters of each bidder type.
        seeds
            Same stream, same functions.
        """
        ...


@dataclass(frozen=True)
class LoadedWhenCalled:
    """
    A ``fit`` whose module is imported at its first call.

    Parameters
    ----------
    load
        Imports the module and returns its function.
    """

    load: Callable[[], Fit]

    def __call__(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, Any],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """As :class:`Fit` says."""
        return self.load()(reports, demands, market, params, seeds)


class Kind(NamedTuple):
    """
    One way to learn.

    Parameters
    ----------
    params_class
        Its settings for one bidder type: a frozen dataclass of plain values.
    fit
        What learns.
    """

    params_class: type
    fit: Fit


def _mvnn() -> Fit:
    from boca.surrogates.mvnn.fit import fit

    return fit


def _mean_nets() -> Fit:
    from boca.surrogates.mean_nets.fit import fit

    return fit


def _svr() -> Fit:
    from boca.surrogates.svr.fit import fit

    return fit


def _fourier() -> Fit:
    from boca.surrogates.fourier.fit import fit

    return fit


def _fourier_networks() -> Fit:
    from boca.surrogates.fourier.fit import fit_networks

    return fit_networks


def _mixed() -> Fit:
    from boca.surrogates.mixed.fit import fit

    return fit


def _joint() -> Fit:
    from boca.surrogates.joint.fit import fit

    return fit


BUILTIN: dict[str, Kind] = {
    "mvnn": Kind(MvnnParams, LoadedWhenCalled(_mvnn)),
    "mean-net": Kind(MeanNetParams, LoadedWhenCalled(_mean_nets)),
    "svr": Kind(SvrParams, LoadedWhenCalled(_svr)),
    "fourier": Kind(FourierParams, LoadedWhenCalled(_fourier)),
    "fourier-network": Kind(FourierParams, LoadedWhenCalled(_fourier_networks)),
    "mixed": Kind(MixedParams, LoadedWhenCalled(_mixed)),
    "joint": Kind(JointParams, LoadedWhenCalled(_joint)),
}
