"""Rules, market and money of an auction, and bundles in its words."""

from dataclasses import dataclass, replace

from boca.core.market import Market
from boca.live.auction.events import Bundle
from boca.live.auction.kind import Kind, kind_of
from boca.live.auction.money import MARKS, Money
from boca.live.auction.rules import Rules
from boca.live.auction.state import LiveState


@dataclass(frozen=True)
class Setup:
    """Rules, market and how money is written, with the key that receipts are signed with."""

    rules: Rules
    market: Market
    money: Money
    public_key: str
    rules_hash: str

    @property
    def kind(self) -> Kind:
        """Whether it sells, buys or exchanges."""
        return kind_of(self.market)


def written_in(state: LiveState, language: str) -> LiveState:
    """The auction with amounts as readers of a language write them; empty for its own."""
    if state.rules is None or language not in MARKS or language == state.rules.language:
        return state
    return replace(state, rules=replace(state.rules, language=language))


def setup(state: LiveState) -> Setup:
    """Rules and market."""
    rules, market = state.setup
    return Setup(rules, market, rules.money, state.public_key, state.configured)


def counts(bundle: Bundle, market: Market) -> dict[str, int]:
    """A bundle by the names of its goods, without zeros."""
    return {g.name: n for g, n in zip(market.goods, bundle, strict=True) if n}
