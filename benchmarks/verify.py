"""
The verifier against the engine: random markets, decided by one and checked by the other.

    python benchmarks/verify.py --markets 300
    python benchmarks/verify.py --time 20 50 30      # bidders, goods, bids per bidder

Every market is decided by ``boca.payments`` (VCG and core) and the outcome is rounded to units as
the server does it. The verifier, which shares no code with the engine, must find nothing wrong with
it, and must find something wrong as soon as one payment is off by one unit or a worse allocation is
chosen. Small markets are tried out by brute force as well. With --time, one market of a given size
is decided and checked, and the seconds of processor time are printed.
"""

import argparse
import itertools
import json
import math
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from boca.core import Bidder, Good, Limit, Market, Reports
from boca.live.ledger import Record, canonical
from boca.payments import PricedOutcome, quadratic_core, vcg
from boca_verify.bodies import Body
from boca_verify.market import LoggedMarket, read_market
from boca_verify.outcome.allocation import DecidedOutcome, check_optimum
from boca_verify.outcome.core_payments import allowance
from boca_verify.outcome.optimum import Optimum, best_bids
from boca_verify.outcome.payments import best_without, payment_findings
from boca_verify.rules import LoggedSetup

# Amounts as they occur: few units, so that ties are common; the server's largest usual value, one
# unit apart; and the largest that rules may allow.
AMOUNTS = ("ties", "near 10^8", "up to 10^8", "near 10^12")
# More ways to accept bids than this are not tried one by one.
MOST_WAYS = 20_000


def logged(market: Market) -> LoggedMarket:
    """A market as the verifier reads it from a log."""
    return read_market(Body(json.loads(canonical(market.to_dict()))))


@dataclass(frozen=True)
class Case:
    """
    One market with bids.

    Parameters
    ----------
    market, reserve
        What is sold, and the price of one copy of each good in units.
    bids
        Bundle -> units, per bidder.
    amounts
        Which kind of amounts.
    """

    market: Market
    reserve: tuple[int, ...]
    bids: tuple[dict[tuple[int, ...], int], ...]
    amounts: str

    @property
    def reports(self) -> list[Reports]:
        """The bids as the engine takes them."""
        shape = (-1, self.market.num_goods)
        return [
            Reports(
                np.array(list(own), dtype=np.int64).reshape(shape),
                np.array(list(own.values()), dtype=float),
            )
            for own in self.bids
        ]

    def setup(self, rule: str) -> LoggedSetup:
        """The rules of an auction that ended with these bids."""
        return LoggedSetup(
            market=logged(self.market),
            mechanism="boca",
            has_own_pace=False,
            payment_rule=rule,
            corrections="never",
            monotone="warn",
            publish="all",
            num_initial=1,
            num_per_round=1,
            num_total=1,
            push_bids=0,
            extensions=0,
            round_minutes=(1, 1),
            extension_minutes=1,
            last_call_minutes=0,
            close_early=False,
            most_units=10**12,
            currency="units",
            unit=Decimal(1),
            reserve=self.reserve,
        )


def random_case(seed: int, is_small: bool | None = None) -> Case:
    """
    A market of one kind or another.

    Parameters
    ----------
    seed
        Decides everything.
    is_small
        Whether brute force can decide it; by the seed unless given.
    """
    rng = np.random.default_rng([seed, 16])
    small = bool(seed % 2) if is_small is None else is_small
    num_goods = int(rng.integers(1, 5) if small else rng.integers(3, 9))
    num_bidders = int(rng.integers(1, 5) if small else rng.integers(3, 9))
    most_bids = 4 if small else 20
    capacities = [int(rng.integers(1, 4)) if rng.random() < 0.4 else 1 for _ in range(num_goods)]
    amounts = AMOUNTS[seed // 2 % len(AMOUNTS)]
    bidders = []
    for i in range(num_bidders):
        limits: tuple[Limit, ...] = ()
        if rng.random() < 0.3:
            weights = tuple(float(w) for w in rng.integers(0, 3, num_goods))
            limits = (Limit(weights, float(rng.integers(1, 1 + sum(capacities)))),)
        bidders.append(Bidder(f"bidder {i + 1}", limits=limits))
    goods = tuple(Good(f"good {j + 1}", c) for j, c in enumerate(capacities))
    market = Market(goods, tuple(bidders))
    bids = tuple(
        _random_bids(rng, capacities, int(rng.integers(0, most_bids + 1)), amounts)
        for _ in range(num_bidders)
    )
    reserve = [0] * num_goods
    if rng.random() < 0.4:
        largest = max((units for own in bids for units in own.values()), default=1)
        reserve = [int(n) for n in rng.integers(0, 2 + largest // 4, num_goods)]
    return Case(market, tuple(reserve), bids, amounts)


def _random_bids(
    rng: np.random.Generator, capacities: list[int], num: int, amounts: str
) -> dict[tuple[int, ...], int]:
    bids = {}
    for _ in range(num):
        bundle = tuple(int(rng.integers(0, c + 1)) * int(rng.random() < 0.5) for c in capacities)
        if any(bundle):
            bids[bundle] = _random_units(rng, sum(bundle) / sum(capacities), amounts)
    return bids


def _random_units(rng: np.random.Generator, share: float, amounts: str) -> int:
    """An amount for a bundle that holds a share of everything."""
    match amounts:
        case "ties":
            return int(rng.integers(0, 7))
        case "near 10^8":
            return 10**8 - int(rng.integers(0, 3))
        case "up to 10^8":
            return int(10**8 * share * rng.uniform(0.5, 1.0)) + int(rng.integers(0, 2))
        case _:
            return int(10**12 * share * rng.uniform(0.9, 1.0)) // 3 * 3 + int(rng.integers(0, 2))


def decided(case: Case, rule: str) -> tuple[PricedOutcome, DecidedOutcome]:
    """What the engine decides, and the same in whole units as the server writes it down."""
    engine = {"vcg": vcg, "core": quadratic_core}[rule]
    priced = engine(case.reports, case.market, np.array(case.reserve, dtype=float))
    payments = [
        round(amount) if rule == "vcg" else math.ceil(amount - 1e-6)
        for amount in priced.payments.tolist()
    ]
    allocation = tuple(map(tuple, priced.allocation.bundles.tolist()))
    return priced, to_outcome(case, rule, allocation, tuple(payments))


def to_outcome(
    case: Case, rule: str, allocation: tuple, payments: tuple[int, ...]
) -> DecidedOutcome:
    """An outcome as the verifier takes it."""
    record = Record({"seq": 0, "kind": "decided"}, "")
    return DecidedOutcome(case.setup(rule), case.bids, record, allocation, payments)


def brute_force(outcome: DecidedOutcome, absent: int | None = None) -> int | None:
    """The largest surplus by trying every way to accept bids; None if there are too many."""
    nothing = (0,) * outcome.setup.num_goods
    choices = [[(nothing, 0)] for _ in outcome.bids]
    for bid in outcome.possible(absent):
        choices[bid.owner].append((bid.bundle, bid.surplus))
    if math.prod(map(len, choices)) > MOST_WAYS:
        return None
    best = 0
    for rows in itertools.product(*choices):
        given = [sum(column) for column in zip(*(bundle for bundle, _ in rows), strict=True)]
        if all(n <= c for n, c in zip(given, outcome.setup.full, strict=True)):
            best = max(best, sum(surplus for _, surplus in rows))
    return best


def disagreements(case: Case) -> list[str]:
    """What the verifier and the engine, or brute force, say differently; empty if nothing."""
    problems: list[str] = []
    without: dict[int, Optimum] = {}
    for rule in ("vcg", "core"):
        priced, outcome = decided(case, rule)
        if rule == "vcg":
            without = {i: best_without(outcome, i) for i in outcome.winners}
            problems += [f.sentence for f in check_optimum(outcome).findings]
            problems += _exactness(outcome, without, priced)
            problems += _blind_spots(outcome)
        findings = payment_findings(outcome, without)
        problems += [f"{rule}: {finding.sentence}" for finding in findings]
        problems += [f"{rule}: {text}" for text in _wrong_payments(outcome, without)]
    return problems


def _exactness(
    outcome: DecidedOutcome, without: dict[int, Optimum], priced: PricedOutcome
) -> list[str]:
    """Optima against brute force, with everybody and without each winner; payments to the unit."""
    problems = []
    best = best_bids(outcome.possible(), outcome.setup.full)
    for absent, optimum in {None: best, **without}.items():
        truth = brute_force(outcome, absent)
        if truth is not None and truth != optimum.surplus:
            problems.append(f"without {absent}: {optimum.surplus}, brute force {truth}")
    for exact, amount in zip(outcome.payments, priced.payments.tolist(), strict=True):
        if exact != amount:
            problems.append(f"the engine's payment {amount!r} is no whole number")
    return problems


def _blind_spots(outcome: DecidedOutcome) -> list[str]:
    """A worse allocation: everything as decided, but the last winner gets nothing."""
    for i in outcome.winners[-1:]:
        rows = list(outcome.allocation)
        rows[i] = (0,) * outcome.setup.num_goods
        worse = replace(outcome, allocation=tuple(rows))
        if outcome.surplus(i) > 0 and check_optimum(worse).state != "fails":
            return [f"an allocation without winner {i} passes"]
    return []


def _wrong_payments(outcome: DecidedOutcome, without: dict[int, Optimum]) -> list[str]:
    """Payments that are off: by one unit under VCG; below the core, or above it by too much."""
    problems = []
    is_vcg, most = outcome.setup.payment_rule == "vcg", allowance(outcome) + 1
    for i in outcome.winners if is_vcg else outcome.winners[:1]:
        for step in (-1, 1) if is_vcg else (-most, most):
            payments = list(outcome.payments)
            payments[i] += step
            wrong = replace(outcome, payments=tuple(payments))
            if payments[i] >= 0 and not list(payment_findings(wrong, without)):
                problems.append(f"a payment of winner {i} that is off by {step} passes")
    return problems


def sized_case(num_bidders: int, num_goods: int, num_bids: int) -> Case:
    """A market of some size: bundles of one to six goods, each bidder with an own taste."""
    rng = np.random.default_rng(1)
    bids = []
    for _ in range(num_bidders):
        taste, own = rng.random(num_goods), {}
        for _ in range(num_bids):
            bundle = np.zeros(num_goods, dtype=int)
            bundle[rng.choice(num_goods, int(rng.integers(1, 7)), replace=False)] = 1
            worth = 1e6 * float(bundle @ taste) ** 1.1 * rng.uniform(1, 1.2)
            own[tuple(bundle.tolist())] = int(worth)
        bids.append(own)
    return Case(Market.simple(num_goods, num_bidders), (0,) * num_goods, tuple(bids), "sized")


def time_checks(case: Case) -> None:
    """Prints how long the engine takes to decide a market, and the verifier to check it."""
    began = time.process_time()
    priced, outcome = decided(case, "vcg")
    print(f"engine, VCG          {time.process_time() - began:8.1f} s", flush=True)
    began = time.process_time()
    state = check_optimum(outcome).state
    print(f"V10 {state:<16} {time.process_time() - began:8.1f} s", flush=True)
    began = time.process_time()
    without = {}
    for i in outcome.winners:
        # The log names the best allocation to the others, which has to be proven only.
        rows = priced.explanations[i].allocation_without.bundles.tolist()
        possible = {(bid.owner, bid.bundle): bid for bid in outcome.possible(absent=i)}
        start = [possible[j, tuple(row)] for j, row in enumerate(rows) if any(row)]
        without[i] = best_bids(list(possible.values()), outcome.setup.full, start)
    state = "fails" if list(payment_findings(outcome, without)) else "holds"
    print(f"V11 {state:<16} {time.process_time() - began:8.1f} s, {len(without)} winners")


def main() -> int:
    """Prints a table, and what went wrong; ends with 1 if anything did."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--markets", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="number of the first market")
    parser.add_argument("--time", type=int, nargs=3, metavar=("BIDDERS", "GOODS", "BIDS"))
    options = parser.parse_args()
    if options.time:
        time_checks(sized_case(*options.time))
        return 0
    began, counts, wrong = time.perf_counter(), Counter[str](), Counter[str]()
    for seed in range(options.seed, options.seed + options.markets):
        case = random_case(seed)
        problems = disagreements(case)
        counts[case.amounts] += 1
        if problems:
            wrong[case.amounts] += 1
            print(f"market {seed} ({case.amounts}): {'; '.join(problems)}", flush=True)
    for amounts in AMOUNTS:
        print(f"{amounts:<12}{counts[amounts]:>6} markets{wrong[amounts]:>6} disagreements")
    total = sum(wrong.values())
    print(
        f"{'all':<12}{sum(counts.values()):>6} markets{total:>6} disagreements, "
        f"{time.perf_counter() - began:.0f} s"
    )
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
