"""Finished runs of one setting in one domain: the numbers of a cell of a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.lab.reports.statistics import Mean, PairedDifference, mean_with_ci, paired
from boca.lab.studies.run_spec import RunSpec, Setting


@dataclass(frozen=True)
class Run:
    """
    One finished run.

    Parameters
    ----------
    spec
        What was run.
    loss
        Efficiency loss, in per cent of the largest possible welfare.
    revenue
        Revenue, in per cent of the largest possible welfare.
    seconds
        Wall-clock time.
    queries
        Queries per bidder after each round.
    losses
        Efficiency loss in per cent after each round.
    stored
        Content of the result file.
    """

    spec: RunSpec
    loss: float
    revenue: float
    seconds: float
    queries: tuple[int, ...]
    losses: tuple[float, ...]
    stored: Mapping[str, Any]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Run":
        """A run from its result file."""
        return cls(
            spec=RunSpec.from_dict(data["spec"]),
            loss=100 * data["efficiency_loss"],
            revenue=100 * data["relative_revenue"],
            seconds=data["seconds"],
            queries=tuple(entry["queries"] for entry in data["path"]),
            losses=tuple(100 * entry["efficiency_loss"] for entry in data["path"]),
            stored=data,
        )


@dataclass(frozen=True)
class Cell:
    """
    The runs of one setting in one domain.

    Parameters
    ----------
    market
        Which market, by content: see :mod:`boca.lab.reports.market_labels`.
    domain
        Name of the market, as in tables.
    setting
        How the runs were done.
    runs
        Finished runs by seed.
    num_planned
        Number of runs that there should be.
    """

    market: str
    domain: str
    setting: Setting
    runs: Mapping[int, Run]
    num_planned: int

    @property
    def is_partial(self) -> bool:
        """Whether planned runs are missing."""
        return len(self.runs) < self.num_planned

    @property
    def loss(self) -> Mean:
        """Efficiency loss in per cent."""
        return mean_with_ci([run.loss for run in self.runs.values()])

    @property
    def revenue(self) -> Mean:
        """Revenue in per cent of the largest possible welfare."""
        return mean_with_ci([run.revenue for run in self.runs.values()])

    @property
    def hours(self) -> float:
        """Mean time of an auction."""
        return mean_with_ci([run.seconds / 3600 for run in self.runs.values()]).mean

    def against(self, other: "Cell", what: str = "loss") -> PairedDifference:
        """Other minus this, on the instances that both have."""
        seeds = self.common_seeds(other)
        return paired(
            [getattr(self.runs[seed], what) for seed in seeds],
            [getattr(other.runs[seed], what) for seed in seeds],
        )

    def common_seeds(self, other: "Cell") -> list[int]:
        """Instances that both have."""
        return sorted(self.runs.keys() & other.runs.keys())


def regret_curve(cell: Cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Mean loss by number of queries, for a regret plot.

    A run that stopped early keeps its last loss, as it would have.

    Returns
    -------
    tuple
        Queries per bidder, mean loss in per cent and half the width of its 95 % confidence
        interval (nan for one run), each ``(num_points,)``.
    """
    runs = list(cell.runs.values())
    queries = np.unique(np.concatenate([run.queries for run in runs]))
    # Where one run has not begun to be scored, there is no mean over all.
    queries = queries[queries >= max(run.queries[0] for run in runs)]
    table = np.array(
        [
            [run.losses[np.searchsorted(run.queries, q, side="right") - 1] for q in queries]
            for run in runs
        ]
    )  # (num_runs, num_points)
    means = [mean_with_ci(column) for column in table.T]
    return queries, np.array([m.mean for m in means]), np.array([m.half_width for m in means])
