"""From one bidder's reports to the arrays it is trained on. numpy only, besides the names."""

import warnings
from dataclasses import dataclass

import numpy as np

from boca.core import InputError, Market, Reports
from boca.core.bundle import as_bundles
from boca.functions import Envelope, ValueFunction, XorTable
from boca.functions.arrays import contained
from boca.surrogates.arguments import reach, within_reach
from boca.surrogates.compiled.programs import padded
from boca.surrogates.mvnn.artificial import EnvelopeTable
from boca.surrogates.mvnn.batches import ReportRows
from boca.surrogates.mvnn.params import ArtificialPoints

STREAM_LENGTH = 8192

# Where costs are learned, by how much the largest one may be exceeded by what nobody asked about.
HEADROOM = 1.05


@dataclass(frozen=True, eq=False)
class PairTask:
    """
    What one bidder's networks should learn.

    Parameters
    ----------
    bundles, values
        The reports, and the empty bundle if it is not among them. Where costs are learned, what a
        supplier keeps and what it saves by that: everything less what it supplies, and the largest
        cost less that one.
    envelope
        The largest monotone function through the reports, among what the bidder can hold: its
        capacities are the most copies of each good that the bidder can have.
    largest
        Largest reported value; networks learn values divided by it.
    capacities
        Copies of each good in the market; what is learned counts in them.
    costs
        The reports themselves where costs are learned; else None. Networks are of what is supplied
        then, and the loss sees their mirror image (:mod:`boca.surrogates.mvnn.training`).
    """

    bundles: np.ndarray
    values: np.ndarray
    envelope: Envelope
    largest: float
    capacities: np.ndarray
    costs: Reports | None = None

    @classmethod
    def from_reports(cls, reports: Reports, market: Market, bidder: int) -> "PairTask":
        """
        Checks the reports of a bidder.

        A bidder whose limits forbid to hold the most of every good at once need not report that;
        then no bundle is taken to be worth more than its largest report. Reports of more copies
        than a bidder can hold are left out.
        """
        name = market.bidders[bidder].name
        try:
            as_bundles(reports.bundles, market.capacities)
        except InputError as error:
            raise InputError(f"A report of bidder '{name}' cannot be used. {error}") from error
        reports = within_reach(reports, market, bidder)
        bundles, values = reports.bundles, reports.values
        if not len(reports):
            raise InputError(f"Bidder '{name}' has not reported anything; expected reports.")
        full = market.largest_bundle(bidder)
        if full is not None and full not in reports and market.sense == "sell":
            raise InputError(
                f"Bidder '{name}' has not reported a value for the full bundle (all that it can "
                "hold); expected one, because it bounds the value of every other bundle. Ask for "
                "it first."
            )
        held = reach(market, bidder)
        _warn_of_contradictions(bundles, values, held, name)
        if market.sense == "buy":
            return cls.of_costs(reports, held, market.capacities)
        largest = float(values.max())
        envelope = Envelope(bundles, values, held, top=largest)
        some = bundles.any(axis=1)
        bundles = np.concatenate([bundles[some], 0 * bundles[:1]])
        values = np.append(values[some], 0.0)
        return cls(bundles, values, envelope, largest, market.capacities)

    @classmethod
    def of_costs(cls, costs: Reports, held: np.ndarray, capacities: np.ndarray) -> "PairTask":
        """
        Costs of what is supplied as values of what is kept.

        To supply nothing costs nothing, which is known without a report. To supply everything may
        be impossible, so nothing is said about keeping nothing.

        Parameters
        ----------
        costs
            What supplying bundles costs.
        held
            The most units of each lot that the supplier can supply.
        capacities
            Units of each lot that are needed.
        """
        largest = HEADROOM * float(costs.values.max())
        rows = costs.part(np.flatnonzero(costs.bundles.any(axis=1)))
        bundles = np.concatenate([held - rows.bundles, held[None]])
        values = np.append(largest - rows.values, largest)
        return cls(
            bundles, values, Envelope(bundles, values, held, top=largest), largest, capacities, rows
        )

    @property
    def bound(self) -> ValueFunction:
        """
        The envelope among all bundles of the market; of costs, the least that any can be: that of
        the dearest part.
        """
        if self.costs is not None:
            return XorTable.from_reports(self.costs, self.capacities)
        envelope = self.envelope
        if (envelope.capacities == self.capacities).all():
            return envelope
        return Envelope(envelope.bundles, envelope.values, self.capacities, top=self.largest)

    @property
    def num_rows(self) -> int:
        """Reports to train on, with the empty bundle."""
        return len(self.bundles)

    def data(
        self, kind: ArtificialPoints, rng: np.random.Generator, batch_size: int | None = None
    ) -> ReportRows:
        """
        The arrays of a training, padded so that every round of an auction has the same shape.

        Parameters
        ----------
        kind
            Where artificial points lie.
        rng
            For the order of the reports, and all random numbers of the training.
        batch_size
            Of mini-batches that begin anew with every epoch; None for a stream of reports.
        """
        order = (
            shuffled_stream(self.num_rows, rng)
            if batch_size is None
            else shuffled_epochs(self.num_rows, batch_size, rng)
        )
        capacities = self.envelope.capacities
        num_rows = padded(self.num_rows)
        inputs = np.zeros((num_rows, len(capacities)), np.float32)
        inputs[: self.num_rows] = self.bundles / capacities
        targets = np.zeros(num_rows, np.float32)
        targets[: self.num_rows] = self.values / self.largest
        row_weights = np.zeros(num_rows, np.float32)
        row_weights[: self.num_rows] = 1 / self.num_rows
        return ReportRows(
            inputs=inputs,
            targets=targets,
            row_weights=row_weights,
            order=order,
            envelope=EnvelopeTable.from_envelope(self.envelope, self.largest, num_rows, kind),
            key=rng.integers(2**32, dtype=np.uint32),
        )


def shuffled_stream(num_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Row numbers in random order, again and again, ``(STREAM_LENGTH,)``."""
    num_shuffles = -(-STREAM_LENGTH // num_rows)
    shuffles = rng.permuted(np.tile(np.arange(num_rows, dtype=np.int32), (num_shuffles, 1)), axis=1)
    return shuffles.ravel()[:STREAM_LENGTH]


def rows_of_epoch(num_rows: int, batch_size: int) -> int:
    """
    How many rows an epoch sees: all, unless the empty bundle, the last one, would be a mini-batch
    of its own. Every network values it at 0, so such a step would see no report at all.
    """
    alone = num_rows > 1 and num_rows % batch_size == 1 % batch_size
    return num_rows - 1 if alone else num_rows


def shuffled_epochs(num_rows: int, batch_size: int, rng: np.random.Generator) -> np.ndarray:
    """
    Row numbers in random order, every time in whole batches whose last one is filled up with -1,
    ``(STREAM_LENGTH,)``.
    """
    num_rows = rows_of_epoch(num_rows, batch_size)
    length = -(-num_rows // batch_size) * batch_size
    stream = np.full((-(-STREAM_LENGTH // length), length), -1, dtype=np.int32)
    stream[:, :num_rows] = np.arange(num_rows)
    stream[:, :num_rows] = rng.permuted(stream[:, :num_rows], axis=1)
    return stream.ravel()[:STREAM_LENGTH]


def _warn_of_contradictions(
    bundles: np.ndarray, values: np.ndarray, capacities: np.ndarray, name: str
) -> None:
    """Warns if a bundle is reported to be worth more than one that contains it."""
    part_of = contained(bundles, bundles, capacities)  # row is part of column
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
