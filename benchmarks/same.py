"""
Does the program still give what it gave, byte for byte?

    make same                                       # the working tree compared with HEAD
    python benchmarks/same.py compare --with v1.2   # with another commit
    python benchmarks/same.py record --of v1.2      # records only

A recording holds logs of four kinds of auctions, what commands print and write, settlements of
small markets, and pages in three languages, each as a text under a name. It is made once for each
commit, from a worktree of its own, and kept in runs/same. Whatever differs is shown as lines; the
command then ends with code 1. What time and chance decide is fixed or masked in recorded/steady.py.
"""

import argparse
import difflib
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
KEPT = ROOT / "runs" / "same"
# Each a process of its own; the longest first, so that two processors end together.
PARTS = ("pages", "commands", "logs", "settlements")
LINES_SHOWN, RECORDS_SHOWN, STDERR_LINES = 12, 40, 40
Texts = dict[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description="Does the program still give what it gave?")
    parser.add_argument("what", choices=["compare", "record", "part"])
    parser.add_argument("--of", default="HEAD", metavar="REV", help="commit to record")
    parser.add_argument("--with", default="HEAD", dest="other", metavar="REV",
                        help="commit to compare with")  # fmt: skip
    parser.add_argument("--part", choices=PARTS, action="append", help="some parts only")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "part":
        write(options.out, part_of(options.part[0], options.root))
        return 0
    parts = options.part or list(PARTS)
    if options.what == "record":
        recorded(options.of, parts)
        return 0
    before = recorded(options.other, parts)
    with tempfile.TemporaryDirectory() as folder:
        after = record(ROOT, parts, Path(folder), "the working tree")
    differences = list(compare(before, after))
    show(differences, len(before))
    return 1 if differences else 0


def part_of(name: str, root: Path) -> Iterator[tuple[str, str]]:
    """The records of one part, made by the code in a folder."""
    import importlib

    from recorded.steady import named

    import boca

    if not Path(boca.__file__).is_relative_to(root):
        raise SystemExit(f"boca is {boca.__file__}, expected one below {root}.")
    return named(name, importlib.import_module(f"recorded.{name}").records(root))


def recorded(revision: str, parts: Iterable[str]) -> Texts:
    """What a commit gave; recorded now unless it was before."""
    commit = git("rev-parse", "--verify", f"{revision}^{{commit}}")
    # Other questions to the same commit are another recording.
    folder = KEPT / f"{commit[:12]}-{fingerprint()}"
    missing = [part for part in parts if not (folder / f"{part}.jsonl.gz").exists()]
    if missing:
        with tempfile.TemporaryDirectory() as temporary:
            tree = Path(temporary) / "tree"
            git("worktree", "add", "--detach", "--quiet", str(tree), commit)
            try:
                record(tree, missing, folder, f"{revision} ({commit[:8]})")
            finally:
                git("worktree", "remove", "--force", str(tree))
    return {name: text for part in parts for name, text in read(folder, part).items()}


def fingerprint() -> str:
    """Changes with the programs that record."""
    from hashlib import sha256

    texts = [path.read_bytes() for path in sorted((HERE / "recorded").glob("*.py"))]
    return sha256(b"".join(texts)).hexdigest()[:8]


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def record(root: Path, parts: Iterable[str], folder: Path, what: str) -> Texts:
    """All parts with the code of a folder, two at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running, began = list(parts), {}, time.monotonic()
    places = ("src", "tests/support", "tests/payments", "benchmarks")
    path = os.pathsep.join(map(str, [HERE, *(root / place for place in places)]))
    # One thread each: sums in another order have other last digits.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "TZ": "UTC"}
    try:
        while waiting or running:
            while waiting and len(running) < 2:
                part = waiting.pop(0)
                words = ["part", "--part", part, "--root", root, "--out", folder / part]
                program = [sys.executable, __file__, *map(str, words)]
                with (folder / f"{part}.stderr").open("wb") as stderr:
                    running[part] = subprocess.Popen(
                        program, env=environment, cwd=root, stderr=stderr
                    )
            for part, process in list(running.items()):
                if process.poll() is None:
                    continue
                del running[part]
                said = folder / f"{part}.stderr"
                if process.returncode:
                    lines = said.read_text(errors="replace").splitlines()
                    print("\n".join(lines[-STDERR_LINES:]), file=sys.stderr)
                    raise SystemExit(f"Recording {part} of {what} failed.")
                said.unlink()
                (folder / part).rename(folder / f"{part}.jsonl.gz")
                seconds = time.monotonic() - began
                print(f"  {what}: {part} recorded after {seconds:.0f} s", flush=True)
            time.sleep(0.2)
    finally:
        for process in running.values():
            process.kill()
    return {name: text for part in parts for name, text in read(folder, part).items()}


def write(path: Path, records: Iterable[tuple[str, str]]) -> None:
    """One line of JSON per record."""
    seen = set()
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for name, text in records:
            if name in seen:
                raise SystemExit(f"Two records are called '{name}'.")
            seen.add(name)
            file.write(json.dumps([name, text]) + "\n")


def read(folder: Path, part: str) -> Texts:
    with gzip.open(folder / f"{part}.jsonl.gz", "rt", encoding="utf-8") as file:
        return dict(json.loads(line) for line in file)


def compare(before: Texts, after: Texts) -> Iterator[tuple[str, list[str]]]:
    """Records that are not the same, and the lines that say how."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield name, ["is new" if old is None else "is gone"]
        elif old != new:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
            # The same lines with other ends differ as well.
            yield name, list(lines)[2:] or ["line ends differ"]


def show(differences: list[tuple[str, list[str]]], num_records: int) -> None:
    """The first lines of the first records that differ, and the names of all of them."""
    width = shutil.get_terminal_size((160, 40)).columns
    for name, lines in differences[:RECORDS_SHOWN]:
        print(f"\n{name}")
        for line in lines[:LINES_SHOWN]:
            print("   ", line[: 4 * width])
        if len(lines) > LINES_SHOWN:
            print(f"    ... {len(lines) - LINES_SHOWN} more lines")
    if differences[RECORDS_SHOWN:]:
        print("\nand", ", ".join(name for name, _ in differences[RECORDS_SHOWN:])[:4000])
    count = f"{len(differences)} of {num_records}" if differences else f"None of {num_records}"
    print(f"\n{count} records differ.")


if __name__ == "__main__":
    sys.exit(main())
