"""Forms, weeks and results of an allocation of courses, in words and as they were typed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from boca.core.errors import InputError
from boca.live.auction.courses import MOST_PAIRS, MOST_POINTS
from boca.live.auction.events import Compared, Event, Rated, RatedPair
from boca.live.auction.views.courses import AssignmentFacts, SeatResult, StudentView
from boca.live.desk.courses import whole_points
from boca.live.web.texts import Texts
from boca.live.web.views.problem import FormProblem

# Rows for further pairs on the page.
SPARE_PAIRS = 3


@dataclass(frozen=True)
class PairForm:
    """One pair as its row shows it."""

    first: str = ""
    second: str = ""
    is_together: bool = True
    points: str = "20"


@dataclass
class TypedForm:
    """
    A form as somebody typed it.

    Parameters
    ----------
    points, pairs
        What stands in the fields.
    ratings, rated_pairs
        What they mean, as far as they mean something.
    problems
        What is wrong with them.
    """

    points: dict[int, str]
    pairs: list[PairForm]
    ratings: dict[str, int] = field(default_factory=dict)
    rated_pairs: list[RatedPair] = field(default_factory=list)
    problems: list[FormProblem] = field(default_factory=list)

    @property
    def content(self) -> str:
        """The same for the same content."""
        return f"{sorted(self.ratings.items())} {self.rated_pairs}"


def shown_form(view: StudentView) -> TypedForm:
    """The form that counts, with rows for further pairs."""
    points = {row.number: "" if row.points is None else str(row.points) for row in view.rows}
    pairs = [PairForm(p.first, p.second, p.points > 0, str(abs(p.points))) for p in view.pairs]
    return TypedForm(points, with_spare(pairs))


def with_spare(pairs: Sequence[PairForm]) -> list[PairForm]:
    """Pairs that say something, and some empty rows."""
    spare = min(SPARE_PAIRS, MOST_PAIRS - len(pairs))
    return [*pairs, *[PairForm()] * spare]


def typed_form(t: Texts, view: StudentView, fields: Mapping[str, list[str]]) -> TypedForm:
    """What a page sent."""
    form = TypedForm({}, [])
    for row in view.rows:
        text = fields.get(f"points-{row.number}", [""])[0].strip()[:20]
        form.points[row.number] = text
        if not text or not row.is_open:
            continue
        try:
            points = whole_points(text, row.name)
        except InputError:
            points = -1
        if 0 <= points <= MOST_POINTS:
            form.ratings[row.name] = points
        else:
            words = t("ratings.not_number", course=row.name, text=text, most=MOST_POINTS)
            form.problems.append(FormProblem(f"points-{row.number}", words))
    names = {row.name for row in view.rows}
    columns = [fields.get(f"pair-{part}", []) for part in ("first", "second", "kind", "points")]
    for n, (first, second, kind, text) in enumerate(zip(*columns, strict=False), 1):
        pair = PairForm(first, second, kind != "not_both", text.strip()[:20])
        if not first and not second:
            continue
        form.pairs.append(pair)
        try:
            points = whole_points(pair.points, "")
        except InputError:
            points = 0
        if not {first, second} <= names or first == second:
            words = t("ratings.one_course", n=n)
            form.problems.append(FormProblem(f"pair-first-{n}", words))
        elif not 1 <= points <= MOST_POINTS:
            words = t("ratings.not_number", course=f"{first} + {second}", text=pair.points,
                      most=MOST_POINTS)  # fmt: skip
            form.problems.append(FormProblem(f"pair-points-{n}", words))
        else:
            signed = points if pair.is_together else -points
            form.rated_pairs.append(RatedPair(first, second, signed))
    if not form.problems and not any(form.ratings.values()):
        form.problems.append(FormProblem("", t("ratings.nothing_typed")))
    form.pairs = with_spare(form.pairs)
    return form


def said_words(t: Texts, event: Event) -> list[str]:
    """What a receipt is about."""
    if isinstance(event, Rated):
        return rated_words(t, event.ratings, event.pairs)
    assert isinstance(event, Compared)
    return [
        t("words.about", where=t("said.first"), what=t.listing(event.first)),
        t("words.about", where=t("said.second"), what=t.listing(event.second)),
        t(f"said.answer_{event.answer}"),
    ]


def rated_words(t: Texts, ratings: Mapping[str, int], pairs: Iterable[RatedPair]) -> list[str]:
    """Courses with their points, the best first, and pairs."""
    best_first = sorted(ratings.items(), key=lambda item: -item[1])
    lines = [t.count("said.points", points, what=course) for course, points in best_first]
    return [*lines, *(f"{p.first} + {p.second}: {p.points:+d}" for p in pairs)]


def form_words(t: Texts, view: StudentView) -> list[str]:
    """The form that counts."""
    ratings = {row.name: row.points for row in view.rows if row.points is not None}
    return rated_words(t, ratings, view.pairs)


def budget_words(t: Texts, number: float) -> str:
    """A price or budget."""
    return t.decimal(number, 3)


def missed_words(t: Texts, result: SeatResult) -> list[str]:
    """Why a student did not get the courses that it likes best."""
    lines = []
    for row in result.missed:
        price = budget_words(t, row.price) if row.price else t("words.nothing")
        gaps = {"course": row.course, "price": price}
        if row.instead is None:
            key = "seat.missed_budget" if row.price > result.budget else "seat.missed_limits"
            lines.append(t(key, **gaps, budget=budget_words(t, result.budget)))
            continue
        assert row.less is not None
        key = "seat.missed_worth" if row.less > 0 else "seat.missed_equal"
        lines.append(t(key, **gaps, week=t.listing(row.instead), less=t.decimal(row.less)))
    return lines


def claim_words(t: Texts, facts: AssignmentFacts) -> list[str]:
    """What is claimed about an assignment."""
    assigned = facts.assigned
    envy = t("facts.envy_none")
    if assigned.envious:
        beyond, against = assigned.beyond_one, assigned.against_order
        envy = t("facts.envy", n=assigned.envious, beyond=beyond, against=against)
    return [
        t("facts.clears" if assigned.clears else "facts.repaired"),
        t("facts.best", n=assigned.num_best, all=facts.num_students),
        envy,
    ]
