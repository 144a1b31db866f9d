"""Fourier series: one variable or two for every frequency."""

import numpy as np

from boca.functions import Basis, FourierSeries
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression


def encode_fourier(series: FourierSeries, bundle: BundleVariables) -> Expression:
    """The sum of the terms, each exact in both directions."""
    total = Expression(np.zeros(0, dtype=np.int64), np.zeros(0))
    term = {Basis.WHT: _parity, Basis.FT3: _product, Basis.FT4: _disjoint}[series.basis]
    for frequency, coefficient in zip(series.frequencies, series.coefficients, strict=True):
        goods = bundle.columns[frequency > 0]
        if coefficient != 0:
            total = total + term(goods, bundle) * float(coefficient)
    return total


def _parity(goods: np.ndarray, bundle: BundleVariables) -> Expression:
    """``(-1)^|A and B|`` as ``1 - 2 p``, where ``|A and B| = 2 q + p`` with p binary."""
    if len(goods) <= 1:
        return Expression(goods, np.full(len(goods), -2.0), 1.0)
    odd = bundle.model.add_variables(1, 0, 1, integer=True)
    half = bundle.model.add_variables(1, 0, len(goods) // 2, integer=True)
    bundle.model.add_row([*goods, *half, *odd], [1.0] * len(goods) + [-2.0, -1.0], lower=0, upper=0)
    return Expression(odd, np.array([-2.0]), 1.0)


def _product(goods: np.ndarray, bundle: BundleVariables) -> Expression:
    """``(-1)^|B|`` where all goods of B are in the bundle, else 0."""
    sign = float((-1) ** len(goods))
    if len(goods) == 0:
        return Expression(goods, np.zeros(0), sign)
    if len(goods) == 1:
        return Expression(goods, np.array([sign]))
    every = bundle.model.add_variables(1, 0, 1)
    pairs = np.stack([np.full(len(goods), every[0]), goods], axis=1)
    bundle.model.add_rows(pairs, [1.0, -1.0], upper=0)
    bundle.model.add_row([*every, *goods], [1.0] + [-1.0] * len(goods), lower=1 - len(goods))
    return Expression(every, np.array([sign]))


def _disjoint(goods: np.ndarray, bundle: BundleVariables) -> Expression:
    """1 where no good of B is in the bundle, else 0."""
    if len(goods) <= 1:
        return Expression(goods, np.full(len(goods), -1.0), 1.0)
    none = bundle.model.add_variables(1, 0, 1)
    pairs = np.stack([np.full(len(goods), none[0]), goods], axis=1)
    bundle.model.add_rows(pairs, 1.0, upper=1)
    bundle.model.add_row([*none, *goods], 1.0, lower=1)
    return Expression(none, np.array([1.0]))
