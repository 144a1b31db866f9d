"""The off-machine copy: follows the full log of an auction and checks every line of it."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import Any, BinaryIO

from boca.core.errors import InputError
from boca.live.ledger import Record, check_chain, check_signature, read_lines
from boca.live.ledger.chain import Broken, check_next
from boca.live.upkeep.copies import public_key_of

MOST_LINES = 1000
ENDED = ("published", "cancelled")
TIMEOUT_SECONDS = 60


class Unreachable(InputError):
    """The server does not answer; later it may."""


@dataclass
class OffMachineCopy:
    """
    A file that holds the log as far as it was pulled, ended by the server's signed head.

    Parameters
    ----------
    path
        The file; what is in it is checked before anything is added.
    key
        The public key that the log must name, from somebody who is trusted; empty for any.
    """

    path: Path
    key: str = ""
    last: Record | None = field(default=None, init=False)
    num_records: int = field(default=0, init=False)
    public_key: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self._end = 0
        if self.path.exists():
            self._read()

    @property
    def head(self) -> str:
        """Hash of the last record."""
        return self.last.hash if self.last else ""

    @property
    def has_ended(self) -> bool:
        """Whether the auction has nothing more to come."""
        return self.last is not None and self.last.kind in ENDED

    def add(self, lines: Iterator[str]) -> bool:
        """
        Checks and appends lines as they come; whether the signed head was among them.

        What was cut off is not lost: whole lines that hold are kept on the disk.
        """
        with self._file() as file:
            for text in lines:
                value = _value(text)
                if "head" in value:
                    self._check_head(value)
                    file.write(text.encode())
                    _flush(file)
                    return True
                self._add_record(file, text)
            _flush(file)
        return False

    def _add_record(self, file: BinaryIO, text: str) -> None:
        record = read_lines([text]).records[0]
        try:
            check_next(record, self.last)
        except Broken as broken:
            raise InputError(
                f"The server sent a line that does not hold; it was not kept. {broken}"
            ) from None
        if record.body is None:
            raise InputError(
                f"Record {record.seq} came sealed; the full log needs an auditor's token."
            )
        if self.last is None:
            self._note_key([record])
        file.write(text.encode())
        self._end = file.tell()
        self.last = record
        self.num_records += 1

    def _check_head(self, head: dict[str, Any]) -> None:
        if head.get("head") != self.head:
            raise InputError("The server signed another head than its log ends with.")
        if not check_signature(head, self.public_key):
            raise InputError("The server's head is not signed by the key in the first record.")

    def _note_key(self, records: list[Record]) -> None:
        self.public_key = public_key_of(records)
        if self.key and self.key != self.public_key:
            raise InputError(
                f"The log names the key {self.public_key}; expected {self.key}. Ask whose is right."
            )

    def _read(self) -> None:
        """What is in the file; a line that was cut off and the signed head are pulled again."""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1].decode("utf-8", "replace")
        log = read_lines(whole.splitlines(keepends=True))
        try:
            check_chain(log.records)
        except Broken as broken:
            raise InputError(f"The copy '{self.path}' does not hold: {broken}") from None
        if log.records:
            self._note_key(list(log.records))
            self.last, self.num_records = log.records[-1], len(log.records)
        if log.head is not None:
            self._check_head(log.head)
            whole = whole[: whole.rstrip("\n").rfind("\n") + 1]
        self._end = len(whole.encode())

    def _file(self) -> BinaryIO:
        """The file, cut to its records, with its end as the place to go on."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        file = os.fdopen(handle, "r+b")
        file.truncate(self._end)
        file.seek(self._end)
        return file


@dataclass(frozen=True)
class Source:
    """
    Where a log comes from.

    Parameters
    ----------
    url
        Of the server, without a slash at the end.
    auction
        Its id.
    token
        Of an auditor.
    """

    url: str
    auction: str
    token: str

    def lines(self, after: str) -> Iterator[str]:
        """The lines after a record; cut off wherever the connection breaks."""
        query = f"?limit={MOST_LINES}" + (f"&after={after}" if after else "")
        try:
            request = urllib.request.Request(
                f"{self.url}/api/v1/auctions/{self.auction}/log{query}",
                headers={"Authorization": f"Bearer {self.token}"},
            )
            with closing(urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)) as answer:
                for line in answer:
                    text = line.decode("utf-8", "replace")
                    if text.endswith("\n"):
                        yield text
        except urllib.error.HTTPError as error:
            if error.code in (429, 502, 503, 504):
                raise Unreachable(f"The server answered {error.code}.") from None
            raise InputError(
                f"The server answered {error.code}; check the auction's id and the token, which "
                "must be an auditor's."
            ) from None
        except (ValueError, InvalidURL) as error:
            raise InputError(
                f"The address {self.url!a}, the auction or the token cannot be used: {error}. "
                "Expected an address such as https://auction.example.org."
            ) from None
        except (OSError, HTTPException) as error:
            raise Unreachable(f"Cannot reach {self.url}: {error}.") from None


def pull(
    source: Source,
    copy: OffMachineCopy,
    pause: float | None,
    say: Callable[[str], None] = lambda text: None,
    rest: Callable[[float], None] = time.sleep,
) -> None:
    """
    Brings a copy up to date, and keeps it so until the auction has ended.

    Parameters
    ----------
    source
        The server.
    copy
        The file.
    pause
        Seconds between looks; None to look once, and to fail where the server does not answer.
    say
        Called with a line for the operator whenever something is new.
    rest
        Waits; tests pass their own.
    """
    while True:
        before = copy.num_records
        try:
            is_current = _pull_once(source, copy)
        except Unreachable as error:
            if pause is None:
                raise
            say(str(error))
            is_current = True
        if copy.num_records > before:
            say(f"{copy.num_records} records, head {copy.head}")
        if is_current and (pause is None or copy.has_ended):
            return
        if is_current and pause is not None:
            rest(pause)


def _pull_once(source: Source, copy: OffMachineCopy) -> bool:
    """One request; whether the copy is now as long as the log."""
    before = copy.num_records
    is_current = copy.add(source.lines(copy.head))
    if not is_current and copy.num_records == before:
        raise InputError(
            f"The server does not know record {copy.num_records - 1} of the copy (hash "
            f"{copy.head}). Its log was changed or restored from an older copy; keep yours."
        )
    return is_current


def _value(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InputError("The server sent a line that is not a record; it was not kept.")
    return value


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
