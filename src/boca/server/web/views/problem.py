"""Mistakes as a page lists them."""

from collections.abc import Iterable
from dataclasses import dataclass

from boca.server.live.refusal import Mistake
from boca.server.web.texts import Texts


@dataclass(frozen=True)
class Problem:
    """
    One mistake.

    Parameters
    ----------
    field
        The field it is about, for a link to it; empty for none.
    sentence
        What was found and what was expected.
    """

    field: str
    sentence: str


def mistake_sentence(t: Texts, mistake: Mistake) -> str:
    """A mistake of the auction's own check, as a sentence."""
    return t("mistake.plain", found=mistake.found, expected=mistake.expected)


def mistake_problems(t: Texts, mistakes: Iterable[Mistake]) -> list[Problem]:
    """Mistakes that belong to no field of the page."""
    return [Problem("", mistake_sentence(t, mistake)) for mistake in mistakes]
