"""Runs that another experiment has done already."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from boca.lab.simulation.source import source_fingerprint
from boca.lab.studies.packed import is_packed, read_packed
from boca.lab.studies.run_spec import RunSpec
from boca.lab.studies.store import Store


def stored_runs(path: Path | str) -> list[Mapping[str, Any]]:
    """The finished runs in an experiment's folder, or in a packed experiment."""
    return list(read_packed(path).results if is_packed(path) else Store.open(path).results())


def reuse(specs: Iterable[RunSpec], runs: Iterable[Mapping[str, Any]], store: Store) -> int:
    """
    Stores runs of other experiments that a grid needs too; returns how many.

    A run is taken if setting and instance are those of a run of the grid, and if the present state
    of the source made it: doing it again would give the same numbers.

    Parameters
    ----------
    specs
        The runs of the grid.
    runs
        Finished runs of other experiments.
    store
        Folder of the grid, which exists; what it has already is not replaced.
    """
    wanted = {spec.key for spec in specs if not store.is_done(spec.key)}
    usable = {
        run["key"]: dict(run)
        for run in runs
        if run["key"] in wanted and run.get("source") == source_fingerprint()
    }
    for key, run in usable.items():
        store.save(key, run)
    return len(usable)
