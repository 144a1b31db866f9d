"""Stored runs as data frames of pandas, which is an extra."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boca.core.errors import MissingExtra
from boca.lab.reports.csv_rows import run_rows, summary_rows
from boca.lab.reports.page import open_section
from boca.lab.reports.results import Results

if TYPE_CHECKING:
    import pandas as pd


def results_frame(experiment: Path | str) -> "pd.DataFrame":
    """
    One row per run, with every setting, the versions and the machine.

    Parameters
    ----------
    experiment
        Folder of an experiment, or a packed file.
    """
    return _frame(run_rows(_results(experiment)))


def paths_frame(experiment: Path | str) -> "pd.DataFrame":
    """
    One row per run and round: how far each auction had come after how many questions.

    Parameters
    ----------
    experiment
        Folder of an experiment, or a packed file.
    """
    rows = []
    for run in _results(experiment).runs:
        spec = run.spec.to_dict()
        names = {name: spec[name] for name in ("domain", "seed", "mechanism", "q")}
        rows += [{**names, **entry} for entry in run.stored["path"]]
    return _frame(rows)


def summary_frame(experiment: Path | str) -> "pd.DataFrame":
    """
    One row per domain and setting: means, confidence intervals, tests and published figures.

    Parameters
    ----------
    experiment
        Folder of an experiment, or a packed file.
    """
    return _frame(summary_rows(_results(experiment)))


def _results(experiment: Path | str) -> Results:
    return open_section(experiment).results


def _frame(rows: list[dict[str, Any]]) -> "pd.DataFrame":
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "frames", "A data frame") from None
    return pd.DataFrame(rows)
