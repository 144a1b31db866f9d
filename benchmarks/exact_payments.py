"""
VCG and core payments against exact arithmetic: random auctions with money at every scale.

    python benchmarks/exact_payments.py --problems 20000

Bids are whole units, cents or floats with all their digits, from 1 to 10^12, often one unit apart,
so that a group blocks by a little or not at all; some auctions have reserve prices. Python's
integers try out every way to accept bids for every group of bidders. Then welfare and VCG payments
must be right to the unit, no group may block the core payments, and these must be the cheapest ones
and of those the nearest to VCG, which the conditions of Karush, Kuhn and Tucker prove.
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
from scipy.optimize import nnls

from boca.core import BocaError, Good, Market, Reports
from boca.core.market import Bidder
from boca.payments import quadratic_core

KINDS = ("whole", "cents", "floats")


@dataclass(frozen=True)
class Auction:
    """
    An auction in exact numbers.

    Parameters
    ----------
    kind
        ``whole``, ``cents`` or ``floats``.
    capacities
        Copies of each good.
    bids
        For each bidder its bundles with their values.
    reserve
        Reserve price of each good.
    """

    kind: str
    capacities: tuple[int, ...]
    bids: tuple[dict[tuple[int, ...], Fraction], ...]
    reserve: tuple[Fraction, ...]

    @property
    def market(self) -> Market:
        goods = tuple(Good(f"g{j}", c) for j, c in enumerate(self.capacities))
        return Market(goods, tuple(Bidder(f"b{i}") for i in range(len(self.bids))))

    @property
    def reports(self) -> list[Reports]:
        num_goods = len(self.capacities)
        return [
            Reports(
                np.array(list(own), dtype=int).reshape(-1, num_goods),
                np.array([float(value) for value in own.values()]),
            )
            for own in self.bids
        ]


def draw(seed: int) -> Auction:
    """An auction of two to five bidders; the same seed gives the same one."""
    rng = np.random.default_rng([26, seed])
    num_goods, num_bidders = int(rng.integers(1, 5)), int(rng.integers(2, 6))
    kind = KINDS[int(rng.choice(3, p=[0.45, 0.45, 0.1]))]
    capacities = tuple(rng.choice([1, 1, 1, 2, 3], num_goods).tolist())
    cents = 100 if kind == "cents" else 1
    magnitude = 10 ** int(rng.integers(0, 13))
    # Values of a good that everybody shares; bids differ from their sums by few units.
    style = rng.choice(["near", "free", "ties"])
    base = rng.integers(1, magnitude * cents + 1, num_goods)
    bids = []
    for _ in range(num_bidders):
        own: dict[tuple[int, ...], Fraction] = {}
        for _ in range(int(rng.integers(1, 4))):
            bundle = tuple(int(rng.integers(0, c + 1)) for c in capacities)
            if not any(bundle):
                continue
            if style == "near":
                units = int(np.dot(base.astype(object), bundle)) + int(rng.integers(-3, 4))
            elif style == "ties":
                units = int(rng.integers(1, 5)) * max(1, magnitude * cents // 4)
            else:
                units = int(rng.integers(1, magnitude * cents + 1))
            units = min(max(units, 0), 10**12 * cents)
            value = Fraction(units, cents)
            if kind == "floats":
                value = Fraction(float(value) * rng.random())
            own[bundle] = value
        bids.append(own)
    reserve = [Fraction(0)] * num_goods
    if rng.random() < 0.2:
        parts = rng.integers(0, 4, num_goods)
        reserve = [Fraction(int(b) * int(p) // 4, cents) for b, p in zip(base, parts, strict=True)]
    return Auction(kind, capacities, tuple(bids), tuple(reserve))


def best_surplus(auction: Auction, group: tuple[int, ...]) -> Fraction:
    """The largest surplus of a group, by trying every way to accept at most one bid each."""
    ways: dict[tuple[int, ...], Fraction] = {(0,) * len(auction.capacities): Fraction(0)}
    for i in group:
        wider = dict(ways)
        for bundle, value in auction.bids[i].items():
            surplus = value - sum(
                (p * c for p, c in zip(auction.reserve, bundle, strict=True)), Fraction(0)
            )
            for taken, worth in ways.items():
                copies = tuple(a + b for a, b in zip(taken, bundle, strict=True))
                if all(a <= c for a, c in zip(copies, auction.capacities, strict=True)):
                    wider[copies] = max(wider.get(copies, worth + surplus), worth + surplus)
        ways = wider
    return max(ways.values())


def faults(auction: Auction) -> list[str]:
    """What is wrong with the outcome of an auction; nothing, if all is right."""
    num = len(auction.bids)
    reserve = [float(price) for price in auction.reserve]
    try:
        outcome = quadratic_core(auction.reports, auction.market, reserve)
    except BocaError as error:
        return [f"error: {error}"]

    groups = list(chain.from_iterable(combinations(range(num), k) for k in range(num + 1)))
    best = {group: best_surplus(auction, group) for group in groups}
    everybody = tuple(range(num))
    bundles = [tuple(row) for row in outcome.allocation.bundles.tolist()]
    base = [
        sum((p * c for p, c in zip(auction.reserve, b, strict=True)), Fraction(0)) for b in bundles
    ]
    surplus = [
        auction.bids[i][b] - base[i] if any(b) else Fraction(0) for i, b in enumerate(bundles)
    ]
    largest = max((v for own in auction.bids for v in own.values()), default=Fraction(0))
    # Floats as amounts have no unit: what solvers promise, then. Whole units are right to the last
    # digit of the float that a payment is.
    unit = {"whole": 1.0, "cents": 0.01, "floats": 0.0}[auction.kind]
    rounding = num * 2.0**-51 * float(largest)
    near = 0.01 * unit + rounding + (1e-7 * float(largest) if auction.kind == "floats" else 0.0)

    wrong = []
    if float(best[everybody] - sum(surplus)) > near:
        wrong.append(f"welfare is {float(best[everybody] - sum(surplus)):g} too small")
    if not outcome.is_proven or not outcome.is_in_core:
        wrong.append(f"status {outcome.status}")
    least = []
    for i in everybody:
        without = best[tuple(j for j in everybody if j != i)]
        harm = without - (best[everybody] - surplus[i])
        least.append(float(harm))
        if abs(outcome.vcg_payments[i] - float(base[i] + harm)) > near:
            wrong.append(
                f"VCG payment of {i}: {outcome.vcg_payments[i]!r}, not {float(base[i] + harm)!r}"
            )
    above = np.array([float(Fraction(p) - b) for p, b in zip(outcome.payments, base, strict=True)])
    return wrong + core_faults(best, surplus, np.array(least), above, near)


def core_faults(
    best: dict[tuple[int, ...], Fraction],
    surplus: list[Fraction],
    least: np.ndarray,
    above: np.ndarray,
    near: float,
) -> list[str]:
    """
    What is wrong with core payments above reserve prices.

    Parameters
    ----------
    best
        The largest surplus of every group.
    surplus
        What each bidder receives above reserve prices.
    least
        VCG payments above reserve prices, ``(num_bidders,)``.
    above
        The core payments, ``(num_bidders,)``.
    near
        How near numbers must be to count as equal.
    """
    num = len(surplus)
    winners = [i for i in range(num) if surplus[i] > 0]
    wrong, active = [], []
    for group, worth in best.items():
        payers = [i for i in winners if i not in group]
        needed = worth - sum((surplus[i] for i in group), Fraction(0))
        slack = float(sum((Fraction(above[i]) for i in payers), Fraction(0)) - needed)
        if slack < -near:
            wrong.append(f"{group} blocks by {-slack:g}")
        elif slack <= near and payers:
            active.append(np.isin(winners, payers).astype(float))
    for place, i in enumerate(winners):
        row = np.zeros(len(winners))
        row[place] = 1.0
        if above[i] < least[i] - near or above[i] > float(surplus[i]) + near:
            wrong.append(f"{i} pays {above[i]:g} above reserve, outside its range")
        if above[i] <= least[i] + near:
            active.append(row)
        if above[i] >= float(surplus[i]) - near:
            active.append(-row)
    if not winners or wrong:
        return wrong
    normals = np.array(active).reshape(-1, len(winners)).T
    ones = np.ones(len(winners))
    # No direction lowers the sum and keeps all active rows: 1 is a mix of their normals.
    if not active or nnls(normals, ones)[1] > 1e-9:
        wrong.append("the revenue is not the least")
    step = (above - least)[winners]
    if step.max(initial=0.0) > near:
        # Nor does one lead nearer to VCG at the same sum.
        mixed = np.concatenate([normals, -ones[:, None]], axis=1)
        if nnls(mixed, step / step.max())[1] * step.max() > len(winners) * near:
            wrong.append("other payments with the least revenue are nearer to VCG")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first problem")
    options = parser.parse_args()
    began, counts, wrong, errors = time.process_time(), Counter[str](), Counter[str](), 0
    for seed in range(options.seed, options.seed + options.problems):
        auction = draw(seed)
        counts[auction.kind] += 1
        found = faults(auction)
        if found:
            wrong[auction.kind] += 1
            errors += found[0].startswith("error")
            print(f"auction {seed} ({auction.kind}): {'; '.join(found)}", flush=True)
    for kind in KINDS:
        print(f"{kind:<8}{counts[kind]:>7} auctions{wrong[kind]:>6} wrong")
    print(
        f"{'all':<8}{sum(counts.values()):>7} auctions{sum(wrong.values()):>6} wrong, {errors} "
        f"errors, {time.process_time() - began:.0f} s of processor time"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
