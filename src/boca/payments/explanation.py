"""Outcomes whose payments explain themselves, and what every outcome must satisfy."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boca.core.allocation import Allocation
from boca.core.errors import SolverError
from boca.core.market import Market
from boca.core.money import add_up
from boca.core.outcome import Outcome
from boca.payments.bids import ROUNDING, Packing

# Solver tolerance on a payment, relative to the largest surplus. A payment that is outside its
# range by less is moved to the end of the range; one that is outside by more is an error.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Explanation:
    """
    Why a bidder pays its VCG payment: the harm that its presence does to the others.

    Surplus is value less reserve prices; without reserve prices it is simply value.

    Parameters
    ----------
    bidder
        Index of the bidder.
    reserve
        Reserve prices of what it receives.
    others_with
        Surplus of the other bidders in the chosen allocation.
    others_without
        Largest surplus that the other bidders could have had by themselves.
    num_bidders
        How many bidders the market has.
    packing
        The bids of all of them.
    bids_without
        The bids that would have given it to them.
    bound_without
        Proven upper bound on ``others_without``, up to what counts as a tie; equal to it where the
        economy was solved.
    is_proven
        Whether both terms are those of optimal allocations; if not, the payment could be another.
    """

    bidder: int
    reserve: float
    others_with: float
    others_without: float
    num_bidders: int
    packing: Packing = field(repr=False)
    bids_without: np.ndarray
    bound_without: float = np.nan
    is_proven: bool = True

    @property
    def allocation_without(self) -> Allocation:
        """The allocation without the bidder, made anew: all of them at once would be large."""
        owners, won = (
            self.packing.owners[self.bids_without],
            self.packing.bundles[self.bids_without],
        )
        bundles = np.zeros((self.num_bidders, won.shape[1]), dtype=np.int64)
        bundles[owners] = won
        return Allocation(bundles)

    @property
    def winners_without(self) -> dict[int, np.ndarray]:
        """Bundles of those who win something without the bidder, ascending."""
        owners = self.packing.owners[self.bids_without].tolist()
        return dict(zip(owners, self.packing.bundles[self.bids_without], strict=True))

    @property
    def payment(self) -> float:
        """``reserve + harm``, before it is settled within its range."""
        return self.packing.written(self.reserve + self.harm)

    @property
    def harm(self) -> float:
        """``others_without - others_with``."""
        return self.packing.written(self.others_without - self.others_with)

    def text(self, market: Market, core_payment: float | None = None) -> str:
        """
        The explanation in a sentence or two.

        Parameters
        ----------
        market
            Goods and bidders.
        core_payment
            What the bidder pays in the core; None if it pays its VCG payment.
        """
        name, written = market.bidders[self.bidder].name, self.packing.in_words
        payer = f"{name} pays"
        if core_payment is not None:
            payer = f"The VCG payment of {name} would be"
        words = (
            f"Without {name} the others would get {written(self.others_without)}; with {name} "
            f"they get {written(self.others_with)}. {payer} the difference of {written(self.harm)}"
        )
        if self.reserve:
            words += f" on top of the reserve prices of {written(self.reserve)}"
        if core_payment is not None:
            words += f"; {name} pays {written(core_payment)}"
        if not self.is_proven:
            words += (
                ". This is NOT PROVEN: the work was stopped early, and without "
                f"{name} the others could get up to {written(self.bound_without)}"
            )
        return words + "."


@dataclass(frozen=True, eq=False)
class PricedOutcome(Outcome):
    """
    An outcome that can say how its payments came about.

    Parameters
    ----------
    explanations
        The VCG terms of each bidder, in the order of the market.
    reserve
        Reserve price of one copy of each good, ``(num_goods,)``.
    bound
        No allocation has a larger surplus than this, up to what counts as a tie: nothing where
        values and reserve prices are whole numbers, ``TIE`` of the largest bid otherwise.
    method
        Which part ended the work on the main economy: ``search``, ``branching`` or ``milp``.
    seconds
        Wall-clock time of the allocation and all payments.
    verified_by
        The second solver that came to its end in every economy, within the gap if one is allowed,
        and has nothing better; None if none was asked, or if time or the gap kept it from that.
    is_proven
        Whether the allocation is proven optimal; False only where a gap was allowed or time ran
        out.
    """

    explanations: tuple[Explanation, ...]
    reserve: np.ndarray
    bound: float
    method: str
    seconds: float
    verified_by: str | None
    is_proven: bool = True

    @property
    def unproven(self) -> tuple[int, ...]:
        """Winners whose payments rest on an allocation that is not proven optimal."""
        winners = np.flatnonzero(self.allocation.bundles.any(axis=1))
        return tuple(int(i) for i in winners if not self.explanations[i].is_proven)

    @property
    def status(self) -> str:
        """``optimal``, ``payments not proven`` or ``not proven``."""
        if not self.is_proven:
            return "not proven"
        return "payments not proven" if self.unproven else "optimal"

    @property
    def vcg_payments(self) -> np.ndarray:
        """What the VCG rule charges, ``(num_bidders,)``; the lower end of every core payment."""
        return np.array([max(term.payment, term.reserve) for term in self.explanations])

    @property
    def surplus(self) -> float:
        """Welfare less the reserve prices of what is given away."""
        return add_up((self.welfare, *(-term.reserve for term in self.explanations)))

    def explain(self) -> str:
        """One paragraph per winner."""
        in_core = self.rule == "core"
        return "\n".join(
            term.text(self.market, float(self.payments[term.bidder]) if in_core else None)
            for term in self.explanations
            if self.allocation.bundles[term.bidder].any()
        )

    def to_dict(self) -> dict[str, Any]:
        """
        The outcome as plain values, for JSON.

        ``allocation_without`` is None for bidders without whom nothing changes.
        """
        names = [good.name for good in self.market.goods]
        vcg_payments = self.vcg_payments
        return {
            "rule": self.rule,
            "welfare": self.welfare,
            "surplus": self.surplus,
            "bound": self.bound,
            "revenue": self.revenue,
            "status": self.status,
            "method": self.method,
            "seconds": self.seconds,
            "verified_by": self.verified_by,
            "bidders": [
                {
                    "bidder": bidder.name,
                    "bundle": _counts(self.allocation.bundles[i], names),
                    "value": float(self.values[i]),
                    "payment": float(self.payments[i]),
                    "vcg_payment": float(vcg_payments[i]),
                    "reserve": term.reserve,
                    "others_with": term.others_with,
                    "others_without": term.others_without,
                    "bound_without": term.bound_without,
                    "is_proven": term.is_proven,
                    "allocation_without": None
                    if term.others_without == term.others_with
                    and not self.allocation.bundles[i].any()
                    else {
                        self.market.bidders[j].name: _counts(bundle, names)
                        for j, bundle in term.winners_without.items()
                    },
                }
                for i, (bidder, term) in enumerate(
                    zip(self.market.bidders, self.explanations, strict=True)
                )
            ],
        }


def settle(payments: np.ndarray, lower: np.ndarray, values: np.ndarray, scale: float) -> np.ndarray:
    """
    Payments within their range, rounding errors removed.

    Individual rationality (nobody pays more than its bid) and no deficit (nobody is paid) must
    hold for every outcome; a violation beyond solver tolerance is an error, never hidden.

    Parameters
    ----------
    payments, lower, values
        What each bidder pays, its smallest payment (0 or more) and its bid, ``(num_bidders,)``.
    scale
        Largest surplus: what the solvers' tolerance is relative to. Rounding errors are relative
        to the values, which reserve prices can make far larger.
    """
    tolerance = max(TOLERANCE * scale, ROUNDING * float(values.max()))
    below, above = lower - payments, payments - values
    for excess, what in ((below, "less than the least it must pay"), (above, "more than its bid")):
        worst = int(np.argmax(excess))
        if excess[worst] > tolerance:
            raise SolverError(
                f"Bidder {worst} would pay {payments[worst]:.12g}, which is {excess[worst]:.3g} "
                f"{what}; an economy was not solved to optimality. Please report this."
            )
    settled: np.ndarray = np.minimum(np.maximum(payments, lower), values)
    assert (settled <= values).all(), "a payment exceeds its bid"
    assert (settled >= 0).all(), "a bidder is paid"
    return settled


def _counts(bundle: np.ndarray, names: list[str]) -> dict[str, int]:
    return {names[good]: int(bundle[good]) for good in np.flatnonzero(bundle).tolist()}
