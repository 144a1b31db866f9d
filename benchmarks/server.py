"""
How much a live server takes: durable submissions per second beside the disk's own rate, a hundred
submissions spread over ten seconds and at one instant (also while a child plans another auction), a
thousand viewers of the stream.

    python benchmarks/server.py
    python benchmarks/server.py --people 1000

With --people, as many bidders of ten auctions sign in by their links and keep a page open, as
browsers do: each has a stream, and asks for its page anew when something has changed. Then bidders
of every auction are told something, one auction a second.

Starts a real server in a temporary folder. A submission counts once its receipt has arrived; the
disk's rate is measured in the same run and the same folder, since it decides everything else.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from live_server import LiveServer, Person, Sale, wait_for

from boca.live.bots.bot import Bot
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca.live.bots.random_values import draw_truth

NUM_BIDDERS, NUM_QUERIES = 100, 10
MARKET = "\n".join(
    [
        'name = "benchmark"',
        *(f'[[goods]]\nname = "good {j}"' for j in range(12)),
        *(f'[[bidders]]\nname = "bidder {i}"' for i in range(NUM_BIDDERS)),
        "[auction]",
        'mechanism = "random"',
        f"num_initial = {NUM_QUERIES}",
        f"num_total = {NUM_QUERIES}",
        'corrections = "always"',
        "close_early = false",
    ]
)


def fsync_rate(folder: Path, seconds: float = 3.0) -> float:
    """How often per second the disk makes 4 kB durable, one after the other."""
    count, end = 0, time.perf_counter() + seconds
    with (folder / "fsync").open("wb") as file:
        while time.perf_counter() < end:
            file.write(os.urandom(4096))
            file.flush()
            os.fdatasync(file.fileno())
            count += 1
    return count / seconds


def body_of(queries: list[dict], turn: int) -> dict:
    """Answers to all queries; each turn others, so that every one is a new record."""
    # Additive values: nothing about them looks odd, so nothing needs to be confirmed.
    price = 100 + turn % 100
    return {
        "answers": [
            {"query": query["id"], "value": f"{price * sum(query['bundle'].values())}.00"}
            for query in queries
        ]
    }


class Crowd:
    """
    All bidders of a sale at once.

    Parameters
    ----------
    sale
        The auction.
    """

    def __init__(self, sale: Sale):
        self.sale = sale
        self.names = list(sale.tokens)
        self.queries = {name: sale.queries(name) for name in self.names}
        self.url = f"{sale.server.url}/api/v1/auctions/{sale.auction}"
        self.client = httpx.AsyncClient(
            timeout=120, limits=httpx.Limits(max_connections=200, max_keepalive_connections=200)
        )

    async def submit(self, name: str, turn: int) -> float:
        """One durable submission; its seconds."""
        headers = {
            "Authorization": f"Bearer {self.sale.tokens[name]}",
            "Idempotency-Key": f"turn-{turn:06d}",
        }
        body = body_of(self.queries[name], turn)
        began = time.perf_counter()
        answer = await self.client.post(f"{self.url}/submissions", json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return time.perf_counter() - began

    async def at_once(self, turn: int) -> tuple[float, list[float]]:
        """Everybody at the same instant; seconds until the last receipt, and each one's."""
        began = time.perf_counter()
        times = await asyncio.gather(*(self.submit(name, turn) for name in self.names))
        return time.perf_counter() - began, list(times)

    async def spread(self, turn: int, seconds: float) -> list[float]:
        """Everybody once, evenly spread; the seconds of each."""

        async def one(k: int, name: str) -> float:
            await asyncio.sleep(seconds * k / len(self.names))
            return await self.submit(name, turn)

        tasks = [one(k, name) for k, name in enumerate(self.names)]
        return list(await asyncio.gather(*tasks))

    async def steady(self, waiting: int, seconds: float, turn: int) -> tuple[int, float]:
        """As many submissions as possible with some of them waiting at any time."""
        end, counts = time.perf_counter() + seconds, [0] * waiting
        began = time.perf_counter()

        async def one(k: int) -> None:
            mine = self.names[k::waiting]
            step = 0
            while time.perf_counter() < end:
                await self.submit(mine[step % len(mine)], turn + step // len(mine))
                counts[k] += 1
                step += 1

        await asyncio.gather(*(one(k) for k in range(waiting)))
        return sum(counts), time.perf_counter() - began


async def watch(
    url: str, headers: dict[str, str], ready: asyncio.Event, heard: list[float]
) -> None:
    """One viewer, who notes when it was told something."""
    host, port = url.removeprefix("http://").partition("/")[0].split(":")
    path = "/" + url.removeprefix("http://").partition("/")[2]
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    await writer.drain()
    while line := await reader.readline():
        if line.startswith(b"retry:"):
            ready.set()
        elif line.startswith(b"data:"):
            heard.append(time.perf_counter())
            break
    writer.close()


async def viewers(server: LiveServer, sale: Sale, crowd: Crowd, number: int) -> dict[str, float]:
    """Many viewers of one auction; how long it takes until all know of an announcement."""
    url = f"http://127.0.0.1:{server.port}/api/v1/auctions/{sale.auction}/events"
    heard: list[float] = []
    events = [asyncio.Event() for _ in range(number)]
    began = time.perf_counter()
    tasks = []
    for k, event in enumerate(events):
        # Ten streams per credential are allowed: a hundred bidders make a thousand viewers.
        token = sale.tokens[crowd.names[k % len(crowd.names)]]
        headers = {"Authorization": f"Bearer {token}"}
        tasks.append(asyncio.create_task(watch(url, headers, event, heard)))
        if k % 50 == 49:
            await events[k].wait()
    await asyncio.gather(*(event.wait() for event in events))
    connected = time.perf_counter() - began

    told = time.perf_counter()
    await asyncio.to_thread(sale.clerk.do, sale.auction, "announce", {"text": "Hello, everybody."})
    answered = time.perf_counter() - told
    await asyncio.wait_for(asyncio.gather(*tasks), 60)
    return {
        "connect": connected,
        "answered": answered,
        "median told": median(heard) - told,
        "last told": max(heard) - told,
    }


class SignedIn:
    """
    A bidder's person with a page open.

    Parameters
    ----------
    server
        Where.
    auction
        Its id.
    link
        How it gets in.
    number
        Which one; each has an address of its own.
    """

    def __init__(self, server: LiveServer, auction: str, link: str, number: int):
        self.server, self.auction, self.link = server, auction, link
        self.person = Person(server.url, address=f"10.1.{number // 250}.{number % 250 + 1}")
        self.ready = asyncio.Event()
        self.heard: list[float] = []

    async def enter(self, client: httpx.AsyncClient) -> float:
        """Signs in and opens the page of questions; seconds of both."""
        began = time.perf_counter()
        answer = await client.post(self.link, headers=self.person.headers())
        found = re.search(r"__Host-boca=([^;]+)", answer.headers.get("set-cookie", ""))
        assert found, answer.status_code
        self.person.cookie = found[1]
        await self.look(client)
        return time.perf_counter() - began

    async def look(self, client: httpx.AsyncClient) -> float:
        """Its page; seconds."""
        began = time.perf_counter()
        url = f"{self.server.url}/a/{self.auction}/me"
        answer = await client.get(url, headers=self.person.headers())
        assert answer.status_code == 200, answer.status_code
        return time.perf_counter() - began

    async def stay(self, client: httpx.AsyncClient) -> tuple[float, float]:
        """Waits for a change and fetches the page anew; when it had it, and seconds of that."""
        url = f"http://127.0.0.1:{self.server.port}/a/{self.auction}/events"
        await watch(url, self.person.headers(), self.ready, self.heard)
        seconds = await self.look(client)
        return time.perf_counter(), seconds


async def people(server: LiveServer, clerk: Clerk, number: int) -> dict:
    """Figures of many people who are signed in at once."""
    auctions = [opened(clerk, clerk.link) for _ in range(-(-number // NUM_BIDDERS))]
    links = [(auction, link) for auction, links in auctions for link in links.values()][:number]
    crowd = [SignedIn(server, auction, link, k) for k, (auction, link) in enumerate(links)]
    most = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    assert server.process is not None
    before = memory(server.process.pid)
    async with httpx.AsyncClient(timeout=120, limits=most) as client:

        async def come(k: int, one: SignedIn) -> float:
            await asyncio.sleep(60 * k / len(crowd))
            return await one.enter(client)

        entering = await asyncio.gather(*(come(k, one) for k, one in enumerate(crowd)))
        staying = {one: asyncio.create_task(one.stay(client)) for one in crowd}
        await asyncio.gather(*(one.ready.wait() for one in crowd))
        held = memory(server.process.pid)
        told = {}
        for auction, _ in auctions:
            told[auction] = time.perf_counter()
            text = {"text": "Hello, everybody."}
            await asyncio.to_thread(clerk.do, auction, "announce", text)
            await asyncio.sleep(1)
        seen = {one: await task for one, task in staying.items()}
    waits = [at - told[one.auction] for one, (at, _) in seen.items()]
    return {
        "people signed in": len(crowd),
        "entering within a minute: median / 99 % / most s": _quantiles(entering),
        "a page anew: median / 99 % / most s": _quantiles([took for _, took in seen.values()]),
        "from the announcement to it: median / 99 % / most s": _quantiles(waits),
        "server's memory MB before them / with them": f"{before:.0f} / {held:.0f}",
    }


def _quantiles(seconds: Sequence[float]) -> str:
    """Median, 99th percentile and largest."""
    ordered = sorted(seconds)
    return f"{median(ordered):.2f} / {ordered[int(0.99 * len(ordered))]:.2f} / {ordered[-1]:.2f}"


def start_planning(server: LiveServer, clerk: Clerk) -> str:
    """Another auction whose child is learning; its id."""
    names = [f"bidder {i}" for i in range(6)]
    goods = [{"name": f"good {j}"} for j in range(18)]
    text = "\n".join(
        [
            'name = "planner"',
            *(f'[[goods]]\nname = "{good["name"]}"' for good in goods),
            *(f'[[bidders]]\nname = "{name}"' for name in names),
            '[auction]\nmechanism = "boca"\nnum_initial = 40\nnum_total = 50\nclose_early = true',
        ]
    )
    auction = clerk.create(text)
    tokens = {name: clerk.token(auction, name) for name in names}
    clerk.do(auction, "start", {"accept_missing": True})
    wait_for(clerk, auction, "open", seconds=300)
    for name, token in tokens.items():
        truth = draw_truth(name, goods, "10000.00", 1)
        Bot(Client(server.url, token), auction, truth).answer()
    wait_for(clerk, auction, "planning", seconds=60)
    # Python, the engine and its first program take a while to be loaded.
    time.sleep(5)
    return auction


def phase_of(clerk: Clerk, auction: str) -> str:
    phase: str = clerk.client.get(f"/auctions/{auction}")["phase"]
    return phase


def memory(pid: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def measure(server: LiveServer, sale: Sale, num_viewers: int, seconds: float) -> dict:
    """All figures of one run."""
    crowd = Crowd(sale)
    figures: dict = {}
    whole, times = await crowd.at_once(1)
    figures["100 at one instant: all receipts after s"] = round(whole, 2)
    figures["100 at one instant: median s"] = round(median(times), 2)
    times = sorted(await crowd.spread(2, 10))
    figures["100 spread over 10 s: median s"] = round(median(times), 2)
    figures["100 spread over 10 s: 99th of 100 s"] = round(times[98], 2)
    planner = await asyncio.to_thread(start_planning, server, sale.clerk)
    whole, _ = await crowd.at_once(3)
    still = await asyncio.to_thread(phase_of, sale.clerk, planner)
    figures[f"100 at one instant beside a child ({still}): all after s"] = round(whole, 2)
    await asyncio.to_thread(sale.clerk.do, planner, "cancel", {"reason": "measured"})
    for k, waiting in enumerate((1, 8, 32)):
        count, took = await crowd.steady(waiting, seconds, 1000 * (k + 1))
        figures[f"durable submissions/s, {waiting} waiting"] = round(count / took, 1)
    assert server.process is not None
    before = memory(server.process.pid)
    told = await viewers(server, sale, crowd, num_viewers)
    figures[f"{num_viewers} viewers: connected after s"] = round(told["connect"], 2)
    figures[f"{num_viewers} viewers: announcement answered after s"] = round(told["answered"], 2)
    figures[f"{num_viewers} viewers: half told after s"] = round(told["median told"], 2)
    figures[f"{num_viewers} viewers: last told after s"] = round(told["last told"], 2)
    figures["server's memory MB before viewers / now"] = (
        f"{before:.0f} / {memory(server.process.pid):.0f}"
    )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--people", type=int, default=0, help="bidders signed in at once, only")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--data", type=Path, help="folder on the disk to measure; temporary")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # Both ends of every stream need a file; children inherit the limit.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        server = LiveServer(Path(folder) / "data").start()
        try:
            clerk = server.clerk()
            figures = {"load average": round(os.getloadavg()[0], 1)}
            figures["fdatasync/s of this disk, before"] = round(fsync_rate(Path(folder)), 1)
            if options.people:
                figures |= asyncio.run(people(server, clerk, options.people))
                return show(figures, options.json)
            sale = with_tokens(server, clerk)
            figures |= asyncio.run(measure(server, sale, options.viewers, options.seconds))
            figures["fdatasync/s of this disk, after"] = round(fsync_rate(Path(folder)), 1)
        finally:
            server.stop()
    show(figures, options.json)


def show(figures: dict, as_json: bool) -> None:
    """Prints all figures."""
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:55} {value}")


def with_tokens(server: LiveServer, clerk: Clerk) -> Sale:
    """The auction, with a token for each bidder and its round open."""
    auction, tokens = opened(clerk, clerk.token)
    return Sale(server, clerk, auction, {}, tokens)


def opened(clerk: Clerk, invite: Callable[[str, str, str], str]) -> tuple[str, dict[str, str]]:
    """A new auction with its round open, and what each bidder was invited with."""
    auction = clerk.create(MARKET)
    invited = {name: invite(auction, name, "somebody") for name in clerk.bidders(auction)}
    clerk.do(auction, "start", {"accept_missing": True})
    wait_for(clerk, auction, "open", seconds=300)
    return auction, invited


if __name__ == "__main__":
    main()
