"""
Sparse Fourier functions, as in FT-MLCA (Weissteiner, Wendler, Seuken, Lubin and Pueschel, 2022).

A network is learned first. The sets with its largest Fourier coefficients are where the bidder's
own coefficients are looked for: by lasso along its path, from the reports. Deviations, because
nothing but the reports is kept from round to round and because markets can be larger:

1. The network, and with it the candidate sets, are renewed in every round.
2. Where the subsets of all goods cannot be listed, candidates are the sets of at most two goods.
   Their Walsh-Hadamard coefficients are estimated from random bundles; FT3 and FT4 are exact.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import Basis
from boca.surrogates.arguments import params_of, reporting, training_stream
from boca.surrogates.fitted import Fitted
from boca.surrogates.fourier.candidates import largest_sets
from boca.surrogates.fourier.lasso import sparse_fit
from boca.surrogates.fourier.params import FourierParams, check_single_copies
from boca.surrogates.goodness import goodness
from boca.surrogates.mean_nets.fit import fit_bidders as fit_means
from boca.surrogates.mean_nets.params import MeanNetParams


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, FourierParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns a sparse Fourier function of every bidder that has reports; the others are left out.

    The result also suggests bundles: the complements of the candidate sets, those with the largest
    coefficients first, at which reports tell most about these coefficients.

    Parameters
    ----------
    reports
        What each bidder has said, one entry per bidder of the market.
    demands
        Not used: only values are learned from.
    market
        Goods and bidders. Every capacity must be 1.
    params
        Settings of each bidder type.
    seeds
        Same stream, same functions.
    """
    return fit_bidders(reporting(reports, market), market, params, training_stream(seeds))


def fit_bidders(
    reports: Mapping[int, Reports],
    market: Market,
    params: Mapping[str, FourierParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """Learns the functions of some bidders from reports of which there is at least one each."""
    check_single_copies(market)
    networks = fit_means(reports, market, network_params(params), seeds.child("network"))
    # Products with a few dozen columns: a second thread costs three times what it saves.
    with threadpool_limits(1, user_api="blas"):
        return {
            bidder: fit_bidder(
                reports[bidder],
                network,
                params_of(market.bidders[bidder].type, params),
                seeds.child("fourier", bidder),
            )
            for bidder, network in networks.items()
        }


def fit_networks(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, FourierParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """Learns the networks alone, which come before Fourier functions in FT-MLCA; as :func:`fit`."""
    return fit_means(
        reporting(reports, market), market, network_params(params), training_stream(seeds)
    )


def network_params(params: Mapping[str, FourierParams]) -> dict[str, MeanNetParams]:
    """The settings of the networks, by bidder type."""
    return {bidder_type: settings.network for bidder_type, settings in params.items()}


def fit_bidder(reports: Reports, network: Fitted, params: FourierParams, seeds: Seeds) -> Fitted:
    """The Fourier function of one bidder, given the network that was learned from its reports."""
    basis = Basis(params.basis)
    sets = largest_sets(network.mean, basis, params.num_candidates, seeds.generator())
    mean = sparse_fit(with_empty(reports), sets, basis, params.num_terms)
    return Fitted(
        mean,
        diagnostics={
            **goodness("mean", mean(reports.bundles), reports.values),
            "num_terms": len(mean.coefficients),
            "network_r2": network.diagnostics.get("mean_r2"),
        },
        suggestions=1 - sets.astype(np.int64),
    )


def with_empty(reports: Reports) -> Reports:
    """The reports, and that the empty bundle is worth nothing."""
    empty = np.zeros(reports.num_goods, dtype=np.int64)
    return reports if empty in reports else reports.add(empty, 0.0)
