"""V1 and V2: records that follow each other, and bodies that belong to their seals."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from boca_verify.canonical import canonical, sha256
from boca_verify.reading import ReadLog
from boca_verify.records import FIRST, KEYS, VERSION, Record
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

HASH = re.compile(r"[0-9a-f]{64}")
MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"


def check_chain(log: ReadLog) -> Check:
    """V1: numbers, hashes, times and the auction's id, record by record."""
    findings = [*log.findings, *_breaks(log.records)]
    findings.sort(key=lambda finding: finding.record or 0)
    return Check.of(
        "V1",
        findings,
        f"{counted(len(log.records), 'record')}, each with the hash of the one before.",
    )


def check_bodies(log: ReadLog) -> Check:
    """V2: the hash of each open body is the seal in its record."""
    opened = [
        (number, record)
        for number, record in enumerate(log.records)
        if record is not None and record.body is not None
    ]
    findings = [
        Finding("its body was changed after it was sealed.", number)
        for number, record in opened
        if sha256(canonical(record.body)) != record.envelope.get("seal")
    ]
    sealed = len(log.records) - len(opened)
    rest = f"; {sealed} are sealed" if sealed else ""
    return Check.of("V2", findings, f"{len(opened)} of {len(log.records)} bodies are open{rest}.")


def is_moment(text: object) -> bool:
    """Whether a text is a time as the log writes it."""
    return isinstance(text, str) and _is_written_so(text)


@lru_cache(maxsize=10_000)
def _is_written_so(text: str) -> bool:
    try:
        moment = datetime.strptime(text, MOMENT)
    except ValueError:
        return False
    # One way to write each moment, so that texts can be compared.
    return moment.strftime(MOMENT) == text


def _breaks(records: tuple[Record | None, ...]) -> Iterator[Finding]:
    """Every place where the chain does not hold; a line that cannot be read is none of them."""
    prev: str | None = FIRST
    at, name = "", None
    for number, record in enumerate(records):
        if record is None:
            prev = None
            continue
        sentence = _problem(record, number, prev, at, name)
        if sentence:
            yield Finding(sentence, number)
        envelope = record.envelope
        # What follows is compared with what this record says, so that one break is named once.
        prev = record.hash
        at = envelope["at"] if is_moment(envelope.get("at")) else at
        name = name if name is not None else envelope.get("auction")


def _problem(record: Record, number: int, prev: str | None, at: str, name: object) -> str:
    """What is wrong with a record; empty if nothing is."""
    envelope = record.envelope
    if envelope.keys() != KEYS:
        return "it does not have the fields of a record."
    if sha256(canonical(envelope)) != record.hash:
        return "its hash does not belong to it; it was changed."
    if envelope["v"] != VERSION or isinstance(envelope["v"], bool):
        return f"it has version {envelope['v']!r}; expected {VERSION}."
    if type(envelope["seq"]) is not int or envelope["seq"] != number:
        return (
            f"it says that it is number {envelope['seq']!r}; a record was left out, added or moved."
        )
    if prev is not None and envelope["prev"] != prev:
        return "it does not follow the record before, which was changed, added or moved."
    if not is_moment(envelope["at"]):
        return f"its time {envelope['at']!r} cannot be read."
    if envelope["at"] < at:
        return "it is earlier than the record before."
    if not isinstance(envelope["auction"], str) or (
        name is not None and envelope["auction"] != name
    ):
        return "it belongs to another auction."
    if not isinstance(envelope["kind"], str):
        return "its kind is not a word."
    if not isinstance(envelope["seal"], str) or not HASH.fullmatch(envelope["seal"]):
        return "its seal is not a hash."
    return ""
