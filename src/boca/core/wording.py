"""Words in messages: what was received, in a few letters, and what may have been meant."""

import math
from collections.abc import Iterable
from difflib import get_close_matches

from boca.core.message import msg

# A message shows this many letters of what it received, and this many of the valid choices.
MOST_LETTERS = 60
MOST_CHOICES = 15

# How alike a slip and what was meant are at least, from 0 to 1: most letters, in their order.
LEAST_ALIKE = 0.6

PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that a word may be a slip of, whatever its capitals; None if none is near."""
    if len(word) > 2 * MOST_LETTERS:  # comparing takes time that grows with its square
        return None
    by_lower = {choice.lower(): choice for choice in choices}
    close = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=LEAST_ALIKE)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """
    How a message about an unknown word ends: ``did you mean 'x'?``, or what there is.

    It follows a semicolon: ``f"Unknown domain '{word}'; {did_you_mean(word, DOMAINS)}"``.
    """
    choices = list(choices)
    near = nearest(word, choices)
    if near is not None:
        return msg("did you mean '{near}'?", near=near)
    more = ", ..." if len(choices) > MOST_CHOICES else "."
    return msg("expected one of {choices}", choices=", ".join(choices[:MOST_CHOICES]) + more)


def counted(number: int, noun: str, verb: str = "", plural: str = "") -> str:
    """
    A count in grammar: ``no questions``, ``1 question``, ``1 question is``, ``2 questions are``.

    Parameters
    ----------
    number
        How many.
    noun
        What is counted, for one of it.
    verb
        What follows for one of it, such as ``is``, ``has`` or ``holds``; empty for nothing.
    plural
        The noun for several, where it does not just end in s.
    """
    if number == 1:
        return f"1 {noun} {verb}".rstrip()
    amount = f"{number:,}" if number else "no"
    verbs = PLURAL_VERBS.get(verb, verb.removesuffix("s"))
    return f"{amount} {plural or noun + 's'} {verbs}".rstrip()


def found(word: str, choices: Iterable[str]) -> str:
    """What was received and what may have been meant: ``found 'hal'; did you mean 'hall'?``."""
    return f"found '{shortened(word)}'; {did_you_mean(word, choices)}"


def printable(text: str) -> str:
    """A text with line breaks, terminal codes and the like written out, such as ``\\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def shortened(text: str, most: int = MOST_LETTERS) -> str:
    """
    The beginning of a text, safe to show in a message.

    Parameters
    ----------
    text
        What was received.
    most
        Letters to keep before the rest is replaced by three dots.
    """
    if len(text) <= most:
        return printable(text)
    return f"{printable(text[:most])}... ({len(text):,} letters)"


def amount(value: float) -> str:
    """
    Money for people: whole amounts in full, others with six digits and at least two decimals.

    Never in powers of ten, in which two bids could look alike.
    """
    if float(value).is_integer():
        return f"{value:,.0f}"
    digits = 5 - math.floor(math.log10(abs(value)))
    return f"{value:,.{min(max(digits, 2), 9)}f}"


def money(value: float, decimals: int) -> str:
    """
    An amount among others that have so many decimals, none of its own lost.

    A share of a payment can have more of them; up to three more are shown.
    """
    shown = next(d for d in range(decimals, decimals + 4) if d == decimals + 3 or _fits(value, d))
    return f"{round(value, shown) + 0.0:,.{shown}f}"


def _fits(value: float, decimals: int) -> bool:
    """Whether a number has no more decimals than that, up to rounding."""
    return math.isclose(value, round(value, decimals), rel_tol=1e-13, abs_tol=1e-12)
