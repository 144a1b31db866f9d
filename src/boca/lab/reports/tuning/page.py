"""A search as a page: who won, what mattered, and how winners compare with what was published."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from boca.core.files import write_atomically
from boca.core.randomness import format_seeds
from boca.lab.reports.figures.style import save
from boca.lab.reports.figures.tuning import draw_history, draw_importances, draw_lines
from boca.lab.reports.text_table import TextTable
from boca.lab.studies.tuning.criteria import ALL, get_criterion
from boca.lab.studies.tuning.insights import history, importances, lines
from boca.lab.studies.tuning.setup import TuningSetup
from boca.lab.studies.tuning.trials import measurements
from boca.lab.studies.tuning.validation import TOLERANCE, Compared
from boca.lab.studies.tuning.winners import Reference, Winner


@dataclass(frozen=True)
class Search:
    """
    One search with everything that is known about it.

    Parameters
    ----------
    setup
        What it was about.
    trials
        All its trials.
    winners
        The best configuration for each target.
    reference
        What winners are compared with.
    validated_on
        Instances of the comparison; empty if there was none.
    compared
        Winners and reference on those instances.
    command
        How it was called.
    """

    setup: TuningSetup
    trials: Sequence[FrozenTrial]
    winners: Mapping[str, Winner]
    reference: Reference
    validated_on: tuple[int, ...] = ()
    compared: Sequence[Compared] = ()
    command: str = ""

    @property
    def stem(self) -> str:
        """How its files begin."""
        letters = (c if c.isalnum() else "-" for c in self.setup.who)
        return "".join(letters).strip("-") or "bidders"


def write_page(folder: Path, search: Search) -> Path:
    """
    Writes a page in Markdown, with its figures beside it, and returns its path.

    Parameters
    ----------
    folder
        Where page and figures go; their names begin with the bidder type.
    search
        What the page is about.
    """
    pictures = [picture for picture in draw(search, folder) if picture.suffix == ".png"]
    path = folder / f"{search.stem}.md"
    write_atomically(path, "\n".join(section(search, pictures)))
    return path


def draw(search: Search, folder: Path) -> list[Path]:
    """History, importance and parallel coordinates, as far as there are enough trials."""
    setup, trials = search.setup, search.trials
    targets = list(search.winners)
    if not targets:
        return []
    unit = "loss, %" if setup.criterion == "auction" else "criterion"
    written = save(
        draw_history([history(trials, target) for target in targets], setup.title, unit),
        folder,
        f"{search.stem}-history",
    )
    shares = {target: importances(setup, trials, target) for target in targets}
    if all(shares.values()):
        title = f"{setup.title}: what decides whether a trial is among the best quarter"
        written += save(draw_importances(shares, title), folder, f"{search.stem}-importance")
    middle = "0.9" if "0.9" in targets else targets[0]
    name = "" if middle == ALL else f", q = {middle}"
    figure = draw_lines(lines(setup, trials, middle), f"{setup.title}{name}: all trials")
    return written + save(figure, folder, f"{search.stem}-parallel")


def section(search: Search, pictures: Sequence[Path]) -> list[str]:
    """The page, paragraph by paragraph."""
    setup = search.setup
    parts = [f"# Tuned hyperparameters: {setup.title}\n", "Made by `boca tune`; do not edit.\n"]
    if search.command:
        parts.append(f"`{search.command}`\n")
    parts.append("\n".join(f"- {line}" for line in summary(search)) + "\n")
    if search.compared:
        parts.append(comparison_table(search).to_markdown())
    if search.winners:
        parts.append(winners_table(search).to_markdown())
    for picture in pictures:
        parts.append(f"![{picture.stem.replace('-', ' ')}]({picture.name})\n")
    return parts


def summary(search: Search) -> list[str]:
    """What was done, and the verdict, in lines."""
    setup = search.setup
    states = [trial.state for trial in search.trials]
    counted = [t for t in search.trials if t.state in (TrialState.COMPLETE, TrialState.PRUNED)]
    seconds = sum(m["seconds"] for trial in counted for m in measurements(trial).values())
    num_measured = sum(len(measurements(trial)) for trial in counted)
    lines_ = [
        f"Criterion `{setup.criterion}`: {get_criterion(setup.criterion).description}.",
        f"{states.count(TrialState.COMPLETE)} trials on all "
        f"{'folds' if setup.reports else 'instances'} ({format_seeds(setup.instances)}), "
        f"{states.count(TrialState.PRUNED)} given up early, "
        f"{states.count(TrialState.FAIL)} interrupted and passed on.",
        f"{num_measured} measurements of {setup.num_train} reports, which took {seconds:.0f} "
        "seconds in all, waiting for a core included.",
    ]
    for one in search.compared:
        name = "" if one.target == ALL else f" for q = {one.target}"
        verdict = "at most" if one.is_as_good else "more than"
        lines_.append(
            f"The winner{name} is {verdict} {100 * TOLERANCE:g} % worse than the "
            f"{search.reference.name} configuration: {100 * (one.ratio - 1):+.1f} % on "
            f"{format_seeds(search.validated_on)}."
        )
    return lines_


def comparison_table(search: Search) -> TextTable:
    """Winners and references on instances that chose neither."""
    rows = []
    for one in search.compared:
        winner, reference = one.means
        mean, error = one.difference
        rows.append(
            (
                one.target,
                f"{winner:.4g}",
                f"{reference:.4g}",
                f"{one.ratio:.3f}",
                f"{mean:+.3g} ± {1.96 * error:.2g}",
            )
        )
    where = "folds of the search" if search.setup.reports else "instances"
    return TextTable(
        f"Criterion on {where} {format_seeds(search.validated_on)}",
        ("target", "winner", search.reference.name, "ratio", "difference (95 %)"),
        tuple(rows),
        notes=("Both were trained in the same run, on the same bundles; smaller is better.",),
    )


def winners_table(search: Search) -> TextTable:
    """Winners next to what they are compared with, one hyperparameter per row."""
    setup, targets = search.setup, list(search.winners)
    searched = [f.name for f in fields(next(iter(search.winners.values())).params)]
    header = ["hyperparameter"]
    columns: list[dict[str, Any]] = []
    for target in targets:
        name = "" if target == ALL else f" q = {target}"
        header.append(f"winner{name}")
        columns.append(asdict(search.winners[target].params))
        if target in search.reference.params:
            header.append(f"{search.reference.name}{name}")
            columns.append(asdict(search.reference.params[target]))
    varied = [
        name
        for name in searched
        if name not in setup.space.fixed and len({str(column[name]) for column in columns}) > 1
    ]
    rows = [(name, *(_text(column[name]) for column in columns)) for name in varied]
    numbers = ["criterion on the search's instances"]
    for target in targets:
        numbers.append(f"{search.winners[target].value:.4g}")
        if target in search.reference.params:
            numbers.append("")
    return TextTable("Winners", tuple(header), (*rows, tuple(numbers)))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
