"""What every page of an auction shows around its content."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from boca.live.auction.decide.timing import BY_AUCTIONEER
from boca.live.auction.state import Announcement
from boca.live.auction.views import Heading
from boca.live.clock import from_text
from boca.live.web.texts import Texts

# Phases in which a page has nothing to do but wait.
WAITING = ("draft", "planning", "ready", "paused", "stuck", "stopped", "deciding", "decided")
BIDDER_MENU = ("me", "sheet", "answers", "push", "rules", "result", "sessions")
STAFF_MENU = ("run", "bidders", "outcome", "log", "proofs", "rules", "public")
# A time as the log has it.
MOMENT = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z")


@dataclass(frozen=True)
class Frame:
    """
    The frame of one page.

    Parameters
    ----------
    t
        Texts of the auction's language.
    auction, name, is_rehearsal
        Which auction.
    bidder, who
        For whom the page is made; empty for the public.
    menu
        Pages that can be reached.
    home
        Where the auction's name leads.
    phase, phase_words, reason, round, deadline, is_last_call
        How far it is, and why it rests if it does. The deadline is None unless the round is open.
    rules_hash, head
        What a bidder may note down as evidence.
    news
        What has changed about the round, with the reason.
    announcements
        Texts of the auctioneer, the newest first.
    last_sign_in
        Of this person, on any device.
    head_key
        Which record the head is, by the key of its words.
    has_list
        Whether the visitor has other auctions to go back to.
    """

    t: Texts
    auction: str
    name: str
    is_rehearsal: bool
    bidder: str
    who: str
    menu: tuple[str, ...]
    home: str
    phase: str
    phase_words: str
    reason: str
    round: int
    deadline: datetime | None
    is_last_call: bool
    rules_hash: str
    head: str
    news: tuple[str, ...]
    announcements: tuple[Announcement, ...]
    last_sign_in: datetime | None = None
    head_key: str = "frame.head"
    has_list: bool = False

    @property
    def is_waiting(self) -> bool:
        return self.phase in WAITING

    def title(self, page: str) -> str:
        """The title of a page, which no two pages share."""
        key = "frame.rehearsal_title" if self.is_rehearsal else "frame.title"
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
    if heading.phase not in ("open", "paused"):
        return ()
    news = []
    if heading.deadline_reason:
        by, _, text = heading.deadline_reason.partition(": ")
        key = "auctioneer" if by == BY_AUCTIONEER else heading.deadline_reason
        news.append(t(f"frame.moved_{key}", reason=text))
    if heading.stopping_reason and not heading.is_last_call:
        news.append(t("frame.last_round", reason=heading.stopping_reason))
    return tuple(news)


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
        auction=heading.auction,
        name=heading.name,
        is_rehearsal=heading.is_rehearsal,
        bidder=bidder,
        who=t("frame.who", person=person, bidder=bidder) if bidder else person,
        menu=BIDDER_MENU if bidder else (),
        home=f"/a/{heading.auction}/{'me' if bidder else 'public'}",
        phase=heading.phase,
        phase_words=phase_words(t, heading),
        reason=with_times(t, heading.reason),
        round=heading.round + 1,
        deadline=heading.deadline if heading.phase == "open" else None,
        is_last_call=heading.is_last_call,
        rules_hash=heading.rules_hash,
        head=heading.head,
        news=news_of(t, heading),
        announcements=heading.announcements[::-1],
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
