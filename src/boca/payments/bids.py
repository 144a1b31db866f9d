"""Reports read as XOR bids: the set-packing problem behind every allocation and payment."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.money import MOST_EXACT, common_decimals, in_units
from boca.core.report import Reports
from boca.core.wording import amount as rounded_amount
from boca.core.wording import money

# Welfares that differ by less than this, relative to the largest reported value, are tied; where
# all amounts are whole units, those that differ by less than a unit are.
TIE = 1e-9
# Sums of whole units up to this are added up without rounding, with a bit to spare.
MOST_TOGETHER = 2.0**52
# A decimal value and the sum of decimal reserve prices that people would call equal differ by less
# than this share of the larger one.
ROUNDING = 1e-12

# Copies in the market beyond which ties count the copies that bidders ask for: a share of many
# millions would be lost in rounding.
MANY_COPIES = 10_000

# Bids beyond which they are not compared with each other: the matrix would need gigabytes.
MOST_PAIRED = 5_000
# Cells of one matrix on the way to the comparison.
MOST_CELLS = 5_000_000
# Different numbers of copies that are wanted of a good, up to which all goods are compared at once.
FEW_LEVELS = 16


@dataclass(frozen=True, eq=False)
class Packing:
    """
    Which bids to accept: at most one per bidder, within the capacities, for the largest surplus.

    Parameters
    ----------
    owners
        Bidder of each bid, ascending, ``(num_bids,)``.
    bundles
        What each bid asks for, ``(num_bids, num_goods)``.
    surplus
        Reported value less the reserve prices of the bundle, positive, ``(num_bids,)``, in units
        of money.
    capacities
        Copies of each good, ``(num_goods,)``.
    decimals
        A unit is ``10 ** -decimals`` of the money that was reported: cents where it is 2. None
        where amounts are not whole units; they are then as reported.
    """

    owners: np.ndarray
    bundles: np.ndarray
    surplus: np.ndarray
    capacities: np.ndarray
    decimals: int | None = 0

    @classmethod
    def from_reports(
        cls,
        reports: Sequence[Reports],
        market: Market,
        reserve: np.ndarray | Sequence[float] | None = None,
    ) -> "Packing":
        """
        The bids that can win in some economy.

        Left out are the empty bundle (worth 0 by definition), bundles beyond the bidder's limits,
        bids whose value does not exceed the reserve prices, and bids for which the
        same bidder offers at least as much for a part of the bundle. None of them is needed for an
        optimal allocation of any economy.
        """
        check_reports(reports, market)
        market.check_sells()
        _check_capacities(reports, market)
        prices = as_reserve(reserve, market)
        values = [report.values for report in reports]
        decimals = common_decimals(np.concatenate([prices, *values]))
        prices = in_units(prices, decimals)
        parts = []
        for i, report in enumerate(reports):
            surplus = surplus_of(in_units(report.values, decimals), report.bundles, prices)
            useful = (surplus > 0) & report.bundles.any(axis=1) & market.allows(i, report.bundles)
            rows = np.flatnonzero(useful)
            rows = rows[~_dominated(report.bundles[rows], surplus[rows])]
            parts.append((np.full(len(rows), i), report.bundles[rows], surplus[rows]))
        owners, bundles, surpluses = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(owners, bundles, surpluses, market.capacities, decimals)

    def __len__(self) -> int:
        return len(self.owners)

    def keep(self, kept: np.ndarray) -> "Packing":
        """The problem with only the bids of a mask or index array."""
        return Packing(
            self.owners[kept],
            self.bundles[kept],
            self.surplus[kept],
            self.capacities,
            self.decimals,
        )

    @cached_property
    def scale(self) -> float:
        """The largest surplus: welfare is compared in this unit."""
        return float(self.surplus.max(initial=0.0)) or 1.0

    @cached_property
    def is_whole(self) -> bool:
        """Whether one unit of money decides: whole surpluses whose sums are exact."""
        if self.decimals is None:
            return False
        whole = self.surplus == np.round(self.surplus)
        is_exact = self.scale <= MOST_EXACT and self.scale * self.num_bidders <= MOST_TOGETHER
        return is_exact and bool(whole.all())

    def money(self, units: float) -> float:
        """An amount of units as money: of whole units, the number that people write."""
        return float(units / 10.0 ** (self.decimals or 0))

    def written(self, amount: float) -> float:
        """A sum of amounts of money as people write it: without what rounding added."""
        return amount if self.decimals is None else round(amount, self.decimals)

    @cached_property
    def tie(self) -> float:
        """Surpluses that differ by less than this, relative to the largest one, are tied."""
        return min(TIE, 0.5 / self.scale) if self.is_whole else TIE

    def in_words(self, amount: float) -> str:
        """An amount of money with as many decimals as all have."""
        return rounded_amount(amount) if self.decimals is None else money(amount, self.decimals)

    def on_grid(self, prices: np.ndarray) -> np.ndarray:
        """
        Prices with which whole surpluses are added up without rounding.

        They are rounded down to a multiple of a power of 1/2, so coarse that every sum that occurs
        has at most 53 bits. Where surpluses are not whole, prices stay as they are.
        """
        if not self.is_whole:
            return prices
        largest = max(self.scale * (self.num_bidders + 1), float(prices @ self.capacities))
        bits = 50 - int(np.ceil(np.log2(largest)))
        rounded: np.ndarray = np.ldexp(np.floor(np.ldexp(prices, bits)), -bits)
        return rounded

    @cached_property
    def num_bidders(self) -> int:
        """How many bidders have a bid."""
        return len(np.unique(self.owners))

    @property
    def is_paired(self) -> bool:
        """Whether bids are few enough for comparing each with each."""
        return len(self) <= MOST_PAIRED

    @cached_property
    def num_conflicts(self) -> np.ndarray:
        """
        With how many bids each one cannot win together, ``(num_bids,)``.

        Where bids are too many for comparing them, how many others want its goods, each as often
        as they meet.
        """
        if not self.is_paired:
            wants = self.bundles > 0
            meetings: np.ndarray = wants @ wants.sum(axis=0)
            return meetings
        counts: np.ndarray = self.conflicts.sum(axis=1)
        return counts

    @cached_property
    def most_copies(self) -> float:
        """No allocation gives away more: the copies in the market, or, of many, those asked for."""
        copies = float(self.capacities.sum())
        if copies <= MANY_COPIES or not len(self):
            return copies
        firsts = np.flatnonzero(np.diff(self.owners, prepend=-1))
        largest = np.maximum.reduceat(self.bundles.sum(axis=1), firsts)  # (num_bidders,)
        return min(copies, float(largest.sum()))

    @cached_property
    def weights(self) -> np.ndarray:
        """
        Surplus in units of the largest one, less a tiny amount that breaks ties.

        A copy that is given away costs ``tie / (2 most copies)``; below that, the lottery number
        of each bid decides. Summed over an allocation both stay below ``tie``.
        """
        weights: np.ndarray = self.surplus / self.scale - self.tie * self.reluctance
        return weights

    @cached_property
    def reluctance(self) -> np.ndarray:
        """How much each bid loses in a tie, ``(num_bids,)``; below 1 for every allocation."""
        step = 1 / (2 * self.most_copies)
        num_bidders = max(self.num_bidders, 1)
        tickets = [
            lottery_number(owner, bundle)
            for owner, bundle in zip(self.owners.tolist(), self.bundles, strict=True)
        ]
        copies = self.bundles.sum(axis=1)
        reluctance: np.ndarray = step * copies - step * np.array(tickets) / (2 * num_bidders)
        return reluctance

    def rank(self, bids: np.ndarray) -> tuple[float, float]:
        """
        Of two sets of compatible bids the one with the larger rank wins.

        Where units are whole, they are added up exactly, and only what is equal is a tie.
        """
        if self.is_whole:
            return float(self.surplus[bids].sum()), -float(self.reluctance[bids].sum())
        return float(self.weights[bids].sum()), 0.0

    @cached_property
    def conflicts(self) -> np.ndarray:
        """Which pairs of bids cannot both win, boolean ``(num_bids, num_bids)``."""
        room = self.capacities - self.bundles
        conflicts: np.ndarray = _exceeds(self.bundles, room)
        conflicts |= self.owners[:, None] == self.owners[None, :]
        return conflicts


def surplus_of(values: np.ndarray, bundles: np.ndarray, prices: np.ndarray) -> np.ndarray:
    """
    Values less the reserve prices of their bundles, ``(num_bids,)``.

    A bid at its reserve price has a surplus of exactly 0, also where decimals do not add up to the
    last digit. Where a value and all reserve prices are whole numbers, every unit counts.

    Parameters
    ----------
    values, bundles
        What is bid, ``(num_bids,)``, and for what, ``(num_bids, num_goods)``.
    prices
        Reserve price of one copy of each good, ``(num_goods,)``.
    """
    costs = bundles @ prices
    surplus = values - costs
    is_rounding = np.abs(surplus) <= ROUNDING * np.maximum(values, costs)
    if (prices == np.round(prices)).all():
        is_rounding &= values != np.round(values)
    at_reserve: np.ndarray = np.where(is_rounding, 0.0, surplus)
    return at_reserve


def lottery_number(bidder: int, bundle: np.ndarray) -> float:
    """A fixed number in [0, 1) for one bidder and bundle, whatever else has been reported."""
    text = f"{bidder}:{','.join(map(str, bundle.tolist()))}"
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _check_capacities(reports: Sequence[Reports], market: Market) -> None:
    """Raises InputError where somebody bids for copies that do not exist."""
    for bidder, report in zip(market.bidders, reports, strict=True):
        beyond = np.argwhere(report.bundles > market.capacities)
        if len(beyond):
            row, j = beyond[0].tolist()
            good = market.goods[j]
            raise InputError(
                f"'{bidder.name}' bids for {report.bundles[row, j]} copies of '{good.name}'; "
                f"expected at most {good.capacity}, its capacity. Correct the bid, or the capacity."
            )


def check_reports(reports: Sequence[Reports], market: Market) -> None:
    """Raises InputError unless there is one set of reports per bidder, over the market's goods."""
    if isinstance(reports, Market) or not isinstance(market, Market):
        raise InputError("Received something else than (reports, market); check their order.")
    if len(reports) != market.num_bidders:
        raise InputError(
            f"Received reports of {len(reports)} bidders; expected one Reports object for each of "
            f"the {market.num_bidders} bidders (Reports.empty where nothing was reported)."
        )
    for bidder, report in zip(market.bidders, reports, strict=True):
        if not isinstance(report, Reports):
            raise InputError(
                f"Received {type(report).__name__} as the reports of bidder '{bidder.name}'; "
                "expected a list of Reports objects in the order of the market's bidders."
            )
        if report.num_goods != market.num_goods:
            raise InputError(
                f"The reports of bidder '{bidder.name}' are about {report.num_goods} goods; "
                f"expected bundles over the market's {market.num_goods} goods."
            )


def as_reserve(reserve: np.ndarray | Sequence[float] | None, market: Market) -> np.ndarray:
    """Checks reserve prices of one copy of each good; None means 0."""
    if reserve is None:
        return np.zeros(market.num_goods)
    prices = np.asarray(reserve, dtype=float)
    if prices.shape != (market.num_goods,):
        raise InputError(
            f"Received reserve prices of shape {prices.shape}; expected one number for each of the "
            f"{market.num_goods} goods."
        )
    if not np.isfinite(prices).all() or (prices < 0).any():
        raise InputError("Received a reserve price that is negative or not finite; expected >= 0.")
    return prices


def _exceeds(counts: np.ndarray, room: np.ndarray) -> np.ndarray:
    """
    Whether row a of the counts exceeds row b of the room at some good, boolean ``(num, num)``.

    Parameters
    ----------
    counts, room
        Whole numbers at least 0, ``(num, num_goods)``.
    """
    exceeds = np.zeros((len(counts), len(room)), dtype=bool)
    is_wanted = counts.any(axis=0)
    counts, room = counts[:, is_wanted], room[:, is_wanted]
    # Most goods have one copy; only of the others it matters how many are wanted.
    ones = np.ones(1, dtype=np.int64)
    levels = [
        ones if most == 1 else np.unique(column[column > 0])
        for column, most in zip(counts.T, counts.max(axis=0, initial=0).tolist(), strict=True)
    ]
    few = [np.full(len(t), good) for good, t in enumerate(levels) if len(t) <= FEW_LEVELS]
    goods = np.concatenate([np.zeros(0, dtype=np.int64), *few])
    copies = np.concatenate([np.zeros(0), *(t for t in levels if len(t) <= FEW_LEVELS)])
    # Row a exceeds row b where it wants at least t copies, for which b has no room, for some t.
    width = max(1, MOST_CELLS // max(1, len(counts)))
    for start in range(0, len(goods), width):
        part, least = goods[start : start + width], copies[start : start + width]
        wants = (counts[:, part] >= least).astype(np.float32)
        lacks = (room[:, part] < least).astype(np.float32)
        np.logical_or(exceeds, wants @ lacks.T > 0, out=exceeds)
    for good, t in enumerate(levels):
        if len(t) > FEW_LEVELS:
            exceeds |= np.greater.outer(counts[:, good], room[:, good])
    return exceeds


def _dominated(bundles: np.ndarray, surplus: np.ndarray) -> np.ndarray:
    """
    Whether another row asks for a part of the same bundle and offers at least as much.

    Of more rows than can be compared, none is said to be.
    """
    if not 1 < len(bundles) <= MOST_PAIRED:
        return np.zeros(len(bundles), dtype=bool)
    is_part = np.logical_not(_exceeds(bundles, bundles))  # [a, b]: bundle a is a part of bundle b
    np.fill_diagonal(is_part, False)
    offers_as_much = np.greater_equal.outer(surplus, surplus)
    dominated: np.ndarray = np.logical_and(is_part, offers_as_much).any(axis=0)
    return dominated
