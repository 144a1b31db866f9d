"""What a bidder sends: texts as typed, checked against the rules before anything is taken."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened
from boca.server.live.events import Bundle, Channel, Report, Wish
from boca.server.live.refusal import Mistake
from boca.server.live.rules import MOST_REPORTS
from boca.server.live.state import Book, LiveState
from boca.server.live.warnings import Warning, find_warnings


@dataclass(frozen=True)
class Answer:
    """The value of the bundle that a query asks about, as text."""

    query: str
    value: str


@dataclass(frozen=True)
class BundleValue:
    """A value for a bundle that is named by its goods, for pushes and corrections."""

    bundle: Mapping[str, int]
    value: str


@dataclass(frozen=True)
class WishedBundle:
    """What is wanted at the prices of a demand query, by the names of the goods; may be empty."""

    query: str
    bundle: Mapping[str, int]


@dataclass(frozen=True)
class Submission:
    """
    Reports, declines, corrections and pushes that one person confirms together.

    Parameters
    ----------
    answers
        To open queries, or to answered ones, which corrects them.
    declines
        Ids of queries that will not be answered.
    pushes
        Bundles that nobody asked about.
    corrections
        Other values for bundles that were reported before.
    confirmed
        Ids of the warnings that were ticked.
    basis
        Hash of the bidder's last submission when the person looked; None to leave it unchecked.
    wishes
        Answers to demand queries.
    """

    answers: tuple[Answer, ...] = ()
    declines: tuple[str, ...] = ()
    pushes: tuple[BundleValue, ...] = ()
    corrections: tuple[BundleValue, ...] = ()
    confirmed: tuple[str, ...] = ()
    basis: str | None = None
    wishes: tuple[WishedBundle, ...] = ()

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries that it answers or declines."""
        answered = [answer.query for answer in self.answers]
        wished = [wish.query for wish in self.wishes]
        return (*answered, *wished, *self.declines)


@dataclass(frozen=True)
class Checked:
    """
    What a submission would do.

    Parameters
    ----------
    reports, declines, wishes
        What would be taken.
    warnings
        Remarks; those that need a tick and have none are in ``unconfirmed``.
    unconfirmed
        Warnings that still need a tick.
    mistakes
        What cannot be taken; nothing is taken while there is one.
    """

    reports: tuple[Report, ...]
    declines: tuple[str, ...]
    warnings: tuple[Warning, ...]
    unconfirmed: tuple[Warning, ...]
    mistakes: tuple[Mistake, ...]
    wishes: tuple[Wish, ...] = ()


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
        self.state, self.bidder, self.channel = state, bidder, channel
        self.book: Book = state.books[bidder]
        self.mistakes: list[Mistake] = []
        self.reports: dict[Bundle, Report] = {}
        self.declines: list[str] = []
        self.wishes: dict[str, Wish] = {}

    def run(self, submission: Submission) -> Checked:
        for answer in submission.answers:
            self._answer(answer)
        for wished in submission.wishes:
            self._wish(wished)
        for query in submission.declines:
            self._decline(query)
        for k, push in enumerate(submission.pushes):
            self._push(f"pushes[{k}]", push)
        for k, correction in enumerate(submission.corrections):
            self._correction(f"corrections[{k}]", correction)
        self._check_counts()
        rows = [(report.bundle, report.units) for report in self.reports.values()]
        known = {bundle: report.units for bundle, report in self.book.reports.items()}
        warnings = find_warnings(rows, known, self.rules.typo_factor)
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
            tuple(self.mistakes),
            tuple(self.wishes.values()),
        )

    def _wrong(self, where: str, found: str, expected: str) -> None:
        self.mistakes.append(Mistake(shortened(where), found, expected))

    def _units(self, where: str, text: str) -> int | None:
        """The amount, or None after noting what is wrong with it."""
        money = self.rules.money
        try:
            units = money.parse_decimal(text) if self.channel == "api" else money.parse(text)
        except InputError as error:
            found, _, expected = str(error).partition("; ")
            self._wrong(where, found, expected or "a plain amount")
            return None
        if units > self.rules.most_units:
            most = money.show(self.rules.most_units)
            self._wrong(where, money.show(units), f"at most {most}, the largest value of the rules")
            return None
        return units

    def _take(self, where: str, report: Report) -> None:
        if report.bundle in self.reports:
            self._wrong(where, "a second value for the same bundle", "one value for each bundle")
            return
        self.reports[report.bundle] = report

    def _answer(self, answer: Answer) -> None:
        asked = self.book.queries.get(answer.query)
        if asked is None:
            self._wrong(answer.query, "a question that you were not asked", self._questions())
            return
        if asked.query.type != "value":
            self._wrong(answer.query, "a value", "a bundle, since prices were announced")
            return
        units = self._units(answer.query, answer.value)
        if units is None:
            return
        bundle = asked.query.bundle
        before = self.book.reports.get(bundle)
        if asked.status == "open" and before is None:
            self._take(answer.query, Report(bundle, units, query=answer.query))
        elif asked.status == "declined" and before is None:
            in_round = asked.round == self.state.round
            if self.rules.corrections == "never" or not in_round:
                self._wrong(answer.query, "an answer to a declined question", "an open question")
                return
            self._take(answer.query, Report(bundle, units, query=answer.query))
        elif asked.status == "unanswered" and before is None:
            self._wrong(
                answer.query, "an answer to a question of an earlier round", "an open question"
            )
        elif before is not None and self._may_correct(answer.query, before.round):
            self._take(answer.query, Report(bundle, units, query=answer.query, was=before.units))

    def _wish(self, wished: WishedBundle) -> None:
        """What is wanted at announced prices."""
        asked = self.book.queries.get(wished.query)
        if asked is None:
            self._wrong(wished.query, "a question that you were not asked", self._questions())
            return
        prices = asked.query.prices
        if asked.query.type != "demand" or prices is None:
            self._wrong(wished.query, "a bundle", "a value, since no prices were announced")
            return
        if wished.query in self.wishes:
            self._wrong(wished.query, "the same question answered twice", "each question once")
            return
        if asked.status == "unanswered":
            self._wrong(
                wished.query, "an answer to a question of an earlier round", "an open question"
            )
            return
        before = self.book.wishes.get(wished.query)
        said_in = before.round if before else asked.round
        if asked.status != "open" and not self._may_correct(wished.query, said_in):
            return
        bundle = self._bundle(wished.query, wished.bundle, may_be_empty=True)
        if bundle is None:
            return
        cost = sum(n * price for n, price in zip(bundle, prices, strict=True))
        if cost > self.rules.most_units:
            most = self.rules.money.show(self.rules.most_units)
            found = f"a bundle that costs {self.rules.money.show(cost)}"
            self._wrong(wished.query, found, f"at most {most}, the largest value of the rules")
            return
        self.wishes[wished.query] = Wish(wished.query, bundle)

    def _decline(self, query: str) -> None:
        asked = self.book.queries.get(query)
        if asked is None:
            self._wrong(query, "a question that you were not asked", self._questions())
        elif asked.status != "open":
            self._wrong(query, f"a question that is {asked.status}", "an open question")
        elif query in self.declines:
            self._wrong(query, "the same question declined twice", "each question once")
        elif query in self.wishes or (
            asked.query.type == "value" and asked.query.bundle in self.reports
        ):
            self._wrong(query, "both an answer and a decline", "one of them")
        else:
            self.declines.append(query)

    def _push(self, where: str, push: BundleValue) -> None:
        bundle = self._bundle(where, push.bundle)
        units = self._units(where, push.value)
        if bundle is None or units is None:
            return
        if bundle in self.book.reports:
            self._wrong(where, "a bundle that you reported before", "a correction of that report")
            return
        for asked in self.book.open:
            if asked.query.bundle == bundle:
                self._wrong(
                    where,
                    f"the bundle of question {asked.query.id}",
                    "an answer to that question; it costs no push",
                )
                return
        self._take(where, Report(bundle, units))

    def _correction(self, where: str, correction: BundleValue) -> None:
        bundle = self._bundle(where, correction.bundle)
        units = self._units(where, correction.value)
        if bundle is None or units is None:
            return
        before = self.book.reports.get(bundle)
        if before is None:
            self._wrong(
                where, "a bundle that you have not reported", "a reported bundle, or a push"
            )
        elif self._may_correct(where, before.round):
            self._take(where, Report(bundle, units, query=before.query, was=before.units))

    def _may_correct(self, where: str, reported_in: int) -> bool:
        """Whether the rules allow to change a report of some round; notes a mistake if not."""
        match self.rules.corrections:
            case "always":
                return True
            case "round" if reported_in == self.state.round:
                return True
            case "round":
                expected = "a report of the open round; earlier ones are final"
            case _:
                expected = "nothing; the rules allow no corrections"
        self._wrong(where, "a correction", expected)
        return False

    def _bundle(
        self, where: str, counts: Mapping[str, Any], may_be_empty: bool = False
    ) -> Bundle | None:
        """A bundle by the names of its goods, within capacities and limits."""
        names = [good.name for good in self.market.goods]
        bundle = [0] * len(names)
        for name, count in counts.items():
            if name not in names:
                found = f"'{shortened(name)}', which is no good here"
                self._wrong(where, found, did_you_mean(name, names))
                return None
            if isinstance(count, bool) or not isinstance(count, int):
                self._wrong(where, f"{shortened(repr(count))} copies of {name}", "a whole number")
                return None
            capacity = self.market.goods[names.index(name)].capacity
            if not 0 <= count <= capacity:
                self._wrong(where, f"{shortened(str(count))} copies of {name}", f"0 to {capacity}")
                return None
            bundle[names.index(name)] = count
        if not any(bundle) and not may_be_empty:
            self._wrong(where, "an empty bundle", "at least one good")
            return None
        for limit in self.market.bidders[self.bidder].limits:
            if float(np.dot(limit.coefficients, bundle)) > limit.bound + 1e-9:
                self._wrong(where, "a bundle that you cannot be given", f"'{limit.name}'")
                return None
        return tuple(bundle)

    def _check_counts(self) -> None:
        """Pushes and reports within the rules, and at least one row."""
        pushes = sum(report.is_push for report in self.reports.values())
        left = self.rules.push_bids - self.book.num_pushes
        if pushes > left:
            self._wrong("pushes", f"{pushes} reports that nobody asked for", f"at most {left}")
        total = len(self.reports.keys() | self.book.reports.keys())
        if total > MOST_REPORTS:
            self._wrong("reports", f"{total} reports in all", f"at most {MOST_REPORTS}")
        if not (self.reports or self.declines or self.wishes or self.mistakes):
            self._wrong("submission", "nothing", "at least one answer, decline, push or correction")

    def _refuse_disorder(self, warning: Warning) -> None:
        money = self.rules.money
        assert warning.other_units is not None
        contains = "contains" if warning.kind == "less-than-part" else "is part of"
        expected = "at least" if warning.kind == "less-than-part" else "at most"
        self._wrong(
            self._name(warning.bundle),
            f"{money.show(warning.units)} for a bundle that {contains} another of your bundles",
            f"{expected} {money.show(warning.other_units)}, your value of that one; the rules "
            "require that more is never worth less",
        )

    def _name(self, bundle: Bundle) -> str:
        """Where a row stood: its query if it has one."""
        report = self.reports.get(bundle)
        if report is not None and report.query is not None:
            return report.query
        names = [good.name for good in self.market.goods]
        return ", ".join(f"{n} x {g}" for n, g in zip(bundle, names, strict=True) if n)

    def _questions(self) -> str:
        ids = [asked.query.id for asked in self.book.open]
        return f"one of {', '.join(ids)}" if ids else "nothing; no question is open"
