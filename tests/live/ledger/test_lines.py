"""Exports that can be read back and cannot be cut."""

import json

import pytest

from boca.core.errors import InputError
from boca.live.ledger import (
    SigningKey,
    check_chain,
    check_signature,
    next_record,
    read_lines,
    write_lines,
)

KEY = SigningKey.from_seed(bytes(32))


def chain():
    first = next_record(None, "a", "open", "2026-11-16T09:00:00.000000Z", {"salt": "1", "x": 1})
    second = next_record(first, "a", "shut", "2026-11-16T09:00:01.000000Z", {"salt": "2", "x": 2})
    return [first, second]


def test_export_reads_back():
    """Tests that records, bodies and head come back as they were."""
    log = read_lines(write_lines(chain(), "2026-11-16T09:00:02.000000Z", KEY))
    assert list(log.records) == chain()
    assert log.head is not None
    assert log.head["head"] == check_chain(log.records)
    assert check_signature(log.head, KEY.public)


def test_bodies_that_are_not_opened_stay_out():
    """Tests that a sealed record shows its kind and nothing of its content."""
    lines = list(write_lines(chain(), "x", KEY, lambda record: record.kind == "open"))
    assert '"x":1' in lines[0]
    assert '"x":2' not in "".join(lines)
    log = read_lines(lines)
    assert [record.body is None for record in log.records] == [False, True]
    check_chain(log.records)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: ["{", *lines[1:]], "Line 1 is not JSON"),
        (lambda lines: [lines[0].replace(":", ": "), *lines[1:]], "Line 1 is not in canonical"),
        (lambda lines: ["[1]\n", *lines], "Line 1 is not an object"),
        (lambda lines: ['{"hash":"a"}\n', *lines], "Line 1 is not a record"),
        (lambda lines: [*lines, lines[0]], "Line 4 comes after"),
    ],
)
def test_damage_names_the_line(change, message):
    """Tests what a reader says about lines that no export has."""
    with pytest.raises(InputError, match=message):
        read_lines(change(list(write_lines(chain(), "x", KEY))))


def test_missing_head_is_seen():
    """Tests that cutting off the end leaves no signed head."""
    lines = list(write_lines(chain(), "x", KEY))
    assert read_lines(lines[:-1]).head is None
    assert json.loads(lines[-1])["head"] == chain()[-1].hash
