"""What bundles are really worth to a bot: its own copy of the market file, which no server sees."""

import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Protocol

import numpy as np
import tomli_w

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.market import Market
from boca.lab.domains import Domain, load_domain
from boca.lab.domains.true_demand import demanded


class Truth(Protocol):
    """What bundles are worth to one bidder."""

    @property
    def name(self) -> str:
        """Of the bidder."""
        ...

    def amount(self, bundle: Mapping[str, int]) -> float:
        """The value of a bundle by the names of its goods."""
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
        bundle = demanded(self.domain, self.bidder, amounts)[0]
        return {good.name: n for good, n in zip(goods, bundle.tolist(), strict=True) if n}


def to_units(amount: float, unit: str) -> str:
    """An amount as a decimal string, rounded down to a whole multiple of the unit."""
    size = Decimal(unit)
    # A hair is added, so that 0.3 as a binary fraction is still 0.30.
    units = (Decimal(amount) / size + Decimal("1e-6")).to_integral_value(ROUND_FLOOR)
    return f"{units * size:f}"


def read_truths(path: Path) -> dict[str, FileTruth]:
    """
    The true values of the bidders of a market file that has them.

    Bidders without values are people, and a table ``[auction]`` is for the server: both are left
    aside.
    """
    text = read_text(path, "market file")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: this is not valid TOML: {error}.") from None
    tables.pop("auction", None)
    bidders = tables.get("bidders", [])
    for bidder in bidders:
        if isinstance(bidder, dict) and isinstance(bidder.get("bids"), str):
            bidder["bids"] = str((path.parent / bidder["bids"]).resolve())
    if any(map(_has_values, bidders)):
        tables["bidders"] = [bidder for bidder in bidders if _has_values(bidder)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(tomli_w.dumps(tables), encoding="utf-8")
        try:
            domain = load_domain(str(copy))
        except InputError as error:
            # Nobody knows the copy by its name.
            raise InputError(str(error).replace(str(copy), str(path))) from None
    return {bidder.name: FileTruth(domain, i) for i, bidder in enumerate(domain.market.bidders)}


def _has_values(bidder: object) -> bool:
    """Whether a bidder of the file has values, or is written so wrongly that somebody must look."""
    return not isinstance(bidder, dict) or "bids" in bidder or "values" in bidder
