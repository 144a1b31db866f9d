"""Prices at which networks want about what there is: those that minimise W."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from boca.core.errors import InputError
from boca.core.frozen import read_only, set_fields
from boca.core.market import Market
from boca.functions import MonotoneNet
from boca.surrogates.compiled.programs import Array, Programs
from boca.surrogates.mixed.answers import Room, room_of
from boca.surrogates.mixed.climbing import climb
from boca.surrogates.mvnn.network import Weights, evaluate

State: TypeAlias = tuple[Array, ...]  # what a loop carries

RATE = 0.1  # by which a price changes in the first step, where demand is twice the supply or zero
LAST_RATE = 0.003
MOVES = 6  # by which predicted demand follows the prices in every step
LOOKS = 10  # times that W is computed thoroughly on the way
MANY_LOOKS = 30  # the same where demand must fit, which is true at few prices only
TOLERANCE = 1e-4  # by which rounding in single precision may exceed what there is
INFEASIBLE = 1e6  # added to W, in units of the largest value, where too much is wanted

# Where too much must not be wanted, excess demand counts so many times more than excess supply,
# at first, and by this factor more in every step (ML-CCA's constrained search).
EXCESS = 2.0
EXCESS_GROWTH = 1.01


@dataclass(frozen=True, eq=False)
class ClearingPrices:
    """
    Prices that balance predicted demand and supply as well as linear prices can.

    Parameters
    ----------
    prices
        Price of one copy of each good ``(num_goods,)``.
    objective
        W at these prices as far as hill climbing sees it: predicted profits and the price of
        everything.
    """

    prices: np.ndarray
    objective: float

    def __post_init__(self) -> None:
        set_fields(self, prices=read_only(np.array(self.prices, dtype=float)))


class ClearingProgram(NamedTuple):
    """
    What a program is compiled for.

    Parameters
    ----------
    steps, moves
        Price steps, and hill-climbing moves in each.
    feasible
        As in :func:`clearing_prices`.
    """

    steps: int
    moves: int
    feasible: bool


def clearing_prices(
    nets: Sequence[MonotoneNet],
    market: Market,
    start: np.ndarray,
    steps: int = 300,
    feasible: bool = False,
) -> ClearingPrices:
    """
    Prices p that minimise ``W(p) = sum_i max_x (M_i(x) - p x) + p c``.

    A gradient method: the slope of W is supply less demand, so prices rise where more is wanted
    than there is. Demands follow the prices by hill climbing from three starts; they can miss the
    best bundle, so that W is an estimate, at most the true one.

    Parameters
    ----------
    nets
        One network per bidder. A bidder without a hidden layer is taken to want nothing.
    market
        Goods and bidders.
    start
        Prices to begin with ``(num_goods,)``, positive where they are to move.
    steps
        Changes of the prices.
    feasible
        Whether prices at which no more is wanted than there is are preferred to all others; of
        them those with the smallest W.
    """
    if len(nets) != market.num_bidders:
        raise InputError(
            f"Received {len(nets)} networks; expected one for each of the {market.num_bidders} "
            "bidders."
        )
    active = [i for i, net in enumerate(nets) if net.depth]
    if not active:
        return ClearingPrices(np.zeros(market.num_goods), 0.0)
    scale = max(float(nets[i](market.full_bundle[None])[0]) for i in active)
    if market.sense == "buy":  # where a supplier cannot supply everything, that says nothing
        scale = float(start @ market.capacities)
    if scale <= 0:
        return ClearingPrices(np.zeros(market.num_goods), 0.0)
    rooms = [room_of(market, i) for i in active]
    prices, objective = PROGRAMS(
        stacked([nets[i] for i in active], scale),
        np.asarray(start / scale, np.float32),
        jax.tree.map(lambda *arrays: np.stack(arrays), *rooms),
        shape=ClearingProgram(steps, MOVES, feasible),
    )
    return ClearingPrices(np.asarray(prices, dtype=float) * scale, float(objective) * scale)


def stacked(nets: Sequence[MonotoneNet], scale: float) -> Weights:
    """
    Parameters of networks as arrays with one row per network, values in units of the scale.

    Smaller networks are filled up with neurons that never fire, and with layers that hand on what
    they receive.
    """
    depth = max(net.depth for net in nets)
    widths = [
        max(net.weights[layer].shape[1] for net in nets if layer < net.depth)
        for layer in range(depth)
    ]
    # A short network hands its last layer on, which may need more room.
    for layer in range(1, depth):
        handed_on = [net.weights[-1].shape[1] for net in nets if net.depth <= layer]
        widths[layer] = max([widths[layer], *handed_on])
    whole = [_filled(net, widths, scale) for net in nets]
    weights: Weights = jax.tree.map(lambda *arrays: np.stack(arrays), *whole)
    return weights


def _filled(net: MonotoneNet, widths: Sequence[int], scale: float) -> Weights:
    hidden, biases, cutoffs = [], [], []
    fan_in = net.num_goods
    for layer, width in enumerate(widths):
        w = np.zeros((fan_in, width), np.float32)
        b, t = np.zeros(width, np.float32), np.zeros(width, np.float32)
        if layer < net.depth:
            rows, columns = net.weights[layer].shape
            w[:rows, :columns] = net.weights[layer]
            b[:columns], t[:columns] = net.biases[layer], net.cutoffs[layer]
        else:
            units = len(net.output)
            w[range(units), range(units)] = 1.0
            t[:units] = net.cutoffs[-1]
        hidden.append(w)
        biases.append(b)
        cutoffs.append(t)
        fan_in = width
    output = np.zeros(fan_in, np.float32)
    output[: len(net.output)] = net.output / scale
    # An offset changes the profit of every bundle alike, and with it nothing but W.
    skip = np.asarray(net.skip / scale, np.float32)
    return Weights(tuple(hidden), tuple(biases), tuple(cutoffs), output, skip)


def minimise(
    nets: Weights, start: Array, rooms: Room, *, shape: ClearingProgram
) -> tuple[Array, Array]:
    """
    The compiled program: prices with the smallest W that were met, and W there.

    W(p) = p . capacities + the sum of every network's largest profit at p is convex and smallest at
    clearing prices. Its gradient is what is left over, so prices of goods that are wanted too often
    rise (``step``). The largest profit is not computed but followed: each network keeps three
    bundles that climb a few moves per step. Now and then ``look`` climbs from the starts again,
    computes W, and remembers the best prices so far.
    """
    capacities = rooms.capacities[0]
    # Every network starts from nothing, from everything, and from a random bundle; starts beyond
    # its limits become nothing. The draw is the same every time: equal networks, equal prices.
    num_nets, num_goods = rooms.capacities.shape
    draws = jax.random.uniform(jax.random.PRNGKey(0), (num_nets, num_goods))
    somewhere = jnp.round(draws * capacities) / capacities
    starts = jnp.stack([jnp.zeros_like(draws), jnp.ones_like(draws), somewhere], axis=1)
    used = jnp.einsum("isg,ilg->isl", starts * capacities, rooms.coefficients)
    starts = jnp.where((used <= 1).all(axis=2)[:, :, None], starts, 0.0)

    def follow(bundles: Array, prices: Array, moves: int) -> tuple[Array, Array]:
        """Bundles after some moves, and their profits."""
        costs = prices * capacities

        def of_one(net: Weights, own: Array, room: Room) -> tuple[Array, Array]:
            own = climb(net, own, costs, room, moves)
            return own, evaluate(net, own) - own @ costs

        # One network after another: the neighbours of all of them would not fit into a cache.
        bundles, profits = lax.map(lambda one: of_one(*one), (nets, bundles, rooms))
        return bundles, profits  # (nets, starts, goods) and (nets, starts)

    def wanted(bundles: Array, profits: Array) -> Array:
        """The most profitable bundle of each network."""
        best = profits.argmax(axis=1)
        return jnp.take_along_axis(bundles, best[:, None, None], axis=1)[:, 0]

    def step(k: Array, state: State) -> State:
        prices, bundles = state
        bundles, profits = follow(bundles, prices, shape.moves)
        excess = wanted(bundles, profits).sum(axis=0) - 1  # in shares of the copies there are
        rate = RATE * (1 - k / shape.steps) + LAST_RATE  # large steps at first, small ones last
        if shape.feasible:
            # What is wanted too often weighs more and more, until nothing is.
            excess = jnp.where(excess > 0, 1 + EXCESS * EXCESS_GROWTH**k, 1.0) * excess
        # Multiplied, so that a price never gets negative and goods of any worth move alike.
        return prices * jnp.exp(rate * jnp.clip(excess, -1, 1)), bundles

    def look(prices: Array, bundles: Array, lowest: Array, best: Array) -> State:
        """
        W at prices, by climbing from the starts as well; prices are the best if W is the lowest.

        Bundles that only follow the prices get stuck, and W would seem lowest where they are.
        """
        fresh, fresh_profits = follow(starts, prices, 3 * num_goods)
        bundles, profits = follow(bundles, prices, shape.moves)
        better = (fresh_profits > profits)[:, :, None]
        bundles = jnp.where(better, fresh, bundles)
        profits = jnp.maximum(fresh_profits, profits)
        objective = jnp.maximum(profits.max(axis=1), 0.0).sum() + prices @ capacities
        if shape.feasible:
            too_much = (wanted(bundles, profits).sum(axis=0) > 1 + TOLERANCE).any()
            objective = objective + jnp.where(too_much, INFEASIBLE, 0.0)
        best = jnp.where(objective < lowest, prices, best)
        return prices, bundles, jnp.minimum(objective, lowest), best

    def stretch(k: Array, state: State) -> State:
        prices, bundles, lowest, best = look(*state)
        if shape.feasible:
            # Where a search starts has usually been asked, and asking again teaches nothing.
            lowest = jnp.where(k == 0, jnp.inf, lowest)
        length = shape.steps // (MANY_LOOKS if shape.feasible else LOOKS)
        prices, bundles = lax.fori_loop(k * length, (k + 1) * length, step, (prices, bundles))
        return prices, bundles, lowest, best

    looks = MANY_LOOKS if shape.feasible else LOOKS
    state = lax.fori_loop(0, looks, stretch, (start, starts, jnp.inf, start))
    _, _, lowest, best = look(*state)
    if shape.feasible:
        lowest = jnp.where(lowest >= INFEASIBLE, lowest - INFEASIBLE, lowest)
    return best, lowest


PROGRAMS = Programs(minimise)
