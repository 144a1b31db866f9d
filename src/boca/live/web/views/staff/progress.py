"""The work under way at the desk, in words."""

from dataclasses import dataclass

from boca.live.auction.views import AuctionProgress, ContradictingAnswers
from boca.live.web.texts import Texts
from boca.live.work.jobs import Work


@dataclass(frozen=True)
class WorkWords:
    """
    The slow work under way.

    Parameters
    ----------
    words
        What is being done.
    seconds
        For how long, so far; None while it waits.
    """

    words: str
    seconds: int | None


def work_words(t: Texts, work: Work | None) -> WorkWords | None:
    """What the server is working on; None if it waits for people."""
    if work is None:
        return None
    if not work.is_running:
        return WorkWords(t("run.work_waits"), None)
    seconds = int(work.seconds)
    if work.job == "decide":
        begun = sum(stage == "economy" for stage in work.stages)
        words = t("run.work_economies", n=begun) if begun else t("run.work_decide")
        return WorkWords(words, seconds)
    key = f"run.work_{work.stage}" if work.stage in ("learning", "solving") else "run.work_plan"
    return WorkWords(t(key), seconds)


def contradiction_words(t: Texts, view: AuctionProgress, one: ContradictingAnswers) -> str:
    """Which answers of whom cannot all be true."""
    market, show = view.setup.market, view.setup.money.show
    answers = [
        t("run.contradict_value", bundle=t.bundle(bundle, market), amount=show(units))
        for bundle, units in one.reports
    ]
    for prices, bundle in one.choices:
        named = [
            t("run.contradict_price", good=good.name, amount=show(price))
            for good, price in zip(market.goods, prices, strict=True)
        ]
        wanted = t.bundle(bundle, market)
        answers.append(t("run.contradict_choice", bundle=wanted, prices=t.listing(named)))
    bidder = market.bidders[one.bidder].name
    words = t("run.contradict", bidder=bidder, answers="; ".join(answers))
    if one.discrepancy is None:
        return f"{words} {t('run.contradict_nothing')}"
    return f"{words} {t('run.contradict_off', amount=show(one.discrepancy))}"
