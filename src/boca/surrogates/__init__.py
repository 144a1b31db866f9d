"""Learning: reports in, fitted functions out. The only folder that knows the ML framework."""

from collections.abc import Mapping, Sequence
from numbers import Integral

from boca.core import InputError, Market, Reports, Seeds
from boca.core.settings import check_whole
from boca.surrogates.fitted import AcquisitionKind, Fitted
from boca.surrogates.hyperparameters import defaults, published
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.registry import Surrogate, register_surrogate

__all__ = [
    "AcquisitionKind",
    "Fitted",
    "MvnnParams",
    "Surrogate",
    "defaults",
    "fit",
    "published",
    "register_surrogate",
]

# What is expected of each kind, in messages.
WORDS: dict[type, str] = {
    Integral: "the number of a bidder",
    Reports: "Reports(bundles, values)",
    MvnnParams: "MvnnParams",
}


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MvnnParams] | MvnnParams,
    seed: int | Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns a mean, an upper bound and an envelope of each bidder's values from its reports.

    The ML framework is imported at the first call, so that ``import boca.surrogates`` is quick.

    Parameters
    ----------
    reports
        Reports of each bidder: a sequence over all bidders, or a mapping from the bidders that
        should be fitted. Each must hold the full bundle, unless the bidder's limits forbid it.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type, or the same for all.
    seed
        Same seed, same networks; those of a bidder do not depend on who else is fitted.
    num_threads
        Bidders that are trained at the same time; as many as there are processors if None.
    """
    from boca.surrogates.mvnn.fit import fit_bidders

    if not isinstance(market, Market):
        raise InputError(f"Received {market!r:.80} as market; expected a boca.Market.")
    if isinstance(reports, str) or not isinstance(reports, Mapping | Sequence):
        raise InputError(f"Received {reports!r:.80}; expected Reports, one per bidder.")
    by_bidder = reports if isinstance(reports, Mapping) else dict(enumerate(reports))
    seeds = seed if isinstance(seed, Seeds) else Seeds(seed)
    if isinstance(params, MvnnParams):
        params = {bidder.type: params for bidder in market.bidders}
    if not isinstance(params, Mapping):
        raise InputError(f"Received {params!r:.80} as params; expected MvnnParams, or by type.")
    for what, entries, kind in (
        ("bidder", by_bidder, Integral),
        ("reports", by_bidder.values(), Reports),
        ("params", params.values(), MvnnParams),
    ):
        wrong = [entry for entry in entries if not isinstance(entry, kind)]
        if wrong:
            raise InputError(f"Received {wrong[0]!r:.80} as {what}; expected {WORDS[kind]}.")
    if num_threads is not None:
        check_whole(num_threads=num_threads)
    return fit_bidders(by_bidder, market, params, seeds, num_threads)
