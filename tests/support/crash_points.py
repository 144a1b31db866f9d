"""
Crashes a server at every step of every command and lets another one go on.

``python crash_points.py DATA [--db URL] [--engine real] [--mechanism M] [--every N] STEP...``
prints one JSON object: how often each step comes, and for each crash whether the auction ended as
without it.
"""

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

from whole_auction import SMALL_ENGINE, counting_draw, drive, essence, open_desk

from boca.live.ledger import check_chain
from boca.live.store import events as event_table

CRASHED = 77


def run(
    data: Path,
    url: str | None,
    program,
    crash: tuple[str, int] | None,
    report: Path,
    mechanism: str = "random",
) -> int:
    """An auction in a process of its own; the exit code, CRASHED if it came to the point."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        counts: Counter[str] = Counter()

        def at_step(step: str) -> None:
            counts[step] += 1
            if crash == (step, counts[step]):
                os._exit(CRASHED)

        desk = open_desk(data, url, program, draw=counting_draw(), at_step=at_step)
        state = drive(desk, mechanism=mechanism)
        with desk.database.connect() as connection:
            records = event_table.read(connection, state.auction)
        check_chain(records)
        requests = [r.body["request"] for r in records if "request" in r.body]
        assert len(requests) == len(set(requests)), requests
        desk.close()
        report.write_text(json.dumps({"essence": essence(state), "counts": counts}))
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("steps", nargs="+")
    parser.add_argument("--db", nargs="*", default=[])
    parser.add_argument("--engine", choices=["small", "real"], default="small")
    parser.add_argument("--mechanism", default="random")
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args()
    program = SMALL_ENGINE if chosen.engine == "small" else None
    databases = iter(chosen.db)
    chosen.data.mkdir(parents=True, exist_ok=True)
    report = chosen.data / "report.json"

    kind = chosen.mechanism
    assert run(chosen.data / "calm", next(databases, None), program, None, report, kind) == 0
    calm = json.loads(report.read_text())
    problems, num_crashes = [], 0
    for step in chosen.steps:
        if step not in calm["counts"]:
            problems.append(f"'{step}' never comes")
        for number in range(1, calm["counts"].get(step, 0) + 1, chosen.every):
            data, url = chosen.data / f"{num_crashes}", next(databases, None)
            if run(data, url, program, (step, number), report, kind) != CRASHED:
                continue  # threads differ: this time the step came less often
            num_crashes += 1
            code = run(data, url, program, None, report, kind)
            if code != 0:
                problems.append(f"after '{step}' number {number}: ended with {code}")
            elif json.loads(report.read_text())["essence"] != calm["essence"]:
                problems.append(f"after '{step}' number {number}: another outcome")
    print(json.dumps({"crashes": num_crashes, "problems": problems, "counts": calm["counts"],
                      "essence": calm["essence"]}))  # fmt: skip


if __name__ == "__main__":
    main()
