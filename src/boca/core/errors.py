"""What can go wrong, as types a caller can tell apart."""

from boca.core.message import Message, Place, Where, msg


class BocaError(Exception):
    """Anything boca reports on purpose; the command line shows its text, not a traceback."""

    @property
    def message(self) -> str:
        """What it says: a message, where somebody may read it in another language."""
        return self.args[0] if self.args else ""


class InputError(BocaError):
    """
    Something received from outside cannot be used.

    The message says what was received, what was expected and what to do.

    Parameters
    ----------
    message
        What to tell people.
    place
        Where it stands, if it is about something written.
    """

    def __init__(self, message: str = "", place: Place | None = None):
        super().__init__(message)
        self.place = place

    @classmethod
    def at(cls, where: str, problem: str) -> "InputError":
        """An error about something at a place of a file."""
        place = where.place if isinstance(where, Where) else None
        return cls(msg("{where}: {problem}", where=where, problem=problem), place)

    @property
    def detail(self) -> str:
        """What is wrong, without the place."""
        message = self.message
        return message.gaps.get("problem", message) if isinstance(message, Message) else message


class InfeasibleAllocation(BocaError):
    """An allocation hands out more than there is, or more than a bidder may hold."""


class SolverError(BocaError):
    """A solver returned something that cannot be used, such as no answer at all."""


class MissingExtra(BocaError):
    """An optional dependency is needed but not installed."""

    def __init__(self, package: str, extra: str, purpose: str):
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'boca-assignment[{extra}]'"
        )
