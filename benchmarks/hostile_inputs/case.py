"""An input of the command line, what became of it, and whether that is acceptable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True)
class Case:
    """
    A command with the files it finds in its working folder.

    Parameters
    ----------
    command
        The sub-command, for the table.
    kind
        What is hostile: a kind of file, or ``options``.
    words
        What stands after ``boca`` on the command line.
    files
        Path below the working folder -> content, or None for a folder of that name.
    templates
        Folders that are copied into the working folder before the files are written.
    result_codes
        Exit codes besides 0 that are results, such as "something is wrong with this log".
    seconds_to_live
        After how long a command that runs until it is told to stop is told so; None for others.
    """

    command: str
    kind: str
    words: tuple[str, ...]
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    result_codes: tuple[int, ...] = ()
    seconds_to_live: float | None = None


@dataclass(frozen=True)
class Outcome:
    """
    What a command did.

    Parameters
    ----------
    code
        Exit code; negative for a signal.
    seconds
        Processor time, or how long it was waited for if it was stopped for that.
    peak_memory
        Largest resident memory, in bytes.
    output, errors
        What it printed, on each of its two streams.
    was_stopped
        Why it was stopped from outside, if it was.
    result_codes
        Exit codes besides 0 that are results.
    """

    code: int
    seconds: float
    peak_memory: int
    output: str
    errors: str
    was_stopped: "Verdict | None" = None
    result_codes: tuple[int, ...] = ()


class Verdict(StrEnum):
    """Whether a user could live with an outcome, and if not, why."""

    fine = "fine"
    refused = "refused"
    traceback = "traceback"
    wording = "wording"
    time = "time"
    memory = "memory"
    crash = "crash"

    @property
    def is_acceptable(self) -> bool:
        """Whether it is no bug."""
        return self in (Verdict.fine, Verdict.refused)


def judge(outcome: Outcome) -> Verdict:
    """
    Judges an outcome: a result, or one message of one line.

    Below the line a message may list what is wrong, each mistake on an indented line of its own;
    warnings may come before it.
    """
    if outcome.was_stopped is not None:
        return outcome.was_stopped
    if "Traceback (most recent call last)" in outcome.errors + outcome.output:
        return Verdict.traceback
    is_result = outcome.code == 0 or outcome.code in outcome.result_codes
    if outcome.code < 0 and not is_result:
        return Verdict.crash
    lines = [line for line in outcome.errors.splitlines() if line.strip()]
    spoken = [line for line in lines if not line.startswith(("  ", "warning: "))]
    if is_result:
        says_error = any(line.startswith("error: ") for line in spoken)
        return Verdict.wording if says_error else Verdict.fine
    is_one_line = len(spoken) == 1 and spoken[0].startswith("error: ")
    return Verdict.refused if is_one_line else Verdict.wording
