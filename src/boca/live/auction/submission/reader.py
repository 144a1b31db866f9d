"""Amounts and bundles as people and programs write them."""

from collections.abc import Mapping
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.message import msg
from boca.core.wording import nearest, shortened
from boca.live.auction.events import Bundle, Channel
from boca.live.auction.money import AmountError
from boca.live.auction.refusal import Mistake
from boca.live.auction.rules import Rules


class Reader:
    """
    Reads what was sent for one bidder and notes every mistake on its way.

    Parameters
    ----------
    rules, market, bidder
        What amounts and bundles have to keep to.
    channel
        Programs write decimal strings, people their language's numbers.
    """

    def __init__(self, rules: Rules, market: Market, bidder: int, channel: Channel):
        self.rules, self.market, self.bidder, self.channel = rules, market, bidder, channel
        self.largest = rules.most_of(market, bidder)
        self.mistakes: list[Mistake] = []

    def wrong(self, where: str, found: str, expected: str) -> None:
        """Notes a mistake."""
        self.mistakes.append(Mistake(shortened(where), found, expected))

    def value(self, where: str, text: str) -> tuple[int, int] | None:
        """Least and most of a value, or None after noting what is wrong with it."""
        money = self.rules.money
        try:
            least, most = self.rules.read_value(text, is_decimal=self.channel == "api")
        except AmountError as error:
            self.wrong(where, error.found, error.expected)
            return None
        except InputError as error:
            self.wrong(where, error.message, msg("a plain amount"))
            return None
        if most > self.largest:
            self.wrong(where, money.show(most), self.at_most)
            return None
        return least, most

    @property
    def at_most(self) -> str:
        """The largest bid of the bidder in words, and why it is that."""
        most = self.rules.money.show(self.largest)
        if self.rules.cap_of(self.market, self.bidder) is None:
            return msg("at most {most}, the largest value of the rules", most=most)
        return msg("at most {most}, your spending cap", most=most)

    def bundle(self, where: str, counts: Mapping[str, Any]) -> Bundle | None:
        """A bundle with at least one good that the bidder can be given."""
        bundle = self.copies(where, counts)
        if bundle is None or not self.is_allowed(where, bundle):
            return None
        if not any(bundle):
            self.wrong(where, msg("an empty bundle"), msg("at least one good"))
            return None
        return bundle

    def copies(self, where: str, counts: Mapping[str, Any]) -> Bundle | None:
        """A bundle by the names of its goods, within capacities; may be empty."""
        names = [good.name for good in self.market.goods]
        bundle = [0] * len(names)
        for name, count in counts.items():
            if name not in names:
                found = msg("'{text}', which is not a good of this market", text=shortened(name))
                example = nearest(name, names) or names[0]
                self.wrong(where, found, msg("a good such as '{good}'", good=example))
                return None
            if isinstance(count, bool) or not isinstance(count, int):
                self.wrong(
                    where,
                    msg("{n} copies of {good}", n=shortened(repr(count)), good=name),
                    msg("a whole number"),
                )
                return None
            capacity = self.market.goods[names.index(name)].capacity
            if not 0 <= count <= capacity:
                self.wrong(
                    where,
                    msg("{n} copies of {good}", n=shortened(str(count)), good=name),
                    f"0 to {capacity}",
                )
                return None
            bundle[names.index(name)] = count
        return tuple(bundle)

    def is_allowed(self, where: str, bundle: Bundle) -> bool:
        """Whether the bidder's limits permit a bundle; notes a mistake if not."""
        broken = self.market.broken_limits(self.bidder, bundle)
        if broken:
            self.wrong(where, msg("a bundle that you cannot be given"), f"'{broken[0].name}'")
        return not broken
