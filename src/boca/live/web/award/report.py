"""What an award report says to one reader: a value that pages, PDF and XLSX draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.goods import Good
from boca.core.market import Market
from boca.live.auction.events import Bundle
from boca.live.auction.rules import ACTS
from boca.live.auction.views import AuctionProgress, Heading, OutcomeRow, ResultView, Setup
from boca.live.desk.watching import LogRow
from boca.live.web.texts import Texts
from boca.live.web.views.frame import with_times
from boca.live.web.views.goods_table import short_name
from boca.live.web.views.log_words import actor_words
from boca.live.web.views.results import (
    checks,
    payment_steps,
    rule_line,
    why_settled,
    why_words,
)

# One record for each bidder or question; the log itself has them.
NOT_TOLD = ("asked", "result", "justified", "seeded", "planned", "reviewed", "noted")


@dataclass(frozen=True)
class AwardSource:
    """
    Everything that one reader may know; nothing else reaches the report.

    Parameters
    ----------
    setup, heading
        The auction.
    outcome
        Who receives what and pays what, as far as the reader may know; may be empty.
    records
        The log, with the bodies that the reader may open.
    progress
        The desk, for auctioneer and auditor.
    bidder, result
        Name of a bidder and how it ended for it, for its own report.
    proofs
        What the verifier says: name, title, result in words.
    operator
        Who runs the server, and how to reach it; empty for nobody.
    """

    setup: Setup
    heading: Heading
    outcome: tuple[OutcomeRow, ...]
    records: tuple[LogRow, ...]
    progress: AuctionProgress | None = None
    bidder: str = ""
    result: ResultView | None = None
    proofs: tuple[tuple[str, str, str], ...] = ()
    operator: str = ""


@dataclass(frozen=True)
class AwardLine:
    """
    One bidder.

    Parameters
    ----------
    number, name, bundle
        Who receives what; rows of the market are counted from 0.
    wins
        Whether it receives, supplies or trades anything.
    bid, payment
        In units; None where the reader may not know the bid.
    why
        The sums behind the payment, in words; empty where they are kept.
    """

    number: int
    name: str
    bundle: Bundle
    wins: bool
    bid: int | None
    payment: int
    why: str


@dataclass(frozen=True)
class AwardedGood:
    """
    One good.

    Parameters
    ----------
    good
        Which one.
    holders
        Who receives it, with copies, most first.
    outside
        Units that are bought elsewhere, in a purchase.
    left
        Copies that nobody receives.
    """

    good: Good
    holders: tuple[tuple[str, int], ...]
    outside: int
    left: int

    @property
    def name(self) -> str:
        """What the good is called below the name of its group."""
        return short_name(self.good)


@dataclass(frozen=True)
class ProtocolLine:
    """One record: its number, when, what, and by whom; both moments and texts are for readers."""

    number: int
    at: str
    what: str
    who: str


@dataclass(frozen=True)
class Fingerprint:
    """A hash or key, and in a sentence what it is for."""

    name: str
    value: str
    use: str


@dataclass(frozen=True)
class AwardReport:
    """
    The report for one reader.

    Parameters
    ----------
    title, lead, facts
        What it is, and the most important figures.
    lines, goods
        Who gets what, by bidder, winners first, and by good; empty where the rules keep it.
    own, own_why, own_steps
        For a bidder's own report: what it gets, why, and the sum behind its payment.
    rule, checks, proofs
        How payments were computed, what was checked before, and what the verifier says.
    protocol, num_sealed, num_left_out
        Who did what when; records that are sealed from the reader, and routine ones that are left
        to the log.
    fingerprints
        Hashes with what they are for.
    """

    title: str
    lead: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    lines: tuple[AwardLine, ...]
    goods: tuple[AwardedGood, ...]
    own: AwardLine | None
    own_steps: tuple[tuple[str, str], ...]
    rule: str
    checks: tuple[str, ...]
    proofs: tuple[tuple[str, str, str], ...]
    protocol: tuple[ProtocolLine, ...]
    num_sealed: int
    num_left_out: int
    fingerprints: tuple[Fingerprint, ...]

    @property
    def winners(self) -> tuple[AwardLine, ...]:
        return tuple(line for line in self.lines if line.wins)

    @property
    def losers(self) -> tuple[AwardLine, ...]:
        """Those who receive nothing, or trade nothing."""
        return tuple(line for line in self.lines if not line.wins)


def award_report(t: Texts, source: AwardSource) -> AwardReport:
    """The report for whoever may know the source."""
    progress, result = source.progress, source.result
    lines = award_lines(t, source.setup, source.outcome, progress)
    own = None
    if result is not None:
        number = [b.name for b in source.setup.market.bidders].index(source.bidder)
        payment, why = result.payment, why_words(t, result)
        bid = result.units if result.wins else None
        own = AwardLine(number, source.bidder, result.bundle, result.wins, bid, payment, why)
    told = [row for row in source.records if row.kind not in NOT_TOLD]
    known = [row for row in told if row.body is not None]
    names = [bidder.name for bidder in source.setup.market.bidders]
    return AwardReport(
        title=t("report.title", auction=source.heading.name),
        lead=_lead(t, source),
        facts=_facts(t, source),
        lines=lines,
        goods=awarded_goods(source.setup.market, lines, progress.outside if progress else None),
        own=own,
        own_steps=tuple(payment_steps(t, result)) if result else (),
        rule=rule_line(t, source.setup),
        checks=tuple(checks(t, progress)) if progress else (),
        proofs=source.proofs,
        protocol=tuple(protocol_line(t, row, names) for row in known),
        num_sealed=len(told) - len(known),
        num_left_out=len(source.records) - len(told),
        fingerprints=_fingerprints(t, source),
    )


def award_lines(
    t: Texts, setup: Setup, outcome: Sequence[OutcomeRow], progress: AuctionProgress | None
) -> tuple[AwardLine, ...]:
    """Every bidder of an outcome, winners first."""
    lines = [
        AwardLine(
            row.bidder,
            row.name,
            row.bundle,
            is_winner(setup.market, row),
            row.units if any(row.bundle) else None,
            row.payment,
            why_settled(t, progress, row) if progress else "",
        )
        for row in outcome
    ]
    return tuple(sorted(lines, key=lambda line: (not line.wins, line.number)))


def is_winner(market: Market, row: OutcomeRow) -> bool:
    """Whether a bidder receives or supplies something, or a participant trades."""
    held = tuple(market.endowments[row.bidder].tolist())
    return row.bundle != held if market.is_exchange else any(row.bundle)


def awarded_goods(
    market: Market, lines: Sequence[AwardLine], outside: Bundle | None
) -> tuple[AwardedGood, ...]:
    """Who gets each good; empty where nobody may know."""
    if not lines:
        return ()
    rows = []
    for j, good in enumerate(market.goods):
        holders = [(line.name, line.bundle[j]) for line in lines if line.bundle[j]]
        holders.sort(key=lambda holder: -holder[1])
        bought = outside[j] if outside else 0
        left = max(good.capacity - bought - sum(n for _, n in holders), 0)
        rows.append(AwardedGood(good, tuple(holders), bought, left))
    return tuple(rows)


def outcome_values(t: Texts, setup: Setup, outcome: Sequence[OutcomeRow]) -> dict[str, Any]:
    """What pages for everybody show of an outcome."""
    lines = award_lines(t, setup, outcome, None)
    return {"lines": lines, "goods": awarded_goods(setup.market, lines, None)}


def protocol_line(t: Texts, row: LogRow, names: Sequence[str]) -> ProtocolLine:
    """A record as a line of the protocol."""
    body = row.body or {}
    what = t(f"log_kind.{row.kind}")
    if isinstance(body.get("round"), int):
        what = t("report.in_round", what=what, round=body["round"] + 1)
    if row.bidder is not None:
        what = t("report.about", what=what, bidder=names[row.bidder])
    elif isinstance(body.get("person"), str):
        what = t("report.about", what=what, bidder=body["person"])
    if row.kind == "proposed" and body.get("act") in ACTS:
        what = t("report.about", what=what, bidder=t(f"second.{body['act']}"))
    remark = body.get("reason") or body.get("text") or ""
    if isinstance(remark, str) and remark:
        what = t("report.remark", what=what, remark=with_times(t, remark))
    who = actor_words(t, row.actor, names)
    return ProtocolLine(row.seq, t.moment(row.at, seconds=True), what, who)


def _lead(t: Texts, source: AwardSource) -> tuple[str, ...]:
    """What the report is, and to whom it may be shown."""
    sentences = []
    if source.heading.is_rehearsal:
        sentences.append(t("frame.rehearsal"))
    if source.heading.phase != "published":
        sentences.append(t("report.draft"))
    reader = "own" if source.result else "staff" if source.progress else "public"
    sentences.append(t(f"report.for_{reader}", bidder=source.bidder))
    return tuple(sentences)


def _facts(t: Texts, source: AwardSource) -> tuple[tuple[str, str], ...]:
    show, kind = source.setup.money.show, source.setup.kind
    heading, progress = source.heading, source.progress
    facts = [
        (t("report.auction"), heading.name),
        (t("report.id"), heading.auction),
        (t("report.made"), t.moment(heading.now)),
    ]
    if source.operator:
        facts.insert(0, (t("frame.operator"), source.operator))
    if source.outcome:
        winners = sum(is_winner(source.setup.market, row) for row in source.outcome)
        facts.append(
            (t("report.winners"), t("front.joined_of", joined=winners, all=len(source.outcome)))
        )
        paid = sum(row.payment for row in source.outcome)
        facts.append((t("outcome.revenue"), show(paid)))
    if progress and progress.total is not None:
        facts.append(
            (t("award.cost" if kind == "buy" else "outcome.welfare"), show(progress.total))
        )
    if progress and kind == "buy":
        facts.append((t("award.outside"), show(progress.outside_cost)))
    if progress:
        solver = progress.verified_by
        agrees = t("outcome.agrees", solver=solver) if solver else t("outcome.none_installed")
        facts.append((t("outcome.second"), agrees))
    return tuple(facts)


def _fingerprints(t: Texts, source: AwardSource) -> tuple[Fingerprint, ...]:
    rows = [
        ("rules", source.heading.rules_hash),
        ("head", source.records[-1].hash if source.records else source.heading.head),
        ("key", source.setup.public_key),
    ]
    return tuple(
        Fingerprint(t(f"report.hash_{key}"), value, t(f"report.hash_{key}_use"))
        for key, value in rows
        if value
    )
