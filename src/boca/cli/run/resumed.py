"""``boca run --resume``: what may go on, and what a complete run still lacks."""

from pathlib import Path

import typer
from rich.console import Console

from boca.cli.mechanism_options import is_on_command_line
from boca.core.errors import InputError
from boca.core.files import read_text
from boca.lab.domains.domain import Domain
from boca.lab.reports.figures.regret import draw_regret
from boca.lab.simulation.observer import Observer
from boca.lab.simulation.run_folder import RunFolder, RunSetup
from boca.mechanism import AuctionParams, AuctionState


def regret_title(domain: Domain, params: AuctionParams) -> str:
    """What stands above a run's figure."""
    return f"{domain.name}, seed {params.seed}, {params.mechanism}"


def check_options(context: typer.Context) -> None:
    """Refuses options that a resumed run could only ignore."""
    kept = ("context", "domain", "resume", "as_json", "quiet")
    changed = [
        f"--{name.replace('_', '-')}"
        for name in context.params
        if name not in kept and is_on_command_line(context, name)
    ]
    if changed:
        raise InputError(
            f"Received {', '.join(changed)} with --resume; a run goes on with the settings that it "
            "began with. Leave them out, or start a new run with --out."
        )


def find_run(path: Path, domain: str) -> tuple[RunFolder, RunSetup]:
    """The folder of a run and what it is about; an error if there is none to go on with."""
    folder = RunFolder(path)
    if not folder.params_file.exists():
        raise InputError(
            f"There is no run to resume in {path}: {folder.params_file.name} is missing."
        )
    setup = folder.read_setup()
    if domain and domain != setup.domain:
        raise InputError(
            f"The run in {path} is of '{setup.domain}', not of '{domain}'. "
            f"Leave the name out: boca run --resume {path}"
        )
    return folder, setup


def finish(
    console: Console, folder: RunFolder, state: AuctionState, domain: Domain, as_json: bool
) -> None:
    """Writes what a complete run lacks, and says where its result is."""
    observer = Observer(domain)
    observer.look(state)
    if not folder.rounds_file.exists():
        folder.write_rounds(state.history, observer.path)
    if not folder.plot_file.exists():
        draw_regret(observer.path, regret_title(domain, state.params), folder.plot_file)
    console.print(f"The run in {folder.path} is complete; its result is in {folder.result_file}.")
    if as_json:
        print(read_text(folder.result_file))
