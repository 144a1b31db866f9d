"""
What answers prove, against linear programs over all bundles: true, tied, corrected and false ones.

    python benchmarks/certificates.py --cases 20000

In small markets with copies and limits, bidders answer demand and value queries: truthfully, with
ties broken at random, with some questions declined, with values that are corrected later, and with
answers that are simply wrong. For every bidder a linear program over the values of all bundles
tells whether some monotone values explain all answers. The auction must name exactly the bidders
for whom there are none, with answers that contradict each other by themselves, and say by how much
each answer must be off so that some values do: the optimum of another program. No values within
that amount of the answers may allow more welfare than the bound, or a better allocation than the
winners by more than is claimed to be missing; and no proof may end the auction unless the amount is
0.
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.optimize import linprog

from boca.core import Bidder, Demands, Good, Limit, Market, Reports
from boca.mechanism import AuctionParams, AuctionState
from boca.mechanism.record import Planning, RoundRecord
from boca.mechanism.stepping import finished_round
from boca.mechanism.stopping import ProvenEfficient, ProvenGap

KINDS = ("truthful", "corrected", "careless", "random")
# Of the cases with answers that can all be true, every so many-th is compared with the largest
# welfare that any explaining values allow, one program for each bundle.
SUPREMUM = 7


@dataclass(frozen=True, eq=False)
class Case:
    """
    Answers of all bidders.

    Parameters
    ----------
    kind
        How they answer.
    market
        Goods and bidders.
    bundles
        All bundles there are, ``(num_bundles, num_goods)``, in the order of the values.
    truth
        Values of all bundles per bidder ``(num_bundles,)``, which truthful answers come from.
    reports, demands
        The answers.
    """

    kind: str
    market: Market
    bundles: np.ndarray
    truth: tuple[np.ndarray, ...]
    reports: tuple[Reports, ...]
    demands: tuple[Demands, ...]


def draw(seed: int) -> Case:
    """A case; the same seed gives the same one."""
    rng = np.random.default_rng([27, seed])
    kind = KINDS[int(rng.integers(len(KINDS)))]
    capacities = [[1, 1], [2, 1], [1, 1, 1], [2, 2], [3]][int(rng.integers(5))]
    unit = float(rng.choice([1.0, 0.25, 0.01, 1e6, 1e9]))
    if rng.random() < 0.15:
        unit = float(rng.random()) + 0.1  # amounts that are no whole units of anything
    bundles = np.array(list(product(*(range(c + 1) for c in capacities))))
    bidders = []
    for i in range(int(rng.integers(1, 4))):
        limits: tuple[Limit, ...] = ()
        if rng.random() < 0.4:
            weights = tuple(float(w) for w in rng.integers(0, 3, len(capacities)))
            limits = (Limit(weights, float(rng.integers(0, 4))),)
        bidders.append(Bidder(f"b{i}", limits=limits))
    goods = tuple(Good(f"g{j}", c) for j, c in enumerate(capacities))
    market = Market(goods, tuple(bidders))
    answers = [_answers(rng, kind, market, i, bundles, unit) for i in range(len(bidders))]
    truth, reports, demands = zip(*answers, strict=True)
    return Case(kind, market, bundles, truth, reports, demands)


def _answers(
    rng: np.random.Generator,
    kind: str,
    market: Market,
    bidder: int,
    bundles: np.ndarray,
    unit: float,
) -> tuple[np.ndarray, Reports, Demands]:
    draws = rng.integers(0, 12, len(bundles)) * bundles.any(axis=1)
    parts = (bundles[:, None, :] <= bundles[None, :, :]).all(axis=2)
    values = np.where(parts, draws[:, None], 0).max(axis=0)
    allowed = np.flatnonzero(market.allows(bidder, bundles))
    demands = Demands.empty(bundles.shape[1])
    for _ in range(int(rng.integers(0, 5))):
        prices = rng.integers(0, 8, bundles.shape[1])
        profits = values[allowed] - bundles[allowed] @ prices
        best = allowed[profits == profits.max()]  # of ties, any
        is_wrong = kind == "random" or (kind == "careless" and rng.random() < 0.2)
        chosen = rng.choice(allowed if is_wrong else best)
        if rng.random() < 0.9:  # else it does not answer
            demands = demands.add(prices * unit, bundles[chosen])
    reports = Reports.empty(bundles.shape[1])
    for row in rng.permutation(len(bundles))[: int(rng.integers(0, 5))]:
        if bundles[row].any() and rng.random() < 0.9:
            is_wrong = kind == "random" or (kind == "careless" and rng.random() < 0.2)
            value = int(rng.integers(0, 12)) if is_wrong else int(values[row])
            first = value
            if kind == "corrected" and rng.random() < 0.5:
                # Some corrections are to the truth, others away from it.
                first, value = int(rng.integers(0, 12)), int(rng.choice([value, value, value + 1]))
            reports = reports.add(bundles[row], first * unit).correct(bundles[row], value * unit)
    return values * unit, reports, demands


def program(
    reports: Reports,
    demands: Demands,
    market: Market,
    bidder: int,
    bundles: np.ndarray,
    room: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, list[tuple[float, float]]]:
    """
    What answers say about the values of all bundles, if none is off by more than some room: rows,
    right-hand sides and bounds.
    """
    num = len(bundles)
    place = {tuple(row): k for k, row in enumerate(bundles.tolist())}
    allowed = market.allows(bidder, bundles)
    rows, sides = [], []
    for k, bundle in enumerate(bundles.tolist()):
        for good, copies in enumerate(bundle):
            if copies:  # one copy less is not worth more
                row = np.zeros(num)
                row[place[(*bundle[:good], copies - 1, *bundle[good + 1 :])]], row[k] = 1.0, -1.0
                rows.append(row)
                sides.append(0.0)
    for prices, wanted in demands:
        d = place[tuple(wanted.tolist())]
        for x in np.flatnonzero(allowed):
            if x != d:
                row = np.zeros(num)
                row[x], row[d] = 1.0, -1.0
                rows.append(row)
                sides.append(float(prices @ (bundles[x] - wanted)) + room)
    bounds = [(0.0, np.inf)] * num
    bounds[0] = (0.0, 0.0)
    for bundle, value in reports:
        bounds[place[tuple(bundle.tolist())]] = (max(value - room, 0.0), value + room)
    return np.array(rows), np.array(sides), bounds


def can_be_true(
    reports: Reports, demands: Demands, market: Market, bidder: int, bundles: np.ndarray
) -> bool:
    """Whether some monotone values explain all answers of a bidder."""
    rows, sides, bounds = program(reports, demands, market, bidder, bundles)
    # Amounts of about 1, so that the solver's tolerance is far below one unit.
    scale = max(reports.values.max(initial=0.0), demands.prices.max(initial=0.0)) or 1.0
    bounds = [(low / scale, high / scale) for low, high in bounds]
    result = linprog(np.zeros(len(bundles)), rows, sides / scale, bounds=bounds, method="highs")
    assert result.status in (0, 2), result.message
    return bool(result.status == 0)


def smallest_room(
    reports: Reports, demands: Demands, market: Market, bidder: int, bundles: np.ndarray
) -> float:
    """The smallest amount by which each answer is off so that some monotone values explain all."""
    rows, sides, bounds = program(reports, demands, market, bidder, bundles)
    scale = max(reports.values.max(initial=0.0), demands.prices.max(initial=0.0)) or 1.0
    num_choices = len(sides) - int(bundles.astype(bool).sum())
    is_choice = np.arange(len(sides)) >= len(sides) - num_choices
    rows = np.column_stack([rows, np.where(is_choice, -1.0, 0.0)])
    place = {tuple(row): k for k, row in enumerate(bundles.tolist())}
    more, ends = [], []
    for bundle, value in reports:
        k = place[tuple(bundle.tolist())]
        bounds[k] = (0.0, np.inf)
        for sign in (1.0, -1.0):
            row = np.zeros(len(bundles) + 1)
            row[k], row[-1] = sign, -1.0
            more.append(row)
            ends.append(sign * value)
    if more:
        rows, sides = np.concatenate([rows, more]), np.append(sides, ends)
    costs = np.append(np.zeros(len(bundles)), 1.0)
    result = linprog(costs, rows, sides / scale, bounds=[*bounds, (0, np.inf)], method="highs")
    assert result.status == 0, result.message
    return float(result.fun) * scale


def most_welfare(
    case: Case, room: float = 0.0, won: np.ndarray | None = None, share: float = 1.0
) -> float:
    """
    The largest welfare that any values which explain the answers allow; perhaps infinite.

    With ``won``, a share of the welfare of any allocation less that of this one.
    """
    tops = []
    place = {tuple(row): k for k, row in enumerate(case.bundles.tolist())}
    for i in range(case.market.num_bidders):
        own = case.reports[i], case.demands[i], case.market, i
        rows, sides, bounds = program(*own, case.bundles, room)
        top = np.full(len(case.bundles), -np.inf)
        for k in np.flatnonzero(case.market.allows(i, case.bundles)):
            costs = np.zeros(len(case.bundles))
            costs[k] = -share
            if won is not None:
                costs[place[tuple(won[i].tolist())]] += 1.0
            result = linprog(costs, rows, sides, bounds=bounds, method="highs")
            top[k] = np.inf if result.status in (3, 4) else -result.fun
        tops.append(top)
    return best_welfare(case, tops)


def best_welfare(case: Case, values: list[np.ndarray]) -> float:
    """The largest sum of values over all allocations."""
    best = -np.inf
    choices = [np.flatnonzero(values[i] > -np.inf) for i in range(case.market.num_bidders)]
    for picked in product(*choices):
        if (case.bundles[list(picked)].sum(axis=0) <= case.market.capacities).all():
            best = max(best, float(sum(values[i][k] for i, k in enumerate(picked))))
    return best


def faults(case: Case, with_supremum: bool = False) -> tuple[list[str], str]:
    """What is wrong with what the auction says, and whether it claimed something."""
    market = case.market
    state = AuctionState.of(
        market, AuctionParams(), case.reports, case.demands, planning=Planning("any")
    )
    named = {found.bidder: found for found in state.contradictions}
    wrong = []
    for i in range(market.num_bidders):
        own = case.reports[i], case.demands[i]
        if can_be_true(*own, market, i, case.bundles) == (i in named):
            wrong.append(f"bidder {i} is {'' if i in named else 'not '}said to contradict itself")
        elif i in named and can_be_true(
            named[i].reports, named[i].demands, market, i, case.bundles
        ):
            wrong.append(f"the answers of bidder {i} that are named can all be true")
        if i in named:
            needed = smallest_room(*own, market, i, case.bundles)
            if not np.isclose(named[i].discrepancy, needed, rtol=1e-6):
                wrong.append(f"bidder {i} is off by {needed:g}, {named[i].discrepancy:g} is said")
    record = finished_round(state)
    after = replace(state, history=(record,))
    claims = [rule(after) for rule in (ProvenGap(0.999999), ProvenEfficient())]
    if named:
        if any(claims):
            wrong.append("the auction ends by a proof on answers that contradict each other")
        if with_supremum:
            wrong += _unproven(case, record)
        return wrong, "contradiction"
    if record.missing is None and not any(claims):
        return wrong, "nothing claimed"

    if case.kind == "truthful":
        allowed = [market.allows(i, case.bundles) for i in range(market.num_bidders)]
        values = [np.where(a, v, -np.inf) for a, v in zip(allowed, case.truth, strict=True)]
        best = best_welfare(case, values)
        place = {tuple(row): k for k, row in enumerate(case.bundles.tolist())}
        rows = record.allocation.bundles.tolist()
        got = sum(values[i][place[tuple(row)]] for i, row in enumerate(rows))
        lacking = 1 - got / best if best else 0.0
        if record.missing is not None and record.missing < lacking - 1e-9:
            wrong.append(f"{lacking:.6f} is missing, {record.missing:.6f} is claimed")
        if claims[1] and lacking > 1e-9:
            wrong.append(f"{lacking:.6f} is missing, all is claimed to be proven")
    if with_supremum:
        wrong += _unproven(case, record)
        most = most_welfare(case)
        if claims[1] and record.welfare < most * (1 - 1e-7):
            wrong.append(f"{record.welfare:g} is claimed to be the most, {most:g} is possible")
    return wrong, "claimed"


def _unproven(case: Case, record: RoundRecord) -> list[str]:
    """What is claimed although values within the discrepancy of the answers speak against it."""
    if record.welfare_bound is None:
        return []
    room, wrong = record.discrepancy, []
    most = most_welfare(case, room)
    if record.welfare_bound < most * (1 - 1e-7):
        wrong.append(f"the bound is {record.welfare_bound:g}, {most:g} is possible")
    missing = record.missing
    assert missing is not None
    better = most_welfare(case, room, record.allocation.bundles, 1 - missing)
    if missing < 1 and better > 1e-7 * most:
        wrong.append(f"{missing:.6f} is claimed to be missing at most, by {better:g} too little")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    began, counts, num_wrong = time.process_time(), Counter[tuple[str, str]](), 0
    for seed in range(options.seed, options.seed + options.cases):
        case = draw(seed)
        wrong, said = faults(case, with_supremum=seed % SUPREMUM == 0)
        counts[case.kind, said] += 1
        if wrong:
            num_wrong += 1
            print(f"case {seed} ({case.kind}): {'; '.join(wrong)}", flush=True)
    said_kinds = ("claimed", "nothing claimed", "contradiction")
    print(f"{'':<10}" + "".join(f"{said:>17}" for said in said_kinds))
    for kind in KINDS:
        print(f"{kind:<10}" + "".join(f"{counts[kind, said]:>17}" for said in said_kinds))
    print(
        f"{sum(counts.values())} cases, {num_wrong} wrong, "
        f"{time.process_time() - began:.0f} s of processor time"
    )
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
