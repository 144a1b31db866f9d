"""
Kills auctions and grids at random moments, lets them go on, and compares with uninterrupted ones.

    python benchmarks/kills.py                 # 40 kills (-9): 24 of auctions, 16 of grids
    python benchmarks/kills.py --auctions 6 --grids 4 --seed 7
    python benchmarks/kills.py --grids 0 --auction "lsvm --mechanism hybrid --budget 24"

An auction with networks (a toy market and a small budget, unless another is named) is killed,
resumed, killed again, and so on until it has had its kills; then it may end. Queries, answers,
outcome and payments must be those of the same auction without kills, and every file of its folder
must be there. A grid is killed with its workers and started again. Moments are uniform over the
time that the uninterrupted command took, from its first import on; a command that ends before its
moment has come counts no kill.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KILLS_PER_COMMAND = 4
AUCTION = "toy --initial 4 --per-round 2 --budget 12"
FILES = ("params.toml", "regret.png", "result.json", "rounds.csv", "state.json")
RESULT_KEYS = (
    "allocation",
    "payments",
    "true_values",
    "welfare",
    "welfare_bound",
    "path",
    "stopped",
    "revenue",
)
STATE_KEYS = ("reports", "demands", "declined", "num_asked", "phase", "closed")

GRID = """
name = "grid"
seeds = "{seed}-{last}"
domains = ["toy"]
mechanisms = ["random", "svr"]

[auction]
num_initial = 4
num_per_round = 2
num_total = 10
"""


@dataclass
class Tally:
    """
    What has happened so far.

    Parameters
    ----------
    kills
        Processes that were killed.
    commands
        Auctions or grids that were compared in the end.
    differences
        What differed, one line each.
    """

    kills: int = 0
    commands: int = 0
    differences: list[str] = field(default_factory=list)


def boca(*words: str) -> subprocess.Popen[bytes]:
    """Starts a command in a process group of its own, so that its workers die with it."""
    return subprocess.Popen(
        [sys.executable, "-m", "boca", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(*words: str) -> float:
    """Lets a command end and returns the seconds it took; it must not fail."""
    start = time.monotonic()
    process = boca(*words)
    _, errors = process.communicate()
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise RuntimeError(f"boca {' '.join(words)} ended with {process.returncode}: {last}")
    return time.monotonic() - start


def kill_after(seconds: float, *words: str) -> bool:
    """Starts a command, kills it at a moment, and says whether it still ran by then."""
    process = boca(*words)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    finally:
        if process.stderr:
            process.stderr.close()
    return False


def kill_and_finish(
    words: Callable[[], tuple[str, ...]], moments: random.Random, seconds: float, kills: int
) -> int:
    """
    Kills a command several times and then lets it end.

    Parameters
    ----------
    words
        Gives the command that begins or goes on, as things stand.
    moments
        Source of the moments.
    seconds
        What the uninterrupted command took.
    kills
        How often to kill.

    Returns how often it was really killed.
    """
    count = 0
    for _ in range(kills):
        if not kill_after(moments.uniform(0, seconds), *words()):
            break
        count += 1
    finish(*words())
    return count


def kill_auctions(
    folder: Path, auction: str, kills: int, moments: random.Random, tally: Tally
) -> None:
    """Kills auctions, each several times, and compares their folders."""
    goal = tally.kills + kills
    seed = 0
    while tally.kills < goal:
        seed += 1
        plain, killed = folder / f"plain-{seed}", folder / f"killed-{seed}"
        start = ("run", *auction.split(), "--seed", str(seed), "--quiet")
        seconds = finish(*start, "--out", str(plain))

        def go_on(start: tuple[str, ...] = start, killed: Path = killed) -> tuple[str, ...]:
            if (killed / "state.json").exists():
                return ("run", "--resume", str(killed), "--quiet")
            return (*start, "--out", str(killed), "--force")

        count = kill_and_finish(go_on, moments, seconds, min(KILLS_PER_COMMAND, goal - tally.kills))
        tally.kills += count
        tally.commands += 1
        differences = compare_auctions(plain, killed)
        tally.differences += [f"auction {seed}: {text}" for text in differences]
        verdict = "equal" if not differences else "DIFFERENT"
        print(f"auction {seed}: {count} kills, {verdict}", flush=True)


def compare_auctions(plain: Path, killed: Path) -> list[str]:
    """What differs between two folders of the same auction."""
    missing = [name for name in FILES if not (killed / name).exists()]
    if missing:
        return [f"no {name}" for name in missing]
    differences = []
    for file, keys in (("result.json", RESULT_KEYS), ("state.json", STATE_KEYS)):
        first, second = (json.loads((path / file).read_text()) for path in (plain, killed))
        differences += [f"{file}, {key}" for key in keys if first[key] != second[key]]
    return differences


def kill_grids(folder: Path, kills: int, moments: random.Random, tally: Tally) -> None:
    """Kills grids with their workers, each several times, and compares their stores."""
    goal = tally.kills + kills
    number = 0
    while tally.kills < goal:
        number += 1
        file = folder / f"grid-{number}.toml"
        file.write_text(GRID.format(seed=10 * number, last=10 * number + 1))
        plain, killed = folder / f"store-{number}", folder / f"killed-store-{number}"
        seconds = finish("experiment", "run", str(file), "--workers", "1", "--out", str(plain))
        words = ("experiment", "run", str(file), "--workers", "1", "--out", str(killed))
        count = kill_and_finish(
            lambda words=words: words, moments, seconds, min(KILLS_PER_COMMAND, goal - tally.kills)
        )
        tally.kills += count
        tally.commands += 1
        differences = compare_stores(plain, killed)
        tally.differences += [f"grid {number}: {text}" for text in differences]
        verdict = "equal" if not differences else "DIFFERENT"
        print(f"grid {number}: {count} kills, {verdict}", flush=True)


def compare_stores(plain: Path, killed: Path) -> list[str]:
    """What differs between two stores of the same grid."""
    first, second = read_store(plain), read_store(killed)
    if first.keys() != second.keys():
        return [f"runs {sorted(first.keys() ^ second.keys())} are in one store only"]
    return [
        f"run {name}, {key}"
        for name in sorted(first)
        for key in RESULT_KEYS
        if first[name][key] != second[name][key]
    ]


def read_store(folder: Path) -> dict[str, dict[str, Any]]:
    """The stored runs by name."""
    paths = sorted((folder / "runs").glob("*.json"))
    return {path.stem: json.loads(path.read_text()) for path in paths}


def main() -> None:
    """Reads the command line, kills, and ends with 1 if anything differs."""
    parser = argparse.ArgumentParser(description="Kills auctions and grids, and compares.")
    parser.add_argument("--auctions", type=int, default=24, help="kills of auctions")
    parser.add_argument("--grids", type=int, default=16, help="kills of grids")
    parser.add_argument("--auction", default=AUCTION, help="what follows boca run, without seed")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        kill_auctions(Path(name), options.auction, options.auctions, moments, tally)
        kill_grids(Path(name), options.grids, moments, tally)
    print(f"{tally.kills} kills of {tally.commands} commands, {len(tally.differences)} differences")
    for text in tally.differences:
        print(f"  {text}")
    sys.exit(1 if tally.differences else 0)


if __name__ == "__main__":
    main()
