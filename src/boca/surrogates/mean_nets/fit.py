"""Reports in, fitted functions out: trains every bidder's mean network."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.errors import InputError
from boca.core.machine import num_processors
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import MonotoneNet, ReluNet, ValueFunction
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import r_squared
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.training import Data, Layers, Numbers, Shape, train
from boca.surrogates.mvnn.compilation import Programs, padded

PROGRAMS = Programs(train)


@dataclass(frozen=True, eq=False)
class Problem:
    """
    What one bidder's network should learn.

    Parameters
    ----------
    bundles, values
        The reports, and the empty bundle if it is not among them.
    capacities
        Copies of each good.
    unit
        What a target of 1 is worth.
    """

    bundles: np.ndarray
    values: np.ndarray
    capacities: np.ndarray
    unit: float

    @property
    def num_rows(self) -> int:
        return len(self.values)


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MeanNetParams],
    seed: int | Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns the mean of every bidder that has reports.

    Parameters
    ----------
    reports
        Reports of each bidder: a sequence over all bidders, or a mapping from some of them.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type.
    seed
        Same seed, same networks; a bidder's training does not depend on who else is fitted,
        except through the ``common`` scaling of values.
    num_threads
        Bidders that are trained at the same time; as many as there are processors if None.
    """
    named = reports if isinstance(reports, Mapping) else dict(enumerate(reports))
    present = {i: own for i, own in named.items() if len(own)}
    largest = max((float(own.values.max()) for own in present.values()), default=0.0)
    seeds = seed if isinstance(seed, Seeds) else Seeds(seed)

    def fit_one(bidder: int) -> Fitted:
        kind = market.bidders[bidder].type
        if kind not in params:
            raise InputError(
                f"There are no hyperparameters for bidder type '{kind}'; received some for "
                f"{', '.join(map(repr, params)) or 'no type'}."
            )
        problem = prepare(present[bidder], market, params[kind], largest)
        return fit_bidder(problem, params[kind], seeds.child("fit", bidder))

    with ThreadPoolExecutor(num_threads or num_processors()) as pool:
        return dict(zip(present, pool.map(fit_one, present), strict=True))


def prepare(
    reports: Reports, market: Market, params: MeanNetParams, largest_of_all: float
) -> Problem:
    """Checks a bidder's reports and chooses the scale of its targets."""
    bundles = as_bundles(reports.bundles, market.capacities)
    values = reports.values
    if bundles.any(axis=1).all():
        bundles = np.concatenate([bundles, 0 * bundles[:1]])
        values = np.append(values, 0.0)
    largest = float(values.max()) if params.scaling == "own" else largest_of_all
    return Problem(bundles, values, market.capacities, largest / params.value_range)


def fit_bidder(problem: Problem, params: MeanNetParams, seeds: Seeds) -> Fitted:
    """Trains one bidder, again from a fresh start while the network fits badly."""
    if not problem.values.any():
        nothing = MonotoneNet(
            [], [], [], np.zeros(len(problem.capacities)), capacities=problem.capacities
        )
        return Fitted(nothing, diagnostics={"attempts": 0})

    best: ValueFunction | None = None
    smallest = correlation = np.inf
    for attempt in range(params.max_attempts):
        layers = attempt_training(problem, params, seeds.child(attempt))
        function = freeze(layers, problem, params)
        errors = (function(problem.bundles) - problem.values) / problem.unit
        loss = float(np.abs(errors).mean() if params.loss == "mae" else (errors**2).mean())
        correlation = pearson(function(problem.bundles), problem.values)
        if best is None or loss < smallest:
            best, smallest = function, loss
        if correlation >= params.min_pearson:
            break

    assert best is not None
    found = best(problem.bundles)
    return Fitted(
        best,
        diagnostics={
            "attempts": attempt + 1,
            "mean_r2": r_squared(found, problem.values),
            "mean_mae": float(np.abs(found - problem.values).mean()),
            "pearson": pearson(found, problem.values),
        },
    )


def attempt_training(problem: Problem, params: MeanNetParams, seeds: Seeds) -> Layers:
    """One training from a fresh start."""
    rng = seeds.generator()
    initial = draw_layers(len(problem.capacities), params, rng)
    data = training_data(problem, params, rng)
    numbers = Numbers(
        np.float32(params.l2),
        np.float32(params.momentum),
        np.float32(params.dropout),
        rng.integers(2**32, dtype=np.uint32),
    )
    shape = Shape(params.kind, params.optimiser, params.loss, params.dropout > 0)
    return PROGRAMS(initial, data, numbers, shape=shape)


def draw_layers(num_goods: int, params: MeanNetParams, rng: np.random.Generator) -> Layers:
    """
    Generic initialisation, float32.

    Weights are Glorot-uniform, biases uniform within 1 / sqrt(fan_in); a monotone network's
    training begins by cutting off the wrong signs.
    """
    widths = (num_goods, *params.hidden, 1)
    weights, biases = [], []
    for fan_in, fan_out in pairwise(widths):
        bound = (6 / (fan_in + fan_out)) ** 0.5
        weights.append(rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32))
        biases.append(rng.uniform(-1, 1, fan_out).astype(np.float32) / np.float32(fan_in**0.5))
    if params.kind == "monotone":
        biases.pop()
    return Layers(tuple(weights), tuple(biases))


def training_data(problem: Problem, params: MeanNetParams, rng: np.random.Generator) -> Data:
    """The arrays of a training, padded so that every round of an auction has the same shape."""
    n, size = problem.num_rows, params.batch_size
    num_rows = padded(n)
    inputs = np.zeros((num_rows, len(problem.capacities)), np.float32)
    inputs[:n] = problem.bundles / problem.capacities
    targets = np.zeros(num_rows, np.float32)
    targets[:n] = problem.values / problem.unit

    per_epoch, most = -(-n // size), -(-num_rows // size)
    epochs = params.num_epochs
    batches = np.full((epochs * most, size), -1, np.int32)
    order = np.full((epochs, per_epoch * size), -1, np.int32)
    order[:, :n] = rng.permuted(np.tile(np.arange(n, dtype=np.int32), (epochs, 1)), axis=1)
    batches[: epochs * per_epoch] = order.reshape(-1, size)

    progress = np.repeat(np.arange(epochs) / epochs, per_epoch)
    rates = np.zeros(epochs * most, np.float32)
    factor = 0.5 * (1 + np.cos(np.pi * progress)) if params.schedule == "cosine" else 1.0
    rates[: epochs * per_epoch] = params.learning_rate * factor
    return Data(inputs, targets, batches, rates, np.int32(epochs * per_epoch))


def freeze(layers: Layers, problem: Problem, params: MeanNetParams) -> ValueFunction:
    """The network in float64 and in units of value."""
    weights = [np.asarray(w, dtype=np.float64) for w in layers.weights]
    biases = [np.asarray(b, dtype=np.float64) for b in layers.biases]
    if params.kind == "relu":
        # The ReLU after the output is a last hidden layer of one neuron.
        return ReluNet(
            weights, biases, np.array([problem.unit]), 0.0, capacities=problem.capacities
        )
    return MonotoneNet(
        weights=weights[:-1],
        biases=biases,
        cutoffs=[np.ones(len(b)) for b in biases],
        output=problem.unit * weights[-1][:, 0],
        capacities=problem.capacities,
    )


def pearson(predicted: np.ndarray, values: np.ndarray) -> float:
    """Correlation of predictions with reports; -1 where predictions do not vary at all."""
    if len(values) < 2 or np.ptp(values) == 0:
        return 1.0
    if np.ptp(predicted) <= 1e-12 * np.abs(predicted).max(initial=0.0):
        return -1.0
    return float(np.corrcoef(predicted, values)[0, 1])
