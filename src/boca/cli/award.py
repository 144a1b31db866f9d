"""``boca award``: package offers, business rules, and awards side by side."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Annotated, get_args

import typer
from rich.console import Console
from typer import Argument, Option

from boca.cli.console_tables import as_json, check_writable, console, table
from boca.cli.options import takes
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.rule import Rule
from boca.core.settings import check_choice
from boca.core.wording import did_you_mean, shortened
from boca.lab.reports.award_page import as_data, conflict_in_words, money, write_award
from boca.markets.offer_file import INCUMBENTS, OfferFile, read_offers
from boca.payments.awarded import Award, PaymentRule
from boca.payments.effort import Progress
from boca.payments.scenarios import (
    CHEAPEST,
    Scenario,
    ScenarioResult,
    baseline_cost,
    run_scenarios,
)

# For awards, however long reading took.
LEAST_SECONDS = 0.5
SENTENCES = (
    (re.compile(r"at (most|least) (\d+) suppliers?"), "winners"),
    (re.compile(r"at (most) (\d+(?:\.\d+)?) ?% each"), "each"),
    (re.compile(r"incumbents at (most|least) (\d+(?:\.\d+)?) ?%"), INCUMBENTS),
)
SCENARIO_HELP = (
    "A scenario of the file, or one of: cheapest; 'at most 3 suppliers'; 'at least 2 suppliers'; "
    "'at most 40 % each' (of all units); 'incumbents at least 20 %'. Repeatable; by default "
    "cheapest and all scenarios of the file."
)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("award")(award_command)


@dataclass(frozen=True)
class AwardOptions:
    """The options of the command, as typed."""

    file: Annotated[
        Path, Argument(help="Offers (.csv, .xlsx), or a .toml file with lots, rules and offers.")
    ]
    scenario: Annotated[list[str] | None, Option(metavar="NAME", help=SCENARIO_HELP)] = None
    payments: Annotated[str, Option(help="How suppliers are paid: none, offered, vcg, core.")] = (
        "offered"
    )
    explain: Annotated[bool, Option("--explain", help="Say why each is paid what it is.")] = False
    verify: Annotated[
        bool, Option("--verify", help="Let a second solver (extra 'scip') find the same costs.")
    ] = False
    max_seconds: Annotated[
        float | None, Option(help="Wall-clock time for everything together.")
    ] = None
    out: Annotated[
        Path | None, Option(help="Folder for scenarios.csv, awards.csv, award.json, page.html.")
    ] = None
    force: Annotated[bool, Option("--force", help="Overwrite files in that folder.")] = False
    json: Annotated[bool, Option("--json", help="Print JSON, not tables.")] = False


@takes(AwardOptions)
def award_command(context: typer.Context, options: AwardOptions) -> None:
    """
    Award lots to suppliers at the least cost, under business rules, side by side.

    For example: boca award offers.csv --scenario cheapest --scenario "at most 3 suppliers"
    """
    buy(options)


def buy(options: AwardOptions) -> None:
    """Reads, solves, shows and writes the scenarios."""
    # What starting took of the processor counts, too.
    began, solving = perf_counter() - process_time(), ""
    check_choice(get_args(PaymentRule), payments=options.payments)
    offers = read_offers(options.file)
    scenarios = chosen_scenarios(options.scenario or [], offers)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        check_writable(options.out / "page.html", options.force)
    screen = Console(stderr=True)
    status = screen.status("") if screen.is_terminal and not options.json else None

    seconds_left = options.max_seconds
    if seconds_left is not None and seconds_left > 0:
        seconds_left = max(seconds_left - (perf_counter() - began), LEAST_SECONDS)

    def tell(name: str) -> None:
        nonlocal solving
        solving = name
        if status is not None:
            status.update(f"solving: {name}")
            status.start()
        elif options.max_seconds is not None and not options.json:
            seconds = f"{perf_counter() - began:.0f} of {options.max_seconds:g} s"
            print(f"solving: {name} ({seconds})", file=sys.stderr, flush=True)

    def show_progress(now: Progress) -> None:
        if status is not None:
            status.update(f"solving: {solving}, {perf_counter() - began:.0f} s ({now.stage})")

    try:
        results = run_scenarios(
            offers.offers,
            offers.market,
            scenarios,
            offers.at_most,
            offers.baseline,
            payments=options.payments,  # type: ignore[arg-type]
            max_seconds=seconds_left,
            on_scenario=tell,
            verify=options.verify,
            progress=show_progress,
        )
    finally:
        if status is not None:
            status.stop()
    if options.json:
        print(as_json(as_data(results)))
    else:
        show(console(), offers, results, options.explain, options.verify)
    if options.out is not None:
        paths = write_award(options.out, offers.market, results)
        if not options.json:
            console().print(f"Wrote {', '.join(map(str, paths))}", soft_wrap=True)
    if all(result.award is None or result.unpaid for result in results):
        raise typer.Exit(1)


def chosen_scenarios(names: list[str], offers: OfferFile) -> list[Scenario]:
    """Scenarios by name; all of the file if none is named."""
    if not names:
        names = [CHEAPEST, *(name for name in offers.scenarios if name != CHEAPEST)]
    return [make_scenario(name, offers) for name in dict.fromkeys(names)]


def make_scenario(name: str, offers: OfferFile) -> Scenario:
    """A scenario of the file, or one that its name describes."""
    if name in offers.scenarios:
        return Scenario(name, offers.scenarios[name])
    words = " ".join(name.lower().split())
    if words == CHEAPEST:
        return Scenario(name)
    for pattern, kind in SENTENCES:
        match = pattern.fullmatch(words)
        if not match:
            continue
        is_most, number = match[1] == "most", float(match[2])
        if kind == "winners":
            least, most = (None, number) if is_most else (number, None)
            return Scenario(name, (Rule("winners", least, most, name=words),))
        if number > 100:
            raise InputError(f"Received --scenario '{name}'; expected at most 100 %.")
        least, most = (None, number / 100) if is_most else (number / 100, None)
        if kind == "each":
            rule = Rule("units", least, most, share=True, each=True, name=words)
            return Scenario(name, (rule,))
        if INCUMBENTS not in offers.groups:
            raise InputError(
                f"Received --scenario '{name}'; no supplier is an incumbent. Write incumbent = "
                "true at its block [[suppliers]]."
            )
        who = offers.groups[INCUMBENTS]
        return Scenario(name, (Rule("units", least, most, who, share=True, name=words),))
    choices = [CHEAPEST, *offers.scenarios, "at most 3 suppliers", "at most 40 % each"]
    word = shortened(name)
    raise InputError(f"Received --scenario '{word}'; {did_you_mean(word, choices)}")


def show(
    screen: Console,
    offers: OfferFile,
    results: list[ScenarioResult],
    explain: bool,
    verify: bool,
) -> None:
    """The scenarios side by side, then the award of each."""
    market = offers.market
    whole = baseline_cost(market, offers.baseline)
    has_spend = any(
        r.unpaid or (r.award is not None and r.award.rule not in ("none", "offered"))
        for r in results
    )
    columns = ["scenario", "cost"]
    columns += ["against baseline"] if whole else []
    columns += ["rules cost", "suppliers", "outside"]
    columns += ["spend"] if has_spend else []
    view = table(f"{market.name}: {market.num_goods} lots", columns, right=columns[1:])
    for result in results:
        made = result.award
        if made is None:
            view.add_row(result.title, "no award")
            continue
        cells = [result.title, money(made.cost)]
        if whole:
            cells.append(f"{100 * (made.cost - whole) / whole:+.1f} %")
        rule_cost = result.rule_cost
        cells += [f"+{money(rule_cost)}" if rule_cost else "-", str(len(made.winners))]
        cells.append(str(int(made.outside.sum())))
        cells += ["no payments" if result.unpaid else money(made.spend)] if has_spend else []
        view.add_row(*cells)
    screen.print(view)
    for result in results:
        screen.print(f"\n{result.title}", style="bold", highlight=False)
        if result.award is None:
            screen.print(conflict_in_words(market, result), highlight=False, soft_wrap=True)
            continue
        show_award(screen, result.award)
        if verify and result.award.verified_by is None:
            screen.print("  NOT VERIFIED: the second solver did not come to its end", style="bold")
        if result.unpaid:
            screen.print(f"  No payments. {result.unpaid}", highlight=False, soft_wrap=True)
        for other in result.neighbours:
            cost = "no award" if other.cost is None else money(other.cost)
            doubt = "" if other.is_proven else " (best found in time)"
            screen.print(f"  with '{other.bound}' instead: {cost}{doubt}", highlight=False)
        if explain:
            screen.print(result.award.explain(), highlight=False, soft_wrap=True)


def show_award(screen: Console, made: Award) -> None:
    """Who supplies what, and what is bought outside."""
    lots = [good.name for good in made.market.goods]
    is_paid = made.payments is not None and made.rule != "offered"
    for i in made.winners:
        paid = f", is paid {money(float(made.payments[i]))}" if is_paid else ""  # type: ignore[index]
        screen.print(
            f"  {made.market.bidders[i].name}: {format_bundle(made.supplied[i], lots)}, "
            f"offered {money(float(made.costs[i]))}{paid}",
            highlight=False,
            soft_wrap=True,
        )
    if made.outside.any():
        screen.print(
            f"  outside: {format_bundle(made.outside, lots)}, {money(made.outside_cost)}",
            highlight=False,
            soft_wrap=True,
        )
    if not made.is_proven:
        screen.print(f"  not proven: no award costs less than {money(made.bound)}")
    if made.verified_by is not None:
        screen.print(f"  verified: {made.verified_by} found the same cost")
