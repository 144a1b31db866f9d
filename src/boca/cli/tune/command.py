"""``boca tune``: a search for hyperparameters."""

import typer

from boca.cli.console_tables import check_folder
from boca.cli.options import takes
from boca.cli.tune.options import TuneOptions
from boca.lab.studies.tuning import require_optuna
from boca.lab.studies.tuning.criteria import CRITERIA


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("tune", help=_HELP)(tune_command)


_HELP = (
    "Search for hyperparameters.\n\n"
    "DOMAIN is gsvm, lsvm, srvm, mrvm, or the path of a market file. Start the same command again "
    "after an interruption and it goes on; several processes may work on one study. Criteria:\n\n"
    + "\n\n".join(f"{name}: {criterion.description}" for name, criterion in CRITERIA.items())
)


@takes(TuneOptions)
def tune_command(context: typer.Context, options: TuneOptions) -> None:
    """Searches, validates, and writes winners and a page."""
    require_optuna()
    from boca.cli.tune.work import tune

    check_folder(options.folder)
    tune(options)
