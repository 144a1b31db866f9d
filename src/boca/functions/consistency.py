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

Answers that are off by up to some amount, values by so much and choices by so much profit, allow
each step that amount more; steps from part to whole follow from no answer and stay as they are. The
smallest amount with which no circle is below 0 says how far a bidder contradicts itself: Afriat's
(1973) efficiency as an amount, the optimum of a linear program.
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
# Where no answer says anything.
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
    discrepancy
        The smallest amount by which each of the bidder's answers may be off, a value by so much
        and a choice by so much profit, so that all of them fit together.
    """

    bidder: int
    reports: Reports
    demands: Demands
    discrepancy: float

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
            f"{'; '.join(parts)}. All its answers fit together if each is off by up to "
            f"{self.discrepancy:,.6g}."
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
    steps = _Steps.of(reports, demands, market, bidder)
    circle = _circle_below_zero(steps.with_room(0.0))
    if circle is None:
        return None
    _, is_answer = steps.along(circle, 0.0)
    named = np.array(circle)[is_answer]
    answers = sorted({int(steps.sources[a, b]) for a, b in named})
    values = [k for k in answers if k < len(reports)]
    choices = [k - len(reports) for k in answers if k >= len(reports)]
    return Contradiction(
        bidder,
        reports.part(np.array(values, dtype=np.int64)),
        Demands(demands.prices[choices], demands.bundles[choices]),
        steps.discrepancy(),
    )


def loosened(reports: Reports, room: float) -> Reports:
    """Values that may be off by so much: ranges that are wider by it on both sides."""
    return Reports(reports.bundles, np.maximum(reports.values - room, 0.0), reports.highs + room)


@dataclass(frozen=True, eq=False)
class _Steps:
    """
    By how much bundle b can exceed bundle a in value, ``[a, b]``, in whole units where amounts are.

    Parameters
    ----------
    disposal
        Because b is a part of a: 0, or infinite; what rounding may add is allowed for.
    answers
        Because an answer says so; infinite where none does.
    sources
        The answer that says so, counted through, values first; ``NO_ANSWER`` where none does.
    scale
        Units that make 1.
    """

    disposal: np.ndarray
    answers: np.ndarray
    sources: np.ndarray
    scale: float

    def with_room(self, room: float) -> np.ndarray:
        """The steps where each answer may be off by so much."""
        steps: np.ndarray = np.minimum(self.disposal, self.answers + room)
        return steps

    def discrepancy(self) -> float:
        """
        The smallest amount by which each answer may be off so that no circle is below 0.

        Each circle below 0 asks for an amount; with it others may be left, so it grows until there
        are none: Newton's method for the largest ratio of a circle's sum to its number of answers.
        It ends, because no circle comes twice.
        """
        room = 0.0
        while (circle := _circle_below_zero(self.with_room(room))) is not None:
            lengths, is_answer = self.along(circle, room)
            needed = -lengths.sum() / is_answer.sum()
            # Where nothing is left but rounding, a little more than needed leaves no circle.
            room = max(needed, room * (1 + ROUNDING))
        return float(room / self.scale)

    def along(self, circle: list[tuple[int, int]], room: float) -> tuple[np.ndarray, np.ndarray]:
        """The lengths of a circle's steps without any room, and which of them are answers."""
        a, b = np.array(circle).T
        is_answer = self.answers[a, b] + room < self.disposal[a, b]
        return np.where(is_answer, self.answers[a, b], self.disposal[a, b]), is_answer

    @classmethod
    def of(cls, reports: Reports, demands: Demands, market: Market, bidder: int) -> "_Steps":
        """What a bidder's answers, and free disposal, say about all bundles among them."""
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
        disposal = np.where(is_part.T, 0.0, np.inf)
        answers = np.full(disposal.shape, np.inf)
        sources = np.full(disposal.shape, NO_ANSWER)

        valued = [places[key] for key in bundle_keys(reports.bundles)]
        numbers = np.arange(len(reports))
        answers[0, valued], sources[0, valued] = highs, numbers
        answers[valued, 0], sources[valued, 0] = -values, numbers
        chosen = [places[key] for key in bundle_keys(demands.bundles)]
        allowed = market.allows(bidder, bundles)
        costs = prices @ bundles.T  # (num_choices, num_bundles)
        for k, place in enumerate(chosen):
            if market.sense == "buy":  # the chosen one costs at most so much more than any other
                more = costs[k, place] - costs[k]
                is_less = allowed & (more < answers[:, place])
                answers[is_less, place] = more[is_less]
                sources[is_less, place] = len(reports) + k
                continue
            more = costs[k] - costs[k, place]
            is_less = allowed & (more < answers[place])
            answers[place, is_less], sources[place, is_less] = more[is_less], len(reports) + k
        largest = np.abs(answers[np.isfinite(answers)]).max(initial=0.0)
        room = ROUNDING * largest if decimals is None else 0.0  # whole units add up exactly
        scale = 1.0 if decimals is None else 10.0**decimals
        return cls(disposal + room, answers + room, sources, scale)


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
