"""Sheets are read in a child process that has limits and ends with whoever sent them."""

import asyncio
import io
import os
import sys
import time

import pytest
from filled_sheets import csv_bytes
from openpyxl import Workbook

from boca.core.errors import InputError
from boca.live.web.sheets.apart import Gone, SheetRoom, Size
from boca.markets.sheet_table import read_table

SMALL = Size(rows=60, columns=25)


def workbook(*rows):
    """An XLSX file."""
    book = Workbook()
    book.active.title = "answers"
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


async def here() -> bool:
    return False


async def gone() -> bool:
    return True


def read(content, size=SMALL, is_gone=here, **options):
    return asyncio.run(SheetRoom(**options).read(content, size, is_gone))


@pytest.mark.parametrize(
    "content",
    [
        workbook(("query", "value"), ("r1-b1-q1", 12.5), ("=1+1", None, "ü" * 100)),
        csv_bytes([["query", "value"], ["r1-b1-q1", "12,50"], ["", "'=1"]], ";"),
    ],
)
def test_the_child_reads_what_the_reader_reads(content):
    """Tests that nothing of a table is lost between the two processes."""
    assert read(content) == read_table(content)


def test_mistakes_come_back_in_one_sentence():
    """Tests that the child's refusal is the reader's."""
    for content in (b"\xff\xfe\x00a", b"PK\x03\x04 no zip"):
        with pytest.raises(InputError, match=r"Save the sheet.*\.$"):
            read(content)


@pytest.mark.parametrize("shape", [(61, 2), (2, 26)])
def test_cells_are_limited_by_what_was_asked(shape):
    """Tests one row and one column too many for the questions and goods."""
    with pytest.raises(InputError, match="more than 60 rows or 25 columns"):
        read(workbook(*[["x"] * shape[1]] * shape[0]))


def test_a_large_sheet_is_refused_before_it_is_unpacked():
    """Tests the sheet of 3,590 rows and 300 columns that cost 13 s of processor time."""
    content = workbook(*[[0] * 300] * 400)
    with pytest.raises(InputError, match="unpacks to"):
        read(content, program=("nobody starts this program",))


def test_a_child_that_takes_too_long_is_ended():
    """Tests that a file which is slow to read costs a few seconds at most."""
    slow = (sys.executable, "-c", "import time; time.sleep(100)")
    with pytest.raises(InputError, match="took too long"):
        read(workbook(("a",)), program=slow, seconds=0.3)


def test_the_child_limits_its_own_processor_time_and_memory():
    """Tests that a sheet within its size that is slow all the same ends by itself."""
    code = (
        "from boca.live.web.sheets import apart; import resource; apart.limit_myself(); "
        "print(*resource.getrlimit(resource.RLIMIT_CPU), *resource.getrlimit(resource.RLIMIT_AS))"
    )
    read_end = os.popen(f'{sys.executable} -c "{code}"')
    assert read_end.read().split() == ["5", "5", str(512 * 2**20), str(512 * 2**20)]


def test_the_child_ends_with_the_client(tmp_path):
    """Tests that nobody's processor works for somebody who has left."""
    note = tmp_path / "pid"
    code = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(100)"

    async def leaves() -> bool:
        return note.exists() and bool(note.read_text())

    with pytest.raises(Gone):
        read(workbook(("a",)), is_gone=leaves, program=(sys.executable, "-c", code))
    pid = int(note.read_text())
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")


def test_whoever_left_while_waiting_starts_no_child():
    """Tests the queue: one child at a time, and none for people who have gone."""
    with pytest.raises(Gone):
        read(workbook(("a",)), is_gone=gone, program=("nobody starts this program",))


def test_one_child_at_a_time(tmp_path):
    """Tests that eight sheets at once are read one after the other."""
    log = tmp_path / "log"
    code = (
        f"import json, time; log = open({str(log)!r}, 'a'); log.write('begin '); log.flush(); "
        "time.sleep(0.1); log.write('end '); print(json.dumps({'rows': [], 'mark': None}))"
    )

    async def eight():
        room = SheetRoom(program=(sys.executable, "-c", code))
        await asyncio.gather(*(room.read(workbook(("a",)), SMALL, here) for _ in range(8)))

    asyncio.run(eight())
    assert log.read_text().split() == ["begin", "end"] * 8
