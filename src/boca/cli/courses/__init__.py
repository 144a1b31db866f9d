"""``boca courses``: seats of courses for students, without money."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer
from rich.console import Console

from boca.cli.console_tables import console, table
from boca.cli.courses.answers import Answers, answers_of, learned, pooling_of
from boca.cli.courses.ask import MOST_QUESTIONS, POOL, ask
from boca.cli.courses.checker import check_result
from boca.cli.courses.interviewed import InterviewStudy
from boca.cli.courses.learn import learn
from boca.cli.courses.office import KeptSeats, read_kept, rules_of, save, share_out, utilities_of
from boca.cli.main import say
from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.randomness import parse_seeds
from boca.core.wording import counted
from boca.lab.domains.courses import NINE, SIX, CourseSetting, draw_courses
from boca.lab.reports.courses import (
    CoursePage,
    LearningNote,
    RuleRow,
    SeatChange,
    course_page,
)
from boca.lab.simulation.courses import RULES, RuleFacts, compare_rules
from boca.markets.courses import (
    CourseMarket,
    read_courses,
    read_published,
    write_comparisons,
    write_courses,
)
from boca.seats import SearchProgress, Seating, SeatParams, assign_seats, measure_envy
from boca.seats.rivals import RIVALS
from boca.seats.seating import kinds, padded

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    help="Share out the seats of a university's courses, without money.", no_args_is_help=True
)

FOLDER = typer.Argument(
    ...,
    help="Folder with courses.csv, students.csv, ratings.csv and, if wanted, adjustments.csv, "
    "conflicts.csv and comparisons.csv (or .xlsx); docs/courses.md describes them.",
)
RESULT = "result"
# Courses for which the page says what one more seat would change, and students up to which rivals
# are compared with without being asked: both take about as long as the assignment itself.
NUM_CHANGES = 3
MOST_COMPARED = 600
# What the comparison of rules shows.
FACTS = {
    "mean utility": "mean",
    "5 % quantile": "low",
    "least": "least",
    "envious pairs": "envious",
    "by more than one course": "beyond_one",
    "against the order": "against_order",
    "students without a course": "empty",
}

app.command()(ask)
app.command()(learn)


def register(root: typer.Typer) -> None:
    """Adds the command to the command line."""
    root.add_typer(app, name="courses")


@app.command()
def assign(
    folder: Path = FOLDER,
    out: Path | None = typer.Option(
        None, help="Where to write the assignment; by default the folder 'result' in FOLDER."
    ),
    seed: int = typer.Option(
        0, help="Draws the order that breaks ties; the same seed gives the same assignment."
    ),
    max_seconds: float | None = typer.Option(
        None, help="Seconds after which the best prices so far are used and mended."
    ),
    keep: Path | None = typer.Option(
        None, help="Folder of an earlier assignment that the new one should stay close to."
    ),
    loyalty: str = typer.Option(
        "all",
        help="With --keep: 'all' if everybody keeps every course that is still possible, or the "
        "points that keeping a course is worth to a student, such as 20.",
    ),
    budget_moves: float = typer.Option(
        0.01, help="By how much a budget of about 1 may be moved so that no seat is oversold."
    ),
    rivals: bool = typer.Option(
        True, help="Whether the page compares other rules (up to 600 students)."
    ),
    pool: str = POOL,
) -> None:
    """Assign seats: everybody gets the best schedule that it can afford."""
    is_pooled = pooling_of(pool)
    file = read_courses(folder)
    for text in file.warnings:
        console().print(f"Please check: {text}.", style="yellow")
    answers = None
    if any(map(len, file.comparisons)):
        answers = answers_of(file, is_pooled)
        file = learned(file, answers)
        console().print(answers.sentence())
    kept = None if keep is None else read_kept(keep, _points(loyalty))
    params = SeatParams(budget_moves=budget_moves)
    seating = _with_progress(file, params, seed, kept, max_seconds)
    target = folder / RESULT if out is None else out
    _finish(file, seating, params, seed, kept, target, rivals, answers)
    if kept is not None:
        _tell_changes(kept, seating)


def _points(loyalty: str) -> float | None:
    if loyalty == "all":
        return None
    try:
        return float(loyalty)
    except ValueError:
        raise InputError(
            f"Received the loyalty '{loyalty[:40]}'; expected 'all' or a number of points."
        ) from None


def _with_progress(
    file: CourseMarket,
    params: SeatParams,
    seed: int,
    kept: KeptSeats | None,
    max_seconds: float | None,
) -> Seating:
    with Console(stderr=True, highlight=False).status("reading") as status:

        def show(progress: SearchProgress) -> None:
            error = "" if np.isinf(progress.error) else f", clearing error {progress.error:.2f}"
            attempt = f", attempt {progress.attempt}" if progress.attempt else ""
            status.update(f"{progress.stage}{attempt}{error} ({progress.seconds:.0f} s)")

        return share_out(file, params, seed, kept, max_seconds, show)


def _finish(
    file: CourseMarket,
    seating: Seating,
    params: SeatParams,
    seed: int,
    kept: KeptSeats | None,
    target: Path,
    with_rivals: bool,
    answers: Answers | None = None,
    gains: LearningNote | None = None,
) -> None:
    """Writes all files and says what they are."""
    save(target, file, seating, params, seed, kept, None if answers is None else answers.facts())
    is_small = file.market.num_bidders <= MOST_COMPARED
    rules = _rival_rows(seating) if with_rivals and is_small else ()
    changes = _seat_changes(file, seating, params, seed, kept) if with_rivals and is_small else ()
    notes = () if answers is None else (answers.sentence(),)
    page = CoursePage(file.market.name, seating, rules, changes, file.warnings, notes, gains)
    write_atomically(target / "page.html", course_page(page))
    out = console()
    out.print(seating.summary())
    envy = seating.envy
    out.print(
        f"envy: {envy.pairs:,} {'pair' if envy.pairs == 1 else 'pairs'}, "
        f"{envy.beyond_one} by more than one course, "
        f"{envy.against_order} against the order",
    )
    out.print(
        f"Written to {target}: assignment.csv, courses_out.csv, fairness.json, page.html",
    )
    if seating.stopped == "interrupted":
        out.print("The search was interrupted; this is the best it had found, mended.")


def _rival_rows(seating: Seating) -> tuple[RuleRow, ...]:
    """This assignment and its rivals, with the same order of students."""
    market = seating.market
    order = np.argsort(-seating.base_budgets, kind="stable")
    groups = kinds(seating.rules, market)
    rows = []
    held = seating.rules.held or ((),) * market.num_bidders
    left = market.capacities - seating.rules.num_held(market)
    for name in ("equilibrium", *RIVALS):
        if name == "equilibrium":
            schedules = padded(seating.allocation.bundles)
        else:
            lists = RIVALS[name](seating.wishes, left, order)
            bundles = np.zeros_like(seating.allocation.bundles)
            for i, courses in enumerate(lists):
                bundles[i, courses] = 1
                bundles[i, list(held[i])] = 1
            schedules = padded(bundles)
        values = np.array(
            [
                float(wish.values(np.sort(wish.places[row])[None])[0])
                for wish, row in zip(seating.wishes, schedules, strict=True)
            ]
        )
        envy = measure_envy(seating.wishes, schedules, seating.base_budgets, groups)
        low = float(np.quantile(values, 0.05))
        rows.append(
            RuleRow(
                name,
                float(values.mean()),
                low,
                float(values.min()),
                envy.pairs,
                envy.beyond_one,
                envy.against_order,
            )
        )
    return tuple(rows)


def _seat_changes(
    file: CourseMarket, seating: Seating, params: SeatParams, seed: int, kept: KeptSeats | None
) -> tuple[SeatChange, ...]:
    """The assignment again with one more seat in each of the dearest courses."""
    dearest = np.argsort(-seating.prices, kind="stable")[:NUM_CHANGES]
    utilities, rules = utilities_of(file, kept), rules_of(file, kept)
    changes = []
    for course in dearest[seating.prices[dearest] > 0]:
        goods = list(file.market.goods)
        goods[course] = replace(goods[course], capacity=goods[course].capacity + 1)
        market = replace(file.market, goods=tuple(goods))
        targets = list(rules.targets)
        if targets:
            targets[course] += 1
        other = assign_seats(
            market, utilities, replace(rules, targets=tuple(targets)), params, seed
        )
        gains = other.utilities - seating.utilities
        changes.append(
            SeatChange(
                goods[course].name,
                float(seating.prices[course]),
                float(other.prices[course]),
                int((gains > 1e-9).sum()),
                int((gains < -1e-9).sum()),
            )
        )
    return tuple(changes)


def _tell_changes(kept: KeptSeats, seating: Seating) -> None:
    changed, dropped = 0, 0
    for i, bidder in enumerate(seating.market.bidders):
        if bidder.name in kept.courses:
            before = set(kept.courses[bidder.name])
            changed += before != set(seating.schedule(i))
            dropped += len(before - set(seating.schedule(i)))
    console().print(
        f"{changed} of {len(kept.courses)} earlier schedules changed, {dropped} courses were "
        "given up or lost.",
    )


@app.command()
def check(
    folder: Path = FOLDER,
    result: Path | None = typer.Option(
        None, help="Folder of the assignment; by default the folder 'result' in FOLDER."
    ),
) -> None:
    """Check an assignment from its files alone, by other means than it was found."""
    findings = check_result(folder, folder / RESULT if result is None else result)
    grid = table("", ["claim", "holds", "where not"])
    for finding in findings:
        some = "; ".join(finding.problems[:3])
        more = f" and {len(finding.problems) - 3} more" if len(finding.problems) > 3 else ""
        grid.add_row(finding.claim, finding.word, some + more)
    console().print(grid)
    wrong = sum(finding.is_wrong for finding in findings)
    if wrong:
        say("error", "bold red", f"{wrong} of {len(findings)} claims do not hold; see above.")
        raise typer.Exit(1)
    console().print("Everything that is claimed holds.")


def _setting(
    students: int, courses: int, popular: int, timetable: bool, supply: float
) -> CourseSetting:
    if popular not in (6, 9):
        raise InputError(f"Received {popular} popular courses; expected 6 or 9, of 25.")
    base = SIX if popular == 6 else NINE
    return replace(
        base,
        num_students=students,
        num_courses=courses,
        has_timetable=timetable,
        supply=supply,
    )


STUDENTS = typer.Option(100, help="Students.")
COURSES = typer.Option(25, help="Courses.")
POPULAR = typer.Option(9, help="Popular courses, of 25: 9 or 6.")
TIMETABLE = typer.Option(False, help="Whether courses meet at certain hours.")
SUPPLY = typer.Option(1.25, help="Seats in all, as a multiple of what students may take.")


@app.command()
def simulate(
    out: Path = typer.Argument(..., help="Folder for the drawn tables and the assignment."),
    students: int = STUDENTS,
    courses: int = COURSES,
    popular: int = POPULAR,
    timetable: bool = TIMETABLE,
    supply: float = SUPPLY,
    seed: int = typer.Option(20001, help="Of the draw and of the order that breaks ties."),
    rivals: bool = typer.Option(True, help="Whether the page compares other rules."),
    questions: int = typer.Option(
        0,
        help="Comparisons that every student answers. If positive, the tables are forms with "
        "mistakes and answers, and the page says what the answers gained.",
    ),
) -> None:
    """Draw students and courses at random, write their tables, and assign seats."""
    if not 0 <= questions <= MOST_QUESTIONS:
        raise InputError(f"Received {questions} questions; expected 0 to {MOST_QUESTIONS}.")
    setting = _setting(students, courses, popular, timetable, supply)
    instance = draw_courses(setting, seed)
    made = {**asdict(setting), "seed": seed, "questions": questions}
    note = out / "simulated.json"
    if note.exists() and json.loads(note.read_text()) != made:
        raise InputError(
            f"{out} holds another simulation, which is not overwritten; choose another folder."
        )
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(note, json.dumps(made, indent=1))
    (out / "comparisons.csv").unlink(missing_ok=True)  # of a run that was stopped
    typed = instance.forms if questions else instance.utilities
    write_courses(
        out,
        instance.market,
        setting.most,
        instance.slots,
        np.array([u.ratings for u in typed]),
        [[(tuple(a.goods.tolist()), a.factors) for a in u.adjustments] for u in typed],
    )
    file, params = read_courses(out), SeatParams()
    answers, study = None, None
    if questions:
        study = InterviewStudy(instance, file, questions, seed)
        write_comparisons(out, study.run())
        file = read_courses(out)
        answers = answers_of(file)
        file = learned(file, answers)
    seating = _with_progress(file, params, seed, None, None)
    gains = None if study is None else study.note(seating)
    _finish(file, seating, params, seed, None, out / RESULT, rivals, answers, gains)
    if gains is not None:
        console().print(gains.sentence)


@app.command()
def convert(
    source: Path = typer.Argument(
        ..., help="A fairpyx instance (JSON), or the folder 'resources' of the UMass survey."
    ),
    out: Path = typer.Option(..., help="Folder for courses.csv, students.csv and ratings.csv."),
) -> None:
    """Make the tables of a folder from published data about courses."""
    tables = read_published(source)
    tables.write(out)
    for note in tables.notes:
        console().print(f"Please check: {note}.", style="yellow")
    try:
        file = read_courses(out)
    except InputError as error:
        raise InputError(
            f"{error}\n  The tables are in '{out}': mend them there, or the data, and convert it "
            "to another folder."
        ) from None
    seats = int(file.market.capacities.sum())
    console().print(
        f"{out} has {counted(file.market.num_bidders, 'student')}, "
        f"{counted(file.market.num_goods, 'course')} and {counted(seats, 'seat')}. "
        f"Now: boca courses assign {out}"
    )


@app.command()
def compare(
    students: int = STUDENTS,
    courses: int = COURSES,
    popular: int = POPULAR,
    timetable: bool = TIMETABLE,
    supply: float = SUPPLY,
    seeds: str = typer.Option("20001-20010", help="Instances, such as 20001-20010."),
    misreports: int = typer.Option(
        0, help="Students per rule and instance whose profitable misreports are looked for."
    ),
    out: Path | None = typer.Option(
        None, help="A JSON Lines file: what is in it is not run again, what is new is added."
    ),
) -> None:
    """
    Compare rules on drawn students: utilities, envy, and misreports that pay.

    Misreports are looked for by doubling and halving one rating after the other; the gain is
    measured with other orders of tie-breaking than those they were found with.
    """
    setting = _setting(students, courses, popular, timetable, supply)
    known = _known(out, setting, misreports)
    facts: list[RuleFacts] = []
    for seed in parse_seeds(seeds):
        if seed not in known:
            known[seed] = compare_rules(setting, seed, misreports)
            if out is not None:
                rows = [
                    json.dumps({"setting": asdict(setting), "misreports": misreports, **asdict(f)})
                    for some in known.values()
                    for f in some
                ]
                write_atomically(out, "\n".join(rows) + "\n")
        facts += known[seed]
    console().print(_comparison(facts))


def _known(out: Path | None, setting: CourseSetting, misreports: int) -> dict[int, list[RuleFacts]]:
    """Instances that a file holds already."""
    known: dict[int, list[RuleFacts]] = {}
    if out is None or not out.exists():
        return known
    for line in out.read_text().splitlines():
        row = json.loads(line)
        if row.pop("setting") != asdict(setting) or row.pop("misreports") != misreports:
            raise InputError(f"{out} holds other settings; choose another file.")
        known.setdefault(row["seed"], []).append(RuleFacts(**row))
    return {seed: some for seed, some in known.items() if len(some) == len(RULES)}


def _comparison(facts: "Sequence[RuleFacts]") -> object:
    instances = len({f.seed for f in facts})
    rules = list(dict.fromkeys(f.rule for f in facts))
    title = f"Means over {instances} instance{'s' if instances > 1 else ''}"
    grid = table(title, ["", *rules], right=rules)
    for label, name in FACTS.items():
        grid.add_row(label, *(f"{_mean(facts, rule, name):.1f}" for rule in rules))
    if any(f.tried for f in facts):
        counts = []
        for rule in rules:
            some = [f for f in facts if f.rule == rule]
            counts.append(f"{sum(f.paying for f in some)} of {sum(f.tried for f in some)}")
        grid.add_row("misreports that pay", *counts)
        grid.add_row("gain by them, %", *(f"{_mean(facts, rule, 'gain'):.2f}" for rule in rules))
    return grid


def _mean(facts: "Sequence[RuleFacts]", rule: str, name: str) -> float:
    return float(np.mean([getattr(f, name) for f in facts if f.rule == rule]))
