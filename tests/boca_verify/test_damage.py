"""Every kind of damage on every record of the golden log: found, and named."""

import copy
import json
import random

import pytest
from golden_auction import signing_key
from golden_log import (
    changed,
    find,
    golden_entries,
    golden_lines,
    golden_receipts,
    relinked,
)

from boca.live.ledger import Record, SigningKey, canonical, sha256
from boca.live.ledger.chain import link
from boca.live.ledger.lines import record_line
from boca_verify import Verdict, verify, verify_chain
from boca_verify.evidence import split_lines

LINES = golden_lines()
LAST = len(LINES) - 2  # the last record; the head comes after it
RECORDS = range(LAST + 1)
HASHES = [json.loads(line)["hash"] for line in LINES[:-1]]
STRANGER = SigningKey.from_seed(b"\x01" * 32)


def record_of(number: int) -> Record:
    value = json.loads(LINES[number])
    return Record(value["envelope"], value["hash"], value["body"])


def assert_named(verdict: Verdict, *records: int) -> None:
    """Asserts that one of these records is named; the one after the last is the head."""
    named = {finding.record for finding in verdict.findings}
    if any("head" in finding.sentence for finding in verdict.findings):
        named.add(LAST + 1)
    assert verdict.exit_code == 1
    assert named & set(records), verdict.findings


def test_the_golden_log_holds():
    """Tests that there is no damage to begin with, in any cut, and that receipts belong to it."""
    for cut, code in (("full", 0), ("own", 3), ("public", 3)):
        verdict = verify(golden_lines(cut), golden_receipts(), signing_key().public, HASHES[18:19])
        assert verdict.exit_code == code, verdict.summary()
        assert verdict["V3"].state == "holds"


@pytest.mark.parametrize("number", range(LAST + 2))
def test_a_flipped_bit_is_named(number):
    """Tests bits in envelope, hash, body and end of line, for every record and the head."""
    data = "".join(LINES).encode()
    start = len("".join(LINES[:number]).encode())
    length = len(LINES[number].encode())
    places = {0, length // 3, length // 2, length - 3, length - 1}
    places |= {random.Random(number).randrange(length)}
    for place in sorted(places):
        if number > LAST and place == length - 1:
            continue  # the end of the file
        damaged = bytearray(data)
        damaged[start + place] ^= 1
        assert_named(verify(split_lines(bytes(damaged))), number)


@pytest.mark.parametrize("number", range(LAST + 2))
def test_a_line_left_out_is_named(number):
    """Tests that the place of the gap is told, and a missing head or end."""
    verdict = verify(LINES[:number] + LINES[number + 1 :])

    assert_named(verdict, number, LAST + 1) if number == LAST else assert_named(verdict, number)


@pytest.mark.parametrize("number", RECORDS)
def test_swapped_lines_are_named(number):
    """Tests neighbours that changed places, also the last record with the head."""
    lines = list(LINES)
    lines[number], lines[number + 1] = lines[number + 1], lines[number]

    assert_named(verify(lines), number)


@pytest.mark.parametrize("number", RECORDS)
def test_an_inserted_line_is_named(number):
    """Tests a record that is repeated, and one that somebody made to fit the record before."""
    before = record_of(number)
    body = {"actor": "auctioneer:Zoe", "salt": "00", "text": "hello"}
    forged = link(before.hash, number + 1, before.at, "2ze2pi2zjsbpna0z", "announced", body)
    for line in (LINES[number], record_line(forged)):
        verdict = verify(LINES[: number + 1] + [line] + LINES[number + 1 :])
        assert_named(verdict, number + 1, number + 2)


@pytest.mark.parametrize("number", RECORDS)
def test_a_cut_is_named(number):
    """Tests a log that ends early: with and without its head, and in the middle of a line."""
    assert_named(verify_chain(LINES[: number + 1]), LAST + 1)
    half = LINES[: number + 1] + [LINES[number + 1][: len(LINES[number + 1]) // 2]]
    assert_named(verify(half), number + 1)
    if number < LAST:
        assert_named(verify_chain(LINES[: number + 1] + LINES[-1:]), LAST + 1)


@pytest.mark.parametrize("number", RECORDS)
def test_a_record_that_was_sealed_anew_is_named(number):
    """Tests a body that was changed together with its seal and hash: the next one shows it."""
    record = record_of(number)
    body = {**(record.body or {}), "actor": "somebody:else"}
    envelope = {**record.envelope, "seal": sha256(canonical(body))}
    lines = list(LINES)
    lines[number] = record_line(Record(envelope, sha256(canonical(envelope)), body))

    assert_named(verify(lines), number + 1)


@pytest.mark.parametrize("number", RECORDS)
def test_a_chain_that_was_sealed_anew_is_caught_by_the_head(number):
    """Tests a change with all later records made to fit, by somebody without the key."""

    def change(entries):
        entries[number]["body"]["salt"] = "11" * 16

    lines = changed(change)[:-1] + LINES[-1:]
    assert_named(verify_chain(lines), LAST + 1)


@pytest.mark.parametrize("number", RECORDS)
def test_a_log_signed_by_another_key_is_caught_by_the_key(number):
    """Tests a change with everything made to fit, whose author signs with an own key."""

    def change(entries):
        entries[number]["body"]["salt"] = "11" * 16
        entries[0]["body"]["public_key"] = STRANGER.public

    verdict = verify_chain(changed(change, STRANGER), key=signing_key().public)
    assert_named(verdict, 0)
    assert verdict["V3"].state == "fails"


def test_a_log_written_anew_with_the_true_key_is_caught_by_a_receipt():
    """Tests what no signature shows: the receipt of an answer that is not there any more."""

    def change(entries):
        entries[0]["body"]["salt"] = "11" * 16

    verdict = verify(changed(change), golden_receipts())
    assert verdict.exit_code == 1
    digits = golden_receipts()[0]["hash"]
    assert f"Receipt 1 ({digits[:4]} {digits[4:8]} {digits[8:12]})" in verdict["V3"].sentence
    assert "not in the log" in verdict["V3"].sentence
    assert verify(changed(change)).exit_code == 0  # alone, it looks like any other


def test_a_log_written_anew_with_the_true_key_is_caught_by_a_noted_head():
    """Tests that a hash that somebody wrote down is proof as well."""
    lines = changed(lambda entries: entries[0]["body"].update(salt="11" * 16))
    verdict = verify(lines, heads=[HASHES[18]])

    assert verdict.exit_code == 1
    assert HASHES[18][:12] in verdict["V3"].sentence


def test_a_changed_receipt_is_named():
    """Tests that a receipt proves only what was signed."""
    receipt = golden_receipts()[0]
    receipt["body"]["reports"][0]["units"] += 1
    verdict = verify(LINES, [golden_receipts()[1], receipt])

    assert verdict.exit_code == 1
    assert all("Receipt 2" in finding.sentence for finding in verdict.findings)


def test_a_receipt_of_another_auction_is_told_apart():
    """Tests that a mix-up of files does not look like a lost answer."""
    receipt = signing_key().sign({**golden_receipts()[0], "auction": "another", "hash": "0" * 64})
    verdict = verify_chain(LINES, [receipt])

    assert verdict.exit_code == 1
    assert "it is of another auction" in verdict["V3"].sentence


def test_damage_ends_the_look_at_contents():
    """Tests that nothing is said about answers and payments in a log that does not hold."""
    verdict = verify(LINES[:5] + LINES[6:])

    assert {check.state for check in verdict.checks[3:]} == {"skipped"}


def test_relinking_is_not_damage():
    """Tests the tests: sealed and signed anew without a change, the golden log still holds."""
    assert verify(changed(lambda entries: None)).exit_code == 0
    assert len(golden_entries()) == LAST + 1


def test_a_round_without_a_plan_is_not_a_last_call_unless_it_says_so():
    """Tests that what a record says decides, and not whether a plan stands before it."""
    entries = copy.deepcopy(golden_entries())
    number = find(entries, "round-opened", -1)
    assert entries[number]["body"]["is_last_call"]
    entries[number]["body"]["is_last_call"] = False

    verdict = verify(relinked(entries))
    found = [(finding.sentence, finding.record) for finding in verdict["V4"].findings]
    assert ("it opens a round for which nothing was planned.", number) in found
