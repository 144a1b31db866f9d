"""The page before sending, for a bidder and for whoever enters something on its behalf."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from boca.live.auction.events import Bundle
from boca.live.auction.submission import Checked, Submission
from boca.live.auction.views import BidderView, Setup
from boca.live.auction.warnings import Warning
from boca.live.web.texts import Texts
from boca.live.web.views.basket import Basket, BasketItem, submission_of, to_content
from boca.live.web.views.problem import FormProblem, mistake_problems


@dataclass(frozen=True)
class CheckPage:
    """
    What the page shows.

    Parameters
    ----------
    items, bids
        What will be sent, and what would count for wanted bundles.
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
    """

    items: tuple[BasketItem, ...]
    bids: Mapping[Bundle, int]
    warnings: tuple[tuple[Warning, str], ...]
    notes: tuple[str, ...]
    ticked: tuple[str, ...]
    is_asked: bool
    problems: tuple[FormProblem, ...]
    num_open: int
    can_send: bool
    content: str
    basis: str

    def lacks_tick(self, warning: Warning) -> bool:
        """Whether somebody forgot to confirm it."""
        return self.is_asked and warning.id not in self.ticked


def check_page(
    t: Texts,
    view: BidderView,
    basket: Basket,
    check: Callable[[Submission], Checked],
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
    ticked, is_asked
        As in :class:`CheckPage`.
    """
    checked = Checked((), (), (), (), ())
    if basket.items:
        checked = check(submission_of(basket.drafts, view.setup.market, ticked, view.basis))
    told = [(warning, warning_words(t, view.setup, warning)) for warning in checked.warnings]
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
        bids=checked.bids,
        warnings=tuple(row for row in told if row[0].needs_tick),
        notes=tuple(text for warning, text in told if not warning.needs_tick),
        ticked=ticked,
        is_asked=is_asked,
        problems=tuple(problems),
        num_open=sum(q.is_open and q.id not in sent for q in view.questions),
        can_send=view.can_submit and not checked.mistakes,
        content=to_content(basket),
        basis=view.basis,
    )


def warning_words(t: Texts, setup: Setup, warning: Warning) -> str:
    """A warning as a sentence with both amounts."""
    market, money = setup.market, setup.money
    other = "" if warning.other is None else t.bundle(warning.other, market)
    return t(
        f"warning.{warning.kind}",
        bundle=t.bundle(warning.bundle, market),
        amount=money.show(warning.units),
        other=other,
        other_amount=money.show(warning.other_units or 0),
        factor=f"{warning.factor or 0:g}",
    )
