"""
Kills a live server all through whole auctions, also while it plans and decides, and compares the
outcome with that of the same auctions without a kill.

    python benchmarks/kill_server.py --whole --kills 30
    python benchmarks/kill_server.py --whole --kills 4 --size 100x50 --mechanism boca
    python benchmarks/kill_server.py --whole --kills 3 --size 30x30 --aim deciding

Auctions are prepared once, with their seeds in the log, and played twice on copies of the folder:
in peace, and with `boca serve` ended by SIGKILL in every phase of every round. One kill of each
auction is kept for deciding; with --aim all of them hit one phase. A kill counts for the phase in
which the log on the disk was left. Bots answer through the HTTP API with the same values, and
repeat what was not answered. In the end every receipt must be in the log, the chain whole,
questions, answers, winners and payments the same as in peace, and `boca verify` content. Seconds of
planning, of the bots and of deciding are those of the auctions in peace, as their logs have them;
memory is that of the largest process.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.live.auction.fold import fold_all
from boca.live.bots.bot import Bot
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client, Refused
from boca.live.bots.random_values import draw_truth
from boca.live.desk import Desk
from boca.live.ledger import Record, check_chain
from boca.live.store.database import Database
from boca.live.store.events import read, to_entry
from boca.live.upkeep.export import export
from boca_verify import verify

MOST = "1000.00"  # that anything is worth


@dataclass(frozen=True)
class Market:
    """
    The auctions that are played.

    Parameters
    ----------
    goods
        Their names.
    bidders
        Their names.
    mechanism
        Its name; a mechanism that learns plans two rounds from answers.
    num_initial
        Questions of the first round.
    num_per_round
        Questions of each of the two others.
    """

    goods: tuple[str, ...] = ("hall", "kitchen", "stage", "garden")
    bidders: tuple[str, ...] = ("Ann", "Ben", "Cleo")
    mechanism: str = "svr"
    num_initial: int = 3
    num_per_round: int = 2

    @classmethod
    def sized(cls, size: str, mechanism: str) -> "Market":
        """As many as ``BIDDERSxGOODS`` says, with questions as people get them."""
        num_bidders, num_goods = map(int, size.split("x"))
        goods = tuple(f"g{j}" for j in range(num_goods))
        return cls(goods, tuple(f"b{i}" for i in range(num_bidders)), mechanism, 10, 3)

    @property
    def text(self) -> str:
        """The market file."""
        return "\n".join(
            [
                'name = "kill test"',
                *(f'[[goods]]\nname = "{name}"' for name in self.goods),
                *(f'[[bidders]]\nname = "{name}"' for name in self.bidders),
                "[auction]",
                f'mechanism = "{self.mechanism}"',
                f"num_initial = {self.num_initial}",
                f"num_per_round = {self.num_per_round}",
                f"num_total = {self.num_initial + 2 * self.num_per_round}",
                f'max_value = "{MOST}"',
                "round_minutes = [80000, 80000]",
                "close_early = true",
                'publish = "all"',
            ]
        )


# Phases that a kill can hit, and the longest wait in them before it comes.
PHASES = {"planning": 4.0, "open": 0.3, "stopped": 0.3, "deciding": 3.0, "decided": 0.3}
LONGEST_SECONDS = 3600
# Kills of one auction: each round planned and open, then deciding; the rest may pass unseen.
KILLS_PER_AUCTION = 7
NUM_ROUNDS = 3


@dataclass
class Player:
    """
    The people of one auction, in a thread of their own.

    Parameters
    ----------
    url
        Of the server.
    auction
        Its id.
    tokens
        Bidder -> token, and the auctioneer's under an empty name.
    market
        What is for sale, and to whom.
    """

    url: str
    auction: str
    tokens: dict[str, str]
    market: Market
    receipts: list[dict[str, Any]] = field(default_factory=list)
    problem: str = ""

    def __post_init__(self) -> None:
        goods = [{"name": name} for name in self.market.goods]
        self.clerk = Clerk(Client(self.url, self.tokens[""]))
        self.bots = [
            NotingBot(
                Client(self.url, self.tokens[name]),
                self.auction,
                draw_truth(name, goods, MOST, 1),
                receipts=self.receipts,
            )
            for name in self.market.bidders
        ]

    def play(self, told: threading.Event) -> None:
        """Plays until the auction is published."""
        while not told.is_set():
            try:
                if self._look() == "published":
                    return
            except Refused as refusal:
                if refusal.status != 409:
                    self.problem = str(refusal)
                    return
            except InputError:
                pass  # the server is down; it will be back
            time.sleep(0.05)

    def _look(self) -> str:
        phase = self.clerk.look(self.auction)
        match phase:
            case "draft":
                self.clerk.do(self.auction, "start", {"accept_missing": True})
            case "paused":  # it took over half a minute to come back
                self.clerk.do(self.auction, "resume", {"reason": "it is back"})
            case "open":
                for bot in self.bots:
                    bot.answer()
        return phase


@dataclass
class NotingBot(Bot):
    """A bot that keeps its receipts."""

    receipts: list[dict[str, Any]] = field(default_factory=list)

    def send(self, submission: dict[str, Any]) -> dict[str, Any]:
        receipt = super().send(submission)
        self.receipts.append(receipt)
        return receipt


def prepare(data: Path, num_auctions: int, market: Market) -> dict[str, dict[str, str]]:
    """Auctions in draft; the tokens of each."""
    desk = Desk(data, works=False, is_ticking=False, mechanisms={market.mechanism: Conduct()})
    boss = desk.people.enter(desk.people.first_link().result().token).result().who
    auctions = {}
    for _ in range(num_auctions):
        auction = desk.create(boss, market.text).result().auction
        tokens = {"": desk.people.api_token(boss).result().token}
        for bidder, name in enumerate(market.bidders):
            link = desk.invite(boss, auction, bidder, "person").result()
            who = desk.people.enter(link.token).result().who
            tokens[name] = desk.people.api_token(who).result().token
        auctions[auction] = tokens
    desk.close()
    return auctions


class Server:
    """``boca serve`` on a folder, started again after every kill."""

    def __init__(self, data: Path, port: int):
        self.data, self.port = data, port
        self.url = f"http://127.0.0.1:{port}"
        self.process = self._start()

    def kill(self, auction: str) -> str:
        """SIGKILL, then a new start; the phase in which the log of an auction was left."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        entries = map(to_entry, records_of(self.data, auction))
        phase: str = fold_all(auction, entries).phase
        self.process = self._start()
        return phase

    def stop(self) -> None:
        """As an operator would."""
        self.process.terminate()
        self.process.wait(30)

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "boca", "serve", str(self.data), "--port", str(self.port)]
        return subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@dataclass
class Killer:
    """
    Kills once in every phase of every round, as long as it has kills left.

    Parameters
    ----------
    kills
        How many in all.
    moments
        Random numbers.
    num_auctions
        Auctions to come. One kill is kept for deciding each of them, as far as there are so many.
    deciding
        Seconds that deciding took in peace; kills that are to hit it come in the first half.
    aim
        The phase that all kills are to hit; empty for every phase.
    """

    kills: int
    moments: random.Random
    num_auctions: int = 0
    deciding: float = PHASES["deciding"]
    aim: str = ""
    struck: Counter[str] = field(default_factory=Counter)
    _visited: set[tuple[str, str, object]] = field(default_factory=set)

    def watch(self, server: Server, player: Player) -> None:
        """Looks at one auction until it is published."""
        client = player.clerk.client
        limit = time.monotonic() + LONGEST_SECONDS
        self.num_auctions -= 1
        while time.monotonic() < limit and not player.problem:
            if server.process.poll() is not None:
                player.problem = f"the server ended by itself with code {server.process.returncode}"
                return
            try:
                heading = client.get(f"/auctions/{player.auction}")
            except InputError:
                continue
            phase = heading["phase"]
            if phase == "published":
                return
            place = (player.auction, phase, heading["round"])
            if self.may_kill(place):
                self._visited.add(place)
                time.sleep(self.moments.uniform(0, self.longest_wait(phase)))
                self.kills -= 1
                self.struck[server.kill(player.auction)] += 1
            time.sleep(0.02)
        player.problem = player.problem or "the auction did not end in time"

    def may_kill(self, place: tuple[str, str, object]) -> bool:
        """Whether a kill is left for an auction in a phase of a round."""
        auction, phase, _ = place
        if phase not in PHASES or place in self._visited:
            return False
        if self.aim:
            return phase == self.aim and self.kills > 0
        kept = self.num_auctions
        if phase != "deciding":
            kept += not any(one[:2] == (auction, "deciding") for one in self._visited)
        return self.kills > kept

    def longest_wait(self, phase: str) -> float:
        """The longest wait in a phase before a kill comes, in seconds."""
        usual = PHASES[phase]
        return min(usual, self.deciding / 2) if phase == "deciding" else usual


def play_all(
    data: Path, auctions: dict[str, dict[str, str]], market: Market, port: int, killer: Killer
) -> dict[str, Player]:
    """All auctions one after the other: receipts and problems of each."""
    server = Server(data, port)
    told = threading.Event()
    players = {}
    try:
        for auction, tokens in auctions.items():
            player = players[auction] = Player(server.url, auction, tokens, market)
            thread = threading.Thread(target=player.play, args=(told,), daemon=True)
            thread.start()
            killer.watch(server, player)
            thread.join(60)
    finally:
        told.set()
        server.stop()
    return players


def essence(records: list[Record]) -> dict[str, Any]:
    """What must not depend on kills: questions, answers, winners, payments."""
    bodies = [(record.kind, record.body or {}) for record in records]
    reports: dict[int, dict[str, int]] = {}
    for kind, body in bodies:
        if kind == "submitted":
            book = reports.setdefault(body["bidder"], {})
            book |= {str(report["bundle"]): report["units"] for report in body["reports"]}
    return {
        "asked": sorted(
            (body["bidder"], query["id"], query["bundle"])
            for kind, body in bodies
            if kind == "asked"
            for query in body["queries"]
        ),
        "reports": reports,
        "outcome": [
            (body["allocation"], body["payments"]) for kind, body in bodies if kind == "decided"
        ],
    }


def problems_of(
    calm: list[Record], killed: list[Record], receipts: list[dict[str, Any]], log: Path
) -> list[str]:
    """What is wrong after the kills; empty if nothing is."""
    problems = []
    check_chain(killed)
    hashes = {record.hash for record in killed}
    problems += [f"{r['hash']} was confirmed and lost" for r in receipts if r["hash"] not in hashes]
    keys = [record.body["request"] for record in killed if "request" in (record.body or {})]
    if len(keys) != len(set(keys)):
        problems.append("a key was carried out twice")
    before, after = essence(calm), essence(killed)
    problems += [f"{name} differ" for name in before if before[name] != after[name]]
    if len(after["outcome"]) != 1:
        problems.append(f"{len(after['outcome'])} outcomes")
    verdict = verify(log.read_text().splitlines(keepends=True))
    if verdict.exit_code:
        problems.append(verdict.conclusion)
    return problems


def records_of(data: Path, auction: str) -> list[Record]:
    database = Database(data)
    try:
        with database.connect() as connection:
            return read(connection, auction)
    finally:
        database.close()


def seconds_of(records: list[Record]) -> dict[str, list[float]]:
    """How long planning, answering and deciding took, as the log has it."""
    planned = [(record.body or {})["seconds"] for record in records if record.kind == "planned"]
    return {
        "planning": planned,
        "answering": _between(records, "round-opened", "round-closed"),
        "deciding": _between(records, "closed", "decided"),
    }


def _between(records: list[Record], start: str, end: str) -> list[float]:
    """Seconds from each record of one kind to that of the other."""
    starts, ends = (
        [datetime.fromisoformat(record.at) for record in records if record.kind == kind]
        for kind in (start, end)
    )
    return [(b - a).total_seconds() for a, b in zip(starts, ends, strict=True)]


def run(
    kills: int, folder: Path, seed: int, port: int, market: Market, aim: str = ""
) -> dict[str, Any]:
    """Both runs; what was found in the end."""
    began = time.perf_counter()
    per_auction = NUM_ROUNDS if aim in ("planning", "open") else 1 if aim else KILLS_PER_AUCTION
    auctions = prepare(folder / "calm", -(-kills // per_auction), market)
    shutil.copytree(folder / "calm", folder / "killed")
    play_all(folder / "calm", auctions, market, port, Killer(0, random.Random(seed)))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    peace = seconds_of(records_of(folder / "calm", next(iter(auctions))))
    deciding = peace["deciding"][0]
    killer = Killer(kills, random.Random(seed), len(auctions), deciding, aim)
    players = play_all(folder / "killed", auctions, market, port, killer)
    problems, acknowledged = [], 0
    for auction, player in players.items():
        receipts = list(player.receipts)
        acknowledged += len(receipts)
        if player.problem:
            problems.append(player.problem)
            continue
        log = folder / f"{auction}.jsonl"
        export(folder / "killed", None, auction, log, "full")
        calm = records_of(folder / "calm", auction)
        killed = records_of(folder / "killed", auction)
        problems += problems_of(calm, killed, receipts, log)
    return {
        "auctions": len(auctions),
        "kills": sum(killer.struck.values()),
        "kills_by_phase": dict(killer.struck),
        "acknowledged": acknowledged,
        "lost": sum("lost" in problem for problem in problems),
        "problems": problems,
        "seconds_in_peace": {name: [round(s, 1) for s in all_] for name, all_ in peace.items()},
        "memory_mb": round(memory),
        "seconds": round(time.perf_counter() - began, 1),
    }
