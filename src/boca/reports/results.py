"""Stored runs sorted into the cells of tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boca.reports.cell import Cell, Run
from boca.simulation.mechanisms import get_mechanism
from boca.studies.run_spec import RunSpec, Scalar, Setting, domain_name

# The order of the paper's tables; other domains and mechanisms come after these.
DOMAIN_ORDER = ("GSVM", "LSVM", "SRVM", "MRVM")
MECHANISM_ORDER = ("boca", "mvnn", "mvnn-2022", "nn", "ft", "svr", "cca", "random")


@dataclass(frozen=True)
class Results:
    """
    Everything that is known about an experiment, ready for tables.

    Parameters
    ----------
    cells
        Cells with at least one finished run, in the order of tables.
    num_planned
        Number of runs of the grid.
    num_done
        Number of finished runs.
    num_replaced
        Finished runs that are not used because a newer one has the same setting and instance.
    sources
        Number of runs from each state of the source.
    """

    cells: tuple[Cell, ...]
    num_planned: int
    num_done: int
    num_replaced: int
    sources: Mapping[str, int]

    @property
    def runs(self) -> list[Run]:
        """All runs, cell by cell and seed by seed."""
        return [run for cell in self.cells for _, run in sorted(cell.runs.items())]

    @property
    def domains(self) -> list[str]:
        """Names of the domains, in the order of tables."""
        return list(dict.fromkeys(cell.domain for cell in self.cells))

    @property
    def is_partial(self) -> bool:
        """Whether planned runs are missing."""
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
        changes = tuple(change for change in cell.setting.changes if not self._is_shared(change))
        return replace(cell.setting, changes=changes).label(with_q=self._has_many_q)

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
    filled = [
        Cell(domain, setting, runs, len(seeds_planned[domain, setting]))
        for (domain, setting), runs in cells.items()
    ]
    return Results(
        cells=tuple(sorted(filled, key=_order)),
        num_planned=sum(map(len, seeds_planned.values())),
        num_done=sum(len(cell.runs) for cell in filled),
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
