"""``boca run``: one auction with simulated bidders."""

import json
import math
import os
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from boca.cli.interrupts import was_interrupted
from boca.cli.mechanism_options import check_gap_can_be_proven, check_options_matter
from boca.cli.options import takes
from boca.cli.outcome_table import outcome_table
from boca.cli.progress import ProgressTable
from boca.cli.run.options import RunOptions
from boca.cli.run.resumed import check_options, find_run, finish, regret_title
from boca.core.wording import amount
from boca.lab.domains.domain import Domain
from boca.lab.reports.figures.regret import draw_regret
from boca.lab.simulation.mechanisms import mechanism_params, mechanisms
from boca.lab.simulation.run_folder import RunFolder, RunSetup, Saver
from boca.lab.simulation.simulated_auction import Simulation, simulate
from boca.lab.simulation.start_prices import with_known_prices
from boca.lab.studies.tuning.setup import short_name
from boca.lab.studies.tuning.tuned_file import auction_from_file
from boca.mechanism import AuctionParams, AuctionState
from boca.surrogates.hyperparameters import TUNED_DOMAINS, best_quantile


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("run", help=_HELP)(run_command)


_HELP = (
    "Run an auction with simulated bidders.\n\n"
    "DOMAIN is gsvm, lsvm, srvm, mrvm, toy; lanes, which buys; a value model as an exchange, such "
    "as exchange-lsvm; or the path of a market file. Mechanisms:\n\n"
    + "\n\n".join(f"{name}: {preset.description}" for name, preset in mechanisms().items())
)


@takes(RunOptions)
def run_command(context: typer.Context, options: RunOptions) -> None:
    """Runs, shows and stores one auction."""
    console = Console(quiet=options.as_json, highlight=False)
    state: AuctionState | None = None
    if options.resume is not None:
        check_options(context)
        folder, setup = find_run(options.resume, options.domain)
        loaded = setup.load()
        params, state = folder.read_auction(loaded)
        if state is not None and folder.result_file.exists():
            finish(console, folder, state, loaded, options.as_json)
            return
    else:
        setup = options.setup()
        loaded = setup.load()
        params = _params(context, options, loaded)
        AuctionState.start(loaded.market, params)  # what is refused leaves no folder behind
        folder = RunFolder(options.out or default_folder(setup, options.mechanism))
        folder.create(options.force)
        folder.write_params(setup, params, loaded)

    simulation = _run(console, folder, setup, loaded, params, state, options.quiet)
    # The result comes last: where it is, everything is.
    folder.write_rounds(simulation.state.history, simulation.path)
    draw_regret(simulation.path, regret_title(loaded, params), folder.plot_file)
    result = folder.write_result(setup, simulation)
    if options.as_json:
        print(json.dumps(result))
        return
    _show_end(console, folder, simulation, math.isfinite(loaded.efficient().bound))


def default_folder(setup: RunSetup, mechanism: str) -> Path:
    """``runs/lsvm-10001-boca`` and the like; a market file gives its name, or its folder's."""
    generic = "-generic" if setup.generic else ""
    return Path("runs") / f"{short_name(setup.domain)}{generic}-{setup.seed}-{mechanism}"


def _params(context: typer.Context, options: RunOptions, domain: Domain) -> AuctionParams:
    """The settings of a new auction; refuses options that make no difference to it."""
    params = mechanism_params(
        options.mechanism,
        domain.market,
        tuned=options.market,
        q=options.published_q,
        num_initial=options.initial,
        num_per_round=options.per_round,
        num_total=options.budget,
        acquisition=options.acquisition,
        proof=options.proof_wanted,
        reserve=tuple(domain.reserve),
        seed=options.seed,
        stopping=options.stopping,
        ranges=options.ranges > 0,
        **({} if options.payments is None else {"payment_rule": options.payments}),
    )
    make_params = partial(mechanism_params, options.mechanism, domain.market)
    check_options_matter(context, options.mechanism, make_params)
    check_gap_can_be_proven(params)
    params = with_known_prices(params, domain)
    if options.params_file is None:
        return params
    best = best_quantile(options.market) if options.market in TUNED_DOMAINS else None
    return auction_from_file(options.params_file, params, options.q, best)


def _run(
    console: Console,
    folder: RunFolder,
    setup: RunSetup,
    domain: Domain,
    params: AuctionParams,
    state: AuctionState | None,
    quiet: bool,
) -> Simulation:
    market = domain.market
    if not quiet:
        console.print(
            f"[bold]{domain.name}[/] seed {setup.seed}: {market.num_bidders} bidders, "
            f"{market.num_goods} goods; mechanism [bold]{params.mechanism}[/], "
            + _describe_queries(params)
        )
    table = ProgressTable(console if not quiet else Console(quiet=True))
    try:
        return simulate(
            domain,
            params,
            setup.strategy,
            callbacks=(table, Saver(folder)),
            state=state,
            published_start=setup.published_start,
            stop_when_efficient=setup.stop_when_efficient,
            on_observer=table.watch,
        )
    except BaseException as error:
        if not was_interrupted(error):
            raise
        table.close()
        if folder.state_file.exists():
            hint = f"boca run --resume {folder.path}"
            console.print(f"\ninterrupted; the state is saved. Continue with: [bold]{hint}[/]")
        else:
            console.print("\ninterrupted before anything was asked.")
        raise typer.Exit(130) from None
    finally:
        table.close()


def _describe_queries(params: AuctionParams) -> str:
    """What the auction asks, phase by phase."""
    if not params.phases:
        return "which knows all values and asks nothing"
    parts, before = [], 0.0
    for phase, end in zip(params.phases, params.phase_ends, strict=True):
        if phase.counts:
            parts.append(f"{end - before:.0f} {phase.name}")
            before = end
        else:
            parts.append(phase.name)
    return f"up to {params.num_total} queries per bidder ({', '.join(parts)})"


def summary_line(simulation: Simulation) -> str:
    """How it ended, in the words of a sale, a purchase or an exchange."""
    outcome, loss = simulation.outcome, f"[bold]{100 * simulation.efficiency_loss:.3f} %[/]"
    figures = simulation.in_own_words()
    if outcome.is_purchase:
        saved = f"saved {100 * figures['savings']:.1f} %   " if "savings" in figures else ""
        return (
            f"cost above the optimum {loss}   cost {amount(figures['cost'])}, at least "
            f"{amount(figures['least_cost'])}   {saved}paid {amount(-outcome.revenue)} "
            f"({100 * simulation.relative_revenue:.1f} % of the optimum)"
        )
    if outcome.market.is_exchange:
        return (
            f"gains from trade lost {loss}   gain {amount(figures['gain'])} of "
            f"{amount(figures['largest_gain'])}   left with the exchange {amount(outcome.revenue)}"
        )
    return (
        f"efficiency loss {loss}   "
        f"welfare {amount(simulation.true_values.sum())} of {amount(simulation.optimum)}   "
        f"revenue {amount(outcome.revenue)} "
        f"({100 * simulation.relative_revenue:.1f} % of the optimum)"
    )


def _show_end(console: Console, folder: RunFolder, simulation: Simulation, is_proven: bool) -> None:
    outcome = simulation.outcome
    console.print()
    console.print(outcome_table(outcome))
    console.print(f"{summary_line(simulation)}   {simulation.seconds:.0f} s", soft_wrap=True)
    if not is_proven:
        console.print("No optimum is proven: losses are relative to the best known allocation.")
    console.print(
        f"Files in {folder.path}{os.sep}: "
        + ", ".join(sorted(file.name for file in folder.path.iterdir() if file.is_file()))
    )
