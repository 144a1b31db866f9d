"""
Awards, trades and scenarios for the child process; with :mod:`boca.live.work.child` the only file
of the server that knows the engine.

Amounts are whole units of money, which are exact as floats.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.core.rule import Rule
from boca.live.auction.kind import NO_AWARD
from boca.payments.awards import award
from boca.payments.scenarios import (
    Scenario,
    ScenarioResult,
    run_scenarios,
    smallest_conflict,
    uncovered,
)
from boca.payments.trades import exchange


def rules_in_units(market: Market, unit: str) -> Market:
    """The market with rules about spend in units of money, as offers are."""
    size = float(unit)

    def scaled(bound: float | None) -> float | None:
        return None if bound is None else round(bound / size, 6)

    rules = tuple(
        replace(rule, at_least=scaled(rule.at_least), at_most=scaled(rule.at_most), name=rule.title)
        if rule.counts == "spend" and not rule.share
        else rule
        for rule in market.rules
    )
    return replace(market, rules=rules)


def prices_of(rows: Sequence[int | None]) -> np.ndarray:
    """At-most prices, infinite where there is none."""
    return np.array([np.inf if units is None else float(units) for units in rows])


def decide_award(
    market: Market, request: dict[str, Any], offers: list[Reports], verify: bool
) -> dict[str, Any]:
    """The cheapest award, what suppliers are paid, and the awards without each winner."""
    market = rules_in_units(market, request["rules"]["unit"])
    at_most, rule = prices_of(request["at_most"]), request["rules"]["payment_rule"]
    try:
        best = award(offers, market, at_most, rule, verify=verify)
    except InputError as error:  # somebody is indispensable
        kept = "All answers are kept in the log; this purchase can only be cancelled and run again."
        raise InputError(f"{NO_AWARD}{error} {kept}") from None
    if best is None:
        raise InputError(NO_AWARD + no_award(market, offers, at_most))
    assert best.payments is not None
    return {
        "allocation": best.supplied.tolist(),
        "outside": best.outside.tolist(),
        "payments": best.payments.tolist(),
        "without": {str(i): other.supplied.tolist() for i, other in best.without},
        "outside_without": {str(i): other.outside.tolist() for i, other in best.without},
        "rule": rule,
        "verified_by": best.verified_by,
    }


def no_award(market: Market, offers: list[Reports], at_most: np.ndarray) -> str:
    """Why there is none, in words."""

    def is_possible(rules: Sequence[Rule]) -> bool:
        return award(offers, replace(market, rules=tuple(rules)), at_most) is not None

    conflict = smallest_conflict(market.rules, is_possible)
    if not conflict:
        names = [market.goods[j].name for j in uncovered(offers, market, at_most)]
        which = (
            f"the offers do not cover every lot without an at-most price ({', '.join(names)})."
            if names
            else "every lot has enough offers, but a supplier gets at most one of its offers, and "
            "so they never cover all lots without an at-most price at once."
        )
        return (
            f"{which} All answers are "
            "kept in the log. Cancel this purchase and run it again with at-most prices, or with "
            "more suppliers."
        )
    titles = " and ".join(f"'{rule.title}'" for rule in conflict)
    some = (
        f"the rules {titles} cannot hold together"
        if len(conflict) > 1
        else (f"the rule {titles} cannot hold")
    )
    return (
        f"on these offers {some}. All answers are kept in the log. Cancel "
        "this purchase and run it again with other rules."
    )


def decide_trades(
    market: Market, request: dict[str, Any], reports: list[Reports], verify: bool
) -> dict[str, Any]:
    """The trades with the largest gain, what everybody pays, and the trades without each."""
    rule = request["rules"]["payment_rule"]
    kept = keeping(market, reports)
    best = exchange(reports, market, rule, verify=verify, keeping=kept)
    return {
        "allocation": best.allocation.bundles.tolist(),
        "payments": best.payments.tolist(),
        "without": {str(i): other.bundles.tolist() for i, other in best.without},
        "rule": rule,
        "verified_by": best.verified_by,
    }


def keeping(market: Market, reports: list[Reports]) -> list[int]:
    """Whoever has not said what keeping its endowment is worth to it: it keeps that."""
    pairs = enumerate(zip(market.endowments, reports, strict=True))
    return [i for i, (held, rows) in pairs if held.any() and held not in rows]


def brought(market: Market, request: dict[str, Any], reports: list[Reports]) -> float | None:
    """What the answers so far are good for: cost of the award, or gain; None if there is none."""
    if market.sense == "buy":
        ruled = rules_in_units(market, request["rules"]["unit"])
        best = award(reports, ruled, prices_of(request["at_most"]))
        return None if best is None else best.cost
    return exchange(reports, market, "none", keeping=keeping(market, reports)).gain


def compare(request: dict[str, Any], offers: list[Reports]) -> dict[str, Any]:
    """
    Awards side by side, on confirmed answers; amounts in units.

    Every scenario names all its rules, so that rules cost what they add to the cheapest award.
    """
    market = Market.from_dict(request["market"])
    free = replace(market, rules=())
    at_most = prices_of(request["at_most"])
    today = [np.nan if units is None else float(units) for units in request["baseline"]]
    wanted = [Scenario(row["name"], _rules(row["rules"], request)) for row in request["scenarios"]]
    results = run_scenarios(
        offers, free, wanted, at_most, np.array(today), with_neighbours=False, max_seconds=60.0
    )
    ruled = rules_in_units(market, request["rules"]["unit"])
    return {
        "scenarios": [_plain(result) for result in results],
        "num_offers": sum(map(len, offers)),
        "warning": _no_payment(ruled, offers, at_most, request["rules"]["payment_rule"]),
    }


def _no_payment(market: Market, offers: list[Reports], at_most: np.ndarray, rule: str) -> str:
    """Why nobody could be paid by the rule that binds; empty if everybody could."""
    if rule == "offered":
        return ""
    try:
        award(offers, market, at_most, "vcg", max_seconds=60.0)
    except InputError as error:
        return str(error)
    return ""


def _rules(rows: list[dict[str, Any]], request: dict[str, Any]) -> tuple[Rule, ...]:
    bare = Market.from_dict(request["market"])
    rules = tuple(Rule.from_dict(row) for row in rows)
    return rules_in_units(replace(bare, rules=rules), request["rules"]["unit"]).rules


def _plain(result: ScenarioResult) -> dict[str, Any]:
    best = result.award
    return {
        "name": result.scenario.name,
        "cost": None if best is None else round(best.cost),
        "savings": None if result.savings is None else round(result.savings),
        "rule_cost": None if result.rule_cost is None else round(result.rule_cost),
        "supplied": None if best is None else best.supplied.tolist(),
        "offers": None if best is None else [round(cost) for cost in best.costs.tolist()],
        "outside": None if best is None else best.outside.tolist(),
        "conflict": [rule.title for rule in result.conflict],
    }
