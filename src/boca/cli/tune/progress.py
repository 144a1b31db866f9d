"""How a running search looks: a live line in a terminal, one line per trial elsewhere."""

import time
from typing import Any

from optuna.trial import FrozenTrial, TrialState
from rich.console import Console
from rich.live import Live

from boca.lab.studies.tuning.scores import best_of, score_trials
from boca.lab.studies.tuning.search import TuningListener, TuningProgress
from boca.lab.studies.tuning.trials import measurements


class TuneProgress(TuningListener):
    """
    Trials done and left, the best so far, the estimated end.

    Parameters
    ----------
    out
        Console that everything is shown on.
    quiet
        Whether to show nothing.
    what
        What is done, at the beginning of every line.
    """

    def __init__(self, out: Console, quiet: bool = False, what: str = ""):
        self._out, self._quiet, self._what = out, quiet, what
        live = out.is_terminal and not quiet
        self._live = Live(console=out, auto_refresh=False, transient=True) if live else None

    def __enter__(self) -> "TuneProgress":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._live:
            self._live.stop()

    def on_start(self, progress: TuningProgress) -> None:
        if self._quiet:
            return
        left = max(0, progress.num_trials - progress.num_before)
        what = f"{progress.setup.title}{f', {self._what}' if self._what else ''}"
        self._out.print(
            f"{what}: {progress.num_trials} trials, {progress.num_before} done already, "
            f"{left} to do; {len(progress.setup.instances)} instances each."
        )

    def on_measured(self, progress: TuningProgress, number: int) -> None:
        if self._live:
            self._live.update(
                f"{headline(progress)}, {progress.num_measured} trainings since the start",
                refresh=True,
            )

    def on_finished(self, progress: TuningProgress, trial: FrozenTrial) -> None:
        if self._quiet:
            return
        num_instances = len(measurements(trial))
        of_all = len(progress.setup.instances)
        ended = (
            f"given up after {num_instances} of {of_all}"
            if trial.state == TrialState.PRUNED
            else f"{trial.value:.4g}"
        )
        self._out.print(f"trial {trial.number}: {ended}; {headline(progress)}", soft_wrap=True)


def headline(progress: TuningProgress) -> str:
    """How far a search is, in a line."""
    done = progress.trials.done()
    parts = [f"{len(done)} of {progress.num_trials} done"]
    # Where nothing is searched for there is no best one.
    targets = progress.setup.targets if progress.is_search else ()
    best = {target: best_of(score_trials(done, target)) for target in targets}
    numbers = [
        f"{target}: {one.value:.4g} (trial {one.trial.number})"
        for target, one in best.items()
        if one is not None
    ]
    if numbers:
        parts.append("best so far " + ", ".join(numbers))
    seconds = progress.seconds_left()
    if seconds:
        end = time.strftime("%a %H:%M", time.localtime(time.time() + seconds))
        parts.append(f"end about {end} (in {seconds / 60:.0f} min)")
    return "; ".join(parts)
