"""The generator of students against the statistics of 5,000 stored students of its model."""

import numpy as np
import pytest

from boca.core import InputError
from boca.lab.domains.courses import NINE, SIX, CourseSetting, draw_courses

NUM = 60  # instances of 100 students


@pytest.fixture(scope="module", params=[(NINE, "nine"), (SIX, "six")], ids=lambda p: p[1])
def drawn(request):
    setting, name = request.param
    return name, [draw_courses(setting, seed) for seed in range(20_001, 20_001 + NUM)]


# Stored means of the simulator's own students: base value, courses above 50, highest value,
# substitute sets and their size, complement sets and their size.
STORED = {
    "nine": (30.21, 2.607, 86.0, 1.82, 2.90, 1.62, 2.75),
    "six": (32.71, 3.857, 89.8, 1.85, 2.90, 1.59, 2.72),
}


def test_statistics_are_those_of_the_model(drawn):
    """
    Tests means over 6,000 students against stored ones. Sets depend on the grid, which students of
    an instance share, so that their error is measured between instances.
    """
    name, instances = drawn
    rows = []
    for instance in instances:
        ratings = np.array([u.ratings for u in instance.utilities])
        sets = [a for u in instance.utilities for a in u.adjustments]
        minus = [len(a.goods) for a in sets if a.factors[2] < 0]
        plus = [len(a.goods) for a in sets if a.factors[2] > 0]
        rows.append(
            (
                ratings.mean(),
                (ratings > 50).sum(axis=1).mean(),
                ratings.max(axis=1).mean(),
                len(minus) / 100,
                np.mean(minus),
                len(plus) / 100,
                np.mean(plus),
            )
        )
    means, errors = np.mean(rows, axis=0), np.std(rows, axis=0) / np.sqrt(NUM)
    # The stored means have an error too, that of 50 instances.
    allowed = 3 * errors * np.sqrt(1 + NUM / 50)
    assert (np.abs(means - STORED[name]) <= allowed).all(), (means, STORED[name], allowed)


def test_forms_have_the_mistakes_of_the_experiment(drawn):
    """Tests typed ratings per form, and that a form has one number per set."""
    _name, instances = drawn
    forms = [form for instance in instances for form in instance.forms]
    typed = np.mean([(form.ratings > 0).sum() for form in forms])
    assert typed == pytest.approx(12.5, abs=0.15)
    per_form = np.mean([len(form.adjustments) for form in forms])
    assert 0.4 < per_form < 1.5
    for form in forms[:200]:
        for part in form.adjustments:
            assert len(set(part.factors[2:])) == 1
            assert 0.32 <= abs(part.factors[2]) <= 0.48 or len(part.goods) > 2


def test_utility_of_a_known_set():
    """Tests the definition by hand: two courses of a set of complements count 0.4 more."""
    instance = draw_courses(NINE, 20_001)
    utility = next(u for u in instance.utilities if any(a.factors[2] > 0 for a in u.adjustments))
    part = next(a for a in utility.adjustments if a.factors[2] > 0)
    assert part.factors[:3].tolist() == [0, 0, 0.4]
    if len(part.factors) > 3:
        assert part.factors[3] == pytest.approx(0.72)


def test_seats_timetable_and_streams():
    """Tests seats, that meetings make conflicts, and that more students leave the first alone."""
    setting = CourseSetting(has_timetable=True)
    instance = draw_courses(setting, 20_002)
    assert instance.market.capacities.tolist() == [25] * 25
    assert len(instance.slots) == 25
    assert len(instance.market.bidders[0].limits) > 1
    more = draw_courses(CourseSetting(num_students=150, has_timetable=True), 20_002)
    assert np.array_equal(more.utilities[99].ratings, instance.utilities[99].ratings)
    with pytest.raises(InputError, match="at least 1 seat"):
        draw_courses(CourseSetting(num_students=2, num_courses=100), 1)
