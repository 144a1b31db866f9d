"""
Students and courses drawn at random, after the definition of the MLCM simulator.

Soumalias, Zamanlooy, Weissteiner and Seuken (arXiv 2210.00954): favourites among a few popular
courses, complements and substitutes among neighbours on a grid, and forms with mistakes whose size
was fitted to an experiment with students.
"""

from dataclasses import dataclass

import numpy as np

from boca.core.errors import InputError
from boca.core.goods import Good, Limit
from boca.core.market import Bidder, Market
from boca.core.randomness import Seeds
from boca.functions import AdjustedSum, Adjustment

FAVOURITE, OTHER = (50.0, 100.0), (0.0, 50.0)  # ranges of ratings
BONUS, DECAY = 0.4, 0.8  # what a second course of a set changes, and how that shrinks
NUM_CENTRES = 2
FORGOTTEN = 0.5  # share of the ratings that a form leaves out
ADJUSTMENT_NOISE = 0.2
MOST_STUDENTS, MOST_COURSES = 20_000, 2_000
DAYS, HOURS = 5, 12
FIRST_HOUR = 8


@dataclass(frozen=True)
class CourseSetting:
    """
    How many of what, and how alike students are.

    Parameters
    ----------
    num_students, num_courses
        At least 1 student, and 4 courses.
    most
        Courses per student.
    num_popular
        Courses that favourites are drawn from, of 25; more courses have more of them.
    mean_favourites
        Favourites per student on average; at least two.
    supply
        Seats in all, as a multiple of what students may take.
    is_additive
        Whether utilities are sums of ratings.
    has_timetable
        Whether courses meet at certain hours.
    noise, forgotten_adjustments
        Mistakes in forms: standard deviation of ratings, and the share of a set that is left out.
    is_alike
        Whether students share popular courses and see the same ones as related; if not, each has a
        grid and popular courses of its own.
    """

    num_students: int = 100
    num_courses: int = 25
    most: int = 5
    num_popular: int = 9
    mean_favourites: float = 2.6
    supply: float = 1.25
    is_additive: bool = False
    has_timetable: bool = False
    noise: float = 23.0
    forgotten_adjustments: float = 0.48
    is_alike: bool = True

    def __post_init__(self) -> None:
        if not (1 <= self.num_students <= MOST_STUDENTS and 4 <= self.num_courses <= MOST_COURSES):
            raise InputError(
                f"Received {self.num_students} students and {self.num_courses} courses; expected "
                f"1 to {MOST_STUDENTS:,} and 4 to {MOST_COURSES:,}."
            )
        if not 0 < self.supply <= 100:
            raise InputError(f"Received the supply {self.supply:g}; expected above 0, at most 100.")
        if self.seats < 1 or not 2 <= self.mean_favourites <= self.popular:
            raise InputError(
                f"Received {self.mean_favourites:g} favourites among {self.popular} popular "
                f"courses with {self.seats} seats each; expected 2 or more favourites, no more "
                "than popular courses, and at least 1 seat. Draw more students per course."
            )

    @property
    def popular(self) -> int:
        return max(3, round(self.num_popular * self.num_courses / 25))

    @property
    def seats(self) -> int:
        """Seats of every course."""
        return int(np.rint(self.num_students * self.most * self.supply / self.num_courses))

    @property
    def grid(self) -> int:
        """Side of the square of cells: 7 for 25 courses, and as full for others."""
        return int(np.ceil(7 * np.sqrt(self.num_courses / 25)))


NINE = CourseSetting()
SIX = CourseSetting(num_popular=6, mean_favourites=3.85, noise=17.0, forgotten_adjustments=0.4825)


@dataclass(frozen=True, eq=False)
class CourseInstance:
    """
    A market with true utilities, what students would write in a form, and meetings.

    Parameters
    ----------
    market
        Courses with seats, students with limits.
    utilities
        The truth.
    forms
        Reports with mistakes.
    slots
        Per course, meetings such as ``Mon 9-11; Wed 9-10``; empty without a timetable.
    """

    market: Market
    utilities: tuple[AdjustedSum, ...]
    forms: tuple[AdjustedSum, ...]
    slots: tuple[str, ...]


def draw_courses(setting: CourseSetting, seed: int) -> CourseInstance:
    """
    One instance.

    Parameters
    ----------
    setting
        How many of what.
    seed
        Of everything that is drawn; each student has a stream of its own.
    """
    seeds = Seeds(seed).child("courses")
    rng = seeds.child("shared").generator()
    num = setting.num_courses
    sets, popular = _shared(setting, rng)
    slots, clashes = _timetable(num, rng) if setting.has_timetable else ((), [])
    utilities, forms = [], []
    for i in range(setting.num_students):
        own = seeds.child("student", i).generator()
        if not setting.is_alike:
            sets, popular = _shared(setting, seeds.child("alone", i).generator())
        utility = _student(setting, sets, popular, own)
        utilities.append(utility)
        forms.append(_form(setting, utility, own))
    limits = [Limit((1.0,) * num, float(setting.most), "max_courses")]
    for pair in clashes:
        row = np.zeros(num)
        row[list(pair)] = 1.0
        limits.append(Limit(tuple(row), 1.0, "one at a time"))
    width = len(str(setting.num_students - 1))
    bidders = tuple(
        Bidder(f"student {i:0{width}d}", "", tuple(limits)) for i in range(setting.num_students)
    )
    goods = tuple(Good(f"course {j:0{len(str(num - 1))}d}", setting.seats) for j in range(num))
    market = Market(goods, bidders, f"courses {seed}")
    return CourseInstance(market, tuple(utilities), tuple(forms), slots)


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Distances between courses on the grid."""

    steps: np.ndarray  # as a taxi drives
    straight: np.ndarray  # as a king moves

    def substitutes(self, centre: int) -> np.ndarray:
        """The course and those beside it."""
        return np.flatnonzero(self.steps[centre] <= 1)

    def complements(self, centre: int) -> np.ndarray:
        """The course and those at its corners."""
        corners = (self.steps[centre] > 1) & (self.straight[centre] <= 1)
        return np.append(centre, np.flatnonzero(corners))


def _shared(setting: CourseSetting, rng: np.random.Generator) -> tuple[_Neighbours, np.ndarray]:
    """What students have in common: distances between courses, and popular ones."""
    num = setting.num_courses
    cells = rng.choice(setting.grid**2, num, replace=False)
    places = np.stack(np.divmod(cells, setting.grid), axis=1)
    apart = np.abs(places[:, None] - places[None])
    popular = rng.choice(num, setting.popular, replace=False)
    return _Neighbours(apart.sum(axis=2), apart.max(axis=2)), popular


def _student(
    setting: CourseSetting, sets: _Neighbours, popular: np.ndarray, rng: np.random.Generator
) -> AdjustedSum:
    count = _either(setting.mean_favourites, rng)
    favourites = rng.choice(popular, count, replace=False)
    ratings = rng.uniform(*OTHER, setting.num_courses)
    ratings[favourites] = rng.uniform(*FAVOURITE, count)
    if setting.is_additive:
        return AdjustedSum(ratings)
    found: dict[tuple[str, tuple[int, ...]], Adjustment] = {}
    for centre in rng.choice(favourites, NUM_CENTRES, replace=False):
        for kind, sign, goods in (
            ("substitutes", -1, sets.substitutes(centre)),
            ("complements", 1, sets.complements(centre)),
        ):
            key = (kind, tuple(sorted(goods.tolist())))
            if len(goods) > 1 and key not in found:
                found[key] = Adjustment(goods, factors=sign * _factors(len(goods)))
    return AdjustedSum(ratings, tuple(found.values()))


def _factors(size: int) -> np.ndarray:
    """By how much ratings change with 0, 1, ... courses of a set: 0, 0, 0.4, 0.72, ..."""
    return np.concatenate([[0.0, 0.0], np.cumsum(BONUS * DECAY ** np.arange(size - 1))])


def _form(setting: CourseSetting, truth: AdjustedSum, rng: np.random.Generator) -> AdjustedSum:
    """What a student would write: noisy, half forgotten, one number per set."""
    num = setting.num_courses
    ratings = np.maximum(truth.ratings + rng.normal(0, setting.noise, num), 0)
    ratings[np.argsort(ratings, kind="stable")[: _either(FORGOTTEN * num, rng)]] = 0
    adjustments = []
    for part in truth.adjustments:
        is_kept = rng.random(len(part.goods)) >= setting.forgotten_adjustments
        goods = part.goods[is_kept & (ratings[part.goods] > 0)]
        if len(goods) < 2:
            continue
        low, high = 1 - ADJUSTMENT_NOISE, 1 + ADJUSTMENT_NOISE
        noisy = part.factors[2 : len(goods) + 1] * rng.uniform(low, high, len(goods) - 1)
        smallest = noisy[np.abs(noisy).argmin()]  # that of two courses, once sorted
        factors = np.concatenate([[0.0, 0.0], np.full(len(goods) - 1, smallest)])
        adjustments.append(Adjustment(goods, factors=factors))
    return AdjustedSum(ratings, tuple(adjustments))


def _either(mean: float, rng: np.random.Generator) -> int:
    """The whole number below or above, with this mean."""
    whole = int(np.floor(mean))
    return whole + int(rng.random() < mean - whole)


def _timetable(num: int, rng: np.random.Generator) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """Meetings of every course, and the pairs that overlap."""
    starts = {1: [0.1] * 8 + [0.05] * 4, 2: [0.1] * 8 + [0.05, 0.05, 0.1, 0.0]}
    starts[3] = [0.1] * 8 + [0.05, 0.15, 0.0, 0.0]
    names = ("Mon", "Tue", "Wed", "Thu", "Fri")
    busy = np.zeros((num, DAYS, HOURS), dtype=bool)
    slots = []
    for j in range(num):
        shapes = ((2, 1), (2,)) if j < num // 2 else ((3, 2), (2, 2))
        shape = shapes[int(rng.integers(2))]
        texts = []
        for day, length in zip(rng.choice(DAYS, len(shape), replace=False), shape, strict=True):
            start = int(rng.choice(HOURS, p=starts[length]))
            end = min(start + length, HOURS)
            busy[j, day, start:end] = True
            texts.append(f"{names[day]} {FIRST_HOUR + start}-{FIRST_HOUR + end}")
        slots.append("; ".join(texts))
    flat = busy.reshape(num, -1).astype(int)
    pairs = np.argwhere(np.triu(flat @ flat.T, 1) > 0)
    return tuple(slots), [(int(a), int(b)) for a, b in pairs]
