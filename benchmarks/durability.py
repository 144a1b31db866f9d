"""
Is a submission on the disk before its receipt is sent? What happens when the disk is full?

    python benchmarks/durability.py

Needs strace, and root for a small file system in memory. A server runs under strace while 200
submissions are sent one after the other; between the arrival of each and its "201 Created" there
must be an fdatasync of the database's journal. A server whose database is set to another
synchronous mode must not start. A desk on a disk of 4 MB takes submissions until the disk is full:
what it refuses must not be in the log, what it confirmed must.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import kill_server
from kill_server import Setup, call, free_port, prepare

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import Submission, ValueAnswer
from boca.live.desk import Desk
from boca.live.ledger import check_chain
from boca.live.people import Who
from boca.live.store.database import Database
from boca.live.store.events import read

CALLS = "recvfrom,sendto,fdatasync,fsync"
ARRIVED = re.compile(r'recvfrom\(.*"POST [^"]*/submissions')
SYNCED = re.compile(r"(fdatasync|fsync)\(\d+<[^>]*auctions\.db-wal>\)\s*= 0|"
                    r"<\.\.\. (fdatasync|fsync) resumed>\)\s*= 0")  # fmt: skip
ANSWERED = re.compile(r'sendto\(.*"HTTP/1\.1 201')


def answers_of(turn: int, bidder: int = 0) -> dict[str, str]:
    """Answers of a bidder; every turn others."""
    return {
        f"r0-b{bidder + 1}-q{k + 1}": f"{(k + 1) * (turn + 1)}.00"
        for k in range(kill_server.NUM_QUERIES)
    }


def traced_order(num_submissions: int, folder: Path) -> list[str]:
    """What the kernel saw of a server: ``arrived``, ``synced`` and ``answered``, in this order."""
    auction, tokens = prepare(folder / "data", None)
    setup = Setup(folder / "data", None, auction, tokens, free_port())
    trace = folder / "trace"
    command = ["strace", "-f", "-y", "-s", "120", "-e", f"trace={CALLS}", "-o", str(trace)]
    command += [sys.executable, "-m", "boca", "serve", str(setup.data), "--port"]
    server = subprocess.Popen(
        [*command, str(setup.address)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for turn in range(num_submissions):
            submit_patiently(setup, turn, server)
    finally:
        end_traced(server)
    events = []
    for line in trace.read_text(errors="replace").splitlines():
        for name, pattern in (("arrived", ARRIVED), ("synced", SYNCED), ("answered", ANSWERED)):
            if pattern.search(line):
                events.append(name)
    return events


def end_traced(tracer: "subprocess.Popen[bytes]") -> None:
    """Tells the traced server to stop; strace itself ends with it."""
    children = Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGTERM)
    tracer.wait(60)


def submit_patiently(setup: Setup, turn: int, server: "subprocess.Popen[bytes]") -> None:
    """One submission, sent again until the server is up and has room for it."""
    # In turns, since each may send thirty per minute.
    bidder = turn % kill_server.NUM_CLIENTS
    body = {"answers": [{"query": q, "value": v} for q, v in answers_of(turn, bidder).items()]}
    while server.poll() is None:
        try:
            status, answer = call(setup, "submissions", bidder, body, f"turn-{turn:06d}")
        except (OSError, ValueError):
            time.sleep(0.2)
            continue
        if status in (200, 201):
            return
        if answer.get("phase") == "paused":
            call(setup, "resume", kill_server.NUM_CLIENTS, {"reason": "up"}, f"resume-{turn:06d}")
        elif status != 429:
            raise SystemExit(f"Submission {turn} was refused: {answer}")
        time.sleep(0.5)
    raise SystemExit("The server ended.")


def count_synced(events: list[str]) -> tuple[int, int]:
    """Submissions that were synced between arrival and answer, and all that were answered."""
    good = total = 0
    is_synced = False
    for event in events:
        if event == "arrived":
            is_synced = False
        elif event == "synced":
            is_synced = True
        else:
            total += 1
            good += is_synced
    return good, total


def refuses_other_modes(folder: Path) -> bool:
    """Whether a database that does not sync every commit is refused."""
    try:
        Database(folder, synchronous="NORMAL").close()
    except InputError:
        return True
    return False


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of its own, in memory."""
    folder = Path(tempfile.mkdtemp(prefix="small-disk"))
    size = f"size={megabytes}m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def fill_disk(folder: Path) -> dict[str, object]:
    """Submits until the disk is full; what was confirmed, refused and found in the log."""
    data = folder / "data"
    with tempfile.TemporaryDirectory() as room:
        # No auction can be started on so small a disk, but one can be moved there.
        auction, _ = prepare(Path(room) / "data", None)
        shutil.copytree(Path(room) / "data", data)
    desk = Desk(data, works=False, is_ticking=False, mechanisms={"random": Conduct()})
    who = Who("", "api", "bidder", auction, 0, "person", "", None)
    confirmed: list[str] = []
    causes: list[str] = []
    while len(causes) < 3 and len(confirmed) < 100_000:
        answers = tuple(ValueAnswer(q, v) for q, v in answers_of(len(confirmed) % 900).items())
        key = f"turn-{len(confirmed) + len(causes):06d}"
        try:
            receipt = desk.submit(who, Submission(answers), key, channel="api").result()
        except Refusal as refusal:
            causes.append(refusal.cause)
        else:
            confirmed.append(receipt.hash)
    is_well = desk.health().is_well
    desk.close()
    # The operator makes room and starts again, here on another disk.
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / "data"
        shutil.copytree(data, copy)
        database = Database(copy)
        with database.connect() as connection:
            records = read(connection, auction)
        database.close()
    check_chain(records)
    submitted = [record.hash for record in records if record.kind == "submitted"]
    return {
        "confirmed": len(confirmed),
        "refused_as": sorted(set(causes)),
        "is_well_afterwards": is_well,
        "log_is_what_was_confirmed": submitted == confirmed,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        good, total = count_synced(traced_order(chosen.submissions, Path(folder)))
        refused = refuses_other_modes(Path(folder) / "other")
    with small_disk(4) as folder:
        full = fill_disk(folder)
    result = {"synced_before_answer": f"{good} of {total}", "refuses_normal": refused, **full}
    print(json.dumps(result, indent=2))
    is_good = (
        good == total >= chosen.submissions
        and refused
        and full["refused_as"] == ["unavailable"]
        and not full["is_well_afterwards"]
        and full["log_is_what_was_confirmed"]
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
