"""``boca courses learn``: what comparisons gain, on drawn students."""

from pathlib import Path

import typer
from rich.console import Console

from boca.cli.console_tables import console, print_text_table
from boca.core.files import write_atomically
from boca.core.randomness import parse_seeds
from boca.lab.reports.courses import learning_tables, page_with
from boca.lab.studies.course_learning import CASES, DEFAULT, RULES, learn_grid


def learn(
    seeds: str = typer.Option("20001", help="Instances, such as 20001-20010."),
    cases: str = typer.Option(
        "nine,six", help=f"Which students, separated by commas; of {', '.join(CASES)}."
    ),
    rules: str = typer.Option(
        f"{DEFAULT},insertion-alone",
        help=f"Ways to ask and to learn, separated by commas; of {', '.join(RULES)}.",
    ),
    students: int = typer.Option(100, help="Students per instance."),
    out: Path | None = typer.Option(
        None, help="A JSON Lines file: what is in it is not run again, what is new is added."
    ),
    page: Path | None = typer.Option(
        None, help="A Markdown file whose tables are replaced, such as docs/courses_results.md."
    ),
) -> None:
    """
    Ask drawn students to compare schedules, and say what their answers gain.

    Students fill in forms with mistakes and answer up to 20 questions; after 0, 1, 5, 10, 15 and 20
    answers seats are shared out on what is believed, and their true utilities are measured. Tables
    show all results of the file, also those of other seeds, cases and rules.
    """
    progress = Console(stderr=True, highlight=False)
    with progress.status("starting") as status:

        def show(case: str, rule: str, seed: int) -> None:
            status.update(f"{CASES[case].label}: {RULES[rule].label}, instance {seed}")
            if not progress.is_terminal:
                progress.print(f"{case} {rule} {seed}")

        facts = learn_grid(
            _names(cases), _names(rules), parse_seeds(seeds), students, out, on_start=show
        )
    tables = learning_tables(facts)
    for text_table in tables:
        print_text_table(console(), text_table)
        console().print()
    if page is not None:
        before = page.read_text() if page.exists() else "# What comparisons gain\n"
        write_atomically(page, page_with(before, tables))
        console().print(f"Tables written to {page}.")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
