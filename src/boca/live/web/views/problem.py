"""Mistakes as a page lists them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boca.live.auction.refusal import Mistake
from boca.live.web.texts import Texts
from boca.live.web.views.naming import without_ids


@dataclass(frozen=True)
class FormProblem:
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


def mistake_sentence(t: Texts, mistake: Mistake, bundle: str = "") -> str:
    """A mistake of the auction's own check, as a sentence; it names the bundle if there is one."""
    key = "mistake.sentence" if bundle else "mistake.plain"
    found, expected = t.read(mistake.found), t.read(mistake.expected)
    return without_ids(t, t(key, bundle=bundle, found=found, expected=expected))


def mistake_problems(
    t: Texts, mistakes: Iterable[Mistake], bundles: Mapping[str, str]
) -> list[FormProblem]:
    """Mistakes that belong to no field of the page; ``bundles`` has the words for each row."""
    return [FormProblem("", mistake_sentence(t, m, bundles.get(m.where, ""))) for m in mistakes]
