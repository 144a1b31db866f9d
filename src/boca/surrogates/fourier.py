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
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from boca.core.errors import InputError, MissingExtra
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import Basis, FourierSeries, ValueFunction
from boca.functions.fourier import basis_matrix
from boca.surrogates.fitted import Fitted
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.transforms import all_sets, small_sets, transform

MOST_LISTED = 18  # goods whose subsets are listed: a quarter of a million values
NUM_SAMPLES = 4096  # random bundles for estimates
LARGEST_SET = 2


@dataclass(frozen=True)
class FourierParams:
    """
    Settings of the Fourier functions of one bidder type. Checked on construction.

    Parameters
    ----------
    basis
        ``WHT``, ``FT3`` or ``FT4``.
    num_candidates
        Sets with the largest coefficients of the network that are considered.
    num_terms
        Steps along the path of the lasso, and so the largest number of terms.
    network
        Settings of the network; a mapping of plain values is accepted.
    """

    basis: str = "WHT"
    num_candidates: int = 2000
    num_terms: int = 100
    network: MeanNetParams = field(default_factory=lambda: MeanNetParams(kind="relu"))

    def __post_init__(self):
        if isinstance(self.network, Mapping):
            object.__setattr__(self, "network", MeanNetParams(**self.network))
        if self.basis not in [basis.value for basis in Basis]:
            raise InputError(
                f"FourierParams.basis is {self.basis!r}; expected one of "
                f"{', '.join(basis.value for basis in Basis)}."
            )
        for name in ("num_candidates", "num_terms"):
            if getattr(self, name) < 1:
                raise InputError(
                    f"FourierParams.{name} is {getattr(self, name)!r}; expected at least 1."
                )


def check_single_copies(market: Market) -> None:
    """Raises InputError where a good has more than one copy."""
    if (market.capacities != 1).any():
        raise InputError(
            f"Market '{market.name}' has goods with more than one copy; Fourier functions are "
            "defined for single copies. Name the copies one by one, or use another mechanism."
        )


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, FourierParams],
    seed: int | Seeds,
) -> dict[int, Fitted]:
    """
    Learns a sparse Fourier function of every bidder that has reports.

    The result also suggests bundles: the complements of the candidate sets, those with the largest
    coefficients first, at which reports tell most about these coefficients.

    Parameters
    ----------
    reports, market
        What each bidder has said, and about what. Every capacity must be 1.
    params
        Settings of each bidder type.
    seed
        Same seed, same functions.
    """
    check_single_copies(market)
    seeds = seed if isinstance(seed, Seeds) else Seeds(seed)
    named = reports if isinstance(reports, Mapping) else dict(enumerate(reports))
    fitted = fit_networks(named, market, params, seeds.child("network"))
    # Products with a few dozen columns: a second thread costs three times what it saves.
    with threadpool_limits(1, user_api="blas"):
        return {
            i: fit_bidder(
                named[i], network, params[market.bidders[i].type], seeds.child("fourier", i)
            )
            for i, network in fitted.items()
        }


def fit_networks(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, FourierParams],
    seed: int | Seeds,
) -> dict[int, Fitted]:
    """Learns the networks alone, which come before Fourier functions in FT-MLCA."""
    from boca.surrogates.mean_nets.fit import fit as fit_means  # the ML framework is slow to load

    return fit_means(reports, market, {kind: own.network for kind, own in params.items()}, seed)


def fit_bidder(reports: Reports, network: Fitted, params: FourierParams, seeds: Seeds) -> Fitted:
    """The Fourier function of one bidder, given the network that was learned from its reports."""
    basis = Basis(params.basis)
    sets = largest_sets(network.mean, basis, params.num_candidates, seeds.generator())
    mean = sparse_fit(with_empty(reports), sets, basis, params.num_terms)
    found = mean(reports.bundles)
    spread = ((reports.values - reports.values.mean()) ** 2).sum()
    missed = ((reports.values - found) ** 2).sum()
    return Fitted(
        mean,
        diagnostics={
            "mean_r2": float(1 - missed / spread) if spread > 0 else float(missed == 0),
            "mean_mae": float(np.abs(found - reports.values).mean()),
            "num_terms": len(mean.coefficients),
            "network_r2": network.diagnostics.get("mean_r2"),
        },
        suggestions=1 - sets.astype(np.int64),
    )


def with_empty(reports: Reports) -> Reports:
    """The reports, and that the empty bundle is worth nothing."""
    empty = np.zeros(reports.num_goods, dtype=np.int64)
    return reports if empty in reports else reports.add(empty, 0.0)


def largest_sets(
    function: ValueFunction, basis: Basis, num_sets: int, rng: np.random.Generator
) -> np.ndarray:
    """The sets with the largest coefficients of a function, ``(num_sets, num_goods)``."""
    num_goods = len(function.capacities)
    if num_goods <= MOST_LISTED:
        sets = all_sets(num_goods)
        coefficients = transform(function(sets), basis)
    else:
        sets = small_sets(num_goods, LARGEST_SET)
        coefficients = small_coefficients(function, sets, basis, rng)
    order = np.argsort(-np.abs(coefficients), kind="stable")
    return sets[order[:num_sets]]


def small_coefficients(
    function: ValueFunction, sets: np.ndarray, basis: Basis, rng: np.random.Generator
) -> np.ndarray:
    """Coefficients of given sets, estimated (WHT) or from the few values that matter (FT3, FT4)."""
    if basis is Basis.WHT:
        bundles = rng.integers(0, 2, (NUM_SAMPLES, sets.shape[1]))
        values = function(bundles)
        products = basis_matrix(bundles, sets, basis).T @ (values - values.mean())
        return products / NUM_SAMPLES + values.mean() * (sets.sum(axis=1) == 0)

    coefficients = np.zeros(len(sets))
    for row, goods in enumerate(map(np.flatnonzero, sets)):
        parts = np.zeros((1 << len(goods), sets.shape[1]), dtype=np.int64)
        parts[:, goods] = all_sets(len(goods))
        if basis is Basis.FT4:
            parts += 1 - sets[row]  # the sets that hold at least everything outside
        signs = 1 - 2 * (parts[:, goods].sum(axis=1) % 2)
        coefficients[row] = signs @ function(parts)
    return coefficients


def sparse_fit(reports: Reports, sets: np.ndarray, basis: Basis, num_terms: int) -> FourierSeries:
    """
    Coefficients from reports: the end of the lasso's path (least-angle regression).

    Parameters
    ----------
    reports
        What is fitted.
    sets
        Candidates ``(num_sets, num_goods)``.
    basis
        What the coefficients belong to.
    num_terms
        Steps along the path at most.
    """
    try:
        from sklearn.linear_model import lars_path
    except ImportError:
        raise MissingExtra("scikit-learn", "fourier", "The Fourier surrogate") from None

    features = basis_matrix(reports.bundles, sets, basis)
    # The path is for centred features; the term of the empty set takes up what that leaves.
    level, heights = reports.values.mean(), features.mean(axis=0)
    centred = features - heights
    size = np.sqrt((centred**2).sum(axis=0))
    varying = np.flatnonzero(size > 1e-9)
    coefficients = np.zeros(len(sets))
    if len(varying) and np.ptp(reports.values) > 0:
        _, _, path = lars_path(
            centred[:, varying] / size[varying],
            reports.values - level,
            method="lasso",
            max_iter=num_terms,
        )
        coefficients[varying] = path[:, -1] / size[varying]
    kept = coefficients != 0
    constant = level - heights[kept] @ coefficients[kept]
    return _with_constant(sets[kept], coefficients[kept], constant, basis)


def _with_constant(
    sets: np.ndarray, coefficients: np.ndarray, constant: float, basis: Basis
) -> FourierSeries:
    """A series plus a constant: in all three bases that is the term of the empty set."""
    empty = np.zeros((1, sets.shape[1]), dtype=np.int64)
    terms: Any = np.concatenate([empty, sets])
    return FourierSeries(terms, np.concatenate([[constant], coefficients]), basis)
