"""
V4: the order of records, by a table of states of its own.

Kinds stand in the open part of a record, so this works on every cut of a log. What a sealed body
would tell, such as whether a third failure in a row ended planning, is left open: the table follows
all phases that the auction can be in. A new kind of record needs a line here.
"""

from collections.abc import Iterator
from itertools import pairwise

from boca_verify.bodies import Damaged, body_of
from boca_verify.records import Record
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

DRAFT, PLANNING, READY, OPEN, PAUSED, STUCK = (
    "draft", "planning", "ready", "open", "paused", "stuck",
)  # fmt: skip
EXTENDING, STOPPED, DECIDING, DECIDED, JUSTIFIED, PUBLISHED, CANCELLED = (
    "extending", "stopped", "deciding", "decided", "justified", "published", "cancelled",
)  # fmt: skip
RUNNING = (
    DRAFT, PLANNING, READY, OPEN, PAUSED, STUCK, STOPPED, DECIDING, JUSTIFIED,
)  # fmt: skip
ENDED = (PUBLISHED, CANCELLED)

# Kind -> phase before -> phases that can follow.
TABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "configured": {DRAFT: (DRAFT,)},
    "noted": {DRAFT: (DRAFT,)},
    "seeded": {DRAFT: (DRAFT,)},
    "started": {DRAFT: (PLANNING,)},
    "planned": {PLANNING: (READY,)},
    "asked": {READY: (READY,)},
    "reviewed": {PLANNING: (PLANNING,)},
    # A round opens after its plan; without a plan it is the last call.
    "round-opened": {READY: (OPEN,), PLANNING: (OPEN,), STUCK: (OPEN,)},
    "submitted": {OPEN: (OPEN,)},
    "extension-used": {OPEN: (EXTENDING,), EXTENDING: (EXTENDING,)},
    "deadline-moved": {OPEN: (OPEN,), EXTENDING: (OPEN,), PAUSED: (PAUSED,)},
    "paused": {OPEN: (PAUSED,), PLANNING: (PLANNING,)},
    "resumed": {PAUSED: (OPEN,)},
    "stopping": {OPEN: (OPEN,), PAUSED: (PAUSED,)},
    "round-closed": {OPEN: (PLANNING,)},
    "stopped": {PLANNING: (STOPPED,), READY: (STOPPED,), STUCK: (STOPPED,)},
    "failed": {PLANNING: (PLANNING, STUCK), DECIDING: (DECIDING,)},
    "retried": {STUCK: (PLANNING,), DECIDING: (DECIDING,)},
    "closed": {STOPPED: (DECIDING,)},
    "decided": {DECIDING: (DECIDED,)},
    "justified": {DECIDED: (JUSTIFIED,)},
    "result": {JUSTIFIED: (JUSTIFIED,)},
    "published": {JUSTIFIED: (PUBLISHED,)},
    "cancelled": dict.fromkeys(RUNNING, (CANCELLED,)),
    # People come and go, and are told things, at any time.
    "accepted": {phase: (phase,) for phase in RUNNING},
    "proposed": {phase: (phase,) for phase in RUNNING},
    "withdrawn": {phase: (phase,) for phase in RUNNING},
    "invited": {phase: (phase,) for phase in (*RUNNING, CANCELLED)},
    "announced": {phase: (phase,) for phase in RUNNING},
    "inquired": {phase: (phase,) for phase in RUNNING},
    "replied": {phase: (phase,) for phase in RUNNING},
    "revoked": {phase: (phase,) for phase in (*RUNNING, *ENDED)},
    "joined": {phase: (phase,) for phase in (*RUNNING, *ENDED)},
    "clock-jumped": {phase: (phase,) for phase in (*RUNNING, *ENDED)},
}
# Kinds that come in one go: nothing stands between a record and the one it belongs to.
AFTER = {
    "noted": ("configured",),
    "asked": ("planned", "asked"),
    "justified": ("decided",),
    "result": ("justified", "result"),
}
NOT_WHOLE = (
    "The log is not whole: it ends before the auction was published or cancelled. It was exported "
    "before that, or its end was cut off and the rest signed again."
)
# Failures of one job after which somebody has to look at it.
MOST_ATTEMPTS = 3


def check_order(records: tuple[Record, ...]) -> Check:
    """V4: every record is one that could follow; in part while the auction has not ended."""
    findings = [*_out_of_place(records), *missing_or_repeated(records), *_rounds(records)]
    findings += _replies(records)
    findings.sort(key=lambda finding: finding.record or 0)
    sentence = f"{counted(len(records), 'record')}; {_story(records)}."
    if not has_ended(records):
        return Check.of("V4", findings, f"{sentence} {NOT_WHOLE}", "partly")
    return Check.of("V4", findings, sentence)


def has_ended(records: tuple[Record, ...]) -> bool:
    """Whether the log goes on to an end of its auction."""
    return any(record.envelope.get("kind") in ENDED for record in records)


def _out_of_place(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Records that the table does not allow where they stand; at most the first."""
    if records[0].kind != "created":
        yield Finding(f"it is '{records[0].kind}'; a log begins with 'created'.", 0)
        return
    phases = {DRAFT}
    for before, record in pairwise(records):
        number, kind = record.seq, record.kind
        if kind not in TABLE:
            known = "it may be damaged, or from a later version of boca"
            yield Finding(f"its kind '{kind}' is not known; {known}.", number)
            return
        after = {phase for now in phases for phase in TABLE[kind].get(now, ())}
        if not after or (kind in AFTER and before.kind not in AFTER[kind]):
            state = " or ".join(sorted(phases))
            yield Finding(
                f"'{kind}' cannot follow '{before.kind}' (the auction was {state}).", number
            )
            return
        phases = _narrowed(record, after)
    if EXTENDING in phases or DECIDED in phases:
        last = records[-1]
        yield Finding(f"the log ends with '{last.kind}', which needs a record after it.", last.seq)


def _narrowed(record: Record, phases: set[str]) -> set[str]:
    """The phases that remain when a failure says how many there have been."""
    if record.kind != "failed" or record.body is None or STUCK not in phases:
        return phases
    try:
        is_last = body_of(record).whole("attempt") >= MOST_ATTEMPTS
    except Damaged:
        return phases
    return {STUCK} if is_last else phases - {STUCK}


def missing_or_repeated(records: tuple[Record, ...]) -> Iterator[Finding]:
    """What comes once, what the start needs, and the head that publication names."""
    seen: set[str] = set()
    for record in records:
        if record.kind in ("created", "seeded") and record.kind in seen:
            yield Finding(f"'{record.kind}' comes a second time.", record.seq)
        if record.kind == "started":
            for kind in ("configured", "seeded"):
                if kind not in seen:
                    yield Finding(f"the auction started before it was '{kind}'.", record.seq)
        if record.kind == "published" and record.body is not None:
            try:
                if body_of(record).hash("head") != record.envelope["prev"]:
                    yield Finding("it names another head than the record before.", record.seq)
            except Damaged as damage:
                yield Finding(damage.sentence, record.seq)
        seen.add(record.kind)


def _rounds(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Rounds are numbered 0, 1, 2, ..., and each record belongs to the one under way."""
    current, is_planned = -1, False
    for record in records:
        try:
            is_last_call = record.kind == "round-opened" and _is_last_call(record, is_planned)
            if record.kind == "round-opened" and not is_last_call and not is_planned:
                yield Finding("it opens a round for which nothing was planned.", record.seq)
            # A last call has a number of its own.
            current += record.kind == "planned" or is_last_call
            if record.kind in NUMBERED and record.body is not None:
                number = body_of(record).whole("round")
                if number != current:
                    yield Finding(f"it is of round {number}; expected {current}.", record.seq)
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)
        if record.kind in ("planned", "round-opened"):
            is_planned = record.kind == "planned"


def _replies(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Bidders ask for themselves; each answer belongs to one question, and goes to who asked it."""
    asked: dict[str, Record] = {}
    answered: set[str] = set()
    for record in records:
        if record.kind == "inquired":
            asked[record.hash] = record
        if record.kind not in ("inquired", "replied") or record.body is None:
            continue
        try:
            body = body_of(record)
            if record.kind == "inquired":
                bidder, actor = body.whole("bidder"), body.text("actor")
                if not actor.startswith(f"bidder:{bidder}/"):
                    yield Finding("it is asked by somebody else than it says.", record.seq)
                continue
            to = body.hash("to")
            if to not in asked:
                yield Finding("it answers what nobody has asked before.", record.seq)
            elif to in answered:
                yield Finding("it answers a question for the second time.", record.seq)
            elif body.has("bidder") and not _is_asker(asked[to], body.whole("bidder")):
                yield Finding("it goes to another bidder than the one who asked.", record.seq)
            answered.add(to)
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)


def _is_asker(inquiry: Record, bidder: int) -> bool:
    """Whether a question is a bidder's, as far as it is opened."""
    return inquiry.body is None or body_of(inquiry).whole("bidder") == bidder


NUMBERED = (
    "planned",
    "reviewed",
    "asked",
    "round-opened",
    "submitted",
    "deadline-moved",
    "round-closed",
)


def _is_last_call(record: Record, is_planned: bool) -> bool:
    """Whether a round is the last call; one without a plan is, if it does not say."""
    return not is_planned if record.body is None else body_of(record).truth("is_last_call")


def _story(records: tuple[Record, ...]) -> str:
    """Where the auction stands."""
    last = {record.kind: record for record in records}
    num_rounds = sum(record.kind == "round-opened" for record in records)
    rounds = f"{num_rounds} round{'' if num_rounds == 1 else 's'} opened"
    for kind in ("cancelled", "published", "decided", "closed", "stopped", "started"):
        if kind in last:
            return f"{rounds}, the auction is {kind}"
    return "the auction has not started"
