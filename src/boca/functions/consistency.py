"""
Whether a bidder's answers can all be true: the axiom of revealed preference, with values.

Somebody with values v answers truthfully if every reported value is that of v, or every range has
it, and every wanted bundle d, at prices p, is as profitable as any other that the bidder can have.
v is monotone, and nothing is worth 0. Between the bundles of the answers and the empty one, all of
this says how much more one of them can be worth than another:

    v(x) <= v(y)                where x is a part of y,
    v(x) <= v(d) + p x - p d    where d was wanted at prices p and limits allow x,
    v(d) <= v(x) + p d - p x    where d would be supplied at p, v being costs, instead,
    v(x) <= v(0) + most         and   v(0) <= v(x) - least   where x was valued, from least to most.

Some v satisfies all of it if and only if no circle of such steps adds up to less than 0 (Afriat
1967; Varian 1982 for choices alone): worth as much as their best part among these bundles, all
other bundles fit in too, because a part of an allowed bundle is allowed. A circle below 0 names
answers of which at least one is not true.
"""

from dataclasses import dataclass

import numpy as np

from boca.core.bundle import bundle_keys, format_bundle
from boca.core.demand import Demands
from boca.core.market import Market
from boca.core.money import common_decimals, in_units
from boca.core.report import Reports
from boca.core.wording import amount
from boca.functions.arrays import contained

# What a step may be off by rounding, relative to the largest one, where amounts are not whole units
# of money.
ROUNDING = 1e-9
# A step that follows from free disposal and not from an answer.
NO_ANSWER = -1


@dataclass(frozen=True, eq=False)
class Contradiction:
    """
    Answers of one bidder that cannot all be true, whatever its values are.

    Parameters
    ----------
    bidder
        Whose answers they are.
    reports
        The values among them; their bundles are distinct.
    demands
        The choices among them.
    """

    bidder: int
    reports: Reports
    demands: Demands

    def text(self, market: Market) -> str:
        """The answers in one sentence."""
        names = [good.name for good in market.goods]
        is_sale = market.sense == "sell"
        worth, wanted = ("worth", "wanted") if is_sale else ("for", "supplied")
        parts = [
            f"{format_bundle(bundle, names)} {worth} {_said(value, high)}"
            for bundle, value, high in zip(
                self.reports.bundles, self.reports.values, self.reports.highs, strict=True
            )
        ]
        for prices, bundle in self.demands:
            listed = ", ".join(
                f"{name} {amount(price)}"
                for name, price in zip(names, prices.tolist(), strict=True)
            )
            parts.append(f"{format_bundle(bundle, names)} {wanted} at prices ({listed})")
        return (
            f"Answers of {market.bidders[self.bidder].name} contradict each other: "
            f"{'; '.join(parts)}."
        )


def _said(value: float, high: float) -> str:
    return amount(value) if high == value else f"{amount(value)} to {amount(high)}"


def contradiction(
    reports: Reports, demands: Demands, market: Market, bidder: int
) -> Contradiction | None:
    """
    Answers of a bidder that cannot all be true; None if all of them can.

    Parameters
    ----------
    reports, demands
        What the bidder has answered; of a value that was corrected, the last one.
    market, bidder
        Whose answers they are; choices say nothing about bundles beyond the bidder's limits.
    """
    steps, sources = _steps(reports, demands, market, bidder)
    circle = _circle_below_zero(steps)
    if circle is None:
        return None
    answers = sorted({int(sources[a, b]) for a, b in circle} - {NO_ANSWER})
    values = [k for k in answers if k < len(reports)]
    choices = [k - len(reports) for k in answers if k >= len(reports)]
    return Contradiction(
        bidder,
        reports.part(np.array(values, dtype=np.int64)),
        Demands(demands.prices[choices], demands.bundles[choices]),
    )


def _steps(
    reports: Reports, demands: Demands, market: Market, bidder: int
) -> tuple[np.ndarray, np.ndarray]:
    """
    By how much bundle b can exceed bundle a in value, ``[a, b]``, and which answer says so.

    Answers are counted through, values first. What rounding may add is allowed for.
    """
    nothing = np.zeros((1, market.num_goods), dtype=np.int64)
    rows = np.concatenate([nothing, reports.bundles, demands.bundles])
    places: dict[bytes, int] = {}
    for key in bundle_keys(rows):
        places.setdefault(key, len(places))
    bundles = np.frombuffer(b"".join(places), dtype=np.int64).reshape(len(places), -1)

    amounts = [reports.values, reports.highs, demands.prices.ravel()]
    decimals = common_decimals(np.concatenate(amounts))
    values, highs = in_units(reports.values, decimals), in_units(reports.highs, decimals)
    prices = in_units(demands.prices, decimals)
    # A bundle is worth at least as much as its parts.
    is_part = contained(bundles, bundles, market.capacities)
    steps = np.where(is_part.T, 0.0, np.inf)
    sources = np.full(steps.shape, NO_ANSWER)

    valued = [places[key] for key in bundle_keys(reports.bundles)]
    answers = np.arange(len(reports))
    steps[0, valued], sources[0, valued] = highs, answers
    steps[valued, 0], sources[valued, 0] = -values, answers
    chosen = [places[key] for key in bundle_keys(demands.bundles)]
    allowed = market.allows(bidder, bundles)
    costs = prices @ bundles.T  # (num_choices, num_bundles)
    for k, place in enumerate(chosen):
        if market.sense == "buy":  # the chosen one costs at most so much more than any other
            more = costs[k, place] - costs[k]
            is_less = allowed & (more < steps[:, place])
            steps[is_less, place], sources[is_less, place] = more[is_less], len(reports) + k
            continue
        more = costs[k] - costs[k, place]
        is_less = allowed & (more < steps[place])
        steps[place, is_less], sources[place, is_less] = more[is_less], len(reports) + k
    largest = np.abs(steps[np.isfinite(steps)]).max()
    room = ROUNDING * largest if decimals is None else 0.0  # whole units add up exactly
    return steps + room, sources


def _circle_below_zero(steps: np.ndarray) -> list[tuple[int, int]] | None:
    """The steps of a circle that add up to less than 0; None if there is none (Bellman 1958)."""
    num = len(steps)
    distances = np.zeros(num)
    before = np.zeros(num, dtype=np.int64)
    for _ in range(num):
        reached = distances[:, None] + steps
        nearest = reached.argmin(axis=0)
        shorter = reached[nearest, np.arange(num)]
        is_shorter = shorter < distances
        if not is_shorter.any():
            return None
        distances = np.where(is_shorter, shorter, distances)
        before = np.where(is_shorter, nearest, before)
    # After as many passes as there are bundles, whoever got shorter is reached from a circle.
    place = int(np.flatnonzero(is_shorter)[0])
    for _ in range(num):
        place = int(before[place])
    circle, b = [], place
    while True:
        a = int(before[b])
        circle.append((a, b))
        b = a
        if b == place:
            return circle
