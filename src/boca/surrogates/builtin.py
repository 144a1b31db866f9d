"""
The surrogates that come with boca, by name: a class of parameters and a ``fit`` each.

Every ``fit`` has the same arguments and loads its framework when it is first called, so that the
names and parameters of all surrogates are known at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
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
from boca.surrogates.process.params import ProcessParams
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
    module, function
        Where it is.
    """

    module: str
    function: str = "fit"

    def __call__(
        self,
        reports: Sequence[Reports],
        demands: Sequence[Demands],
        market: Market,
        params: Mapping[str, Any],
        seeds: Seeds,
    ) -> dict[int, Fitted]:
        """As :class:`Fit` says."""
        fit: Fit = getattr(import_module(self.module), self.function)
        return fit(reports, demands, market, params, seeds)


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


BUILTIN: dict[str, Kind] = {
    "mvnn": Kind(MvnnParams, LoadedWhenCalled("boca.surrogates.mvnn.fit")),
    "mean-net": Kind(MeanNetParams, LoadedWhenCalled("boca.surrogates.mean_nets.fit")),
    "svr": Kind(SvrParams, LoadedWhenCalled("boca.surrogates.svr.fit")),
    "fourier": Kind(FourierParams, LoadedWhenCalled("boca.surrogates.fourier.fit")),
    "fourier-network": Kind(
        FourierParams, LoadedWhenCalled("boca.surrogates.fourier.fit", "fit_networks")
    ),
    "mixed": Kind(MixedParams, LoadedWhenCalled("boca.surrogates.mixed.fit")),
    "process": Kind(ProcessParams, LoadedWhenCalled("boca.surrogates.process.fit")),
    "joint": Kind(JointParams, LoadedWhenCalled("boca.surrogates.joint.fit")),
}
