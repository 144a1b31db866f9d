"""One random market assigned, checked from its files, and verified from a live log."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from golden_auction import signing_key
from golden_log import relinked
from random_courses import RandomCourses, random_courses

from boca.cli.courses.checker import check_result
from boca.cli.courses.office import KeptSeats, save, share_out
from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.decide.courses import seating as seating_events
from boca.live.auction.events import Enrolled, Event
from boca.live.auction.seat_market import SeatMarket
from boca.live.work.course_child import SEARCH, seat
from boca.live.work.results import read_seating
from boca.markets.courses import CourseMarket, read_course_files, read_courses
from boca.seats import Seating, SeatParams
from boca_verify import Verdict, verify

AT = "2026-11-16T09:00:00.000000Z"
ENDED = "2026-11-16T11:00:00.000000Z"
# So few attempts leave some markets to be mended.
FEW = SeatParams(num_attempts=2, num_rounds=4, patience=1)
HASTY = replace(SEARCH, num_attempts=1, num_rounds=2, patience=1, budget_moves=0.0)
QUICK = SeatParams(num_attempts=6)


def write(drawn: RandomCourses, folder: Path) -> Path:
    """The tables of a market in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    for name, text in drawn.files.items():
        (folder / name).write_text(text)
    return folder


def assigned(seed: int, folder: Path) -> tuple[CourseMarket, Seating, list[str]]:
    """A market's assignment by command, and what the checker objects to."""
    drawn = random_courses(seed)
    file = read_courses(write(drawn, folder))
    kept = None
    if drawn.earlier:
        had = {name: tuple(courses) for name, courses in drawn.earlier.items()}
        kept = KeptSeats(had, drawn.loyalty)
    params = FEW if seed % 2 else QUICK
    seating = share_out(file, params, seed, kept)
    save(folder / "result", file, seating, params, seed, kept)
    findings = check_result(folder, folder / "result")
    return file, seating, [f"{f.claim}: {f.problems[0]}" for f in findings if f.is_wrong]


def live_request(seed: int) -> dict[str, Any]:
    """What the server would ask its child about a market of a live kind."""
    drawn = random_courses(seed, is_live=True)
    files = {name: text.encode() for name, text in drawn.files.items()}
    file = read_course_files(files, "spring term")
    market = SeatMarket.of(file.tables)
    names = [good.name for good in file.market.goods]
    forms = [
        {
            "ratings": {names[j]: int(row[j]) for j in market.may_take(i) if row[j]},
            "pairs": [
                [names[courses[0]], names[courses[1]], int(points)]
                for courses, points in file.adjustments[i]
            ],
        }
        for i, row in enumerate(file.ratings)
    ]
    return {
        "tables": file.tables,
        "forms": forms,
        "answers": [[] for _ in forms],
        "kept": {},
        "seed": seed,
    }


def live_log(request: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """The log of an allocation that was decided so, sealed and signed."""
    tables = request["tables"]
    market = SeatMarket.of(tables)
    state = SimpleNamespace(phase="deciding", setup=(None, market))
    decided = seating_events(
        state,  # type: ignore[arg-type]
        cmd.TakeSeating(read_seating({**result, "seconds": 1.0})),
        datetime(2026, 11, 16),
    )
    staff = "auctioneer:Zoe"
    rules = {"language": "en", "listed": False, "minutes": 60, "num_questions": 20,
             "publish": "outcome"}  # fmt: skip
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        (AT, "created", {"actor": staff, "format": 1, "is_rehearsal": False, "version": "0",
                         "public_key": signing_key().public}),
        (AT, *_plain(Enrolled(market.students), staff)),
        (AT, "configured", {"actor": staff, "market": market.offer, "rules": rules}),
        (AT, "seeded", {"actor": staff, "seed": request["seed"]}),
    ]  # fmt: skip
    bodies += [
        (AT, "invited", {"access": f"{i:016x}", "actor": staff, "bidder": i, "person": "P"})
        for i in range(market.num_bidders)
    ]
    bodies += [
        (AT, "started", {"actor": staff, "who": "Zoe"}),
        (AT, "round-opened", {"actor": staff, "deadline": "2026-11-16T10:00:00.000000Z",
                              "is_last_call": False, "num_queries": [], "round": 0}),
    ]  # fmt: skip
    for i, form in enumerate(request["forms"]):
        pairs = [{"first": a, "second": b, "points": points} for a, b, points in form["pairs"]]
        bodies.append(
            (AT, "rated", {"actor": f"bidder:{i}/P", "bidder": i, "channel": "page",
                           "digest": "", "pairs": pairs, "ratings": form["ratings"],
                           "received": AT, "request": f"r{i}"})
        )  # fmt: skip
    bodies += [
        (ENDED, "round-closed", {"actor": "server", "round": 0, "unanswered": []}),
        (ENDED, "stopped", {"actor": "server", "reason": "time"}),
        (ENDED, "closed", {"actor": staff}),
        *((ENDED, *_plain(event, "server")) for event in decided),
        (ENDED, "published", {"actor": staff, "head": "", "opened": "outcome"}),
    ]
    entries = []
    for number, (at, kind, body) in enumerate(bodies):
        entries.append({"at": at, "kind": kind, "body": {**body, "salt": f"{number:032x}"}})
    for entry in entries:
        if entry["kind"] == "started":
            configured = next(e for e in entries if e["kind"] == "configured")
            configured["was"] = entry["body"]["configured"] = "f" * 64
    return relinked(entries)


def _plain(event: Event, actor: str) -> tuple[str, dict[str, Any]]:
    return event.kind, json.loads(json.dumps({**event.to_body(), "actor": actor}))


def verified(seed: int) -> tuple[dict[str, Any], Verdict]:
    """A live market's result, and what the verifier says about its log."""
    request = live_request(seed)
    result = seat(request, HASTY if seed % 2 else SEARCH)
    return result, verify(live_log(request, result))


def objections(seed: int, folder: Path) -> list[str]:
    """Everything that checker and verifier hold against honest runs of one seed."""
    wrong = []
    try:
        wrong += [f"check: {text}" for text in assigned(seed, folder)[2]]
    except InputError as error:
        wrong.append(f"assign: {error}")
    try:
        result, verdict = verified(seed)
    except InputError as error:
        return [*wrong, f"seat: {error}"]
    wrong += [f"verify: {finding.text}" for finding in verdict.findings]
    if verdict.exit_code != (0 if result["clears"] else 3):
        wrong.append(f"verify: code {verdict.exit_code}; prices clear: {result['clears']}")
    return wrong
