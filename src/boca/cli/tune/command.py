"""``boca tune``: a search for hyperparameters."""

import shlex
import sys
from pathlib import Path

import typer

from boca.cli.console_tables import check_folder
from boca.core.errors import InputError
from boca.core.randomness import parse_seeds
from boca.lab.studies.tuning import require_optuna
from boca.lab.studies.tuning.criteria import CRITERIA
from boca.lab.studies.tuning.setup import NUM_FINALISTS
from boca.surrogates.hyperparameters import QUANTILES


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("tune", help=_HELP)(tune_command)


# Instances that a search does not choose by, unless others are given.
FIRST_HELD_OUT, MOST_HELD_OUT = 101, 40

_HELP = (
    "Search for hyperparameters.\n\n"
    "DOMAIN is gsvm, lsvm, srvm, mrvm, or the path of a market file. Start the same command again "
    "after an interruption and it goes on; several processes may work on one study. Criteria:\n\n"
    + "\n\n".join(f"{name}: {criterion.description}" for name, criterion in CRITERIA.items())
)


def tune_command(
    domain: str = typer.Argument(..., metavar="DOMAIN", help="Value model or market file."),
    bidder_type: str | None = typer.Option(
        None, "--type", help="Bidder type; every type, one after the other, if not given."
    ),
    trials: int = typer.Option(60, help="Configurations in all, those done before included."),
    instances: str = typer.Option("1-20", help="Seeds of the instances, such as 1-20 or 3,7."),
    sampler: str = typer.Option("gp", help="Sampler: gp, tpe, or random (the paper)."),
    finalists: int = typer.Option(
        NUM_FINALISTS,
        help="Best trials per quantile that are measured again before one wins; 1 for none.",
    ),
    criterion: str | None = typer.Option(
        None, help="How configurations are judged, see above; paper for mvnn, mae for others."
    ),
    q: str = typer.Option(
        ",".join(map(str, QUANTILES)),
        "--q",
        help="Quantiles that get a winner each, with commas.",
    ),
    surrogate: str = typer.Option(
        "mvnn", help="Networks: mvnn, joint (a shared layer), mixed (values and demands), mean-net."
    ),
    ranges: Path | None = typer.Option(None, help="TOML file with other ranges."),
    generic: bool = typer.Option(False, "--generic", help="Count identical goods."),
    train: int | None = typer.Option(None, help="Reports per bidder; as in the paper, else 50."),
    test: int | None = typer.Option(None, help="Test bundles; as in the paper, else 1024."),
    reports: Path | None = typer.Option(
        None, help="State of an auction (state.json): cross-validate on its reports."
    ),
    folds: int = typer.Option(5, help="With --reports: parts of a bidder's reports."),
    validate: str | None = typer.Option(
        None,
        help="Seeds of further instances on which winners are compared with published or usual "
        "parameters, such as 101-140; none for no comparison. By default twice as many as "
        "--instances, at most 40, from 101 on.",
    ),
    out: Path | None = typer.Option(None, help="Folder of the results; default runs/tune-NAME."),
    storage: str | None = typer.Option(
        None, help="Database URL, such as sqlite:///study.db; a journal in the folder by default."
    ),
    study: str | None = typer.Option(None, help="Name of the study; default the market's."),
    workers: int | None = typer.Option(None, help="Trials at once; one per core by default."),
    scheduler: str | None = typer.Option(
        None, help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786 (extra 'cluster')."
    ),
    seed: int = typer.Option(0, help="Seed of trainings and choices."),
    quiet: bool = typer.Option(False, "--quiet", help="Print the last lines only."),
) -> None:
    """Searches, validates, and writes winners and a page."""
    require_optuna()
    from boca.cli.tune.work import Request, tune

    for name, number in (("trials", trials), ("finalists", finalists)):
        if number < 1:
            raise InputError(f"Received --{name} {number}; expected at least 1.")
    if reports is not None and (validate is not None or generic):
        raise InputError(
            f"Received --{'generic' if validate is None else 'validate'} with --reports; nobody "
            "knows other values than the reports. Leave one of them out."
        )
    if scheduler is not None and workers is not None:
        raise InputError(
            "Received --workers with --scheduler; a cluster has the workers that were started for "
            "it. Leave out --workers."
        )
    searched = parse_seeds(instances)
    request = Request(
        domain=domain,
        bidder_type=bidder_type,
        num_trials=trials,
        instances=searched,
        sampler=sampler,
        num_finalists=finalists,
        criterion=criterion,
        quantiles=parse_quantiles(q),
        surrogate=surrogate,
        ranges=ranges,
        generic=generic,
        num_train=train,
        num_test=test,
        reports=reports,
        folds=folds,
        validate=held_out(validate, searched) if reports is None else (),
        out=out,
        storage=storage,
        study=study,
        workers=workers,
        scheduler=scheduler,
        seed=seed,
        command=shlex.join(["boca", *sys.argv[1:]]) if sys.argv[1:2] == ["tune"] else "",
    )
    common = set(request.validate) & set(request.instances)
    if common:
        raise InputError(
            f"Received the instance {min(common)} in --validate and in --instances; a winner must "
            "be validated on instances that did not choose it."
        )
    check_folder(request.folder)
    tune(request, quiet)


def held_out(text: str | None, instances: tuple[int, ...]) -> tuple[int, ...]:
    """
    Instances that winners are compared on.

    Parameters
    ----------
    text
        What was given; None for the usual ones, which begin behind ``instances`` where some of
        them would be among these.
    instances
        Those of the search.
    """
    if text is not None:
        return () if text.strip().lower() == "none" else parse_seeds(text)
    num = min(2 * len(instances), MOST_HELD_OUT)
    usual = range(FIRST_HELD_OUT, FIRST_HELD_OUT + num)
    if set(usual) & set(instances):
        usual = range(max(instances) + 1, max(instances) + 1 + num)
    return tuple(usual)


def parse_quantiles(text: str) -> tuple[float, ...]:
    """Numbers between commas, each once."""
    try:
        return tuple(dict.fromkeys(float(word) for word in text.split(",") if word.strip()))
    except ValueError:
        raise InputError(f"Received --q {text}; expected numbers, such as 0.75,0.9.") from None
