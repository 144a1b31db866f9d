"""``boca courses ask``: the next questions of every student, in a table."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import typer
from rich.console import Console

from boca.cli.console_tables import console
from boca.cli.courses.answers import answers_of, learned, pooling_of
from boca.cli.courses.office import rules_of, share_out
from boca.core.comparison import Comparison, Comparisons
from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.core.wording import counted
from boca.markets.courses import CourseMarket, read_courses, write_comparisons
from boca.queries.comparisons import Standing, next_comparison, open_wishes
from boca.seats import SeatParams
from boca.surrogates.pairwise import Belief

# Few people compare more schedules than this.
MOST_QUESTIONS = 50
POOL = typer.Option(
    "auto",
    help="With comparisons.csv: whether beliefs about a student start from what others typed too: "
    "'yes', 'no', or 'auto' if a test on the forms says that students have enough in common.",
)


def ask(
    folder: Path = typer.Argument(
        ..., help="Folder with the tables of a market; docs/courses.md describes them."
    ),
    number: int = typer.Option(1, help="Open questions that every student has afterwards."),
    seed: int = typer.Option(0, help="As for 'assign': draws the order that breaks ties."),
    pool: str = POOL,
) -> None:
    """
    Write the next questions of every student to comparisons.csv.

    Each compares the schedule that the student would get now with one that may be better. Write
    first, second or same into the column 'answer', by hand or from a survey, and call the command
    again for further questions, or 'boca courses assign' at any time: rows without an answer are
    left alone.
    """
    if not 1 <= number <= MOST_QUESTIONS:
        raise InputError(f"Received {number} questions; expected 1 to {MOST_QUESTIONS}.")
    is_pooled = pooling_of(pool)
    file = read_courses(folder)
    if (folder / "comparisons.xlsx").exists():
        raise InputError(
            f"{folder} holds comparisons.xlsx, which would be left behind by new questions; save "
            "it as comparisons.csv and remove it."
        )
    with Console(stderr=True, highlight=False).status("sharing out seats, for prices"):
        asked = _with_questions(file, number, seed, is_pooled)
    write_comparisons(folder, asked)
    total = sum(map(len, asked.questions))
    given = sum(map(len, asked.comparisons))
    console().print(
        f"In {folder / 'comparisons.csv'}, {counted(given, 'answer', 'is')} on record and "
        f"{counted(total, 'question', 'is')} open."
    )
    short = sum(len(some) < number for some in asked.questions)
    if short:
        console().print(f"{counted(short, 'student', 'has')} nothing left to compare.")


def _with_questions(
    file: CourseMarket, number: int, seed: int, is_pooled: bool | None
) -> CourseMarket:
    """The market with so many open questions of every student, as far as there are any."""
    market = file.market
    answers = answers_of(file, is_pooled)
    seating = share_out(learned(file, answers), SeatParams(), seed)
    wishes = open_wishes(market, rules_of(file))
    known = file.questions or ((),) * market.num_bidders
    seeds = Seeds(seed).child("questions")
    questions = []
    for i, belief in enumerate(answers.beliefs):
        standing = Standing(wishes[i], seating.prices_of(i), float(seating.base_budgets[i]))
        own = seeds.child(market.bidders[i].name, len(belief.comparisons))
        questions.append(_filled_up(i, belief, standing, known[i], number, own))
    return replace(
        file,
        comparisons=file.comparisons or (Comparisons(),) * market.num_bidders,
        questions=tuple(questions),
    )


def _filled_up(
    student: int,
    belief: Belief,
    standing: Standing,
    known: tuple[tuple[np.ndarray, np.ndarray], ...],
    number: int,
    seeds: Seeds,
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Open questions and new ones, each chosen as if those before had been answered as expected."""
    questions = list(known)
    for first, second in known:
        belief = _as_expected(belief, first, second)
    while len(questions) < number:
        rng = seeds.child("question", len(questions)).generator()
        query = next_comparison(student, belief, standing, rng)
        if query is None:
            break
        questions.append((query.first, query.second))
        belief = _as_expected(belief, query.first, query.second)
    return tuple(questions)


def _as_expected(belief: Belief, first: np.ndarray, second: np.ndarray) -> Belief:
    return belief.tell(
        Comparison(first, second, "first" if belief.chance(first, second) > 0.5 else "second")
    )
