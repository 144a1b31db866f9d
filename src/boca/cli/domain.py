"""``boca domain``: what is shared out, who wants it, and the best that can be done."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from boca.cli.console_tables import as_json, check_writable, console, numbers, table, write_text
from boca.core.allocation import Allocation
from boca.core.bundle import format_bundle
from boca.core.errors import InputError
from boca.core.goods import Limit
from boca.lab.domains import DOMAINS, Domain, load_domain
from boca.lab.domains.files import FileDomain

DEFAULT_SEED = 10001
# Longer lists of goods than this are cut; --json has them all.
MOST_GOODS = 24


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("domain")(domain)


def domain(
    name: str = typer.Argument(
        ...,
        help="gsvm, lsvm, srvm, mrvm, toy, lanes or exchange-lsvm; or the path of a market file "
        "(.toml).",
    ),
    seed: int | None = typer.Option(
        None, help=f"Which instance of a generated market to draw; {DEFAULT_SEED} unless given."
    ),
    generic: bool = typer.Option(
        False, "--generic", help="Count identical goods instead of naming each."
    ),
    max_seconds: float = typer.Option(
        50.0,
        min=0.0,
        help="Seconds to look for the best allocation of a market file; then the best one found "
        "so far is shown.",
    ),
    json: bool = typer.Option(False, "--json", help="Print JSON with all digits, not tables."),
    out: Path | None = typer.Option(None, help="Also write the JSON to this file."),
    force: bool = typer.Option(False, "--force", help="Let --out replace an existing file."),
) -> None:
    """Describe a market and its efficient allocation."""
    if out is not None:
        check_writable(out, force)
    market = open_domain(name, seed, generic)
    if isinstance(market, FileDomain):
        market.time_limit = max_seconds
    # Of a large market only what is asked for: its JSON can have millions of lines.
    description = as_json(describe(market)) if json or out is not None else ""
    if json:
        print(description)
    else:
        show(market, console(), seed_given=seed is not None)
    if out is not None:
        write_text(out, description + "\n", force)
        typer.echo(f"Wrote {out}", err=True)


def open_domain(name: str, seed: int | None, generic: bool = False) -> Domain:
    """
    The market that a user names on the command line.

    Parameters
    ----------
    name
        Name of a domain, or path of a market file.
    seed
        Instance of a generated domain; None for the default.
    generic
        Whether identical goods become one good with a capacity.
    """
    if name.lower() == "toy" and seed is None:  # there is one toy, which needs no seed
        return load_domain(name, generic=generic)
    if name.lower() in DOMAINS:
        return load_domain(name, seed=DEFAULT_SEED if seed is None else seed, generic=generic)

    market = load_domain(name)
    if seed is not None:
        raise InputError(
            f"'{name}' is a market file, in which nothing is drawn at random; leave out --seed."
        )
    if generic:
        raise InputError(
            f"'{name}' is a market file; leave out --generic and give identical goods a capacity "
            "in the file."
        )
    return market


def full_values(domain: Domain) -> list[float]:
    """What all copies of all goods would be worth to each bidder."""
    market = domain.market
    return [float(domain.values(i, market.full_bundle)[0]) for i in range(market.num_bidders)]


def received_values(domain: Domain) -> list[float]:
    """What each bidder's part of the efficient allocation is worth to it."""
    bundles = domain.efficient().allocation.bundles
    return [float(domain.values(i, bundle)[0]) for i, bundle in enumerate(bundles)]


def describe(domain: Domain) -> dict[str, Any]:
    """Everything that is shown, as plain values with all their digits."""
    efficient = domain.efficient()
    return {
        "name": domain.name,
        "seed": domain.seed,
        "generic": domain.is_generic,
        "market": domain.market.to_dict(),
        "full_bundle_values": full_values(domain),
        "efficient": {
            "welfare": efficient.welfare,
            "bound": efficient.bound,
            "proven": efficient.proven,
            "method": efficient.method,
            "values": received_values(domain),
            "allocation": efficient.allocation.bundles.tolist(),
        },
    }


def show(domain: Domain, out: Console, seed_given: bool) -> None:
    """Prints a market and its efficient allocation for people."""
    market, efficient = domain.market, domain.efficient()
    out.print(_headline(domain, seed_given))
    out.print("", _goods_table(domain), "", _bidders_table(domain), sep="\n")
    if any(bidder.limits for bidder in market.bidders):
        noun, verb = ("cost", "cost") if market.sense == "buy" else ("value", "be worth")
        out.print(f"The {noun} of all goods is what they would {verb} if there were no limits.")
    out.print("", _allocation_table(domain), sep="\n")

    left_over = [
        f"{left} of {good.capacity} {good.name}" if good.capacity > 1 else good.name
        for good, left in zip(market.goods, efficient.allocation.unsold(market), strict=True)
        if left
    ]
    if market.sense == "buy":
        if left_over:
            out.print(f"\nBought outside: {', '.join(left_over)}.")
        out.print(f"\nLeast cost, purchases outside included: {-efficient.welfare!r}", style="bold")
        out.print(f"No award costs less; proven by {efficient.method}." if efficient.proven else "")
        return
    if left_over:
        out.print(f"\nLeft over: {', '.join(left_over)}.")
    out.print(f"\nWelfare (sum of these values): {efficient.welfare!r}", style="bold")
    if market.is_exchange:
        before = domain.welfare(Allocation(market.endowments))
        out.print(f"What everybody holds before is worth {before!r}.")
    if efficient.proven:
        out.print(f"No allocation has a larger welfare; proven by {efficient.method}.")
    else:
        out.print(f"Not proven to be the best: no allocation exceeds {efficient.bound!r}.")


def _headline(domain: Domain, seed_given: bool) -> str:
    """What market this is and how large."""
    market = domain.market
    instance = ""
    if domain.seed is not None:
        default = "" if seed_given else " (the default; choose another with --seed)"
        instance = f", instance with seed {domain.seed}{default}"
    goods = f"{market.num_goods} goods"
    copies = int(market.capacities.sum())
    if copies > market.num_goods:
        goods += f" ({copies} copies in total)"
    lines = [
        f"Market '{domain.name}'{instance}",
        f"{market.num_bidders} suppliers offer bundles of {market.num_goods} lots."
        if market.sense == "buy"
        else f"{market.num_bidders} bidders want bundles of {goods}.",
    ]
    if domain.is_generic:
        lines.append("Generic view: identical goods are one good with several copies.")
    elif domain.grouping is not None:
        lines.append("Some goods are identical; --generic counts them instead of naming each.")
    if common := _common_limits(domain):
        lines.append(f"Every bidder can get {_words(common)}.")
    return "\n".join(lines)


def _common_limits(domain: Domain) -> tuple[Limit, ...]:
    """The limits that all bidders share, said once."""
    first, *others = domain.market.bidders
    common = set(first.limits).intersection(*(bidder.limits for bidder in others))
    return tuple(limit for limit in first.limits if limit in common)


def _words(limits: Iterable[Limit]) -> str:
    return "; ".join(dict.fromkeys(limit.name for limit in limits))


def _goods_table(domain: Domain) -> Table:
    """Each good, how many copies there are, and who gets them in the efficient allocation."""
    market, bundles = domain.market, domain.efficient().allocation.bundles
    goods = table("Goods", ["good", "copies", "best given to"], right=["copies"])
    for j, good in enumerate(market.goods[:MOST_GOODS]):
        receivers = [
            bidder.name if bundles[i, j] == 1 else f"{bidder.name} ({bundles[i, j]})"
            for i, bidder in enumerate(market.bidders)
            if bundles[i, j]
        ]
        goods.add_row(good.name, f"{good.capacity:,}", ", ".join(receivers) or "nobody")
    if market.num_goods > MOST_GOODS:
        goods.add_row(f"... {market.num_goods - MOST_GOODS} more (all of them with --json)", "", "")
    return goods


def _bidders_table(domain: Domain) -> Table:
    """Each bidder with its own limits and its value for everything."""
    market, common = domain.market, set(_common_limits(domain))
    of_all = f"{'cost' if market.sense == 'buy' else 'value'} of all goods"
    rows: list[dict[str, str]] = []
    for bidder, value in zip(market.bidders, numbers(full_values(domain)), strict=True):
        limits = [limit for limit in bidder.limits if limit not in common]
        rows.append(
            {
                "bidder": bidder.name,
                "type": bidder.type,
                "can get": _words(limits) or "anything",
                of_all: value,
            }
        )
    # A column in which nobody differs from the default says nothing.
    columns = [name for name in rows[0] if any(row[name] not in ("", "anything") for row in rows)]
    bidders = table("Bidders", columns, right=[of_all])
    for row in rows:
        bidders.add_row(*(row[name] for name in columns))
    return bidders


def _allocation_table(domain: Domain) -> Table:
    """Who gets what, and its value, when the sum of values is as large as possible."""
    market, bundles = domain.market, domain.efficient().allocation.bundles
    goods = [good.name for good in market.goods]
    columns, title = ["bidder", "receives", "value of it"], "Efficient allocation"
    if market.sense == "buy":
        columns, title = ["supplier", "supplies", "cost of it"], "Cheapest award"
    allocation = table(title, columns, right=columns[2:])
    for bidder, bundle, value in zip(
        market.bidders, bundles, numbers(received_values(domain)), strict=True
    ):
        allocation.add_row(bidder.name, format_bundle(bundle, goods), value)
    return allocation
