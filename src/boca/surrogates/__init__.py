"""Learning: reports in, fitted functions out. The only folder that knows the ML framework."""

from collections.abc import Mapping, Sequence

from boca.core import Market, Reports, Seeds
from boca.surrogates.fitted import AcquisitionKind, Fitted
from boca.surrogates.hyperparameters import defaults, published
from boca.surrogates.mvnn.params import MvnnParams

__all__ = ["AcquisitionKind", "Fitted", "MvnnParams", "defaults", "fit", "published"]


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MvnnParams] | MvnnParams,
    seed: int | Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns a mean, an upper bound and an envelope of every bidder from its reports.

    See :func:`boca.surrogates.mvnn.fit.fit`. The ML framework is imported at the first call, so
    that ``import boca.surrogates`` is quick.
    """
    from boca.surrogates.mvnn.fit import fit as fit_networks

    return fit_networks(reports, market, params, seed, num_threads)
