"""The work under way at the desk, in words."""

from dataclasses import dataclass

from boca.live.web.texts import Texts
from boca.live.work.jobs import Work


@dataclass(frozen=True)
class WorkWords:
    """
    The slow work under way.

    Parameters
    ----------
    words
        What is being done.
    seconds
        For how long, so far; None while it waits.
    """

    words: str
    seconds: int | None


def work_words(t: Texts, work: Work | None) -> WorkWords | None:
    """What the server is working on; None if it waits for people."""
    if work is None:
        return None
    if not work.is_running:
        return WorkWords(t("run.work_waits"), None)
    seconds = int(work.seconds)
    if work.job == "decide":
        begun = sum(stage == "economy" for stage in work.stages)
        words = t("run.work_economies", n=begun) if begun else t("run.work_decide")
        return WorkWords(words, seconds)
    key = f"run.work_{work.stage}" if work.stage in ("learning", "solving") else "run.work_plan"
    return WorkWords(t(key), seconds)
