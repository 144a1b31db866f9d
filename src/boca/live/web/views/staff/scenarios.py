"""Awards of a purchase side by side, in words."""

from dataclasses import dataclass
from typing import Any

from boca.live.auction.events import Bundle
from boca.live.auction.views import Setup
from boca.live.web.texts import Texts


@dataclass(frozen=True)
class SupplyLine:
    """Who supplies what in a scenario, and at which offer."""

    supplier: str
    lots: Bundle
    offer: str


@dataclass(frozen=True)
class ScenarioRow:
    """
    One scenario.

    Parameters
    ----------
    name
        In words.
    cost, savings, rule_cost
        Amounts in words; empty where there is none.
    num_suppliers
        How many supply something.
    outside
        What is bought elsewhere; empty for nothing.
    lines
        Who supplies what.
    problem
        Why there is no award; empty if there is one.
    """

    name: str
    cost: str = ""
    savings: str = ""
    rule_cost: str = ""
    num_suppliers: int = 0
    outside: Bundle = ()
    lines: tuple[SupplyLine, ...] = ()
    problem: str = ""


def scenario_rows(t: Texts, setup: Setup, data: dict[str, Any]) -> list[ScenarioRow]:
    """The scenarios that a child process brought."""
    return [_row(t, setup, row) for row in data["scenarios"]]


def _row(t: Texts, setup: Setup, row: dict[str, Any]) -> ScenarioRow:
    market, money = setup.market, setup.money
    name = scenario_name(t, row["name"])
    if row["cost"] is None:
        titles = row["conflict"]
        key = "uncovered" if not titles else "conflict" if len(titles) > 1 else "conflict_one"
        problem = t(f"scenario.{key}", rules=t.listing(f"\u201c{title}\u201d" for title in titles))
        return ScenarioRow(name, problem=problem)
    supplied = row["supplied"]
    winners = [i for i, bundle in enumerate(supplied) if any(bundle)]
    cost, savings, more = row["cost"], row["savings"], row["rule_cost"]
    saved = ""
    if savings is not None:
        share = 100 * savings / (cost + savings) if cost + savings else 0.0
        sign = "\u2212" if savings > 0 else "+" if savings < 0 else ""
        amount = money.figures(abs(savings))
        saved = t("scenario.change", sign=sign, amount=amount, share=t.decimal(abs(share)))
    return ScenarioRow(
        name,
        money.figures(cost),
        saved,
        t("scenario.more", amount=money.figures(more)) if more else "",
        len(winners),
        tuple(row["outside"]),
        tuple(
            SupplyLine(
                market.bidders[i].name,
                tuple(supplied[i]),
                money.figures(row["offers"][i]),
            )
            for i in winners
        ),
    )


def scenario_name(t: Texts, name: str) -> str:
    """A scenario in words; those of the file have names of their own."""
    if not name.startswith("@"):
        return name
    key, _, number = name.removeprefix("@").partition(":")
    return t(f"scenario.{key}", n=number)
