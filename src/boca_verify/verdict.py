"""What a verification ends with: a line per check, and a sentence for whatever is wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from boca_verify.wording import counted

State = Literal["holds", "fails", "partly", "sealed", "nothing", "skipped", "undecided"]

# States in words, as tables show them.
WORDS: dict[State, str] = {
    "holds": "holds",
    "fails": "FAILS",
    "partly": "holds in part",
    "sealed": "sealed",
    "nothing": "nothing to check",
    "skipped": "not looked at",
    "undecided": "not decided",
}

TITLES = {
    "V1": "The chain of records is whole",
    "V2": "Open bodies are the ones that were sealed",
    "V3": "The end of the log is signed; receipts and noted heads are in it",
    "V4": "Records come in an order that an auction can have",
    "V5": "The rules were fixed at the start and never changed",
    "V6": "Answers belong to earlier questions, came in time and obey the rules",
    "V7": "Every round was planned from the round before, with nothing learned later",
    "V8": "Entries by the auctioneer for a bidder have a reason",
    "V9": "The allocation is possible, and everybody gets a bundle that it bid for",
    "V10": "No other allocation has a larger sum of bids",
    "V11": "The payments follow from the bids",
}
# What checks say in markets that buy, exchange or share out courses.
OTHER_TITLES = {
    "buy": {
        "V4": "Records come in an order that a purchase can have",
        "V8": "Entries by the buyer for a supplier have a reason",
        "V9": "The award covers every lot, keeps the buyer's rules, and is made of offers",
        "V10": "No other award costs less",
        "V11": "What suppliers are paid follows from the offers",
    },
    "exchange": {
        "V4": "Records come in an order that an exchange can have",
        "V8": "Entries by the auctioneer for a participant have a reason",
        "V9": "The trades are possible, and everybody holds something that it valued",
        "V10": "No other trades gain more",
        "V11": "The payments follow from the values",
    },
    "courses": {
        "V4": "Records come in an order that an allocation of courses can have",
        "V5": "Courses, students and rules were fixed at the start, or changed for all to see",
        "V6": "Forms and answers came in time, from the students themselves, and obey the rules",
        "V7": "Prices for questions were made from earlier records",
        "V8": "Nobody but students says what they like",
        "V9": "The assignment keeps seats, limits, budgets and their order, and what was given",
        "V10": "Everybody has the best schedule it can afford, and courses with a price are full",
        "V11": "Utilities follow from forms and answers, and envy is what is claimed",
    },
}
# Findings per check beyond which a report only counts.
MOST_SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """
    One thing that is wrong.

    Parameters
    ----------
    sentence
        What is wrong, for a stranger.
    record
        Number of the record it is about; None if it is about the signed head or a receipt, which
        the sentence then names.
    """

    sentence: str
    record: int | None = None

    @property
    def text(self) -> str:
        """The sentence with the record's number before it."""
        return self.sentence if self.record is None else f"Record {self.record}: {self.sentence}"


@dataclass(frozen=True)
class Check:
    """
    How one check ended.

    Parameters
    ----------
    name
        ``V1`` to ``V11``.
    state
        ``holds``, ``fails``, ``partly`` (holds as far as bodies are open), ``sealed`` (nothing that
        it needs is open), ``nothing`` (the auction has not come that far), ``skipped`` (something
        that it rests on fails) or ``undecided`` (the solver gave up).
    sentence
        What was looked at, in figures.
    findings
        Everything that is wrong.
    notes
        What the reader should know although nothing is wrong.
    kind
        Of the market: ``sell``, ``buy``, ``exchange`` or ``courses``.
    """

    name: str
    state: State
    sentence: str
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    kind: str = "sell"

    @property
    def title(self) -> str:
        return OTHER_TITLES.get(self.kind, TITLES).get(self.name, TITLES[self.name])

    @classmethod
    def of(
        cls,
        name: str,
        findings: Iterable[Finding],
        sentence: str,
        state: State = "holds",
        notes: Iterable[str] = (),
    ) -> "Check":
        """A check that fails if there are findings, and otherwise ends in a given state."""
        wrong = tuple(findings)
        if wrong:
            return cls(name, "fails", wrong[0].text, wrong, tuple(notes))
        return cls(name, state, sentence, (), tuple(notes))

    def to_dict(self) -> dict[str, Any]:
        """The check as plain values, for JSON."""
        return {
            "check": self.name,
            "title": self.title,
            "state": self.state,
            "sentence": self.sentence,
            "findings": [{"record": f.record, "sentence": f.sentence} for f in self.findings],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Given:
    """
    What was there beside the log: whoever holds the signing key can write a whole new log, and
    only these three can tell.

    Parameters
    ----------
    receipts, heads
        How many.
    key
        Whether the public key came from outside the log.
    """

    receipts: int = 0
    heads: int = 0
    key: bool = False

    @property
    def text(self) -> str:
        parts = [
            counted(self.receipts, "receipt"),
            counted(self.heads, "noted head"),
            "a key from elsewhere" if self.key else "no key from elsewhere",
        ]
        text = f"Beside the log there were {', '.join(parts)}."
        if self.receipts or self.heads:
            return text
        return (
            f"{text} Whoever holds the signing key could have written another log like this one; a "
            "receipt or a head that somebody noted during the auction would show it."
        )


@dataclass(frozen=True)
class Verdict:
    """
    How the verification of one log ended.

    Parameters
    ----------
    checks
        V1 to V11, in this order.
    given
        What was there beside the log.
    auction, market
        Id and name of the auction; empty where they are not known.
    num_records, num_open
        Records of the log, and how many have their body.
    is_rehearsal
        Whether the log says that it was one.
    has_ended
        Whether the log goes on to an end of its auction.
    """

    checks: tuple[Check, ...]
    given: Given
    auction: str = ""
    market: str = ""
    num_records: int = 0
    num_open: int = 0
    is_rehearsal: bool = False
    has_ended: bool = True

    def __getitem__(self, name: str) -> Check:
        """The check of a name such as ``V6``."""
        return next(check for check in self.checks if check.name == name)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong, of all checks."""
        return tuple(finding for check in self.checks for finding in check.findings)

    @property
    def exit_code(self) -> int:
        """0 if all checks hold, 1 if one fails, 3 if some could not be looked at, or in part."""
        states = {check.state for check in self.checks}
        if "fails" in states:
            return 1
        return 3 if states & {"partly", "sealed", "undecided"} else 0

    @property
    def conclusion(self) -> str:
        """The verdict in one sentence."""
        if self.exit_code == 1:
            names = [check.name for check in self.checks if check.state == "fails"]
            return f"Something is wrong: {', '.join(names)} failed."
        if self.exit_code == 3:
            rest = "" if self.has_ended else " The log is not whole: it stops before the end."
            return f"Everything that could be looked at holds; not everything could.{rest}"
        return "Everything holds."

    def summary(self) -> str:
        """The verdict for people: a line per check, then what is wrong and what to know."""
        name = f" '{self.market}'" if self.market else ""
        rehearsal = ", a REHEARSAL" if self.is_rehearsal else ""
        lines = [
            f"Auction {self.auction or '?'}{name}{rehearsal}: {self.num_records} records, "
            f"{self.num_open} with their body.",
            self.given.text,
            "",
        ]
        said = ""
        for check in self.checks:
            lines.append(f"{check.name:<4}{WORDS[check.state]:<17} {check.title}")
            # The same reason for several checks is told once.
            if check.state != "fails" and check.sentence != said:
                lines.append(f"    {check.sentence}")
                said = check.sentence
            lines += [f"    {finding.text}" for finding in check.findings[:MOST_SHOWN]]
            if len(check.findings) > MOST_SHOWN:
                lines.append(f"    ... and {len(check.findings) - MOST_SHOWN} more.")
            lines += [f"    {note}" for note in check.notes]
        return "\n".join([*lines, "", self.conclusion])

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values, for JSON."""
        return {
            "auction": self.auction,
            "market": self.market,
            "is_rehearsal": self.is_rehearsal,
            "has_ended": self.has_ended,
            "num_records": self.num_records,
            "num_open": self.num_open,
            "given": {
                "receipts": self.given.receipts,
                "heads": self.given.heads,
                "key": self.given.key,
            },
            "exit_code": self.exit_code,
            "conclusion": self.conclusion,
            "checks": [check.to_dict() for check in self.checks],
        }
