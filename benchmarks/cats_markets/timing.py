"""
Goods that are slots of time: ``matching`` and ``scheduling``.

``matching`` (section 4.4 of the CATS paper): an airline needs a slot to take off at one airport and
a slot to land at another one, a flight later. ``scheduling`` (section 4.5): a job needs a machine
for some slots in a row, and is worth less after each deadline.

Left open by the paper and chosen here: airports lie where the four coordinated ones of the United
States do, in degrees, and the flight time is rounded to whole slots of at least one.
"""

import numpy as np

from cats_markets.auction import Bid, CatsAuction, undominated, up_to

# Chicago O'Hare, Washington Reagan, New York La Guardia and Kennedy: longitude and latitude.
AIRPORTS = np.array([[-87.75, 41.98], [-77.04, 38.85], [-73.87, 40.78], [-73.78, 40.64]])
MAX_AIRPORT_VALUE = 5.0
LONGEST_FLIGHT = 10  # slots between the two airports that are farthest apart
DEVIATION = 0.5
EARLY_TAKEOFF = 1
LATE_TAKEOFF = 2
EARLY_LANDING = 1
LATE_LANDING = 2
DELAY_FACTOR = 0.9  # per slot that the flight takes longer than it must
LATE_FACTOR = 0.75  # per slot that it lands later than wanted

MAX_JOB_LENGTH = 10
ADDITIVITY = 0.2
ADDITIONAL_DEADLINE = 0.9


def matching(num_goods: int, num_bids: int, rng: np.random.Generator) -> CatsAuction:
    """Slots at four airports; good ``airport * num_slots + slot``."""
    if num_goods % len(AIRPORTS) or num_goods < 4 * (LONGEST_FLIGHT + 1):
        raise ValueError(
            f"Expected a multiple of 4 goods, at least {4 * (LONGEST_FLIGHT + 1)}, for slots at "
            f"four airports; got {num_goods}."
        )
    num_slots = num_goods // len(AIRPORTS)
    distances = np.linalg.norm(AIRPORTS[:, None] - AIRPORTS[None], axis=2)
    flights = np.maximum(np.rint(LONGEST_FLIGHT * distances / distances.max()), 1).astype(int)
    worth = rng.uniform(0, MAX_AIRPORT_VALUE, len(AIRPORTS))
    bidders: list[tuple[Bid, ...]] = []
    while sum(len(bids) for bids in bidders) < num_bids:
        start, end = rng.choice(len(AIRPORTS), 2, replace=False)
        value = rng.uniform(1 - DEVIATION, 1 + DEVIATION) * (worth[start] + worth[end])
        wanted = int(rng.integers(0, num_slots - flights[start, end]))
        bids = [
            Bid(
                tuple(sorted((start * num_slots + takeoff, end * num_slots + landing))),
                float(value * factor),
            )
            for takeoff, landing, factor in _flights(wanted, int(flights[start, end]), num_slots)
        ]
        bidders.append(undominated(bids))
    return CatsAuction(num_goods, up_to(num_bids, bidders))


def _flights(wanted: int, length: int, num_slots: int) -> list[tuple[int, int, float]]:
    """Slots to take off and to land, and the share of the value that such a flight has."""
    arrival = wanted + length
    flights = []
    for takeoff in range(max(wanted - EARLY_TAKEOFF, 0), wanted + LATE_TAKEOFF + 1):
        earliest = max(takeoff + length, arrival - EARLY_LANDING)
        for landing in range(earliest, min(arrival + LATE_LANDING, num_slots - 1) + 1):
            delay, lateness = landing - takeoff - length, max(landing - arrival, 0)
            flights.append((takeoff, landing, DELAY_FACTOR**delay * LATE_FACTOR**lateness))
    return flights


def scheduling(num_goods: int, num_bids: int, rng: np.random.Generator) -> CatsAuction:
    """Slots of one machine; a job wants some in a row, before a deadline."""
    bidders: list[tuple[Bid, ...]] = []
    while sum(len(bids) for bids in bidders) < num_bids:
        length = int(rng.integers(1, min(MAX_JOB_LENGTH, num_goods), endpoint=True))
        deadline = first = int(rng.integers(length, num_goods, endpoint=True))
        value = rng.uniform(1 - DEVIATION, 1 + DEVIATION) * length ** (1 + ADDITIVITY)
        bids: list[Bid] = []
        earliest = 0
        while True:
            bids += [
                Bid(tuple(range(start, start + length)), float(value * first / deadline))
                for start in range(earliest, deadline - length + 1)
            ]
            if deadline == num_goods or rng.uniform() >= ADDITIONAL_DEADLINE:
                break
            earliest = deadline - length + 1
            deadline = int(rng.integers(deadline + 1, num_goods, endpoint=True))
        bidders.append(tuple(bids))
    return CatsAuction(num_goods, up_to(num_bids, bidders))
