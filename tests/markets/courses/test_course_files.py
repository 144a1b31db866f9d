"""Tables of courses and students: what they mean, and all mistakes at once."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from boca.core import InputError
from boca.markets.courses import read_courses, write_comparisons
from boca.markets.courses.slots import overlapping, parse_slots

EXAMPLE = Path(__file__).parents[3] / "examples" / "courses"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "school", ignore=shutil.ignore_patterns("result"))
    return tmp_path / "school"


def change(folder, name, old, new):
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_the_example_is_read():
    """Tests seats, limits, ratings and rules against the tables by hand."""
    file = read_courses(EXAMPLE)
    market = file.market
    names = [good.name for good in market.goods]
    assert market.capacities.tolist() == [6, 4, 4, 5, 4, 5, 8, 8, 3, 6]
    assert file.targets[5] == 4
    assert file.minimums == (0,) * 9 + (4,)
    assert file.reserved[1] == (("Informatics", 2),)
    assert file.priorities[:4] == (1.0, 1.0, 1.0, 0.0)
    assert file.required[1] == ((3,),)
    assert file.required[4] == ((1, 2),)  # a section is met by any of its courses
    assert file.ratings[0].tolist() == [60, 30, 30, 40, 55, 90, 10, 10, 75, 0]
    assert file.adjustments[0] == (((0, 5), 25.0),)

    def may(student, *courses):
        row = np.zeros(10, dtype=int)
        row[[names.index(c) for c in courses]] = 1
        return bool(market.allows(student, row)[0])

    assert may(0, "Algebra", "Algorithms", "Robotics lab")  # 22 credits
    assert not may(0, "Algebra", "Algorithms", "Robotics lab", "Ethics")
    assert not may(0, "Algebra", "Databases A")  # Monday 10
    assert may(0, "Algebra", "Databases B")
    assert not may(0, "Databases A", "Databases B")  # sections
    assert not may(0, "Robotics lab", "Market design")  # conflicts.csv
    assert not may(0, "Ethics", "Robotics lab")  # Thursday 14
    assert not may(3, "Robotics lab")  # forbidden
    assert not may(11, "Writing", "Ethics", "History of maths")  # two courses at most


def test_long_ratings_and_xlsx_say_the_same(folder):
    """Tests the three forms of ratings."""
    openpyxl = pytest.importorskip("openpyxl")
    wide = read_courses(folder).ratings
    rows = [line.split(",") for line in (folder / "ratings.csv").read_text().splitlines()]
    long = ["student,course,rating"]
    long += [
        f"{r[0]},{c},{x}" for r in rows[1:] for c, x in zip(rows[0][1:], r[1:], strict=False) if x
    ]
    (folder / "ratings.csv").write_text("\n".join(long) + "\n")
    assert np.array_equal(read_courses(folder).ratings, wide)
    (folder / "ratings.csv").unlink()
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([float(x) if x.isdigit() else x or None for x in row])
    book.save(folder / "ratings.xlsx")
    assert np.array_equal(read_courses(folder).ratings, wide)


def test_all_mistakes_are_named_with_row_and_column(folder):
    """Tests that a registrar can mend everything in one go."""
    change(folder, "courses.csv", "Statistics,5", "Statistics,five")
    change(folder, "courses.csv", "Tue 10-12,,\nAlgo", "Tue 12-10,,\nAlgo")
    change(folder, "students.csv", "Bilal,4,22,,Statistics", "Bilal,4,22,,Statistik")
    change(folder, "ratings.csv", "Chiara,70", "Chira,70")
    change(folder, "ratings.csv", "Daniel,80", "Daniel,-80")
    change(folder, "adjustments.csv", "Algebra + Statistics", "Algebra + Algebra")
    change(folder, "conflicts.csv", "Robotics lab,Market design", "Robotics lab,Robotics lab")
    with pytest.raises(InputError) as caught:
        read_courses(folder)
    text = str(caught.value)
    assert "has 7 mistakes" in text
    for words in (
        "courses.csv, row 5, column 'seats': found 'five'; expected a whole number from 1",
        "courses.csv, row 6, column 'slots': found 'Tue 12-10'; expected an end after",
        "students.csv, row 3, column 'required': found 'Statistik', which is not a course; did you "
        "mean 'Statistics'?",
        "ratings.csv, row 4, column 'student': found 'Chira', who is not in students; did you mean "
        "'Chiara'?",
        "ratings.csv, row 5, column 'Algebra': found '-80'; expected a number from 0",
        "adjustments.csv, row 5, column 'courses'",
        "conflicts.csv, row 2, column 'other': a course cannot conflict with itself",
    ):
        assert words in text, text


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("courses.csv", "course,seats", "courze,seats", "the column 'course' is missing"),
        ("courses.csv", "section", "sektion", "did you mean 'section'?"),
        ("courses.csv", "Writing,8", "Ethics,8", "found 'Ethics' again"),
        ("courses.csv", "Informatics: 3", "Informatics 3", "such as Physics: 10"),
        ("courses.csv", "Informatics: 3", "Informatics: 9", "a group and a number of seats"),
        ("students.csv", "Esi,3", "Ada,3", "found 'Ada' again"),
        ("students.csv", "Esi,3", "Esi,nan", "expected a whole number"),
        ("students.csv", "Esi,3,16,,Databases,0,Informatics", "Esi,3,1,,,0,x,y", "heading"),
        ("ratings.csv", "Ada,60", "Ada,1e999", "expected a number from 0"),
        ("adjustments.csv", "25", "", "found ''; expected a number"),
    ],
)
def test_single_mistakes(folder, name, old, new, words):
    """Tests one message each."""
    change(folder, name, old, new)
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        read_courses(folder)


def test_missing_and_empty_files(folder):
    """Tests what is said when a table is not there."""
    (folder / "ratings.csv").write_text("")
    with pytest.raises(InputError, match="the column 'student' is missing"):
        read_courses(folder)
    (folder / "students.csv").unlink()
    with pytest.raises(InputError, match=r"there is no students\.csv"):
        read_courses(folder)
    with pytest.raises(InputError, match="There is no folder"):
        read_courses(folder / "nowhere")


def test_what_may_be_a_slip_is_told(folder):
    """Tests warnings about courses and students without ratings."""
    change(folder, "courses.csv", "Ethics,8", "Ethics II,3,,,3,,,\nEthics,8")
    change(folder, "students.csv", "Lena,2", "Mia,2,,,,0,\nLena,2")
    warnings = read_courses(folder).warnings
    assert warnings == ("nobody rated Ethics II", "no ratings from Mia")


def test_slots():
    """Tests meetings and the largest sets that overlap."""
    assert parse_slots("Mon 9-11; wed 9:30-10.45") == ((0, 540, 660), (2, 570, 645))
    a, b, c = parse_slots("Mon 9-11"), parse_slots("Monday 10-12"), parse_slots("Mon 11-12")
    assert overlapping([a, b, c]) == [(0, 1), (1, 2)]  # what ends at 11 does not clash at 11
    for wrong in ("Mon", "Funday 9-11", "Mon 25-26", "Mon 11-9"):
        with pytest.raises(ValueError, match="expected"):
            parse_slots(wrong)


def test_comparisons_are_read_and_written(folder):
    """Tests answers in every spelling, open questions, an empty schedule, and the way back."""
    assert read_courses(folder).comparisons == ()
    table = folder / "comparisons.csv"
    table.write_text(
        "student,first,second,answer\n"
        "Ada,Algebra; Ethics,Algorithms,First\n"
        "Bilal,Algebra,,second\n"
        "Ada,Algebra,Algorithms,about the same\n"
        "Ada,Ethics,Algebra,\n"
    )
    file = read_courses(folder)
    names = [bidder.name for bidder in file.market.bidders]
    ada, bilal = file.comparisons[names.index("Ada")], file.comparisons[names.index("Bilal")]
    goods = [good.name for good in file.market.goods]
    assert [c.answer for c in ada] == ["first", "same"]
    assert {goods[j] for j in np.flatnonzero(ada.given[0].first)} == {"Algebra", "Ethics"}
    assert bilal.given[0].second.sum() == 0
    assert sum(map(len, file.comparisons)) == 3
    ((one, other),) = file.questions[names.index("Ada")]
    assert goods[one.argmax()] == "Ethics"
    assert goods[other.argmax()] == "Algebra"
    write_comparisons(folder, file)
    back = read_courses(folder)
    assert back.comparisons == file.comparisons
    assert len(back.questions[names.index("Ada")]) == 1


def test_warnings_are_told_with_answers_too(folder):
    """Tests a student without ratings who has answered."""
    change(folder, "ratings.csv", "Ada,60,30,30,40,55,90,10,10,75,", "Ada,,,,,,,,,,")
    (folder / "comparisons.csv").write_text("student,first,second,answer\nAda,Algebra,,first\n")
    file = read_courses(folder)
    assert file.warnings == ("no ratings from Ada",)
    assert len(file.comparisons) == len(file.market.bidders)
