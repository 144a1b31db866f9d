"""Reports in, fitted functions out: trains every bidder's mean network."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from boca.core.demand import Demands
from boca.core.machine import num_processors
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import MonotoneNet, ValueFunction
from boca.surrogates.arguments import params_of, reporting, training_stream
from boca.surrogates.compiled.programs import Programs
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import goodness, pearson
from boca.surrogates.mean_nets.export import freeze
from boca.surrogates.mean_nets.initialisation import draw_layers
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.prepare import MeanTask, prepare, training_data
from boca.surrogates.mean_nets.training import Layers, MeanProgram, Numbers, train
from boca.surrogates.memory_needed import check_memory

PROGRAMS = Programs(train)


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, MeanNetParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns the mean of every bidder that has reports; the others are left out.

    Parameters
    ----------
    reports
        What each bidder has said, one entry per bidder of the market.
    demands
        Not used: only values are learned from.
    market, params, seeds
        As for :func:`fit_bidders`.
    """
    return fit_bidders(reporting(reports, market), market, params, training_stream(seeds))


def fit_bidders(
    reports: Mapping[int, Reports],
    market: Market,
    params: Mapping[str, MeanNetParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns the mean of some bidders.

    Parameters
    ----------
    reports
        Reports of each bidder that should be fitted, at least one each.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type.
    seeds
        Same stream, same networks; a bidder's training does not depend on who else is fitted,
        except through the ``common`` scaling of values.
    """
    for bidder, rows in reports.items():
        own = params_of(market.bidders[bidder].type, params)
        order = own.num_epochs * (len(rows) + own.batch_size)  # in which reports are seen
        layers = own.hidden_layers, own.hidden_units
        check_memory(market.num_goods, *layers, own.batch_size, more_numbers=order)
    largest = max((float(rows.values.max()) for rows in reports.values()), default=0.0)

    def fit_one(bidder: int) -> Fitted:
        settings = params_of(market.bidders[bidder].type, params)
        problem = prepare(reports[bidder], market, bidder, settings, largest)
        return fit_bidder(problem, settings, seeds.child("fit", bidder))

    with ThreadPoolExecutor(num_processors()) as pool:
        return dict(zip(reports, pool.map(fit_one, reports), strict=True))


def fit_bidder(problem: MeanTask, params: MeanNetParams, seeds: Seeds) -> Fitted:
    """Trains one bidder, again from a fresh start while the network fits badly."""
    if not problem.values.any():
        nothing = MonotoneNet(
            [], [], [], np.zeros(len(problem.capacities)), capacities=problem.capacities
        )
        return Fitted(nothing, diagnostics={"attempts": 0})

    best: ValueFunction | None = None
    smallest = np.inf
    for attempt in range(params.max_attempts):
        layers = attempt_training(problem, params, seeds.child(attempt))
        function = freeze(layers, problem, params)
        errors = (function(problem.bundles) - problem.values) / problem.unit
        loss = float(np.abs(errors).mean() if params.loss == "mae" else (errors**2).mean())
        if best is None or loss < smallest:
            best, smallest = function, loss
        if pearson(function(problem.bundles), problem.values) >= params.min_pearson:
            break

    assert best is not None
    predicted = best(problem.bundles)
    details = goodness("mean", predicted, problem.values)
    correlation = pearson(predicted, problem.values)
    return Fitted(best, diagnostics={"attempts": attempt + 1, **details, "pearson": correlation})


def attempt_training(problem: MeanTask, params: MeanNetParams, seeds: Seeds) -> Layers:
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
    shape = MeanProgram(params.kind, params.optimiser, params.loss, params.dropout > 0)
    layers: Layers = PROGRAMS(initial, data, numbers, shape=shape)
    return layers
