"""
Hostile visitors of a running server, and how long a rival's calls take beside them.

Each attack runs for some seconds in a process of its own while one bidder asks for its questions
twenty times per second. A server must answer whatever comes with a page or a sentence, write
nothing but lines of JSON, and stay within its memory.
"""

import io
import json
import multiprocessing
import os
import random
import socket
import sys
import threading
import time
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import tomli_w

from hostile_inputs.case import Case
from hostile_inputs.nasty import changed_texts, changed_trees
from hostile_inputs.targets import draw_cases

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from live_server import LiveServer, Sale, market_text, new_address, new_sale

BOTS = Path(__file__).parents[2] / "src" / "boca" / "live" / "bots"
MOST_MEMORY = 1_000_000_000
EVERY = 0.05  # seconds between two calls of the rival
RIVAL = "Club L"
NUM_BIDDERS = 12
PARTS = {
    "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/'
    'package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxml'
    'formats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocu'
    'ment.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" Content'
    'Type="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/'
    'package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/'
    'spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships"><sheets><sheet name="answers" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.open'
    'xmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.open'
    'xmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def sheet_file(rows: str) -> bytes:
    """An XLSX file around the text of its rows."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    text = (
        f'<?xml version="1.0"?><worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, part in {**PARTS, "xl/worksheets/sheet1.xml": text}.items():
            archive.writestr(name, part)
    return file.getvalue()


def hostile_sheets() -> list[bytes]:
    """Sheets that are small to send and large to read; the first cost 13 s of processor time."""
    cell, empty = "<c><v>1</v></c>", "<c/>"
    good = sheet_file(f"<row>{cell * 5}</row>")
    return [
        sheet_file(f"<row>{cell * 300}</row>" * 3590),
        sheet_file(f"<row>{empty * 400_000}</row>"),  # one row, within what may be unpacked
        sheet_file(f'<row r="1">{empty}</row>' * 60_000),  # all of them the first row
        sheet_file(f'<row r="1048576">{cell}</row>'),
        sheet_file(f"<row>{'<c><f>' + 'A1+' * 50_000 + '1</f></c>'}</row>"),
        sheet_file(f'<row><c t="inlineStr"><is><t>{"x" * 500_000}</t></is></c></row>' * 3),
        good[: len(good) // 2],
        good.replace(b"PK\x01\x02", b"PK\x01\x03"),
        b"query;value\n" + b"a;" * 300_000,
        b'"' * 500_000,
        b"\n" * 900_000,
        os.urandom(100_000),
    ]


@dataclass(frozen=True)
class Target:
    """What an attacker knows: the server, an auction, sessions of its own."""

    url: str
    port: int
    auction: str
    cookies: tuple[tuple[str, str], ...]  # session and form token
    links: tuple[str, ...]
    staff: tuple[str, str]  # session and form token of the auctioneer
    files: tuple[bytes, ...]  # market files that are nearly right


Attack = Callable[[Target, random.Random, float, Counter[str]], None]


def count(counts: "Counter[str]", ask: Callable[[], httpx.Response]) -> None:
    """Counts how a request ended; a connection that was closed is an end as well."""
    try:
        counts[str(ask().status_code)] += 1
    except (httpx.HTTPError, OSError):
        counts["closed"] += 1


def upload_sheets(target: Target, rng: random.Random, until: float, counts: "Counter[str]") -> None:
    """Sends one hostile sheet after the other; every third time it leaves at once."""
    sheets, number = hostile_sheets(), 0
    session, token = rng.choice(target.cookies)
    headers = {"Cookie": f"__Host-boca={session}", "Origin": target.url}
    with httpx.Client(headers=headers) as client:
        while time.monotonic() < until:
            content = sheets[number % len(sheets)]
            wait = 0.3 if number % 3 == 2 else 60.0
            number += 1
            count(
                counts,
                lambda c=content, w=wait: client.post(
                    f"{target.url}/a/{target.auction}/sheet",
                    data={"csrf": token},
                    files={"file": ("answers.xlsx", c)},
                    timeout=w,
                ),
            )


def look_at_pages(target: Target, rng: random.Random, until: float, counts: "Counter[str]") -> None:
    """Asks for public pages as fast as it can."""
    paths = ("/", f"/a/{target.auction}/public", f"/a/{target.auction}/rules.json", "/nowhere")
    with httpx.Client(headers={"X-Forwarded-For": new_address()}) as client:
        while time.monotonic() < until:
            count(counts, lambda: client.get(target.url + rng.choice(paths), timeout=60))


def try_links(target: Target, rng: random.Random, until: float, counts: "Counter[str]") -> None:
    """Signs in by links that are right, used up and made up, from one address."""
    headers = {"X-Forwarded-For": f"10.1.1.{rng.randrange(5)}", "Origin": target.url}
    with httpx.Client(headers=headers) as client:
        while time.monotonic() < until:
            made_up = f"{target.url}/enter/{rng.randbytes(32).hex()}"
            link = rng.choice([made_up, made_up, *target.links])
            ask = client.get if rng.random() < 0.5 else client.post
            count(counts, lambda a=ask, to=link: a(to, timeout=60))


def send_rubbish(target: Target, rng: random.Random, until: float, counts: "Counter[str]") -> None:
    """Sends what is not HTTP, heads that never end, and credentials that are good for nothing."""
    words = (
        b"\x16\x03\x01\x02\x00", b"GET / HTTP/9\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nCookie: __Host-boca=" + b"z" * 500 + b"\r\n\r\n",
        b"POST /a/x/check HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    )  # fmt: skip
    kept: list[socket.socket] = []
    while time.monotonic() < until:
        try:
            connection = socket.create_connection(("127.0.0.1", target.port), timeout=2)
            connection.sendall(rng.choice(words))
            kept.append(connection)
            counts["sent"] += 1
        except OSError:
            counts["closed"] += 1
        if len(kept) > 20:
            kept.pop(0).close()


def upload_markets(
    target: Target, rng: random.Random, until: float, counts: "Counter[str]"
) -> None:
    """Looks at market files that are nearly right, makes auctions of them and opens the pages."""
    session, token = target.staff
    headers = {"Cookie": f"__Host-boca={session}", "Origin": target.url}
    with httpx.Client(headers=headers, timeout=60) as client:
        while time.monotonic() < until:
            content = rng.choice(target.files)
            look = {"data": {"csrf": token}, "files": {"file": ("market.toml", content)}}
            count(counts, lambda kw=look: client.post(f"{target.url}/new", **kw))
            text = content.decode(errors="replace")
            make = {"data": {"csrf": token, "text": text}}
            made: list[httpx.Response] = []
            count(
                counts,
                lambda kw=make, to=made: to.append(
                    client.post(f"{target.url}/new/create", **kw)
                ) or to[0],
            )  # fmt: skip
            place = made[0].headers.get("location", "") if made else ""
            for page in ("bidders", "rules", "run", "scenarios") if place.startswith("/a/") else ():
                path = place.rpartition("/")[0]
                count(counts, lambda p=path, q=page: client.get(f"{target.url}{p}/{q}"))


def nearly_right_markets(seed: int, number: int = 400) -> tuple[bytes, ...]:
    """Market files of purchases and exchanges, each changed in a few places."""
    trees = [
        tomllib.loads((BOTS / name).read_text()) for name in ("deliveries.toml", "allotments.toml")
    ]
    kinds = [
        *(changed_trees(tree, "toml") for tree in trees),
        *(changed_texts(tomli_w.dumps(tree)) for tree in trees),
    ]
    cases = [
        case
        for kind in kinds
        for case in draw_cases(
            kind.map(lambda content: Case("serve", "market", (), {"market.toml": content})),
            number // len(kinds),
            seed,
        )
    ]
    return tuple(case.files["market.toml"] for case in cases)


ATTACKS: dict[str, tuple[Attack, int]] = {
    "spreadsheets": (upload_sheets, 8),
    "public pages": (look_at_pages, 20),
    "sign-in storm": (try_links, 20),
    "rubbish": (send_rubbish, 8),
    "market files": (upload_markets, 4),
}


def attack_apart(name: str, target: Target, seconds: float, seed: int, results: object) -> None:
    """Runs an attack with all its threads; in a process of its own."""
    work, num_threads = ATTACKS[name]
    counts: Counter[str] = Counter()
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=work, args=(target, random.Random(f"{seed} {k}"), until, counts))
        for k in range(num_threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 60)
    results.put(counts)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class AttackResult:
    """
    How a server stood an attack.

    Parameters
    ----------
    name, answers
        Which one, and how its requests ended.
    calls
        Seconds that each call of the rival took.
    processor, memory
        Seconds that the server's own process worked, and bytes that it and its children had.
    """

    name: str
    answers: Counter[str]
    calls: list[float]
    processor: float
    memory: int

    @property
    def problems(self) -> list[str]:
        """What must not happen."""
        found = [f"{n} answers {code}" for code, n in self.answers.items() if code == "500"]
        if self.memory > MOST_MEMORY:
            found.append(f"{self.memory / 1e6:.0f} MB")
        return found

    def row(self) -> str:
        ordered = sorted(self.calls)
        middle, late = (ordered[min(int(s * len(ordered)), len(ordered) - 1)] for s in (0.5, 0.99))
        answers = ", ".join(f"{n} x {code}" for code, n in sorted(self.answers.items()))
        return (
            f"{self.name:<15}{len(self.calls):>7}{middle:>9.3f}{late:>9.3f}{ordered[-1]:>9.3f}"
            f"{self.processor:>8.1f}{self.memory / 1e6:>8.0f}  {answers}"
        )


def run_attack(server: LiveServer, sale: Sale, target: Target, name: str, options) -> AttackResult:
    """One attack, or none, beside the calls of a rival."""
    results: multiprocessing.Queue = multiprocessing.Queue()
    pid = server.process.pid
    before = processor_of(pid)
    attacker = multiprocessing.Process(
        target=attack_apart, args=(name, target, options.seconds, options.seed, results)
    )
    if name in ATTACKS:
        attacker.start()
    path = f"{server.url}/api/v1/auctions/{sale.auction}/queries"
    headers = {"Authorization": f"Bearer {sale.tokens[RIVAL]}"}
    calls, memory, until = [], 0, time.monotonic() + options.seconds
    with httpx.Client(headers=headers, timeout=60) as client:
        while time.monotonic() < until:
            began = time.perf_counter()
            answer = client.get(path)
            calls.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.text
            memory = max(memory, memory_of(pid))
            time.sleep(EVERY)
    answers: Counter[str] = Counter()
    if name in ATTACKS:
        answers = results.get(timeout=120)
        attacker.join(60)
    return AttackResult(name, answers, calls, processor_of(pid) - before, memory)


def processor_of(pid: int) -> float:
    """Seconds that a process has worked, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> int:
    """Bytes of a process and its children that are in memory."""
    total = 0
    for status in (pid, *children_of(pid)):
        try:
            pages = int(Path(f"/proc/{status}/statm").read_text().split()[1])
        except (OSError, IndexError):  # it has ended
            continue
        total += pages * os.sysconf("SC_PAGE_SIZE")
    return total


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            continue
    return found


def run_visitors(folder: Path, options) -> int:
    """Runs all attacks on one server; prints a row for each and returns how many problems were."""
    server = LiveServer(folder / "visited").start()
    try:
        clerk = server.clerk()
        sale = new_sale(server, clerk, market_text(NUM_BIDDERS, listed="true"))
        own = [person for name, person in sale.people.items() if name != RIVAL]
        target = Target(
            server.url,
            server.port,
            sale.auction,
            tuple((person.cookie, person.form_token()) for person in own),
            tuple(clerk.link(sale.auction, "Club A", f"guest {k}") for k in range(5)),
            (server.boss.cookie, server.boss.form_token()),
            nearly_right_markets(options.seed),
        )
        print(f"\na rival's calls beside attacks of {options.seconds:g} s each; "
              f"load average {os.getloadavg()[0]:.1f}")  # fmt: skip
        print(f"{'attack':<15}{'calls':>7}{'median':>9}{'99 %':>9}{'longest':>9}"
              f"{'server':>8}{'MB':>8}  answers")  # fmt: skip
        problems = []
        for name in ("none", *ATTACKS, "none again"):
            result = run_attack(server, sale, target, name, options)
            problems += [f"{name}: {problem}" for problem in result.problems]
            print(result.row(), flush=True)
    finally:
        server.stop()
    problems += log_problems(server.log)
    for problem in problems:
        print(f"problem: {problem}")
    print(f"load average at the end {os.getloadavg()[0]:.1f}; {len(problems)} problems")
    return len(problems)


def log_problems(path: Path) -> list[str]:
    """Lines of the server's log that are not JSON, or tell of a bug."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith(("Auctioneer's link", "Listening at")):
            continue
        try:
            row = json.loads(line)
        except ValueError:
            found.append(f"not JSON: {line[:120]}")
            continue
        if "traceback" in row:
            found.append(f"traceback: {row['traceback'].splitlines()[-1][:120]}")
    return found
