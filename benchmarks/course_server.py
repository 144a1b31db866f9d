"""
A live allocation of courses under load: students come, rate courses and compare weeks through the
pages that they see, and how long each kind of request takes.

    python benchmarks/course_server.py --students 100 --seconds 60
    python benchmarks/course_server.py --students 1000 --seconds 3600
    python benchmarks/course_server.py --students 60 --seconds 60 --kills 10

Starts a real server in a temporary folder. Everybody gets a link, comes at a moment of its own,
enters, fills in the form, and answers some comparisons by tastes that were drawn. Prices are
renewed in the background meanwhile. With --kills the server is ended by SIGKILL at random moments
and started again; students repeat what had no answer. In the end the registrar shares out the
seats, and the log is read: every receipt that a student saw must be in it, with what it had sent,
and once.
"""

import argparse
import asyncio
import html
import json
import random
import re
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from live_server import LiveServer, Person

from boca.live.ledger import check_chain, read_lines
from boca_verify import verify

NUM_COURSES, MOST = 25, 5
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")


@dataclass
class Times:
    """Seconds of requests by kind, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    num_repeated: int = 0
    num_refused: int = 0

    def table(self) -> list[str]:
        lines = [f"{'request':<28}{'number':>8}{'median':>10}{'99 %':>10}{'largest':>10}"]
        for kind, row in sorted(self.seconds.items()):
            row.sort()
            low, high = row[len(row) // 2], row[min(int(0.99 * len(row)), len(row) - 1)]
            lines.append(
                f"{kind:<28}{len(row):>8}{1000 * low:>7.0f} ms{1000 * high:>7.0f} ms"
                f"{1000 * row[-1]:>7.0f} ms"
            )
        return lines


def tables(num_students: int, rng: random.Random) -> dict[str, bytes]:
    """Courses with times and scarce seats, and students who may take five."""
    seats = max(1, round(num_students * MOST * 1.25 / NUM_COURSES))
    courses = ["course,seats,slots"]
    for j in range(NUM_COURSES):
        day, hour = rng.choice(DAYS), rng.randrange(8, 18)
        courses.append(f"Course {j + 1:02d},{seats},{day} {hour}-{hour + 2}")
    students = ["student,max_courses"]
    students += [f"Student {i + 1:04d},{MOST}" for i in range(num_students)]
    return {
        "courses.csv": "\n".join(courses).encode(),
        "students.csv": "\n".join(students).encode(),
    }


class Student:
    """
    One student with tastes of its own.

    Parameters
    ----------
    number, link
        Which one, and how it gets in.
    seed
        Of its tastes.
    popularity
        How much everybody likes each course.
    """

    def __init__(self, number: int, link: str, seed: int, popularity: list[float]):
        self.number, self.link = number, link
        self.random = random.Random(f"{seed} {number}")
        self.likes = [min(max(p + self.random.gauss(0, 20), 1), 100) for p in popularity]
        self.address = f"10.{number // 62500}.{number // 250 % 250}.{number % 250 + 1}"
        self.person = Person("")
        self.receipts: list[tuple[str, str]] = []

    def headers(self, url: str) -> dict[str, str]:
        cookie = {"Cookie": f"__Host-boca={self.person.cookie}"} if self.person.cookie else {}
        return {**cookie, "Origin": url, "X-Forwarded-For": self.address}


class Crowd:
    """
    All students at once.

    Parameters
    ----------
    url, auction
        Where.
    students
        Who.
    num_answers
        Comparisons per student.
    think
        Mean of the seconds between two requests of a student.
    """

    def __init__(
        self, url: str, auction: str, students: list[Student], num_answers: int, think: float
    ):
        self.url, self.here, self.students = url, f"{url}/a/{auction}", students
        self.num_answers, self.think = num_answers, think
        self.times = Times()
        self.client = httpx.AsyncClient(
            timeout=60, limits=httpx.Limits(max_connections=500, max_keepalive_connections=100)
        )

    async def run(self, seconds: float) -> None:
        """Everybody, each from a moment of its own; once per second a page that does nothing."""
        idle = asyncio.create_task(self.look_at_health())
        await asyncio.gather(*(self.visit(s, seconds) for s in self.students))
        idle.cancel()
        await self.client.aclose()

    async def look_at_health(self) -> None:
        """What a request costs on this machine at least, at the same time."""
        while True:
            began = time.perf_counter()
            with suppress(httpx.HTTPError):
                await self.client.get(f"{self.url}/health")
                self.times.seconds["(health, next to no work)"].append(time.perf_counter() - began)
            await asyncio.sleep(1)

    async def visit(self, student: Student, seconds: float) -> None:
        await asyncio.sleep(student.random.uniform(0, seconds))
        entered = await self.send(student, "enter", student.link, {})
        found = re.search(r"__Host-boca=([^;]+)", entered.headers.get("set-cookie", ""))
        if not found:
            raise RuntimeError(f"{student.link} does not let anybody in: {entered.status_code}")
        student.person.cookie = found[1]
        await self.pause(student)
        page = await self.get(student, "page of ratings", "ratings")
        rated = student.random.sample(range(NUM_COURSES), 12)
        form = {f"points-{j}": str(round(student.likes[j])) for j in rated}
        form["basis"] = self.field(page, "basis")[0]
        await self.confirm(student, "confirm ratings", "ratings", form)
        for _ in range(self.num_answers):
            await self.pause(student)
            page = await self.get(student, "question", "compare")
            weeks = {name: self.field(page, name) for name in ("first", "second")}
            if not weeks["first"] and not weeks["second"]:
                return
            worth = [sum(student.likes[int(c[-2:]) - 1] for c in weeks[n]) for n in weeks]
            answer = "first" if worth[0] > worth[1] else "second"
            sent = {**weeks, "answer": answer, "basis": self.field(page, "basis")[0]}
            await self.confirm(student, "confirm answer", "compare", sent)

    async def pause(self, student: Student) -> None:
        await asyncio.sleep(student.random.expovariate(1 / self.think))

    @staticmethod
    def field(page: str, name: str) -> list[str]:
        found = re.findall(rf'name="{name}" value="([^"]*)"', page)
        return [html.unescape(value) for value in found]

    async def get(self, student: Student, kind: str, page: str) -> str:
        return (await self.send(student, kind, f"{self.here}/{page}", None)).text

    async def confirm(
        self, student: Student, kind: str, page: str, fields: dict[str, object]
    ) -> None:
        """Sends a form until it is answered, and keeps the number of the receipt."""
        data = {"csrf": student.person.form_token(), **fields}
        answer = await self.send(student, kind, f"{self.here}/{page}", data)
        found = re.search(r"[0-9a-f]{64}", answer.headers.get("location", ""))
        if not found:
            self.times.num_refused += 1
            raise RuntimeError(f"{kind} was refused ({answer.status_code}): {answer.text[-2000:]}")
        shown = {name: value for name, value in fields.items() if name != "basis"}
        student.receipts.append((found[0], json.dumps(shown, sort_keys=True)))

    async def send(
        self, student: Student, kind: str, address: str, data: dict[str, object] | None
    ) -> httpx.Response:
        """One request, again and again while the server is not there."""
        while True:
            began = time.perf_counter()
            try:
                headers = student.headers(self.url)
                if data is None:
                    answer = await self.client.get(address, headers=headers)
                else:
                    answer = await self.client.post(address, data=data, headers=headers)
            except httpx.HTTPError:
                answer = None
            if answer is not None and answer.status_code not in (409, 429, 500, 503):
                self.times.seconds[kind].append(time.perf_counter() - began)
                return answer
            self.times.num_repeated += 1
            await asyncio.sleep(0.3)


def upload(boss: Person, sent: dict[str, bytes], num_answers: int) -> str:
    """Makes an allocation; its id."""
    answer = boss.client.post(
        f"{boss.url}/new/courses",
        data={
            "csrf": boss.form_token(),
            "name": "benchmark",
            "minutes": "10000",
            "questions": str(max(num_answers, 1)),
        },
        files=[("files", (name, content, "text/csv")) for name, content in sent.items()],
        headers=boss.headers(),
        timeout=300,
    )
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].split("/")[2]


async def killer(
    server: LiveServer, boss: Person, auction: str, kills: int, seconds: float, rng: random.Random
) -> None:
    """Ends the server at random moments and starts it again."""
    for _ in range(kills):
        await asyncio.sleep(rng.uniform(0.3, 1.7) * seconds / max(kills, 1))
        assert server.process is not None
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        await asyncio.to_thread(server.start)
        page = await asyncio.to_thread(boss.get, f"/a/{auction}/do/resume")
        if page.status_code == 200:  # it took over half a minute, so that answers were paused
            fields = {"key": f"resume-{time.time():.0f}", "reason": ""}
            await asyncio.to_thread(boss.post, f"/a/{auction}/do/resume", fields)


def examine(boss: Person, auction: str, students: list[Student]) -> dict[str, object]:
    """What became of every receipt, and whether the log is whole."""
    # Of forms and answers the registrar sees records without bodies, which is enough here.
    log = read_lines(boss.get(f"/a/{auction}/log.jsonl").text.splitlines(keepends=True))
    check_chain(log.records)
    known = {record.hash for record in log.records}
    receipts = [hash_ for student in students for hash_, _ in student.receipts]
    wrong = 0
    for student in students:
        for hash_, sent in student.receipts:
            page = student.person.client.get(
                f"{boss.url}/a/{auction}/receipts/{hash_}.json", headers=student.headers(boss.url)
            )
            body, shown = page.json()["body"], json.loads(sent)
            if "answer" in shown:
                same = (body["first"], body["second"]) == (shown["first"], shown["second"])
                wrong += not (same and body["answer"] == shown["answer"])
            else:
                points = {k: int(v) for k, v in shown.items() if k.startswith("points-")}
                told = {f"points-{int(c[-2:]) - 1}": n for c, n in body["ratings"].items()}
                wrong += points != told
    said = sum(record.kind in ("rated", "compared") for record in log.records)
    return {
        "confirmed": len(receipts),
        "lost": sum(hash_ not in known for hash_ in receipts),
        "changed": wrong,
        "taken twice": said - len(set(receipts)),
        "prices renewed": sum(record.kind == "priced" for record in log.records),
    }


def assign(boss: Person, auction: str) -> float:
    """Shares out the seats; seconds until it is decided."""
    began = time.perf_counter()
    boss.post(f"/a/{auction}/do/stop", {"key": "stop-now-1", "reason": "The hour is over."})
    boss.post(f"/a/{auction}/do/close", {"key": "close-now-1", "name": "benchmark"})
    while "do/publish" not in boss.get(f"/a/{auction}/outcome").text:
        time.sleep(0.5)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--answers", type=int, default=10, help="comparisons per student")
    parser.add_argument("--seconds", type=float, default=60, help="in which students come")
    parser.add_argument("--think", type=float, default=5, help="mean seconds between requests")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        server = LiveServer(Path(folder) / "data").start()
        try:
            boss = server.auctioneer()
            auction = upload(boss, tables(options.students, rng), options.answers)
            page = boss.client.post(
                f"{server.url}/a/{auction}/bidders",
                data={"csrf": boss.form_token(), "do": "everybody"},
                headers=boss.headers(),
                timeout=600,
            )
            links = re.findall(r'class="secret">([^<]+)<', page.text)
            assert len(links) == options.students, page.text[:500]
            boss.post(f"/a/{auction}/do/start", {"key": "start-now-1"})
            popularity = [rng.uniform(20, 80) for _ in range(NUM_COURSES)]
            students = [Student(i, link, options.seed, popularity) for i, link in enumerate(links)]
            crowd = Crowd(server.url, auction, students, options.answers, options.think)

            async def play() -> None:
                kills = killer(server, boss, auction, options.kills, options.seconds, rng)
                await asyncio.gather(crowd.run(options.seconds), kills)

            began = time.perf_counter()
            asyncio.run(play())
            elapsed = time.perf_counter() - began
            seconds = assign(boss, auction)
            found = examine(boss, auction, students)
            whole = verify(boss.get(f"/a/{auction}/log.jsonl").text.splitlines())
        finally:
            server.stop()
    print(f"{options.students} students, {options.kills} kills, {elapsed:.0f} s of answers")
    print("\n".join(crowd.times.table()))
    print(f"requests that had to be repeated: {crowd.times.num_repeated}")
    for name, value in found.items():
        print(f"{name}: {value}")
    print(f"seats shared out in {seconds:.1f} s; registrar's log: {whole.conclusion}")
    if found["lost"] or found["changed"] or found["taken twice"] or whole.exit_code == 1:
        sys.exit(1)


if __name__ == "__main__":
    main()
