"""How a running grid looks: a live view in a terminal, one line per run elsewhere."""

import time
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from boca.cli.console_tables import table
from boca.lab.reports.results import collect
from boca.lab.studies.runner import GridState, Listener

# In a terminal, at most this many running runs are named.
MOST_RUNNING = 8


class GridProgress(Listener):
    """
    Runs done, running and left, the estimated end, and the table so far.

    Parameters
    ----------
    out
        Console that everything is shown on.
    quiet
        Whether to show crashes only.
    """

    def __init__(self, out: Console, quiet: bool = False):
        self._out = out
        self._quiet = quiet
        live = out.is_terminal and not quiet
        self._live = Live(console=out, auto_refresh=False, transient=True) if live else None
        self._started = False

    def __enter__(self) -> "GridProgress":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._live:
            self._live.stop()

    def on_start(self, progress: GridState) -> None:
        self._started = True
        left = len(progress.specs) - len(progress.results)
        if self._quiet:
            return
        self._out.print(
            f"{len(progress.specs)} runs: {progress.num_before} done already, {left} to do, "
            f"{progress.num_workers} at once."
        )
        self._show(progress)

    def on_change(self, progress: GridState) -> None:
        self._show(progress)

    def on_finished(self, progress: GridState, key: str) -> None:
        # What was done before is counted once, at the start.
        if self._started and not self._quiet and not self._live:
            self._line(progress, key)

    def on_crash(self, progress: GridState, key: str, error: str, again: bool) -> None:
        then = "trying once more" if again else "given up"
        self._out.print(f"{progress.specs[key].title}: {error}; {then}.")

    def _line(self, progress: GridState, key: str) -> None:
        result = progress.results[key]
        self._out.print(
            f"[{len(progress.results)}/{len(progress.specs)}] {progress.specs[key].title}: "
            f"loss {100 * result['efficiency_loss']:.2f} %, {result['seconds']:.0f} s; "
            f"{headline(progress)}",
            soft_wrap=True,
        )

    def _show(self, progress: GridState) -> None:
        if self._live:
            view = Group(headline(progress), table_so_far(progress), running_table(progress))
            self._live.update(view, refresh=True)


def headline(progress: GridState) -> str:
    """How far a grid is, in a line."""
    parts = [
        f"{len(progress.results)} done",
        f"{len(progress.running)} running",
        f"{progress.num_left} left",
    ]
    if progress.elsewhere:
        parts.append(f"{len(progress.elsewhere)} under way elsewhere")
    if progress.failures:
        parts.append(f"{len(progress.failures)} failed")
    seconds = progress.seconds_left()
    if seconds is not None and progress.num_left + len(progress.running):
        end = time.strftime("%a %H:%M", time.localtime(time.time() + seconds))
        parts.append(f"end about {end} (in {_duration(seconds)})")
    return ", ".join(parts)


def table_so_far(progress: GridState) -> Table:
    """Mean loss of every domain and setting among the runs that are done."""
    results = collect(progress.results.values(), progress.specs.values())
    view = table(
        "So far",
        ["domain", "setting", "runs", "loss %", "revenue %", "minutes"],
        right=["runs", "loss %", "revenue %", "minutes"],
    )
    for cell in results.cells:
        view.add_row(
            cell.domain,
            results.column(cell),
            f"{len(cell.runs)} of {cell.num_planned}",
            f"{cell.loss.mean:.2f} ± {cell.loss.half_width:.2f}".replace(" ± nan", ""),
            f"{cell.revenue.mean:.2f}",
            f"{60 * cell.hours:.1f}",
        )
    return view


def running_table(progress: GridState) -> Table:
    """What is being done now, and for how long."""
    view = table("Running", ["run", "time"], right=["time"])
    running = sorted(progress.running.items(), key=lambda item: item[1])
    for key, began in running[:MOST_RUNNING]:
        view.add_row(progress.specs[key].title, _duration(time.time() - began))
    if len(running) > MOST_RUNNING:
        view.add_row(f"... {len(running) - MOST_RUNNING} more", "")
    return view


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {int(seconds % 60)} s" if minutes else f"{int(seconds)} s"
