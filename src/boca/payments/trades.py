"""
Exchanges: the trades with the largest gain on what participants reported, and what each pays.

Participants hold something before (:attr:`boca.core.market.Bidder.endowment`) and report values of
what they might hold afterwards. To hold nothing is worth 0; to keep what one has is the option of
whoever does not trade, and its value must be known. A trade is worth its value less that of the
endowment, and "without i" means that i keeps what it has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from boca.core.allocation import Allocation, check_feasible
from boca.core.bundle import format_bundle
from boca.core.errors import InputError, SolverError
from boca.core.market import Market
from boca.core.money import add_up, common_decimals, in_units
from boca.core.report import Reports
from boca.core.settings import check_choice
from boca.payments.bids import check_reports
from boca.payments.effort import Effort, Progress
from boca.payments.options import Options, choose, restricted
from boca.payments.program import Chosen
from boca.payments.shares import EXCHANGE_RULES, DiscountRule, in_whole_units
from boca.payments.vcg_rule import second_solver

# Where values are not whole units of money, they are counted in this share of the largest one.
GRAIN = 1e-12


@dataclass(frozen=True, eq=False)
class Trades:
    """
    Who holds what after an exchange, and what everybody pays.

    Parameters
    ----------
    market
        Goods, participants and their endowments.
    allocation
        What everybody holds afterwards.
    gains
        Value of that less the value of the endowment, as reported, ``(num_participants,)``.
    payments
        What each pays, ``(num_participants,)``; negative for what it is paid.
    vcg_discounts
        V less V without the participant, ``(num_participants,)``.
    rule
        How the gains were shared out.
    bound
        No trades gain more.
    method, is_proven
        Which part ended the work, and whether nothing is better.
    verified_by
        Name of a second solver that found the same gain.
    without
        Each participant that trades, and what everybody holds after the best trades without it.
    """

    market: Market
    allocation: Allocation
    gains: np.ndarray
    payments: np.ndarray
    vcg_discounts: np.ndarray
    rule: DiscountRule
    bound: float
    method: str
    is_proven: bool
    verified_by: str | None = None
    without: tuple[tuple[int, Allocation], ...] = ()

    @cached_property
    def gain(self) -> float:
        """What all trades gain together."""
        return add_up(self.gains.tolist())

    @cached_property
    def surplus(self) -> float:
        """What is left with the exchange; negative where somebody outside has to pay it."""
        return add_up(self.payments.tolist())

    @property
    def moves(self) -> np.ndarray:
        """What everybody receives, and with a minus gives, ``(num_participants, num_goods)``."""
        moves: np.ndarray = self.allocation.bundles - self.market.endowments
        return moves

    def explain(self) -> str:
        """What everybody gives, receives and pays, and why, in words."""
        lines = [self._explain(i) for i in range(self.market.num_bidders) if self.moves[i].any()]
        if self.surplus < 0:
            lines.append(
                f"These payments need {-self.surplus:,.10g} from outside the exchange, as VCG "
                "mostly does; threshold needs nothing."
            )
        elif self.rule not in ("vcg", "none"):
            lines.append(
                "Nobody pays more than its trade is worth to it, and what is paid is received; "
                "in return, telling the truth is not always the best answer."
            )
        return "\n".join(lines)

    def _explain(self, i: int) -> str:
        goods = [good.name for good in self.market.goods]
        gets, gives = np.maximum(self.moves[i], 0), np.maximum(-self.moves[i], 0)
        parts = []
        if gives.any():
            parts.append(f"gives {format_bundle(gives, goods)}")
        if gets.any():
            parts.append(f"gets {format_bundle(gets, goods)}")
        paid = float(self.payments[i])
        parts.append(f"pays {paid:,.10g}" if paid >= 0 else f"receives {-paid:,.10g}")
        discount = add_up([self.gains[i], -paid])
        gain = float(self.gains[i])
        worth = f"is worth {gain:,.10g} to it" if gain >= 0 else f"costs it {-gain:,.10g}"
        return (
            f"{self.market.bidders[i].name} {' and '.join(parts)}. The trade {worth}; it gains "
            f"{discount:,.10g}, where all together would gain {self.vcg_discounts[i]:,.10g} less "
            "without it."
        )

    def to_dict(self) -> dict[str, Any]:
        """The trades as plain values, for JSON."""
        goods = [good.name for good in self.market.goods]
        rows = [
            {
                "participant": bidder.name,
                "holds": {goods[j]: int(n) for j, n in enumerate(bundle) if n},
                "moves": {goods[j]: int(n) for j, n in enumerate(move) if n},
                "gain": float(gain),
                "pays": float(paid),
            }
            for bidder, bundle, move, gain, paid in zip(
                self.market.bidders,
                self.allocation.bundles,
                self.moves,
                self.gains,
                self.payments,
                strict=True,
            )
        ]
        return {
            "gain": self.gain,
            "bound": self.bound,
            "status": "optimal" if self.is_proven else "not proven",
            "payment_rule": self.rule,
            "surplus": self.surplus,
            "participants": rows,
            **({} if self.verified_by is None else {"verified_by": self.verified_by}),
        }


def exchange(
    reports: Sequence[Reports],
    market: Market,
    payments: DiscountRule = "threshold",
    verify: bool = False,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    keeping: Sequence[int] = (),
) -> Trades:
    """
    The trades with the largest gain, with proof, and what everybody pays.

    Parameters
    ----------
    reports
        One Reports object per participant: values of what it might hold. The value of its
        endowment must be among them.
    market
        Goods with all copies there are, participants with limits and endowments.
    payments
        How the gains are shared out; ``none`` where nobody pays anything.
    verify
        Whether a second solver has to find the same gain.
    max_seconds, progress
        As for :func:`boca.payments.allocate`.
    keeping
        Participants who keep what they hold, and need not have said what it is worth.
    """
    check_reports(reports, market)
    check_choice((*EXCHANGE_RULES, "none"), payments=payments)
    if market.sense != "sell":
        raise InputError(f"Market '{market.name}' buys; see award for markets that buy.")
    problem = _Problem(reports, market, Effort(max_seconds, progress=progress), keeping)
    best = problem.solve()
    paying = problem.traders(best) if payments != "none" else ()
    without = {i: problem.solve(without=[i]) for i in paying}
    discounts = [
        max(0.0, best.worth - without[i].worth) if i in without else 0.0
        for i in range(market.num_bidders)
    ]
    trades = problem.as_trades(best, discounts, payments)
    trades = replace(
        trades,
        without=tuple((i, problem.holdings(chosen)) for i, chosen in without.items()),
    )
    if verify:
        trades = replace(trades, verified_by=problem.verified(best))
    return trades


class _Problem:
    """What everybody may hold, as options; the first one of each is its endowment."""

    def __init__(
        self,
        reports: Sequence[Reports],
        market: Market,
        effort: Effort,
        keeping: Sequence[int] = (),
    ):
        self.market, self.effort, self.keeping = market, effort, frozenset(keeping)
        self.decimals = common_decimals(np.concatenate([r.values for r in reports]))
        owners: list[int] = []
        bundles: list[np.ndarray] = []
        worth: list[np.ndarray] = []
        for i, report in enumerate(reports):
            own, gains = self._options_of(i, report)
            owners += [i] * len(own)
            bundles.append(own)
            worth.append(gains)
        self.bundles = np.concatenate(bundles)
        self.options = Options(
            np.array(owners),
            np.concatenate(worth),
            self.bundles,
            market.capacities,
            self.decimals,
        )
        self.defaults: list[int] = np.flatnonzero(np.diff(owners, prepend=-1)).tolist()

    def _options_of(self, i: int, report: Reports) -> tuple[np.ndarray, np.ndarray]:
        """Bundles that a participant may hold, its endowment first, and the gains."""
        market, held = self.market, self.market.endowments[i]
        if i in self.keeping:
            return held[None], np.zeros(1)
        values = in_units(report.values, self.decimals)
        if not held.any():
            keeps = 0.0
        elif held in report:
            keeps = float(values[(report.bundles == held).all(axis=1)][0])
        else:
            goods = [good.name for good in market.goods]
            raise InputError(
                f"'{market.bidders[i].name}' has not said what it is worth to keep "
                f"{format_bundle(held, goods)}; without that nobody knows what a trade gains."
            )
        is_held = (report.bundles == held).all(axis=1)
        useful = report.bundles.any(axis=1) & ~is_held & market.allows(i, report.bundles)
        nothing = [np.zeros((1, market.num_goods), dtype=np.int64)] if held.any() else []
        bundles = np.concatenate([held[None], *nothing, report.bundles[useful]])
        worth = np.concatenate([[keeps], *([0.0] for _ in nothing), values[useful]]) - keeps
        return bundles, worth

    def solve(self, without: Sequence[int] = (), solver: str | None = None) -> Chosen:
        options = restricted(self.options, self.defaults, without) if len(without) else self.options
        chosen = choose(options, self.effort, "trades", solver=solver)
        if chosen is None:
            raise SolverError("No trades were found, not even that everybody keeps what it has.")
        if not len(without):
            return chosen
        # Numbers of the restricted problem are not those of this one.
        is_open = ~np.isin(self.options.owners, list(without))
        is_open[[self.defaults[i] for i in without]] = True
        return replace(chosen, options=np.flatnonzero(is_open)[chosen.options])

    def traders(self, best: Chosen) -> list[int]:
        """Who does not keep exactly what it has; without the others all would gain the same."""
        pairs = zip(best.options.tolist(), self.defaults, strict=True)
        return [i for i, (option, default) in enumerate(pairs) if option != default]

    def holdings(self, chosen: Chosen) -> Allocation:
        """What everybody holds after a choice."""
        return Allocation(self.bundles[chosen.options])

    def verified(self, best: Chosen) -> str | None:
        """
        The second solver's name, if it finds the same gain; MissingExtra if there is none.

        None if it did not come to its end.
        """
        solver = second_solver()
        again = self.solve(solver=solver)
        unit = 1.0 if self.decimals is not None else 1e-6 * max(abs(best.worth), 1.0)
        try:
            return solver if best.is_confirmed_by(again, unit) else None
        except SolverError:
            raise SolverError(
                f"The solver {solver} found another gain of the best trades; please report "
                "this with the file."
            ) from None

    def as_trades(self, best: Chosen, discounts: Sequence[float], rule: DiscountRule) -> Trades:
        """A choice in the words of the market, and its payments."""
        gains = self.options.worth[best.options]
        grain = 1.0
        if self.decimals is None:
            grain = GRAIN * max(float(np.abs(self.options.worth).max(initial=0.0)), 1.0)
        worth = round(best.worth / grain)
        vcg = [round(d / grain) for d in discounts]
        shares = (
            in_whole_units(EXCHANGE_RULES[rule](vcg, worth)) if rule != "none" else [0] * len(vcg)
        )
        paid = [
            0.0 if rule == "none" else self._money(float(gain) - share * grain)
            for gain, share in zip(gains, shares, strict=True)
        ]
        allocation = Allocation(self.bundles[best.options])
        check_feasible(allocation, self.market)
        return Trades(
            self.market,
            allocation,
            np.array([self._money(gain) for gain in gains]),
            np.array(paid),
            np.array([self._money(d) for d in discounts]),
            rule,
            self._money(best.bound),
            best.method,
            best.is_proven,
        )

    def _money(self, units: float) -> float:
        amount = float(units) / 10.0 ** (self.decimals or 0)
        return round(amount, self.decimals) if self.decimals is not None else amount
