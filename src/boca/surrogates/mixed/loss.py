"""How far a network is from a bidder's answers."""

from typing import NamedTuple

import jax.numpy as jnp

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mixed.answers import AnswerArrays
from boca.surrogates.mvnn.network import Weights, evaluate

NEVER = -1e9  # profit of a bundle beyond the bidder's limits


class Losses(NamedTuple):
    """
    The two parts of the loss.

    Parameters
    ----------
    value
        Weighted smooth L1 distance from the reported values.
    demand
        Weighted smooth L1 of how much more profitable than a wanted bundle another one seems.
    """

    value: Array
    demand: Array


def smooth_l1(residuals: Array, beta: Array) -> Array:
    """Quadratic up to beta, linear beyond, with slope 1."""
    size = jnp.abs(residuals)
    return jnp.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def known_bundles(data: AnswerArrays, competitors: Array) -> Array:
    """Every bundle that a wanted one is compared with, ``(num_rows, num_goods)``."""
    return jnp.concatenate([data.valued, data.demanded, competitors])


def profits(
    weights: Weights, bundles: Array, data: AnswerArrays, of_costs: bool = False
) -> tuple[Array, Array]:
    """
    Values ``(num_rows,)`` of known bundles, and profits at all prices ``(num_demands, num_rows)``.

    What the bidder could not have brings no profit. Of costs, prices less costs are profits.
    """
    values = evaluate(weights, bundles)
    barred = jnp.where(data.competes, 0.0, NEVER)
    barred = jnp.pad(barred, (0, len(bundles) - len(barred)))
    less_price = values - data.costs @ bundles.T
    return values, (-less_price if of_costs else less_price) + barred


def losses(
    weights: Weights,
    data: AnswerArrays,
    competitors: Array,
    beta: Array,
    of_costs: bool = False,
) -> Losses:
    """
    Both parts of the loss, all bundles in one evaluation.

    With M the network, c_d the costs at answer d and x_d the wanted bundle, the second part sums
    ``max(0, max_x M(x) - c_d x - (M(x_d) - c_d x_d))`` over the answers, where x runs over the
    valued and wanted bundles, the competitors, and the empty bundle (which pads them all).
    """
    num_values, num_demands = len(data.values), len(data.demanded)
    values, profit = profits(weights, known_bundles(data, competitors), data, of_costs)
    value_loss = data.value_weights @ smooth_l1(values[:num_values] - data.values, beta)

    wanted = values[num_values : num_values + num_demands]
    wanted = wanted - (data.demanded * data.costs).sum(axis=1)
    if of_costs:
        wanted = -wanted
    missing = jnp.maximum(jnp.maximum(profit.max(axis=1), 0.0) - wanted, 0.0)
    return Losses(value_loss, data.demand_weights @ smooth_l1(missing, beta))
