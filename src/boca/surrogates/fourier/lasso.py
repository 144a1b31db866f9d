"""Sparse coefficients from reports, by the lasso."""

from typing import Any

import numpy as np

from boca.core.errors import MissingExtra
from boca.core.report import Reports
from boca.functions import Basis, FourierSeries
from boca.functions.fourier import basis_matrix


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
    terms = coefficients != 0
    constant = level - heights[terms] @ coefficients[terms]
    return _with_constant(sets[terms], coefficients[terms], constant, basis)


def _with_constant(
    sets: np.ndarray, coefficients: np.ndarray, constant: float, basis: Basis
) -> FourierSeries:
    """A series plus a constant: in all three bases that is the term of the empty set."""
    empty = np.zeros((1, sets.shape[1]), dtype=np.int64)
    terms: Any = np.concatenate([empty, sets])
    return FourierSeries(terms, np.concatenate([[constant], coefficients]), basis)
