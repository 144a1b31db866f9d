"""V4 and V5 of an allocation of courses: the order of records, and what was fixed when."""

from collections.abc import Iterator
from itertools import pairwise

from boca_verify.bodies import Damaged, body_of
from boca_verify.order import NOT_WHOLE, missing_or_repeated
from boca_verify.records import Record
from boca_verify.seats.tables import LoggedCourses, read_courses, read_student
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

DRAFT, STARTED, OPEN, PAUSED, ENDING, STOPPED, DECIDING, SEATED, PUBLISHED, CHANGING, CANCELLED = (
    "draft", "started", "open", "paused", "ending", "stopped", "deciding", "seated", "published",
    "changing", "cancelled",
)  # fmt: skip
RUNNING = (DRAFT, OPEN, PAUSED, STOPPED, DECIDING, SEATED)
# Kind -> phase before -> phase that follows.
TABLE: dict[str, dict[str, str]] = {
    "enrolled": {DRAFT: DRAFT, PUBLISHED: CHANGING},
    "configured": {DRAFT: DRAFT},
    "seeded": {DRAFT: DRAFT},
    "started": {DRAFT: STARTED},
    "round-opened": {STARTED: OPEN, STOPPED: OPEN},
    "rated": {OPEN: OPEN},
    "compared": {OPEN: OPEN},
    "priced": {OPEN: OPEN, PAUSED: PAUSED},
    "deadline-moved": {OPEN: OPEN, PAUSED: PAUSED},
    "paused": {OPEN: PAUSED},
    "resumed": {PAUSED: OPEN},
    "stopping": {OPEN: OPEN},
    "round-closed": {OPEN: ENDING},
    "stopped": {ENDING: STOPPED},
    "closed": {STOPPED: DECIDING},
    "failed": {DECIDING: DECIDING},
    "retried": {DECIDING: DECIDING},
    "assigned": {DECIDING: SEATED},
    "seated": {SEATED: SEATED},
    "believed": {SEATED: SEATED},
    "published": {SEATED: PUBLISHED},
    "changed": {CHANGING: STOPPED},
    "cancelled": dict.fromkeys(RUNNING, CANCELLED),
    "invited": {phase: phase for phase in (*RUNNING, CANCELLED)},
    "announced": {phase: phase for phase in RUNNING},
    "revoked": {phase: phase for phase in (*RUNNING, PUBLISHED, CANCELLED)},
    "joined": {phase: phase for phase in (*RUNNING, PUBLISHED, CANCELLED)},
    "clock-jumped": {phase: phase for phase in (*RUNNING, PUBLISHED, CANCELLED)},
}
# Kinds that come in one go: nothing stands between a record and the one it belongs to.
AFTER = {
    "configured": ("enrolled",),
    "round-opened": ("started", "changed"),
    "stopped": ("round-closed",),
    "seated": ("assigned", "seated"),
    "believed": ("seated", "believed"),
    "changed": ("enrolled",),
}

# Kinds that name their round.
OF_A_ROUND = ("round-opened", "round-closed", "deadline-moved")
# Everybody learns prices and seats, nobody else's schedule.
OPENED = "outcome"


def is_of_courses(records: tuple[Record, ...]) -> bool:
    """Whether a log is of an allocation of courses; kinds are never sealed."""
    return any(record.envelope.get("kind") == "enrolled" for record in records)


def has_ended(records: tuple[Record, ...]) -> bool:
    """Whether the log goes on to an end, and no late change follows."""
    kinds = [record.kind for record in records]
    return any(
        kind in ("published", "cancelled") and "changed" not in kinds[k:]
        for k, kind in enumerate(kinds)
    )


def check_order(records: tuple[Record, ...]) -> Check:
    """V4: every record is one that could follow."""
    findings = [*_out_of_place(records), *missing_or_repeated(records), *_rounds(records)]
    findings.sort(key=lambda finding: finding.record or 0)
    changes = sum(record.kind == "changed" for record in records)
    sentence = f"{counted(len(records), 'record')}; {counted(changes, 'late change')}."
    if not has_ended(records):
        return Check.of("V4", findings, f"{sentence} {NOT_WHOLE}", "partly")
    return Check.of("V4", findings, sentence)


def _out_of_place(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Records that the table does not allow where they stand; at most the first."""
    if records[0].kind != "created":
        yield Finding(f"it is '{records[0].kind}'; a log begins with 'created'.", 0)
        return
    phase = DRAFT
    for before, record in pairwise(records):
        kind = record.kind
        if kind not in TABLE:
            yield Finding(f"its kind '{kind}' is not one of an allocation of courses.", record.seq)
            return
        after = TABLE[kind].get(phase)
        if after is None or (kind in AFTER and before.kind not in AFTER[kind]):
            yield Finding(
                f"'{kind}' cannot follow '{before.kind}' (the allocation was {phase}).", record.seq
            )
            return
        phase = after
    if phase in (STARTED, ENDING, CHANGING):
        last = records[-1]
        yield Finding(f"the log ends with '{last.kind}', which needs a record after it.", last.seq)


def _rounds(records: tuple[Record, ...]) -> Iterator[Finding]:
    """Rounds are numbered 0, 1, 2, ..., and each record belongs to the one under way."""
    current = -1
    for record in records:
        current += record.kind == "round-opened"
        if record.kind not in OF_A_ROUND or record.body is None:
            continue
        try:
            number = body_of(record).whole("round")
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)
            continue
        if number != current:
            yield Finding(f"it is of round {number}; expected {current}.", record.seq)


def check_rules(records: tuple[Record, ...]) -> Check:
    """V5: courses, students and rules were fixed at the start, or changed for all to see."""
    findings = list(_about_rules(records))
    if all(record.kind != "started" for record in records):
        return Check.of("V5", findings, "The allocation has not started.", "nothing")
    needed = [r for r in records if r.kind in ("enrolled", "configured", "changed", "started")]
    if any(record.body is None for record in needed):
        return Check.of("V5", findings, "Not all records about the rules are open.", "partly")
    return Check.of("V5", findings, "Courses, students and rules can be read.")


def _about_rules(records: tuple[Record, ...]) -> Iterator[Finding]:
    last: Record | None = None
    has_started = False
    offer: LoggedCourses | None = None
    enrolled: Record | None = None
    for record in records:
        try:
            if record.kind == "enrolled":
                enrolled = record
            elif record.kind in ("configured", "changed"):
                if record.kind == "configured" and has_started:
                    yield Finding("the rules were changed after the start.", record.seq)
                last = record
                if record.body is None:
                    continue
                if record.kind == "configured":
                    body_of(record).part("rules").choice("publish", OPENED)
                offer = read_courses(body_of(record).part("market"))
                if enrolled is not None and enrolled.body is not None:
                    for row in body_of(enrolled).parts("students"):
                        read_student(row, offer)
            elif record.kind == "published" and record.body is not None:
                body_of(record).choice("opened", OPENED)
            elif record.kind == "started":
                has_started = True
                named = body_of(record).hash("configured") if record.body is not None else ""
                if named and (last is None or named != last.hash):
                    yield Finding("it names other rules than the last ones before it.", record.seq)
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)
