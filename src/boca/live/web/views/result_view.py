"""How an auction ended for one bidder, and why it pays what it pays."""

from collections.abc import Iterable
from dataclasses import dataclass

from boca.core.market import Market
from boca.live.auction.money import Money
from boca.live.auction.views import OutcomeRow, ResultView
from boca.live.web.texts import Texts


@dataclass(frozen=True)
class PaymentStep:
    """One line of the sum behind a payment."""

    label: str
    amount: str


@dataclass(frozen=True)
class ResultWords:
    """
    A bidder's result in words.

    Parameters
    ----------
    wins, bundle, bid, payment
        What it receives, what it said that this is worth, what it pays.
    is_proven
        Whether the bid is what choices at prices prove, not a reported value.
    why, steps
        The explanation, and the sum where the rules permit to show it.
    """

    wins: bool
    bundle: str
    bid: str
    payment: str
    why: str
    steps: tuple[PaymentStep, ...]
    is_proven: bool = False


@dataclass(frozen=True)
class OutcomeWords:
    """One bidder in the table of everybody's outcome."""

    bidder: str
    bundle: str
    payment: str


def sums_of(result: ResultView) -> dict[str, str]:
    """The amounts behind a VCG payment, by name; empty where the rules keep them."""
    for sentence in result.reasons:
        if sentence.key in ("result.vcg", "result.vcg-reserve"):
            return sentence.gaps
    return {}


def result_words(t: Texts, result: ResultView) -> ResultWords:
    """The result of one bidder."""
    money = result.setup.money
    is_core = result.setup.rules.payment_rule == "core"
    return ResultWords(
        wins=any(result.bundle),
        bundle=t.bundle(result.bundle, result.setup.market),
        bid=money.show(result.units),
        payment=money.show(result.payment),
        why=why_words(t, result),
        steps=() if is_core else payment_steps(t, result),
        is_proven=result.is_proven,
    )


def why_words(t: Texts, result: ResultView) -> str:
    """Why it ended so, in sentences."""
    reasons = result.reasons
    if result.setup.rules.payment_rule == "core":
        # The last sentence says it all, the sums before it are only a part.
        reasons = reasons[-1:]
    if result.best is None or any(result.bundle):
        return t.say(reasons)
    best, units = result.best
    bundle = t.bundle(best, result.setup.market)
    return t("result.nothing", value=result.setup.money.show(units), bundle=bundle)


def payment_steps(t: Texts, result: ResultView) -> tuple[PaymentStep, ...]:
    """The sum behind a VCG payment, line by line; empty where the rules keep it."""
    sums = sums_of(result)
    if not sums:
        return ()
    steps = [
        PaymentStep(t("result.step_without"), sums["without"]),
        PaymentStep(t("result.step_with"), f"\u2212 {sums['with']}"),
    ]
    if any(sentence.key == "result.vcg-reserve" for sentence in result.reasons):
        steps.append(PaymentStep(t("result.step_reserve"), f"+ {sums['reserve']}"))
    return (*steps, PaymentStep(t("result.step_pays"), sums["payment"]))


def outcome_words(
    t: Texts, rows: Iterable[OutcomeRow], market: Market, money: Money
) -> tuple[OutcomeWords, ...]:
    """Everybody's outcome, as far as it is open."""
    return tuple(
        OutcomeWords(row.name, t.bundle(row.bundle, market), money.show(row.payment))
        for row in rows
    )
