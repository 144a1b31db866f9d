"""What students' answers say, from the tables of a folder."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.functions import AdjustedSum, Adjustment
from boca.markets.courses import CourseMarket
from boca.surrogates.pairwise import Belief, PairwiseParams, Population, read_forms

POOLING = {"auto": None, "yes": True, "no": False}
# Effects of pairs that are smaller than this share of the largest rating are rounding.
LEAST_EFFECT = 1e-9


@dataclass(frozen=True, eq=False)
class Answers:
    """
    What is believed of every student.

    Parameters
    ----------
    beliefs
        One per student.
    population
        What all forms say together.
    """

    beliefs: tuple[Belief, ...]
    population: Population

    def facts(self) -> dict[str, Any]:
        """What a checker needs to repeat it, and what a registrar wants to know."""
        counts = [len(belief.comparisons) for belief in self.beliefs]
        pooling = self.population.pooling
        return {
            "answers": sum(counts),
            "students": sum(count > 0 for count in counts),
            "pooled": self.population.is_pooled,
            "pairs_typed": pooling.num_typed,
            "repeats": pooling.repeats,
            "repeats_by_chance": pooling.expected,
            "p_value": pooling.p_value,
        }

    def sentence(self) -> str:
        """The facts for people."""
        facts = self.facts()
        others = " and from what others typed" if facts["pooled"] else " alone"
        return (
            f"{facts['students']} of {len(self.beliefs)} students answered {facts['answers']} "
            "comparisons; their schedules follow from form and answers together. What is believed "
            f"of a student starts from the student's own form{others} (pairs of courses that two "
            f"students typed alike: {facts['repeats']}, by chance "
            f"{facts['repeats_by_chance']:.0f}, p = {facts['p_value']:.2g})."
        )


def forms_of(file: CourseMarket) -> list[AdjustedSum]:
    """Everybody's ratings and adjustments as a function."""
    return [
        AdjustedSum(
            file.ratings[i],
            tuple(Adjustment.together(np.array(c), p) for c, p in file.adjustments[i]),
        )
        for i in range(file.market.num_bidders)
    ]


def answers_of(file: CourseMarket, is_pooled: bool | None = None) -> Answers:
    """
    Beliefs from forms and answers.

    Parameters
    ----------
    file
        The market with its forms and answers, if any.
    is_pooled
        Whether beliefs start from what others typed too; by the test on the forms if None.
    """
    params = PairwiseParams(is_pooled=is_pooled)
    forms = forms_of(file)
    population = read_forms(forms, params)
    given = file.comparisons or (None,) * len(forms)
    beliefs = [
        Belief(population.prior(form), params=params)
        if answers is None
        else Belief(population.prior(form), answers, params)
        for form, answers in zip(forms, given, strict=True)
    ]
    return Answers(tuple(beliefs), population)


def pooling_of(word: str) -> bool | None:
    """The switch from what a user wrote."""
    if word not in POOLING:
        raise InputError(f"Received the pooling '{word[:40]}'; expected {', '.join(POOLING)}.")
    return POOLING[word]


def learned(file: CourseMarket, answers: Answers) -> CourseMarket:
    """
    The market with ratings and adjustments as the answers have corrected them.

    Who answered nothing keeps what was typed.
    """
    ratings, adjustments = file.ratings.copy(), list(file.adjustments)
    for i, belief in enumerate(answers.beliefs):
        if not len(belief.comparisons):
            continue
        mean = belief.mean
        ratings[i] = mean.linear
        effects = 2 * np.triu(mean.matrix, 1)
        pairs = np.argwhere(np.abs(effects) > LEAST_EFFECT * np.abs(ratings[i]).max())
        adjustments[i] = tuple(((int(j), int(k)), float(effects[j, k])) for j, k in pairs)
    return replace(file, ratings=ratings, adjustments=tuple(adjustments))
