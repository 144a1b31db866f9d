"""Tests of published data as tables, with small files of our own in the published layouts."""

import json

import numpy as np
import openpyxl
import pytest

from boca.core import InputError
from boca.markets.courses import read_courses, read_published

ABOUT = (
    "<strong>Course:&nbsp;</strong>{} &nbsp; <strong>Schedule:&nbsp;</strong>{} <strong> "
    "&nbsp;Instructor:&nbsp;</strong>STAFF"
)
QUESTIONS = {
    "1": "Please indicate your current status",
    "7 _1.1": ABOUT.format("DEPT 101-01", "TueThu 01:00 PM - 02:15 PM"),
    "7 _1": ABOUT.format("DEPT 102-01,02", "MonWed 12:05 PM - 01:20 PM"),
    "7_1": ABOUT.format("DEPT 103", "BY ARRANGEMENT"),
    "7_2": ABOUT.format("DEPT 104-02", "Fri 10:00 AM - 11:15 PM"),
    "7_3": ABOUT.format("DEPT 999-01", "Fri 10:00 AM - 11:15 AM"),
}
SECTIONS = [(101, 1, 30), (102, 1, 20), (102, 2, 25), (102, 3, 99), (103, 1, 5), (103, 2, 6),
            (104, 2, 7)]  # fmt: skip
ANSWERS = """\
Progress,Finished,ResponseId,1,2,3,7 _1,7_1,7_2,7_3,7 _1
100,1,R_a,6,4,2,7,,1,8,3
100,1,R_b,2,3,,8,2,1,,1
100,1,R_c,3,3,3,1,1,1,1,
100,1,R_d,9,,,,,4,,
"""


@pytest.fixture
def survey(tmp_path):
    folder = tmp_path / "resources"
    folder.mkdir()
    lines = ["question|description", *(f"{key}|{text}" for key, text in QUESTIONS.items())]
    (folder / "survey_column_mapping.csv").write_text("\n".join(lines))
    (folder / "survey_data.csv").write_text(ANSWERS)
    book = openpyxl.Workbook()
    book.active.append(["Subject", "Catalog", "Section", "Enrl Capacity", "Credits"])
    for row in SECTIONS:
        book.active.append(["DEPT", *row, 3])
    book.save(folder / "anonymized_courses.xlsx")
    return folder


def test_a_survey_becomes_a_market(survey, tmp_path):
    """Tests sections that meet together, meetings, marks, and questions with the same name."""
    tables = read_published(survey)
    tables.write(tmp_path / "out")
    file = read_courses(tmp_path / "out")

    assert {c["course"]: c["slots"] for c in tables.courses} == {
        "DEPT 101-01": "Tue 13:00-14:15; Thu 13:00-14:15",
        "DEPT 102-01+02": "Mon 12:05-13:20; Wed 12:05-13:20",
        "DEPT 103": "",
        "DEPT 104-02": "Fri 10:00-11:15",
    }
    assert [good.capacity for good in file.market.goods] == [30, 45, 11, 7]
    assert [bidder.name for bidder in file.market.bidders] == ["R_a", "R_b", "R_d"]
    wanted = {"R_a": [28.6, 85.7, 0, 0], "R_b": [0, 100, 14.3, 0], "R_d": [0, 0, 0, 42.9]}
    np.testing.assert_allclose(file.ratings, list(wanted.values()))
    assert [(s["max_courses"], s["group"]) for s in tables.students] == [
        (2, "PhD"),
        (3, "Sophomore"),
        (5, ""),
    ]
    assert tables.notes == [
        "DEPT 104-02 meets 'Fri 10:00 AM - 11:15 PM'; the end was taken as in the morning",
        "DEPT 999-01 has no seats in anonymized_courses.xlsx and was left out",
        "1 answer without interest in any course left out",
    ]


def test_an_instance_of_fairpyx_becomes_a_market(tmp_path):
    """Tests seats, most courses, courses that a student cannot take, and pairs that conflict."""
    data = {
        "valuations": {"s1": {"a": 5, "b": 0, "c": 7}, "s2": {"b": 3}},
        "agent_capacities": {"s1": 2, "s2": 1},
        "item_capacities": {"a": 1, "b": 2, "c": 3},
        "agent_conflicts": {"s1": ["b", "c"]},
        "item_conflicts": {"a": ["c"], "c": ["a"]},
    }
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(data))
    read_published(path).write(tmp_path / "out")
    market = read_courses(tmp_path / "out").market

    assert [good.capacity for good in market.goods] == [1, 2, 3]
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert market.allows(0, rows).tolist() == [True, False, False, False]
    assert market.allows(1, rows).tolist() == [True, True, True, False]

    path.write_text(json.dumps({**data, "agent_capacities": 1}))
    assert [s["max_courses"] for s in read_published(path).students] == [1, 1]
    with pytest.raises(InputError, match=r"courses.csv in .* already"):
        read_published(path).write(tmp_path / "out")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"valuations": 3}', "[" * 100_000])
def test_what_is_no_instance_gets_one_line(tmp_path, text):
    """Tests rubbish in the place of a fairpyx file."""
    path = tmp_path / "instance.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"no fairpyx instance|empty"):
        read_published(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"valuations": []}, "valuations: found an empty list, not a table"),
        ({"valuations": {}}, "valuations: found an empty table"),
        ({"valuations": {"\ud800": {}}}, "found half of a character"),
        ({"valuations": {"Ann": 3}}, "Ann: found the number 3, not a table"),
        ({"item_capacities": None}, "item_capacities: found null, not a table"),
        ({"agent_capacities": True}, "agent_capacities: found true"),
        ({"agent_capacities": {"Ben": 1}}, "agent_capacities: found nothing for 'Ann'"),
        ({"agent_conflicts": {"Ann": "a"}}, "agent_conflicts of 'Ann': found the text 'a'"),
        ({"item_conflicts": {"a": [["a"]]}}, "item_conflicts of 'a': found a list of 1"),
    ],
)
def test_what_is_wrong_with_an_instance_is_named(tmp_path, change, message):
    """Tests tables of other kinds, in the words of the file."""
    data = {"valuations": {"Ann": {"a": 1}}, "item_capacities": {"a": 1}, "agent_capacities": 1}
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(data))
    assert read_published(path).ratings == [{"student": "Ann", "course": "a", "rating": 1}]
    path.write_text(json.dumps(data | change))
    with pytest.raises(InputError, match=message):
        read_published(path)


def test_a_survey_that_is_not_whole_gets_one_line(survey):
    """Tests files that are missing, empty, without a column, or with words for numbers."""
    sheet = survey / "anonymized_courses.xlsx"
    sheet.write_text("Catalog,Section,Enrl Capacity,Credits\n101,one,30,3\n")
    with pytest.raises(InputError, match="row 2: found section 'one'"):
        read_published(survey)
    sheet.write_text("Catalog,Section\n101,1\n")
    with pytest.raises(InputError, match="no column 'Enrl Capacity'"):
        read_published(survey)
    sheet.write_text("Catalog,Section,Enrl Capacity,Credits\n101,1,30,3\n")
    (survey / "survey_data.csv").write_text("")
    with pytest.raises(InputError, match="is empty"):
        read_published(survey)
    (survey / "survey_data.csv").write_text("ResponseId,3\nR_a,2\n")
    with pytest.raises(InputError, match="rates no course"):
        read_published(survey)
    sheet.unlink()
    with pytest.raises(InputError, match=r"no anonymized_courses\.xlsx"):
        read_published(survey)


@pytest.mark.parametrize("seats", ["1" + "0" * 320, "NaN", "1e999", "-1e999"])
def test_numbers_beyond_all_others_are_mistakes(tmp_path, seats):
    """Tests seats that no float can hold, from an instance to its tables."""
    path = tmp_path / "instance.json"
    path.write_text(
        '{"valuations": {"Ann": {"a": 1}}, "agent_capacities": 1, "item_capacities": {"a": '
        + seats
        + "}}"
    )
    read_published(path).write(tmp_path / "out")
    with pytest.raises(
        InputError, match=r"column 'seats': found .*; expected a whole number from 1"
    ):
        read_courses(tmp_path / "out")
