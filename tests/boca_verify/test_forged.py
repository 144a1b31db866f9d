"""
Thirty forged logs: what an attacker or the server itself would write, each caught or named.

A forger without the key signs with its own; the server signs with the true one. What cannot be
caught from the log alone is named in docs/verify.md, and so is what catches it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from golden_auction import signing_key
from golden_log import Change, changed, golden_lines

from boca.live.ledger import SigningKey
from boca_verify import verify

Entries = list[dict[str, Any]]
PAGE = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
CANNOT = PAGE.split("## What it cannot see", 1)[1].split("\n## ", 1)[0]
STRANGER = SigningKey.from_seed(b"\x02" * 32)
RECORDS = [json.loads(line) for line in golden_lines()[:-1]]
DECIDED, JUSTIFIED, RESULT, PUBLISHED = 48, 49, 50, 53


@dataclass(frozen=True)
class Forged:
    """
    One forged log.

    Parameters
    ----------
    what
        What was forged.
    change
        Does it to the golden log, which is then sealed and signed.
    check
        The check that does not hold; empty where nothing in the log can show it.
    state
        How that check ends.
    named
        Where nothing can show it: how docs/verify.md calls it.
    by
        Who signs; the server with its true key unless given.
    """

    what: str
    change: Change
    check: str = ""
    state: str = "fails"
    named: str = ""
    by: SigningKey | None = None


def cut(last: int) -> Change:
    """Everything after a record is missing."""

    def change(entries: Entries) -> None:
        del entries[last + 1 :]

    return change


def record(number: int, kind: str, after: int, **body: Any) -> Change:
    """A record of its own kind, written at the time of the one before it."""

    def change(entries: Entries) -> None:
        at = entries[after]["at"]
        entries.insert(number, {"at": at, "kind": kind, "body": {"salt": "00" * 16, **body}})

    return change


def body(number: int, **fields: Any) -> Change:
    """Other fields in a body."""
    return lambda entries: entries[number]["body"].update(fields)


def row(number: int, part: str, nth: int, **fields: Any) -> Change:
    """Other fields in one row of a list in a body."""
    return lambda entries: entries[number]["body"][part][nth].update(fields)


def rules(**fields: Any) -> Change:
    """Other rules, from the start."""

    def change(entries: Entries) -> None:
        for entry in entries:
            if entry["kind"] == "configured":
                entry["body"]["rules"].update(fields)

    return change


def drop(number: int) -> Change:
    """A record less."""
    return lambda entries: entries.__delitem__(number)


def move(number: int, to: int) -> Change:
    """A record elsewhere, with the time of its new place."""

    def change(entries: Entries) -> None:
        entry = entries.pop(number)
        entries.insert(to, {**entry, "at": entries[to - 1]["at"]})

    return change


def everywhere(old: str, new: str) -> Change:
    """Another text wherever one stands, in bodies and times."""

    def change(entries: Entries) -> None:
        for entry in entries:
            text = json.dumps({"at": entry["at"], "body": entry["body"]}).replace(old, new)
            entry.update(json.loads(text))

    return change


def both(*changes: Change) -> Change:
    def change(entries: Entries) -> None:
        for single in changes:
            single(entries)

    return change


def revoke(number: int, **fields: Any) -> Change:
    return record(number, "revoked", number - 1, actor="auctioneer:Zoe", reason="lost", **fields)


def as_own(entries: Entries) -> None:
    """What the auctioneer entered for Cleo looks like her own answer."""
    entries[27]["body"].update(actor="bidder:2/cleo", channel="page")
    del entries[27]["body"]["reason"]


def cancelled(entries: Entries) -> None:
    """An outcome that somebody does not like is not published."""
    entries[PUBLISHED].update(kind="cancelled", body={"salt": "00", "actor": "auctioneer:Zoe",
                                                      "reason": "rain"})  # fmt: skip


def cheaper(entries: Entries) -> None:
    """A friend pays one unit less, and every sum says so."""
    entries[DECIDED]["body"]["payments"] = [0, 459, 570]
    entries[JUSTIFIED]["body"]["winners"][0]["others_without"] = 1109
    entries[RESULT + 1]["body"].update(payment=459, vcg_payment=459, others_without=1109)


NEW_KEY = body(0, public_key=STRANGER.public)
ANOTHER = "Another log"

FORGED = [
    # Cut off and signed again.
    Forged("cut at the close", cut(47), "V4", "partly"),
    Forged("cut before the close", cut(46), "V4", "partly"),
    Forged("cut before publication", cut(PUBLISHED - 1), "V4", "partly"),
    Forged("cut in the first round", cut(20), "V4", "partly"),
    Forged("cut before the start", cut(12), "V4", "partly"),
    Forged("cut between the outcome and its reasons", cut(DECIDED), "V4"),
    Forged("cut and signed by a stranger", cut(47), "V3", by=STRANGER),
    # Senders.
    Forged("a sender who was never invited", body(20, actor="bidder:1/mallory"), "V6"),
    Forged("a person of another bidder", body(20, actor="bidder:1/ann"), "V6"),
    Forged("an invitation that comes after the answer", move(8, 23), "V6"),
    Forged("an invitation for another bidder", body(8, bidder=0), "V6"),
    Forged("an invitation left out", drop(10), "V6"),
    Forged("an answer after its sender was revoked", revoke(38, access="-", bidder=0, person="ann"),
           "V6"),
    Forged("an answer after all links were revoked", revoke(38, access="b8b245c73bbf01e4"), "V6"),
    Forged("a person joins who was never invited", body(9, person="mallory"), "V6"),
    # Signed by somebody else.
    Forged("a payment, signed by a stranger who names its key", both(cheaper, NEW_KEY), "V3",
           by=STRANGER),
    Forged("a stranger who keeps the true key's name", lambda entries: None, "V3", by=STRANGER),
    # Money.
    Forged("a friend's payment with all its sums", cheaper, "V11"),
    Forged("no reserve prices after all", rules(reserve={}), "V11"),
    Forged("a higher reserve price after all", rules(reserve={"hall": "1.60", "chairs": "0.20"}),
           "V11"),
    Forged("a rival's losing value is raised", row(19, "reports", 1, units=490), "V11"),
    Forged("the last call never was", lambda entries: entries.__delitem__(slice(42, 46)), "V9"),
    Forged("an answer is repeated as a new one", lambda entries: entries.insert(22, {
        **entries[20], "at": entries[21]["at"],
        "body": {**entries[20]["body"], "request": "again"}}), "V6"),
    # What only things outside the log can show.
    Forged("a value that decides nothing", row(38, "reports", 1, units=911), named=ANOTHER),
    Forged("an answer is left out", drop(22), named=ANOTHER),
    Forged("an announcement is left out", drop(23), named=ANOTHER),
    Forged("an entry on behalf as the bidder's own", as_own, named=ANOTHER),
    Forged("a decided auction is cancelled instead", cancelled, named=ANOTHER),
    Forged("everything happened a day later", everywhere("2026-11-16T", "2026-11-17T"),
           named="Times"),
    Forged("other questions were asked", both(row(33, "queries", 1, bundle=[1, 1, 2]),
           row(38, "reports", 1, bundle=[1, 1, 2])), named="The questions themselves"),
    Forged("a person has another name", everywhere('"ann"', '"mallory"'), named="People"),
]  # fmt: skip


def forged_lines(case: Forged) -> list[str]:
    if case.what.startswith("a person has"):
        change = both(case.change, everywhere("bidder:0/ann", "bidder:0/mallory"))
        return changed(change, case.by)
    return changed(case.change, case.by)


def test_there_are_thirty():
    """Tests that nobody takes some away unnoticed."""
    assert len({case.what for case in FORGED}) == len(FORGED) >= 30


@pytest.mark.parametrize("case", FORGED, ids=lambda case: case.what)
def test_a_forged_log_is_caught_or_named(case):
    """Tests each with the true key from elsewhere, as somebody would who noted it."""
    verdict = verify(forged_lines(case), key=signing_key().public)
    if case.check:
        assert verdict[case.check].state == case.state, verdict.summary()
        assert verdict.exit_code == (3 if case.state == "partly" else 1)
        return
    assert verdict.exit_code == 0, verdict.summary()
    assert f"**{case.named}.**" in CANNOT


@pytest.mark.parametrize("case", [c for c in FORGED if c.named], ids=lambda case: case.what)
def test_a_noted_head_shows_what_the_log_does_not(case):
    """Tests what the page promises: a head of the end, noted by somebody, catches all of these."""
    heads = [RECORDS[PUBLISHED]["hash"]]
    verdict = verify(forged_lines(case), key=signing_key().public, heads=heads)

    assert verdict["V3"].state == "fails"


def test_a_log_that_is_cut_says_that_it_is_not_whole():
    """Tests the sentences that people read, and the code that programs read."""
    verdict = verify(changed(cut(47)))

    assert verdict.exit_code == 3
    assert "The log is not whole" in verdict["V4"].sentence
    assert "it stops before the end" in verdict.conclusion
    assert "not whole" in verdict.summary()


def test_the_sender_and_the_record_are_named():
    """Tests that whoever reads it knows where to look."""
    never = verify(changed(body(20, actor="bidder:1/mallory")))["V6"].findings
    assert [f.text for f in never] == ["Record 20: 'mallory' was never invited for this bidder."]
    out = verify(changed(revoke(38, access="-", bidder=0, person="ann")))["V6"].findings
    assert [f.text for f in out] == ["Record 39: 'ann' was revoked by record 38."]


def test_whoever_is_invited_again_may_send_again():
    """Tests that a lost link is no reason to doubt what comes later."""
    again = record(39, "invited", 38, actor="auctioneer:Zoe", access="-", bidder=0, person="ann")
    change = both(revoke(38, access="-", bidder=0, person="ann"), again)
    assert verify(changed(change)).exit_code == 0


def test_invitations_that_are_sealed_are_no_finding():
    """Tests logs in which only the own invitations are open."""
    for name in ("own", "public"):
        assert verify(golden_lines(name)).exit_code == 3


def test_a_second_end_is_found():
    """Tests a log with something after its signed head."""
    assert verify([*golden_lines(), golden_lines()[-1]]).exit_code == 1
