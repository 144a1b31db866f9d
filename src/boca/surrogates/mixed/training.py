"""The compiled training: projected Adam on all answers, with competitors renewed now and then."""

from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import optax
from jax import lax

from boca.surrogates.compiled.programs import Array
from boca.surrogates.mixed.answers import AnswerArrays
from boca.surrogates.mixed.climbing import climb
from boca.surrogates.mixed.loss import Losses, known_bundles, losses, profits
from boca.surrogates.mvnn.network import Weights, project

State: TypeAlias = tuple[Any, ...]  # what a loop carries


class Settings(NamedTuple):
    """
    Numbers that steer a training; scalars of a trace, so that another value compiles nothing.

    Parameters
    ----------
    steps_per_stretch
        Optimiser steps between two searches for competitors.
    learning_rate, l2, beta, demand_weight
        As in ``MixedParams``.
    l1
        Added to the gradient of every weight of the first layer.
    """

    steps_per_stretch: Array
    learning_rate: Array
    l2: Array
    l1: Array
    beta: Array
    demand_weight: Array


class MixedProgram(NamedTuple):
    """
    What a program is compiled for, besides the shapes of its arrays.

    Parameters
    ----------
    stretches, moves, kept_stretches
        As in ``MixedParams``.
    of_costs
        Whether networks are of costs: at prices a supplier chooses the largest price less cost.
    """

    stretches: int
    moves: int
    kept_stretches: int
    of_costs: bool = False


class Trained(NamedTuple):
    """
    The end of a training.

    Parameters
    ----------
    weights
        Parameters of all members, each array with one row per member.
    losses
        Their losses, ``(members,)`` each.
    """

    weights: Weights
    losses: Losses


def train(
    start: Weights, data: AnswerArrays, settings: Settings, *, shape: MixedProgram
) -> Trained:
    """
    Trains the members of one bidder.

    Parameters
    ----------
    start
        Parameters to begin with, each array with one row per member.
    data
        The bidder's answers.
    settings, shape
        How to train.
    """
    trained: Trained = jax.vmap(lambda one: train_member(one, data, settings, shape))(start)
    return trained


def train_member(
    start: Weights, data: AnswerArrays, settings: Settings, shape: MixedProgram
) -> Trained:
    """Trains one network."""
    num_steps = settings.steps_per_stretch * shape.stretches
    num_demands, num_goods = data.demanded.shape
    adam = optax.scale_by_adam()

    def objective(weights: Weights, competitors: Array) -> Array:
        parts = losses(weights, data, competitors, settings.beta, shape.of_costs)
        return parts.value + settings.demand_weight * parts.demand

    def step(k: Array, state: State) -> State:
        weights, moments, competitors = state
        slopes = decayed(jax.grad(objective)(weights, competitors), weights, settings)
        change, moments = adam.update(slopes, moments)
        rate = 0.5 * settings.learning_rate * (1 + jnp.cos(jnp.pi * k / num_steps))
        weights = jax.tree.map(lambda w, c: w - rate * c, weights, change)
        return project(weights), moments, competitors

    def stretch(k: Array, state: State) -> State:
        weights, moments, competitors = state
        rivals = find_competitors(weights, data, competitors, shape.moves, shape.of_costs)
        place = (k % shape.kept_stretches) * num_demands
        competitors = lax.dynamic_update_slice_in_dim(competitors, rivals, place, 0)
        first = k * settings.steps_per_stretch
        last = first + settings.steps_per_stretch
        state = lax.fori_loop(first, last, step, (weights, moments, competitors))
        return state

    competitors = jnp.zeros((shape.kept_stretches * num_demands, num_goods), jnp.float32)
    weights, _, competitors = lax.fori_loop(
        0, shape.stretches, stretch, (start, adam.init(start), competitors)
    )
    return Trained(weights, losses(weights, data, competitors, settings.beta, shape.of_costs))


def decayed(slopes: Weights, weights: Weights, settings: Settings) -> Weights:
    """The gradient with both kinds of decay, coupled: Adam sees them."""

    def with_l2(slope: Array, weight: Array) -> Array:
        return slope + settings.l2 * weight

    first, *later = (with_l2(s, w) for s, w in zip(slopes.hidden, weights.hidden, strict=True))
    return Weights(
        # Weights are not negative, so the slope of their sum is the slope of their sizes.
        hidden=(first + settings.l1, *later),
        biases=tuple(with_l2(s, b) for s, b in zip(slopes.biases, weights.biases, strict=True)),
        cutoffs=slopes.cutoffs,
        output=with_l2(slopes.output, weights.output),
        skip=None if weights.skip is None else with_l2(slopes.skip, weights.skip),
    )


def find_competitors(
    weights: Weights, data: AnswerArrays, competitors: Array, moves: int, of_costs: bool = False
) -> Array:
    """
    For every answer a bundle that the network, wrongly, finds more profitable than the wanted one.

    Climbing starts at the known bundle that is most profitable at the answer's prices.
    """
    bundles = known_bundles(data, competitors)
    _, profit = profits(weights, bundles, data, of_costs)
    starts = bundles[profit.argmax(axis=1)]
    return climb(weights, starts, data.costs, data.room, moves, of_costs)
