"""``boca plot``: figures, each with the numbers it shows."""

import sys
from pathlib import Path

import typer

from boca.cli.console_tables import check_folder
from boca.core.errors import InputError
from boca.lab.domains import load_domain
from boca.lab.reports.figures.chain import draw_bounds
from boca.lab.reports.figures.regret import Drawing, draw_regret
from boca.lab.reports.figures.style import save
from boca.lab.reports.page import open_section, report_folder
from boca.lab.reports.run_path import read_run_path
from boca.lab.simulation.run_folder import RunFolder
from boca.lab.studies.learning.chain import bounds_along_chain, figure_params
from boca.lab.studies.learning.study import choose_params
from boca.lab.studies.packed import is_packed
from boca.lab.studies.tuning.tuned_file import params_from_file
from boca.surrogates.overrides import override

# Reports that networks learn from in minutes.
MOST_REPORTS = 2_000
# Reports from which on a word is due before learning begins.
MANY_REPORTS = 200


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    plot = typer.Typer(help="Draw figures, each with the numbers it shows.", no_args_is_help=True)
    plot.command("bounds")(bounds_command)
    plot.command("regret")(regret_command)
    app.add_typer(plot, name="plot")


def bounds_command(
    domain: str = typer.Argument(..., help="Domain, such as lsvm."),
    seed: int = typer.Option(..., help="Seed of the instance."),
    bidder: int = typer.Option(..., help="Index of the bidder."),
    q: float = typer.Option(0.9, "--q", help="Quantile of the published hyperparameters."),
    reports: int = typer.Option(40, help="Reports to learn from, the full bundle included."),
    on_chain: int = typer.Option(2, help="How many of them lie on the chain."),
    init: str = typer.Option("mixture", help="Initialisation: mixture, generic or shrunk."),
    l2: float = typer.Option(None, help="Weight decay; none with generic initialisation."),
    width: int = typer.Option(None, help="Neurons of each of two hidden layers."),
    artificial: str = typer.Option(None, help="Artificial points: cube or bundles."),
    params: Path = typer.Option(None, help="TOML file with other hyperparameters."),
    out: Path = typer.Option(Path("figures"), help="Folder for PNG, SVG and CSV."),
) -> None:
    """Mean, upper bound, envelope, reports and true values along a growing chain of bundles."""
    if not 1 <= reports <= MOST_REPORTS:
        raise InputError(
            f"Received --reports {reports}; expected 1 to {MOST_REPORTS:,}, because learning from "
            "more takes hours."
        )
    world = load_domain(domain, seed=seed)
    chosen = choose_params(world, q)
    if params is not None:
        chosen = params_from_file(params, chosen, q=q)
    if artificial is not None:
        chosen = override(chosen, {"artificial": artificial}, source="--artificial")
    world.function(bidder)  # refuses a bidder that does not exist
    networks = figure_params(chosen[world.bidder_types[bidder]], init, width, l2)

    check_folder(out)  # before the work
    if reports >= MANY_REPORTS:
        print(f"learning from {reports:,} reports ...", file=sys.stderr, flush=True)
    bounds = bounds_along_chain(world, bidder, networks, reports, on_chain, seed)
    stem = f"bounds_{Path(world.name).stem}_{seed}_bidder{bidder}"
    stem += f"_{artificial}" if artificial is not None else ""
    stem += f"_{init}" if init != "mixture" else ""
    stem += f"_width{width}" if width is not None else ""
    stem += f"_l2_{l2:g}" if l2 is not None else ""
    out.mkdir(parents=True, exist_ok=True)
    bounds.write_csv(out / f"{stem}.csv")
    for path in (out / f"{stem}.csv", *save(draw_bounds(bounds), out, stem)):
        print(path)


def regret_command(
    folders: list[Path] = typer.Argument(
        ..., help="Folders of runs (boca run) or of experiments (boca experiment run)."
    ),
    out: Path | None = typer.Option(
        None, help="Folder for the figures; default the run's own, or report/ in an experiment's."
    ),
    formats: str = typer.Option(
        "png,svg", "--format", help="Kinds of files, with commas: png, svg, pdf."
    ),
    size: str | None = typer.Option(
        None, metavar="WxH", help="Width and height of one panel in inches, such as 5x3.5."
    ),
    label: list[str] = typer.Option(
        [], metavar="COLUMN=TEXT", help="Another name in the legend of experiments; repeatable."
    ),
) -> None:
    """
    Efficiency loss by number of queries, of finished runs and of those under way.

    For example: boca plot regret runs/lsvm-10001-boca runs/table1
    """
    drawing = Drawing(_parse_formats(formats), _parse_size(size), _parse_labels(label))
    for folder in folders:
        for path in _draw_folder(folder, out, drawing):
            print(path)


def _parse_formats(text: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(word.strip().lower() for word in text.split(",") if word.strip()))
    wrong = [kind for kind in kinds if kind not in ("png", "svg", "pdf")]
    if wrong or not kinds:
        raise InputError(f"Received --format {text}; expected some of png, svg, pdf, with commas.")
    return kinds


def _parse_size(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        width, height = (float(word) for word in text.lower().split("x"))
    except ValueError:
        width = height = 0.0
    if not (1 <= width <= 40 and 1 <= height <= 40):
        raise InputError(
            f"Received --size {text}; expected width and height in inches, each from 1 to 40, such "
            "as 5x3.5."
        )
    return width, height


def _parse_labels(texts: list[str]) -> dict[str, str]:
    for text in texts:
        if not all(text.partition("=")):
            raise InputError(
                f"Received --label {text}; expected a column of the tables and its new name, such "
                "as boca=BOCA."
            )
    return {text.partition("=")[0]: text.partition("=")[2] for text in texts}


def _draw_folder(folder: Path, out: Path | None, drawing: Drawing) -> list[Path]:
    """Draws the losses of whatever a folder holds; the paths of the figures."""
    if (folder / "runs").is_dir() or is_packed(folder):
        section = open_section(folder)
        if not section.results.cells:
            raise InputError(f"No run in '{folder}' is finished yet; there is nothing to draw.")
        target = out or report_folder(folder)
        check_folder(target)
        return section.draw(target, drawing)
    run = RunFolder(folder)
    if not run.params_file.exists() and not run.result_file.exists():
        raise InputError(
            f"There is neither a run nor an experiment in '{folder}'; expected a folder that "
            "'boca run' or 'boca experiment run' has made."
        )
    target = out or folder
    check_folder(target)
    run_path = read_run_path(run)
    target.mkdir(parents=True, exist_ok=True)
    name = run.plot_file.name if out is None else f"{folder.resolve().name}-{run.plot_file.name}"
    if drawing.labels:
        raise InputError(f"Received --label for '{folder}', which is a single run; leave it out.")
    paths = [(target / name).with_suffix(f".{kind}") for kind in drawing.formats]
    for path in paths:
        draw_regret(run_path.path, run_path.title, path, drawing.size)
    return paths
