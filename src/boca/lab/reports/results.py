"""Stored runs sorted into the cells of tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boca.core.errors import InputError
from boca.lab.domains import DOMAINS
from boca.lab.reports.cell import Cell, Run
from boca.lab.reports.market_labels import MarketLabels, stored_market
from boca.lab.reports.published import SAME_CONFIGURATION, published_best_q
from boca.lab.simulation.mechanisms import get_mechanism
from boca.lab.studies.part_versions import changed_since, part_versions
from boca.lab.studies.run_spec import RunSpec, Scalar, Setting, has_limits

# Mechanisms newer than the paper, then the order of the paper's tables; others come last.
DOMAIN_ORDER = ("GSVM", "LSVM", "SRVM", "MRVM")
RECENT = ("hybrid", "mlhca", "ml-cca", "local")
OF_THE_PAPER = (
    "boca-2023",
    "boca",
    "mvnn",
    "mvnn-2022",
    "nn-2020",
    "nn",
    "fourier-2021",
    "ft",
    "svr",
    "cca",
    "random-2023",
    "random",
)
MECHANISM_ORDER = RECENT + OF_THE_PAPER
# Others are tested against the first of these that was run; without them, against the first column.
BASES = ("hybrid", "boca")


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
    """

    cells: tuple[Cell, ...]
    num_planned: int
    num_done: int
    num_replaced: int

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

    @property
    def sources(self) -> dict[str, int]:
        """Number of runs from each state of the source."""
        return self._count("source", "unknown")

    @property
    def changed_parts(self) -> dict[str, int]:
        """Parts that have changed since runs were made with them, with the number of these runs."""
        return dict(Counter(part for run in self.runs for part in _changed_parts(run)))

    @property
    def former_settings(self) -> dict[str, int]:
        """
        Number of runs of each mechanism whose settings are no longer what it has by default.

        Of those whose parts have not changed, in value models: where market files were edited since
        is not known.
        """
        return dict(
            Counter(
                run.spec.setting.mechanism
                for run in self.runs
                if run.spec.domain in DOMAINS
                and not _changed_parts(run)
                and run.stored["key"] not in (run.spec.key, *run.spec.former_keys)
            )
        )

    def _count(self, name: str, default: Any) -> dict[Any, int]:
        return dict(Counter(run.stored.get(name, default) for run in self.runs))

    def of_domain(self, domain: str) -> list[Cell]:
        """The cells of a domain, in the order of tables."""
        return [cell for cell in self.cells if cell.domain == domain]

    def column(self, cell: Cell) -> str:
        """
        The name of the column that a cell belongs to: what tells its setting from the others.

        The quantile is in it only if a domain has runs with several of them; otherwise a column
        has the quantile that was chosen for each domain, as the paper's tables do.
        """
        return self._label(cell, self._has_many_q)

    def family(self, cell: Cell) -> str:
        """The name of a cell's setting whatever its quantile."""
        return self._label(cell, with_q=False)

    @property
    def families(self) -> list[str]:
        """Names of all settings whatever their quantile, in the order of tables."""
        ordered = sorted(self.cells, key=lambda cell: _order(cell)[1:])
        return list(dict.fromkeys(map(self.family, ordered)))

    def shown(self, domain: str) -> dict[str, Cell]:
        """
        One cell of a domain for each family, as the paper's Table 1 has it.

        Of several quantiles it is the published winner, chosen before any of our runs, or the one
        with the same hyperparameters; where neither was run, the one with most instances.
        """
        cells: dict[str, Cell] = {}
        for family in self.families:
            choices = [cell for cell in self.of_domain(domain) if self.family(cell) == family]
            if choices:
                cells[family] = max(choices, key=_preference)
        return cells

    @property
    def base(self) -> str | None:
        """
        The family that others are tested against: the first of ``BASES`` that was run, else the
        first column; None if nothing can be compared.
        """
        mechanisms = {self.family(cell): cell.setting.mechanism for cell in self.cells}
        bases = [name for base in BASES for name in self.families if mechanisms[name] == base]
        others = self.families if len(self.families) > 1 else []
        return next(iter([*bases, *others]), None)

    def base_of(self, cell: Cell) -> Cell | None:
        """The cell that a cell is tested against; None if there is none, or it is that."""
        base = self.shown(cell.domain).get(self.base or "")
        return None if base is cell else base

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of tables."""
        ordered = sorted(self.cells, key=lambda cell: _order(cell)[1:])
        return list(dict.fromkeys(map(self.column, ordered)))

    def _label(self, cell: Cell, with_q: bool) -> str:
        changes = tuple(change for change in cell.setting.changes if not self._is_shared(change))
        flags = [
            name.replace("_", " ")
            for name in ("published_start", "stop_when_efficient")
            if getattr(cell.setting, name) and self._is_needed(name)
        ]
        return " ".join([replace(cell.setting, changes=changes).label(with_q), *flags])

    def _is_needed(self, flag: str) -> bool:
        """Whether two settings of a market differ in nothing but a flag."""
        off: dict[str, Any] = {flag: False}
        places = [(cell.market, replace(cell.setting, **off)) for cell in self.cells]
        return len(set(places)) < len(places)

    def _is_shared(self, change: tuple[str, Scalar]) -> bool:
        """Whether all settings have this change, as far as it can make a difference to them."""
        learners_only = change[0].startswith("surrogate.")
        return all(
            change in cell.setting.changes
            for cell in self.cells
            if not (learners_only and not get_mechanism(cell.setting.mechanism).learns)
        )

    @property
    def _has_many_q(self) -> bool:
        places = [(cell.market, replace(cell.setting, q=None)) for cell in self.cells]
        return len(set(places)) < len(places)


def collect(stored: Iterable[Mapping[str, Any]], planned: Iterable[RunSpec] = ()) -> Results:
    """
    Sorts stored runs into cells: one for each market and setting.

    Parameters
    ----------
    stored
        Contents of result files.
    planned
        Every run that there should be; what is stored beyond it is counted as planned.
    """
    stored, planned = sorted(stored, key=lambda data: str(data["finished"])), list(planned)
    markets = MarketLabels(stored, planned)
    cells: dict[tuple[str, Setting], dict[int, Run]] = {}
    num_replaced = 0
    for data in stored:
        run = Run.from_dict(data)
        runs = cells.setdefault((stored_market(data), run.spec.setting), {})
        num_replaced += run.spec.seed in runs
        runs[run.spec.seed] = run

    seeds_planned: dict[tuple[str, Setting], set[int]] = {}
    for spec in planned:
        place = (markets.planned_market(spec), spec.setting)
        seeds_planned.setdefault(place, set()).add(spec.seed)
    for place, runs in cells.items():
        seeds_planned.setdefault(place, set()).update(runs)

    filled = [
        Cell(market, markets.label(market), setting, runs, len(seeds_planned[market, setting]))
        for (market, setting), runs in cells.items()
    ]
    return Results(
        cells=tuple(sorted(filled, key=_order)),
        num_planned=sum(map(len, seeds_planned.values())),
        num_done=sum(len(cell.runs) for cell in filled),
        num_replaced=num_replaced,
    )


def _preference(cell: Cell) -> tuple[bool, bool, int]:
    """What a column shows of several q: the best published one, run as such or under its twin."""
    q, best = cell.setting.q, published_best_q(cell.domain, cell.setting)
    if q is None or best is None:
        return False, False, len(cell.runs)
    return q == best, SAME_CONFIGURATION.get(q) == best, len(cell.runs)


def _order(cell: Cell) -> tuple[Any, ...]:
    def place(name: str, names: Sequence[str]) -> tuple[int, str]:
        return (names.index(name) if name in names else len(names), name)

    setting = cell.setting
    return (
        place(cell.domain, DOMAIN_ORDER),
        place(setting.mechanism, MECHANISM_ORDER),
        setting.label(),
    )


def _changed_parts(run: Run) -> list[str]:
    """What has changed since a run was made, by the settings that it was made with."""
    spec = run.spec
    try:
        limits = has_limits(spec.domain, spec.setting.generic)
    except InputError:  # a market file that is no longer there: it may have had some
        limits = True
    return changed_since(run.stored, part_versions(run.stored["auction"], limits))
