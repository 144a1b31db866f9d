"""
The training loss, one function per term, in three forms.

U is the upper bound's network, M the mean's, U100 the envelope, y the reports divided by the
largest of them.

``published``
    What the published code computes. It is the default, because the published hyperparameters were
    tuned with it.
``paper``
    The paper's Definition D.3, whose equation numbers the docstrings cite: every smooth L1 loss has
    the same tuned threshold beta.
``main_text``
    The shorter loss of the paper's Section 3: (D.3a) to (D.3d) with ``-c_exp s`` in (D.3b), and no
    (D.3e).

Every term is a mean over its rows. The paper sums over reports instead; its total divided by the
number of reports is ours.
"""

from typing import NamedTuple

import jax.numpy as jnp

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mvnn.params import LossForm


class LossWeights(NamedTuple):
    """The hyperparameters of the loss, see ``MvnnParams``; numbers or scalars of a trace."""

    mean_smooth_l1_beta: Array
    pi_sqr: Array
    pi_exp: Array
    c_exp: Array
    pi_above_mean: Array
    pi_below_envelope: Array


class Thresholds(NamedTuple):
    """Where the smooth L1 losses of the upper bound's terms become linear."""

    fit: Array
    overshoot: Array
    order: Array


PUBLISHED_THRESHOLDS = Thresholds(fit=1 / 8, overshoot=1 / 128, order=1 / 64)


def smooth_l1(residual: Array, beta: Array) -> Array:
    """Quadratic below beta, linear above: r^2 / (2 beta) or |r| - beta / 2 (Definition D.1)."""
    size = jnp.abs(residual)
    return jnp.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)


def one_plus_elu(x: Array) -> Array:
    """g = 1 + ELU: 1 + x above zero, exp(x) below (Definition D.2)."""
    return jnp.where(x > 0, 1 + x, jnp.exp(jnp.minimum(x, 0)))


def positive_part(x: Array) -> Array:
    """The positive part, written (x)^+ in the paper."""
    return jnp.maximum(x, 0)


def mean_fit(mean: Array, targets: Array, row_weights: Array, weights: LossWeights) -> Array:
    """
    The mean network goes through the reports: mean of sl_beta(M - y).

    Parameters
    ----------
    mean, targets
        M and y, ``(num_rows,)``.
    row_weights
        1 / num_reports for reports and 0 for padding, ``(num_rows,)``.
    weights
        Gives beta.
    """
    return row_weights @ smooth_l1(mean - targets, weights.mean_smooth_l1_beta)


def thresholds(weights: LossWeights, form: LossForm) -> Thresholds:
    """The thresholds of the upper bound's terms: fixed ones in the published code, else beta."""
    if form == "published":
        return PUBLISHED_THRESHOLDS
    beta = weights.mean_smooth_l1_beta
    return Thresholds(beta, beta, beta)


def upper_fit(
    upper: Array, targets: Array, row_weights: Array, weights: LossWeights, form: LossForm
) -> Array:
    """The upper bound goes through the reports (D.3a): pi_sqr * mean of sl(U - y)."""
    cost = smooth_l1(upper - targets, thresholds(weights, form).fit)
    return weights.pi_sqr * (row_weights @ cost)


def upper_overshoot(
    upper: Array, targets: Array, row_weights: Array, weights: LossWeights, form: LossForm
) -> Array:
    """
    Being above a report costs more than being below (D.3e):
    pi_sqr * mean of 0.001 (U - y)^+ + 0.5 sl((U - y)^+). The main text has no such term.
    """
    if form == "main_text":
        return jnp.float32(0)
    over = positive_part(upper - targets)
    cost = 0.001 * over + 0.5 * smooth_l1(over, thresholds(weights, form).overshoot)
    return weights.pi_sqr * (row_weights @ cost)


def push_up(
    upper: Array, mean: Array, envelope: Array, weights: LossWeights, form: LossForm
) -> Array:
    """
    The upper bound is pushed up while it is below the envelope (D.3b): mean of g(argument).

    With s = min(U, U100) - M the argument is ``0.01 - c_exp s`` in Definition D.3, ``-c_exp s`` in
    the main text, and ``-c_exp (0.01 + s)`` in the published code, which damps the force at s = 0.

    Parameters
    ----------
    upper, mean, envelope
        U, M and U100 at the artificial points, ``(num_artificial,)``.
    weights
        Gives c_exp.
    form
        Whose argument is used.
    """
    s = jnp.minimum(upper, envelope) - mean
    if form == "published":
        argument = -weights.c_exp * (0.01 + s)
    elif form == "paper":
        argument = 0.01 - weights.c_exp * s
    else:
        argument = -weights.c_exp * s
    return jnp.mean(one_plus_elu(argument))


def keep_order(
    upper: Array, mean: Array, envelope: Array, weights: LossWeights, form: LossForm
) -> Array:
    """
    The upper bound stays between mean and envelope (D.3c and D.3d), times c_exp.

    The paper adds pi_100 sl((U - U100)^+) and pi_mean sl((M - U)^+); the published code takes one
    smooth L1 of the weighted sum, so that the weights enter squared where it is quadratic.
    """
    above, below = positive_part(upper - envelope), positive_part(mean - upper)
    beta = thresholds(weights, form).order
    if form == "published":
        violation = weights.pi_below_envelope * above + weights.pi_above_mean * below
        cost = smooth_l1(violation, beta)
    else:
        cost = weights.pi_below_envelope * smooth_l1(above, beta)
        cost = cost + weights.pi_above_mean * smooth_l1(below, beta)
    return weights.c_exp * jnp.mean(cost)
