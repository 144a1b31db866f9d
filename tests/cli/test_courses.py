"""``boca courses``: a registrar's day, and a checker that nobody can please by lying."""

import csv
import json
import random
import shutil
from pathlib import Path

import pytest

from boca.cli.main import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "courses"


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "school", ignore=shutil.ignore_patterns("result"))
    return tmp_path / "school"


def call(*words):
    return run(["courses", *map(str, words)])


def schedules(folder):
    with (folder / "assignment.csv").open() as file:
        return sorted((row["student"], row["course"]) for row in csv.DictReader(file))


def test_a_registrars_day(folder, capsys):
    """Tests mistakes, mending, an assignment, a course less, a late student, few changes."""
    ratings = folder / "ratings.csv"
    right = ratings.read_text()
    ratings.write_text(right.replace("Bilal", "Bilal el"))
    assert call("assign", folder) == 2
    assert "who is not in students; did you mean 'Bilal'?" in capsys.readouterr().err
    assert not (folder / "result").exists()

    ratings.write_text(right)
    assert call("assign", folder, "--seed", 3) == 0
    assert "clearing error 0" in capsys.readouterr().out
    assert call("check", folder) == 0
    first = schedules(folder / "result")

    # Ethics is given up, and Mia comes late.
    courses = folder / "courses.csv"
    lines = [line for line in courses.read_text().splitlines() if not line.startswith("Ethics")]
    courses.write_text("\n".join(lines) + "\n")
    header, *rows = (line.split(",") for line in right.splitlines())
    column = header.index("Ethics")
    table = [[c for k, c in enumerate(row) if k != column] for row in (header, *rows)]
    table.append(["Mia", "90", "", "", "80", "", "", "60", "", "5"])
    ratings.write_text("\n".join(",".join(row) for row in table) + "\n")
    students = folder / "students.csv"
    students.write_text(students.read_text() + "Mia,3,16,,,0,Mathematics\n")
    again = folder / "again"
    earlier = folder / "result"
    assert call("assign", folder, "--seed", 3, "--keep", earlier, "--out", again) == 0
    out = capsys.readouterr().out
    assert "earlier schedules changed" in out
    assert call("check", folder, "--result", again) == 0
    second = schedules(again)
    lost = set(first) - set(second)
    assert {course for _, course in lost} <= {"Ethics"}  # everybody keeps all the rest
    assert any(student == "Mia" for student, _ in second)

    loyal = folder / "loyal"
    options = ("--keep", earlier, "--loyalty", 20, "--out", loyal)
    assert call("assign", folder, "--seed", 3, *options) == 0
    assert call("check", folder, "--result", loyal) == 0
    assert json.loads((loyal / "fairness.json").read_text())["kept"]["points"] == 20


def test_any_order_of_students_gives_the_same_assignment(folder, tmp_path):
    """Tests the promise to whoever sorts a table."""
    assert call("assign", folder, "--no-rivals") == 0
    first = schedules(folder / "result")
    for name in ("students.csv", "ratings.csv", "adjustments.csv"):
        header, *rows = (folder / name).read_text().splitlines()
        random.Random(4).shuffle(rows)
        (folder / name).write_text("\n".join([header, *rows]) + "\n")
    assert call("assign", folder, "--no-rivals") == 0
    assert schedules(folder / "result") == first


def test_simulate_writes_tables_page_and_the_same_again(tmp_path, capsys):
    """Tests that a second start ends with the same bytes, and another size is refused."""
    out = tmp_path / "drawn"
    words = ("simulate", out, "--students", 40, "--courses", 12, "--timetable")
    assert call(*words) == 0
    files = {p.name: p.read_bytes() for p in (out / "result").iterdir()}
    assert {*files} == {"assignment.csv", "courses_out.csv", "fairness.json", "page.html"}
    assert call("check", out) == 0
    (out / "result" / "assignment.csv").unlink()
    assert call(*words) == 0
    assert (out / "result" / "assignment.csv").read_bytes() == files["assignment.csv"]
    assert (out / "result" / "fairness.json").read_bytes() == files["fairness.json"]
    page = files["page.html"].decode()
    assert page.count("<svg") == 3
    assert "http" not in page.replace("http://www.w3.org", "").replace(
        "http://purl.org", ""
    ).replace("http://creativecommons.org", "").replace("https://matplotlib.org", "")
    assert "Other rules on the same ratings" in page
    assert call("simulate", out, "--students", 41, "--courses", 12, "--timetable") == 2
    assert "holds another simulation" in capsys.readouterr().err


def test_published_data_become_tables_that_can_be_assigned(tmp_path, capsys):
    """Tests a fairpyx instance from the file to the assignment."""
    path, out = tmp_path / "instance.json", tmp_path / "out"
    values = {"s1": {"Algebra": 5, "Logic": 2}, "s2": {"Algebra": 3, "Logic": 1}}
    seats = {"Algebra": 1, "Logic": 2}
    path.write_text(
        json.dumps({"valuations": values, "agent_capacities": 1, "item_capacities": seats})
    )
    assert call("convert", path, "--out", out) == 0
    assert "2 students, 2 courses and 3 seats" in " ".join(capsys.readouterr().out.split())
    assert call("assign", out) == 0
    assert sorted(course for _, course in schedules(out / "result")) == ["Algebra", "Logic"]
    assert call("convert", path, "--out", out) == 2
    assert "already" in capsys.readouterr().err


def test_compare_makes_the_table_and_resumes(tmp_path, capsys):
    """Tests one row per rule, and that what is in the file is not run again."""
    file = tmp_path / "rows.jsonl"
    words = ("compare", "--students", 20, "--courses", 10, "--out", file, "--misreports", 1)
    assert call(*words, "--seeds", "20001") == 0
    before = file.read_text()
    assert call(*words, "--seeds", "20001-20002") == 0
    out = capsys.readouterr().out
    assert file.read_text().startswith(before)
    assert "Means over 2 instances" in out
    for rule in ("equilibrium", "draft", "dictatorship", "points", "largest sum"):
        assert rule in out
    assert call("compare", "--students", 21, "--out", file, "--seeds", "20001") == 2


def edit_assignment(folder, change):
    path = folder / "assignment.csv"
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *change(rows)]) + "\n")


def edit_facts(folder, change):
    path = folder / "fairness.json"
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))


LIES = {
    "a seat is moved": lambda f: edit_assignment(
        f, lambda rows: [r.replace("Esi,", "Greta,") for r in rows]
    ),
    "a student gets nothing": lambda f: edit_assignment(
        f, lambda rows: [r for r in rows if not r.startswith("Hugo")]
    ),
    "somebody has a course twice": lambda f: edit_assignment(f, lambda rows: [*rows, rows[0]]),
    "a course that is not there": lambda f: edit_assignment(
        f, lambda rows: [*rows, "Ada,Astrology,0"]
    ),
    "somebody who is not there": lambda f: edit_assignment(
        f, lambda rows: [*rows, "Zoe,Writing,0"]
    ),
    "a price is lower": lambda f: edit_facts(
        f, lambda facts: facts["price_lists"][-1]["prices"][""].update({"Algebra": 0.2})
    ),
    "an empty course costs something": lambda f: edit_facts(
        f, lambda facts: facts["price_lists"][-1]["prices"][""].update({"Writing": 0.01})
    ),
    "a budget is larger": lambda f: edit_facts(
        f, lambda facts: facts["budgets"]["Karl"].update({"final": 1.5})
    ),
    "the order is another": lambda f: edit_facts(f, lambda facts: facts.update({"seed": 99})),
    "envy is denied": lambda f: edit_facts(f, lambda facts: facts["envy"].update({"pairs": 0})),
    "a course is not cancelled": lambda f: edit_facts(
        f, lambda facts: facts.update({"cancelled": []})
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_the_checker_finds_lies(folder, lie, capsys):
    """Tests that each change of the files breaks a claim."""
    assert call("assign", folder, "--seed", 3, "--no-rivals") == 0
    assert call("check", folder) == 0
    LIES[lie](folder / "result")
    capsys.readouterr()
    assert call("check", folder) == 1
    assert "NO" in capsys.readouterr().out


def test_the_checker_knows_nothing_of_the_search():
    """Tests that it imports no module of seats."""
    from boca.cli.courses import checker

    source = Path(checker.__file__).read_text()
    assert "boca.seats" not in source
    assert "boca.cli.courses.office" not in source


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("assign", "nowhere"), "There is no folder 'nowhere'"),
        (("check", EXAMPLE), "There is no assignment in"),
        (("assign", EXAMPLE, "--keep", EXAMPLE, "--out", "x"), "There is no assignment in"),
        (("simulate", "x", "--popular", "7"), "expected 6 or 9"),
        (("assign", EXAMPLE, "--out", "x", "--budget-moves", "1"), "from 0 to 0.1"),
    ],
)
def test_bad_input_gets_one_message(words, message, capsys, tmp_path, monkeypatch):
    """Tests what is said, and that nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert call(*words) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


def test_a_broken_result_is_refused(folder, capsys):
    """Tests files of an assignment that somebody cut off."""
    assert call("assign", folder, "--no-rivals") == 0
    path = folder / "result" / "fairness.json"
    path.write_text(path.read_text()[:100])
    assert call("check", folder) == 2
    assert "cannot be read" in capsys.readouterr().err
