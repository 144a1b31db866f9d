"""Who takes part and what there is to share out."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from boca.core.errors import InputError
from boca.core.frozen import read_only
from boca.core.goods import Good, Limit, check_name, recognised
from boca.core.rule import Rule
from boca.core.settings import check_choice

# By how much a bundle may exceed a limit in ordinary units: rounding of its sum.
ROUNDING = 1e-9
# Bounds between two to the power of plus and minus this are in ordinary units.
ORDINARY = 10


@dataclass(frozen=True)
class Bidder:
    """
    One agent.

    Parameters
    ----------
    name
        What people call it. Must be one line of printable text.
    type
        Bidders of one type share hyperparameters. Empty where types mean nothing.
    limits
        Linear limits on the bundle that this bidder can be given.
    endowment
        What it holds before an exchange, one number per good; empty for nothing.
    """

    name: str
    type: str = ""
    limits: tuple[Limit, ...] = ()
    endowment: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "bidder")
        check_name(self.type, "bidder type")
        if any(copies < 0 or copies != int(copies) for copies in self.endowment):
            raise InputError(
                f"The endowment of '{self.name}' is {list(self.endowment)}; expected whole numbers "
                "of copies, at least 0."
            )


@dataclass(frozen=True)
class Market:
    """
    Goods and bidders, and with them the set of feasible allocations.

    Parameters
    ----------
    goods
        The goods, in the order of a bundle's components.
    bidders
        The bidders, in the order of an allocation's rows.
    name
        Shown in tables and files.
    sense
        ``sell``: bundles are received and reports are values. ``buy``: bundles are supplied and
        reports are costs; a good is a lot, its capacity is how many units are needed.
    rules
        Rules across participants; only where the sense is ``buy``.
    """

    goods: tuple[Good, ...]
    bidders: tuple[Bidder, ...]
    name: str = "market"
    sense: Literal["sell", "buy"] = "sell"
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "market")
        check_choice(("sell", "buy"), sense=self.sense)
        if not self.goods or not self.bidders:
            raise InputError(
                f"Market '{self.name}' has {len(self.goods)} goods and {len(self.bidders)} "
                "bidders; expected at least one of each."
            )
        for what, names in (
            ("good", [g.name for g in self.goods]),
            ("bidder", [b.name for b in self.bidders]),
        ):
            if len(set(names)) < len(names):
                repeated = min(name for name, times in Counter(names).items() if times > 1)
                raise InputError(
                    f"Market '{self.name}' has more than one {what} called "
                    f"'{repeated}'; give each its own name."
                )
        for bidder in self.bidders:
            for limit in bidder.limits:
                if len(limit.coefficients) != self.num_goods:
                    raise InputError(
                        f"Limit '{limit.name}' of bidder '{bidder.name}' has "
                        f"{len(limit.coefficients)} coefficients; expected one for each of "
                        f"the {self.num_goods} goods."
                    )

        self._check_endowments()
        self._check_rules()

    def _check_endowments(self) -> None:
        for i, bidder in enumerate(self.bidders):
            if not bidder.endowment:
                continue
            if self.sense == "buy":
                raise InputError(
                    f"'{bidder.name}' has an endowment in a market that buys; endowments are for "
                    "exchanges."
                )
            if len(bidder.endowment) != self.num_goods:
                raise InputError(
                    f"The endowment of '{bidder.name}' has {len(bidder.endowment)} numbers; "
                    f"expected one for each of the {self.num_goods} goods."
                )
            if self.broken_limits(i, bidder.endowment):
                limit = self.broken_limits(i, bidder.endowment)[0]
                raise InputError(
                    f"'{bidder.name}' holds more than its limit '{limit.name}' allows; raise the "
                    "limit, or correct the endowment."
                )
        beyond = np.flatnonzero(self.endowments.sum(axis=0) > self.capacities)
        if len(beyond):
            good = self.goods[beyond[0]]
            held = int(self.endowments[:, beyond[0]].sum())
            raise InputError(
                f"Participants hold {held} copies of '{good.name}', which has {good.capacity}; the "
                "capacity counts what everybody holds and what the auctioneer has on top."
            )

    def _check_rules(self) -> None:
        if self.rules and self.sense != "buy":
            raise InputError(
                f"Market '{self.name}' sells and has rules across participants; they are for "
                "markets that buy."
            )
        for rule in self.rules:
            for places, num, what in (
                (rule.who, self.num_bidders, "participants"),
                (rule.lots, self.num_goods, "lots"),
            ):
                if places is not None and max(places) >= num:
                    raise InputError(
                        f"The rule '{rule.title}' is about number {max(places)} of {num} {what}; "
                        f"expected numbers from 0 to {num - 1}."
                    )

    @classmethod
    def simple(
        cls, num_goods: int, num_bidders: int, capacities: Sequence[int] | None = None
    ) -> "Market":
        """A market without names or limits; every capacity is 1 unless given."""
        if capacities is None:
            capacities = [1] * num_goods
        if len(capacities) != num_goods:
            raise InputError(
                f"Received {len(capacities)} capacities; expected one for each of the "
                f"{num_goods} goods."
            )
        goods = tuple(Good(f"good {j}", int(c)) for j, c in enumerate(capacities))
        bidders = tuple(Bidder(f"bidder {i}") for i in range(num_bidders))
        return cls(goods, bidders)

    @property
    def num_goods(self) -> int:
        return len(self.goods)

    @property
    def num_bidders(self) -> int:
        return len(self.bidders)

    @cached_property
    def capacities(self) -> np.ndarray:
        """Copies of each good, integer array of shape ``(num_goods,)``; read-only."""
        return read_only(np.array([good.capacity for good in self.goods], dtype=np.int64))

    @cached_property
    def endowments(self) -> np.ndarray:
        """What everybody holds before an exchange, ``(num_bidders, num_goods)``; read-only."""
        nothing = (0,) * self.num_goods
        held = [bidder.endowment or nothing for bidder in self.bidders]
        return read_only(np.array(held, dtype=np.int64))

    @property
    def is_exchange(self) -> bool:
        """Whether anybody holds anything before."""
        return bool(self.endowments.any())

    def check_sells(self) -> None:
        """Raises unless bundles are received by bidders who hold nothing, as in every auction."""
        if self.sense == "buy":
            raise InputError(
                f"Market '{self.name}' buys: its reports are costs, and the largest would win. Use "
                "boca.award (boca award)."
            )
        if self.is_exchange:
            raise InputError(
                f"Participants of market '{self.name}' hold something before, which would be given "
                "away here. Use boca.exchange (boca exchange)."
            )

    @property
    def full_bundle(self) -> np.ndarray:
        """All copies of all goods."""
        return self.capacities

    def limits(self, bidder: int) -> tuple[np.ndarray, np.ndarray]:
        """
        Coefficients ``(num_limits, num_goods)`` and bounds ``(num_limits,)`` of a bidder.

        Limits in very large or small units are brought to others, by powers of two, so that a
        thousand millionth is rounding and nothing else for all of them.
        """
        limits = self.bidders[bidder].limits
        if not limits:  # searches ask this of everybody for every allocation
            return self._no_limits
        coefficients = np.array([limit.coefficients for limit in limits], dtype=float)
        bounds = np.array([limit.bound for limit in limits], dtype=float)
        return _in_ordinary_units(coefficients.reshape(len(limits), self.num_goods), bounds)

    @cached_property
    def _no_limits(self) -> tuple[np.ndarray, np.ndarray]:
        return read_only(np.zeros((0, self.num_goods))), read_only(np.zeros(0))

    def allows(self, bidder: int, bundles: np.ndarray) -> np.ndarray:
        """Whether each row of ``bundles`` is within capacities and the bidder's limits."""
        bundles = np.atleast_2d(bundles)  # (num_bundles, num_goods)
        allowed = ((bundles >= 0) & (bundles <= self.capacities)).all(axis=1)
        coefficients, bounds = self.limits(bidder)
        within: np.ndarray = (bundles @ coefficients.T <= bounds + ROUNDING).all(axis=1)
        return allowed & within

    def most(self, bidder: int) -> np.ndarray:
        """Most copies of each good that a bidder can hold, of that good alone; ``(num_goods,)``."""
        coefficients, bounds = self.limits(bidder)
        copies = np.broadcast_to(self.capacities.astype(float), coefficients.shape).copy()
        np.divide(bounds[:, None] + ROUNDING, coefficients, out=copies, where=coefficients > 0)
        most = np.minimum(np.floor(copies).min(axis=0, initial=np.inf), self.capacities)
        return read_only(most.astype(np.int64))

    def largest_bundle(self, bidder: int) -> np.ndarray | None:
        """
        All that a bidder can hold, if it can hold it all at once; then nothing is worth more.

        The full bundle where there are no limits. None where limits on several goods together
        leave no bundle that contains all others, and where nothing can be held.
        """
        most = self.most(bidder)
        return most if most.any() and self.allows(bidder, most)[0] else None

    def broken_limits(self, bidder: int, bundle: np.ndarray | Sequence[int]) -> list[Limit]:
        """The limits of a bidder that a bundle exceeds."""
        coefficients, bounds = self.limits(bidder)
        broken = coefficients @ np.asarray(bundle) > bounds + ROUNDING
        limits = self.bidders[bidder].limits
        return [limit for limit, is_broken in zip(limits, broken, strict=True) if is_broken]

    def to_dict(self) -> dict[str, Any]:
        """The market as plain values, for JSON."""
        # What is new is written only where it is used, so that older fingerprints stay.
        sense = {} if self.sense == "sell" else {"sense": self.sense}
        rules = {"rules": [rule.to_dict() for rule in self.rules]} if self.rules else {}
        return {
            "name": self.name,
            **sense,
            **rules,
            "goods": [good.to_dict() for good in self.goods],
            "bidders": [
                {
                    "name": b.name,
                    "type": b.type,
                    "limits": [
                        {
                            "name": limit.name,
                            "coefficients": list(limit.coefficients),
                            "bound": limit.bound,
                        }
                        for limit in b.limits
                    ],
                    **({"endowment": list(b.endowment)} if any(b.endowment) else {}),
                }
                for b in self.bidders
            ],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Market":
        """The inverse of :meth:`to_dict`."""
        goods = tuple(
            Good(g["name"], g["capacity"], g.get("group", ""), g.get("unit", ""))
            for g in data["goods"]
        )
        bidders = tuple(
            Bidder(
                b["name"],
                b["type"],
                tuple(
                    recognised(
                        Limit(tuple(limit["coefficients"]), limit["bound"], limit["name"]), goods
                    )
                    for limit in b["limits"]
                ),
                tuple(b.get("endowment", ())),
            )
            for b in data["bidders"]
        )
        rules = tuple(Rule.from_dict(rule) for rule in data.get("rules", ()))
        return cls(goods, bidders, data["name"], data.get("sense", "sell"), rules)

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of everything above, to tell markets apart in files."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _in_ordinary_units(
    coefficients: np.ndarray, bounds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same limits, with bounds that are neither very large nor very small."""
    smallest = np.where(coefficients > 0, coefficients, np.inf).min(axis=1, initial=np.inf)
    size = np.where(bounds > 0, bounds, smallest)
    exponents = np.frexp(np.where(np.isfinite(size), size, 1.0))[1]
    is_ordinary = np.abs(exponents) <= ORDINARY
    if is_ordinary.all():
        return coefficients, bounds
    shifts = np.where(is_ordinary, 0, ORDINARY - exponents)
    with np.errstate(over="ignore"):
        shifted = np.ldexp(coefficients, shifts[:, None])
    # A single copy that exceeds the bound that much exceeds it however much more it counts.
    shifted = np.where(is_ordinary[:, None], coefficients, np.minimum(shifted, 2.0**60))
    return shifted, np.ldexp(bounds, shifts)
