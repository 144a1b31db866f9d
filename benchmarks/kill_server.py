"""
Kills a live server at random moments and looks whether a confirmed submission was lost.

    python benchmarks/kill_server.py --kills 200
    python benchmarks/kill_server.py --kills 200 --db postgresql+psycopg://...
    python benchmarks/kill_server.py --kills 200 --direct
    python benchmarks/kill_server.py --kills 30 --whole
    python benchmarks/kill_server.py --kills 7 --whole --size 100x50
    python benchmarks/kill_server.py --kills 3 --whole --size 30x30 --aim deciding

Six clients submit through the HTTP API as fast as they are answered, each with a key per submission
that it repeats until it gets a receipt. The server, `boca serve` in a process of its own with a
database on the disk, is ended by SIGKILL after 20 to 400 milliseconds of work and started again. In
the end the log is read: every receipt must be in it with the same content, no key twice, and the
chain whole. With --direct the process is the desk without HTTP, which starts sooner. With --whole
it is killed while it plans, asks, decides and publishes; see kill_auction.py.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kill_auction

from boca.core.conduct import Conduct
from boca.live.auction import commands as cmd
from boca.live.auction.engine_results import PlannedQuery, PlanResult
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import Submission, ValueAnswer
from boca.live.desk import Desk
from boca.live.ledger import check_chain, check_signature
from boca.live.people import Who
from boca.live.store import events as event_table
from boca.live.store.database import Database

NUM_CLIENTS = 6
NUM_QUERIES = 4
RULES = f"""
name = "kill test"
[[goods]]
name = "pitch"
capacity = 8
{"".join(f'[[bidders]]{chr(10)}name = "b{k}"{chr(10)}' for k in range(NUM_CLIENTS))}
[auction]
mechanism = "random"
num_initial = {NUM_QUERIES}
num_total = {NUM_QUERIES}
round_minutes = [80000, 80000]
corrections = "round"
typo_factor = 1000000
"""


@dataclass(frozen=True)
class Setup:
    """
    What the run works on.

    Parameters
    ----------
    data, url
        The data folder, and the database's address; None for SQLite.
    auction
        Its id.
    tokens
        Of the six bidders, then of the auctioneer.
    address
        A Unix socket for the desk alone, a port for `boca serve`.
    """

    data: Path
    url: str | None
    auction: str
    tokens: tuple[str, ...]
    address: str | int


def prepare(data: Path, url: str | None) -> tuple[str, tuple[str, ...]]:
    """An auction with one open round; its id, and a token for each bidder and the auctioneer."""
    desk = Desk(data, url, works=False, is_ticking=False, mechanisms={"random": Conduct()})
    me = desk.people.enter(desk.people.first_link().result().token).result().who
    auction = desk.create(me, RULES).result().auction
    tokens = []
    for bidder in range(NUM_CLIENTS):
        link = desk.invite(me, auction, bidder, "person").result()
        who = desk.people.enter(link.token).result().who
        tokens.append(desk.people.api_token(who).result().token)
    tokens.append(desk.people.api_token(me).result().token)
    desk.command(me, auction, cmd.Start("Zoe", accept_missing=True)).result()
    state = desk.writer.state(auction)
    assert state is not None
    queries = tuple(
        PlannedQuery(bidder, (copies + 1,), {"source": "initial"})
        for bidder in range(NUM_CLIENTS)
        for copies in range(NUM_QUERIES)
    )
    plan = PlanResult(queries, None, {}, 0.0, {})
    desk.writer.send(auction, cmd.TakePlan(state.plan_from, plan)).result()
    desk.close()
    return auction, tuple(tokens)


def serve(data: Path, url: str | None, auction: str, address: str) -> None:
    """The server's process: submissions as JSON lines on a Unix socket, answered when durable."""
    desk = Desk(data, url, works=False)
    state = desk.writer.state(auction)
    if state is not None and state.phase == "paused":
        # It took over half a minute to come back, so that the round waits for the auctioneer.
        desk.writer.send(auction, cmd.Resume()).result()
    listener = socket.socket(socket.AF_UNIX)
    Path(address).unlink(missing_ok=True)
    listener.bind(address)
    listener.listen(64)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=talk, args=(desk, auction, connection), daemon=True).start()


def talk(desk: Desk, auction: str, connection: socket.socket) -> None:
    """Answers one client until it hangs up."""
    with suppress(OSError), connection, connection.makefile("rw") as lines:
        for line in lines:
            sent = json.loads(line)
            who = Who("", "api", "bidder", auction, sent["bidder"], "person", "", None)
            answers = tuple(ValueAnswer(query, value) for query, value in sent["answers"].items())
            try:
                receipt = desk.submit(who, Submission(answers), sent["key"], channel="api")
                answer = receipt.result().content
            except Refusal as refusal:
                answer = {"refused": refusal.sentence, "cause": refusal.cause}
            lines.write(json.dumps(answer) + "\n")
            lines.flush()


class Client(threading.Thread):
    """Submits, repeats until answered, and keeps every receipt."""

    def __init__(self, bidder: int, setup: Setup, seed: int, ended: threading.Event):
        super().__init__(daemon=True)
        self.bidder, self.setup, self.ended = bidder, setup, ended
        self.random = random.Random(f"{seed} {bidder}")
        self.receipts: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.num_repeated = 0
        self.num_unanswered = 0
        self.problem = ""

    def run(self) -> None:
        number = 0
        while not self.ended.is_set() and not self.problem:
            number += 1
            key = f"client-{self.bidder}-{number:06d}"
            base = self.random.randrange(1, 1000)
            answers = {
                f"r0-b{self.bidder + 1}-q{k + 1}": f"{(k + 1) * base}.00"
                for k in range(NUM_QUERIES)
            }
            self.submit(key, answers)

    def submit(self, key: str, answers: dict[str, str]) -> None:
        attempts = 0
        while not self.ended.is_set():
            attempts += 1
            try:
                answer = self.ask(key, answers)
            except (OSError, ValueError, http.client.HTTPException):
                answer = None
            if answer is None:
                self.num_unanswered += 1
                time.sleep(self.random.uniform(0.01, 0.1))
                continue
            if "hash" not in answer:
                self.problem = f"{key} was refused: {answer}"
                return
            self.num_repeated += attempts > 1
            self.receipts.append((key, answers, answer))
            return

    def ask(self, key: str, answers: dict[str, str]) -> dict[str, Any] | None:
        """The receipt, or a refusal; None if it should be tried again."""
        address = self.setup.address
        if isinstance(address, str):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(20)
                connection.connect(address)
                sent = {"bidder": self.bidder, "key": key, "answers": answers}
                connection.sendall(json.dumps(sent).encode() + b"\n")
                receipt: dict[str, Any] = json.loads(connection.makefile().readline())
                return receipt
        body = {"answers": [{"query": q, "value": value} for q, value in answers.items()]}
        status, answer = call(self.setup, "submissions", self.bidder, body, key)
        if status == 409 and answer.get("phase") == "paused":
            # It took over half a minute to come back, so that the round waits for the auctioneer.
            call(self.setup, "resume", NUM_CLIENTS, {}, f"resume-{key}")
            return None
        return None if status in (429, 503) else answer


def call(
    setup: Setup, name: str, who: int, body: dict[str, Any], key: str
) -> tuple[int, dict[str, Any]]:
    """One call of the HTTP API: status and answer."""
    assert isinstance(setup.address, int)
    connection = http.client.HTTPConnection("127.0.0.1", setup.address, timeout=20)
    try:
        connection.request(
            "POST",
            f"/api/v1/auctions/{setup.auction}/{name}",
            json.dumps(body),
            {
                "Authorization": f"Bearer {setup.tokens[who]}",
                "Content-Type": "application/json",
                "Idempotency-Key": key,
            },
        )
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def run(kills: int, data: Path, url: str | None, seed: int, is_direct: bool) -> dict[str, Any]:
    """All kills; what was found in the end."""
    auction, tokens = prepare(data, url)
    address = f"{tempfile.mkdtemp(prefix='kill')}/s" if is_direct else free_port()
    setup = Setup(data, url, auction, tokens, address)
    ended = threading.Event()
    clients = [Client(bidder, setup, seed, ended) for bidder in range(NUM_CLIENTS)]
    moments = random.Random(seed)
    began = time.perf_counter()
    for number in range(kills):
        before = sum(len(client.receipts) for client in clients)
        server = start(setup)
        if number == 0:
            for client in clients:
                client.start()
        # Counted from the first answer: starting Python takes longer than the time between kills.
        wait_for(lambda b=before: sum(len(c.receipts) for c in clients) > b, server, clients)
        time.sleep(moments.uniform(0.02, 0.4))
        server.send_signal(signal.SIGKILL)
        server.wait()
    ended.set()
    for client in clients:
        client.join(30)
    problems = [client.problem for client in clients if client.problem]
    problems += examine(data, url, auction, clients)
    return {
        "kills": kills,
        "acknowledged": sum(len(client.receipts) for client in clients),
        "acknowledged_after_repeating": sum(client.num_repeated for client in clients),
        "unanswered_attempts": sum(client.num_unanswered for client in clients),
        "events": num_events(data, url, auction),
        "lost": sum("lost" in problem for problem in problems),
        "problems": problems,
        "seconds": round(time.perf_counter() - began, 1),
    }


def start(setup: Setup) -> "subprocess.Popen[bytes]":
    """The server as a process of its own."""
    database = ["--db", setup.url] if setup.url else []
    if isinstance(setup.address, str):
        command = [__file__, "--serve", setup.auction, "--address", setup.address]
        command += ["--data", str(setup.data)]
    else:
        command = ["-m", "boca", "serve", str(setup.data), "--port", str(setup.address)]
    return subprocess.Popen(
        [sys.executable, *command, *database],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(condition: Any, server: "subprocess.Popen[bytes]", clients: list[Client]) -> None:
    limit = time.monotonic() + 120
    while not condition():
        if server.poll() is not None:
            raise SystemExit(f"The server ended by itself with code {server.returncode}.")
        problems = [client.problem for client in clients if client.problem]
        if problems or time.monotonic() > limit:
            raise SystemExit(f"No submission is answered: {problems or 'time is up'}.")
        time.sleep(0.005)


def examine(data: Path, url: str | None, auction: str, clients: list[Client]) -> list[str]:
    """What is wrong with the log; empty if nothing is."""
    database = Database(data, url)
    with database.connect() as connection:
        records = event_table.read(connection, auction)
    database.close()
    problems = []
    check_chain(records)
    by_hash = {record.hash: record for record in records}
    keys = [record.body["request"] for record in records if "request" in (record.body or {})]
    if len(keys) != len(set(keys)):
        problems.append("a key was carried out twice")
    public = records[0].body["public_key"] if records[0].body else ""
    for client in clients:
        for key, answers, receipt in client.receipts:
            record = by_hash.get(receipt["hash"])
            if record is None or record.body is None:
                problems.append(f"{key} was confirmed and lost")
                continue
            reports = {report["query"]: report["units"] for report in record.body["reports"]}
            expected = {query: round(float(value) * 100) for query, value in answers.items()}
            if reports != expected or record.body["request"] != key:
                problems.append(f"{key} was confirmed and changed")
            if not check_signature(receipt, public):
                problems.append(f"the receipt of {key} has a wrong signature")
    return problems


def num_events(data: Path, url: str | None, auction: str) -> int:
    database = Database(data, url)
    with database.connect() as connection:
        count = len(event_table.read(connection, auction))
    database.close()
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--db")
    parser.add_argument("--direct", action="store_true", help="the desk without HTTP")
    parser.add_argument("--whole", action="store_true", help="whole auctions, with planning")
    parser.add_argument("--size", help="BIDDERSxGOODS of whole auctions (small ones without it)")
    parser.add_argument("--mechanism", default="boca", help="of whole auctions with a size")
    parser.add_argument(
        "--aim", choices=tuple(kill_auction.PHASES), default="", help="the phase that all kills hit"
    )
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.data, chosen.db, chosen.serve, chosen.address)
    data = chosen.data or Path(tempfile.mkdtemp(prefix="kill-data"))
    if chosen.whole:
        sized = kill_auction.Market.sized
        market = sized(chosen.size, chosen.mechanism) if chosen.size else kill_auction.Market()
        result = kill_auction.run(chosen.kills, data, chosen.seed, free_port(), market, chosen.aim)
    else:
        result = run(chosen.kills, data, chosen.db, chosen.seed, chosen.direct)
    print(json.dumps(result, indent=2))
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
