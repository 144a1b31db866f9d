"""
Winner determination on networks from real auctions: how good, how well proven, how fast.

Three tables: every problem with the paper's MILP, the one-binary MILP, and ours without and with
proof; whole rounds of an auction; growth with goods and bidders. Times are wall-clock seconds, and
CPU seconds beside them for a machine that is busy. See ``python benchmarks/wdp.py --help``.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boca.core import Economy, InfeasibleAllocation, Market
from boca.functions import MonotoneNet
from boca.milp import MilpParams
from boca.wdp import WelfareProblem, WelfareResult, Workspace, maximise_welfare
from boca.wdp.encodings import MvnnEncoding
from boca.wdp.monolithic import solve_monolithic

NETS = Path(__file__).parent / "data" / "nets"

# Seconds to reach: without proof, with a proof of 0.5 %, and for a whole round without proof.
TARGETS = {"lsvm": (1.0, 4.0, 5.0), "srvm": (1.0, 20.0, 6.0), "mrvm": (2.0, 15.0, 12.0)}
ROUND_PROVEN = {"lsvm": 12.0}
GAP = 0.005


def load(name: str) -> tuple[Market, list[MonotoneNet]]:
    """The market and the networks of a file in ``data/nets``; see the README there."""
    with np.load(NETS / f"{name}.npz") as data:
        functions = []
        for i in range(int(data["num_bidders"])):
            layers = range(int(data[f"{i}/layers"]))
            functions.append(
                MonotoneNet(
                    [data[f"{i}/W{k}"] for k in layers],
                    [data[f"{i}/b{k}"] for k in layers],
                    [data[f"{i}/t{k}"] for k in layers],
                    data[f"{i}/out"],
                    data[f"{i}/skip"],
                )
            )
        return Market.simple(int(data["num_goods"]), len(functions)), functions


@dataclass
class Timed:
    """An answer with the time it took."""

    answer: Any
    seconds: float
    cpu: float


def timed(call: Callable[[], Any]) -> Timed:
    """Calls and measures."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = call()
    return Timed(answer, time.perf_counter() - wall, time.process_time() - cpu)


def show(*cells: object, widths: tuple[int, ...]) -> None:
    """One line of a table."""
    text = [f"{cell:.5f}" if isinstance(cell, float) else str(cell) for cell in cells]
    print("  ".join(t.rjust(w) for t, w in zip(text, widths, strict=True)), flush=True)


def verdict(reached: float, target: float) -> str:
    """Whether a target is met."""
    return f"{reached:.2f} <= {target:g}" if reached <= target else f"{reached:.2f} > {target:g} !"


def compare(names: list[str], milp_limit: float) -> None:
    """First table: each problem with every method."""
    print(f"\nWinner determination, main economy; MILPs stop after {milp_limit:g} s\n")
    widths = (14, 20, 9, 9, 8, 8, 8, 22)
    show("problem", "method", "value", "bound", "gap", "s", "cpu s", "target", widths=widths)
    best_known = json.loads((NETS / "best.json").read_text())
    for name in names:
        market, functions = load(name)
        problem = WelfareProblem(market, functions)
        values = []
        if milp_limit > 0:
            for label, encoding in (
                ("paper's MILP", MvnnEncoding.PAPER),
                ("one-binary MILP", MvnnEncoding.ONE_BINARY),
            ):
                params = MilpParams(time_limit=milp_limit)
                run = timed(lambda q=problem, p=params, e=encoding: program(q, p, e))
                values.append(_line(widths, name, label, run, ""))
        quick, proven, _ = TARGETS[name.split("_")[0]]
        run = timed(lambda p=problem: maximise_welfare(p))
        ours = _line(widths, name, "ours", run, verdict(run.seconds, quick) + " s")
        run = timed(lambda p=problem: maximise_welfare(p, proof=GAP))
        _line(widths, name, "ours, proven to 0.5 %", run, verdict(run.seconds, proven) + " s")
        best = max([best_known[name], *values])
        show("", f"best known {best:.5f}", "", "", "", "", "",
             f"ours {100 * (ours / best - 1):+.3f} %", widths=widths)  # fmt: skip


def program(
    problem: WelfareProblem, params: MilpParams, encoding: MvnnEncoding
) -> WelfareResult | None:
    """The whole problem as one MILP; None if it has no allocation when its time is over."""
    try:
        return solve_monolithic(problem, params, encoding)
    except InfeasibleAllocation:
        return None


def _line(widths: tuple[int, ...], name: str, label: str, run: Timed, note: str) -> float:
    result = run.answer
    if result is None:
        show(name, label, "none", "", "", f"{run.seconds:.2f}",
             f"{run.cpu:.2f}", note, widths=widths)  # fmt: skip
        return -np.inf
    gap = result.bound / result.welfare - 1
    show(
        name,
        label,
        float(result.welfare),
        float(result.bound) if np.isfinite(result.bound) else "-",
        f"{gap:.2%}" if np.isfinite(gap) else "-",
        f"{run.seconds:.2f}",
        f"{run.cpu:.2f}",
        note,
        widths=widths,
    )
    return result.welfare


def round_problems(name: str, seed: int = 0) -> list[tuple[Economy, int | None]]:
    """
    The problems of a round with four queries per bidder.

    The main economy and four marginal ones; then, for every bidder, three marginal economies and
    the main one again with all its bundles known so far excluded, as if every query had to be
    displaced: the most that a round can ask for.
    """
    num_bidders = load(name)[0].num_bidders
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(num_bidders)[:4].tolist()
    main = Economy.main(num_bidders)
    economies = [main, *(Economy.without(j, num_bidders) for j in chosen)]
    again = []
    for i in range(num_bidders):
        others = [e for e in economies[1:] if i in e][:3]
        again += [(economy, i) for economy in [*others, main]]
    return [(economy, None) for economy in economies] + again


def solve_round(name: str, proof: str | float) -> tuple[int, float]:
    """Solves all problems of a round; returns their number and the largest gap."""
    market, functions = load(name)
    num_reports = int(name.split("_")[2])
    rng = np.random.default_rng(0)
    shape = (num_reports, market.num_goods)
    known = [(rng.random(shape) < rng.random((num_reports, 1))).astype(int) for _ in functions]
    shared = Workspace(market, functions)
    bundles = {}
    gaps = []
    problems = round_problems(name)
    for economy, bidder in problems:
        excluded = {}
        if bidder is not None:
            first = bundles[economy.bidders][bidder : bidder + 1]
            known[bidder] = np.concatenate([known[bidder], first])
            excluded = {bidder: known[bidder]}
        problem = WelfareProblem(market, functions, economy, excluded)
        result = maximise_welfare(problem, proof, workspace=shared)
        if bidder is None:
            bundles[economy.bidders] = result.allocation.bundles
        else:
            known[bidder] = np.concatenate([known[bidder], result.allocation.bundles[[bidder]]])
        gaps.append(result.gap)
    return len(problems), max(gaps)


def rounds(names: list[str]) -> None:
    """Second table: all problems of a round."""
    print("\nWhole rounds: five economies, and every query displaced\n")
    widths = (14, 10, 9, 9, 8, 8, 22)
    show("nets", "proof", "problems", "worst gap", "s", "cpu s", "target", widths=widths)
    for name in names:
        kind = name.split("_")[0]
        wanted: list[tuple[str, float]] = [("none", TARGETS[kind][2])]
        if kind in ROUND_PROVEN:
            wanted.append(("optimal", ROUND_PROVEN[kind]))
        for proof, target in wanted:
            run = timed(lambda n=name, p=proof: solve_round(n, p))
            num, gap = run.answer
            show(
                name,
                proof,
                num,
                f"{gap:.2%}" if np.isfinite(gap) else "-",
                f"{run.seconds:.2f}",
                f"{run.cpu:.2f}",
                verdict(run.seconds, target) + " s",
                widths=widths,
            )


def made_net(rng: np.random.Generator, num_goods: int, width: int = 32) -> MonotoneNet:
    """A net of two layers in which a bidder cares about a third of the goods."""
    interest = (rng.random(num_goods) < 1 / 3) + 0.05
    first = rng.random((num_goods, width)) * (rng.random((num_goods, width)) < 0.3)
    first *= interest[:, None] / max(1.0, 0.1 * num_goods)
    second = rng.random((width, width)) / width
    return MonotoneNet(
        [first, second],
        [-0.3 * rng.random(width), -0.1 * rng.random(width)],
        [0.2 + 0.8 * rng.random(width), 0.1 + 0.4 * rng.random(width)],
        rng.random(width) / width,
        0.1 * rng.random(num_goods) * interest / num_goods,
    )


def growth(goods: list[int], bidders: list[int], limit: float) -> None:
    """Third table: nets made by seed, up to 200 goods and 40 bidders."""
    print(f"\nGrowth: nets made by seed, 2 x 32 neurons; proofs stop after {limit:g} s\n")
    widths = (7, 9, 10, 8, 8, 12, 8, 8)
    show("goods", "bidders", "value", "s", "cpu s", "with proof", "gap", "s", widths=widths)
    for num_goods in goods:
        for num_bidders in bidders:
            rng = np.random.default_rng(num_goods * 1000 + num_bidders)
            functions = [made_net(rng, num_goods) for _ in range(num_bidders)]
            problem = WelfareProblem(Market.simple(num_goods, num_bidders), functions)
            quick = timed(lambda p=problem: maximise_welfare(p))
            proven = timed(lambda p=problem: maximise_welfare(p, GAP, time_limit=limit))
            gap = proven.answer.gap
            show(
                num_goods,
                num_bidders,
                float(quick.answer.welfare),
                f"{quick.seconds:.2f}",
                f"{quick.cpu:.2f}",
                float(proven.answer.welfare),
                f"{gap:.2%}" if np.isfinite(gap) else "-",
                f"{proven.seconds:.2f}",
                widths=widths,
            )


def main(arguments: list[str] | None = None) -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--milp-limit", type=float, default=60, help="seconds; 0 leaves MILPs out")
    parser.add_argument("--only", default="", help="part of the names of the nets to use")
    parser.add_argument("--tables", default="compare,rounds,growth", help="which tables to print")
    parser.add_argument("--growth-limit", type=float, default=20, help="seconds for a proof")
    parser.add_argument("--goods", default="18,50,100,200", help="goods in the growth table")
    parser.add_argument("--bidders", default="5,10,20,40", help="bidders in the growth table")
    options = parser.parse_args(arguments)
    names = sorted(path.stem for path in NETS.glob("*.npz") if options.only in path.stem)
    unknown = set(options.tables.split(",")) - {"compare", "rounds", "growth"}
    if unknown:
        parser.error(f"no table '{unknown.pop()}'; there are compare, rounds and growth")
    if "compare" in options.tables:
        compare(names, options.milp_limit)
    if "rounds" in options.tables:
        rounds(names)
    if "growth" in options.tables:
        growth(
            [int(m) for m in options.goods.split(",")],
            [int(n) for n in options.bidders.split(",")],
            options.growth_limit,
        )


if __name__ == "__main__":
    main()
