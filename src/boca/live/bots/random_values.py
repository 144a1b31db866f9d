"""Values for a rehearsal, drawn from a seed: additive, with synergies between some goods."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from boca.core.market import Market
from boca.core.randomness import Seeds
from boca.live.bots.choosing import best_choice
from boca.live.bots.truth import to_units

# Share of the largest value that rules allow which everything together is worth.
SCALE = (0.2, 0.6)
# Share of all pairs of goods that are worth more together, and how much more.
SYNERGIES = 0.2
BONUS = (0.1, 0.5)


@dataclass(frozen=True)
class RandomTruth:
    """
    The drawn values of one bidder.

    Parameters
    ----------
    name
        Of the bidder.
    goods
        Names of the goods.
    copy_values
        What one copy of each good is worth ``(num_goods,)``.
    pair_values
        What two goods are worth together beyond that: ``(good, good, value)``.
    """

    name: str
    goods: tuple[str, ...]
    copy_values: tuple[float, ...]
    pair_values: tuple[tuple[int, int, float], ...]

    def amount(self, bundle: Mapping[str, int]) -> float:
        """The value of a bundle by the names of its goods; more is never worth less."""
        counts = [bundle.get(good, 0) for good in self.goods]
        total = sum(n * value for n, value in zip(counts, self.copy_values, strict=True))
        return total + sum(v for a, b, v in self.pair_values if counts[a] and counts[b])

    def value(self, bundle: Mapping[str, int], unit: str) -> str:
        """The same as a whole multiple of the unit."""
        return to_units(self.amount(bundle), unit)

    def wanted(self, prices: Mapping[str, str], market: Market, bidder: int) -> dict[str, int]:
        """What leaves most at some prices, as far as a search finds it."""
        return best_choice(self.amount, market, bidder, prices)


# What a lot costs a supplier, as a share of its price outside, and what a pair of lots saves.
COST_SHARE = (0.55, 1.1)
SAVED = 0.3


@dataclass(frozen=True)
class RandomCosts:
    """
    The drawn costs of one supplier: a start, lots, and pairs of lots that go well together.

    Parameters
    ----------
    name, lots
        Of the supplier, and of the lots.
    start
        What supplying anything costs.
    unit_costs
        What one unit of each lot costs.
    pair_savings
        What two lots cost less together: ``(lot, lot, amount)``; less than either costs.
    """

    name: str
    lots: tuple[str, ...]
    start: float
    unit_costs: tuple[float, ...]
    pair_savings: tuple[tuple[int, int, float], ...]

    def amount(self, bundle: Mapping[str, int]) -> float:
        """What a bundle costs; more never costs less."""
        counts = [bundle.get(lot, 0) for lot in self.lots]
        total = sum(n * cost for n, cost in zip(counts, self.unit_costs, strict=True))
        saved = sum(v for a, b, v in self.pair_savings if counts[a] and counts[b])
        return self.start + total - saved if any(counts) else 0.0

    def wanted(self, prices: Mapping[str, str], market: Market, bidder: int) -> dict[str, int]:
        """What leaves most at some prices, as far as a search finds it."""
        paid = {lot: f"{-float(price)}" for lot, price in prices.items()}
        return best_choice(lambda bundle: -self.amount(bundle), market, bidder, paid)


def draw_costs(
    name: str,
    lots: list[dict[str, Any]],
    at_most: Mapping[str, str],
    max_value: str,
    seed: int,
    auction: str = "",
) -> RandomCosts:
    """
    Draws the costs of a supplier; the same for the same seed, auction and name.

    Parameters
    ----------
    name, lots, seed, auction
        As in :func:`draw_truth`, of a supplier and its lots.
    at_most
        What a unit of each lot costs outside, as far as the rules say it.
    max_value
        The largest price of the rules; everything together costs less.
    """
    random = Seeds(seed).child("bot", auction, name).generator()
    number = len(lots)
    usual = float(Decimal(max_value)) / (2 * sum(lot.get("capacity", 1) for lot in lots))
    prices = [float(at_most.get(lot["name"], usual)) for lot in lots]
    costs = [price * float(random.uniform(*COST_SHARE)) for price in prices]
    pairs = [
        (a, b, SAVED * min(costs[a], costs[b]) / max(1, number - 1))
        for a in range(number)
        for b in range(a + 1, number)
        if random.uniform() < 0.5
    ]
    start = 0.1 * min(costs)
    return RandomCosts(name, tuple(lot["name"] for lot in lots), start, tuple(costs), tuple(pairs))


def draw_truth(
    name: str, goods: list[dict[str, Any]], max_value: str, seed: int, auction: str = ""
) -> RandomTruth:
    """
    Draws the values of a bidder; the same for the same seed, auction and name.

    Parameters
    ----------
    name
        Of the bidder.
    goods
        As the API gives them: ``name`` and perhaps ``capacity``.
    max_value
        The largest value of the rules, as a decimal string; nothing is worth more.
    seed
        Of all values.
    auction
        Its id, so that two rehearsals with one seed can differ.
    """
    random = Seeds(seed).child("bot", auction, name).generator()
    capacities = np.array([good.get("capacity", 1) for good in goods])
    values = random.uniform(0.2, 1.0, len(goods))
    # A good with many copies is worth less per copy, else it would be worth more than all others.
    values = values / np.sqrt(capacities)
    pairs = [
        (a, b, float(random.uniform(*BONUS) * min(values[a], values[b])))
        for a in range(len(goods))
        for b in range(a + 1, len(goods))
        if random.uniform() < SYNERGIES
    ]
    total = float(values @ capacities) + sum(value for _, _, value in pairs)
    scale = float(Decimal(max_value)) * random.uniform(*SCALE) / total
    return RandomTruth(
        name,
        tuple(good["name"] for good in goods),
        tuple(float(scale * value) for value in values),
        tuple((a, b, scale * value) for a, b, value in pairs),
    )
