"""Sentences by key, so that every language has its own words for them."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sentence:
    """
    What to say, without the words of a language.

    Parameters
    ----------
    key
        Name of the sentence in ``texts/<language>.toml``, such as ``reason.main``.
    gaps
        Texts that stand in the sentence's named gaps.
    """

    key: str
    gaps: dict[str, str] = field(default_factory=dict)
