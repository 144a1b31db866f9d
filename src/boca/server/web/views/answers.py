"""Everything that a bidder has reported, as it counts now."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.server.live.views import BidderView
from boca.server.web.texts import Texts
from boca.server.web.views.basket import Draft, key_of
from boca.server.web.views.receipt_view import number_of


@dataclass(frozen=True)
class Breach:
    """A larger bundle that has a lower value."""

    bundle: str
    amount: str


@dataclass(frozen=True)
class AnswerRow:
    """
    One reported bundle.

    Parameters
    ----------
    bundle, amount, round
        What counts, and since which round.
    receipt, number
        The record that says so.
    breaches
        Larger bundles with a lower value.
    key, field, is_correctable, text, error
        For the field in which it can be corrected.
    """

    bundle: str
    amount: str
    round: int
    receipt: str
    number: str
    breaches: tuple[Breach, ...]
    key: str
    field: str
    is_correctable: bool
    text: str
    error: str


def corrections_key(view: BidderView) -> str:
    """The sentence about corrections that holds now."""
    corrections = view.setup.rules.corrections
    if corrections == "never":
        return "answers.no_corrections"
    if not view.can_submit:
        return "answers.not_now"
    return "answers.always" if corrections == "always" else "answers.only_round"


def answer_rows(
    t: Texts, view: BidderView, drafts: Mapping[str, Draft], errors: Mapping[str, str]
) -> list[AnswerRow]:
    """The bidder's reports, the latest first."""
    market, money = view.setup.market, view.setup.money
    rows = []
    for k, answer in enumerate(reversed(view.answers)):
        key = key_of("correct", answer.bundle)
        rows.append(
            AnswerRow(
                bundle=t.bundle(answer.bundle, market),
                amount=money.show(answer.units),
                round=answer.round + 1,
                receipt=answer.receipt,
                number=number_of(answer.receipt),
                breaches=tuple(
                    Breach(t.bundle(warning.other, market), money.show(warning.other_units or 0))
                    for warning in answer.breaches
                    if warning.bundle == answer.bundle and warning.other is not None
                ),
                key=key,
                field=f"correct-{k}",
                is_correctable=answer.can_correct,
                text=drafts.get(key, Draft()).text,
                error=errors.get(key, ""),
            )
        )
    return rows
