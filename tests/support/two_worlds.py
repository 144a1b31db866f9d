"""
Two worlds that differ only in what one bidder does; the other one must not notice.

A world is a list of what Ben does in the open round. Everything else (Ann, the auctioneer, the
clock, the random bytes) is the same.
"""

import random
import re
from dataclasses import dataclass, replace

from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer
from boca.live.desk import Desk

HASH = re.compile(r"\b[0-9a-f]{64,128}\b")


@dataclass(frozen=True)
class Action:
    """
    One thing that Ben does.

    Parameters
    ----------
    minute
        When, since the round was opened.
    submission
        What Ben sends.
    key
        The key of the request; the same key twice is a repetition.
    """

    minute: int
    submission: Submission
    key: str


def random_world(seed: int, queries: list[str], priced: str = "") -> list[Action]:
    """
    What Ben does in one world: answers, declines, pushes, repeats, or is late.

    Parameters
    ----------
    seed
        Of everything that Ben decides.
    queries
        Value queries.
    priced
        A demand query; empty if there is none.
    """
    chance = random.Random(seed)
    actions = []
    for number in range(chance.randint(0, 4)):
        asked = chance.sample(queries, chance.randint(0, len(queries)))
        declined = asked[: chance.randint(0, len(asked))] if chance.random() < 0.3 else []
        submission = Submission(
            tuple(ValueAnswer(q, str(chance.randint(1, 900))) for q in asked if q not in declined),
            tuple(declined),
            pushes=(BundleValue({"hall": 1}, str(chance.randint(1, 900))),)
            if chance.random() < 0.3
            else (),
        )
        if priced and chance.random() < 0.7:
            wanted = {"hall": chance.randint(0, 1), "chairs": chance.randint(0, 3)}
            submission = replace(submission, demands=(DemandAnswer(priced, wanted),))
        elif priced and chance.random() < 0.5:
            submission = replace(submission, declines=(*submission.declines, priced))
        minute = chance.choice([1, 5, 20, 40, 59, 61])  # the last one is after the deadline
        key = f"bens-key-{chance.choice([number, 0])}"
        actions.append(Action(minute, submission, key))
    return sorted(actions, key=lambda action: action.minute)


def act(desk: Desk, who, action: Action) -> str:
    """Carries out an action and ticks all warnings; what came of it."""
    try:
        checked = desk.check(who, action.submission)
        confirmed = tuple(warning.id for warning in checked.warnings)
        submission = action.submission
        desk.submit(who, replace(submission, confirmed=confirmed), action.key).result()
        return "taken"
    except Refusal as refusal:
        return refusal.cause


def masked(value: object) -> str:
    """A value as text, without hashes and signatures, which are opaque."""
    return HASH.sub("#", repr(value))
