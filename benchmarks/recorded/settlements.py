"""Who wins and who pays what, of many small markets: the settlement by itself."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from recorded.steady import Record, pretty

NUM_SALES, NUM_PURCHASES, NUM_EXCHANGES = 300, 200, 100


def records(root: Path) -> Iterator[Record]:
    """A record per market, with all payment rules."""
    yield from sales()
    yield from purchases()
    yield from exchanges()


def said(solve: Callable[[], Any]) -> object:
    """What a settlement gives, why, and what everybody's absence would change; or its refusal."""
    from boca.core import BocaError

    try:
        made = solve()
    except BocaError as error:
        return f"{type(error).__name__}: {error}"
    if made is None:
        return None
    more = {"why": made.explain().splitlines() if hasattr(made, "explain") else ""}
    for name in ("without", "binding", "coalitions", "outside"):
        if hasattr(made, name):
            more[name] = plain(getattr(made, name))
    return {**made.to_dict(), **more}


def plain(value: Any) -> Any:
    """Awards, allocations, groups and arrays as lists and numbers."""
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    for name in ("supplied", "bundles"):
        if hasattr(value, name):
            return getattr(value, name).tolist()
    if hasattr(value, "tolist"):
        return value.tolist()
    return value if isinstance(value, int | float | str | None) else repr(value)


def together(by_rule: dict[str, object]) -> str:
    return json.dumps(json.loads(pretty(by_rule)), indent=None, default=str).replace(
        '}, "', '},\n"'
    )


def sales() -> Iterator[Record]:
    from exact_payments import draw

    from boca.payments import quadratic_core, vcg

    for seed in range(NUM_SALES):
        one = draw(seed)
        args = one.reports, one.market, [float(price) for price in one.reserve]
        rules = {"vcg": vcg, "core": quadratic_core}
        made = {name: said(partial(rule, *args)) for name, rule in rules.items()}
        yield f"sale/{seed:03}", together(made)


def purchases() -> Iterator[Record]:
    from test_awards import random_market

    from boca.payments import award

    for seed in range(NUM_PURCHASES):
        market, offers, prices = random_market(seed)
        made = {
            rule: said(partial(award, offers, market, prices, rule))
            for rule in ("none", "offered", "vcg", "core")
        }
        yield f"purchase/{seed:03}", together(made)


def exchanges() -> Iterator[Record]:
    from test_trades import random_exchange

    from boca.payments import exchange

    for seed in range(NUM_EXCHANGES):
        market, reports = random_exchange(seed)
        made = {
            rule: said(partial(exchange, reports, market, rule))
            for rule in ("none", "vcg", "threshold", "proportional", "small")
        }
        yield f"exchange/{seed:03}", together(made)
