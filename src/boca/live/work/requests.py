"""What a child process is given: plain values, all that the engine may know."""

from typing import Any

from boca.core.market import Market
from boca.live.auction.rules import Rules
from boca.live.auction.state import LiveState


def check_request(rules: Rules, market: Market) -> dict[str, Any]:
    """For looking at new rules."""
    return {
        "rules": rules.to_dict(),
        "market": market.to_dict(),
        "reserve": rules.reserve_units(market),
        "at_most": rules.at_most_units(market),
        "start_prices": rules.start_units(market),
        "most_units": rules.most_units,
        "seed": 0,
    }


def job_request(state: LiveState) -> dict[str, Any]:
    """For planning and deciding: the reports as they are on the disk."""
    rules, market = state.setup
    return {
        **check_request(rules, market),
        "seed": state.seed,
        "reports": [
            [[list(bundle), report.units] for bundle, report in book.reports.items()]
            for book in state.books
        ],
        "demands": [
            [[list(demand.prices), list(demand.bundle)] for demand in book.demands.values()]
            for book in state.books
        ],
        "bids": [
            [[list(bundle), units] for bundle, units in state.bids(bidder).items()]
            for bidder in range(len(state.books))
        ],
        "declined": [[list(bundle) for bundle in book.declined] for book in state.books],
        "announced": _announced(state),
        "num_asked": list(state.num_asked),
        "steps": [summary.step for summary in state.rounds],
        "must_verify": not state.is_rehearsal,
    }


def can_compare(state: LiveState) -> bool:
    """Whether there are offers of a purchase to compare awards by."""
    is_purchase = state.market is not None and state.market.sense == "buy"
    return is_purchase and any(book.reports for book in state.books)


# Simple scenarios that need no file: at most so many suppliers, and nobody above so much per cent.
FEW, SHARE = 2, 50


def compare_request(state: LiveState) -> dict[str, Any]:
    """
    For awards side by side.

    Names that begin with @ are those of scenarios that need no file.
    """
    rules, market = state.setup
    bind = [rule.to_dict() for rule in market.rules]
    scenarios = [{"name": "@binding", "rules": bind}]
    if bind:
        scenarios.append({"name": "@cheapest", "rules": []})
    for name, own in state.notes.scenarios.items():
        scenarios.append({"name": name, "rules": [*bind, *own]})
    if market.num_bidders > FEW:
        few = {"counts": "winners", "at_most": FEW}
        scenarios.append({"name": f"@at_most:{FEW}", "rules": [*bind, few]})
    share = {"counts": "units", "at_most": SHARE / 100, "share": True, "each": True}
    scenarios.append({"name": f"@each:{SHARE}", "rules": [*bind, share]})
    baseline = state.notes.baseline
    return {
        **check_request(rules, market),
        "bids": [
            [[list(bundle), units] for bundle, units in state.bids(bidder).items()]
            for bidder in range(len(state.books))
        ],
        "baseline": [
            rules.money.parse_decimal(baseline[good.name]) if good.name in baseline else None
            for good in market.goods
        ],
        "scenarios": scenarios,
    }


def _announced(state: LiveState) -> list[int] | None:
    """The prices that were announced last, to whomever; None before the first."""
    asked = [
        (query.round, query.query.prices)
        for book in state.books
        for query in book.queries.values()
        if query.query.prices is not None
    ]
    return list(max(asked, key=lambda row: row[0])[1]) if asked else None


def time_limit(state: LiveState) -> float | None:
    """Seconds after which a job counts as hanging; deciding takes as long as it takes."""
    if state.job != "plan":
        return None
    rules, market = state.setup
    return rules.num_per_round * market.num_bidders * rules.solve_seconds + 600
