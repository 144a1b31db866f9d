"""``boca plot``: figures, each with the numbers it shows."""

from pathlib import Path

import typer

from boca.cli.console_tables import check_folder
from boca.core.errors import InputError
from boca.lab.domains import load_domain
from boca.lab.reports.figures.chain import draw_bounds
from boca.lab.reports.figures.regret import draw_regret
from boca.lab.reports.figures.style import save
from boca.lab.reports.page import open_section, report_folder
from boca.lab.reports.run_path import read_run_path
from boca.lab.simulation.run_folder import RunFolder
from boca.lab.studies.learning.chain import bounds_along_chain, figure_params
from boca.lab.studies.learning.study import choose_params
from boca.lab.studies.packed import is_packed
from boca.lab.studies.tuning.tuned_file import params_from_file
from boca.surrogates.overrides import override


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
    world = load_domain(domain, seed=seed)
    chosen = choose_params(world, q)
    if params is not None:
        chosen = params_from_file(params, chosen, q=q)
    if artificial is not None:
        chosen = override(chosen, {"artificial": artificial}, source="--artificial")
    world.function(bidder)  # refuses a bidder that does not exist
    networks = figure_params(chosen[world.bidder_types[bidder]], init, width, l2)

    check_folder(out)  # before the work
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
) -> None:
    """
    Efficiency loss by number of queries, of finished runs and of those under way.

    For example: boca plot regret runs/lsvm-10001-boca runs/table1
    """
    for folder in folders:
        for path in _draw_folder(folder, out):
            print(path)


def _draw_folder(folder: Path, out: Path | None) -> list[Path]:
    """Draws the losses of whatever a folder holds; the paths of the figures."""
    if (folder / "runs").is_dir() or is_packed(folder):
        section = open_section(folder)
        if not section.results.cells:
            raise InputError(f"No run in '{folder}' is finished yet; there is nothing to draw.")
        target = out or report_folder(folder)
        check_folder(target)
        return section.draw(target)
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
    paths = [target / name, (target / name).with_suffix(".svg")]
    for path in paths:
        draw_regret(run_path.path, run_path.title, path)
    return paths
