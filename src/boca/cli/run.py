"""``boca run``: one auction with simulated bidders."""

import json
import os
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from boca.cli.progress import ProgressTable
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.files import read_text
from boca.domains import DOMAINS
from boca.domains.domain import Domain
from boca.mechanism import AuctionParams, AuctionState, StoppingParams
from boca.reports.figures.regret import draw_regret
from boca.simulation.mechanisms import DESCRIPTIONS, get_mechanism, mechanism_params
from boca.simulation.observer import Observer
from boca.simulation.run_folder import RunFolder, RunSetup, Saver
from boca.simulation.simulate import Simulation, simulate
from boca.simulation.start_prices import with_start_prices
from boca.surrogates.hyperparameters import TUNED_DOMAINS


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("run", help=_HELP)(run_command)


_HELP = (
    "Run an auction with simulated bidders.\n\n"
    "DOMAIN is gsvm, lsvm, srvm, mrvm, toy, or the path of a market file. Mechanisms:\n\n"
    + "\n\n".join(f"{name}: {description}" for name, description in DESCRIPTIONS.items())
)


def run_command(
    context: typer.Context,
    domain: str = typer.Argument("", metavar="DOMAIN", help="Value model or market file."),
    seed: int = typer.Option(10001, help="Seed of the instance and of the auction."),
    mechanism: str = typer.Option("boca", help="Which mechanism; see above."),
    q: float | None = typer.Option(
        None, help="Published hyperparameters for this quantile: 0.6, 0.75, 0.9 or 0.95."
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
    payments: str = typer.Option("vcg", help="Payment rule: vcg or core."),
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
        None, help="Output folder; runs/DOMAIN-SEED-MECHANISM if not given."
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
        _check_resume_options(context)
        folder, setup = _resume(resume, domain)
        loaded = setup.load()
        params, state = folder.read_auction(loaded)
        if state is not None and folder.result_file.exists():
            _finish(console, folder, state, loaded, as_json)
            return
    else:
        if not domain:
            raise InputError(
                "Received no market; expected a value model (gsvm, lsvm, srvm, mrvm, toy) or the "
                "path of a market file. Try: boca run lsvm --seed 10001"
            )
        domain = domain.lower() if domain.lower() in DOMAINS else domain
        _check_choices(domain, mechanism, q, bool(generic), first)
        if generic is None:
            generic = get_mechanism(mechanism).merges_copies and domain in DOMAINS
        setup = RunSetup(domain, seed, generic, first == "published", stop_when_efficient)
        loaded = setup.load()
        params = mechanism_params(
            mechanism,
            loaded.market,
            tuned=domain,
            q=q,
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
        params = with_start_prices(params, loaded)
        folder = RunFolder(out or default_folder(setup, mechanism))
        folder.create(force)
        folder.write_params(setup, params, loaded)

    simulation = _run(console, folder, setup, loaded, params, state, quiet)
    # The result comes last: where it is, everything is.
    folder.write_rounds(simulation.state.history, simulation.path)
    draw_regret(simulation.path, _title(loaded, params), folder.plot_file)
    result = folder.write_result(setup, simulation)
    if as_json:
        print(json.dumps(result))
        return
    _show_end(console, folder, loaded, simulation)


def default_folder(setup: RunSetup, mechanism: str) -> Path:
    """``runs/lsvm-10001-boca`` and the like."""
    name = Path(setup.domain).parent.name if setup.domain.endswith(".toml") else setup.domain
    generic = "-generic" if setup.generic else ""
    return Path("runs") / f"{name or 'market'}{generic}-{setup.seed}-{mechanism}"


def _title(domain: Domain, params: AuctionParams) -> str:
    return f"{domain.name}, seed {params.seed}, {params.mechanism}"


def _check_resume_options(context: typer.Context) -> None:
    """Refuses options that a resumed run could only ignore."""
    kept = ("context", "domain", "resume", "as_json", "quiet")
    changed = [
        f"--{name.replace('_', '-')}"
        for name in context.params
        if name not in kept and _is_from_command_line(context, name)
    ]
    if changed:
        raise InputError(
            f"Received {', '.join(changed)} with --resume; a run goes on with the settings that it "
            "began with. Leave them out, or start a new run with --out."
        )


def _is_from_command_line(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _resume(path: Path, domain: str) -> tuple[RunFolder, RunSetup]:
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


def _finish(
    console: Console, folder: RunFolder, state: AuctionState, domain: Domain, as_json: bool
) -> None:
    """Writes what a complete run lacks, and says where its result is."""
    observer = Observer(domain)
    observer.look(state)
    if not folder.rounds_file.exists():
        folder.write_rounds(state.history, observer.path)
    if not folder.plot_file.exists():
        draw_regret(observer.path, _title(domain, state.params), folder.plot_file)
    console.print(f"The run in {folder.path} is complete; its result is in {folder.result_file}.")
    if as_json:
        print(read_text(folder.result_file))


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
    except KeyboardInterrupt:
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


def _show_end(console: Console, folder: RunFolder, domain: Domain, simulation: Simulation) -> None:
    outcome, market = simulation.outcome, domain.market
    names = [good.name for good in market.goods]
    table = Table(title="Outcome", title_justify="left")
    table.add_column("bidder")
    table.add_column("gets", overflow="fold", max_width=48)
    for name in ("value", "pays", "utility"):
        table.add_column(name, justify="right")
    for i, bidder in enumerate(market.bidders):
        table.add_row(
            bidder.name,
            format_bundle(outcome.allocation.bundles[i], names),
            f"{outcome.values[i]:,.6g}",
            f"{outcome.payments[i]:,.6g}",
            f"{outcome.utilities[i]:,.6g}",
        )
    console.print()
    console.print(table)
    console.print(
        f"efficiency loss [bold]{100 * simulation.efficiency_loss:.3f} %[/]   "
        f"welfare {simulation.true_values.sum():,.6g} of {simulation.optimum:,.6g}   "
        f"revenue {outcome.revenue:,.6g} ({100 * simulation.relative_revenue:.1f} % of the optimum)"
        f"   {simulation.seconds:.0f} s",
        soft_wrap=True,
    )
    console.print(
        f"Files in {folder.path}{os.sep}: "
        + ", ".join(sorted(file.name for file in folder.path.iterdir() if file.is_file()))
    )
