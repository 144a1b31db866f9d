"""What ``boca tune`` does once its options are understood."""

from dataclasses import replace
from pathlib import Path

import typer
from optuna.storages import BaseStorage
from rich.console import Console

from boca.cli.console_tables import console, table
from boca.cli.tune.options import TuneOptions
from boca.cli.tune.progress import TuneProgress
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.wording import did_you_mean
from boca.lab.domains import DOMAINS, load_domain
from boca.lab.reports.tuning.page import Search, write_page
from boca.lab.studies.learning.study import check_values
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
from boca.lab.studies.tuning.setup import TuningSetup, content_of
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.tuned_file import check_tuned, write_tuned
from boca.lab.studies.tuning.validation import validate
from boca.lab.studies.tuning.winners import find_winners, reference
from boca.surrogates.hyperparameters import TUNED_DOMAINS, tuning
from boca.surrogates.ranges import load_space, usual_space

USUAL_TRAIN, USUAL_TEST = 50, 1024

# Surrogates whose networks are trained for all bidders at once, with the same parameters.
SHARED = ("joint",)


def tune(options: TuneOptions) -> None:
    """Searches for every bidder type that is asked for, and writes what was found."""
    if options.sampler not in SAMPLERS:
        raise InputError(
            f"Received --sampler {options.sampler}; {did_you_mean(options.sampler, SAMPLERS)}"
        )
    setups = make_setups(options)
    check_tuned(options.file, setups[0])
    storage = open_storage(options.place)
    options.folder.mkdir(parents=True, exist_ok=True)
    engine = make_engine(options)
    screen = console()
    searches: list[Search] = []
    pages: list[Path] = []
    try:
        for setup in setups:
            searches.append(_search(options, setup, storage, engine, screen))
            write_tuned(
                options.file,
                [(search.setup, search.winners) for search in searches],
                {search.setup.who: options.trials for search in searches},
            )
            pages.append(write_page(options.folder, searches[-1]))
    except KeyboardInterrupt:
        screen.print("interrupted; what was measured is kept. Start the same command to go on.")
        raise typer.Exit(130) from None
    finally:
        engine.close()
    for search in searches:
        _show(screen, search)
    written = ", ".join(map(str, [options.file, *pages]))
    screen.print(f"Wrote {written}", soft_wrap=True)


def make_setups(options: TuneOptions) -> list[TuningSetup]:
    """What each search is about, checked before the first training."""
    answers = read_answers(str(options.reports)) if options.reports else None
    name = options.domain.lower() if options.domain.lower() in DOMAINS else options.domain
    if answers is not None:
        market, known = answers.market, ""
        _check_same_goods(options, market)
    else:
        domain = load_domain(name, seed=options.searched[0], generic=options.generic)
        check_values(domain)
        market, known = domain.market, "" if options.generic else domain.name
    if options.ranges is not None:
        space = load_space(options.ranges)
    else:
        space = usual_space(options.surrogate, market, known)
    types: list[str | None] = [*bidder_types(market)]
    if space.surrogate in SHARED:
        if options.bidder_type is not None:
            raise InputError(
                f"Received --type {options.bidder_type} for '{space.surrogate}', whose networks "
                "share a layer and have the same hyperparameters for everybody; leave it out."
            )
        types = [None]
    elif options.bidder_type is not None:
        check_type(market, options.bidder_type, options.domain)
        types = [options.bidder_type]
    sizes = tuning(known) if known.lower() in TUNED_DOMAINS else None
    setups = []
    for bidder_type in types:
        instances = options.searched
        if answers is not None:
            instances = tuple(range(num_folds(answers, bidder_type, options.folds)))
        setup = TuningSetup(
            market=name,
            bidder_type=bidder_type,
            space=space,
            criterion=options.criterion or ("paper" if space.surrogate == "mvnn" else "mae"),
            quantiles=options.quantiles,
            instances=instances,
            num_train=options.train or (sizes.num_train if sizes else USUAL_TRAIN),
            num_test=options.test or (sizes.num_test if sizes else USUAL_TEST),
            generic=options.generic,
            reports=str(options.reports or ""),
            folds=options.folds,
            seed=options.seed,
            content=content_of(name, str(options.reports or "")),
        )
        if setup.criterion != "auction":
            first = make_instance(setup, instances[0])  # a market that is too small is found here
            if answers is not None:  # what is relative to the reports is relative to these
                setup = replace(setup, num_train=len(first.reports[0]))
        setups.append(setup)
    return setups


def make_engine(options: TuneOptions) -> TuningEngine:
    """Threads of this process, or a cluster."""
    if options.scheduler is not None:
        return DaskTuningEngine(options.scheduler)
    return ThreadEngine(options.workers)


def _search(
    options: TuneOptions,
    setup: TuningSetup,
    storage: BaseStorage,
    engine: TuningEngine,
    screen: Console,
) -> Search:
    kind = "" if setup.bidder_type is None else f"-{setup.bidder_type}".replace(" ", "_")
    name = f"{options.study or options.name}{kind}"
    progress = open_search(storage, name, setup, options.trials, options.sampler, options.place)
    with TuneProgress(screen, options.quiet) as display:
        run_trials(progress, suggested_params(setup), engine, display)
    trials = progress.trials.all()
    winners = find_winners(setup, trials)
    if not winners:
        raise InputError("No trial was measured on all instances; raise --trials.")
    if options.finalists > 1:
        with TuneProgress(screen, options.quiet, "run-off") as display:
            winners = run_off(
                storage,
                name,
                setup,
                trials,
                engine,
                display,
                options.place,
                options.finalists,
            )
    usual = reference(setup)
    # Reports have no further instances: the defaults are measured on the folds themselves.
    further = setup.instances if setup.reports else options.held_out
    compared = []
    if further:
        with TuneProgress(screen, options.quiet, "validation") as display:
            compared = validate(
                storage, name, setup, further, winners, usual, engine, display, options.place
            )
    return Search(setup, trials, winners, usual, further, compared, options.command)


def _check_same_goods(options: TuneOptions, market: Market) -> None:
    """Raises unless a market file is the one of the reports."""
    from boca.markets.market_file import load_market

    named = load_market(options.domain, extra_tables=("auction",)).market
    if [good.name for good in named.goods] != [good.name for good in market.goods]:
        raise InputError(
            f"The reports in '{options.reports}' are about other goods than '{options.domain}'; "
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
