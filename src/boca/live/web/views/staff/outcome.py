"""An outcome with everything behind it, for auctioneer and auditor."""

from dataclasses import dataclass

from boca.live.auction.views import AuctionProgress, OutcomeRow
from boca.live.web.texts import Texts


@dataclass(frozen=True)
class SettledRow:
    """
    One bidder of an outcome.

    Parameters
    ----------
    name, bundle, value, payment
        Who receives what, what it said this is worth, and what it pays.
    why
        The sum behind the payment; empty for whoever receives nothing.
    wins
        Whether it receives anything.
    """

    name: str
    bundle: str
    value: str
    payment: str
    why: str
    wins: bool


@dataclass(frozen=True)
class Settlement:
    """
    The whole outcome.

    Parameters
    ----------
    rows
        One per bidder.
    welfare, revenue
        The sum of reported values of what is given out, and of payments.
    rule, second_solver, seconds, versions
        How it was computed; the second solver is empty where none has agreed.
    """

    rows: tuple[SettledRow, ...]
    welfare: str
    revenue: str
    rule: str
    second_solver: str
    seconds: str
    versions: str


def settlement(t: Texts, view: AuctionProgress) -> Settlement | None:
    """The outcome in words; None before it is decided."""
    if not view.outcome:
        return None
    money = view.setup.money
    return Settlement(
        tuple(settled_row(t, view, row) for row in view.outcome),
        money.show(sum(row.value or 0 for row in view.outcome)),
        money.show(sum(row.payment for row in view.outcome)),
        t(f"outcome.rule_{view.setup.rules.payment_rule}"),
        view.verified_by or "",
        t("run.seconds", n=f"{view.seconds:.1f}"),
        t("words.comma").join(f"{name} {number}" for name, number in view.versions.items()),
    )


def settled_row(t: Texts, view: AuctionProgress, row: OutcomeRow) -> SettledRow:
    """One bidder of the outcome in words."""
    money, market = view.setup.money, view.setup.market
    why = ""
    if row.others_without is not None and row.others_with is not None:
        gaps = {
            "without": money.figures(row.others_without),
            "with": money.figures(row.others_with),
            "vcg": money.figures(row.others_without - row.others_with + (row.reserve or 0)),
            "reserve": money.figures(row.reserve or 0),
            "payment": money.figures(row.payment),
        }
        rules = view.setup.rules
        key = "vcg_reserve" if rules.reserve else "vcg"
        key = "core" if rules.payment_rule == "core" else key
        why = t(f"outcome.why_{key}", **gaps)
    return SettledRow(
        row.name,
        t.bundle(row.bundle, market),
        money.show(row.value) if row.value is not None else t("run.unknown"),
        money.show(row.payment),
        why,
        any(row.bundle),
    )


def checks(t: Texts, view: AuctionProgress) -> list[str]:
    """
    What was checked before the outcome was written to the log.

    The sentences hold for every outcome that is there: :mod:`boca.live.auction.job_results`
    refuses any other.
    """
    if not view.outcome:
        return []
    rule = view.setup.rules.payment_rule
    sentences = [t("outcome.check_feasible"), t("outcome.check_reported")]
    sentences.append(t(f"outcome.check_{rule}"))
    sentences.append(t("outcome.check_between"))
    if view.verified_by:
        sentences.append(t("outcome.check_solver", solver=view.verified_by))
    return sentences
