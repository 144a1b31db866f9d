"""Reports in, fitted functions out: trains every bidder's networks."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from boca.core import Demands, InputError, Market, Reports, Seeds
from boca.core.machine import num_processors
from boca.functions import MonotoneNet
from boca.surrogates.arguments import params_of, reporting, training_stream
from boca.surrogates.compiled.programs import ROWS_STEP, Programs
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import goodness
from boca.surrogates.memory_needed import check_memory
from boca.surrogates.mvnn.epochs import train_by_epochs
from boca.surrogates.mvnn.export import freeze
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.loss import LossWeights
from boca.surrogates.mvnn.optimiser import Pair, Schedule
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.mvnn.prepare import PairTask, rows_of_epoch
from boca.surrogates.mvnn.training import (
    ALL_POINTS_FROM,
    NUM_CHECKPOINTS,
    PairProgram,
    Trained,
    train,
)

RETRY_RATE = 0.5  # factor on the learning rate of every further attempt

# With more pairs of artificial points than the last, drawing them takes longer than it is worth:
# points that come two or three times in a stretch of steps teach as much.
POOL_SIZES = (2**10, 2**12, 2**14)

PROGRAMS = Programs(train)
PROGRAMS_BY_EPOCH = Programs(train_by_epochs)


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, MvnnParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns a mean, an upper bound and an envelope of every bidder that has reports; the others are
    left out.

    Parameters
    ----------
    reports
        What each bidder has said, one entry per bidder of the market.
    demands
        Not used: only values are learned from.
    market, params, seeds
        As for :func:`fit_bidders`.
    """
    known = {
        bidder: with_full_bundle(rows, market, bidder)
        for bidder, rows in reporting(reports, market).items()
    }
    return fit_bidders(known, market, params, training_stream(seeds))


def with_full_bundle(reports: Reports, market: Market, bidder: int) -> Reports:
    """
    Reports that surely hold all that the bidder can hold, which the networks need for their scale.

    A bidder that declined to value it is taken at its word for the rest: by monotonicity the full
    bundle is worth at least the largest report, and this is the value used. It is used for
    learning alone, never for the outcome. Costs need no such row.
    """
    full = market.largest_bundle(bidder)
    if full is None or full in reports or market.sense == "buy":
        return reports
    return reports.add(full, reports.values.max())


def fit_bidders(
    reports: Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MvnnParams],
    seeds: Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns a mean, an upper bound and an envelope of some bidders.

    Where the market buys, all are functions of cost: the mean, an optimistic lower bound in the
    place of the upper one, and the least that a cost can be.

    Parameters
    ----------
    reports
        Reports of each bidder that should be fitted. They must hold the full bundle, unless the
        bidder's limits forbid it.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type.
    seeds
        Same stream, same networks; those of a bidder do not depend on who else is fitted.
    num_threads
        Bidders that are trained at the same time; as many as there are processors if None.
    """
    for bidder in reports:
        if not 0 <= bidder < market.num_bidders:
            raise InputError(
                f"Received reports of bidder {bidder}; the market has bidders 0 to "
                f"{market.num_bidders - 1}."
            )
    for kind in {market.bidders[i].type for i in reports}:
        own = params_of(kind, params)
        rows, points = own.batch_size + 2 * own.pairs_per_step, pool_size(own) * market.num_goods
        check_memory(market.num_goods, own.hidden_layers, own.hidden_units, rows, 2, points)
    problems = {i: PairTask.from_reports(reports[i], market, i) for i in reports}
    settings = {i: params_of(market.bidders[i].type, params) for i in reports}

    def fit_one(bidder: int) -> Fitted:
        return fit_bidder(problems[bidder], settings[bidder], seeds.child("fit", bidder))

    # The longest first, so that no thread is left waiting for one at the end.
    order = sorted(reports, key=lambda i: -work_of(settings[i], problems[i]))
    with ThreadPoolExecutor(num_threads or num_processors()) as pool:
        fitted = dict(zip(order, pool.map(fit_one, order), strict=True))
    return {bidder: fitted[bidder] for bidder in reports}


def fit_bidder(problem: PairTask, params: MvnnParams, seeds: Seeds) -> Fitted:
    """Trains one bidder, again from a fresh start if one of its networks fits badly."""
    held, capacities = problem.envelope.capacities, problem.capacities
    if problem.largest == 0:  # also of costs, which are 0 then
        nothing = MonotoneNet([], [], [], np.zeros(len(capacities)), capacities=capacities)
        return Fitted(nothing, nothing, problem.bound, {"attempts": 0})

    attempts: list[tuple[float, Fitted]] = []
    for attempt in range(params.max_attempts):
        trained = attempt_training(problem, params, seeds.child(attempt), RETRY_RATE**attempt)
        mean = freeze(trained.weights.mean, held, problem.largest).in_units_of(capacities)
        upper = freeze(trained.weights.upper, held, problem.largest).in_units_of(capacities)
        details = diagnose(problem, mean, upper, trained)
        fitted = Fitted(mean, upper, problem.bound, details)
        attempts.append((float(trained.losses.score), fitted))
        # The published code looks at the upper bound alone, and a mean that is stuck stays so.
        needed = ("upper_r2",) if params.acceptance == "upper" else ("mean_r2", "upper_r2")
        if min(details[name] for name in needed) >= params.min_r2:
            break
    best = min(attempts, key=lambda attempt: attempt[0])[1]
    return replace(best, diagnostics={**best.diagnostics, "attempts": len(attempts)})


def attempt_training(
    problem: PairTask, params: MvnnParams, seeds: Seeds, rate_factor: float
) -> Trained:
    """One training from a fresh start."""
    rng = seeds.generator()
    num_goods = len(problem.envelope.capacities)
    initial = Pair(draw_weights(num_goods, params, rng), draw_weights(num_goods, params, rng))
    programs = PROGRAMS_BY_EPOCH if params.by_epoch else PROGRAMS
    trained: Trained = programs(
        initial,
        problem.data(params.artificial, rng, params.batch_size if params.whole_epochs else None),
        schedule_of(params, problem.num_rows, rate_factor),
        LossWeights(*(np.float32(getattr(params, name)) for name in LossWeights._fields)),
        shape=shape_of(params)._replace(mirrored=problem.costs is not None),
    )
    return trained


def shape_of(params: MvnnParams) -> PairProgram:
    """What the program of a bidder type is compiled for."""
    return PairProgram(
        params.batch_size,
        params.pairs_per_step,
        params.early_pairs,
        pool_size(params),
        params.trainable_cutoffs,
        params.loss,
        params.artificial,
        whole_epochs=params.whole_epochs,
        by_epoch=params.by_epoch,
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

    The published training makes ``epochs`` passes in mini-batches; of a stream, a last incomplete
    batch counts by its share.
    """
    batches = max(1.0, num_rows / params.batch_size)
    if params.whole_epochs:
        batches = num_batches(params, num_rows)
    if params.by_epoch:
        return max(1, round(params.steps_fraction * params.epochs)) * num_batches(params, num_rows)
    published = params.epochs * batches
    stretches = max(1, round(params.steps_fraction * published / NUM_CHECKPOINTS))
    return stretches * NUM_CHECKPOINTS


def num_batches(params: MvnnParams, num_rows: int) -> int:
    """Steps of an epoch."""
    return math.ceil(rows_of_epoch(num_rows, params.batch_size) / params.batch_size)


def schedule_of(params: MvnnParams, num_rows: int, rate_factor: float = 1.0) -> Schedule:
    """The numbers that steer the optimiser."""
    with np.errstate(divide="ignore"):
        log_decay = params.epochs * np.log(params.dropout_decay)
    return Schedule(
        np.int32(num_steps(params, num_rows)),
        np.int32(num_batches(params, num_rows) if params.by_epoch else 0),
        np.float32(rate_factor * params.learning_rate),
        np.float32(params.l2),
        np.float32(params.clip_grad_norm),
        np.float32(params.dropout_prob),
        np.float32(max(log_decay, -1e30)),
    )


def diagnose(
    problem: PairTask, mean: MonotoneNet, upper: MonotoneNet, trained: Trained
) -> dict[str, Any]:
    """How well the networks fit the reports."""
    bundles, values = problem.bundles, problem.values
    if problem.costs is not None:
        bundles, values = problem.costs.bundles, problem.costs.values
    return {
        **goodness("mean", mean(bundles), values),
        **goodness("upper", upper(bundles), values),
        "best_progress": float(trained.progress),
        "loss_mean": float(trained.losses.mean),
        "loss_upper": float(trained.losses.upper),
        "loss_artificial": float(trained.losses.artificial),
    }


def work_of(params: MvnnParams, problem: PairTask) -> float:
    """Roughly the arithmetic of a training, to start long ones first."""
    widths = (len(problem.envelope.capacities), *params.hidden, 1)
    per_row = sum(a * b for a, b in pairwise(widths))
    early = ALL_POINTS_FROM / NUM_CHECKPOINTS
    pairs = early * params.early_pairs + (1 - early) * params.pairs_per_step
    num_rows = 2 * pairs + 100  # of a step: artificial points and reports
    return float(num_steps(params, problem.num_rows) * per_row * num_rows)
