"""``boca experiment``: grids of runs, their tables and figures."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from boca.cli.console_tables import check_folder, check_writable, console, print_text_table
from boca.cli.grid_progress import GridProgress, headline, table_so_far
from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.randomness import parse_seeds
from boca.core.wording import shortened
from boca.lab.reports.compare import compare, comparison_table, open_side
from boca.lab.reports.layouts import all_tables
from boca.lab.reports.page import (
    Section,
    csv_page,
    latex_page,
    markdown_page,
    open_section,
    report_folder,
)
from boca.lab.reports.remarks import remarks
from boca.lab.simulation.source import source_fingerprint
from boca.lab.studies.engines import Engine, ProcessEngine
from boca.lab.studies.grid import Grid, check_settings, load_grid, parse_grid
from boca.lab.studies.packed import ENDING, read_packed, unpack, write_packed
from boca.lab.studies.reuse import reuse, stored_runs
from boca.lab.studies.run_spec import Scalar
from boca.lab.studies.runner import GridState, run_grid
from boca.lab.studies.store import Store


def register(app: typer.Typer) -> None:
    """Adds the group of commands to the command line."""
    group = typer.Typer(
        help="Run grids of auctions and make tables and figures of them.",
        no_args_is_help=True,
    )
    group.command("run")(run_command)
    group.command("report")(report_command)
    group.command("compare")(compare_command)
    group.command("pack")(pack_command)
    group.command("unpack")(unpack_command)
    app.add_typer(group, name="experiment")


def run_command(
    file: Path | None = typer.Argument(
        None, help="Experiment file, such as experiments/quick.toml; or leave it out and use flags."
    ),
    out: Path | None = typer.Option(None, help="Folder of the results; default runs/NAME."),
    workers: int | None = typer.Option(
        None, help="Runs at once; as many as cores and memory allow unless given."
    ),
    scheduler: str | None = typer.Option(
        None, help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786 (extra 'cluster')."
    ),
    seeds: str | None = typer.Option(None, help="Only these instances: 10001-10005, 10010."),
    domains: str | None = typer.Option(None, help="Only these domains, with commas."),
    mechanisms: str | None = typer.Option(None, help="Only these mechanisms, with commas."),
    set_: list[str] | None = typer.Option(
        None,
        "--set",
        help="Another setting: num_initial=20, surrogate.steps_fraction=0.1,0.3 (each is tried).",
    ),
    limit: int | None = typer.Option(None, help="Only this many runs, from the grid's first on."),
    reuse_from: list[Path] | None = typer.Option(
        None,
        "--reuse",
        help="Take common runs of the same source from this folder or packed experiment.",
    ),
    published_start: bool = typer.Option(
        False, "--published-start", help="Without FILE: first queries of the published experiments."
    ),
    stop_when_efficient: bool = typer.Option(
        False, "--stop-when-efficient", help="Without FILE: end a run at 0 % loss."
    ),
    quiet: bool = typer.Option(False, "--quiet", help="Print the last lines only."),
) -> None:
    """
    Do the runs of a grid that are not done yet.

    Finished runs are kept: start the same command again after an interruption and it goes on.
    Several processes may work on one folder; no run is done twice.
    """
    if limit is not None and limit < 1:
        raise InputError(f"Received --limit {limit}; expected at least 1.")
    words: dict[str, Any] = {
        "seeds": parse_seeds(seeds) if seeds else (),
        "domains": _words(domains),
        "mechanisms": _words(mechanisms),
    }
    if file is None:
        whole = _from_flags(words, published_start, stop_when_efficient)
    else:
        if published_start or stop_when_efficient:
            raise InputError(
                "Received --published-start or --stop-when-efficient with an experiment file; "
                "write published_start = true or stop_when_efficient = true into the file."
            )
        whole = load_grid(file)
        check_settings(whole, str(file))
        _check_planned(whole, words, file)
    if set_:
        # Another experiment, so another plan, and another folder unless one is given.
        name = "+".join([whole.name, *set_]).replace(" ", "").replace("/", "_")
        whole = replace(whole.only(changes=_settings(set_)), name=name)
    specs = whole.only(**words).runs()[:limit]
    for spec in specs:
        spec.params()  # a mistake in a setting is found before anything runs

    source_fingerprint()  # of the source as it is now, not when the last run ends
    screen = console()
    others = [run for path in reuse_from or [] for run in stored_runs(path)]
    engine = _engine(scheduler, workers)
    store = Store(out or Path("runs") / whole.name)
    check_folder(store.path)
    try:
        store.create()
        store.plan(whole)
        if reuse_from:
            screen.print(f"{reuse(specs, others, store)} runs were taken from other experiments.")
        with GridProgress(screen, quiet) as display:
            progress = run_grid(specs, store, engine, display)
    except KeyboardInterrupt:
        screen.print("interrupted; finished runs are kept. Start the same command to go on.")
        raise typer.Exit(130) from None
    except OSError as error:  # a full disk, or a folder that was taken away
        raise InputError(
            f"The experiment in '{store.path}' cannot go on: {error.strerror or error}. Finished "
            "runs are kept; make room and start the same command again."
        ) from None
    finally:
        engine.close()
    _show_end(progress, store)
    if progress.failures:
        raise typer.Exit(1)


def report_command(
    folders: list[Path] = typer.Argument(
        ..., help="Folders of experiments, or packed experiments (.json.gz)."
    ),
    format_: str = typer.Option(
        "table", "--format", help="table (for the terminal), markdown, latex or csv."
    ),
    out: Path | None = typer.Option(None, help="Write the text to this file instead."),
    figures: Path | None = typer.Option(
        None, help="Folder of the figures; default FOLDER/report, or figures/ next to --out."
    ),
    csv: Path | None = typer.Option(
        None, help="Folder of the CSV files, of runs and of cells; default FOLDER/report."
    ),
) -> None:
    """
    Tables and regret plots of finished runs, compared with the published figures.

    It can be made while an experiment runs: the tables say how much of it is done.
    """
    if format_ not in ("table", "markdown", "latex", "csv"):
        raise InputError(f"Received --format {format_}; expected table, markdown, latex or csv.")
    if out is not None and format_ == "table":
        raise InputError("A terminal table cannot go to a file; add --format markdown.")
    if out is not None and out.is_dir():
        raise InputError(f"Received --out {out}, which is a folder; name a file in it.")
    sections = [open_section(folder) for folder in folders]
    written, pictures = [], {}
    for folder, section in zip(folders, sections, strict=True):
        if not section.results.cells:
            raise InputError(f"No run in '{folder}' is finished yet; there is nothing to report.")
        usual = report_folder(folder)
        pictures_to = figures or (out.parent / "figures" if out is not None else usual)
        for target in (pictures_to, csv or usual):
            check_folder(target)
        drawn = section.draw(pictures_to)
        pictures[section.name] = drawn[0]
        written += [*drawn, *section.write_csv(csv or usual)]

    if format_ == "table":
        for section in sections:
            _show_section(section)
    else:
        pages = {
            "markdown": lambda: markdown_page(sections, pictures, out.parent if out else Path()),
            "latex": lambda: latex_page(sections),
            "csv": lambda: csv_page(sections),
        }
        text = pages[format_]()
        if out is None:
            print(text)
        else:
            check_folder(out.parent)
            out.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(out, text)
            written.append(out)
    typer.echo("Wrote " + ", ".join(map(str, written)), err=True)


def compare_command(
    first: str = typer.Argument(..., help="FOLDER, or FOLDER@MECHANISM for one of its columns."),
    second: str = typer.Argument(..., help="The same, to compare with the first."),
    format_: str = typer.Option("table", "--format", help="table, markdown or latex."),
) -> None:
    """
    Paired differences on common instances, and how many would be needed to call them.

    For example: boca experiment compare runs/table1@boca runs/table1@mvnn
    """
    if format_ not in ("table", "markdown", "latex"):
        raise InputError(f"Received --format {format_}; expected table, markdown or latex.")
    comparison = comparison_table(compare(open_side(first), open_side(second)))
    if format_ == "table":
        print_text_table(console(), comparison)
    else:
        print(comparison.to_markdown() if format_ == "markdown" else comparison.to_latex())


def pack_command(
    folder: Path = typer.Argument(..., help="Folder of an experiment."),
    out: Path | None = typer.Option(None, help="The file; default FOLDER.json.gz."),
    force: bool = typer.Option(False, "--force", help="Replace an existing file."),
) -> None:
    """
    Put what reports need into one small file, for keeping.

    The file can be given to report, compare and plot regret in the folder's place; allocations
    and payments are left out. To add runs, unpack it, go on in the folder, and pack that again.
    """
    store = Store.open(folder)
    target = out or folder.resolve().with_name(f"{folder.resolve().name}{ENDING}")
    check_writable(target, force)
    results = store.results()
    if not results:
        raise InputError(f"No run in '{folder}' is finished yet; there is nothing to pack.")
    write_packed(target, results, store.grids())
    typer.echo(f"Wrote {target}: {len(results)} runs, {target.stat().st_size:,} bytes", err=True)


def unpack_command(
    file: Path = typer.Argument(..., help="Packed experiment (.json.gz)."),
    out: Path | None = typer.Option(None, help="Folder of the runs; default runs/NAME."),
) -> None:
    """
    Put the runs of a packed experiment into a folder, where more can be added.

    Runs that the folder has already stay as they are.
    """
    packed = read_packed(file)
    store = Store(out or Path("runs") / packed.name)
    check_folder(store.path)
    num_new = unpack(packed, store)
    typer.echo(
        f"Wrote {num_new} of {len(packed.results)} runs to {store.path}; "
        "'boca experiment run FILE --out FOLDER' adds what is missing.",
        err=True,
    )


def _show_section(section: Section) -> None:
    screen = console()
    screen.print(section.name, style="bold")
    for text_table in all_tables(section.results):
        print_text_table(screen, text_table)
    for line in remarks(section.results):
        screen.print(f"- {line}")


def _show_end(progress: GridState, store: Store) -> None:
    screen = console()
    screen.print(headline(progress))
    screen.print(table_so_far(progress))
    others = sum(r.get("source") != source_fingerprint() for r in progress.results.values())
    if others:
        screen.print(
            f"{others} of the finished runs were made by another state of boca's source. They are "
            "kept; use another --out to repeat them."
        )
    if progress.failures:
        screen.print(f"{len(progress.failures)} runs failed; the same command tries them again:")
    for failure in progress.failures.values():
        screen.print(f"  {failure.spec.title}: {failure.error}\n    log: {failure.log}")
    screen.print(f"Tables and figures: boca experiment report {store.path}")


def _engine(scheduler: str | None, workers: int | None) -> Engine:
    if scheduler is None:
        return ProcessEngine(workers)
    if workers is not None:
        raise InputError(
            "Received --workers with --scheduler; a cluster has the workers that were started for "
            "it. Leave out --workers."
        )
    from boca.lab.studies.dask_engine import DaskEngine

    return DaskEngine(scheduler)


def _from_flags(words: dict[str, Any], published_start: bool, stop_when_efficient: bool) -> Grid:
    missing = [name for name, values in words.items() if not values]
    if missing:
        raise InputError(
            f"Received neither an experiment file nor --{', --'.join(missing)}. Name a file, such "
            "as experiments/quick.toml, or all of --domains, --mechanisms and --seeds."
        )
    data = {
        "name": "-".join(word.replace("/", "_") for word in words["domains"]),
        "published_start": published_start,
        "stop_when_efficient": stop_when_efficient,
        **words,
    }
    return parse_grid(data, "the command line")


def _check_planned(grid: Grid, words: dict[str, Any], file: Path) -> None:
    """Refuses to narrow a plan down to what is not in it: no table of it would show such runs."""
    for name, wanted in words.items():
        planned = {str(entry).lower() for entry in getattr(grid, name)}
        others = [str(entry) for entry in wanted if str(entry).lower() not in planned]
        if others:
            raise InputError(
                f"Received --{name} {shortened(','.join(others))}, which the plan of {file} does "
                f"not have; write them into the file, or leave it out and use flags alone."
            )


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip()) if text else ()


def _settings(texts: list[str]) -> dict[str, tuple[Scalar, ...]]:
    """``--set name=value,value`` as a dictionary; values are read as TOML, else as words."""
    settings: dict[str, tuple[Scalar, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not all(part.strip() for part in name.split(".")) or not values.strip():
            raise InputError(f"Received --set {text}; expected a name and a value: num_initial=20.")
        settings[name.strip()] = tuple(_value(word.strip()) for word in values.split(","))
    return settings


def _value(word: str) -> Scalar:
    try:
        value: Scalar = tomllib.loads(f"value = {word}")["value"]
    except ValueError:
        return word
    return value
