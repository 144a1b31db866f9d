"""Reports of all bidders in, fitted functions out."""

from collections.abc import Mapping, Sequence

import jax
import numpy as np

from boca.core.demand import Demands
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.functions import MonotoneNet
from boca.functions.average import average_net
from boca.functions.revealed import finite_bound
from boca.surrogates.arguments import reach, reporting
from boca.surrogates.compiled.programs import Programs
from boca.surrogates.fitted import Fitted
from boca.surrogates.goodness import r_squared
from boca.surrogates.joint.params import JointParams
from boca.surrogates.joint.training import Rows, Settings, SharedWeights, train
from boca.surrogates.memory_needed import check_memory
from boca.surrogates.mvnn.initialisation import scaling_rule
from boca.surrogates.mvnn.params import MvnnParams

PROGRAMS = Programs(train)

ROWS = 256  # rows are padded to multiples of this, so that an auction compiles few programs


def fit(
    reports: Sequence[Reports],
    demands: Sequence[Demands],
    market: Market,
    params: Mapping[str, JointParams],
    seeds: Seeds,
) -> dict[int, Fitted]:
    """
    Learns the values of all bidders together, from reports alone.

    Bidders share a hidden layer, so that what one shows about the goods helps with the others; a
    bidder's report changes everybody's network.

    Parameters
    ----------
    reports, demands
        What each bidder has said, one entry per bidder of the market. Demands are not learned
        from, but the bound uses them.
    market
        Goods and bidders.
    params
        Hyperparameters of each bidder type; the same for all, since training is shared.
    seeds
        Same seeds, same networks.

    Returns
    -------
    dict
        What was learned about each bidder with reports; zero where all of them are.
    """
    present = reporting(reports, market)
    scales = {i: float(own.values.max()) for i, own in present.items()}
    active = [i for i in present if scales[i] > 0]
    nets = dict(
        zip(active, _train(present, scales, active, market, _shared(params), seeds), strict=True)
    )
    nothing = MonotoneNet([], [], [], np.zeros(market.num_goods), capacities=market.capacities)
    fitted = {}
    for i, own in present.items():
        bound = finite_bound(own, demands[i], market, i)
        mean = nets.get(i, nothing)
        details = {"mean_r2": r_squared(mean(own.bundles), own.values)} if i in nets else {}
        fitted[i] = Fitted(mean, None, bound, details)
    return fitted


def _shared(params: Mapping[str, JointParams]) -> JointParams:
    kinds = set(params.values())
    if len(kinds) != 1:
        raise InputError(
            f"Received {len(kinds)} different hyperparameters; expected the same for all bidder "
            "types, because their networks share a layer."
        )
    return kinds.pop()


def _train(
    reports: Mapping[int, Reports],
    scales: Mapping[int, float],
    active: Sequence[int],
    market: Market,
    params: JointParams,
    seeds: Seeds,
) -> list[MonotoneNet]:
    """The networks of the active bidders, the average of all members."""
    if not active:
        return []
    check_memory(market.num_goods, 1, params.hidden_units, params.batch_size, params.members)
    # One hidden layer serves all of them, so the unit of a good is what somebody can hold of it.
    held = np.max([reach(market, i) for i in range(market.num_bidders)], axis=0)
    num_rows = sum(len(reports[i]) for i in active)
    padding = -num_rows % ROWS
    inputs = np.concatenate([reports[i].bundles / held for i in active])
    bidders = np.repeat(np.arange(len(active)), [len(reports[i]) for i in active])
    targets = np.concatenate([reports[i].values / scales[i] for i in active])
    rows = Rows(
        np.pad(inputs, ((0, padding), (0, 0))).astype(np.float32),
        np.pad(bidders, (0, padding)).astype(np.int32),
        np.pad(targets, (0, padding)).astype(np.float32),
        np.int32(num_rows),
    )
    single = np.float32
    settings = Settings(
        np.int32(params.steps),
        single(params.learning_rate),
        single(params.l1),
        single(params.l2),
        single(params.smooth_l1_beta),
        single(params.dropout_prob),
    )
    streams = [seeds.child("joint", e) for e in range(params.members)]
    starts = [draw_start(len(active), market.num_goods, params, s.generator()) for s in streams]
    weights = PROGRAMS(
        jax.tree.map(lambda *arrays: np.stack(arrays), *starts),
        rows,
        settings,
        np.array([stream.integer(32) for stream in streams], dtype=np.uint32),
        shape=params.batch_size,
    )
    return [
        average_net(
            [
                _frozen(weights, e, k, scales[i], held).in_units_of(market.capacities)
                for e in range(params.members)
            ]
        )
        for k, i in enumerate(active)
    ]


def draw_start(
    num_bidders: int, num_goods: int, params: JointParams, rng: np.random.Generator
) -> SharedWeights:
    """Where a member's training starts: BOCA's initialisation, each bidder with its own output."""
    initialisation = MvnnParams(
        init_mean=params.init_mean, init_variance=params.init_variance, init_bias=params.init_bias
    )
    units = params.hidden_units
    hidden = scaling_rule(num_goods, initialisation).draw((num_goods, units), rng)
    biases = -params.init_bias * rng.random(units)
    cutoffs = rng.random(units)
    output = scaling_rule(units, initialisation).draw((num_bidders, units), rng)
    arrays = (hidden, biases, cutoffs, output, np.zeros((num_bidders, num_goods)))
    return SharedWeights(*(array.astype(np.float32) for array in arrays))


def _frozen(
    weights: SharedWeights, member: int, bidder: int, scale: float, capacities: np.ndarray
) -> MonotoneNet:
    """One bidder's network in one member, in float64 and in units of value."""
    hidden, biases, cutoffs, output, skip = (
        np.asarray(array[member], dtype=np.float64) for array in weights
    )
    return MonotoneNet(
        [np.maximum(hidden, 0)],
        [np.minimum(biases, 0)],
        [np.maximum(cutoffs, 0)],
        scale * np.maximum(output[bidder], 0),
        scale * np.maximum(skip[bidder], 0),
        capacities,
    )
