"""How efficient the auction of a run folder was after each round, whether it is finished or not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.lab.simulation.observer import Observer, PathEntry
from boca.lab.simulation.run_folder import RunFolder


@dataclass(frozen=True)
class RunPath:
    """
    The losses of one run.

    Parameters
    ----------
    title
        Market, seed and mechanism, in words.
    path
        Efficiency after each finished round.
    """

    title: str
    path: Sequence[PathEntry]


def read_run_path(folder: RunFolder) -> RunPath:
    """
    The losses of the run in a folder: of its result, or as far as it has come.

    Parameters
    ----------
    folder
        What ``boca run`` made.
    """
    if folder.result_file.exists():
        return _finished(folder)
    setup = folder.read_setup()
    domain = setup.load()
    params, state = folder.read_auction(domain)
    observer = Observer(domain)
    if state is not None:
        observer.look(state)
    if not observer.path:
        raise InputError(f"No round of the run in '{folder.path}' is finished yet; try later.")
    title = f"{domain.name}, seed {setup.seed}, {params.mechanism}, round {len(observer.path) - 1}"
    return RunPath(f"{title} (unfinished)", tuple(observer.path))


def _finished(folder: RunFolder) -> RunPath:
    try:
        data = json.loads(read_text(folder.result_file, "result file"))
        path = tuple(PathEntry(**entry) for entry in data["path"])
        losses = [float(entry.efficiency_loss) + int(entry.queries) for entry in path]
        run, mechanism = data["run"], data["auction"]["mechanism"]
        title = f"{run['domain']}, seed {run['seed']}, {mechanism}"
    except (ValueError, KeyError, TypeError, RecursionError):
        losses = []
    if not losses:
        raise InputError(
            f"The result file '{folder.result_file}' has no losses by round ('path'); expected "
            "what 'boca run' writes. Remove it and continue with: boca run --resume FOLDER"
        )
    return RunPath(title, path)
