"""``boca wdp``: who wins and who pays what, from a file of bids."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console

from boca.cli.console_tables import as_json, console, numbers, table
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.market import Market
from boca.markets import BidFile, read_bids
from boca.payments import allocate, quadratic_core, vcg
from boca.payments.allocate import AllocationResult
from boca.payments.core_rule import CoreOutcome
from boca.payments.explanation import PricedOutcome


class Rule(StrEnum):
    """Payment rules on the command line."""

    vcg = "vcg"
    core = "core"
    none = "none"


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("wdp")(wdp)


def wdp(
    file: Path = typer.Argument(..., help="Bids: .csv, .json, or the CATS text format."),
    payments: Rule = typer.Option(Rule.vcg, help="Payment rule."),
    reserve: list[str] = typer.Option(
        [], help="Reserve price of a copy: GOOD=PRICE, or PRICE for all goods. Repeatable."
    ),
    verify: bool = typer.Option(
        False, "--verify", help="Solve everything again with a second solver and compare."
    ),
    explain: bool = typer.Option(False, "--explain", help="Say why each winner pays what it pays."),
    json: bool = typer.Option(False, "--json", help="Print JSON with all digits, not a table."),
) -> None:
    """Find the winners of a combinatorial auction, and what they pay."""
    bids = read_bids(file)
    prices = reserve_prices(reserve, bids)
    if payments is Rule.none:
        if verify or explain:
            raise InputError(
                "--verify and --explain are about payments; add --payments vcg or core."
            )
        found = allocate(bids.reports, bids.market, reserve=prices)
        if json:
            print(as_json(describe(found, bids.market)))
        else:
            show_allocation(found, bids, console())
        return

    rule = vcg if payments is Rule.vcg else quadratic_core
    outcome = rule(bids.reports, bids.market, reserve=prices, verify=verify)
    if json:
        print(as_json(outcome.to_dict()))
    else:
        show_outcome(outcome, bids, console(), explain)


def reserve_prices(given: Sequence[str], bids: BidFile) -> np.ndarray:
    """Reserve prices of the file, replaced by those on the command line."""
    prices = bids.reserve.copy()
    names = [good.name for good in bids.market.goods]
    for text in given:
        good, separator, number = text.rpartition("=")
        try:
            price = float(number)
        except ValueError:
            price = np.nan
        if not np.isfinite(price) or price < 0 or (separator and good not in names):
            raise InputError(
                f"Received --reserve {text}; expected GOOD=PRICE with one of the goods "
                f"{', '.join(names[:8])}{', ...' if len(names) > 8 else ''} and a price of at "
                "least 0, or one price for all goods."
            )
        prices[names.index(good) if separator else slice(None)] = price
    return prices


def describe(found: AllocationResult, market: Market) -> dict[str, Any]:
    """An allocation without payments as plain values."""
    names = [good.name for good in market.goods]
    return {
        "rule": "none",
        "welfare": found.welfare,
        "surplus": found.surplus,
        "bound": found.bound,
        "method": found.method,
        "seconds": found.seconds,
        "bidders": [
            {
                "bidder": bidder.name,
                "bundle": {n: int(c) for n, c in zip(names, bundle, strict=True) if c},
                "value": float(value),
            }
            for bidder, bundle, value in zip(
                market.bidders, found.allocation.bundles, found.values, strict=True
            )
        ],
    }


def show_allocation(found: AllocationResult, bids: BidFile, out: Console) -> None:
    """Prints who wins what."""
    _intro(bids, out)
    made = table("Winners", ["bidder", "wins goods", "bid"], right=["bid"])
    winners = np.flatnonzero(found.allocation.bundles.any(axis=1)).tolist()
    for i, value in zip(winners, numbers(found.values[winners].tolist()), strict=True):
        made.add_row(*_who(bids.market, i, found.allocation.bundles[i]), value)
    out.print(made)
    _outro(found.allocation.bundles, found.welfare, found.surplus, found.bound, bids.market, out)
    out.print(f"Solved in {found.seconds:.2f} s ({found.method}).")


def show_outcome(outcome: PricedOutcome, bids: BidFile, out: Console, explain: bool) -> None:
    """Prints who wins what and pays what."""
    _intro(bids, out)
    is_core = isinstance(outcome, CoreOutcome)
    columns = ["bidder", "wins goods", "bid", "pays", "saves"] + (
        ["VCG would be"] if is_core else []
    )
    made = table(f"Winners, with {outcome.rule} payments", columns, right=columns[2:])
    bundles = outcome.allocation.bundles
    winners = np.flatnonzero(bundles.any(axis=1)).tolist()
    money = [outcome.values, outcome.payments, outcome.utilities]
    if is_core:
        money.append(outcome.vcg_payments)
    cells = [_money(column, winners, outcome.welfare) for column in money]
    for row, i in enumerate(winners):
        made.add_row(*_who(bids.market, i, bundles[i]), *(column[row] for column in cells))
    made.add_section()
    made.add_row("together", "", *(column[-1] for column in cells), style="bold")
    out.print(made)
    _outro(bundles, outcome.welfare, outcome.surplus, outcome.bound, bids.market, out)
    if is_core:
        out.print("Core payments: no group of bidders can offer the seller a better deal.")
    else:
        out.print("VCG payments: each winner pays what its presence costs the others.")
    verified = f", verified with {outcome.verified_by}" if outcome.verified_by else ""
    out.print(f"Solved in {outcome.seconds:.2f} s ({outcome.method}{verified}).")
    if explain:
        out.print()
        out.print(outcome.explain() or "Nobody wins, so nobody pays.")


def _money(column: np.ndarray, winners: list[int], welfare: float) -> list[str]:
    """The winners' numbers and their sum, without the last digits that are rounding errors."""
    decimals = 9 - int(np.ceil(np.log10(max(welfare, 1e-300))))
    shown = np.round([*column[winners].tolist(), column.sum()], decimals)
    return numbers([float(number) + 0.0 for number in shown])


def _who(market: Market, bidder: int, bundle: np.ndarray) -> tuple[str, str]:
    names = [good.name for good in market.goods]
    return market.bidders[bidder].name, format_bundle(bundle, names)


def _intro(bids: BidFile, out: Console) -> None:
    market = bids.market
    num_bids = sum(len(report) for report in bids.reports)
    out.print(
        f"{market.name}: {_count(num_bids, 'bid')} by {_count(market.num_bidders, 'bidder')} on "
        f"{_count(market.num_goods, 'good')}; every bidder wins at most one of its bids.\n"
    )


def _outro(
    bundles: np.ndarray,
    welfare: float,
    surplus: float,
    bound: float,
    market: Market,
    out: Console,
) -> None:
    losers = [b.name for b, row in zip(market.bidders, bundles, strict=True) if not row.any()]
    unsold = format_bundle(
        market.capacities - bundles.sum(axis=0), [good.name for good in market.goods]
    )
    out.print()
    if losers:
        shown = ", ".join(losers[:12]) + (", ..." if len(losers) > 12 else "")
        out.print(f"Win nothing and pay nothing: {_count(len(losers), 'bidder')} ({shown})")
    out.print(f"Not sold: {unsold}")
    proof = "proven optimal" if bound - surplus <= 1e-6 * max(surplus, 1e-300) else "NOT proven"
    if abs(surplus - welfare) > 1e-12 * max(welfare, 1.0):
        out.print(
            f"Welfare {welfare:,.6g}; above reserve prices {surplus:,.6g}, upper bound "
            f"{bound:,.6g} ({proof})"
        )
    else:
        out.print(f"Welfare {welfare:,.6g}, upper bound {bound:,.6g} ({proof})")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
