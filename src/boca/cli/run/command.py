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
from boca.cli.outcome_table import outcome_table
from boca.cli.progress import ProgressTable
from boca.cli.run.resumed import check_options, find_run, finish, regret_title
from boca.core.errors import InputError
from boca.core.wording import amount
from boca.lab.domains import DOMAINS
from boca.lab.domains.domain import Domain
from boca.lab.reports.figures.regret import draw_regret
from boca.lab.simulation.mechanisms import get_mechanism, mechanism_params, mechanisms
from boca.lab.simulation.run_folder import RunFolder, RunSetup, Saver
from boca.lab.simulation.simulated_auction import Simulation, simulate
from boca.lab.simulation.start_prices import with_start_prices
from boca.lab.studies.tuning.setup import short_name
from boca.lab.studies.tuning.tuned_file import auction_from_file
from boca.mechanism import AuctionParams, AuctionState, StoppingParams
from boca.surrogates.hyperparameters import TUNED_DOMAINS, best_quantile


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("run", help=_HELP)(run_command)


_HELP = (
    "Run an auction with simulated bidders.\n\n"
    "DOMAIN is gsvm, lsvm, srvm, mrvm, toy, or the path of a market file. Mechanisms:\n\n"
    + "\n\n".join(f"{name}: {preset.description}" for name, preset in mechanisms().items())
)


def run_command(
    context: typer.Context,
    domain: str = typer.Argument("", metavar="DOMAIN", help="Value model or market file."),
    seed: int = typer.Option(10001, help="Seed of the instance and of the auction."),
    mechanism: str = typer.Option("boca", help="Which mechanism; see above."),
    q: float | None = typer.Option(
        None, help="Published hyperparameters for this quantile: 0.6, 0.75, 0.9 or 0.95."
    ),
    params_file: Path | None = typer.Option(
        None,
        "--params",
        help="TOML file with other hyperparameters: winners of boca tune, or single values.",
    ),
    generic: bool | None = typer.Option(
        None,
        "--generic/--items",
        help="Identical licences as one good with a capacity, or each by itself; the mechanism's "
        "choice if not given.",
    ),
    initial: int = typer.Option(40, help="Initial queries per bidder."),
    per_round: int = typer.Option(4, help="Queries per bidder and round."),
    budget: int = typer.Option(100, help="Queries per bidder in total."),
    proof: str = typer.Option(
        "none", help="Proof of each winner determination: none, optimal, or a gap such as 0.005."
    ),
    acquisition: str | None = typer.Option(
        None, help="Instead of the mechanism's: upper, mean or bounded."
    ),
    payments: str = typer.Option("vcg", help="Payment rule: vcg, core or none."),
    first: str = typer.Option(
        "independent",
        help="First queries: independent (own random bundles for each bidder) or published.",
    ),
    patience: int | None = typer.Option(
        None, help="Stop after this many rounds without growth of welfare."
    ),
    max_seconds: float | None = typer.Option(None, help="Start no round after this time."),
    stop_when_proven: float | None = typer.Option(
        None,
        metavar="GAP",
        help="Stop when the answers prove that at most this share of the optimal welfare is "
        "missing, such as 0.03; with 0, when the reports prove the allocation efficient.",
    ),
    stop_when_efficient: bool = typer.Option(
        False,
        "--stop-when-efficient",
        help="Stop at 0 % loss, which only an observer can see (as in published experiments).",
    ),
    out: Path | None = typer.Option(
        None,
        help="Output folder; runs/NAME-SEED-MECHANISM if not given, where NAME is the value model "
        "or the market file without its ending (the folder of a file called market.toml).",
    ),
    resume: Path | None = typer.Option(None, help="Continue the run in this folder."),
    force: bool = typer.Option(False, "--force", help="Overwrite an existing output folder."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON only."),
    quiet: bool = typer.Option(False, "--quiet", help="Print the last lines only."),
) -> None:
    """Runs, shows and stores one auction."""
    console = Console(quiet=as_json, highlight=False)
    state: AuctionState | None = None
    if resume is not None:
        check_options(context)
        folder, setup = find_run(resume, domain)
        loaded = setup.load()
        params, state = folder.read_auction(loaded)
        if state is not None and folder.result_file.exists():
            finish(console, folder, state, loaded, as_json)
            return
    else:
        if not domain:
            raise InputError(
                "Received no market; expected a value model (gsvm, lsvm, srvm, mrvm, toy) or the "
                "path of a market file. Try: boca run lsvm --seed 10001"
            )
        domain = domain.lower() if domain.lower() in DOMAINS else domain
        # With a file, --q chooses among its winners.
        published_q = q if params_file is None else None
        _check_choices(domain, mechanism, published_q, bool(generic), first)
        _check_gap(stop_when_proven)
        if generic is None:
            generic = get_mechanism(mechanism).merges_copies and domain in DOMAINS
        setup = RunSetup(domain, seed, generic, first == "published", stop_when_efficient)
        loaded = setup.load()
        params = mechanism_params(
            mechanism,
            loaded.market,
            tuned=domain,
            q=published_q,
            num_initial=initial,
            num_per_round=per_round,
            num_total=budget,
            acquisition=acquisition,
            proof=_parse_proof(proof),
            payment_rule=payments,
            reserve=tuple(getattr(loaded, "reserve", ())),
            seed=seed,
            stopping=StoppingParams(
                max_seconds=max_seconds,
                patience=patience,
                when_proven=stop_when_proven == 0,
                proven_gap=stop_when_proven or None,
            ),
        )
        check_options_matter(
            context, mechanism, partial(mechanism_params, mechanism, loaded.market)
        )
        check_gap_can_be_proven(params)
        params = with_start_prices(params, loaded)
        if params_file is not None:
            best = best_quantile(domain) if domain in TUNED_DOMAINS else None
            params = auction_from_file(params_file, params, q, best)
        folder = RunFolder(out or default_folder(setup, mechanism))
        folder.create(force)
        folder.write_params(setup, params, loaded)

    simulation = _run(console, folder, setup, loaded, params, state, quiet)
    # The result comes last: where it is, everything is.
    folder.write_rounds(simulation.state.history, simulation.path)
    draw_regret(simulation.path, regret_title(loaded, params), folder.plot_file)
    result = folder.write_result(setup, simulation)
    if as_json:
        print(json.dumps(result))
        return
    _show_end(console, folder, simulation, math.isfinite(loaded.efficient().bound))


def default_folder(setup: RunSetup, mechanism: str) -> Path:
    """``runs/lsvm-10001-boca`` and the like; a market file gives its name, or its folder's."""
    generic = "-generic" if setup.generic else ""
    return Path("runs") / f"{short_name(setup.domain)}{generic}-{setup.seed}-{mechanism}"


def _check_choices(domain: str, mechanism: str, q: float | None, generic: bool, first: str) -> None:
    """Refuses what could only be ignored, before anything is written."""
    if first not in ("independent", "published"):
        raise InputError(f"Received --first {first}; expected independent or published.")
    preset = get_mechanism(mechanism)
    if first == "published" and not preset.asks_first_queries:
        raise InputError(
            f"Received --first published for {mechanism}, which asks no first queries; "
            "leave it out."
        )
    if q is not None and (not preset.has_quantiles or domain not in TUNED_DOMAINS):
        raise InputError(
            f"Received --q {q:g} for {mechanism} on '{domain}'; published quantiles exist for boca "
            f"and mvnn on {', '.join(TUNED_DOMAINS)}. Leave out --q."
        )
    if domain not in DOMAINS and (generic or first == "published"):
        option = "--generic" if generic else "--first published"
        raise InputError(f"Received {option} for '{domain}'; it exists for {', '.join(DOMAINS)}.")


def _check_gap(gap: float | None) -> None:
    if gap is not None and not 0 <= gap < 1:
        raise InputError(
            f"Received --stop-when-proven {gap:g}; expected a share of the optimal welfare, at "
            "least 0 and below 1, such as 0.03."
        )


def _parse_proof(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


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


def _show_end(console: Console, folder: RunFolder, simulation: Simulation, is_proven: bool) -> None:
    outcome = simulation.outcome
    console.print()
    console.print(outcome_table(outcome))
    console.print(
        f"efficiency loss [bold]{100 * simulation.efficiency_loss:.3f} %[/]   "
        f"welfare {amount(simulation.true_values.sum())} of {amount(simulation.optimum)}   "
        f"revenue {amount(outcome.revenue)} "
        f"({100 * simulation.relative_revenue:.1f} % of the optimum)   {simulation.seconds:.0f} s",
        soft_wrap=True,
    )
    if not is_proven:
        console.print("No optimum is proven: losses are relative to the best known allocation.")
    console.print(
        f"Files in {folder.path}{os.sep}: "
        + ", ".join(sorted(file.name for file in folder.path.iterdir() if file.is_file()))
    )
