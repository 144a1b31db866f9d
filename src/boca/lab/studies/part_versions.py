"""
When the parts of an auction last changed what they do, so that a stored run is kept for as long as
nothing that decided it has changed.

One sequence of numbers counts the changes of all parts. A change that alters what a part does
although its settings stay the same raises ``NEWEST`` and writes it at the part: every change of
training is one. The version of a run is the largest number among its own parts.
"""

from collections.abc import Mapping
from typing import Any

NEWEST = 3

# Parts are named as in a run's settings. Whatever is not named has not changed since the first
# number that stored runs have.
FIRST = 1
CHANGED: dict[str, int] = {
    "instances": 2,
    "settlement": 2,
    # Bidders that cannot hold everything are not asked about it, and learned of without it.
    "limits": 3,
    "planner first": 2,
    "planner random": 2,
    "planner clock": 2,
    "planner acquisition": 2,
    "planner suggested": 2,
    "surrogate mean-net": 2,
    "surrogate svr": 2,
    "surrogate fourier": 2,
    "surrogate fourier-network": 2,
    "surrogate mvnn": 3,
    "surrogate mixed": 3,
    "surrogate joint": 3,
    "surrogate process": 3,
}


def part_versions(auction: Mapping[str, Any], has_limits: bool) -> dict[str, int]:
    """
    The parts that decide an auction, each with the number of its last change.

    Parameters
    ----------
    auction
        The auction's settings in full, as plain values. A planner inside another is no part of its
        own: what changes it is a change of the outer one.
    has_limits
        Whether some bidder cannot hold everything.
    """
    parts = ["instances", "settlement", *(["limits"] if has_limits else [])]
    for phase in auction["phases"]:
        parts.append(f"planner {phase['planner']['name']}")
        if "surrogate" in phase:
            parts.append(f"surrogate {phase['surrogate']['name']}")
    return {part: CHANGED.get(part, FIRST) for part in parts}


def changed_since(stored: Mapping[str, Any], parts: Mapping[str, int]) -> list[str]:
    """
    What has changed since a run was stored; if nothing has, doing it again gives the same numbers.

    Parameters
    ----------
    stored
        The content of its result file. Runs from before parts had versions of their own have one
        number, of everything.
    parts
        What decides the run now.
    """
    common = stored.get("results_version", FIRST)
    then: Mapping[str, int] = stored.get("parts", dict.fromkeys(parts, common))
    return [part for part, number in parts.items() if then.get(part, FIRST) < number]
