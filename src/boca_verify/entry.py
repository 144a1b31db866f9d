"""One submission, row by row, against the questions and the rules (a part of V6)."""

from boca_verify.bodies import Body, Bundle, Damaged
from boca_verify.questions import Demanded, LoggedQuestion, Questions, Reported
from boca_verify.wording import counted


class LoggedSubmission:
    """
    One submission, taken row by row into the bidder's book.

    A further kind of answer needs a method here and a part in
    :class:`~boca_verify.questions.Book`.

    Parameters
    ----------
    questions
        The questions so far.
    bidder
        Whose submission it is.
    number
        The round.

    Attributes
    ----------
    num_unknown
        Questions that it names and that may stand in sealed records.
    """

    def __init__(self, questions: Questions, bidder: int, number: int):
        self.setup, self.book = questions.setup, questions.books[bidder]
        self.bidder, self.number = bidder, number
        self.may_be_sealed = questions.num_sealed > 0
        self.num_unknown = 0
        self.problem = ""

    def take(self, body: Body) -> None:
        """Takes everything; Damaged with the first thing that breaks a rule."""
        rows: set[Bundle] = set()
        for row in body.parts("reports"):
            bundle = row.bundle("bundle", self.setup.num_goods)
            if bundle in rows:
                self._wrong(f"it values {self.setup.words(bundle)} twice")
            rows.add(bundle)
            self._report(row, bundle)
        for query in body.texts("declines"):
            self._decline(query)
        # Logs once said "wishes".
        name = "demands" if body.has("demands") else "wishes"
        for row in body.parts(name) if body.has(name) else ():
            self._demand(row)
        self._check_counts()
        if self.setup.monotone == "require":
            self._check_disorder(rows)
        if self.problem:
            raise Damaged(self.problem)

    def _wrong(self, sentence: str) -> None:
        self.problem = self.problem or f"{self.setup.name(self.bidder)}: {sentence}."

    def _money(self, units: int) -> str:
        return self.setup.money(units)

    def _beyond(self, units: int) -> str:
        """What an amount is more than, as a sentence goes on; empty if it counts."""
        most = self.setup.most_of(self.bidder)
        if units <= most:
            return ""
        if most < self.setup.most_units:
            return f"its spending cap is {self._money(most)}"
        return f"at most {self._money(most)} counts"

    def _report(self, row: Body, bundle: Bundle) -> None:
        words, before = self.setup.words(bundle), self.book.reports.get(bundle)
        units, most = row.whole("units"), row.whole("most") if row.has("most") else None
        end = units if most is None else most
        if beyond := self._beyond(end):
            self._wrong(f"the value of {words} is {self._money(end)}; {beyond}")
        if most is not None and (most <= units or not self.setup.ranges):
            self._wrong(
                f"the value of {words} is a range that ends at {self._money(most)}; expected "
                + ("more than its beginning" if self.setup.ranges else "one amount")
            )
        within = self.book.within(bundle)
        is_free = self.setup.corrections == "always"
        if within is not None and not is_free and not within[0] <= units <= end <= within[1]:
            self._wrong(
                f"the value of {words} is outside the range from {self._money(within[0])} to "
                f"{self._money(within[1])} that it was asked to narrow"
            )
        may_narrow = self._narrows(row, before)
        if row.has("query"):
            self._check_question(row.text("query"), bundle, row.has("was") and not may_narrow)
        if row.has("was"):
            self._check_correction(row, before, words, may_narrow)
        elif before is not None:
            self._wrong(f"{words} was reported before, so this is a correction, unsaid")
        elif not row.has("query"):
            self._push(bundle, words)
        self.book.reports[bundle] = Reported(units, self.number, most)

    def _narrows(self, row: Body, before: Reported | None) -> bool:
        """Whether a row answers an open question about a range."""
        if before is None or before.most is None or not row.has("query"):
            return False
        asked = self.book.questions.get(row.text("query"))
        if asked is None:
            return self.may_be_sealed  # it may be a question that is not open to the reader
        return asked.within is not None and self._is_open(asked)

    def _check_question(self, query: str, bundle: Bundle, is_correction: bool) -> None:
        """An answer names an open question about its bundle; a correction an answered one."""
        asked = self.book.questions.get(query)
        if asked is None:
            self._unknown(query)
            return
        if asked.bundle != bundle:
            self._wrong(f"'{query}' was not about {self.setup.words(bundle)}")
        if not is_correction and not self._is_open(asked):
            self._wrong(f"it answers '{query}', which is {asked.status}")
        self.book.settle(query, "answered")

    def _is_open(self, asked: LoggedQuestion) -> bool:
        """Whether a question can be answered; a declined one can until its round ends."""
        in_round = asked.round == self.number and self.setup.corrections != "never"
        return asked.status == "open" or (asked.status == "declined" and in_round)

    def _unknown(self, query: str) -> None:
        """A question that no open record before this one holds."""
        if self.may_be_sealed:
            self.num_unknown += 1
        else:
            self._wrong(f"it answers '{query}', which nobody had asked it before")

    def _check_correction(
        self, row: Body, before: Reported | None, words: str, may_narrow: bool
    ) -> None:
        was, was_most = row.whole("was"), row.whole("was_most") if row.has("was_most") else None
        if before is None or (before.units, before.most) != (was, was_most):
            stood = "nothing" if before is None else self._range(before.units, before.most)
            was_words = self._range(was, was_most)
            self._wrong(f"it corrects {was_words} for {words}, but {stood} stood there")
        elif not may_narrow and not self._may_change(before.round, self.setup.corrections):
            self._wrong(f"it corrects {words} of round {before.round}, which the rules forbid")

    def _range(self, least: int, most: int | None) -> str:
        end = "" if most is None else f" to {self._money(most)}"
        return self._money(least) + end

    def _may_change(self, said_in: int, rule: str) -> bool:
        """Whether a rule of corrections allows to change what was said in some round."""
        return rule == "always" or (rule == "round" and said_in == self.number)

    def _push(self, bundle: Bundle, words: str) -> None:
        self.book.num_pushes += 1
        if not any(bundle) or not self.setup.allows(self.bidder, bundle):
            self._wrong(f"it values {words}, which it cannot be given")
        for name in self.book.open:
            if self.book.questions[name].bundle == bundle:
                self._wrong(f"it values {words} unasked, although '{name}' asks about it")

    def _decline(self, query: str) -> None:
        asked = self.book.questions.get(query)
        if asked is None:
            self._unknown(query)
            return
        if asked.status != "open":
            self._wrong(f"it declines '{query}', which is {asked.status}")
        self.book.settle(query, "declined")

    def _demand(self, row: Body) -> None:
        """What is wanted at the prices of a question."""
        query, bundle = row.text("query"), row.bundle("bundle", self.setup.num_goods)
        asked, words = self.book.questions.get(query), self.setup.words(bundle)
        if asked is None:
            self._unknown(query)
            return
        if asked.prices is None:
            self._wrong(f"it wants {words} in answer to '{query}', which announced no prices")
            return
        before = self.book.demands.get(query)
        # Later eligibility hangs on choices, which are then final with their round.
        rule = self.setup.corrections
        rule = "round" if self.setup.points and rule == "always" else rule
        may_answer = (
            self._is_open(asked) if before is None else self._may_change(before.round, rule)
        )
        if not may_answer:
            self._wrong(f"it answers '{query}', which is {asked.status}")
        if not self.setup.allows(self.bidder, bundle):
            self._wrong(f"it wants {words}, which it cannot be given")
        eligibility = self.book.eligibility(self.setup, self.bidder, asked.round)
        demand = Demanded(bundle, asked.prices, self.number, eligibility)
        cost, points = demand.price_of(bundle), self.setup.points_of(bundle)
        if beyond := self._beyond(cost):
            self._wrong(f"it wants {words} for {self._money(cost)}; {beyond}")
        if eligibility is not None and points > eligibility:
            self._wrong(
                f"it wants {words}, which has {counted(points, 'point')}; its eligibility was "
                f"{eligibility}"
            )
        self.book.demands[query] = demand
        self.book.settle(query, "answered")

    def _check_counts(self) -> None:
        if self.book.num_pushes > self.setup.push_bids:
            self._wrong(
                f"{self.book.num_pushes} values that nobody asked for; the rules allow "
                f"{self.setup.push_bids}"
            )

    def _check_disorder(self, rows: set[Bundle]) -> None:
        """Under rules that require it, more is never worth less, wherever ranges may end."""
        for bundle in sorted(rows):
            own = self.book.reports[bundle]
            for other, report in self.book.reports.items():
                is_part = all(a <= b for a, b in zip(bundle, other, strict=True))
                is_whole = all(a >= b for a, b in zip(bundle, other, strict=True))
                if (is_part and report.end < own.units) or (is_whole and own.end < report.units):
                    first, second = self.setup.words(bundle), self.setup.words(other)
                    self._wrong(f"{first} and {second}: more is worth less, which the rules forbid")
