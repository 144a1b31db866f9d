"""``boca learn``: how well the networks learn, compared with the published figures."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from boca.cli.console_tables import as_json, check_writable, console, table, write_text
from boca.core.errors import InputError
from boca.core.randomness import parse_seeds
from boca.lab.domains import load_domain
from boca.lab.reports.learning.demand_table import DEMAND_TABLE
from boca.lab.reports.learning.learning_table import LEARNING_TABLE
from boca.lab.reports.learning.order_table import ORDER_TABLE
from boca.lab.reports.row_table import RowTable
from boca.lab.studies.learning.demand import learn_demands
from boca.lab.studies.learning.metrics import learn
from boca.lab.studies.learning.order import keep_order
from boca.lab.studies.learning.study import LearningStudy, choose_params
from boca.lab.studies.tuning.tuned_file import params_from_file
from boca.surrogates.hyperparameters import defaults
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.overrides import override


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("learn")(learn_command)


def learn_command(
    domains: list[str] = typer.Argument(..., help="Domains, such as lsvm srvm mrvm."),
    q: list[float] = typer.Option([0.9], "--q", help="Quantile: 0.6, 0.75, 0.9 or 0.95."),
    instances: str = typer.Option("1-20", help="Seeds of the instances, such as 1-20 or 3,7."),
    types: str = typer.Option("", help="Bidder types, separated by commas; all by default."),
    steps_fraction: float = typer.Option(None, help="Share of the published number of steps."),
    artificial: str = typer.Option(None, help="Artificial points: cube or bundles."),
    params: Path = typer.Option(None, help="TOML file with other hyperparameters."),
    untuned: bool = typer.Option(False, "--untuned", help="Use the defaults of untuned markets."),
    generic: bool = typer.Option(False, "--generic", help="Count identical goods."),
    order: bool = typer.Option(
        False, "--order", help="Show instead how often the upper bound lies below the mean."
    ),
    demand: bool = typer.Option(
        False,
        "--demand",
        help="Show instead what values and demands teach a network that learns from both.",
    ),
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
    if demand and (order or untuned or params or steps_fraction or artificial):
        raise InputError(
            "Received --demand with an option about networks that learn from values alone; leave "
            "one of them out."
        )
    if out is not None:
        if out.suffix not in (".json", ".md"):
            raise InputError(f"Received --out {out}; expected a name that ends in .json or .md.")
        check_writable(out, force)
    changes: dict[str, Any] = {"steps_fraction": steps_fraction, "artificial": artificial}
    changes = {name: value for name, value in changes.items() if value is not None}
    names = [name.strip() for name in types.split(",") if name.strip()] or None
    seeds = parse_seeds(instances)

    # Every mistake in the arguments is found here, before the first training.
    studies = [
        LearningStudy(
            domain,
            quantile,
            seeds,
            names,
            hyperparameters(domain, quantile, seeds[0], generic, untuned, params, changes),
            generic,
            seed,
        )
        for domain in domains
        for quantile in q
    ]

    rows: list[Any] = []
    measure: Callable[..., Iterator[Any]] = keep_order if order else learn
    layout: RowTable[Any] = ORDER_TABLE if order else LEARNING_TABLE
    if demand:
        measure, layout = learn_demands, DEMAND_TABLE
    with progress_bar(sum(len(study.bidder_types) for study in studies) * len(seeds)) as advance:
        for study in studies:
            for row in measure(study, partial(advance, f"{study.domain} q {study.q:g}")):
                rows.append(row)
                if out is not None:  # what is finished stays, whatever happens to the rest
                    write_text(out, as_text(rows, layout, out.suffix), force or len(rows) > 1)

    if print_json:
        print(as_text(rows, layout, ".json"), end="")
    elif print_markdown:
        print(as_text(rows, layout, ".md"), end="")
    else:
        show(rows, layout)


def hyperparameters(
    domain: str,
    q: float,
    instance: int,
    generic: bool,
    untuned: bool,
    file: Path | None,
    changes: dict[str, Any],
) -> dict[str, MvnnParams]:
    """The published ones or defaults, with a file and then single options on top."""
    if not 0 < q < 1:
        raise InputError(f"Received --q {q:g}; expected a quantile such as 0.9.")
    world = load_domain(domain, seed=instance, generic=generic)
    params = defaults(world.market) if untuned else choose_params(world, q)
    params = params_from_file(file, params, q=q) if file is not None else params
    return override(params, changes, source="The command line")


def as_text(rows: Sequence[Any], layout: RowTable[Any], ending: str) -> str:
    """The rows as a file with this ending."""
    if ending == ".json":
        return as_json([row.to_dict() for row in rows]) + "\n"
    return layout.markdown(rows)


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str, str, int], None]]:
    """A bar on the error stream; calling it with study, type and number moves it forward."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    stream = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=stream, transient=True) as bar:
        task = bar.add_task("learning", total=total)
        yield lambda study, name, num: bar.update(task, advance=num, description=f"{study} {name}")


def show(rows: Sequence[Any], layout: RowTable[Any]) -> None:
    """The table on the screen."""
    lines = table(layout.title, layout.columns, right=("q",))
    for row in rows:
        lines.add_row(*layout.cells(row))
    out = console()
    out.print(lines)
    out.print(layout.caption(rows), style="dim")
