"""
How much welfare any allocation can have, proven by what bidders have said and chosen.

Every bidder's value is at most each of its linear bounds (:mod:`boca.functions.revealed`), so the
welfare of any allocation is at most the optimum of a linear program in which goods can be split.
Whatever its solver says, the bound is computed anew from the dual solution by weak duality: any
prices of the goods, and any mixture of a bidder's linear bounds, give a bound that holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market
from boca.functions.certificate import Certificate
from boca.functions.revealed import RevealedBound
from boca.milp import Model
from boca.milp.lp import solve_lp


@dataclass(frozen=True, eq=False)
class Pieces:
    """
    The linear bounds of one bidder's value, as a stack: ``value(x) <= offsets + slopes @ x``.

    Parameters
    ----------
    offsets, slopes
        ``(num_pieces,)`` and ``(num_pieces, num_goods)``. The value of the full bundle is one
        with slope 0.
    coefficients, bounds
        The bidder's limits, ``(num_limits, num_goods)`` and ``(num_limits,)``.
    """

    offsets: np.ndarray
    slopes: np.ndarray
    coefficients: np.ndarray
    bounds: np.ndarray

    @classmethod
    def of(cls, bound: RevealedBound | None, market: Market, bidder: int) -> "Pieces":
        """The linear parts of a bound; none where there is no bound."""
        offsets, slopes = np.zeros(0), np.zeros((0, market.num_goods))
        if bound is not None:
            offsets, slopes = bound.offsets, bound.prices
            if np.isfinite(bound.top):
                offsets = np.append(offsets, bound.top)
                slopes = np.concatenate([slopes, np.zeros((1, market.num_goods))])
        return cls(offsets, slopes, *market.limits(bidder))

    def best_profit(self, prices: np.ndarray, capacities: np.ndarray) -> float:
        """A bound on value less price of any bundle, by the best single piece."""
        if not len(self.offsets):
            return np.inf
        gains = np.maximum(self.slopes - prices, 0.0) @ capacities  # (num_pieces,)
        return float((self.offsets + gains).min())

    def mixed_profit(
        self, prices: np.ndarray, capacities: np.ndarray, mixture: np.ndarray, duals: np.ndarray
    ) -> float:
        """The same by a mixture of the pieces, with multipliers of the limits."""
        total = mixture.sum()
        if total <= 0:
            return np.inf
        mixture = mixture / total
        gain = np.maximum(mixture @ self.slopes - prices - duals @ self.coefficients, 0.0)
        return float(mixture @ self.offsets + duals @ self.bounds + gain @ capacities)


def certify(
    bounds: Sequence[RevealedBound | None], market: Market, time_limit: float | None = 10.0
) -> Certificate:
    """
    The best bound on welfare that the answers prove.

    Parameters
    ----------
    bounds
        What each bidder's answers prove about its value; None where they prove nothing.
    market
        Goods and bidders.
    time_limit
        Seconds for the linear program; prices that were asked give a bound in any case.
    """
    if len(bounds) != market.num_bidders:
        raise InputError(
            f"Received {len(bounds)} bounds; expected one for each of the {market.num_bidders} "
            "bidders."
        )
    pieces = [Pieces.of(bound, market, i) for i, bound in enumerate(bounds)]
    best = Certificate(np.inf, np.zeros(market.num_goods))
    if any(not len(own.offsets) for own in pieces):
        return best

    asked = np.unique(np.concatenate([own.slopes for own in pieces]), axis=0)
    for prices in asked:
        bound = prices @ market.capacities + sum(
            own.best_profit(prices, market.capacities) for own in pieces
        )
        if bound < best.bound:
            best = Certificate(float(bound), prices)
    improved = _by_program(pieces, market, best.bound, time_limit)
    return best if improved is None or improved.bound >= best.bound else improved


def _by_program(
    pieces: Sequence[Pieces], market: Market, scale: float, time_limit: float | None
) -> Certificate | None:
    """The bound of the linear program over all pieces; None if it was not solved."""
    if scale <= 0:
        return None
    capacities = market.capacities
    model = Model(maximise=True)
    shares, rows, limits = [], [], []
    for own in pieces:
        share = model.add_variables(market.num_goods, upper=capacities)
        value = model.add_variables(1, lower=-np.inf, cost=1.0)
        rows.append(
            [
                model.add_row(
                    np.concatenate([value, share]),
                    np.concatenate([[1.0], -slope / scale]),
                    upper=offset / scale,
                )
                for offset, slope in zip(own.offsets, own.slopes, strict=True)
            ]
        )
        limits.append(
            [
                model.add_row(share, row, upper=bound)
                for row, bound in zip(own.coefficients, own.bounds, strict=True)
            ]
        )
        shares.append(share)
    goods = [
        model.add_row([share[good] for share in shares], np.ones(len(shares)), upper=capacity)
        for good, capacity in enumerate(capacities.tolist())
    ]
    result = solve_lp(model, time_limit=time_limit)
    if result.duals is None:
        return None
    duals = np.maximum(result.duals, 0.0)
    prices = scale * duals[goods]
    bound = prices @ capacities + sum(
        own.mixed_profit(prices, capacities, duals[row], scale * duals[limit])
        for own, row, limit in zip(pieces, rows, limits, strict=True)
    )
    return Certificate(float(bound), prices)
