"""Everything that is wrong or remarkable about a submission."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from boca.core.message import msg, msgn
from boca.live.auction.activity import count_points
from boca.live.auction.choices import UNKNOWN, PricedChoice, cost, proven_bids
from boca.live.auction.events import Bundle, Channel, DemandedBundle, Report
from boca.live.auction.refusal import Mistake
from boca.live.auction.rules import MOST_REPORTS
from boca.live.auction.state import Book, DemandState, LiveState, QueryState, ReportState
from boca.live.auction.submission.content import BundleValue, DemandAnswer, Submission, ValueAnswer
from boca.live.auction.submission.reader import Reader
from boca.live.auction.warnings import Warning, find_contradictions, find_warnings

# The end of a range that has none.
ANY = -UNKNOWN


# What has become of a question that is not open.
STATUS = {
    "answered": msg("a question that is answered"),
    "declined": msg("a question that is declined"),
    "unanswered": msg("a question that is unanswered"),
}


@dataclass(frozen=True)
class Checked:
    """
    What a submission would do.

    Parameters
    ----------
    reports, declines, demands
        What would be taken.
    warnings
        Remarks; those that need a tick and have none are in ``unconfirmed``.
    unconfirmed
        Warnings that still need a tick.
    mistakes
        What cannot be taken; nothing is taken while there is one.
    bids
        Everything that the bidder would bid afterwards, in units.
    """

    reports: tuple[Report, ...]
    declines: tuple[str, ...]
    warnings: tuple[Warning, ...]
    unconfirmed: tuple[Warning, ...]
    mistakes: tuple[Mistake, ...]
    demands: tuple[DemandedBundle, ...] = ()
    bids: Mapping[Bundle, int] = field(default_factory=dict)


def check(state: LiveState, bidder: int, submission: Submission, channel: Channel) -> Checked:
    """
    Everything that is wrong or remarkable about a submission; the phase is not looked at.

    Parameters
    ----------
    state, bidder
        The auction, and whose submission it is.
    submission
        What was sent.
    channel
        How it was sent: programs write decimal strings, people their language's numbers.
    """
    return _Check(state, bidder, channel).run(submission)


class _Check:
    """One check of one submission; collects mistakes on its way."""

    def __init__(self, state: LiveState, bidder: int, channel: Channel):
        self.rules, self.market = state.setup
        self.state, self.bidder = state, bidder
        self.book: Book = state.books[bidder]
        self.read = Reader(self.rules, self.market, bidder, channel)
        self.reports: dict[Bundle, Report] = {}
        self.declines: list[str] = []
        self.demands: dict[str, DemandedBundle] = {}

    def run(self, submission: Submission) -> Checked:
        for answer in submission.answers:
            self._answer(answer)
        for demanded in submission.demands:
            self._demand(demanded)
        for query in submission.declines:
            self._decline(query)
        for k, push in enumerate(submission.pushes):
            self._push(f"pushes[{k}]", push)
        for k, correction in enumerate(submission.corrections):
            self._correction(f"corrections[{k}]", correction)
        self._check_counts()
        warnings = self._warnings()
        if self.rules.monotone == "require":
            for warning in warnings:
                if warning.is_disorder:
                    self._refuse_disorder(warning)
        ticked = set(submission.confirmed)
        unconfirmed = tuple(w for w in warnings if w.needs_tick and w.id not in ticked)
        return Checked(
            tuple(self.reports.values()),
            tuple(self.declines),
            warnings,
            unconfirmed,
            tuple(self.read.mistakes),
            tuple(self.demands.values()),
            self._bids(),
        )

    def _warnings(self) -> tuple[Warning, ...]:
        """What does not go with the other rows, or with what was said before."""
        rows = self._rows()
        mosts = self._mosts()
        plain = find_warnings(list(rows.items()), self.book.values, self.rules.typo_factor, mosts)
        contradictions = find_contradictions(
            rows, self._choices(), self.book.values, self._said(), self.market, self.bidder, mosts
        )
        return plain + contradictions

    def _bids(self) -> dict[Bundle, int]:
        """Every bid, as it would be."""
        return proven_bids(
            {**self.book.values, **self._rows()},
            [*self._said(), *self._choices()],
            self.market,
            self.bidder,
            self.read.largest,
        )

    def _said(self) -> list[PricedChoice]:
        """Earlier choices that stay."""
        choices = self.state.choices(self.bidder)
        return [choice for query, choice in choices.items() if query not in self.demands]

    def _rows(self) -> dict[Bundle, int]:
        return {report.bundle: report.units for report in self.reports.values()}

    def _mosts(self) -> dict[Bundle, int]:
        """Ends of ranges, as they would be; what reaches a spending cap may be worth any more."""
        said = {b: most for b, most in self.book.mosts.items() if b not in self.reports}
        ends = said | {r.bundle: r.most for r in self.reports.values() if r.most is not None}
        if self.rules.cap_of(self.market, self.bidder) is None:
            return ends
        values = {**self.book.values, **self._rows(), **ends}
        return ends | {b: ANY for b, units in values.items() if units == self.read.largest}

    def _choices(self) -> list[PricedChoice]:
        return [
            self.state.choice(self.bidder, query, demand.bundle)
            for query, demand in self.demands.items()
        ]

    def _take(self, where: str, report: Report) -> None:
        if report.bundle in self.reports:
            self.read.wrong(
                where, msg("a second value for the same bundle"), msg("one value for each bundle")
            )
            return
        self.reports[report.bundle] = report

    def _answer(self, answer: ValueAnswer) -> None:
        asked = self.book.queries.get(answer.query)
        if asked is None:
            self.read.wrong(
                answer.query, msg("a question that you were not asked"), self._questions()
            )
            return
        if asked.query.type != "value":
            self.read.wrong(
                answer.query, msg("a value"), msg("a bundle, since prices were announced")
            )
            return
        value = self.read.value(answer.query, answer.value)
        if value is None:
            return
        bundle = asked.query.bundle
        before = self.book.reports.get(bundle)
        if self._may_answer(answer.query, asked, before):
            self._value(answer.query, bundle, value, answer.query)

    def _demand(self, demanded: DemandAnswer) -> None:
        """What is wanted at announced prices."""
        asked = self.book.queries.get(demanded.query)
        if asked is None:
            self.read.wrong(
                demanded.query, msg("a question that you were not asked"), self._questions()
            )
            return
        prices = asked.query.prices
        if asked.query.type != "demand" or prices is None:
            self.read.wrong(
                demanded.query, msg("a bundle"), msg("a value, since no prices were announced")
            )
            return
        if demanded.query in self.demands:
            self.read.wrong(
                demanded.query, msg("the same question answered twice"), msg("each question once")
            )
            return
        if not self._may_answer(demanded.query, asked, self.book.demands.get(demanded.query)):
            return
        bundle = self.read.copies(demanded.query, demanded.bundle)
        if bundle is None or not self.read.is_allowed(demanded.query, bundle):
            return
        price = cost(bundle, prices)
        if price > self.read.largest:
            found = msg("a bundle that costs {amount}", amount=self.rules.money.show(price))
            self.read.wrong(demanded.query, found, self.read.at_most)
            return
        if not self._is_eligible(demanded.query, asked.round, bundle):
            return
        self.demands[demanded.query] = DemandedBundle(demanded.query, bundle)

    def _is_eligible(self, query: str, asked_in: int, bundle: Bundle) -> bool:
        """Whether the activity rule permits a choice; notes a mistake if not."""
        most = self.state.eligibility(self.bidder, asked_in)
        if most is None:
            return True
        number = count_points(bundle, self.rules.points_of(self.market))
        if number <= most:
            return True
        expected = msg("at most {points}, your eligibility", points=_points(most))
        if not most:
            expected = msg("nothing; you have no points left to choose with")
        self.read.wrong(query, msg("a bundle with {points}", points=_points(number)), expected)
        return False

    def _may_answer(
        self, query: str, asked: QueryState, before: ReportState | DemandState | None
    ) -> bool:
        """Whether the rules let a question be answered now, perhaps again; notes it if not."""
        is_narrowing = asked.within is not None and asked.status != "answered"
        if before is not None and not is_narrowing:
            return self._may_correct(query, before)
        if asked.status == "open":
            return True
        in_round = asked.round == self.state.round and self.rules.corrections != "never"
        if asked.status == "declined" and in_round:
            return True
        what = (
            msg("a declined question")
            if asked.status == "declined"
            else msg("a question of an earlier round")
        )
        self.read.wrong(query, msg("an answer to {what}", what=what), msg("an open question"))
        return False

    def _decline(self, query: str) -> None:
        asked = self.book.queries.get(query)
        if asked is None:
            self.read.wrong(query, msg("a question that you were not asked"), self._questions())
        elif asked.status != "open":
            self.read.wrong(
                query,
                STATUS[asked.status],
                msg("an open question"),
            )
        elif query in self.declines:
            self.read.wrong(
                query, msg("the same question declined twice"), msg("each question once")
            )
        elif query in self.demands or (
            asked.query.type == "value" and asked.query.bundle in self.reports
        ):
            self.read.wrong(query, msg("both an answer and a decline"), msg("one of them"))
        else:
            self.declines.append(query)

    def _push(self, where: str, push: BundleValue) -> None:
        bundle = self.read.bundle(where, push.bundle)
        value = self.read.value(where, push.value)
        if bundle is None or value is None:
            return
        if bundle in self.book.reports:
            self.read.wrong(
                where, msg("a bundle that you reported before"), msg("a correction of that report")
            )
            return
        for asked in self.book.open:
            if asked.query.bundle == bundle:
                self.read.wrong(
                    where,
                    msg("the bundle of question {query}", query=asked.query.id),
                    msg("an answer to that question; it costs no push"),
                )
                return
        self._value(where, bundle, value)

    def _correction(self, where: str, correction: BundleValue) -> None:
        # Not checked against limits: everybody is asked about the full bundle.
        bundle = self.read.copies(where, correction.bundle)
        value = self.read.value(where, correction.value)
        if bundle is None or value is None:
            return
        before = self.book.reports.get(bundle)
        if before is None:
            self.read.wrong(
                where,
                msg("a bundle that you have not reported"),
                msg("a reported bundle, or a push"),
            )
        elif self._may_correct(where, before):
            self._value(where, bundle, value, before.query)

    def _value(
        self, where: str, bundle: Bundle, value: tuple[int, int], query: str | None = None
    ) -> None:
        """A value or range, inside what the bidder was asked to narrow."""
        least, most = value
        before, within = self.book.reports.get(bundle), self.book.within(bundle)
        is_outside = within is not None and not within[0] <= least <= most <= within[1]
        if is_outside and within is not None and self.rules.corrections != "always":
            money = self.rules.money
            self.read.wrong(
                where,
                money.show_range(least, most),
                msg("within {range}, as said", range=money.show_range(*within)),
            )
            return
        report = Report(
            bundle,
            least,
            query=query,
            was=before.units if before else None,
            most=most if most > least else None,
            was_most=before.most if before else None,
        )
        self._take(where, report)

    def _may_correct(self, where: str, before: ReportState | DemandState) -> bool:
        """Whether the rules allow to change what was said before; notes a mistake if not."""
        is_choice = isinstance(before, DemandState)
        rule = self.rules.choice_corrections if is_choice else self.rules.corrections
        match rule:
            case "always":
                return True
            case "round" if before.round == self.state.round:
                return True
            case "round" if is_choice:
                expected = msg("a choice of the open round; earlier ones are final")
            case "round":
                expected = msg("a report of the open round; earlier ones are final")
            case _:
                expected = msg("nothing; the rules allow no corrections")
        self.read.wrong(where, msg("a correction"), expected)
        return False

    def _check_counts(self) -> None:
        """Pushes and reports within the rules, and at least one row."""
        pushes = sum(report.is_push for report in self.reports.values())
        left = self.rules.push_bids - self.book.num_pushes
        if pushes > left:
            self.read.wrong(
                "pushes",
                msg("{n} reports that nobody asked for", n=pushes),
                msg("at most {n}", n=left),
            )
        total = len(self.reports.keys() | self.book.reports.keys())
        if total > MOST_REPORTS:
            self.read.wrong(
                "reports",
                msg("{n} reports in all", n=total),
                msg("at most {n}", n=MOST_REPORTS),
            )
        if not (self.reports or self.declines or self.demands or self.read.mistakes):
            self.read.wrong(
                "submission",
                msg("nothing"),
                msg("at least one answer, decline, push or correction"),
            )

    def _refuse_disorder(self, warning: Warning) -> None:
        money = self.rules.money
        assert warning.other_units is not None
        amount, other = money.show(warning.units), money.show(warning.other_units)
        if warning.kind == "less-than-part":
            found = msg(
                "{amount} for a bundle that contains another of your bundles", amount=amount
            )
            expected = msg(
                "at least {amount}, your value of that one; the rules require that more is never "
                "worth less",
                amount=other,
            )
        else:
            found = msg(
                "{amount} for a bundle that is part of another of your bundles", amount=amount
            )
            expected = msg(
                "at most {amount}, your value of that one; the rules require that more is never "
                "worth less",
                amount=other,
            )
        self.read.wrong(self._name(warning.bundle), found, expected)

    def _name(self, bundle: Bundle) -> str:
        """Where a row stood: its query if it has one."""
        report = self.reports.get(bundle)
        if report is not None and report.query is not None:
            return report.query
        names = [good.name for good in self.market.goods]
        return ", ".join(f"{n} x {g}" for n, g in zip(bundle, names, strict=True) if n)

    def _questions(self) -> str:
        ids = [asked.query.id for asked in self.book.open]
        if not ids:
            return msg("nothing; no question is open")
        return msg("one of {questions}", questions=", ".join(ids))


def _points(number: int) -> str:
    """A number of points."""
    return msgn("1 point", "{n} points", number)
