"""Reports in, fitted functions out: trains every bidder's networks."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from boca.core import InputError, Market, Reports, Seeds
from boca.core.machine import num_processors
from boca.functions import MonotoneNet
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import r_squared
from boca.surrogates.mvnn.compilation import ROWS_STEP, Programs
from boca.surrogates.mvnn.export import freeze
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, Schedule
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.mvnn.prepare import Problem
from boca.surrogates.mvnn.training import NUM_CHECKPOINTS, Shape, Trained, train

RETRY_RATE = 0.5  # factor on the learning rate of every further attempt

# With more pairs of artificial points than the last, drawing them takes longer than it is worth:
# points that come two or three times in a stretch of steps teach as much.
POOL_SIZES = (2**10, 2**12, 2**14)

PROGRAMS = Programs(train)


def fit(
    reports: Sequence[Reports] | Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MvnnParams] | MvnnParams,
    seed: int | Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns a mean, an upper bound and an envelope of every bidder from its reports.

    Parameters
    ----------
    reports
        Reports of each bidder: a sequence over all bidders, or a mapping from the bidders that
        should be fitted. Each must hold the full bundle, unless the bidder's limits forbid it.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type, or the same for all.
    seed
        Same seed, same networks; those of a bidder do not depend on who else is fitted.
    num_threads
        Bidders that are trained at the same time; as many as there are processors if None.

    Returns
    -------
    dict
        What was learned about each bidder.
    """
    present = reports if isinstance(reports, Mapping) else dict(enumerate(reports))
    for bidder in present:
        if not 0 <= bidder < market.num_bidders:
            raise InputError(
                f"Received reports of bidder {bidder}; the market has bidders 0 to "
                f"{market.num_bidders - 1}."
            )
    seeds = seed if isinstance(seed, Seeds) else Seeds(seed)
    problems = {i: Problem.from_reports(present[i], market, i) for i in present}
    chosen = {i: params_of(market.bidders[i].type, params) for i in present}

    def fit_one(bidder: int) -> Fitted:
        return fit_bidder(problems[bidder], chosen[bidder], seeds.child("fit", bidder))

    # The longest first, so that no thread is left waiting for one at the end.
    order = sorted(present, key=lambda i: -work_of(chosen[i], problems[i]))
    with ThreadPoolExecutor(num_threads or num_processors()) as pool:
        fitted = dict(zip(order, pool.map(fit_one, order), strict=True))
    return {bidder: fitted[bidder] for bidder in present}


def params_of(bidder_type: str, params: Mapping[str, MvnnParams] | MvnnParams) -> MvnnParams:
    """The hyperparameters of a bidder type."""
    if isinstance(params, MvnnParams):
        return params
    if bidder_type not in params:
        raise InputError(
            f"There are no hyperparameters for bidder type '{bidder_type}'; received some for "
            f"{', '.join(map(repr, params)) or 'no type'}."
        )
    return params[bidder_type]


def fit_bidder(problem: Problem, params: MvnnParams, seeds: Seeds) -> Fitted:
    """Trains one bidder, again from a fresh start if the upper bound fits badly."""
    capacities = problem.envelope.capacities
    if problem.largest == 0:
        nothing = MonotoneNet([], [], [], np.zeros(len(capacities)), capacities=capacities)
        return Fitted(nothing, nothing, problem.envelope, {"attempts": 0})

    found: list[tuple[float, Fitted]] = []
    for attempt in range(params.max_attempts):
        trained = attempt_training(problem, params, seeds.child(attempt), RETRY_RATE**attempt)
        mean = freeze(trained.weights.mean, capacities, problem.largest)
        upper = freeze(trained.weights.upper, capacities, problem.largest)
        details = diagnose(problem, mean, upper, trained)
        fitted = Fitted(mean, upper, problem.envelope, details)
        found.append((float(trained.losses.score), fitted))
        # The published code looks at the upper bound alone, and a mean that is stuck stays so.
        if min(details["mean_r2"], details["upper_r2"]) >= params.min_r2:
            break
    best = min(found, key=lambda attempt: attempt[0])[1]
    return replace(best, diagnostics={**best.diagnostics, "attempts": len(found)})


def attempt_training(
    problem: Problem, params: MvnnParams, seeds: Seeds, rate_factor: float
) -> Trained:
    """One training from a fresh start."""
    rng = seeds.generator()
    num_goods = len(problem.envelope.capacities)
    initial = Pair(draw_weights(num_goods, params, rng), draw_weights(num_goods, params, rng))
    return PROGRAMS(
        initial,
        problem.data(params.artificial, rng),
        schedule_of(params, problem.num_rows, rate_factor),
        LossWeights(*(np.float32(getattr(params, name)) for name in LossWeights._fields)),
        shape=shape_of(params),
    )


def shape_of(params: MvnnParams) -> Shape:
    """What the program of a bidder type is compiled for."""
    return Shape(
        params.batch_size,
        params.pairs_per_step,
        pool_size(params),
        params.trainable_cutoffs,
        params.loss,
        params.artificial,
    )


def pool_size(params: MvnnParams) -> int:
    """
    Pairs of artificial points between two checkpoints, enough for every step to have its own.

    In a few sizes, because each compiles a program.
    """
    steps = num_steps(params, ROWS_STEP) // NUM_CHECKPOINTS
    enough = [size for size in POOL_SIZES if size >= steps * params.pairs_per_step]
    return max(enough[0] if enough else POOL_SIZES[-1], params.pairs_per_step)


def num_steps(params: MvnnParams, num_rows: int) -> int:
    """
    Optimiser steps for a number of reports, rounded to whole stretches between checkpoints.

    The published training makes ``epochs`` passes in mini-batches; we count a last incomplete
    batch by its share.
    """
    published = params.epochs * max(1.0, num_rows / params.batch_size)
    stretches = max(1, round(params.steps_fraction * published / NUM_CHECKPOINTS))
    return stretches * NUM_CHECKPOINTS


def schedule_of(params: MvnnParams, num_rows: int, rate_factor: float = 1.0) -> Schedule:
    """The numbers that steer the optimiser."""
    with np.errstate(divide="ignore"):
        log_decay = params.epochs * np.log(params.dropout_decay)
    return Schedule(
        np.int32(num_steps(params, num_rows)),
        np.float32(rate_factor * params.learning_rate),
        np.float32(params.l2),
        np.float32(params.clip_grad_norm),
        np.float32(params.dropout_prob),
        np.float32(max(log_decay, -1e30)),
    )


def diagnose(
    problem: Problem, mean: MonotoneNet, upper: MonotoneNet, trained: Trained
) -> dict[str, Any]:
    """How well the networks fit the reports."""
    at_mean, at_upper = mean(problem.bundles), upper(problem.bundles)
    return {
        "mean_r2": r_squared(at_mean, problem.values),
        "mean_mae": float(np.abs(at_mean - problem.values).mean()),
        "upper_r2": r_squared(at_upper, problem.values),
        "upper_mae": float(np.abs(at_upper - problem.values).mean()),
        "best_progress": float(trained.progress),
        "loss_mean": float(trained.losses.mean),
        "loss_upper": float(trained.losses.upper),
        "loss_artificial": float(trained.losses.artificial),
    }


def work_of(params: MvnnParams, problem: Problem) -> float:
    """Roughly the arithmetic of a training, to start long ones first."""
    widths = (len(problem.envelope.capacities), *params.hidden, 1)
    a_row = sum(a * b for a, b in pairwise(widths))
    return float(num_steps(params, problem.num_rows) * a_row * (2 * params.pairs_per_step + 100))
