"""The questions of ``boca courses simulate``: drawn students who answer, and what that gains."""

from dataclasses import replace

import numpy as np
from rich.console import Console

from boca.cli.courses.answers import forms_of
from boca.core.comparison import Answer, ComparisonQuery
from boca.core.randomness import Seeds
from boca.core.wording import counted
from boca.lab.domains.courses import CourseInstance
from boca.lab.reports.courses import GainRow, LearningNote
from boca.lab.simulation.course_questions import (
    Habits,
    SimulatedStudents,
    Stage,
    assign,
    best_part,
    interviews,
)
from boca.lab.studies.course_learning import STAGES, bins_of
from boca.markets.courses import CourseMarket
from boca.seats import Seating


class InterviewStudy:
    """
    Drawn students who answer questions, and what that gains.

    Parameters
    ----------
    instance
        The drawn market with true utilities.
    file
        The same with forms, as read from its tables.
    num
        Questions per student.
    seed
        Of the order of tie-breaking and all that is drawn.
    """

    def __init__(self, instance: CourseInstance, file: CourseMarket, num: int, seed: int):
        self._instance, self._file, self._num, self._seed = instance, file, num, seed
        self._rows: list[GainRow] = []
        self._last: Stage | None = None

    def run(self) -> CourseMarket:
        """Asks everybody; the market with the answers."""
        forms = forms_of(self._file)
        truth = assign(self._instance.market, self._instance.utilities, self._seed)
        self._scale = float(self._utilities(truth).mean()) / 100
        self._rows = [
            self._row("true utilities", truth),
            self._row("forms as they are", assign(self._file.market, forms, self._seed)),
        ]
        students = SimulatedStudents(
            self._instance.utilities, Habits(), Seeds(self._seed).child("answers")
        )
        stages = sorted({stage for stage in STAGES if stage < self._num} | {self._num})
        with Console(stderr=True, highlight=False).status("asking") as status:

            def told(query: ComparisonQuery, number: int) -> Answer | None:
                if query.bidder == 0:
                    status.update(f"question {number + 1} of {self._num}")
                return students(query, number)

            for stage in interviews(self._file.market, forms, told, stages, seed=self._seed):
                self._last = stage
                if stage.num_answers < self._num:
                    label = f"after {counted(stage.num_answers, 'answer')}"
                    self._rows.append(self._row(label, stage.seating))
        assert self._last is not None
        comparisons = tuple(belief.comparisons for belief in self._last.beliefs)
        return replace(self._file, comparisons=comparisons, questions=((),) * len(comparisons))

    def note(self, seating: Seating) -> LearningNote:
        """What the answers gained, with the assignment that they led to."""
        assert self._last is not None
        rows = (*self._rows, self._row(f"after {counted(self._num, 'answer')}", seating))
        return LearningNote(rows, bins_of(self._last.chances))

    def _row(self, label: str, seating: Seating) -> GainRow:
        utilities = self._utilities(seating) / self._scale
        low = float(np.quantile(utilities, 0.05))
        return GainRow(label, float(utilities.mean()), low, float(utilities.min()))

    def _utilities(self, seating: Seating) -> np.ndarray:
        """True utilities of what students got."""
        rows = seating.allocation.bundles
        truth = self._instance.utilities
        return np.array([best_part(u, row) for u, row in zip(truth, rows, strict=True)])
