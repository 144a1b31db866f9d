"""From one bidder's reports to the arrays it is trained on. numpy only, besides the names."""

import warnings
from dataclasses import dataclass

import numpy as np

from boca.core import InputError, Market, Reports
from boca.core.bundle import as_bundles
from boca.functions import Envelope
from boca.surrogates.mvnn.artificial import draw_points, extend_envelope
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.mvnn.training import Data

ROWS_STEP = 104  # a hundred reports, the empty bundle, and a multiple of 8
POOL_ENTRIES = 2**21  # numbers in the pool of artificial points
MAX_POOL = 2**16
STREAM_LENGTH = 8192


@dataclass(frozen=True, eq=False)
class Problem:
    """
    What one bidder's networks should learn.

    Parameters
    ----------
    bundles, values
        The reports, and the empty bundle if it is not among them.
    envelope
        The largest monotone function through the reports.
    largest
        Largest reported value; networks learn values divided by it.
    """

    bundles: np.ndarray
    values: np.ndarray
    envelope: Envelope
    largest: float

    @classmethod
    def from_reports(cls, reports: Reports, market: Market, bidder: int) -> "Problem":
        """
        Checks the reports of a bidder.

        A bidder whose limits forbid the full bundle need not report it; then no bundle is taken
        to be worth more than its largest report.
        """
        name = market.bidders[bidder].name
        try:
            bundles = as_bundles(reports.bundles, market.capacities)
        except InputError as error:
            raise InputError(f"A report of bidder '{name}' cannot be used. {error}") from error
        values = reports.values
        if not len(reports):
            raise InputError(f"Bidder '{name}' has not reported anything; expected reports.")
        may_have_all = market.allows(bidder, market.full_bundle)[0]
        if may_have_all and market.full_bundle not in reports:
            raise InputError(
                f"Bidder '{name}' has not reported a value for the full bundle; expected one, "
                "because it bounds the value of every other bundle. Ask for it first."
            )
        _warn_of_contradictions(bundles, values, name)
        largest = float(values.max())
        envelope = Envelope(bundles, values, market.capacities, top=largest)
        if bundles.any(axis=1).all():
            bundles = np.concatenate([bundles, 0 * bundles[:1]])
            values = np.append(values, 0.0)
        return cls(bundles, values, envelope, largest)

    @property
    def num_rows(self) -> int:
        """Reports to train on, with the empty bundle."""
        return len(self.bundles)

    def data(self, params: MvnnParams, rng: np.random.Generator) -> Data:
        """The arrays of a training, padded so that every round of an auction has the same shape."""
        capacities = self.envelope.capacities
        padded = -(-self.num_rows // ROWS_STEP) * ROWS_STEP
        inputs = np.zeros((padded, len(capacities)), np.float32)
        inputs[: self.num_rows] = self.bundles / capacities
        targets = np.zeros(padded, np.float32)
        targets[: self.num_rows] = self.values / self.largest
        row_weights = np.zeros(padded, np.float32)
        row_weights[: self.num_rows] = 1 / self.num_rows

        points = draw_points(pool_size(params, len(capacities)), capacities, params.artificial, rng)
        bound = extend_envelope(self.envelope, points) / self.largest
        return Data(
            inputs=inputs,
            targets=targets,
            row_weights=row_weights,
            order=shuffled_stream(self.num_rows, rng),
            pool=points / capacities.astype(np.float32),
            pool_envelope=bound.astype(np.float32),
            key=rng.integers(2**32, dtype=np.uint32),
        )


def pool_size(params: MvnnParams, num_goods: int) -> int:
    """
    Points in the pool of artificial points.

    The upper bound can learn a small pool by heart and stays low elsewhere: with 4,096 points its
    quantile loss for one bidder type of SRVM was a seventh higher than with 131,072.
    """
    return max(min(POOL_ENTRIES // num_goods, MAX_POOL), 8 * params.artificial_per_step)


def shuffled_stream(num_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Row numbers in random order, again and again, ``(STREAM_LENGTH,)``."""
    num_shuffles = -(-STREAM_LENGTH // num_rows)
    shuffles = rng.permuted(np.tile(np.arange(num_rows, dtype=np.int32), (num_shuffles, 1)), axis=1)
    return shuffles.ravel()[:STREAM_LENGTH]


def _warn_of_contradictions(bundles: np.ndarray, values: np.ndarray, name: str) -> None:
    """Warns if a bundle is reported to be worth more than one that contains it."""
    part_of = (bundles[:, None, :] <= bundles[None, :, :]).all(axis=2)  # row is part of column
    excess = np.where(part_of, values[:, None] - values[None, :], 0)
    if not len(values) or excess.max() <= 1e-9 * values.max():
        return
    part, whole = np.unravel_index(excess.argmax(), excess.shape)
    warnings.warn(
        f"Bidder '{name}' reported {values[part]:g} for a bundle (report {part}) but only "
        f"{values[whole]:g} for one that contains it (report {whole}); "
        f"{(excess > 0).sum()} such pairs. Values cannot fall when goods are added: the networks "
        "learn a compromise, and the envelope takes the larger value for both.",
        stacklevel=4,
    )
