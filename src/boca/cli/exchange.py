"""``boca exchange``: the best trades among participants who hold something, and who pays what."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from boca.cli.console_tables import as_json, console, table
from boca.cli.options import takes
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import num_decimals
from boca.core.report import Reports
from boca.core.settings import check_choice
from boca.core.wording import money
from boca.lab.domains.files import load_market_file
from boca.markets.exchange_file import read_exchange
from boca.payments.shares import EXCHANGE_RULES
from boca.payments.trades import Trades, exchange

PAYMENTS_HELP = (
    "How the gains are shared out: threshold, proportional, small, or vcg, which mostly needs "
    "money from outside."
)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("exchange")(exchange_command)


@dataclass(frozen=True)
class ExchangeOptions:
    """The options of the command, as typed."""

    file: Annotated[
        Path,
        Argument(help="Who holds what, and what it is worth: .csv, .xlsx, or a market file .toml."),
    ]
    payments: Annotated[str, Option(help=PAYMENTS_HELP)] = "threshold"
    verify: Annotated[
        bool, Option("--verify", help="Let a second solver (extra 'scip') find the same gain.")
    ] = False
    explain: Annotated[bool, Option("--explain", help="Say why each pays what it pays.")] = False
    max_seconds: Annotated[float | None, Option(help="Wall-clock time for everything.")] = None
    json: Annotated[bool, Option("--json", help="Print JSON, not a table.")] = False


@takes(ExchangeOptions)
def exchange_command(context: typer.Context, options: ExchangeOptions) -> None:
    """
    Find the trades with the largest gain, and what everybody pays or receives.

    For example: boca exchange examples/exchange/quota.csv --explain
    """
    check_choice(EXCHANGE_RULES, payments=options.payments)
    market, reports = read(options.file)
    trades = exchange(
        reports,
        market,
        options.payments,  # type: ignore[arg-type]
        options.verify,
        options.max_seconds,
    )
    if options.json:
        print(as_json(trades.to_dict()))
    else:
        show(trades, options.explain)
        if options.verify and trades.verified_by is None:
            console().print("NOT VERIFIED: the second solver did not come to its end", style="bold")


def read(path: Path) -> tuple[Market, Sequence[Reports]]:
    """The market and what everybody reports, from a sheet or a market file."""
    if path.suffix.lower() != ".toml":
        sheet = read_exchange(path)
        return sheet.market, sheet.reports
    domain = load_market_file(path)
    if not domain.market.is_exchange:
        raise InputError(
            f"'{path}' has nobody who holds anything; an exchange has [[participants]] with "
            "endowment = { ... }. boca run simulates auctions of market files."
        )
    return domain.market, domain.reports()


def show(trades: Trades, explain: bool) -> None:
    """Who gives and gets what, and what it gains and pays."""
    market, screen = trades.market, console()
    goods = [good.name for good in market.goods]
    decimals = max(0, num_decimals([*trades.gains.tolist(), *trades.payments.tolist()]))
    columns = ("participant", "gives", "gets", "gain", "pays")
    view = table(f"{market.name}: {trades.rule} payments", columns, right=("gain", "pays"))
    for i, bidder in enumerate(market.bidders):
        moves = trades.moves[i]
        gives = format_bundle((-moves).clip(0), goods) if (moves < 0).any() else "-"
        gets = format_bundle(moves.clip(0), goods) if (moves > 0).any() else "-"
        paid = float(trades.payments[i])
        view.add_row(
            bidder.name,
            gives,
            gets,
            money(float(trades.gains[i]), decimals),
            money(paid, decimals),
        )
    screen.print(view)
    proof = "proven optimal" if trades.is_proven else f"at most {money(trades.bound, decimals)}"
    second = f", confirmed by {trades.verified_by}" if trades.verified_by else ""
    screen.print(
        f"gain from trade {money(trades.gain, decimals)} ({proof}{second}); left over "
        f"{money(trades.surplus, decimals)}",
        highlight=False,
    )
    if explain:
        screen.print(trades.explain(), highlight=False, soft_wrap=True)
