"""Words in messages: what somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that a word may be a slip of, whatever its capitals; None if none is near."""
    by_lower = {choice.lower(): choice for choice in choices}
    close = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=0.5)
    return by_lower[close[0]] if close else None


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """
    How a message about an unknown word ends: ``did you mean 'x'?``, or what there is.

    It follows a semicolon: ``f"Unknown domain '{word}'; {did_you_mean(word, DOMAINS)}"``.
    """
    choices = list(choices)
    near = nearest(word, choices)
    return f"did you mean '{near}'?" if near else f"expected one of {', '.join(choices)}."
