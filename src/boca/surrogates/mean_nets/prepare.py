"""From one bidder's reports to the arrays it is trained on. numpy only, besides the names."""

from dataclasses import dataclass

import numpy as np

from boca.core.bundle import as_bundles
from boca.core.market import Market
from boca.core.report import Reports
from boca.surrogates.arguments import reach, within_reach
from boca.surrogates.compiled.programs import padded
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.training import MeanRows


@dataclass(frozen=True, eq=False)
class MeanTask:
    """
    What one bidder's network should learn.

    Parameters
    ----------
    bundles, values
        The reports, and the empty bundle if it is not among them.
    capacities
        Copies of each good.
    held
        Copies of each good that the bidder can hold; inputs are shares of them.
    unit
        What a target of 1 is worth.
    """

    bundles: np.ndarray
    values: np.ndarray
    capacities: np.ndarray
    held: np.ndarray
    unit: float

    @property
    def num_rows(self) -> int:
        return len(self.values)


def prepare(
    reports: Reports, market: Market, bidder: int, params: MeanNetParams, largest_of_all: float
) -> MeanTask:
    """Checks a bidder's reports and chooses the scale of its targets."""
    as_bundles(reports.bundles, market.capacities)
    reports = within_reach(reports, market, bidder)
    bundles, values = reports.bundles, reports.values
    if bundles.any(axis=1).all():
        bundles = np.concatenate([bundles, 0 * bundles[:1]])
        values = np.append(values, 0.0)
    largest = float(values.max()) if params.scaling == "own" else largest_of_all
    unit = largest / params.value_range
    return MeanTask(bundles, values, market.capacities, reach(market, bidder), unit)


def training_data(problem: MeanTask, params: MeanNetParams, rng: np.random.Generator) -> MeanRows:
    """The arrays of a training, padded so that every round of an auction has the same shape."""
    n, size = problem.num_rows, params.batch_size
    num_rows = padded(n)
    inputs = np.zeros((num_rows, len(problem.capacities)), np.float32)
    inputs[:n] = problem.bundles / problem.held
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
    return MeanRows(inputs, targets, batches, rates, np.int32(epochs * per_epoch))
