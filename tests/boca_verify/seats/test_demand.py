"""The verifier's own search for better schedules, against all schedules one by one."""

import random
from itertools import combinations

import pytest

from boca_verify import Undecided
from boca_verify.bodies import Damaged
from boca_verify.seats.demand import (
    BUDGET,
    OpenSeats,
    SeatedStudent,
    best_schedule,
    better_schedule,
)
from boca_verify.seats.envy import EnvyCounts, count_envy
from boca_verify.seats.tables import LoggedCourses, LoggedStudent


def drawn(rng, num=7):
    """A student with random tastes, limits, prices and a schedule."""
    pairs = list(combinations(range(num), 2))
    offer = LoggedCourses(
        "drawn",
        tuple(f"c{j}" for j in range(num)),
        tuple(rng.randint(1, 3) for _ in range(num)),
        tuple(float(rng.randint(1, 4)) for _ in range(num)),
        frozenset(rng.sample(pairs, rng.randint(0, 4))),
    )
    limits = LoggedStudent(
        "Ada",
        frozenset(rng.sample(range(num), rng.randint(3, num))),
        rng.choice([None, 2, 3, 4]),
        rng.choice([None, 5.0, 8.0]),
        tuple(frozenset(rng.sample(range(num), 2)) for _ in range(rng.randint(0, 2))),
        frozenset(),
    )
    held = ()
    if rng.random() < 0.4:
        held = tuple(rng.sample(sorted(limits.allowed), 1))
    student = SeatedStudent(
        offer,
        limits,
        tuple(rng.randint(-2, 12) for _ in range(num)),
        {pair: rng.randint(-9, 20) for pair in rng.sample(pairs, rng.randint(0, 12))},
        held,
        held,
        rng.randint(0, BUDGET),
    )
    taken = [rng.random() < 0.15 for _ in range(num)]
    seats = OpenSeats(
        offer.seats,
        tuple(rng.choice([0, rng.randint(0, BUDGET)]) for _ in range(num)),
        tuple(n if full else 0 for n, full in zip(offer.seats, taken, strict=True)),
    )
    return student, seats


def affordable(student, seats):
    """All schedules that the student may have and can pay."""
    free = [j for j in range(len(student.ratings)) if j not in student.held]
    for size in range(len(free) + 1):
        for new in combinations(free, size):
            courses = tuple(sorted((*student.held, *new)))
            cost = sum(seats.prices[j] for j in new)
            has_seats = all(seats.seats[j] > seats.held[j] for j in new)
            is_allowed = not student.limits.problem(courses, student.offer)
            if cost <= student.budget and has_seats and is_allowed:
                yield courses


@pytest.mark.parametrize("seed", range(150))
def test_better_schedules_are_found_exactly_where_there_are_some(seed):
    """Tests the search against a list of all schedules, from nothing to the two best ones."""
    rng = random.Random(seed)
    student, seats = drawn(rng)
    if student.limits.problem(student.held, student.offer):
        return  # what it holds is not possible, which is another check's
    schedules = list(affordable(student, seats))
    best = max(schedules, key=student.value)
    values = sorted({student.value(courses) for courses in schedules})
    # Only what is better than the second best is easily lost by a bound that is too small.
    second = max(
        (one for one in schedules if student.value(one) < values[-1]),
        key=student.value,
        default=best,
    )
    for courses in (student.held, rng.choice(schedules), second, best):
        own = SeatedStudent(
            student.offer, student.limits, student.ratings, student.pairs, courses,
            student.held, student.budget,
        )  # fmt: skip
        better = better_schedule(own, seats)
        assert (better is None) == (own.value(courses) == values[-1])
        if better is not None:
            assert better in schedules
            assert own.value(better) > own.value(courses)


@pytest.mark.parametrize("seed", range(150))
def test_the_best_schedule_with_a_course_is_the_best_of_all_schedules(seed):
    """
    Tests what is told of courses that a student missed: what is required first, then the course,
    then everything else; from any schedule that it has.
    """
    rng = random.Random(seed)
    student, seats = drawn(rng)
    if student.limits.problem(student.held, student.offer):
        return
    schedules = list(affordable(student, seats))
    own = SeatedStudent(
        student.offer, student.limits, student.ratings, student.pairs, rng.choice(schedules),
        student.held, student.budget,
    )  # fmt: skip
    assert own.value(best_schedule(own, seats)) == max(map(own.value, schedules))
    course = rng.randrange(len(student.ratings))

    def rank(courses):
        met = student.limits.num_met(courses)
        return met, course in courses, own.value(courses) - met * own.bonus

    assert rank(best_schedule(own.wanting(course), seats)) == max(map(rank, schedules))


def test_search_gives_up_rather_than_guess():
    """Tests that too much work is an error, not a "none"."""
    student, seats = drawn(random.Random(3))
    with pytest.raises(Undecided, match="Gave up"):
        better_schedule(student, seats, most_nodes=0)


@pytest.mark.parametrize("seed", range(30))
def test_envy_is_counted_pair_by_pair(seed):
    """Tests the matrices against a double loop over pairs and parts."""
    rng = random.Random(seed)
    offer = drawn(rng)[0].offer
    students, firsts = [], []
    for _ in range(5):
        other = drawn(rng)[0]
        most, own_limits = rng.choice([2, 3, 4]), other.limits
        limits = LoggedStudent("x", own_limits.allowed, most, own_limits.max_credits,
                               own_limits.required, frozenset())  # fmt: skip
        own = tuple(sorted(rng.sample(range(7), rng.randint(0, 4))))
        held = own[:1] if rng.random() < 0.3 else ()
        students.append(SeatedStudent(offer, limits, other.ratings, other.pairs, own, held, BUDGET))
        firsts.append(BUDGET + rng.randint(0, 3))
    counts = [0, 0, 0]
    for i, one in enumerate(students):
        own = one.value(one.courses)
        for k, other in enumerate(students):
            best = _best_part(one, other.courses)
            if best is None or best <= own:
                continue
            counts[0] += 1
            without = [
                _best_part(one, tuple(c for c in other.courses if c != course))
                for course in other.courses
            ]
            counts[1] += all(part is not None and part > own for part in without)
            counts[2] += firsts[k] < firsts[i] and not one.held and not other.held
    envy = count_envy(students, firsts)
    assert [envy.envious, envy.beyond_one, envy.against_order] == counts


def test_nobody_envies_where_there_is_nobody_else():
    """Tests an allocation to one student."""
    student, _ = drawn(random.Random(4))
    assert count_envy([student], [BUDGET]) == EnvyCounts(0, 0, 0)


@pytest.mark.parametrize(("rating", "is_exact"), [(2**51 - 1, True), (2**51, False)])
def test_utilities_that_cannot_be_compared_exactly_are_refused(rating, is_exact):
    """Tests the largest sum that a double holds to the unit, a bonus for what is required in it."""
    offer = LoggedCourses("x", ("a",), (1,), (1.0,), frozenset())
    limits = LoggedStudent("Ada", frozenset({0}), None, None, (), frozenset())
    student = SeatedStudent(offer, limits, (rating,), {}, (), (), BUDGET)
    if is_exact:
        assert count_envy([student], [BUDGET]).envious == 0
    else:
        with pytest.raises(Damaged, match="too large to be compared exactly"):
            count_envy([student], [BUDGET])


def _best_part(student, courses):
    """Value of the best part that the student may hold besides its own; None if there is none."""
    values = []
    for size in range(len(courses) + 1):
        for part in combinations(courses, size):
            schedule = tuple(sorted({*part, *student.held}))
            if not student.limits.problem(schedule, student.offer):
                values.append(student.value(schedule))
    return max(values, default=None)
