"""One HTML page about an assignment: a value made from a seating, then a template."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from boca.lab.reports.courses.plots import (
    budgets_plot,
    calibration_plot,
    ranks_plot,
    seats_plot,
)
from boca.seats import Seating, Shortfall, reason_for
from boca.seats.seating import counted

MOST_REASONS = 400

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}
table{border-collapse:collapse;margin:.5rem 0}
th,td{padding:.2rem .7rem .2rem 0;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.lead{display:flex;flex-wrap:wrap;gap:1.5rem;margin:1rem 0}
.lead div{min-width:8rem}.lead b{display:block;font-size:1.5rem}
.note{color:#555}.bad{color:#b5443c}.plots{display:flex;flex-wrap:wrap;gap:1rem}
svg{max-width:100%;height:auto}details summary{cursor:pointer}
.wide{overflow-x:auto}
"""


@dataclass(frozen=True)
class RuleRow:
    """
    One rule on the same data, everybody taken as sincere.

    Parameters
    ----------
    name
        What people call it.
    mean, low, least
        Mean utility, 5 % quantile, smallest.
    envious, beyond_one, against_order
        Pairs of students.
    """

    name: str
    mean: float
    low: float
    least: float
    envious: int
    beyond_one: int
    against_order: int


@dataclass(frozen=True)
class SeatChange:
    """
    What one more seat in a course would change.

    Parameters
    ----------
    course
        Its name.
    before, after
        Its price with the seats of now, and with one more.
    better, worse
        Students who would be better and worse off.
    """

    course: str
    before: float
    after: float
    better: int
    worse: int


@dataclass(frozen=True)
class GainRow:
    """
    True utilities of one assignment, in % of the mean of the one on true utilities.

    Parameters
    ----------
    label
        What the assignment knew.
    mean, low, least
        Mean utility, 5 % quantile, smallest.
    """

    label: str
    mean: float
    low: float
    least: float


@dataclass(frozen=True)
class LearningNote:
    """
    What simulated students' answers gained.

    Parameters
    ----------
    rows
        The assignment on true utilities, on forms, and after more and more answers.
    bins
        Answers by the chance of the first schedule, in ten bins: how many, the sum of chances, how
        often it was preferred.
    """

    rows: tuple[GainRow, ...]
    bins: tuple[tuple[int, float, int], ...]

    @property
    def sentence(self) -> str:
        """The gain in words."""
        forms, last = self.rows[1], self.rows[-1]
        return (
            f"With forms as they are, students get {forms.mean:.1f} % of the utility that they "
            f"would get if everything were known, {last.label} {last.mean:.1f} %; the worst-off "
            f"student {forms.least:.0f} and {last.least:.0f} %."
        )


@dataclass(frozen=True, eq=False)
class CoursePage:
    """
    What the page shows.

    Parameters
    ----------
    title
        Name of the market.
    seating
        The assignment.
    rules
        This assignment and its rivals; none if empty.
    changes
        What one more seat would change; none if empty.
    warnings
        What may be a slip in the tables.
    notes
        What else there is to say about where utilities come from.
    gains
        What simulated students' answers gained, if they are simulated.
    """

    title: str
    seating: Seating
    rules: tuple[RuleRow, ...] = ()
    changes: tuple[SeatChange, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gains: LearningNote | None = None


def course_page(page: CoursePage) -> str:
    """The page as HTML that needs no other file."""
    seating = page.seating
    parts = [
        f"<h1>{escape(page.title)}</h1>",
        _lead(seating),
        _claims(seating),
        *(f'<p class="bad">Please check: {escape(text)}.</p>' for text in page.warnings),
        *(f"<p>{escape(text)}</p>" for text in page.notes),
        _gains(page.gains),
        "<h2>Seats and prices</h2>",
        "<p class='note'>Everybody has about 1 of a play money. A course costs something only if "
        "more students want it than it has seats.</p>",
        _seats(seating),
        "<h2>What students received</h2>",
        '<div class="plots">',
        ranks_plot(seating.num_better),
        budgets_plot(seating.costs, seating.budgets),
        "</div>",
        _rules(page.rules, page.seating),
        _changes(page.changes),
        _reasons(seating),
    ]
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(page.title)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _lead(seating: Seating) -> str:
    num = seating.market.num_bidders
    best = int((seating.num_better == 0).sum())
    per_student = float(seating.allocation.bundles.sum(axis=1).mean())
    facts = [
        (f"{num}", "students"),
        (f"{seating.market.num_goods}", "courses"),
        (f"{seating.error:g}", "clearing error"),
        (f"{100 * best / num:.0f} %", "have their best schedule"),
        (f"{per_student:.1f}", "courses per student"),
        (f"{int((seating.allocation.bundles.sum(axis=1) == 0).sum())}", "without any course"),
    ]
    return '<div class="lead">' + "".join(f"<div><b>{a}</b>{b}</div>" for a, b in facts) + "</div>"


def _claims(seating: Seating) -> str:
    proven, envy = seating.proven(), seating.envy
    num = seating.market.num_bidders
    lines = [
        ("No course has more students than seats.", proven["no_seat_oversold"]),
        ("Every course that costs something is full.", seating.error == 0),
        (
            f"{proven['students_with_best_affordable']} of {num} students have the best schedule "
            "they can afford, among all that their limits allow.",
            proven["students_with_best_affordable"] == num,
        ),
        (
            "Nobody can gain unless somebody loses (Pareto efficiency)."
            + (" Priorities rule out a proof." if len(seating.price_lists) > 1 else "")
            + (" Lots decided between schedules liked equally." if seating.ties_by_lot else ""),
            proven["pareto_efficient"],
        ),
        (
            f"{envy.pairs:,} of {num * (num - 1):,} pairs are envious; {envy.beyond_one} of them "
            "would still be if one course were taken away.",
            envy.beyond_one == 0,
        ),
        (
            f"{envy.against_order} pairs are envious against the order of tie-breaking.",
            envy.against_order == 0,
        ),
    ]
    items = "".join(
        f"<li>{'' if holds else '<b class=bad>Not proven or not so: </b>'}{escape(text)}</li>"
        for text, holds in lines
    )
    repaired = (
        "<p class='bad'>The search ended before prices cleared "
        f"({escape(seating.stopped)}), so over-full courses were emptied and free seats filled "
        "afterwards.</p>"
        if seating.is_repaired
        else ""
    )
    names = seating.market.goods
    cancelled = "".join(
        f"<p>{escape(names[c].name)} was cancelled: {counted(k, 'student')}, the minimum "
        f"is {seating.rules.minimums[c]}. Schedules changed for {counted(changed, 'student')}.</p>"
        for (c, k), changed in zip(seating.cancelled, seating.num_changed, strict=True)
    )
    small = "".join(
        f"<p>{escape(names[c].name)} has {counted(int(seating.taken[c]), 'student')}, below its "
        f"minimum of {seating.rules.minimums[c]}. It takes place, since students keep it from "
        "before.</p>"
        for c in seating.kept_below_minimum
    )
    kept = sum(bool(courses) for courses in seating.rules.held)
    held = (
        f"<p>{counted(kept, 'student')} {'keeps' if kept == 1 else 'keep'} courses from before. "
        "What is said here of best schedules, gains and prices is about what is possible "
        "besides.</p>"
        if kept
        else ""
    )
    return f"{repaired}{cancelled}{small}{held}<ul>{items}</ul>"


def _gains(note: LearningNote | None) -> str:
    if note is None:
        return ""
    rows = [(escape(r.label), f"{r.mean:.1f}", f"{r.low:.0f}", f"{r.least:.0f}") for r in note.rows]
    return (
        f"<h2>What the questions gained</h2><p>{escape(note.sentence)}</p><p class='note'>True "
        "utilities of what students got, in % of the mean on true utilities; the assignment knows "
        "forms and answers only. On the right: where the belief expected the first of two "
        "schedules to be preferred with some chance, how often it was.</p>"
        f'<div class="plots">{_table(("", "mean", "5 % below", "least"), rows, text_columns=1)}'
        f"{calibration_plot(note.bins)}</div>"
    )


def _seats(seating: Seating) -> str:
    names = [good.name for good in seating.market.goods]
    seats, taken, prices = seating.market.capacities, seating.taken, seating.prices
    order = np.lexsort((-taken / seats, -prices))
    rows = [
        (
            escape(names[j]),
            f"{seats[j]}",
            f"{taken[j]}",
            f"{100 * taken[j] / seats[j]:.0f} %",
            f"{prices[j]:.3f}" if prices[j] > 0 else "free",
        )
        for j in order
    ]
    table = _table(("course", "seats", "taken", "full", "price"), rows, text_columns=1)
    return (
        f"{seats_plot(names, seats, taken, prices)}<details><summary>All courses as a table"
        f"</summary>{table}</details>"
    )


def _rules(rules: Sequence[RuleRow], seating: Seating) -> str:
    if not rules:
        return ""
    given = seating.rules
    ignored = [
        word
        for word, is_used in (
            ("priorities", len(set(given.priorities)) > 1),
            ("reserved seats", any(seats for pairs in given.reserved for _, seats in pairs)),
            ("targets", bool((given.seats(seating.market) < seating.market.capacities).any())),
            ("minimum sizes", any(given.minimums)),
        )
        if is_used
    ]
    listed = " and ".join([", ".join(ignored[:-1]), ignored[-1]] if ignored[1:] else ignored)
    unequal = (
        f" The other rules know nothing of {listed}, which the equilibrium keeps: their rows show "
        "what they would do without."
        if ignored
        else ""
    )
    rows = [
        (
            escape(r.name),
            f"{r.mean:.1f}",
            f"{r.low:.1f}",
            f"{r.least:.1f}",
            f"{r.envious:,}",
            f"{r.beyond_one:,}",
            f"{r.against_order:,}",
        )
        for r in rules
    ]
    header = (
        "rule",
        "mean",
        "5 % below",
        "least",
        "envious pairs",
        "by more than one course",
        "against the order",
    )
    return (
        "<h2>Other rules on the same ratings</h2><p class='note'>Everybody is taken as sincere. A "
        "sincere draft often has a slightly higher mean; but there, and with points, it pays to "
        f"rate otherwise than one thinks.{unequal}</p>{_table(header, rows, text_columns=1)}"
    )


def _changes(changes: Sequence[SeatChange]) -> str:
    if not changes:
        return ""
    rows = [
        (escape(c.course), f"{c.before:.3f}", f"{c.after:.3f}", f"{c.better}", f"{c.worse}")
        for c in changes
    ]
    header = ("one more seat in", "price now", "price then", "students better off", "worse off")
    return f"<h2>One more seat</h2>{_table(header, rows, text_columns=1)}"


def _reasons(seating: Seating) -> str:
    names = [good.name for good in seating.market.goods]
    students = np.argsort(-seating.num_better, kind="stable")
    rows = []
    for student in students[:MOST_REASONS]:
        reason = reason_for(seating, int(student))
        if reason is None:
            break
        rows.append(
            (
                escape(seating.market.bidders[student].name),
                escape(", ".join(seating.schedule(int(student))) or "nothing"),
                escape(_sentence(seating, reason, names)),
                f"{seating.num_better[student]:,}",
            )
        )
    if not rows:
        return ""
    left = int((seating.num_better > 0).sum()) - len(rows)
    more = f"<p class='note'>{left} more students got less than their best.</p>" if left > 0 else ""
    header = ("student", "has", "why not the best", "better schedules")
    table = _table(header, rows, text_columns=3)
    return (
        "<h2>Who got less than wanted, and why</h2>"
        f"<details><summary>{len(rows)} students</summary><div class='wide'>{table}</div>{more}"
        "</details>"
    )


def _sentence(seating: Seating, reason: Shortfall, names: Sequence[str]) -> str:
    prices = seating.prices_of(reason.student)
    wanted = sorted(reason.wanted, key=lambda c: -prices[c])
    full = [names[c] for c in wanted if prices[c] == 0]
    dear = [f"{names[c]} ({prices[c]:.2f})" for c in wanted if prices[c] > 0]
    if full:
        return f"{', '.join(full)} had no seat left at this student's turn"
    text = (
        f"with {', '.join(dear)} the schedule costs {reason.cost:.2f}, the budget was "
        f"{reason.budget:.2f}"
    )
    if reason.without:
        text += f"; without {' or '.join(names[c] for c in reason.without)} it would have fitted"
    return text


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int) -> str:
    def cell(tag: str, column: int, text: str) -> str:
        kind = "" if column < text_columns else ' class="n"'
        return f"<{tag}{kind}>{text}</{tag}>"

    head = "".join(cell("th", k, escape(text)) for k, text in enumerate(header))
    body = "".join(
        "<tr>" + "".join(cell("td", k, text) for k, text in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
