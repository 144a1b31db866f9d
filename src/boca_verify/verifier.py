"""All checks of one log, in order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boca_verify.answers import LoggedAnswers
from boca_verify.bodies import Damaged
from boca_verify.chain import check_bodies, check_chain
from boca_verify.errors import Undecided
from boca_verify.operators import check_operators
from boca_verify.order import check_order, has_ended
from boca_verify.outcome.allocation import (
    about_results,
    check_allocation,
    check_allocation_alone,
    check_optimum,
    check_own_results,
    read_outcome,
)
from boca_verify.outcome.award import (
    award_problems,
    check_award,
    check_cheapest,
    check_paid,
    read_award,
)
from boca_verify.outcome.payments import check_payments
from boca_verify.outcome.trades import (
    check_gain,
    check_trade_payments,
    check_trades,
    read_trades,
    trade_problems,
)
from boca_verify.questions import LoggedBook, check_plans
from boca_verify.reading import ReadLog, read_log
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup, check_rules, final_setup
from boca_verify.seats.assignment import check_assignment
from boca_verify.seats.order import check_order as check_course_order
from boca_verify.seats.order import check_rules as check_course_rules
from boca_verify.seats.order import has_ended as courses_have_ended
from boca_verify.seats.order import is_of_courses
from boca_verify.seats.said import LoggedSaid
from boca_verify.signatures import check_proofs
from boca_verify.verdict import TITLES, Check, Finding, Given, State, Verdict

OUTCOME = ("V9", "V10", "V11")


def verify(
    lines: Iterable[str | bytes],
    receipts: Sequence[dict[str, Any]] = (),
    key: str | None = None,
    heads: Sequence[str] = (),
) -> Verdict:
    """
    Checks the log of a live auction; Unreadable if it is not a log at all.

    Parameters
    ----------
    lines
        The log as it was exported, line by line: full, public, or a bidder's own.
    receipts
        Receipts as bidders saved them; each must be in the log.
    key
        Public key of the server from elsewhere, 64 hexadecimal digits; None for the one in the log.
    heads
        Hashes that somebody noted during the auction; each must be in the log.
    """
    log = read_log(lines)
    chain = _chain(log, receipts, key, heads)
    is_whole = all(check.state != "fails" for check in chain[:2])
    rest = _looked_into(log.whole) if is_whole else _skipped(REST)
    return _verdict(log, [*chain, *rest], Given(len(receipts), len(heads), key is not None))


def verify_chain(
    lines: Iterable[str | bytes],
    receipts: Sequence[dict[str, Any]] = (),
    key: str | None = None,
    heads: Sequence[str] = (),
) -> Verdict:
    """
    V1 to V3 alone: whether a copy of a log is whole, whatever it says; needs no solver.

    Parameters
    ----------
    lines, receipts, key, heads
        As for :func:`verify`.
    """
    log = read_log(lines)
    given = Given(len(receipts), len(heads), key is not None)
    return _verdict(log, _chain(log, receipts, key, heads), given)


CHAIN = ("V1", "V2", "V3")
REST = tuple(name for name in TITLES if name not in CHAIN)


def _chain(
    log: ReadLog, receipts: Sequence[dict[str, Any]], key: str | None, heads: Sequence[str]
) -> list[Check]:
    return [check_chain(log), check_bodies(log), check_proofs(log, receipts, key, heads)]


def _verdict(log: ReadLog, checks: list[Check], given: Given) -> Verdict:
    records = log.whole
    is_courses = is_of_courses(records)
    setup = None if is_courses else final_setup(records)
    return Verdict(
        checks=tuple(checks),
        given=given,
        auction=str(records[0].envelope.get("auction", "")),
        market=_course_name(records) if is_courses else setup.market.name if setup else "",
        num_records=len(log.records),
        num_open=sum(record.body is not None for record in records),
        is_rehearsal=_is_rehearsal(records),
        has_ended=(courses_have_ended if is_courses else has_ended)(records),
    )


def _course_name(records: tuple[Record, ...]) -> str:
    """What an allocation of courses is called; empty where it is sealed."""
    bodies = [record.body for record in records if record.envelope.get("kind") == "configured"]
    market = (bodies[-1] or {}).get("market") if bodies else None
    name = market.get("name") if isinstance(market, dict) else None
    return name if isinstance(name, str) else ""


def _is_rehearsal(records: tuple[Record, ...]) -> bool:
    """Whether the first record says so."""
    return (records[0].body or {}).get("is_rehearsal") is True


def _skipped(names: Iterable[str], why: str = "the chain of records does not hold") -> list[Check]:
    wanted = set(names)
    return [
        Check(name, "skipped", f"Not looked at, since {why}.") for name in TITLES if name in wanted
    ]


def _looked_into(records: tuple[Record, ...]) -> list[Check]:
    """V4 to V11; a log that makes a check stumble is never one that holds."""
    try:
        return _contents(records)
    except Exception as error:
        why = f"{STUMBLED} ({type(error).__name__}: {error}). No server writes such a log."
        return [Check(name, "undecided", why) for name in REST]


STUMBLED = "The verifier stumbled over what the log says"


def _contents(records: tuple[Record, ...]) -> list[Check]:
    """V4 to V11, on records whose chain holds."""
    if is_of_courses(records):
        return [replace(check, kind="courses") for check in _course_contents(records)]
    setup = final_setup(records)
    order, rules = check_order(records), check_rules(records)
    plans, operators = check_plans(records), check_operators(records, setup)
    if setup is None:
        is_damaged = rules.state == "fails"
        state: State = "skipped" if is_damaged else "sealed"
        why = "cannot be read" if is_damaged else "are sealed"
        blind = [Check(name, state, f"The rules {why}.") for name in ("V6", *OUTCOME)]
        return [order, rules, blind[0], plans, operators, *blind[1:]]
    answers = LoggedAnswers(setup, records)
    return [
        order,
        rules,
        answers.check(),
        plans,
        operators,
        *_outcome(records, setup, answers),
    ]


def _course_contents(records: tuple[Record, ...]) -> list[Check]:
    """V4 to V11 of an allocation of courses."""
    order, rules = check_course_order(records), check_course_rules(records)
    if "fails" in (order.state, rules.state):
        names = [name for name in TITLES if name not in (*CHAIN, "V4", "V5")]
        return [order, rules, *_skipped(names, "the order of records or the rules do not hold")]
    said = LoggedSaid(records)
    answers = said.check()
    own = Check("V8", "nothing", "Registrars cannot enter anything for students.")
    if answers.state == "fails":
        return [order, rules, answers, said.check_prices(), own,
                *_skipped(OUTCOME, "what students said does not hold")]  # fmt: skip
    return [order, rules, answers, said.check_prices(), own, *check_assignment(records)]


def _outcome(
    records: tuple[Record, ...], setup: LoggedSetup, answers: LoggedAnswers
) -> list[Check]:
    """V9 to V11, as far as they can be looked at, in the words of the market."""
    return [replace(check, kind=setup.kind) for check in _looked_at(records, setup, answers)]


def _looked_at(
    records: tuple[Record, ...], setup: LoggedSetup, answers: LoggedAnswers
) -> list[Check]:
    decided = next((record for record in records if record.kind == "decided"), None)
    if decided is None:
        return [Check(name, "nothing", "Nothing has been decided.") for name in OUTCOME]
    if decided.body is None:
        own = check_own_results(setup, answers.books, records)
        return [own, *(Check(name, "sealed", "The outcome is sealed.") for name in OUTCOME[1:])]
    knows_bids = not (answers.num_sealed or answers.num_without_question)
    try:
        look = LOOKS[setup.kind](setup, answers.books, decided, records, knows_bids)
    except Damaged as damage:
        wrong = Check.of("V9", [Finding(damage.sentence, decided.seq)], "")
        return [wrong, *_skipped(OUTCOME[1:], "the outcome cannot be read")]
    if not knows_bids:
        sealed = f"{look.what} are sealed."
        return [look.possible, *(Check(name, "sealed", sealed) for name in OUTCOME[1:])]
    if look.possible.state == "fails":
        return [look.possible, *_skipped(OUTCOME[1:], "the allocation does not hold")]
    return [look.possible, _solved("V10", look.best), _solved("V11", look.payments)]


@dataclass(frozen=True)
class OutcomeLook:
    """
    The three checks of an outcome.

    Parameters
    ----------
    what
        What they need to be open.
    possible
        V9.
    best, payments
        V10 and V11, which need a solver.
    """

    what: str
    possible: Check
    best: Callable[[], Check]
    payments: Callable[[], Check]


def _sale(
    setup: LoggedSetup,
    books: Sequence[LoggedBook],
    decided: Record,
    records: tuple[Record, ...],
    knows_bids: bool,
) -> OutcomeLook:
    outcome, is_rehearsal = read_outcome(setup, books, decided), _is_rehearsal(records)
    if knows_bids:
        possible = check_allocation(outcome, records, is_rehearsal)
    else:
        possible = check_allocation_alone(outcome, is_rehearsal)
    return OutcomeLook(
        "Bids",
        possible,
        lambda: check_optimum(outcome),
        lambda: check_payments(outcome, records),
    )


def _purchase(
    setup: LoggedSetup,
    books: Sequence[LoggedBook],
    decided: Record,
    records: tuple[Record, ...],
    knows_bids: bool,
) -> OutcomeLook:
    award, is_rehearsal = read_award(setup, books, decided), _is_rehearsal(records)
    if knows_bids:
        pairs = enumerate(award.supplied)
        told = [(b, award.offers[i].get(b, 0), award.payments[i]) for i, b in pairs]
        findings = about_results(setup, decided, told, records)
        possible = check_award(award, is_rehearsal, findings)
    else:
        problems = award_problems(award, is_rehearsal, False)
        found = [Finding(text, decided.seq) for text in problems]
        possible = Check.of("V9", found, "Every lot is covered; offers are sealed.", "partly")
    return OutcomeLook(
        "Offers",
        possible,
        lambda: check_cheapest(award),
        lambda: check_paid(award, records),
    )


def _exchange(
    setup: LoggedSetup,
    books: Sequence[LoggedBook],
    decided: Record,
    records: tuple[Record, ...],
    knows_bids: bool,
) -> OutcomeLook:
    trades, is_rehearsal = read_trades(setup, books, decided), _is_rehearsal(records)
    if knows_bids:
        rows = [
            (bundle, trades.value(i), trades.payments[i])
            for i, bundle in enumerate(trades.holdings)
        ]
        findings = about_results(setup, decided, rows, records)
        possible = check_trades(trades, is_rehearsal, findings)
    else:
        problems = trade_problems(trades, is_rehearsal, False)
        found = [Finding(text, decided.seq) for text in problems]
        possible = Check.of("V9", found, "The trades are feasible; values are sealed.", "partly")
    return OutcomeLook(
        "Values",
        possible,
        lambda: check_gain(trades),
        lambda: check_trade_payments(trades, records),
    )


LOOKS = {"sell": _sale, "buy": _purchase, "exchange": _exchange}


def _solved(name: str, check: Callable[[], Check]) -> Check:
    """A check that needs a solver, which may give up."""
    try:
        return check()
    except Undecided as error:
        return Check(name, "undecided", str(error))
