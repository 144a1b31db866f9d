"""What comparisons gain: cases, rules, and a file of results that survives being stopped."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.randomness import Seeds
from boca.core.wording import did_you_mean
from boca.lab.domains.courses import NINE, SIX, CourseInstance, CourseSetting, draw_courses
from boca.lab.simulation.course_questions import (
    Habits,
    SimulatedStudents,
    Stage,
    assign,
    best_part,
    interviews,
)
from boca.queries.comparisons import ComparisonParams
from boca.seats import Seating
from boca.surrogates.pairwise import PairwiseParams

STAGES = (0, 1, 5, 10, 15, 20)
NUM_BINS = 10


@dataclass(frozen=True)
class LearningCase:
    """
    Students of one kind.

    Parameters
    ----------
    label
        What it is, for people.
    setting
        How they are drawn.
    habits
        How they answer.
    """

    label: str
    setting: CourseSetting
    habits: Habits = field(default_factory=Habits)


@dataclass(frozen=True)
class LearningRule:
    """
    One way to ask and to learn.

    Parameters
    ----------
    label
        What it is, for people.
    questions
        How questions are chosen.
    params
        What is believed.
    """

    label: str
    questions: ComparisonParams = field(default_factory=ComparisonParams)
    params: PairwiseParams = field(default_factory=PairwiseParams)


# The errors of noisy students are as large as those of ratings in forms, in each of two utilities.
NOISY = Habits(noise=15.0, same_within=5.0)
EARLY = Habits(most_answers=max(STAGES))
CASES = {
    "nine": LearningCase("9 popular courses", NINE),
    "six": LearningCase("6 popular courses", SIX),
    "nine-scarce": LearningCase("9 popular, supply 1.1", replace(NINE, supply=1.1)),
    "six-scarce": LearningCase("6 popular, supply 1.1", replace(SIX, supply=1.1)),
    "nine-ample": LearningCase("9 popular, supply 1.5", replace(NINE, supply=1.5)),
    "six-ample": LearningCase("6 popular, supply 1.5", replace(SIX, supply=1.5)),
    "own": LearningCase("nothing in common", replace(NINE, is_alike=False)),
    "noisy": LearningCase("9 popular, noisy answers", NINE, NOISY),
    "noisy-six": LearningCase("6 popular, noisy answers", SIX, NOISY),
    "early": LearningCase("9 popular, students who stop early", NINE, EARLY),
    "early-six": LearningCase("6 popular, students who stop early", SIX, EARLY),
}
ALONE = PairwiseParams(is_pooled=False)
DEFAULT = "improvement"
RULES = {
    DEFAULT: LearningRule("expected improvement"),
    "improvement-any": LearningRule(
        "expected improvement, any difference", ComparisonParams(most_changes=None)
    ),
    "improvement-alone": LearningRule("expected improvement, own form only", params=ALONE),
    "second": LearningRule("two best by mean", ComparisonParams("second")),
    "thompson": LearningRule("Thompson", ComparisonParams("thompson")),
    "random": LearningRule("best against any", ComparisonParams("random")),
    "insertion": LearningRule("insertion", ComparisonParams("insertion")),
    "insertion-alone": LearningRule(
        "insertion, own form only", ComparisonParams("insertion"), ALONE
    ),
}


@dataclass(frozen=True)
class LearningFacts:
    """
    One rule on one instance.

    Utilities are in % of the mean utility that the mechanism gives on true utilities; three
    numbers are the mean, the 5 % quantile and the least.

    Parameters
    ----------
    case, rule, seed
        Which students, which rule, which instance.
    settings
        A fingerprint of all settings behind these names.
    truth
        Three numbers of the mechanism on true utilities.
    forms
        The same on forms as they are.
    stages
        Per number of answers, three numbers.
    error
        The largest clearing error of an assignment that counts here.
    is_pooled, p_value
        Whether what others typed was used, and the test that decides it by default.
    answers
        Answers per student in all.
    bins
        Of answers with a preference, by the chance of the first schedule in ten bins: how many,
        the sum of chances, how often it was preferred.
    seconds
        Wall-clock time.
    """

    case: str
    rule: str
    seed: int
    settings: str
    truth: tuple[float, float, float]
    forms: tuple[float, float, float]
    stages: dict[int, tuple[float, float, float]]
    error: float
    is_pooled: bool
    p_value: float
    answers: float
    bins: tuple[tuple[int, float, int], ...]
    seconds: float

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "LearningFacts":
        """The inverse of ``asdict`` after JSON, where tuples are lists and numbers are keys."""
        row: dict[str, Any] = dict(data)
        row["stages"] = {int(number): tuple(three) for number, three in row["stages"].items()}
        row["bins"] = tuple(map(tuple, row["bins"]))
        return cls(**row | {name: tuple(row[name]) for name in ("truth", "forms")})


def fingerprint(case: str, rule: str, num_students: int) -> str:
    """A short name of everything that decides a result but the seed."""
    settings = (asdict(CASES[case]), asdict(RULES[rule]), num_students, STAGES)
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True, eq=False)
class _Truth:
    instance: CourseInstance
    scale: float
    truth: tuple[float, float, float]
    forms: tuple[float, float, float]
    error: float


@lru_cache(maxsize=4)
def _truth(setting: CourseSetting, seed: int) -> _Truth:
    """The mechanism on true utilities and on forms, which all rules share."""
    instance = draw_courses(setting, seed)
    best = assign(instance.market, instance.utilities, seed)
    scale = float(_utilities(instance, best).mean()) / 100
    plain = assign(instance.market, instance.forms, seed)
    return _Truth(
        instance,
        scale,
        _three(_utilities(instance, best) / scale),
        _three(_utilities(instance, plain) / scale),
        max(best.error, plain.error),
    )


def _utilities(instance: CourseInstance, seating: Seating) -> np.ndarray:
    """True utilities of what students got."""
    rows = seating.allocation.bundles
    return np.array([best_part(u, row) for u, row in zip(instance.utilities, rows, strict=True)])


def _three(utilities: np.ndarray) -> tuple[float, float, float]:
    low = np.quantile(utilities, 0.05)
    return float(utilities.mean()), float(low), float(utilities.min())


def learn_instance(
    case: str,
    rule: str,
    seed: int,
    num_students: int = 100,
    on_stage: Callable[[Stage], None] | None = None,
) -> LearningFacts:
    """
    One rule on one instance.

    Parameters
    ----------
    case, rule
        Names of :data:`CASES` and :data:`RULES`.
    seed
        Of the instance, the order of tie-breaking, and all that is drawn.
    num_students
        Students of the instance.
    on_stage
        Is told what is known at each stage.
    """
    began = monotonic()
    setting, habits = CASES[case].setting, CASES[case].habits
    known = _truth(replace(setting, num_students=num_students), seed)
    instance = known.instance
    students = SimulatedStudents(instance.utilities, habits, Seeds(seed).child("answers"))
    stages: dict[int, tuple[float, float, float]] = {}
    error, last = known.error, None
    for stage in interviews(
        instance.market,
        instance.forms,
        students,
        STAGES,
        RULES[rule].params,
        RULES[rule].questions,
        seed,
    ):
        stages[stage.num_answers] = _three(_utilities(instance, stage.seating) / known.scale)
        error, last = max(error, stage.seating.error), stage
        if on_stage is not None:
            on_stage(stage)
    assert last is not None
    return LearningFacts(
        case,
        rule,
        seed,
        fingerprint(case, rule, num_students),
        known.truth,
        known.forms,
        stages,
        error,
        last.population.is_pooled,
        last.population.pooling.p_value,
        float(np.mean([len(belief.comparisons) for belief in last.beliefs])),
        bins_of(last.chances),
        monotonic() - began,
    )


def bins_of(chances: np.ndarray) -> tuple[tuple[int, float, int], ...]:
    """Answers counted by the chance that they had: how many, sum of chances, how often first."""
    numbers = np.minimum((chances[:, 0] * NUM_BINS).astype(int), NUM_BINS - 1)
    return tuple(
        (
            int((numbers == k).sum()),
            float(chances[numbers == k, 0].sum()),
            int(chances[numbers == k, 1].sum()),
        )
        for k in range(NUM_BINS)
    )


def learn_grid(
    cases: Sequence[str],
    rules: Sequence[str],
    seeds: Iterable[int],
    num_students: int = 100,
    out: Path | None = None,
    on_start: Callable[[str, str, int], None] | None = None,
) -> list[LearningFacts]:
    """
    All rules in all cases on all instances; what the file holds already is not run again.

    Results are written one by one, so that a run can be stopped at any time; started again, it
    ends with the same results.

    Parameters
    ----------
    cases, rules
        Names of :data:`CASES` and :data:`RULES`.
    seeds
        Instances.
    num_students
        Students per instance.
    out
        A JSON Lines file, or None.
    on_start
        Is told case, rule and seed before each run.
    """
    for what, names, known_names in (("case", cases, CASES), ("rule", rules, RULES)):
        for name in names:
            if name not in known_names:
                raise InputError(
                    f"Received the {what} '{name[:40]}'; {did_you_mean(name, known_names)}"
                )
    known = {} if out is None else _read(out)
    for seed in seeds:
        for case in cases:
            for rule in rules:
                key = (case, rule, seed)
                if key in known:
                    if known[key].settings != fingerprint(case, rule, num_students):
                        raise InputError(
                            f"{out} holds {case}, {rule}, {seed} with other settings; choose "
                            "another file."
                        )
                    continue
                if on_start is not None:
                    on_start(case, rule, seed)
                known[key] = learn_instance(case, rule, seed, num_students)
                if out is not None:
                    rows = [json.dumps(asdict(facts)) for facts in known.values()]
                    write_atomically(out, "\n".join(rows) + "\n")
    return list(known.values())


def _read(out: Path) -> dict[tuple[str, str, int], LearningFacts]:
    if not out.exists():
        return {}
    known = {}
    for number, line in enumerate(out.read_text().splitlines(), 1):
        try:
            facts = LearningFacts.from_dict(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError(
                f"{out}, line {number} is not a result of 'boca courses learn'; choose another "
                "file or remove the line."
            ) from None
        known[facts.case, facts.rule, facts.seed] = facts
    return known
