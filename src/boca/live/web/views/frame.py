"""What every page of an auction shows around its content."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from boca.live.auction.decide.timing import BY_AUCTIONEER
from boca.live.auction.views import Heading
from boca.live.clock import from_text
from boca.live.desk import Readers
from boca.live.web.texts import Texts

# Phases in which a page has nothing to do but wait.
WAITING = ("draft", "planning", "ready", "paused", "stuck", "stopped", "deciding", "decided")
BIDDER_MENU = ("me", "sheet", "answers", "push", "ask", "rules", "result", "told", "sessions")
STUDENT_MENU = ("ratings", "compare", "said", "rules", "result", "told", "sessions")
STAFF_MENU = ("run", "bidders", "inquiries", "outcome", "log", "mails", "proofs", "rules", "public")
# A time as the log has it.
MOMENT = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z")


@dataclass(frozen=True)
class Frame:
    """
    The frame of one page.

    Parameters
    ----------
    t, heading
        Texts of the auction's language, and the auction.
    bidder, who
        For whom the page is made; empty for the public.
    menu
        Pages that can be reached.
    home
        Where the auction's name leads.
    phase_words, reason
        How far it is, and why it rests if it does.
    news
        What has changed about the round, with the reason.
    last_sign_in
        Of this person, on any device.
    head_key
        Which record the head is, by the key of its words.
    has_list
        Whether the visitor has other auctions to go back to.
    num_open
        Questions that the visitor has not answered; the tab says how many.
    """

    t: Texts
    heading: Heading
    bidder: str
    who: str
    menu: tuple[str, ...]
    home: str
    phase_words: str
    reason: str
    news: tuple[str, ...]
    last_sign_in: datetime | None = None
    head_key: str = "frame.head"
    has_list: bool = False
    num_open: int = 0

    @property
    def auction(self) -> str:
        return self.heading.auction

    @property
    def name(self) -> str:
        return self.heading.name

    @property
    def round(self) -> int:
        """The round as people count it."""
        return self.heading.round + 1

    @property
    def deadline(self) -> datetime | None:
        """The end of the round; None unless it is open."""
        return self.heading.deadline if self.heading.phase == "open" else None

    @property
    def is_waiting(self) -> bool:
        return self.heading.phase in WAITING

    def title(self, page: str) -> str:
        """The title of a page, which no two pages share."""
        key = "frame.rehearsal_title" if self.heading.is_rehearsal else "frame.title"
        return self.t(key, page=page, auction=self.name)


def _phase_key(heading: Heading) -> str:
    is_last_call = heading.phase == "open" and heading.is_last_call
    return "last_call" if is_last_call else heading.phase


def phase_words(t: Texts, heading: Heading) -> str:
    """The phase as people are told it; rounds are counted from 1."""
    return t(f"phase.{_phase_key(heading)}", round=heading.round + 1)


def phase_more(t: Texts, heading: Heading) -> str:
    """What the phase means for a bidder."""
    return t(f"phase_more.{_phase_key(heading)}")


def with_times(t: Texts, reason: str) -> str:
    """A reason in which the times that the server wrote read like all others."""

    def words(found: re.Match[str]) -> str:
        try:
            return t.moment(from_text(found[0]), seconds=True)
        except ValueError:  # somebody typed what only looks like a time
            return found[0]

    return MOMENT.sub(words, reason)


def news_of(t: Texts, heading: Heading) -> tuple[str, ...]:
    """What everybody is told about the round: that its end was moved, that it is the last."""
    if heading.changed is not None:
        return (t("frame.rules_changed", time=t.moment(heading.changed)),)
    if heading.phase not in ("open", "paused"):
        return ()
    news = []
    if heading.deadline_reason:
        by, _, text = heading.deadline_reason.partition(": ")
        key = "auctioneer" if by == BY_AUCTIONEER else heading.deadline_reason
        news.append(t(f"frame.moved_{key}", reason=text))
    if heading.stopping_reason and not heading.is_last_call:
        news.append(t("frame.last_round", reason=t.read(heading.stopping_reason)))
    return tuple(news)


def readers_news(t: Texts, readers: Readers, bidder: str) -> tuple[str, ...]:
    """Who else can read a bidder's sealed answers, which every page says."""
    news = []
    if readers.own:
        who = ", ".join(dict.fromkeys(readers.own))
        news.append(t.count("frame.readers_own", len(readers.own), bidder=bidder, who=who))
    if readers.auditors:
        who = ", ".join(readers.auditors)
        news.append(t.count("frame.readers_auditors", len(readers.auditors), who=who))
    return tuple(news) or (t("frame.readers_none", bidder=bidder),)


def frame_of(
    t: Texts,
    heading: Heading,
    bidder: str = "",
    person: str = "",
    last_sign_in: datetime | None = None,
) -> Frame:
    """
    The frame for one visitor.

    Parameters
    ----------
    t
        Texts of the auction's language.
    heading
        The auction.
    bidder, person
        Who looks; empty for the public.
    last_sign_in
        When the person signed in on another occasion.
    """
    return Frame(
        t=t,
        heading=heading,
        bidder=bidder,
        who=t.who(person, bidder) if bidder else person,
        menu=BIDDER_MENU if bidder else (),
        home=f"/a/{heading.auction}/{'me' if bidder else 'public'}",
        phase_words=phase_words(t, heading),
        reason=with_times(t, heading.reason),
        news=news_of(t, heading),
        last_sign_in=last_sign_in,
    )


def staff_frame(
    t: Texts, heading: Heading, person: str, role: str, last_sign_in: datetime | None
) -> Frame:
    """The frame of auctioneer and auditor, who are told phases as they are."""
    frame = frame_of(t, heading, "", person, last_sign_in)
    return replace(
        frame,
        who=role if person == role else t("frame.staff_who", person=person, role=role),
        head_key="frame.head_now",
        menu=STAFF_MENU,
        home=f"/a/{heading.auction}/run",
        phase_words=t(f"staff_phase.{_phase_key(heading)}", round=heading.round + 1),
    )
