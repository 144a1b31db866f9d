"""
``boca wdp`` beside bare HiGHS, on auctions of the published CATS distributions.

    python benchmarks/cats.py                        # 64 goods and 250 bids, 256 and 1000
    python benchmarks/cats.py --sizes 64x250 --only paths L3 --seeds 1 2 3
    python benchmarks/cats.py --write FOLDER         # the files, for other programs

Bare HiGHS is the set-packing problem as a textbook has it: one binary variable per bid, one row per
good and dummy good, written with highspy alone. Each measurement has a fresh process of its own,
which imports and warms up before the clock starts, and reads the file after; all of one file follow
each other. Seconds are processor time, of which a busy machine takes little more than an idle one;
the limit is wall-clock time. All programs use one thread.
"""

import argparse
import contextlib
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cats_markets import DISTRIBUTIONS, draw_auction
from cats_markets.auction import Bid, CatsAuction

SIZES = ("64x250", "256x1000")
PROGRAMS = ("HiGHS", "boca", "VCG")
GRACE = 15.0  # seconds beyond the limit for starting, warming up and ending in good order
WARM = CatsAuction(2, ((Bid((0,), 1.0), Bid((1,), 2.0)), (Bid((0, 1), 2.5),)))


@dataclass(frozen=True)
class Measurement:
    """
    What one program made of one file.

    Parameters
    ----------
    seconds
        Processor time from opening the file to the answer, without start-up.
    welfare
        Sum of the prices of the winning bids; None if there was no answer.
    is_proven
        Whether the answer was proven optimal within the limit.
    """

    seconds: float
    welfare: float | None
    is_proven: bool

    def __str__(self) -> str:
        mark = "" if self.is_proven else ">" if self.welfare is None else "~"
        return f"{mark}{self.seconds:.2f}"


def bare_highs(path: str, limit: float) -> tuple[float, bool]:
    """
    Welfare and whether it is proven, by HiGHS alone.

    Parameters
    ----------
    path
        A CATS file.
    limit
        Seconds for the solver.
    """
    import highspy
    import numpy as np

    prices, rows, num_rows = [], [], 0
    for line in Path(path).read_text().splitlines():
        words = line.split()
        if words and words[0] in ("goods", "dummy"):
            num_rows += int(words[1])
        elif words and words[0].isdecimal():
            prices.append(float(words[1]))
            rows.append([int(word) for word in words[2:-1]])

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("time_limit", limit)
    highs.setOptionValue("mip_rel_gap", 0.0)
    for _ in range(num_rows):
        highs.addRow(-highspy.kHighsInf, 1.0, 0, np.array([], dtype=np.int32), np.array([]))
    for column, (price, asked) in enumerate(zip(prices, rows, strict=True)):
        highs.addCol(
            price, 0.0, 1.0, len(asked), np.array(asked, dtype=np.int32), np.ones(len(asked))
        )
        highs.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    highs.run()
    proven = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return highs.getInfo().objective_function_value, proven


def boca_wdp(path: str, limit: float, payments: str) -> tuple[float, bool]:
    """
    Welfare and whether it is proven, by ``boca wdp``.

    Parameters
    ----------
    path
        A CATS file.
    limit
        Seconds that the command is allowed.
    payments
        Payment rule: none or vcg.
    """
    from boca.cli.main import main

    words = ["wdp", path, "--payments", payments, "--json", *_limit_option(limit)]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main(words)
    answer = json.loads(printed.getvalue())
    gap = answer["bound"] - answer["surplus"]
    return answer["welfare"], gap <= 1e-6 * max(abs(answer["surplus"]), 1e-300)


def _limit_option(limit: float) -> list[str]:
    """The option that limits the time, where the installed version has it."""
    import inspect

    from boca.cli.wdp import wdp

    return (
        ["--max-seconds", str(limit)] if "max_seconds" in inspect.signature(wdp).parameters else []
    )


SOLVERS: dict[str, Callable[[str, float], tuple[float, bool]]] = {
    "HiGHS": bare_highs,
    "boca": lambda path, limit: boca_wdp(path, limit, "none"),
    "VCG": lambda path, limit: boca_wdp(path, limit, "vcg"),
}


def child(program: str, path: str, warm: str, limit: float) -> None:
    """Warms up, measures one program on one file and prints the measurement."""
    SOLVERS[program](warm, limit)
    start = time.process_time()
    welfare, is_proven = SOLVERS[program](path, limit)
    print(json.dumps([time.process_time() - start, welfare, is_proven]))


def measure(program: str, path: Path, warm: Path, limit: float) -> Measurement:
    """A measurement in a process of its own, ended when it takes too long."""
    words = [sys.executable, __file__, "--child", program, str(path), str(warm), str(limit)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        return Measurement(limit, None, False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        print(f"  {program} failed on {path.name}: {' '.join(last)}", flush=True)
        return Measurement(limit, None, False)
    return Measurement(*json.loads(done.stdout.strip().splitlines()[-1]))


def write(folder: Path, name: str, size: str, seed: int) -> Path:
    """The file of an auction, made if it is not there yet."""
    num_goods, num_bids = (int(word) for word in size.split("x"))
    path = folder / f"{name}-{size}-{seed}.cats"
    if not path.exists():
        title = f"CATS distribution {name}, {num_goods} goods, {num_bids} bids, seed {seed}"
        path.write_text(draw_auction(name, num_goods, num_bids, seed).to_text(title))
    return path


def compare(folder: Path, size: str, names: list[str], seeds: list[int], limit: float) -> None:
    """Measures all programs on all files of a size and prints the table with its sums."""
    warm = folder / "warm.cats"
    warm.write_text(WARM.to_text("to warm up"))
    print(f"\n{size.replace('x', ' goods, ')} bids; processor seconds, limit {limit:g} s per solve")
    print("~ not proven within the limit, > no answer within the limit, ! welfare differs\n")
    print(
        f"{'distribution':<14}{'seed':>5}"
        + "".join(f"{name:>10}" for name in PROGRAMS)
        + f"{'boca/HiGHS':>12}{'VCG/boca':>10}"
    )
    rows = []
    for name in names:
        for seed in seeds:
            path = write(folder, name, size, seed)
            row = [measure(program, path, warm, limit) for program in PROGRAMS]
            rows.append(row)
            cells = "".join(f"{cell!s:>10}" for cell in row)
            ratios = f"{_ratio(row[1], row[0]):>12}{_ratio(row[2], row[1]):>10}"
            print(f"{name:<14}{seed:>5}{cells}{ratios}{_difference(row)}", flush=True)
    _print_sums(rows)


def _ratio(upper: Measurement, lower: Measurement) -> str:
    if upper.welfare is None or lower.welfare is None:
        return "-"
    return f"{upper.seconds / max(lower.seconds, 1e-9):.2f}"


def _difference(row: list[Measurement]) -> str:
    """A mark where two programs call different welfare optimal."""
    proven = [cell.welfare for cell in row if cell.is_proven and cell.welfare is not None]
    return "  !" if proven and max(proven) - min(proven) > 1e-5 * max(proven) else ""


def _print_sums(rows: list[list[Measurement]]) -> None:
    finished = [row for row in rows if all(cell.is_proven for cell in row)]
    proven = [sum(row[k].is_proven for row in rows) for k in range(len(PROGRAMS))]
    print(f"{'proven, of ' + str(len(rows)):<19}" + "".join(f"{count:>10}" for count in proven))
    for label, chosen in (("sum, all files", rows), ("sum, all finished", finished)):
        sums = [sum(row[k].seconds for row in chosen) for k in range(len(PROGRAMS))]
        ratios = (
            f"{sums[1] / sums[0]:>12.2f}{sums[2] / sums[1]:>10.2f}" if sums[0] and sums[1] else ""
        )
        print(f"{label:<19}" + "".join(f"{total:>10.2f}" for total in sums) + ratios)
    ratios_of_vcg = [row[2].seconds / row[1].seconds for row in finished]
    if ratios_of_vcg:
        print(f"VCG / boca, median of finished files: {statistics.median(ratios_of_vcg):.2f}")


def main() -> None:
    """Reads the command line and measures or writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), metavar="GOODSxBIDS")
    parser.add_argument("--only", nargs="+", default=list(DISTRIBUTIONS), choices=DISTRIBUTIONS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--limit", type=float, default=30.0, help="seconds per solve")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the files and stop")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        program, path, warm, limit = options.child
        child(program, path, warm, float(limit))
        return

    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            for name in options.only:
                for seed in options.seeds:
                    print(write(options.write, name, size, seed))
        return

    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            compare(Path(folder), size, options.only, options.seeds, options.limit)


if __name__ == "__main__":
    main()
