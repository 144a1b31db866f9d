"""Courses and students as the verifier reads them from a log."""

import copy

import pytest

from boca_verify.bodies import Body, Damaged
from boca_verify.seats.tables import read_courses, read_student

MORNING = [0, 540, 600]
MARKET = {
    "name": "autumn",
    "courses": [
        {"name": "Art", "seats": 2, "credits": 6, "slots": [MORNING], "section": ""},
        {"name": "Law", "seats": 1, "credits": 4.5, "slots": [[1, 540, 600]], "section": "x"},
        {"name": "Logic", "seats": 9, "credits": 6, "slots": [[0, 599, 660]], "section": "x"},
        {"name": "Music", "seats": 3, "credits": 6, "slots": [[0, 660, 720]], "section": ""},
    ],
    "conflicts": [["Music", "Law"]],
}
STUDENT = {
    "name": "Ada", "allowed": [], "forbidden": ["Law"], "holds": ["Art"], "max_courses": 2,
    "max_credits": 12, "required": [["Art", "Music"]],
}  # fmt: skip


def changed(value, *path, to):
    """Plain values with something else in one place."""
    value = copy.deepcopy(value)
    place = value
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return value


def test_courses_clash_by_time_by_section_and_by_name():
    """Tests one clash of each kind; what begins when another ends does not clash."""
    offer = read_courses(Body(MARKET))
    assert offer.names == ("Art", "Law", "Logic", "Music")
    assert (offer.seats, offer.credits) == ((2, 1, 9, 3), (6.0, 4.5, 6.0, 6.0))
    assert offer.clashes == {(0, 2), (1, 2), (1, 3)}


@pytest.mark.parametrize(
    "market",
    [
        changed(MARKET, "courses", to=[]),
        changed(MARKET, "courses", 1, "name", to="Art"),
        changed(MARKET, "courses", 1, "seats", to=0),
        changed(MARKET, "courses", 0, "slots", to=[[0, 540]]),
        changed(MARKET, "courses", 0, "slots", to=[[0, 540, 600, 700]]),
        changed(MARKET, "courses", 0, "slots", to=[[0, 540, "600"]]),
        changed(MARKET, "courses", 0, "slots", to=["mon"]),
        changed(MARKET, "conflicts", to=[["Music"]]),
        changed(MARKET, "conflicts", to=["Music"]),
        changed(MARKET, "conflicts", to=[["Music", "Astrology"]]),
    ],
)
def test_what_is_no_list_of_courses_is_damaged(market):
    """Tests what no server writes."""
    with pytest.raises(Damaged):
        read_courses(Body(market))


def test_a_student_may_take_what_is_listed_and_not_forbidden():
    """Tests limits by hand: courses, number, credits, clashes, what is required."""
    offer = read_courses(Body(MARKET))
    student = read_student(STUDENT, offer)
    assert (student.allowed, student.holds) == ({0, 2, 3}, {0})
    assert student.required == ({0, 3},)
    assert student.problem((0, 3), offer) == ""
    assert student.problem((1,), offer) == "may not take Law"
    assert student.problem((0, 2), offer) == "has Art and Logic, which clash"
    assert student.problem((0, 2, 3), offer) == "has 3 courses; at most 2 are allowed"
    less = read_student({**STUDENT, "max_credits": 11.5}, offer)
    assert less.problem((0, 3), offer) == "has 12 credits; at most 11.5 are allowed"
    assert [student.num_met(courses) for courses in ((), (0,), (0, 3), (2,))] == [0, 1, 1, 0]
    free = read_student({**STUDENT, "max_courses": None, "allowed": ["Law", "Logic"]}, offer)
    assert (free.allowed, free.max_courses) == ({2}, None)


@pytest.mark.parametrize(
    "student",
    [
        {**STUDENT, "holds": ["Astrology"]},
        {**STUDENT, "required": ["Art"]},
        {**STUDENT, "required": [["Astrology"]]},
        {**STUDENT, "max_courses": "2"},
    ],
)
def test_what_is_no_student_is_damaged(student):
    """Tests what no server writes."""
    with pytest.raises(Damaged):
        read_student(student, read_courses(Body(MARKET)))
