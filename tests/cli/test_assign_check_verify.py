"""
Random course markets with every feature, assigned by command and live: nothing objects.

``python benchmarks/assigned_courses.py --markets 10000`` does the same with many more.
"""

import pytest
from assign_check_verify import assigned, objections, write
from random_courses import RandomCourses, random_courses

from boca.cli.courses.checker import check_result
from boca.cli.courses.office import KeptSeats, save, share_out
from boca.markets.courses import read_courses
from boca.seats import SeatParams

FIRST, NUM, CHUNK = 20_001, 60, 10
# Markets in which rounding let a schedule in that costs one unit more than the budget.
BY_A_UNIT = (23_851, 23_871)


@pytest.mark.parametrize("first", range(FIRST, FIRST + NUM, CHUNK))
def test_nothing_objects_to_an_honest_assignment(first, tmp_path):
    """
    Tests minimum, target, reserved, priority, group, held, kept and limits together: the checker
    recomputes everything from files, and the verifier from a log, and both find nothing wrong.
    """
    for seed in range(first, first + CHUNK):
        assert objections(seed, tmp_path / "school") == [], seed


@pytest.mark.parametrize("seed", BY_A_UNIT)
def test_what_somebody_could_have_had_is_within_its_budget_to_the_unit(seed, tmp_path):
    """Tests reasons that once named a schedule which costs a unit too much."""
    assert objections(seed, tmp_path / "school") == []


# Once a seat was given away twice; the best of a raised budget was claimed and was not the best;
# a point more or less was lost beside a million points for keeping a course.
@pytest.mark.parametrize("seed", [20057, 20075, 20077, 20125, 20157, 20253])
def test_what_once_was_wrong_stays_right(seed, tmp_path):
    """Tests the first markets of each kind that checker or engine stumbled over."""
    assert assigned(seed, tmp_path / "school")[2] == []


def test_a_reason_looks_at_what_is_required_first(tmp_path):
    """Tests a mended market in which a missed course can be had, but not with what is required."""
    assert objections(20959, tmp_path / "school") == []


def test_a_million_points_do_not_hide_half_a_point(tmp_path):
    """Tests that result and checker count the same envy beside large points for keeping."""
    tables = {
        "courses.csv": "course,seats\nA,1\nB,1\n",
        "students.csv": "student,max_courses\nx,1\ny,1\n",
        "ratings.csv": "student,A,B\nx,10.5,10\ny,10.5,10\n",
    }
    file = read_courses(write(RandomCourses(tables), tmp_path / "school"))
    kept = KeptSeats({"x": ("A", "B"), "y": ("A", "B")}, 1e6)
    seating = share_out(file, SeatParams(), 1, kept)
    save(tmp_path / "result", file, seating, SeatParams(), 1, kept)
    assert seating.envy.pairs == 1
    words = {f.claim: f.word for f in check_result(tmp_path / "school", tmp_path / "result")}
    assert words["the numbers of envious pairs"] == "yes"


def test_the_random_markets_have_every_feature():
    """Tests that no feature is left out by chance."""
    drawn = [random_courses(seed) for seed in range(FIRST, FIRST + NUM)]
    heads = [files["courses.csv"].splitlines()[0] for files in (d.files for d in drawn)]
    heads += [d.files["students.csv"].splitlines()[0] for d in drawn]
    for column in ("target", "minimum", "reserved", "slots", "credits", "section", "priority",
                   "group", "holds", "required", "forbidden", "max_credits"):  # fmt: skip
        assert sum(column in head.split(",") for head in heads) >= 5, column
    assert sum(bool(d.earlier) for d in drawn) >= 5
    assert {d.loyalty for d in drawn} >= {None, 20.0, 1e6}
