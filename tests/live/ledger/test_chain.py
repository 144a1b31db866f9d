"""Chains notice every change."""

import copy

import pytest

from boca.live.ledger import FIRST, Broken, Record, check_chain, next_record


def chain(length=5):
    records = []
    for k in range(length):
        body = {"salt": f"{k:032x}", "text": f"event {k}"}
        at = f"2026-11-16T09:00:0{k}.000000Z"
        records.append(next_record(records[-1] if records else None, "a", "said", at, body))
    return records


def test_whole_chain_ends_in_its_head():
    """Tests that an untouched chain holds, with bodies and without."""
    records = chain()
    assert check_chain(records) == records[-1].hash
    assert check_chain([record.sealed() for record in records]) == records[-1].hash
    assert check_chain([]) == FIRST


def test_time_never_goes_back():
    """Tests that a record is not earlier than the one before, even if its clock was."""
    first = next_record(None, "a", "said", "2026-11-16T09:00:05.000000Z", {})
    second = next_record(first, "a", "said", "2026-11-16T09:00:01.000000Z", {})
    assert second.at == first.at


@pytest.mark.parametrize("number", range(5))
def test_any_changed_field_breaks_the_chain_at_its_record(number):
    """Tests each field of each record's envelope, and its body."""
    for key in ("at", "auction", "kind", "prev", "seal", "seq", "v"):
        records = chain()
        envelope = copy.deepcopy(records[number].envelope)
        envelope[key] = 99 if isinstance(envelope[key], int) else "x" + envelope[key][1:]
        records[number] = Record(envelope, records[number].hash, records[number].body)
        with pytest.raises(Broken, match=f"Record {number} "):
            check_chain(records)
    records = chain()
    records[number] = Record(records[number].envelope, records[number].hash, {"text": "other"})
    with pytest.raises(Broken, match=f"Record {number} has a body"):
        check_chain(records)


@pytest.mark.parametrize("number", range(4))
def test_left_out_swapped_and_inserted_records_are_noticed(number):
    """Tests changes that leave every single record as it was."""
    records = chain()
    for changed in (
        records[:number] + records[number + 1 :],
        [*records[:number], records[number + 1], records[number], *records[number + 2 :]],
        [*records[: number + 1], records[number], *records[number + 1 :]],
    ):
        with pytest.raises(Broken):
            check_chain(changed)


def test_record_of_another_chain_is_noticed():
    """Tests that a record cannot move to another auction even with the right hashes."""
    first = next_record(None, "a", "said", "2026-11-16T09:00:00.000000Z", {})
    second = next_record(first, "b", "said", "2026-11-16T09:00:01.000000Z", {})
    with pytest.raises(Broken, match="another chain"):
        check_chain([first, second])
