"""What bundles are really worth to a bot: its own copy of the market file, which no server sees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Protocol

import numpy as np

from boca.core.market import Bidder, Market
from boca.core.report import Reports
from boca.lab.domains import Domain
from boca.lab.domains.files.file_domain import FileDomain
from boca.lab.domains.files.stated_values import read_functions
from boca.lab.domains.true_demand import demanded
from boca.markets.market_file import load_market_text, parse_market
from boca.markets.offer_file import read_offers
from boca.markets.sections import parse_toml


class Truth(Protocol):
    """What bundles are worth to one bidder."""

    @property
    def name(self) -> str:
        """Of the bidder."""
        ...

    def amount(self, bundle: Mapping[str, int]) -> float | None:
        """The value of a bundle by the names of its goods, or what a supplier needs for it."""
        ...

    def wanted(self, prices: Mapping[str, str], market: Market, bidder: int) -> dict[str, int]:
        """
        The bundle that leaves most at some prices; may be empty.

        Parameters
        ----------
        prices
            Of one copy of each good, decimal strings.
        market, bidder
            As the server knows them, with the bidder's limits.
        """
        ...


@dataclass(frozen=True)
class FileTruth:
    """
    The true values of one bidder of a market file.

    Parameters
    ----------
    domain
        The market with values.
    bidder
        Row of the bidder.
    """

    domain: Domain
    bidder: int

    @property
    def name(self) -> str:
        """Of the bidder."""
        return self.domain.market.bidders[self.bidder].name

    def amount(self, bundle: Mapping[str, int]) -> float:
        """The value of a bundle by the names of its goods."""
        counts = [bundle.get(good.name, 0) for good in self.domain.market.goods]
        return float(self.domain.values(self.bidder, np.array([counts]))[0])

    def value(self, bundle: Mapping[str, int], unit: str) -> str:
        """The same as a whole multiple of the unit."""
        return to_units(self.amount(bundle), unit)

    def wanted(self, prices: Mapping[str, str], market: Market, bidder: int) -> dict[str, int]:
        """What leaves most at some prices; exact, by the structure of the values."""
        goods = self.domain.market.goods
        amounts = np.array([float(prices[good.name]) for good in goods])
        names = [good.name for good in market.goods]
        places = [names.index(good.name) for good in goods]
        limits = tuple(
            replace(limit, coefficients=tuple(limit.coefficients[j] for j in places))
            for limit in market.bidders[bidder].limits
        )
        alone = Market(goods, (Bidder(self.name, limits=limits),))
        bundle = demanded(FileDomain(alone, (self.domain.function(self.bidder),)), 0, amounts)[0]
        return {good.name: n for good, n in zip(goods, bundle.tolist(), strict=True) if n}


@dataclass(frozen=True)
class OfferTruth:
    """
    What one supplier needs, by the package offers of a file.

    Parameters
    ----------
    name
        Of the supplier.
    lots
        Names of the lots.
    offers
        Its offers: units of each lot, and the cost of all of them.
    """

    name: str
    lots: tuple[str, ...]
    offers: Reports

    def amount(self, bundle: Mapping[str, int]) -> float | None:
        """The cost of the cheapest offer that holds all of it; None if none does."""
        counts = np.array([bundle.get(lot, 0) for lot in self.lots])
        costs = self.offers.values[(self.offers.bundles >= counts).all(axis=1)]
        return float(costs.min()) if len(costs) else None

    def wanted(self, prices: Mapping[str, str], market: Market, bidder: int) -> dict[str, int]:
        """The offer that leaves most at some prices; nothing if none leaves anything."""
        amounts = np.array([float(prices[lot]) for lot in self.lots])
        allowed = market.allows(bidder, self.offers.bundles)
        left = np.where(allowed, self.offers.bundles @ amounts - self.offers.values, -1.0)
        if not len(left) or left.max() < 0:
            return {}
        bundle = self.offers.bundles[int(left.argmax())]
        return {lot: n for lot, n in zip(self.lots, bundle.tolist(), strict=True) if n}


def to_units(amount: float, unit: str) -> str:
    """An amount as a decimal string, rounded down to a whole multiple of the unit."""
    size = Decimal(unit)
    # A hair is added, so that 0.3 as a binary fraction is still 0.30.
    units = (Decimal(amount) / size + Decimal("1e-6")).to_integral_value(ROUND_FLOOR)
    return f"{units * size:f}"


def read_truths(path: Path) -> dict[str, Truth]:
    """
    The true values of the bidders of a market file that has them, or the offers of suppliers.

    Bidders without values are people, and a table ``[auction]`` is for the server: both are left
    aside. Where nobody has values, the file is read as if everybody should, which says so.
    """
    if "suppliers" in parse_toml(load_market_text(path), str(path)):
        offers = read_offers(path)
        lots = tuple(good.name for good in offers.market.goods)
        pairs = zip(offers.market.bidders, offers.offers, strict=True)
        return {b.name: OfferTruth(b.name, lots, own) for b, own in pairs if len(own)}
    file, sections = parse_market(load_market_text(path), str(path), extra_tables=("auction",))
    told = {name: row for name, row in sections.items() if "bids" in row or "values" in row}
    told = told or sections
    bidders = tuple(bidder for bidder in file.market.bidders if bidder.name in told)
    market = Market(file.market.goods, bidders, file.market.name)
    domain = FileDomain(market, read_functions(told, market, path.parent), file.reserve)
    return {bidder.name: FileTruth(domain, i) for i, bidder in enumerate(bidders)}
