"""Everything that a bidder has reported, with the fields in which it can be corrected."""

from collections.abc import Mapping
from dataclasses import dataclass

from boca.live.auction.state import ENDED
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


def at_most_words(t: Texts, view: BidderView) -> str:
    """
    What own answers say about payments, whatever the others do; empty where they say nothing.

    No rule of payments asks for more than the bid for what is received, or pays less than an offer.
    """
    if view.setup.kind == "sell":
        bids = [bid.units for bid in view.exposure.bids]
    else:
        bids = [row.report.units for row in view.answers]
        bids += [row.bid for row in view.demands if row.bid is not None]
    if view.setup.kind == "exchange" or not bids or view.heading.phase in ENDED:
        return ""
    return t("answers.at_most", amount=view.setup.money.show(max(bids)))


def limit_facts(t: Texts, view: BidderView) -> list[tuple[str, str]]:
    """What a spending cap and the activity rule leave a bidder, by name; empty in the end."""
    exposure, show = view.exposure, view.setup.money.show
    facts = []
    if exposure.cap is not None and exposure.left is not None:
        facts.append((t("exposure.cap"), show(exposure.cap)))
        facts.append((t("exposure.left"), show(exposure.left)))
    if exposure.eligibility is not None:
        facts.append((t("exposure.eligibility"), str(exposure.eligibility)))
    if exposure.num_chosen is not None:
        facts.append((t("exposure.chosen"), str(exposure.num_chosen)))
    return [] if view.heading.phase in ENDED else facts


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
