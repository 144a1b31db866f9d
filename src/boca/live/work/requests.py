"""What a child process is given: plain values, all that the engine may know."""

from typing import Any

from boca.core.market import Market
from boca.live.auction.events import Rated
from boca.live.auction.rules import Rules
from boca.live.auction.seat_market import is_courses, seats_of
from boca.live.auction.state import LiveState, StudentBook


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


def course_request(state: LiveState) -> dict[str, Any]:
    """For sharing out seats: forms and answers as they are on the disk."""
    market, num = seats_of(state.setup[1]), len(state.books)
    return {
        "tables": market.tables,
        "seed": state.seed,
        "forms": [_form(state.student(i).form) for i in range(num)],
        "answers": [_answers(state.student(i)) for i in range(num)],
        "kept": {str(i): list(courses) for i, courses in state.courses.kept.items()},
    }


def question_request(state: LiveState, student: int, wants_question: bool) -> dict[str, Any]:
    """For one student's next question: what it said itself, and the prices of now."""
    market, priced = seats_of(state.setup[1]), state.courses.priced
    book, kept = state.student(student), state.courses.kept
    return {
        "tables": {**market.offer, "students": [market.students[student]]},
        "seed": state.seed,
        "forms": [_form(book.form)],
        "answers": [_answers(book)],
        "kept": {"0": list(kept[student])} if student in kept else {},
        "prices": list(priced.prices) if priced else None,
        "budget": priced.budgets[student] if priced else None,
        "centre": priced.centre if priced else None,
        "spread": priced.spread if priced else None,
        "wants_question": wants_question,
    }


def _form(form: Rated | None) -> dict[str, Any]:
    if form is None:
        return {"ratings": {}, "pairs": []}
    return {"ratings": form.ratings, "pairs": [[p.first, p.second, p.points] for p in form.pairs]}


def _answers(book: StudentBook) -> list[Any]:
    return [[list(one.first), list(one.second), one.answer] for one in book.given]


def job_request(state: LiveState) -> dict[str, Any]:
    """For planning and deciding: the reports as they are on the disk."""
    if is_courses(state.market):
        return course_request(state)
    rules, market = state.setup
    return {
        **check_request(rules, market),
        "seed": state.seed,
        "reports": [
            [
                [list(bundle), report.units, *([] if report.most is None else [report.most])]
                for bundle, report in book.reports.items()
            ]
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
