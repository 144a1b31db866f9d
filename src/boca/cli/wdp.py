"""``boca wdp``: who wins and who pays what, from a file of bids."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console

from boca.cli.award import AwardOptions, buy
from boca.cli.console_tables import as_json, console, table
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.money import add_up, num_decimals
from boca.core.wording import amount, did_you_mean, money, shortened
from boca.markets import BidFile, read_bids
from boca.markets.found import as_value, number_in
from boca.markets.offer_file import says_cost
from boca.payments import allocate, quadratic_core, vcg
from boca.payments.accepted import relative_gap
from boca.payments.allocating import AllocationResult
from boca.payments.core_rule import CoreOutcome
from boca.payments.effort import Progress
from boca.payments.explanation import PricedOutcome

# Decimals that are shown of amounts that have more.
MOST_DECIMALS = 9


class PaymentChoice(StrEnum):
    """Payment rules on the command line."""

    vcg = "vcg"
    core = "core"
    none = "none"


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("wdp")(wdp)


def wdp(
    file: Path = typer.Argument(..., help="Bids: .csv, .xlsx, .json, or the CATS text format."),
    payments: PaymentChoice = typer.Option(PaymentChoice.vcg, help="Payment rule."),
    reserve: list[str] = typer.Option(
        [], help="Reserve price of one copy: GOOD=PRICE, or PRICE for all goods. Repeatable."
    ),
    verify: bool = typer.Option(
        False, "--verify", help="Solve everything again with a second solver and compare."
    ),
    explain: bool = typer.Option(False, "--explain", help="Say why each winner pays what it pays."),
    max_seconds: float | None = typer.Option(
        None, help="Stop after this time with the best so far and how far it is from proven."
    ),
    gap: float = typer.Option(
        0.0, help="Stop when nothing can be better by more than this share, such as 0.01."
    ),
    json: bool = typer.Option(False, "--json", help="Print JSON with all digits, not a table."),
) -> None:
    """Find the winners of a combinatorial auction, and what they pay; of offers with costs too."""
    if says_cost(file):
        if reserve or gap:
            raise InputError(
                f"'{file}' has a column 'cost', so it buys; --reserve and --gap are for selling. "
                "Prices outside are its row 'at most'."
            )
        buy(AwardOptions(file, None, payments.value, explain, verify, max_seconds, json=json))
        return
    bids = read_bids(file)
    if bids.doubt:
        print(bids.doubt, file=sys.stderr)
    prices = reserve_prices(reserve, bids)
    if payments is PaymentChoice.none:
        if verify or explain:
            raise InputError(
                "--verify and --explain are about payments; add --payments vcg or core."
            )
        with Watch(is_quiet=json) as watch:
            result = allocate(
                bids.reports,
                bids.market,
                reserve=prices,
                max_seconds=max_seconds,
                gap=gap,
                progress=watch.show,
            )
        if json:
            print(as_json(describe(result, bids)))
        else:
            show_allocation(result, bids, console())
        return

    rule = vcg if payments is PaymentChoice.vcg else quadratic_core
    with Watch(is_quiet=json) as watch:
        outcome = rule(
            bids.reports,
            bids.market,
            reserve=prices,
            verify=verify,
            max_seconds=max_seconds,
            gap=gap,
            progress=watch.show,
        )
    if json:
        print(as_json(outcome.to_dict()))
    else:
        show_outcome(outcome, bids, console(), explain, verify)


class Watch:
    """
    Shows people who wait how far the work is, on a line that disappears.

    Parameters
    ----------
    is_quiet
        Whether to show nothing; nothing is shown outside a terminal in any case.
    """

    def __init__(self, is_quiet: bool = False):
        out = Console(stderr=True)
        self._status = None if is_quiet or not out.is_terminal else out.status("reading bids")

    def __enter__(self) -> "Watch":
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, progress: Progress) -> None:
        """What is being solved, the best so far and its bound."""
        if self._status is not None:
            self._status.update(progress_line(progress))


def progress_line(progress: Progress) -> str:
    """How far the work is, in words."""
    bound = f"at most {amount(progress.bound)}" if np.isfinite(progress.bound) else "no bound yet"
    return f"{progress.stage}: {amount(progress.surplus)}, {bound}, {progress.seconds:.0f} s"


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
        "gap": result.gap,
        "status": result.status,
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
    decimals = decimals_of(bids)
    for i in winners:
        winners_table.add_row(*_who(bids, i, bundles[i]), money(float(result.values[i]), decimals))
    out.print(winners_table)
    _outro(bundles, result.welfare, result.surplus, result.bound, result.is_proven, bids, out)
    out.print(f"Solved in {result.seconds:.2f} s ({result.method}).")


def show_outcome(
    outcome: PricedOutcome, bids: BidFile, out: Console, explain: bool, verify: bool
) -> None:
    """
    Prints who wins what and pays what.

    Parameters
    ----------
    outcome, bids
        What was decided, and from what.
    out
        Where to print.
    explain
        Whether to print how payments come about.
    verify
        Whether a second solver was asked, so that its silence is worth a warning.
    """
    _intro(bids, out)
    is_core = isinstance(outcome, CoreOutcome)
    columns = ["bidder", "wins goods", "bid", "pays", "saves"] + (
        ["VCG would be"] if is_core else []
    )
    winners_table = table(f"Winners, with {outcome.rule} payments", columns, right=columns[2:])
    bundles = outcome.allocation.bundles
    winners = np.flatnonzero(bundles.any(axis=1)).tolist()
    amounts = [outcome.values, outcome.payments, outcome.utilities]
    if is_core:
        amounts.append(outcome.vcg_payments)
    cells = [_column(column, winners, decimals_of(bids, outcome.reserve)) for column in amounts]
    for row, i in enumerate(winners):
        winners_table.add_row(*_who(bids, i, bundles[i]), *(column[row] for column in cells))
    winners_table.add_section()
    winners_table.add_row("together", "", *(column[-1] for column in cells), style="bold")
    out.print(winners_table)
    _outro(bundles, outcome.welfare, outcome.surplus, outcome.bound, outcome.is_proven, bids, out)
    if is_core:
        out.print("Core payments: no group of bidders can offer the seller a better deal.")
    else:
        out.print("VCG payments: each winner pays what its presence costs the others.")
    _warn(outcome, bids, out)
    if verify and outcome.verified_by is None:
        out.print(
            "NOT VERIFIED: the second solver could not confirm every economy; allow more time, and "
            "no gap.",
            style="bold",
        )
    verified = f", verified with {outcome.verified_by}" if outcome.verified_by else ""
    out.print(f"Solved in {outcome.seconds:.2f} s ({outcome.method}{verified}).")
    if explain:
        out.print()
        out.print(outcome.explain() or "Nobody wins, so nobody pays.")


def _warn(outcome: PricedOutcome, bids: BidFile, out: Console) -> None:
    """Says which payments rest on allocations that are not proven."""
    names = [bids.market.bidders[i].name for i in outcome.unproven]
    if names:
        first = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        out.print(
            f"NOT PROVEN: the work was stopped early, and with more time these payments could be "
            f"different: {first}.",
            style="bold",
        )
    elif outcome.status != "optimal":
        out.print(f"NOT PROVEN ({outcome.status}): with more time payments could be different.")


def decimals_of(bids: BidFile, reserve: np.ndarray | None = None) -> int:
    """With how many decimals the amounts in a file are written, and reserve prices."""
    amounts = [number for report in bids.reports for number in report.values.tolist()]
    amounts += [] if reserve is None else reserve.tolist()
    return min(max(0, num_decimals(amounts)), MOST_DECIMALS)


def _column(amounts: np.ndarray, winners: list[int], decimals: int) -> list[str]:
    """The winners' amounts and their sum, all with as many decimals."""
    column = [*amounts[winners].tolist(), add_up(amounts)]
    texts = [money(amount, decimals) for amount in column]
    longest = max(len(text.partition(".")[2]) for text in texts)
    return [f"{round(amount, longest) + 0.0:,.{longest}f}" for amount in column]


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
    is_proven: bool,
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
    share = relative_gap(surplus, bound)
    proof = "proven optimal" if is_proven else f"NOT proven; at most {share:.2%} better"
    decimals = decimals_of(bids, bids.reserve)
    total, above, most = (money(number, decimals) for number in (welfare, surplus, bound))
    if abs(surplus - welfare) > 1e-12 * max(welfare, 1.0):
        out.print(f"Welfare {total}; above reserve prices {above}, upper bound {most} ({proof})")
    else:
        out.print(f"Welfare {total}, upper bound {most} ({proof})")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
