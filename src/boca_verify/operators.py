"""V8: what the auctioneer said for bidders."""

from typing import Any

from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.second_person import about_second_persons, approvals
from boca_verify.verdict import Check, Finding, State
from boca_verify.wording import counted


def check_operators(records: tuple[Record, ...], setup: LoggedSetup | None) -> Check:
    """
    V8: whatever the auctioneer entered for a bidder has a reason; all are listed.

    Parameters
    ----------
    records
        The whole log.
    setup
        Knows the bidders' names; None if the rules are sealed.
    """
    findings, notes = list(about_second_persons(records)), list[str]()
    num_opened = num_sealed = 0
    for record in records:
        if record.kind != "submitted":
            continue
        if record.body is None:
            num_sealed += 1
            continue
        num_opened += 1
        channel, reason = record.body.get("channel"), record.body.get("reason")
        if channel != "operator":
            continue
        if not isinstance(reason, str) or not reason.strip():
            findings.append(Finding("the auctioneer entered this without a reason.", record.seq))
            continue
        actor, name = record.body.get("actor"), _name(record.body.get("bidder"), setup)
        notes.append(f"Record {record.seq}: {actor!s:.80} for {name}: {reason!r:.200}")
    state: State = "holds"
    if num_sealed:
        state = "partly" if num_opened else "sealed"
    elif not num_opened:
        state = "nothing"
    entries = len(notes)
    notes += approvals(records)
    count = f"{counted(entries, 'entry', plural='entries')} by the auctioneer"
    rest = f"; {counted(num_sealed, 'submission')} sealed" if num_sealed else ""
    sentence = f"Among {counted(num_opened, 'open submission')}: {count}{rest}."
    return Check.of("V8", findings, sentence, state, notes)


def _name(bidder: Any, setup: LoggedSetup | None) -> str:
    """What a bidder is called; its number where the names are sealed."""
    if setup is not None and type(bidder) is int and 0 <= bidder < setup.num_bidders:
        return setup.name(bidder)
    return f"bidder {bidder!s:.10}"
