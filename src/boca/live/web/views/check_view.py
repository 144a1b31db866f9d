"""The page before sending, for a bidder and for whoever enters something on its behalf."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from boca.live.auction.events import Bundle
from boca.live.auction.money import Money, price
from boca.live.auction.state import Taken
from boca.live.auction.submission import Checked, Submission
from boca.live.auction.views import BidderView, Setup, can_be_given
from boca.live.auction.warnings import Warning
from boca.live.clock import from_text
from boca.live.web.texts import MOST_NAMED as MOST_GOODS
from boca.live.web.texts import Texts
from boca.live.web.views.basket import Basket, BasketItem, submission_of, to_content
from boca.live.web.views.draft import respelled
from boca.live.web.views.naming import question_name, said_name, sentence_name
from boca.live.web.views.problem import FormProblem, mistake_problems
from boca.live.web.views.receipt_view import number_of, received_items

# Submissions, and rows of each, that are told one by one.
MOST_NAMED = 3


@dataclass(frozen=True)
class CheckPage:
    """
    What the page shows.

    Parameters
    ----------
    items, counts
        What will be sent, and what each wanted bundle would count as, by the key of its row.
    warnings, notes
        What looks odd and wants a tick, and what is only said; each with its sentence.
    ticked, is_asked
        Warnings that were confirmed, and whether somebody tried to send, so that missing ticks
        are mistakes.
    problems
        Everything that is wrong.
    num_open
        Questions that stay open.
    can_send, content, basis
        Whether it can be sent, and the hidden fields that say what.
    at_most
        What the bidder can have to pay afterwards; empty but in a sale.
    """

    items: tuple[BasketItem, ...]
    counts: Mapping[str, str]
    warnings: tuple[tuple[Warning, str], ...]
    notes: tuple[str, ...]
    ticked: tuple[str, ...]
    is_asked: bool
    problems: tuple[FormProblem, ...]
    num_open: int
    can_send: bool
    content: str
    basis: str
    at_most: str = ""

    def lacks_tick(self, warning: Warning) -> bool:
        """Whether somebody forgot to confirm it."""
        return self.is_asked and warning.id not in self.ticked


def check_page(
    t: Texts,
    view: BidderView,
    basket: Basket,
    check: Callable[[Submission], Checked],
    kept_money: Money,
    ticked: tuple[str, ...] = (),
    is_asked: bool = False,
) -> CheckPage:
    """
    The page of a basket.

    Parameters
    ----------
    t, view
        Texts and the auction as the bidder sees it.
    basket
        What would be sent.
    check
        Says what a submission would do.
    kept_money
        How amounts are written in what is sent, in the auction's language.
    ticked, is_asked
        As in :class:`CheckPage`.
    """
    checked = Checked((), (), (), (), ())
    money = view.setup.money
    drafts = {key: respelled(d, money, kept_money) for key, d in basket.drafts.items()}
    if drafts:
        checked = check(submission_of(drafts, view.setup.market, ticked, view.basis))
    names = bundle_names(t, view, basket)
    told = [(w, warning_words(t, view.setup, w, names)) for w in checked.warnings]
    words = {i.query or i.key: t.bundle(i.bundle, view.setup.market) for i in basket.items}
    problems = mistake_problems(t, checked.mistakes, words)
    problems += [FormProblem("", text) for text in basket.errors.values()]
    if is_asked:
        problems += [
            FormProblem(f"tick-{warning.id}", f"{text} {t('check.tick_missing')}")
            for warning, text in told
            if warning.needs_tick and warning.id not in ticked
        ]
    sent = {item.key for item in basket.items}
    return CheckPage(
        items=basket.items,
        counts={
            item.key: counts_words(t, view, basket, item, checked.bids[item.bundle])
            for item in basket.items
            if item.kind in ("demand", "again") and item.bundle in checked.bids
        },
        warnings=tuple(row for row in told if row[0].needs_tick),
        notes=tuple(text for warning, text in told if not warning.needs_tick),
        ticked=ticked,
        is_asked=is_asked,
        problems=tuple(problems),
        num_open=sum(q.is_open and q.id not in sent for q in view.questions),
        can_send=view.can_submit and not checked.mistakes,
        content=to_content(drafts),
        basis=view.basis,
        at_most="" if checked.mistakes else at_most_words(t, view, checked),
    )


def at_most_words(t: Texts, view: BidderView, checked: Checked) -> str:
    """What a bidder of a sale can have to pay once it is sent, and so far."""
    if view.setup.kind != "sell" or not (checked.reports or checked.demands):
        return ""
    market, show = view.setup.market, view.setup.money.show
    bids = can_be_given(checked.bids, market, view.bidder)
    reserve = view.setup.rules.reserve_units(market)
    largest = max((u for b, u in bids.items() if u >= price(b, reserve)), default=0)
    before, cap = view.exposure.largest, view.exposure.cap
    if largest == before:
        words = t("exposure.check_same", amount=show(largest))
    else:
        words = t("exposure.check", amount=show(largest), before=show(before))
    return words if cap is None else f"{words} {t('exposure.check_cap', amount=show(cap))}"


def counts_words(t: Texts, view: BidderView, basket: Basket, item: BasketItem, bid: int) -> str:
    """What a wanted bundle counts as, and why."""
    named = {row.bundle for row in view.answers}
    named |= {i.bundle for i in basket.items if i.kind in ("answer", "push", "correct")}
    wanted = [i for i in basket.items if i.kind in ("demand", "again")]
    replaced = {i.query for i in wanted}
    said = [row for row in view.demands if row.query not in replaced]
    costs = {row.cost for row in said if row.demand.bundle == item.bundle}
    costs |= {i.units or 0 for i in wanted if i.bundle == item.bundle}
    if item.bundle in named:
        key = "counts_named"
    elif bid == item.units:
        key = "counts_cost"
    else:
        key = "counts_before" if bid in costs else "counts"
    return t(f"check.{key}", amount=view.setup.money.show(bid))


def conflict_words(t: Texts, view: BidderView, newer: list[Taken]) -> str:
    """Who sent what since a page was made."""
    rows = [t("check.conflict", bidder=view.bidder_name)]
    for taken in newer[-MOST_NAMED:]:
        what = [_item_words(t, view, item) for item in received_items(view, taken)]
        if len(what) > MOST_NAMED:
            more = len(what) - MOST_NAMED
            what = [*what[:MOST_NAMED], t.count("check.conflict_more", more)]
        time = t.moment(from_text(taken.event.received), seconds=True)
        number = number_of(taken.hash)
        rows.append(
            t(
                "check.conflict_row",
                who=taken.person,
                what=t.listing(what),
                time=time,
                number=number,
            )
        )
    return " ".join(rows)


def _item_words(t: Texts, view: BidderView, item: BasketItem) -> str:
    bundle = t.bundle(item.bundle, view.setup.market)
    if item.kind == "decline":
        return t("check.conflict_decline", query=sentence_name(t, item.query))
    if item.kind == "demand":
        return t("check.conflict_demand", bundle=bundle)
    amount = view.setup.money.show_range(item.units or 0, item.most)
    return t("check.conflict_value", amount=amount, bundle=bundle)


def bundle_names(t: Texts, view: BidderView, basket: Basket) -> dict[Bundle, str]:
    """Bundles of many goods that a sentence can call by the question that they answer."""
    names = {row.bundle: said_name(t, row.report) for row in view.answers}
    asked = [item for item in basket.items if item.kind == "answer"]
    names |= {item.bundle: question_name(t, item.query) for item in asked}
    return {bundle: name for bundle, name in names.items() if sum(map(bool, bundle)) > MOST_GOODS}


def warning_words(
    t: Texts, setup: Setup, warning: Warning, names: Mapping[Bundle, str] | None = None
) -> str:
    """A warning as a sentence with both amounts; ``names`` stand for bundles of many goods."""
    market, money = setup.market, setup.money

    def words(bundle: Bundle) -> str:
        return (names or {}).get(bundle) or t.bundle(bundle, market)

    other = "" if warning.other is None else words(warning.other)
    return t(
        f"warning.{warning.kind}",
        bundle=words(warning.bundle),
        amount=money.show(warning.units),
        other=other,
        other_amount=money.show(warning.other_units or 0),
        factor=t.figure(warning.factor or 0),
    )
