"""The rows of the desk: bidders, rounds, and the work under way."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.money import Money
from boca.live.auction.views import AuctionProgress, RoundRow
from boca.live.web.texts import Texts
from boca.live.work.jobs import Work


@dataclass(frozen=True)
class BidderRow:
    """
    One bidder at the desk.

    Parameters
    ----------
    bidder, name
        Which one.
    has_joined, is_online
        Whether somebody has signed in for it, and is there now.
    num_open, num_answered, num_declined, num_asked
        Questions of the present round.
    num_reports
        Values in the whole auction; None while they are sealed.
    num_pushes
        Own bids in the whole auction.
    last_submission
        When something was taken last.
    """

    bidder: int
    name: str
    has_joined: bool
    is_online: bool
    num_open: int
    num_answered: int
    num_declined: int
    num_asked: int
    num_reports: int | None
    num_pushes: int
    last_submission: datetime | None


@dataclass(frozen=True)
class RoundWords:
    """One finished round in words."""

    round: int
    num_reports: int
    welfare: str
    missing: str
    gap: str
    seconds: str


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


def bidder_rows(view: AuctionProgress, online: set[int | None]) -> list[BidderRow]:
    """The bidders; ``online`` has those with somebody at a page."""
    return [
        BidderRow(
            row.bidder,
            row.name,
            bool(row.joined),
            row.bidder in online,
            row.num_open,
            row.num_answered,
            row.num_declined,
            row.num_open + row.num_answered + row.num_declined,
            row.num_reports,
            row.num_pushes,
            row.last_submission,
        )
        for row in view.rows
    ]


def round_words(t: Texts, rows: Iterable[RoundRow], money: Money) -> list[RoundWords]:
    """The finished rounds, with what is not known left blank."""
    return [
        RoundWords(
            row.round + 1,
            row.num_reports,
            money.show(round(row.welfare)),
            share(t, missing(row)),
            share(t, row.gap),
            t("run.seconds", n=f"{max(row.seconds, 1):.0f}") if row.seconds else t("run.unknown"),
        )
        for row in rows
    ]


def missing(row: RoundRow) -> float | None:
    """The largest share of the best welfare that a round can lack; None where it is unproven."""
    if row.bound is None or row.bound <= 0:
        return None
    return max(1 - row.welfare / row.bound, 0.0)


def share(t: Texts, number: float | None) -> str:
    """A share in percent."""
    return t("run.unknown") if number is None else t("run.percent", n=f"{100 * number:.1f}")


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
