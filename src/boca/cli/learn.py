"""``boca learn``: how well the networks learn, beside the published figures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from boca.cli.console_tables import as_json, check_writable, console, table, write_text
from boca.core.errors import InputError
from boca.domains import load_domain
from boca.reports.learning_table import COLUMNS, caption, cells, markdown
from boca.studies.learning.study import LearningRow, choose_params, choose_types, learn
from boca.surrogates.hyperparameters import defaults
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.overrides import load_params, override


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("learn")(learn_command)


def learn_command(
    domains: list[str] = typer.Argument(..., help="Domains, such as lsvm srvm mrvm."),
    q: list[float] = typer.Option([0.9], "--q", help="Quantile: 0.6, 0.75, 0.9 or 0.95."),
    instances: str = typer.Option("1-20", help="Seeds of the instances, such as 1-20 or 3,7."),
    types: str = typer.Option("", help="Bidder types, separated by commas; all by default."),
    steps_fraction: float = typer.Option(None, help="Share of the published number of steps."),
    params: Path = typer.Option(None, help="TOML file with other hyperparameters."),
    untuned: bool = typer.Option(False, "--untuned", help="Use the defaults of untuned markets."),
    generic: bool = typer.Option(False, "--generic", help="Count identical goods."),
    seed: int = typer.Option(0, help="Seed of the trainings."),
    print_json: bool = typer.Option(False, "--json", help="Print JSON."),
    print_markdown: bool = typer.Option(False, "--markdown", help="Print a Markdown table."),
    out: Path = typer.Option(
        None, help="Write to a file, Markdown or JSON by its ending; after every row."
    ),
    force: bool = typer.Option(False, "--force", help="Replace the file if it exists."),
) -> None:
    """Train on random bundles as the published tuning did, and compare."""
    if print_json and print_markdown:
        raise InputError("Received both --json and --markdown; choose one.")
    if out is not None:
        if out.suffix not in (".json", ".md"):
            raise InputError(f"Received --out {out}; expected a name that ends in .json or .md.")
        check_writable(out, force)
    seeds = parse_seeds(instances)
    wanted = [name.strip() for name in types.split(",") if name.strip()] or None

    for quantile in q:
        if not 0 < quantile < 1:
            raise InputError(f"Received --q {quantile:g}; expected a quantile such as 0.9.")

    # Every mistake in the arguments is found here, before the first training.
    studies = []
    for domain in domains:
        first = load_domain(domain, seed=seeds[0], generic=generic)
        there = choose_types(first, wanted)
        for quantile in q:
            chosen = defaults(first.market) if untuned else choose_params(first, quantile)
            chosen = load_params(params, chosen) if params is not None else chosen
            changes = {} if steps_fraction is None else {"steps_fraction": steps_fraction}
            chosen = override(chosen, changes)
            studies.append(Study(domain, quantile, chosen, there))

    rows: list[LearningRow] = []
    with progress_bar(sum(len(study.types) for study in studies) * len(seeds)) as advance:
        for study in studies:
            label = f"{study.domain} q {study.q:g}"
            for row in learn(
                study.domain,
                study.q,
                seeds,
                study.types,
                study.params,
                generic,
                seed,
                progress=partial(advance, label),
            ):
                rows.append(row)
                if out is not None:  # what is finished stays, whatever happens to the rest
                    write_text(out, as_text(rows, out.suffix), force or len(rows) > 1)

    if print_json:
        print(as_text(rows, ".json"), end="")
    elif print_markdown:
        print(as_text(rows, ".md"), end="")
    else:
        show(rows)


def as_text(rows: list[LearningRow], ending: str) -> str:
    """The rows as a file with this ending."""
    return as_json([row.to_dict() for row in rows]) + "\n" if ending == ".json" else markdown(rows)


@dataclass(frozen=True)
class Study:
    """One domain and quantile, with what is trained."""

    domain: str
    q: float
    params: dict[str, MvnnParams]
    types: list[str]


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str, str, int], None]]:
    """A bar on the error stream; calling it with study, type and number moves it forward."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    stream = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=stream, transient=True) as bar:
        task = bar.add_task("learning", total=total)
        yield lambda study, name, num: bar.update(task, advance=num, description=f"{study} {name}")


def parse_seeds(text: str) -> list[int]:
    """Seeds from a list of numbers and ranges, such as ``1-20`` or ``3,7,10-12``."""
    seeds: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or (last and not last.isdigit()) or part.strip().endswith("-"):
            raise InputError(
                f"Received --instances {text!r}; expected numbers and ranges, such as 1-20 or 3,7."
            )
        seeds += range(int(first), int(last or first) + 1)
    if not seeds:
        raise InputError(f"Received --instances {text!r}; the range is empty.")
    return list(dict.fromkeys(seeds))


def show(rows: list[LearningRow]) -> None:
    """The table on the screen."""
    made = table("Learning, measured / published (ratio)", COLUMNS, right=("q",))
    for row in rows:
        made.add_row(*cells(row))
    out = console()
    out.print(made)
    out.print(caption(rows), style="dim")
