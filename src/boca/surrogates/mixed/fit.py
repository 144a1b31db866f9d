"""Values and demands in, fitted functions out."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np

from boca.core.demand import Demands
from boca.core.machine import num_processors
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import MonotoneNet
from boca.functions.average import Optimistic, average_net
from boca.functions.revealed import finite_bound
from boca.surrogates.arguments import params_of, within_reach
from boca.surrogates.compiled.programs import Programs
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import r_squared
from boca.surrogates.memory_needed import check_memory
from boca.surrogates.mixed.answers import Answers
from boca.surrogates.mixed.params import MixedParams
from boca.surrogates.mixed.training import MixedProgram, Settings, Trained, train
from boca.surrogates.mvnn.export import freeze
from boca.surrogates.mvnn.initialisation import draw_weights
from boca.surrogates.mvnn.network import Weights
from boca.surrogates.mvnn.params import MvnnParams

PROGRAMS = Programs(train)


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, MixedParams],
    seeds: Seeds,
    num_threads: int | None = None,
) -> dict[int, Fitted]:
    """
    Learns the values of every bidder that has valued or wanted anything.

    Parameters
    ----------
    reports, demands
        What each bidder has said, one entry per bidder of the market.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type.
    seeds
        Where randomness comes from. Only its root counts: a bidder's network depends on the
        bidder and on how much it has answered, not on the round, so that a bidder without new
        answers keeps its network.
    num_threads
        Bidders that are trained at the same time; as many as there are processors if None.

    Returns
    -------
    dict
        What was learned about each bidder, costs where the market buys. ``upper`` exists where
        there are several members;
        ``envelope`` is the bound from revealed preference, where the answers give one.
    """

    def fit_one(bidder: int) -> Fitted:
        answers = Answers(known[bidder], demands[bidder], market, bidder)
        own = params_of(market.bidders[bidder].type, params)
        amount = (len(answers.reports), len(answers.demands))
        return KEPT.fit(answers, own, seeds.root.child("mixed", bidder, *amount))

    known = [within_reach(rows, market, i) for i, rows in enumerate(reports)]
    # Who would supply nothing at any price has said nothing about costs, least that they are 0.
    chosen = [
        len(own) > 0 if market.sense == "sell" else bool(own.bundles.any()) for own in demands
    ]
    present = [i for i in range(market.num_bidders) if len(known[i]) or chosen[i]]
    with ThreadPoolExecutor(num_threads or num_processors()) as pool:
        return dict(zip(present, pool.map(fit_one, present), strict=True))


class Kept:
    """
    Fits that this process has made, by everything that they depend on.

    Most bidders are not asked in every round. Forgetting a fit costs time and changes nothing.

    Parameters
    ----------
    most
        Fits that are kept, the latest ones.
    """

    def __init__(self, most: int = 1024):
        self.most = most
        self._fits: OrderedDict[Any, Fitted] = OrderedDict()
        self._lock = threading.Lock()

    def fit(self, answers: Answers, params: MixedParams, seeds: Seeds) -> Fitted:
        """The fit of these answers, made now or before."""
        key = (
            params,
            seeds,
            answers.market.fingerprint,
            answers.reports.bundles.tobytes(),
            answers.reports.values.tobytes(),
            answers.demands.prices.tobytes(),
            answers.demands.bundles.tobytes(),
        )
        with self._lock:
            known = self._fits.get(key)
        fitted = fit_bidder(answers, params, seeds) if known is None else known
        with self._lock:
            self._fits[key] = fitted
            self._fits.move_to_end(key)
            while len(self._fits) > self.most:
                self._fits.popitem(last=False)
        return fitted

    def forget(self) -> None:
        """Drops all of them."""
        with self._lock:
            self._fits.clear()


KEPT = Kept()


def draw_start(num_goods: int, params: MixedParams, rng: np.random.Generator) -> Weights:
    """
    Where a member's training starts: BOCA's initialisation, the first layer made sparse.

    What is kept of the first layer grows accordingly, so that its expectation stays the same.
    """
    initialisation = MvnnParams(
        hidden_layers=params.hidden_layers,
        hidden_units=params.hidden_units,
        linear_skip=params.linear_skip,
        init_mean=params.init_mean,
        init_variance=params.init_variance,
        init_bias=params.init_bias,
    )
    weights = draw_weights(num_goods, initialisation, rng)
    share = params.share_of_inputs(num_goods)
    kept = rng.random(weights.hidden[0].shape) < share
    first = np.where(kept, weights.hidden[0] / share, 0.0).astype(np.float32)
    return weights._replace(hidden=(first, *weights.hidden[1:]))


def fit_bidder(answers: Answers, params: MixedParams, seeds: Seeds) -> Fitted:
    """Trains the members of one bidder."""
    bound = finite_bound(answers.reports, answers.demands, answers.market, answers.bidder)
    capacities = answers.market.capacities
    if answers.scale == 0:
        nothing = MonotoneNet([], [], [], np.zeros(len(capacities)), capacities=capacities)
        return Fitted(nothing, nothing if params.members > 1 else None, bound)

    trained = train_members(answers, params, seeds)
    members = [
        freeze(
            jax.tree.map(lambda a, e=e: a[e], trained.weights), answers.held, answers.scale
        ).in_units_of(capacities)
        for e in range(params.members)
    ]
    mean = average_net(members)
    upper = Optimistic(members, params.spread) if params.members > 1 else None
    return Fitted(mean, upper, bound, diagnose(answers, mean, trained))


def train_members(answers: Answers, params: MixedParams, seeds: Seeds) -> Trained:
    """The compiled training of all members, each from its own start."""
    num_goods = answers.market.num_goods
    rows = len(answers.reports) + params.kept_stretches * len(answers.demands)
    check_memory(num_goods, params.hidden_layers, params.hidden_units, rows, params.members)
    starts = [
        draw_start(num_goods, params, seeds.child("member", e).generator())
        for e in range(params.members)
    ]
    single = np.float32
    settings = Settings(
        np.int32(max(1, params.steps // params.stretches)),
        single(params.learning_rate),
        single(params.l2),
        single(params.l1_per_good * num_goods),
        single(params.smooth_l1_beta),
        single(params.demand_weight),
    )
    stacked = jax.tree.map(lambda *arrays: np.stack(arrays), *starts)
    shape = MixedProgram(
        params.stretches, params.moves, params.kept_stretches, answers.market.sense == "buy"
    )
    trained: Trained = PROGRAMS(stacked, answers.data(), settings, shape=shape)
    return trained


def diagnose(answers: Answers, mean: MonotoneNet, trained: Trained) -> dict[str, Any]:
    """How well the mean fits the answers."""
    reports = answers.reports
    diagnostics = {
        "loss_value": float(np.mean(trained.losses.value)),
        "loss_demand": float(np.mean(trained.losses.demand)),
    }
    if len(reports):
        predicted = mean(reports.bundles)
        diagnostics["mean_r2"] = r_squared(predicted, reports.values)
        diagnostics["mean_mae"] = float(np.abs(predicted - reports.values).mean())
    return diagnostics
