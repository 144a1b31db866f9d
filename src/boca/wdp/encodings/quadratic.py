"""Quadratic functions: products of counts made linear."""

import numpy as np

from boca.functions import Quadratic
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression


def encode_quadratic(function: Quadratic, bundle: BundleVariables) -> Expression:
    """
    Squares and products through the binaries ``u[s] = [x >= s]``; exact in both directions.

    A square is linear in them, ``x^2 = sum_s (2 s - 1) u[s]``, and so is a product with another
    count up to the products of a binary and a count, ``x y = sum_s u[s] y``, each of which is
    ``w <= c u, w <= y, w >= y - c (1 - u), w >= 0`` where c is the capacity of y.
    """
    total = Expression(bundle.columns, function.linear)
    for i in range(bundle.num_goods):
        if function.matrix[i, i]:
            total = total + _square(i, bundle) * float(function.matrix[i, i])
        for j in range(i + 1, bundle.num_goods):
            if function.matrix[i, j]:
                total = total + _product(i, j, bundle) * float(2 * function.matrix[i, j])
    return total


def _square(good: int, bundle: BundleVariables) -> Expression:
    levels = bundle.levels(good)
    return Expression(levels, 2.0 * np.arange(1, len(levels) + 1) - 1)


def _product(i: int, j: int, bundle: BundleVariables) -> Expression:
    if bundle.capacities[i] > bundle.capacities[j]:
        i, j = j, i  # the good with fewer copies needs fewer binaries
    levels, other, capacity = bundle.levels(i), bundle.columns[j], float(bundle.capacities[j])
    products = bundle.model.add_variables(len(levels), 0, capacity)
    others = np.full(len(levels), other)
    bundle.model.add_rows(np.stack([products, levels], axis=1), [1.0, -capacity], upper=0)
    bundle.model.add_rows(np.stack([products, others], axis=1), [1.0, -1.0], upper=0)
    bundle.model.add_rows(
        np.stack([products, others, levels], axis=1), [1.0, -1.0, -capacity], lower=-capacity
    )
    return Expression(products, np.ones(len(levels)))
