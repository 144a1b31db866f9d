"""Stored runs as the numbers of a table: losses, revenues and hours by domain and setting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boca.reports.statistics import Mean, PairedDifference, mean_with_ci, paired
from boca.simulation.mechanisms import get_mechanism
from boca.studies.run_spec import RunSpec, Scalar, Setting, domain_name

# The order of the paper's tables; other domains and mechanisms come after these.
DOMAIN_ORDER = ("GSVM", "LSVM", "SRVM", "MRVM")
MECHANISM_ORDER = ("boca", "mvnn", "mvnn-2022", "nn", "ft", "svr", "cca", "random")


@dataclass(frozen=True)
class Run:
    """
    One finished run.

    Parameters
    ----------
    spec
        What was run.
    loss, revenue
        Efficiency loss and revenue, both in per cent of the largest possible welfare.
    seconds
        Wall-clock time.
    queries, losses
        Queries a bidder and efficiency loss in per cent after each round.
    stored
        Everything that was stored about it.
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
    domain
        Name as in tables.
    setting
        How the runs were done.
    runs
        Finished ones by seed.
    num_planned
        How many there should be.
    """

    domain: str
    setting: Setting
    runs: Mapping[int, Run]
    num_planned: int

    @property
    def is_partial(self) -> bool:
        return len(self.runs) < self.num_planned

    @property
    def loss(self) -> Mean:
        return self._mean([run.loss for run in self.runs.values()])

    @property
    def revenue(self) -> Mean:
        return self._mean([run.revenue for run in self.runs.values()])

    @property
    def hours(self) -> float:
        """Mean time of an auction."""
        return self._mean([run.seconds / 3600 for run in self.runs.values()]).mean

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

    @staticmethod
    def _mean(values: Sequence[float]) -> Mean:
        return mean_with_ci(values)


@dataclass(frozen=True)
class Results:
    """
    Everything that is known about an experiment, ready for tables.

    Parameters
    ----------
    cells
        Those with at least one finished run, in the order of tables.
    num_planned, num_done
        Runs of the grid, and how many of them are finished.
    num_replaced
        Finished runs that are not used because a newer one has the same setting and instance.
    sources
        States of the source that runs came from, and how many from each.
    """

    cells: tuple[Cell, ...]
    num_planned: int
    num_done: int
    num_replaced: int
    sources: Mapping[str, int]

    @property
    def runs(self) -> list[Run]:
        return [run for cell in self.cells for _, run in sorted(cell.runs.items())]

    @property
    def domains(self) -> list[str]:
        return list(dict.fromkeys(cell.domain for cell in self.cells))

    @property
    def is_partial(self) -> bool:
        return self.num_done < self.num_planned

    def of_domain(self, domain: str) -> list[Cell]:
        """The cells of a domain, in the order of tables."""
        return [cell for cell in self.cells if cell.domain == domain]

    def column(self, cell: Cell) -> str:
        """
        The name of the column that a cell belongs to: what tells its setting from the others.

        The quantile is in it only if a domain has runs with several of them; otherwise a column
        has the quantile that was chosen for each domain, as the paper's tables do.
        """
        own = tuple(change for change in cell.setting.changes if not self._is_shared(change))
        return replace(cell.setting, changes=own).label(with_q=self._has_many_q)

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of tables."""
        ordered = sorted(self.cells, key=lambda cell: _order(cell)[1:])
        return list(dict.fromkeys(map(self.column, ordered)))

    def _is_shared(self, change: tuple[str, Scalar]) -> bool:
        """Whether all settings have this change, as far as it can make a difference to them."""
        learners_only = change[0].startswith("surrogate.")
        return all(
            change in cell.setting.changes
            for cell in self.cells
            if not (learners_only and get_mechanism(cell.setting.mechanism).acquisitions == ())
        )

    @property
    def _has_many_q(self) -> bool:
        places = [(cell.domain, replace(cell.setting, q=None)) for cell in self.cells]
        return len(set(places)) < len(places)


def collect(stored: Iterable[Mapping[str, Any]], planned: Iterable[RunSpec] = ()) -> Results:
    """
    Sorts stored runs into cells.

    Parameters
    ----------
    stored
        Contents of result files.
    planned
        Every run that there should be; what is stored beyond it is counted as planned.
    """
    cells: dict[tuple[str, Setting], dict[int, Run]] = {}
    num_replaced = 0
    for data in sorted(stored, key=lambda data: data["finished"]):
        run = Run.from_dict(data)
        seeds = cells.setdefault((domain_name(run.spec.domain), run.spec.setting), {})
        num_replaced += run.spec.seed in seeds
        seeds[run.spec.seed] = run

    seeds_planned: dict[tuple[str, Setting], set[int]] = {}
    for spec in planned:
        place = (domain_name(spec.domain), spec.setting)
        seeds_planned.setdefault(place, set()).add(spec.seed)
    for place, runs in cells.items():
        seeds_planned.setdefault(place, set()).update(runs)

    sources: dict[str, int] = {}
    for runs in cells.values():
        for run in runs.values():
            source = run.stored.get("source", "unknown")
            sources[source] = sources.get(source, 0) + 1
    found = [
        Cell(domain, setting, runs, len(seeds_planned[domain, setting]))
        for (domain, setting), runs in cells.items()
    ]
    return Results(
        cells=tuple(sorted(found, key=_order)),
        num_planned=sum(map(len, seeds_planned.values())),
        num_done=sum(len(cell.runs) for cell in found),
        num_replaced=num_replaced,
        sources=sources,
    )


def _order(cell: Cell) -> tuple[Any, ...]:
    def place(name: str, names: Sequence[str]) -> tuple[int, str]:
        return (names.index(name) if name in names else len(names), name)

    setting = cell.setting
    return (
        place(cell.domain, DOMAIN_ORDER),
        place(setting.mechanism, MECHANISM_ORDER),
        setting.label(),
    )


def regret_curve(cell: Cell) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Mean loss by number of queries, for a regret plot.

    A run that stopped early keeps its last loss, as it would have.

    Returns
    -------
    tuple
        Queries a bidder, mean loss in per cent and half width of its 95 % confidence interval (nan
        for one run), each ``(num_points,)``.
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
