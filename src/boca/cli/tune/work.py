"""What ``boca tune`` does once its options are understood."""

from dataclasses import dataclass, replace
from pathlib import Path

import typer
from optuna.storages import BaseStorage
from rich.console import Console

from boca.cli.console_tables import console, table
from boca.cli.tune.progress import TuneProgress
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.wording import did_you_mean
from boca.lab.domains import DOMAINS, load_domain
from boca.lab.reports.tuning.page import Search, write_page
from boca.lab.studies.tuning.choosing import SAMPLERS
from boca.lab.studies.tuning.engines import DaskTuningEngine, ThreadEngine, TuningEngine
from boca.lab.studies.tuning.instances import (
    bidder_types,
    check_type,
    make_instance,
    num_folds,
    read_answers,
)
from boca.lab.studies.tuning.run_off import run_off
from boca.lab.studies.tuning.search import open_search, run_trials, suggested_params
from boca.lab.studies.tuning.setup import TuningSetup, content_of, short_name
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.tuned_file import check_tuned, write_tuned
from boca.lab.studies.tuning.validation import validate
from boca.lab.studies.tuning.winners import find_winners, reference
from boca.surrogates.hyperparameters import TUNED_DOMAINS, tuning
from boca.surrogates.ranges import load_space, usual_space

USUAL_TRAIN, USUAL_TEST = 50, 1024

# Surrogates whose networks are trained for all bidders at once, with the same parameters.
SHARED = ("joint",)


@dataclass(frozen=True)
class Request:
    """
    The options of the command, read; named as there.
    """

    domain: str
    bidder_type: str | None
    num_trials: int
    instances: tuple[int, ...]
    sampler: str
    num_finalists: int
    criterion: str | None
    quantiles: tuple[float, ...]
    surrogate: str
    ranges: Path | None
    generic: bool
    num_train: int | None
    num_test: int | None
    reports: Path | None
    folds: int
    validate: tuple[int, ...]
    out: Path | None
    storage: str | None
    study: str | None
    workers: int | None
    scheduler: str | None
    seed: int
    command: str

    @property
    def name(self) -> str:
        """A short name of the market."""
        generic = "-generic" if self.generic else ""
        known = self.domain.lower() in DOMAINS
        return f"{self.domain.lower() if known else short_name(self.domain)}{generic}"

    @property
    def folder(self) -> Path:
        """Folder of the results."""
        return self.out or Path("runs") / f"tune-{self.name}"

    @property
    def file(self) -> Path:
        """File of the winners."""
        return self.folder / "tuned.toml"

    @property
    def place(self) -> str:
        """Where studies are kept."""
        return self.storage or str(self.folder / "study.journal")


def tune(request: Request, quiet: bool) -> None:
    """Searches for every bidder type that is asked for, and writes what was found."""
    if request.sampler not in SAMPLERS:
        raise InputError(
            f"Received --sampler {request.sampler}; {did_you_mean(request.sampler, SAMPLERS)}"
        )
    setups = make_setups(request)
    check_tuned(request.file, setups[0])
    storage = open_storage(request.place)
    request.folder.mkdir(parents=True, exist_ok=True)
    engine = make_engine(request)
    screen = console()
    searches: list[Search] = []
    pages: list[Path] = []
    try:
        for setup in setups:
            searches.append(_search(request, setup, storage, engine, screen, quiet))
            write_tuned(
                request.file,
                [(search.setup, search.winners) for search in searches],
                {search.setup.who: request.num_trials for search in searches},
            )
            pages.append(write_page(request.folder, searches[-1]))
    except KeyboardInterrupt:
        screen.print("interrupted; what was measured is kept. Start the same command to go on.")
        raise typer.Exit(130) from None
    finally:
        engine.close()
    for search in searches:
        _show(screen, search)
    written = ", ".join(map(str, [request.file, *pages]))
    screen.print(f"Wrote {written}", soft_wrap=True)


def make_setups(request: Request) -> list[TuningSetup]:
    """What each search is about, checked before the first training."""
    answers = read_answers(str(request.reports)) if request.reports else None
    name = request.domain.lower() if request.domain.lower() in DOMAINS else request.domain
    if answers is not None:
        market, known = answers.market, ""
        _check_same_goods(request, market)
    else:
        domain = load_domain(name, seed=request.instances[0], generic=request.generic)
        market, known = domain.market, "" if request.generic else domain.name
    if request.ranges is not None:
        space = load_space(request.ranges)
    else:
        space = usual_space(request.surrogate, market, known)
    types: list[str | None] = [*bidder_types(market)]
    if space.surrogate in SHARED:
        if request.bidder_type is not None:
            raise InputError(
                f"Received --type {request.bidder_type} for '{space.surrogate}', whose networks "
                "share a layer and have the same hyperparameters for everybody; leave it out."
            )
        types = [None]
    elif request.bidder_type is not None:
        check_type(market, request.bidder_type, request.domain)
        types = [request.bidder_type]
    sizes = tuning(known) if known.lower() in TUNED_DOMAINS else None
    setups = []
    for bidder_type in types:
        instances = request.instances
        if answers is not None:
            instances = tuple(range(num_folds(answers, bidder_type, request.folds)))
        setup = TuningSetup(
            market=name,
            bidder_type=bidder_type,
            space=space,
            criterion=request.criterion or ("paper" if space.surrogate == "mvnn" else "mae"),
            quantiles=request.quantiles,
            instances=instances,
            num_train=request.num_train or (sizes.num_train if sizes else USUAL_TRAIN),
            num_test=request.num_test or (sizes.num_test if sizes else USUAL_TEST),
            generic=request.generic,
            reports=str(request.reports or ""),
            folds=request.folds,
            seed=request.seed,
            content=content_of(name, str(request.reports or "")),
        )
        if setup.criterion != "auction":
            first = make_instance(setup, instances[0])  # a market that is too small is found here
            if answers is not None:  # what is relative to the reports is relative to these
                setup = replace(setup, num_train=len(first.reports[0]))
        setups.append(setup)
    return setups


def make_engine(request: Request) -> TuningEngine:
    """Threads of this process, or a cluster."""
    if request.scheduler is not None:
        return DaskTuningEngine(request.scheduler)
    return ThreadEngine(request.workers)


def _search(
    request: Request,
    setup: TuningSetup,
    storage: BaseStorage,
    engine: TuningEngine,
    screen: Console,
    quiet: bool,
) -> Search:
    kind = "" if setup.bidder_type is None else f"-{setup.bidder_type}".replace(" ", "_")
    name = f"{request.study or request.name}{kind}"
    progress = open_search(storage, name, setup, request.num_trials, request.sampler, request.place)
    with TuneProgress(screen, quiet) as display:
        run_trials(progress, suggested_params(setup), engine, display)
    trials = progress.trials.all()
    winners = find_winners(setup, trials)
    if not winners:
        raise InputError("No trial was measured on all instances; raise --trials.")
    if request.num_finalists > 1:
        with TuneProgress(screen, quiet, "run-off") as display:
            winners = run_off(
                storage,
                name,
                setup,
                trials,
                engine,
                display,
                request.place,
                request.num_finalists,
            )
    usual = reference(setup)
    # Reports have no further instances: the defaults are measured on the folds themselves.
    further = setup.instances if setup.reports else request.validate
    compared = []
    if further:
        with TuneProgress(screen, quiet, "validation") as display:
            compared = validate(
                storage, name, setup, further, winners, usual, engine, display, request.place
            )
    return Search(setup, trials, winners, usual, further, compared, request.command)


def _check_same_goods(request: Request, market: Market) -> None:
    """Raises unless a market file is the one of the reports."""
    from boca.markets.market_file import load_market

    named = load_market(request.domain, extra_tables=("auction",)).market
    if [good.name for good in named.goods] != [good.name for good in market.goods]:
        raise InputError(
            f"The reports in '{request.reports}' are about other goods than '{request.domain}'; "
            "name the market file of that auction."
        )


def _show(screen: Console, search: Search) -> None:
    columns = ["target", "trial", "criterion"]
    if search.compared:
        columns += ["validated", search.reference.name, "ratio"]
    view = table(f"Winners: {search.setup.title}", columns, right=columns[1:])
    by_target = {one.target: one for one in search.compared}
    for target, winner in search.winners.items():
        cells = [target, str(winner.number), f"{winner.value:.4g}"]
        if target in by_target:
            one = by_target[target]
            cells += [*(f"{mean:.4g}" for mean in one.means), f"{one.ratio:.3f}"]
        view.add_row(*cells)
    screen.print(view)
