"""What commands print and write, for examples and for files drawn by seed."""

import io
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from recorded.steady import Record

# Files that say nothing new, or that hold pictures.
NOT_COMPARED = (".png", ".svg")
RUNS = (
    ("toy", "random", "--budget", "8"),
    ("toy", "random", "--budget", "8", "--payments", "core"),
    ("toy", "random", "--budget", "8", "--ranges", "0.2"),
    ("lanes", "random", "--budget", "8"),
    ("lanes", "random", "--budget", "8", "--payments", "core"),
    ("exchange-srvm", "random", "--budget", "6"),
    ("examples/routes/market.toml", "random", "--budget", "6"),
)


def records(root: Path) -> Iterator[Record]:
    """One record per command line, and one per file that it wrote."""
    os.environ["COLUMNS"] = "120"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = drawn_files(folder)
        # Relative, as the folder's own name would be as long as it is: lines are broken by it.
        examples = Path("examples")
        for path in (examples / "auction.cats", examples / "bids.csv",
                     examples / "routes/bids.csv", *files["bids"]):  # fmt: skip
            for rule in ("vcg", "core", "none"):
                yield from ran(folder, root, "wdp", path, "--payments", rule, "--json")
            yield from ran(folder, root, "wdp", path, "--payments", "core", "--explain")
        for path in (examples / "procurement/award.toml", *files["offers"]):
            for rule in ("none", "offered", "vcg", "core"):
                yield from ran(folder, root, "award", path, "--payments", rule, "--explain")
            yield from ran(folder, root, "award", path, "--verify", "--out", folder / "out")
        for path in (examples / "exchange/quota.csv", *files["trades"]):
            for rule in ("vcg", "threshold", "proportional", "small"):
                yield from ran(folder, root, "exchange", path, "--payments", rule, "--explain")
            yield from ran(folder, root, "exchange", path, "--verify", "--json")
        for path in (examples / "courses", *files["courses"]):
            yield from ran(folder, root, "courses", "assign", path, "--out", folder / "out")
        for path in sorted(Path("tests/data/live").glob("*.jsonl")):
            yield from ran(folder, root, "verify", path)
        for domain, mechanism, *more in RUNS:
            yield from ran(folder, root, "run", domain, "--mechanism", mechanism, "--initial", "4",
                           "--per-round", "2", *more, "--json", "--quiet", "--out",
                           folder / "out")  # fmt: skip


def ran(folder: Path, root: Path, *words: object) -> Iterator[Record]:
    """What a command printed, and the files in its output folder, which is emptied first."""
    from boca.cli.main import run

    shutil.rmtree(folder / "out", ignore_errors=True)
    said, wrong = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(wrong):
        code = run([str(word) for word in words])

    def told(text: str) -> str:
        return text.replace(f"{folder}/", "").replace(f"{root}/", "")

    name = told(" ".join(map(str, words))).replace(" --json --quiet --out out", "")
    yield name, told(f"{said.getvalue()}\n{wrong.getvalue()}\nended with {code}\n")
    for path in sorted((folder / "out").rglob("*")):
        if path.is_file() and path.suffix not in NOT_COMPARED:
            text = told(path.read_text(encoding="utf-8-sig"))
            yield f"{name} : {path.name}", timeless(text) if path.suffix == ".csv" else text


def timeless(text: str) -> str:
    """A table without how long each row took."""
    rows = [line.split(",") for line in text.splitlines()]
    columns = [j for j, title in enumerate(rows[0]) if title.endswith("seconds")]
    return "\n".join(
        ",".join("" if j in columns and i else cell for j, cell in enumerate(row))
        for i, row in enumerate(rows)
    )


def drawn_files(folder: Path) -> dict[str, list[Path]]:
    """Bids, offers, trades and courses by seed, as people write them."""
    from boca.cli.main import run

    files: dict[str, list[Path]] = {"bids": [], "offers": [], "trades": [], "courses": []}
    for seed in range(8):
        rng = random.Random(seed)
        for kind, text in (("bids", bids(rng)), ("offers", offers(rng)), ("trades", trades(rng))):
            path = folder / f"{kind}-{seed}.csv"
            path.write_text(text)
            files[kind].append(path)
    for seed in range(2):
        place = folder / f"courses-{seed}"
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            code = run(["courses", "simulate", str(place), "--students", "30", "--courses", "10",
                        "--seed", str(seed)])  # fmt: skip
        if code:
            raise SystemExit(f"boca courses simulate ended with {code}.")
        files["courses"].append(place)
    return files


def bids(rng: random.Random) -> str:
    """Three goods with copies, reserve prices in every second file."""
    lines = ["bidder,value,a,b,c", f"capacity,,2,1,{rng.randint(1, 4)}"]
    if rng.random() < 0.5:
        lines.append(f"reserve,,{rng.randint(1, 5)},,2")
    for bidder in ("Ann", "Ben", "Cleo", "Dan"):
        lines += [f"{bidder},{rng.randint(5, 60)},{row}" for row in bundles(rng)]
    return "\n".join(lines) + "\n"


def bundles(rng: random.Random) -> list[str]:
    """A few bundles of three goods, none twice."""
    rows = {(rng.randint(0, 2), rng.randint(0, 1), rng.randint(0, 1)) for _ in range(4)}
    return [",".join(map(str, row)) for row in sorted(rows) if any(row)]


def offers(rng: random.Random) -> str:
    """Three lots, which can all be had outside, and offers for one or more of them."""
    lines = ["supplier,cost,a,b,c", "needed,,2,1,1", "at most,,30,40,50"]
    for supplier in ("Nord", "Ost", "Sued", "West"):
        lines += [
            f"{supplier},{sum(map(int, row.split(','))) * rng.randint(15, 40)},{row}"
            for row in bundles(rng)
        ]
    return "\n".join(lines) + "\n"


def trades(rng: random.Random) -> str:
    """Four participants who hold some of two goods, and what other holdings are worth."""
    lines = ["participant,value,x,y", "stock,,2,2"]
    for name in ("Anna", "Birk", "Carla", "Dora"):
        held = rng.randint(0, 3), rng.randint(0, 3)
        taste = rng.randint(5, 40), rng.randint(5, 40)
        rows = {(rng.randint(0, 2), rng.randint(0, 2)) for _ in range(4)} | {held}
        values = {row: row[0] * taste[0] + row[1] * taste[1] for row in sorted(rows) if any(row)}
        lines.append(f"{name},holds,{held[0]},{held[1]}")
        lines += [f"{name},{value},{x},{y}" for (x, y), value in values.items()]
    return "\n".join(lines) + "\n"
