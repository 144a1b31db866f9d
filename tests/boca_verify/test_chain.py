"""V1 and V2 by hand: each field of a record, changed alone and sealed again."""

from dataclasses import replace

import pytest

from boca.live.ledger import Record, canonical, next_record, sha256
from boca_verify.chain import check_bodies, check_chain, is_moment
from boca_verify.reading import ReadLog
from boca_verify.verdict import Finding


def chain(num=4) -> list[Record]:
    """Records, one a second."""
    records: list[Record] = []
    for k in range(num):
        before = records[-1] if records else None
        at = f"2026-11-16T09:00:0{k}.000000Z"
        records.append(next_record(before, "hall", "submitted", at, {"number": k}))
    return records


def changed(record: Record, **fields) -> Record:
    """A record with other fields and the hash that belongs to them."""
    envelope = {**record.envelope, **fields}
    return replace(record, envelope=envelope, hash=sha256(canonical(envelope)))


def findings(records, lines=()):
    check = check_chain(ReadLog(tuple(records), None, tuple(lines)))
    return [(finding.record, finding.sentence) for finding in check.findings]


def test_a_chain_that_holds_says_so():
    """Tests both sentences, with a body that is not opened and without."""
    records = chain()
    log = ReadLog(tuple(records), None, ())
    assert check_chain(log).state == "holds"
    assert check_chain(log).sentence == "4 records, each with the hash of the one before."
    assert check_bodies(log).sentence == "4 of 4 bodies are open."
    cut = ReadLog((records[0], records[1].sealed(), *records[2:]), None, ())
    assert check_bodies(cut).state == "holds"
    assert check_bodies(cut).sentence == "3 of 4 bodies are open; 1 are sealed."


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"more": 1}, "it does not have the fields of a record."),
        ({"v": 2}, "it has version 2; expected 1."),
        ({"v": True}, "it has version True; expected 1."),
        ({"seq": 3}, "it says that it is number 3; a record was left out, added or moved."),
        ({"seq": 2.0}, "it says that it is number 2.0; a record was left out, added or moved."),
        ({"prev": "0" * 64}, "it does not follow the record before, which was changed, added"),
        ({"at": "yesterday"}, "its time 'yesterday' cannot be read."),
        ({"at": "2026-11-16T08:59:59.000000Z"}, "it is earlier than the record before."),
        ({"auction": "barn"}, "it belongs to another auction."),
        ({"auction": 7}, "it belongs to another auction."),
        ({"kind": 7}, "its kind is not a word."),
        ({"seal": 7}, "its seal is not a hash."),
        ({"seal": "0" * 63}, "its seal is not a hash."),
        ({"seal": "0" * 63 + "G"}, "its seal is not a hash."),
    ],
)
def test_one_wrong_field_is_named_once(fields, sentence):
    """Tests the last of three records, so that nothing follows from it."""
    *before, last = chain(3)
    [(number, said)] = findings([*before, changed(last, **fields)])
    assert number == 2
    assert said.startswith(sentence)


def test_a_break_is_named_where_it_is():
    """Tests a record in the middle: what follows is compared with what it says."""
    first, second, third, fourth = chain()
    other = replace(second, hash="0" * 64)
    assert [number for number, _ in findings([first, other, third, fourth])] == [1, 2]
    assert findings([first, other, third, fourth])[0][1] == (
        "its hash does not belong to it; it was changed."
    )
    assert [n for n, _ in findings([first, third, fourth])] == [1, 2]  # numbers are one too large


def test_records_at_the_same_time_follow_each_other():
    """Tests two of one moment, and one that is earlier than the last readable time."""
    first, second, _ = chain(3)
    same = changed(second, at=first.at)
    assert findings([first, same]) == []
    unreadable = changed(second, at="soon")
    third = next_record(unreadable, "hall", "submitted", "soon", {})
    third = changed(third, at="2026-11-16T08:00:00.000000Z")
    assert [sentence for _, sentence in findings([first, unreadable, third])] == [
        "its time 'soon' cannot be read.",
        "it is earlier than the record before.",
    ]


def test_the_first_record_begins_the_chain():
    """Tests the hash before it, which is that of nothing."""
    first, *_ = chain(1)
    [(number, said)] = findings([changed(first, prev="1" * 64)])
    assert (number, said[:35]) == (0, "it does not follow the record before"[:35])


def test_a_line_that_cannot_be_read_hides_nothing_else():
    """Tests that the record after it is not blamed, and that findings are in order."""
    first, _, third, fourth = chain()
    damaged = [Finding("line 2 of the file is damaged.", 1)]
    assert findings([first, None, third, fourth], damaged) == [
        (1, "line 2 of the file is damaged.")
    ]
    late = changed(third, kind=7)
    wrong = [changed(first, kind=7), None, late]
    assert [number for number, _ in findings(wrong, damaged)] == [0, 1, 2]
    log = ReadLog((first, None, third), None, ())
    assert check_bodies(log).sentence == "2 of 3 bodies are open; 1 are sealed."


def test_bodies_belong_to_their_seals():
    """Tests a changed body, by its number."""
    first, second, third, _ = chain()
    check = check_bodies(ReadLog((first, replace(second, body={"number": 9}), third), None, ()))
    assert [(f.record, f.sentence) for f in check.findings] == [
        (1, "its body was changed after it was sealed.")
    ]


def test_each_moment_is_written_in_one_way():
    """Tests times that a program would read all the same, and what is none."""
    assert is_moment("2026-11-16T09:00:00.000000Z")
    for text in ("2026-11-16T09:00:00.5Z", "2026-11-16T9:00:00.000000Z", "now", 7, None):
        assert not is_moment(text)
