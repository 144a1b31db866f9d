"""What can go wrong with a verification itself; what is wrong with a log is a finding."""


class Unreadable(ValueError):
    """
    A log, receipt, key or head that cannot be read.

    The message says what was received, what was expected and what to do.
    """


class Undecided(Exception):
    """A proof that did not come to its end."""
