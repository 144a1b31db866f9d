"""What child processes bring back, checked as if a stranger had sent it, and as events."""

import math

import numpy as np

from boca.core.allocation import Allocation, violations
from boca.core.market import Market
from boca.core.wording import counted
from boca.live.auction import events as ev
from boca.live.auction.award_results import award_events
from boca.live.auction.engine_results import OutcomeResult, PlannedQuery, PlanResult
from boca.live.auction.events import Bundle, Event
from boca.live.auction.kind import kind_of
from boca.live.auction.money import Terms, price, vcg_terms
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import Rules
from boca.live.auction.state import LiveState
from boca.live.auction.trade_results import trade_events

# The engine's floats may be off by this much before a core payment is rounded up.
SLACK = 1e-6
# Whole numbers of the log end here.
MOST_TOGETHER = 2**53 - 1


def _wrong(sentence: str) -> Refusal:
    """A result that cannot be used; the job counts as failed."""
    return Refusal("mistakes", sentence)


def plan_events(state: LiveState, result: PlanResult) -> list[Event]:
    """``planned`` and one ``asked`` per bidder with questions."""
    rules, market = state.setup
    number = state.round + 1
    by_bidder: dict[int, list[PlannedQuery]] = {}
    for query in result.queries:
        if not 0 <= query.bidder < market.num_bidders:
            raise _wrong(f"The plan asks bidder {query.bidder}, who does not exist.")
        by_bidder.setdefault(query.bidder, []).append(query)
    if not by_bidder:
        raise _wrong("The plan has no questions and no reason to stop.")

    asked: list[Event] = []
    for bidder, queries in sorted(by_bidder.items()):
        _check_queries(state, bidder, queries, rules.most_questions(number))
        rows = tuple(
            _asked(f"r{number}-b{bidder + 1}-q{k}", query) for k, query in enumerate(queries, 1)
        )
        asked.append(ev.Asked(number, bidder, rows))
    planned = ev.Planned(number, state.plan_from, result.step, result.seconds, result.versions)
    return [planned, *asked]


def _asked(name: str, query: PlannedQuery) -> ev.AskedQuery:
    if query.prices is None:
        return ev.AskedQuery(name, query.bundle, query.reason)
    return ev.AskedQuery(name, (), query.reason, "demand", query.prices)


def _check_queries(state: LiveState, bidder: int, queries: list[PlannedQuery], most: int) -> None:
    """Raises unless questions are new, allowed, not too many and within the budget."""
    rules, market = state.setup
    book, name = state.books[bidder], market.bidders[bidder].name
    if len(queries) > most:
        raise _wrong(
            f"The plan asks {name} {counted(len(queries), 'question')}; expected at most {most}."
        )
    if len(book.queries) + len(queries) > rules.num_total:
        raise _wrong(f"The plan asks {name} more than {rules.num_total} questions in all.")
    # A range may be asked about again; the same question twice in a round may not.
    known = set(book.reports) | {q.query.bundle for q in book.queries.values()}
    known -= book.mosts.keys() - set(book.declined)
    for query in queries:
        if query.prices is not None:
            _check_prices(market, query.prices, name)
            continue
        if len(query.bundle) != market.num_goods or not any(query.bundle):
            raise _wrong(f"The plan asks {name} about {query.bundle}, which is not a bundle.")
        # The full bundle sets a bidder's scale, also where its limits keep it from getting it.
        is_full = query.bundle == tuple(market.capacities.tolist()) and market.sense == "sell"
        if not is_full and not market.allows(bidder, np.array(query.bundle))[0]:
            raise _wrong(f"The plan asks {name} about {query.bundle}, which it cannot be given.")
        if query.bundle in known:
            raise _wrong(f"The plan asks {name} about {query.bundle}, which is known.")
        known.add(query.bundle)


def _check_prices(market: Market, prices: tuple[int, ...], name: str) -> None:
    """Raises unless everything together has a price that is a number of the log."""
    is_good = len(prices) == market.num_goods and min(prices) >= 0
    if not is_good or price(tuple(market.capacities.tolist()), list(prices)) > MOST_TOGETHER:
        raise _wrong(f"The plan announces the prices {prices} to {name}.")


def outcome_events(state: LiveState, result: OutcomeResult) -> list[Event]:
    """``decided``, ``justified`` and one ``result`` per bidder, in exact integers."""
    rules, market = state.setup
    _check_agreed(state, result)
    kind = kind_of(market)
    if kind == "buy":
        return award_events(state, result)
    if kind == "exchange":
        return trade_events(state, result)
    bids = [state.bids(bidder) for bidder in range(len(state.books))]
    _check_outcome(state, result, bids)
    # The engine's floats say whether it agrees; what is paid is computed from the bids here.
    terms = vcg_terms(
        [list(rows.items()) for rows in bids],
        list(result.allocation),
        {i: list(rows) for i, rows in result.without.items()},
        rules.reserve_units(market),
    )
    values = [bids[i][bundle] if any(bundle) else 0 for i, bundle in enumerate(result.allocation)]
    payments = [
        _exact_payment(i, amount, terms.get(i), values[i], rules.payment_rule)
        for i, amount in enumerate(result.payments)
    ]
    decided = ev.Decided(
        result.allocation,
        tuple(payments),
        result.rule,
        result.verified_by,
        result.versions,
        result.seconds,
    )
    justified = tuple(
        ev.Justification(
            i, values[i], term.others_without, term.others_with, term.reserve, result.without[i]
        )
        for i, term in terms.items()
    )
    told = [
        ev.Result(i, bundle, values[i], payments[i], **_told_sums(rules, terms.get(i)))
        for i, bundle in enumerate(result.allocation)
    ]
    return [decided, ev.Justified(justified), *told]


def _check_agreed(state: LiveState, result: OutcomeResult) -> None:
    """Raises unless an outcome is by the rules, agreed upon, and has a payment for everybody."""
    rules, market = state.setup
    if result.verified_by is None and not state.is_rehearsal:
        raise _wrong(
            "No second solver has agreed on the outcome; install one: "
            "pip install 'boca-assignment[scip]'."
        )
    if result.rule != rules.payment_rule:
        raise _wrong(f"The outcome uses the rule '{result.rule}', not '{rules.payment_rule}'.")
    if len(result.payments) != market.num_bidders:
        raise _wrong(f"The outcome has {counted(len(result.payments), 'payment')}.")


def _check_outcome(state: LiveState, result: OutcomeResult, bids: list[dict[Bundle, int]]) -> None:
    """Raises unless an outcome is complete and made of bids."""
    _check_allocation(state, bids, result.allocation)
    for i, bundle in enumerate(result.allocation):
        if not any(bundle):
            continue
        if i not in result.without:
            raise _wrong(f"The outcome lacks the best allocation without bidder {i}.")
        _check_allocation(state, bids, result.without[i])
        if any(result.without[i][i]):
            raise _wrong(f"The allocation without bidder {i} gives it something.")


def _exact_payment(bidder: int, amount: float, term: Terms | None, value: int, rule: str) -> int:
    """
    What a bidder pays, in whole units; raises where the engine's amount does not agree.

    Parameters
    ----------
    bidder, amount
        Who, and what it pays by the engine.
    term
        The sums behind its VCG payment; None for whoever gets nothing.
    value
        Its bid for what it gets.
    rule
        ``vcg``, whose payments follow from the bids, or ``core``, whose payments are the engine's,
        rounded up to whole units: bids are whole, so that nobody pays more than its bid and no
        group of losers has a reason to object.
    """
    if not math.isfinite(amount):
        raise _wrong(f"The payment of bidder {bidder} is {amount}.")
    if term is None:
        if abs(amount) >= 0.5:
            raise _wrong(f"Bidder {bidder} gets nothing and would pay {amount:g}.")
        return 0
    exact = term.payment if rule == "vcg" else math.ceil(amount - SLACK)
    if rule == "vcg" and abs(amount - exact) > 0.5:
        raise _wrong(f"Bidder {bidder} would pay {amount:g}; the exact sum is {exact}.")
    if exact < term.payment:
        raise _wrong(f"Bidder {bidder} would pay {amount:g}, less than under VCG.")
    if not term.reserve <= exact <= value:
        raise _wrong(
            f"Bidder {bidder} would pay {exact}; expected {term.reserve} to {value}, from reserve "
            "price to bid."
        )
    return exact


def _told_sums(rules: Rules, term: Terms | None) -> dict[str, int]:
    """The sums behind a payment that the winner is told; empty where the rules keep them."""
    if term is None or not rules.explain_payments:
        return {}
    return {
        "others_without": term.others_without,
        "others_with": term.others_with,
        "reserve": term.reserve,
        "vcg_payment": term.payment,
    }


def _check_allocation(
    state: LiveState, bids: list[dict[Bundle, int]], bundles: tuple[Bundle, ...]
) -> None:
    """Raises unless everybody gets a bundle that it bid for, within capacities and limits."""
    rules, market = state.setup
    if len(bundles) != market.num_bidders or any(len(b) != market.num_goods for b in bundles):
        raise _wrong("The outcome's allocation has the wrong shape.")
    problems = violations(Allocation(np.array(bundles)), market)
    if problems:
        raise _wrong(f"The outcome's allocation is not feasible: {problems[0]}.")
    reserve = rules.reserve_units(market)
    for i, bundle in enumerate(bundles):
        if not any(bundle):
            continue
        units = bids[i].get(bundle)
        if units is None:
            raise _wrong(f"The outcome gives bidder {i} a bundle that it never reported.")
        if units < price(bundle, reserve):
            raise _wrong(f"The outcome gives bidder {i} a bundle below the reserve price.")
