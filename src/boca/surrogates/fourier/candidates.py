"""Where the coefficients of a bidder are looked for: the sets that matter most to a network."""

import numpy as np

from boca.functions import Basis, ValueFunction
from boca.functions.fourier import basis_matrix
from boca.surrogates.fourier.transforms import all_sets, small_sets, transform

MOST_LISTED = 18  # goods whose subsets are listed: a quarter of a million values
NUM_SAMPLES = 4096  # random bundles for estimates
LARGEST_SET = 2  # goods in a candidate where subsets cannot be listed


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
        estimates: np.ndarray = products / NUM_SAMPLES + values.mean() * (sets.sum(axis=1) == 0)
        return estimates

    coefficients = np.zeros(len(sets))
    for row, goods in enumerate(map(np.flatnonzero, sets)):
        parts = np.zeros((1 << len(goods), sets.shape[1]), dtype=np.int64)
        parts[:, goods] = all_sets(len(goods))
        if basis is Basis.FT4:
            parts += 1 - sets[row]  # the sets that hold at least everything outside
        signs = 1 - 2 * (parts[:, goods].sum(axis=1) % 2)
        coefficients[row] = signs @ function(parts)
    return coefficients
