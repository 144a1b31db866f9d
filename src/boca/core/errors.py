"""What can go wrong, as types a caller can tell apart."""


class BocaError(Exception):
    """Anything boca reports on purpose; the command line shows its text, not a traceback."""


class InputError(BocaError):
    """
    Something received from outside cannot be used.

    The message says what was received, what was expected and what to do.
    """


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
