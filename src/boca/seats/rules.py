"""What a registrar decides besides seats and limits."""

from dataclasses import dataclass, field

import numpy as np

from boca.core.errors import InputError
from boca.core.market import Market


@dataclass(frozen=True)
class SeatRules:
    """
    Rules about courses and students that a market does not know; empty ones change nothing.

    Courses and students are numbered as in the market.

    Parameters
    ----------
    targets
        Seats per course that the search fills, at most the course's capacity, which is the hard
        limit of the room. One each, or empty for the capacities.
    minimums
        Students per course below which it is cancelled; 0 for never. One each, or empty.
    required
        Per student, what it must take as far as it can: tuples of courses of which one is needed.
        Having more of what is required comes before any utility.
    held
        Per student, courses it already has and keeps; their seats are not shared out again.
    priorities
        Per student, its level: those with a larger number choose first, as if the others were not
        there.
    groups
        Per student, the name of a group that seats can be reserved for, or an empty text.
    reserved
        Per course, pairs of a group and the number of seats that only its members may take. They
        may take others as well.
    """

    targets: tuple[int, ...] = ()
    minimums: tuple[int, ...] = ()
    required: tuple[tuple[tuple[int, ...], ...], ...] = ()
    held: tuple[tuple[int, ...], ...] = ()
    priorities: tuple[float, ...] = ()
    groups: tuple[str, ...] = ()
    reserved: tuple[tuple[tuple[str, int], ...], ...] = field(default=())

    def check(self, market: Market) -> None:
        """Raises unless the rules fit a market."""
        sizes = {
            "course": (market.num_goods, ("targets", "minimums", "reserved")),
            "student": (market.num_bidders, ("required", "held", "priorities", "groups")),
        }
        for what, (size, names) in sizes.items():
            for name in names:
                count = len(getattr(self, name))
                if count not in (0, size):
                    raise InputError(
                        f"Received {count} entries of '{name}'; expected one for each {what}, "
                        f"that is {size}, or none."
                    )
        capacities = market.capacities
        for good, target in zip(market.goods, self.targets, strict=False):
            if not 0 <= target <= good.capacity:
                raise InputError(
                    f"Course '{good.name}' has the target {target}; expected a number from 0 to "
                    f"its {good.capacity} seats."
                )
        for good, minimum in zip(market.goods, self.minimums, strict=False):
            if minimum < 0:
                raise InputError(
                    f"Course '{good.name}' has the minimum {minimum}; expected at least 0."
                )
        seats = self.seats(market)
        for course, pairs in enumerate(self.reserved):
            name = market.goods[course].name
            groups = [group for group, _ in pairs]
            if len(set(groups)) < len(groups) or any(not g or s < 0 for g, s in pairs):
                raise InputError(
                    f"Course '{name}' reserves {list(pairs)}; expected each group once, with a "
                    "number of seats of at least 0."
                )
            if sum(count for _, count in pairs) > seats[course]:
                raise InputError(
                    f"Course '{name}' reserves more seats than it has; expected at most "
                    f"{seats[course]}."
                )
        self._check_students(market)
        counts = self.num_held(market)
        for j in np.flatnonzero(counts > capacities):
            raise InputError(
                f"Course '{market.goods[j].name}' is held by {counts[j]} students, but has "
                f"{capacities[j]} seats."
            )

    def _check_students(self, market: Market) -> None:
        num = market.num_goods
        listed = [
            ("held", bidder, list(some))
            for bidder, some in zip(market.bidders, self.held, strict=False)
        ]
        listed += [
            ("required", bidder, [course for choices in some for course in choices])
            for bidder, some in zip(market.bidders, self.required, strict=False)
        ]
        for name, bidder, courses in listed:
            if any(not 0 <= course < num for course in courses):
                raise InputError(
                    f"Student '{bidder.name}' has a course in '{name}' that is not one of the "
                    f"{num} of the market."
                )
        for i, held in enumerate(self.held):
            row = np.zeros(num, dtype=np.int64)
            row[list(held)] = 1
            if broken := market.broken_limits(i, row):
                raise InputError(
                    f"What student '{market.bidders[i].name}' already has breaks its limit "
                    f"'{broken[0].name}'; take a course away from it or raise the limit."
                )

    def seats(self, market: Market) -> np.ndarray:
        """Seats that the search fills ``(num_goods,)``: targets where there are any."""
        return np.array(self.targets, dtype=np.int64) if self.targets else market.capacities.copy()

    def num_held(self, market: Market) -> np.ndarray:
        """Students who already have each course ``(num_goods,)``."""
        counts = np.zeros(market.num_goods, dtype=np.int64)
        for courses in self.held:
            counts[list(courses)] += 1
        return counts
