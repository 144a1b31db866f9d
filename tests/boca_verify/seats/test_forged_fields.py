"""
The golden log of courses with every field of every record forged, one at a time, by the server.

Whatever is forged fails or leaves the verdict "in part", or stands on the list of
docs/verify_courses.md.
"""

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from forging import GONE, Forgery, entries_of, forged, forgeries
from golden_courses import PATH, signing_key
from golden_log import relinked

from boca_verify import verify

PAGE = Path(__file__).parents[3] / "docs" / "verify_courses.md"
ENTRIES = entries_of(PATH)
NEAR = ("one more", "one less")
ORDER = ("turned round", "the first twice")


def listed():
    """Names and what may change, from the page."""
    table = PAGE.read_text().split("## What decides nothing")[1]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    return [
        (name, change.strip()) for names, change in rows for name in re.findall(r"`([^`]+)`", names)
    ]


LISTED = listed()
REPLACED = {
    number
    for number, entry in enumerate(ENTRIES)
    if entry["kind"] == "rated"
    and any(
        later["kind"] == "rated" and later["body"]["bidder"] == entry["body"]["bidder"]
        for later in ENTRIES[
            number + 1 : next(
                k for k in range(number, len(ENTRIES)) if ENTRIES[k]["kind"] == "assigned"
            )
        ]
    )
}
CHANGES = {
    "anything": lambda forgery: bool(forgery.path),
    "premise": lambda forgery: bool(forgery.path),
    "left out": lambda forgery: not forgery.path,
    "a little": lambda forgery: forgery.how in NEAR,
    "the order": lambda forgery: forgery.how in ORDER,
    "missing": lambda forgery: forgery.value is None or forgery.value is GONE,
    "replaced": lambda forgery: forgery.number in REPLACED,
}


def rows_of(forgery: Forgery):
    """The rows of the page that allow a forgery."""
    for name, change in LISTED:
        is_named = fnmatch(forgery.field, name) or fnmatch(forgery.field, f"{name}.*")
        if is_named and CHANGES[change](forgery):
            yield name, change


def slips_through(forgery: Forgery) -> bool:
    """Whether the verifier calls a forged log right."""
    key = signing_key()
    return verify(forged(ENTRIES, forgery, key), key=key.public).exit_code == 0


def one_of_each():
    """The first forgery of every field in every way; the last one where that is on the list."""
    chosen: dict[tuple[str, str], Forgery] = {}
    for forgery in forgeries(ENTRIES):
        key = (forgery.field, forgery.how)
        if key not in chosen or (any(rows_of(chosen[key])) and not any(rows_of(forgery))):
            chosen[key] = forgery
    return list(chosen.values())


def test_the_golden_log_holds():
    """Tests that what is forged was right before, stored and sealed anew."""
    assert verify(PATH.read_text().splitlines(keepends=True)).exit_code == 0
    assert verify(relinked(ENTRIES, signing_key())).exit_code == 0


def test_the_golden_log_has_every_kind_that_decides():
    """Tests that no kind of record is left out of the walk by chance."""
    kinds = {entry["kind"] for entry in ENTRIES}
    assert kinds >= {
        "created", "enrolled", "configured", "seeded", "invited", "started", "round-opened",
        "rated", "compared", "priced", "deadline-moved", "paused", "resumed", "stopping",
        "round-closed", "stopped", "closed", "assigned", "seated", "believed", "published",
        "changed", "announced", "revoked",
    }  # fmt: skip
    assert any(entry["body"].get("missed") for entry in ENTRIES)
    assert any(entry["body"].get("held") for entry in ENTRIES)


@pytest.mark.parametrize("part", range(4))
def test_no_forged_field_slips_through(part):
    """Tests every field changed, emptied and taken away, and every kind of record left out."""
    wanted = [forgery for forgery in one_of_each() if not any(rows_of(forgery))]
    slipped = [str(forgery) for forgery in wanted[part::4] if slips_through(forgery)]
    assert slipped == []


@pytest.mark.slow
def test_no_forged_record_slips_through():
    """Tests every field of every record in one of its ways, another one from record to record."""
    ways: dict[tuple[int, Any], list[Forgery]] = {}
    for forgery in forgeries(ENTRIES):
        if not any(rows_of(forgery)):
            ways.setdefault((forgery.number, forgery.path), []).append(forgery)
    wanted = [found[place % len(found)] for place, found in enumerate(ways.values())]
    assert len(wanted) > 400
    assert [str(forgery) for forgery in wanted if slips_through(forgery)] == []


def test_what_counts_cannot_be_left_out():
    """Tests the only form of a student, and every answer that was not withdrawn."""
    counts = [
        number
        for number, entry in enumerate(ENTRIES)
        if (entry["kind"] == "rated" and entry["body"]["bidder"] == 2)
        or (entry["kind"] == "compared" and entry["body"]["request"].startswith("answer-0"))
    ]
    assert len(counts) == 4
    for number in counts:
        assert not slips_through(Forgery(number, ENTRIES[number]["kind"], (), GONE, "left out"))


def test_the_list_is_no_longer_than_it_has_to_be():
    """Tests that each row of the page has something that does slip through."""
    needed = dict.fromkeys(LISTED, False)
    for forgery in forgeries(ENTRIES):
        rows = list(rows_of(forgery))
        if any(not needed[row] for row in rows) and slips_through(forgery):
            needed.update(dict.fromkeys(rows, True))
    assert [row for row, is_needed in needed.items() if not is_needed] == []
