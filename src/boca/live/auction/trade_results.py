"""The outcome of an exchange, checked in whole units, and as events."""

import numpy as np

from boca.core.allocation import Allocation, violations
from boca.core.market import Market
from boca.live.auction import events as ev
from boca.live.auction.engine_results import OutcomeResult
from boca.live.auction.events import Bundle, Event
from boca.live.auction.refusal import Refusal
from boca.live.auction.state import LiveState


def _wrong(sentence: str) -> Refusal:
    return Refusal("mistakes", sentence)


class TradeSums:
    """
    What holdings are worth to participants, in whole units.

    Parameters
    ----------
    market
        Goods with all copies, participants with what they hold before.
    values
        What each has said: bundle -> units of money.
    """

    def __init__(self, market: Market, values: list[dict[Bundle, int]]):
        self.market, self.values = market, values
        self.held: list[Bundle] = [tuple(row) for row in market.endowments.tolist()]

    def keeps(self, i: int) -> int | None:
        """The value of what a participant holds before; None if it has not said it."""
        return self.values[i].get(self.held[i]) if any(self.held[i]) else 0

    def can_trade(self, i: int) -> bool:
        """Whether it is known what a trade gains."""
        return self.keeps(i) is not None

    def value(self, i: int, bundle: Bundle) -> int:
        """The value of a holding; nothing is worth 0."""
        return self.values[i].get(bundle, 0) if any(bundle) else 0

    def gain(self, i: int, bundle: Bundle) -> int:
        """What a participant gains by holding something else than before."""
        return 0 if bundle == self.held[i] else self.value(i, bundle) - (self.keeps(i) or 0)

    def total(self, holdings: tuple[Bundle, ...]) -> int:
        return sum(self.gain(i, bundle) for i, bundle in enumerate(holdings))

    def problem(self, holdings: tuple[Bundle, ...]) -> str:
        """What is wrong with holdings, in words; empty if nothing is."""
        market = self.market
        if len(holdings) != market.num_bidders or {len(b) for b in holdings} != {market.num_goods}:
            return "it has the wrong shape"
        problems = violations(Allocation(np.array(holdings)), market)
        if problems:
            return problems[0]
        for i, bundle in enumerate(holdings):
            name = market.bidders[i].name
            if bundle == self.held[i]:
                continue
            if not self.can_trade(i):
                return f"{name} would trade without having said what keeping is worth"
            if any(bundle) and bundle not in self.values[i]:
                return f"{name} would hold what it never valued"
        return ""


def trade_events(state: LiveState, result: OutcomeResult) -> list[Event]:
    """``decided``, ``justified`` and one ``result`` per participant, in exact integers."""
    rules, market = state.setup
    sums = TradeSums(market, [state.bids(i) for i in range(market.num_bidders)])
    holdings = result.allocation
    problem = sums.problem(holdings)
    if problem:
        raise _wrong(f"The trades cannot be used: {problem}.")
    total = sums.total(holdings)
    terms = _terms(sums, result, total)
    payments = [
        _exact_payment(sums, i, result.payments[i], holdings[i], terms.get(i), total)
        for i in range(market.num_bidders)
    ]
    if rules.payment_rule != "vcg" and sum(payments) < 0:
        raise _wrong(f"The payments add up to {sum(payments)}; nobody would pay the rest.")
    told = []
    for i, bundle in enumerate(holdings):
        term = terms.get(i)
        shown = {}
        if term is not None and rules.explain_payments:
            shown = {"more": total - term.gain_without, "keeps": term.keeps}
        told.append(ev.Result(i, bundle, sums.value(i, bundle), payments[i], **shown))
    decided = ev.Decided(
        holdings,
        tuple(payments),
        result.rule,
        result.verified_by,
        result.versions,
        result.seconds,
    )
    return [decided, ev.Justified(traders=tuple(terms.values())), *told]


def _terms(sums: TradeSums, result: OutcomeResult, total: int) -> dict[int, ev.TradeTerm]:
    terms = {}
    for i, bundle in enumerate(result.allocation):
        if bundle == sums.held[i]:
            continue
        rows = result.without.get(i)
        if rows is None:
            raise _wrong(f"The outcome lacks the best trades without participant {i}.")
        problem = sums.problem(rows)
        if problem or rows[i] != sums.held[i]:
            raise _wrong(f"The trades without participant {i} cannot be used: {problem}.")
        gain = sums.total(rows)
        if gain > total:
            raise _wrong(f"Without participant {i} all would gain more, {gain}, not {total}.")
        terms[i] = ev.TradeTerm(i, sums.value(i, bundle), sums.keeps(i) or 0, gain, rows)
    return terms


def _exact_payment(
    sums: TradeSums,
    i: int,
    amount: float,
    bundle: Bundle,
    term: ev.TradeTerm | None,
    total: int,
) -> int:
    """What a participant pays; raises unless it gains by it, and no more than under VCG."""
    exact = round(amount)
    if abs(amount - exact) > 1e-6 * max(1.0, abs(amount)):
        raise _wrong(f"The payment of participant {i} is {amount}, which is not whole units.")
    gain = sums.gain(i, bundle)
    most = 0 if term is None else total - term.gain_without
    if not 0 <= gain - exact <= most:
        raise _wrong(
            f"Participant {i} would keep {gain - exact} of its gain; expected 0 to {most}."
        )
    return exact
