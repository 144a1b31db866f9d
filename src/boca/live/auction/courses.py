"""An allocation of courses as a kind of auction: its rules and sizes."""

from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.live.auction.rules import LONGEST_MINUTES, Rules
from boca.live.auction.seat_market import SeatMarket
from boca.markets.courses import CourseMarket

# What one server carries.
MOST_STUDENTS, MOST_COURSES = 2_000, 300
MOST_QUESTIONS = 50
# Points of a rating and of a pair are whole numbers up to this.
MOST_POINTS = 100
MOST_PAIRS = 30
# Utilities are whole numbers of this part of a point, prices and budgets of this part of a budget.
POINT, BUDGET = 10_000, 10**12
# The smallest budget is BUDGET, the largest this much more; some are moved by at most MOVES.
SPREAD, MOVES = 4 * BUDGET // 100, BUDGET // 100
# Interim prices are renewed once this share of the forms and answers is new, at least so many.
NEW_SHARE, LEAST_NEW = 0.25, 5


@dataclass(frozen=True)
class CourseRules(Rules):
    """
    How an allocation of courses runs. All that is about money keeps its default and is not used.

    Parameters
    ----------
    num_questions
        Comparisons per student, at most.
    """

    num_questions: int = 20

    @property
    def num_rounds(self) -> int:
        return 1

    def to_dict(self) -> dict[str, Any]:
        """The rules as plain values, for the log."""
        return {
            "minutes": self.round_minutes[0],
            "num_questions": self.num_questions,
            "publish": self.publish,
            "listed": self.listed,
            "language": self.language,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "CourseRules":
        """The inverse of :meth:`to_dict`."""
        return cls.of(data["minutes"], data["num_questions"], data["listed"])

    @classmethod
    def of(cls, minutes: float, num_questions: int = 20, listed: bool = False) -> "CourseRules":
        """The rules of a page; an InputError names what is wrong."""
        if not 1 <= minutes <= LONGEST_MINUTES:
            raise InputError(
                f"Found {minutes:g} minutes for answers; expected 1 to {LONGEST_MINUTES}."
            )
        if not 0 <= num_questions <= MOST_QUESTIONS:
            raise InputError(
                f"Found {num_questions} comparisons; expected 0 to {MOST_QUESTIONS} per student."
            )
        # Everybody learns prices and seats, nobody else's schedule.
        return cls(
            round_minutes=(minutes, minutes),
            num_questions=num_questions,
            listed=listed,
            publish="outcome",
            sealed_from_auctioneer=False,
        )


def course_setup(market: CourseMarket) -> SeatMarket:
    """A market that people can answer about; an InputError if it needs what is not built."""
    plain = ("targets", "minimums", "priorities", "reserved")
    found = next((name for name in plain if getattr(market, name)), None)
    if found is not None:
        column = {"priorities": "priority"}.get(found, found.removesuffix("s"))
        raise InputError(
            f"Found the column '{column}', which allocations in the browser do not have; empty it, "
            "or use 'boca courses assign' with ratings from elsewhere."
        )
    if market.market.num_bidders > MOST_STUDENTS or market.market.num_goods > MOST_COURSES:
        raise InputError(
            f"Found {market.market.num_bidders:,} students and {market.market.num_goods} courses; "
            f"expected at most {MOST_STUDENTS:,} and {MOST_COURSES}."
        )
    for row in market.tables["students"]:
        if "/" in row["name"]:
            raise InputError(f"Found the student '{row['name']}'; expected a name without slashes.")
    return SeatMarket.of(market.tables)
