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
from boca.core.wording import did_you_mean, shortened
from boca.markets import BidFile, read_bids
from boca.markets.found import as_value, number_in
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
        [], help="Reserve price of one copy: GOOD=PRICE, or PRICE for all goods. Repeatable."
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
        result = allocate(bids.reports, bids.market, reserve=prices)
        if json:
            print(as_json(describe(result, bids)))
        else:
            show_allocation(result, bids, console())
        return

    rule = vcg if payments is Rule.vcg else quadratic_core
    outcome = rule(bids.reports, bids.market, reserve=prices, verify=verify)
    if json:
        print(as_json(outcome.to_dict()))
    else:
        show_outcome(outcome, bids, console(), explain)


def reserve_prices(texts: Sequence[str], bids: BidFile) -> np.ndarray:
    """Reserve prices of the file, replaced by those on the command line."""
    prices = bids.reserve.copy()
    names = _goods(bids)
    for text in texts:
        good, separator, number = text.rpartition("=")
        where = f"--reserve {shortened(text)}"
        price = as_value(number_in(number.strip()), "the price", where)
        if separator and good not in names:
            raise InputError(
                f"{where}: found the good '{shortened(good)}'; {did_you_mean(good, names)}"
            )
        prices[names.index(good) if separator else slice(len(names))] = price
    return prices


def _goods(bids: BidFile) -> list[str]:
    """Names of the goods, without those that only keep bids from winning together."""
    num_goods = bids.market.num_goods - bids.num_exclusions
    return [good.name for good in bids.market.goods[:num_goods]]


def describe(result: AllocationResult, bids: BidFile) -> dict[str, Any]:
    """An allocation without payments as plain values."""
    names = _goods(bids)
    return {
        "rule": "none",
        "welfare": result.welfare,
        "surplus": result.surplus,
        "bound": result.bound,
        "method": result.method,
        "seconds": result.seconds,
        "bidders": [
            {
                "bidder": bidder.name,
                "bundle": {n: int(c) for n, c in zip(names, bundle, strict=False) if c},
                "value": float(value),
            }
            for bidder, bundle, value in zip(
                bids.market.bidders, result.allocation.bundles, result.values, strict=True
            )
        ],
    }


def show_allocation(result: AllocationResult, bids: BidFile, out: Console) -> None:
    """Prints who wins what."""
    _intro(bids, out)
    winners_table = table("Winners", ["bidder", "wins goods", "bid"], right=["bid"])
    bundles = result.allocation.bundles
    winners = np.flatnonzero(bundles.any(axis=1)).tolist()
    for i, value in zip(winners, numbers(result.values[winners].tolist()), strict=True):
        winners_table.add_row(*_who(bids, i, bundles[i]), value)
    out.print(winners_table)
    _outro(bundles, result.welfare, result.surplus, result.bound, bids, out)
    out.print(f"Solved in {result.seconds:.2f} s ({result.method}).")


def show_outcome(outcome: PricedOutcome, bids: BidFile, out: Console, explain: bool) -> None:
    """Prints who wins what and pays what."""
    _intro(bids, out)
    is_core = isinstance(outcome, CoreOutcome)
    columns = ["bidder", "wins goods", "bid", "pays", "saves"] + (
        ["VCG would be"] if is_core else []
    )
    winners_table = table(f"Winners, with {outcome.rule} payments", columns, right=columns[2:])
    bundles = outcome.allocation.bundles
    winners = np.flatnonzero(bundles.any(axis=1)).tolist()
    money = [outcome.values, outcome.payments, outcome.utilities]
    if is_core:
        money.append(outcome.vcg_payments)
    cells = [_money(column, winners, outcome.welfare) for column in money]
    for row, i in enumerate(winners):
        winners_table.add_row(*_who(bids, i, bundles[i]), *(column[row] for column in cells))
    winners_table.add_section()
    winners_table.add_row("together", "", *(column[-1] for column in cells), style="bold")
    out.print(winners_table)
    _outro(bundles, outcome.welfare, outcome.surplus, outcome.bound, bids, out)
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
    rounded = np.round([*column[winners].tolist(), column.sum()], decimals)
    return numbers([float(number) + 0.0 for number in rounded])


def _who(bids: BidFile, bidder: int, bundle: np.ndarray) -> tuple[str, str]:
    """Name of a bidder, and its bundle in words."""
    names = _goods(bids)
    return bids.market.bidders[bidder].name, format_bundle(bundle[: len(names)], names)


def _intro(bids: BidFile, out: Console) -> None:
    market = bids.market
    num_bids = sum(len(report) for report in bids.reports)
    out.print(
        f"{market.name}: {_count(num_bids, 'bid')} by {_count(market.num_bidders, 'bidder')} on "
        f"{_count(len(_goods(bids)), 'good')}; every bidder wins at most one of its bids.\n"
    )


def _outro(
    bundles: np.ndarray,
    welfare: float,
    surplus: float,
    bound: float,
    bids: BidFile,
    out: Console,
) -> None:
    bidders, names = bids.market.bidders, _goods(bids)
    losers = [b.name for b, row in zip(bidders, bundles, strict=True) if not row.any()]
    left = bids.market.capacities - bundles.sum(axis=0)
    unsold = format_bundle(left[: len(names)], names)
    out.print()
    if losers:
        first = ", ".join(losers[:12]) + (", ..." if len(losers) > 12 else "")
        out.print(f"Win nothing and pay nothing: {_count(len(losers), 'bidder')} ({first})")
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
