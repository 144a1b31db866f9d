"""Everything that a bidder has reported, with the fields in which it can be corrected."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.live.auction.views import AnswerRow, BidderView
from boca.live.web.texts import Texts
from boca.live.web.views.basket import key_of
from boca.live.web.views.draft import Draft


@dataclass(frozen=True)
class CorrectionForm:
    """
    One report in a form.

    Parameters
    ----------
    answer
        What counts now.
    key, field
        Of its draft, and of its field in the page.
    text, error
        What was typed instead, and what is wrong with that.
    """

    answer: AnswerRow
    key: str
    field: str
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


def correction_forms(
    view: BidderView, drafts: Mapping[str, Draft], errors: Mapping[str, str]
) -> list[CorrectionForm]:
    """The bidder's reports, the latest first."""
    forms = []
    for k, answer in enumerate(reversed(view.answers)):
        key = key_of("correct", answer.bundle)
        text = drafts.get(key, Draft()).text
        forms.append(CorrectionForm(answer, key, f"correct-{k}", text, errors.get(key, "")))
    return forms


def price_words(t: Texts, view: BidderView, prices: tuple[int, ...]) -> str:
    """Announced prices as a list in a sentence."""
    return t.listing(
        t("demand.price_of", good=good.name, amount=view.setup.money.figures(price))
        for good, price in zip(view.setup.market.goods, prices, strict=True)
    )
