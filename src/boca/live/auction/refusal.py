"""Why a command was not carried out, in words that a person can act on."""

from dataclasses import dataclass
from typing import Any, Literal

from boca.core.errors import BocaError
from boca.core.message import Message, msg

Cause = Literal[
    "wrong-phase",  # not now
    "too-late",  # received after the deadline
    "conflict",  # somebody else was quicker, or one key was used for two things
    "mistakes",  # the content cannot be used; `mistakes` says where
    "unconfirmed",  # warnings that were not ticked; `details` holds them
    "proposed",  # the first half of an act that needs two people was taken
    "not-found",  # no such thing, or none that this person may see
    "forbidden",  # this role cannot do that
    "unavailable",  # the server cannot write at the moment
]


@dataclass(frozen=True)
class Mistake:
    """
    One thing that is wrong with what was sent.

    Parameters
    ----------
    where
        The row or field, such as ``r3-b2-q1`` or ``pushes[0].value``.
    found
        What was received.
    expected
        What would be right.
    """

    where: str
    found: str
    expected: str

    @property
    def in_words(self) -> Message:
        """The mistake in half a sentence."""
        return msg(
            "{where}: found {found}, expected {expected}",
            where=self.where,
            found=self.found,
            expected=self.expected,
        )


class Refusal(BocaError):
    """
    A command that was understood and not carried out; nothing was changed.

    Parameters
    ----------
    cause
        What kind of refusal it is.
    sentence
        What to tell the person.
    phase
        The auction's phase at that moment; empty where there is none.
    mistakes
        Each mistake in what was sent.
    details
        Whatever else the page needs, such as warnings that want a tick.
    """

    def __init__(
        self,
        cause: Cause,
        sentence: str,
        phase: str = "",
        mistakes: tuple[Mistake, ...] = (),
        details: tuple[Any, ...] = (),
    ):
        super().__init__(sentence)
        self.cause: Cause = cause
        self.sentence = sentence
        self.phase = phase
        self.mistakes = mistakes
        self.details = details
