"""
Uploaded sheets are read apart: in a child process with limits, one at a time.

An XLSX file is small when it is sent and large when it is read, so that reading one in the server
would keep everybody waiting. ``python -m boca.live.web.sheets.apart sheet`` is the child's program.
"""

import asyncio
import base64
import json
import os
import resource
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from boca.core.errors import BocaError, InputError
from boca.live.work.process import Child, Ended
from boca.live.work.results import REFUSED, Rubbish, check_exit, read_result
from boca.markets.sheet_archive import check_archive
from boca.markets.sheet_table import ZIP_START, SheetCell, SheetTable, read_table

PROGRAM = (sys.executable, "-m", "boca.live.web.sheets.apart")
# A sheet as we hand it out takes a fraction of a second and some 60 MB, whatever the auction.
READ_SECONDS = 10.0
MOST_PROCESSOR_SECONDS = 5
MOST_MEMORY = 512 * 2**20
NICE = 19
# How often it is looked whether somebody still waits.
LOOK_SECONDS = 0.2
# Spreadsheets write styles and themes that nobody sees, and a tag or two for each cell.
UNPACKED_BESIDES, UNPACKED_PER_CELL = 2 * 2**20, 200
LONGEST_CELL = 1000


@dataclass(frozen=True)
class Size:
    """
    The largest sheet that answers what was asked.

    Parameters
    ----------
    rows, columns
        What is read at most.
    """

    rows: int
    columns: int

    @property
    def most_unpacked(self) -> int:
        """Bytes that an XLSX file of this size may unpack to."""
        return UNPACKED_BESIDES + UNPACKED_PER_CELL * self.rows * self.columns


class Gone(BocaError):
    """Whoever sent the sheet has left."""


class SheetRoom:
    """
    Where sheets are read, one after the other.

    Parameters
    ----------
    program
        The child's program; tests pass others.
    seconds
        How long reading one may take.
    """

    def __init__(self, program: Sequence[str] = PROGRAM, seconds: float = READ_SECONDS):
        self.program, self.seconds = program, seconds
        self._turn = asyncio.Lock()

    async def read(
        self, content: bytes, size: Size, is_gone: Callable[[], Awaitable[bool]]
    ) -> SheetTable:
        """
        The cells of a file; an InputError says why they cannot be read.

        Parameters
        ----------
        content
            The file.
        size
            How large it can be.
        is_gone
            Whether whoever sent it has left; then the child ends and Gone is raised.
        """
        if content.startswith(ZIP_START):
            # What the archive declares is looked at before anything is unpacked or started.
            check_archive(content, size.most_unpacked, unpack=False)
        request = {"content": base64.b64encode(content).decode(), "size": asdict(size)}
        async with self._turn:
            if await is_gone():
                raise Gone
            ended = await self._child(request, is_gone)
        return _table(ended)

    async def _child(
        self, request: dict[str, Any], is_gone: Callable[[], Awaitable[bool]]
    ) -> Ended:
        child = Child("sheet", request, self.program)
        reading = asyncio.ensure_future(run_in_threadpool(child.run, self.seconds))
        try:
            while not (await asyncio.wait({reading}, timeout=LOOK_SECONDS))[0]:
                if await is_gone():
                    raise Gone
            return reading.result()
        finally:
            if not reading.done():
                child.kill()
                await asyncio.wait({reading})


def _table(ended: Ended) -> SheetTable:
    """What a child has read."""
    try:
        if ended.code == REFUSED:
            raise InputError(ended.message)
        check_exit(ended)
        return read_result(ended.output, _read_rows)
    except Rubbish:
        why = "it took too long" if ended.was_slow else "it needs too much memory or time"
        raise InputError(
            f"The file was not read: {why}. Fill in the sheet as you got it."
        ) from None


def _read_rows(data: dict[str, Any]) -> SheetTable:
    rows = tuple(tuple(SheetCell(*cell) for cell in row) for row in data["rows"])
    return SheetTable(rows, data["mark"])


def limit_myself() -> None:
    """Gives way to everybody else, and ends at the limits."""
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_PROCESSOR_SECONDS, MOST_PROCESSOR_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main() -> int:
    """Reads a request from standard input, prints the cells."""
    limit_myself()
    request = json.loads(sys.stdin.buffer.readline())
    size = Size(**request["size"])
    content = base64.b64decode(request["content"])
    try:
        table = read_table(content, size.rows, size.columns, size.most_unpacked)
    except BocaError as error:
        print(error, file=sys.stderr)
        return REFUSED
    # One long text that many cells share would be long many times.
    rows = [
        [(cell.text[:LONGEST_CELL], cell.number, cell.is_formula) for cell in row]
        for row in table.rows
    ]
    print(json.dumps({"rows": rows, "mark": table.mark}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
