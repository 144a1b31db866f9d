"""What comparisons gained, as tables: utilities by answers, paired tests, published gains."""

import math
from collections.abc import Sequence

import numpy as np

from boca.lab.reports.statistics import paired
from boca.lab.reports.text_table import NOTHING, TextTable
from boca.lab.studies.course_learning import CASES, DEFAULT, RULES, STAGES, LearningFacts

# Where a page holds the tables; everything outside is written by people.
BEGIN, END = "<!-- made by boca courses learn -->", "<!-- end -->"
# The number of answers of the published gains, over forms as they are, in %: mean and least
# (abstract of arXiv 2210.00954 v3).
NUM_PUBLISHED = 10
PUBLISHED = ("+7 to +11", "+17 to +29")

Three = tuple[float, float, float]


def learning_tables(facts: Sequence[LearningFacts]) -> list[TextTable]:
    """All tables; those with nothing to show are left out."""
    tables = [_utilities(facts, case) for case in CASES if _some(facts, case)]
    tables += [_tests(facts), _gains(facts), _calibration(facts)]
    return [table for table in tables if table.rows]


def page_with(text: str, tables: Sequence[TextTable]) -> str:
    """A page whose tables are replaced; one that has none yet gets them at its end."""
    made = "\n".join([BEGIN, "", *(table.to_markdown() for table in tables), END])
    if BEGIN in text and END in text:
        before, rest = text.split(BEGIN, 1)
        return before + made + rest.split(END, 1)[1]
    return f"{text.rstrip()}\n\n{made}\n".lstrip()


def _some(
    facts: Sequence[LearningFacts], case: str, rule: str | None = None
) -> dict[int, LearningFacts]:
    """Results of a case, by seed (of any one rule, unless named)."""
    return {f.seed: f for f in facts if f.case == case and rule in (None, f.rule)}


def _cell(rows: Sequence[Three]) -> str:
    mean, low, least = np.mean(rows, axis=0)
    return f"{mean:.1f} / {low:.0f} / {least:.0f}"


def _utilities(facts: Sequence[LearningFacts], case: str) -> TextTable:
    every = list(_some(facts, case).values())
    blank = [""] * (len(STAGES) - 1)
    rows: list[tuple[str, ...]] = [
        ("true utilities", f"{len(every)}", _cell([f.truth for f in every]), *blank),
        ("forms as they are", f"{len(every)}", _cell([f.forms for f in every]), *blank),
    ]
    for rule, entry in RULES.items():
        some = list(_some(facts, case, rule).values())
        if some:
            cells = [_cell([f.stages[stage] for f in some]) for stage in STAGES]
            rows.append((entry.label, f"{len(some)}", *cells))
    settings = CASES[case].setting
    notes = [
        f"Mean / 5 % quantile / least, in % of the mean on true utilities; supply "
        f"{settings.supply:g}, largest clearing error {max(f.error for f in every):g}, pooled in "
        f"{sum(f.is_pooled for f in _some(facts, case, DEFAULT).values())} of "
        f"{len(_some(facts, case, DEFAULT))} instances by the test on the forms.",
    ]
    if CASES[case].habits.most_answers is not None:
        answers = float(np.mean([f.answers for f in _some(facts, case, DEFAULT).values()]))
        notes.append(f"Students stopped after {answers:.1f} answers on average.")
    header = ("rule", "instances", *(f"{stage}" for stage in STAGES))
    return TextTable(
        f"{CASES[case].label}: after so many answers", header, tuple(rows), 1, tuple(notes)
    )


def _tests(facts: Sequence[LearningFacts]) -> TextTable:
    """The default rule less each other one after ten answers, on common instances."""
    rows = []
    for case in CASES:
        ours = _some(facts, case, DEFAULT)
        for rule in RULES:
            other = _some(facts, case, rule)
            common = sorted(ours.keys() & other.keys())
            if rule == DEFAULT or len(common) < 2:
                continue
            cells = []
            for part in range(3):
                test = paired(
                    [other[seed].stages[NUM_PUBLISHED][part] for seed in common],
                    [ours[seed].stages[NUM_PUBLISHED][part] for seed in common],
                )
                p = NOTHING if math.isnan(test.p_differs) else f"{test.p_differs:.1g}"
                cells += [f"{test.difference.mean:+.1f} ± {test.difference.half_width:.1f}", p]
            rows.append((CASES[case].label, RULES[rule].label, f"{len(common)}", *cells))
    return TextTable(
        f"Expected improvement less each other rule after {NUM_PUBLISHED} answers, in points",
        ("case", "other rule", "instances", "mean", "p", "5 % quantile", "p", "least", "p"),
        tuple(rows),
        2,
        ("± is half a 95 % confidence interval, p that of a two-sided paired t-test.",),
    )


def _gains(facts: Sequence[LearningFacts]) -> TextTable:
    """Gains over forms as they are, with the published ones."""
    rows = []
    for case in CASES:
        for rule in RULES:
            some = _some(facts, case, rule).values()
            if not some:
                continue
            forms = np.mean([f.forms for f in some], axis=0)
            after = np.mean([f.stages[NUM_PUBLISHED] for f in some], axis=0)
            mean, low, least = 100 * (after / forms - 1)
            rows.append(
                (
                    CASES[case].label,
                    RULES[rule].label,
                    f"{len(some)}",
                    f"{mean:+.1f}",
                    f"{low:+.0f}",
                    f"{least:+.0f}",
                )
            )
    if rows:
        rows.append(("published", "MLCM", "", PUBLISHED[0], NOTHING, PUBLISHED[1]))
    return TextTable(
        f"Gains over forms as they are after {NUM_PUBLISHED} answers, in %",
        ("case", "rule", "instances", "mean", "5 % quantile", "least"),
        tuple(rows),
        2,
        (
            "Published: abstract of arXiv 2210.00954 v3, for the range of its settings, which "
            "include 9 and 6 popular courses with other random instances and its own networks.",
        ),
    )


def _calibration(facts: Sequence[LearningFacts]) -> TextTable:
    """How often the first schedule was preferred, by the chance that the belief gave it."""
    rows = []
    for case in CASES:
        some = list(_some(facts, case, DEFAULT).values())
        if not some:
            continue
        totals = np.sum([f.bins for f in some], axis=0)
        cells = [
            f"{100 * chance / count:.0f}: {100 * first / count:.0f}" if count >= 30 else NOTHING
            for count, chance, first in totals
        ]
        rows.append((CASES[case].label, f"{int(totals[:, 0].sum()):,}", *cells))
    bins = [f"{10 * k} to {10 * (k + 1)}" for k in range(10)]
    return TextTable(
        "Predicted and given answers, expected improvement",
        ("case", "answers", *bins),
        tuple(rows),
        1,
        (
            "By the chance, in %, that the belief gave the first schedule before the answer: mean "
            "chance and share of answers for it; bins with fewer than 30 answers are left out.",
        ),
    )
