"""Other ways to share out seats, on the same wishes: what an equilibrium is compared with."""

from boca.seats.rivals.drafting import draft
from boca.seats.rivals.points import bidding_points
from boca.seats.rivals.summing import largest_sum
from boca.seats.rivals.turns import serial_dictatorship

# Name -> rule: wishes, seats and the order of students give schedules, padded with the number of
# courses. They know seats and limits, and neither priorities nor reserved seats nor minimum sizes.
RIVALS = {
    "draft": draft,
    "dictatorship": serial_dictatorship,
    "points": bidding_points,
    "largest sum": largest_sum,
}

__all__ = ["RIVALS", "bidding_points", "draft", "largest_sum", "serial_dictatorship"]
