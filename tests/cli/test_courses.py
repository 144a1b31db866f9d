"""``boca courses``: a registrar's day, and a checker that nobody can please by lying."""

import csv
import json
import random
import shutil
from pathlib import Path

import pytest

from boca.cli.courses.checker import check_result
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
    assert "courses from before" in (again / "page.html").read_text()
    assert "courses from before" not in (earlier / "page.html").read_text()
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
    path.write_text(path.read_text().replace("5", "-5"))
    assert call("convert", path, "--out", tmp_path / "new") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "found '-5'" in said
    assert "The tables are in" in said  # and they are: nothing that was read is lost
    assert (tmp_path / "new" / "ratings.csv").exists()


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
    "envy beyond one course is denied": lambda f: edit_facts(
        f, lambda facts: facts["envy"].update({"beyond_one_course": -1})
    ),
    "envy against the order is invented": lambda f: edit_facts(
        f, lambda facts: facts["envy"].update({"against_order": 1})
    ),
    "a course is cancelled that was large enough": lambda f: edit_facts(
        f, lambda facts: facts["cancelled"][0].__setitem__(1, 99)
    ),
    "somebody holds a course that it never had": lambda f: edit_facts(
        f, lambda facts: facts["held"].update({"Hugo": ["Algebra"]})
    ),
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


def test_what_is_not_claimed_is_reported_as_such(folder, capsys):
    """Tests that nobody reads "yes" to what the result itself does not claim."""
    assert call("assign", folder, "--seed", 3, "--no-rivals") == 0
    modest = {"pareto_efficient": False, "envy_within_one_course": False, "repaired": True,
              "students_with_best_affordable": 0}  # fmt: skip
    edit_facts(folder / "result", lambda facts: facts["proven"].update(modest))
    words = {f.claim: f.word for f in check_result(folder, folder / "result")}
    unclaimed = [claim for claim, word in words.items() if word == "not claimed"]
    assert [claim.split()[0] for claim in unclaimed] == [
        "every", "courses", "everybody", "nobody", "envy",
    ]  # fmt: skip
    assert set(words.values()) == {"yes", "not claimed"}
    capsys.readouterr()
    assert call("check", folder) == 0
    assert capsys.readouterr().out.count("not claimed") == 5


def test_envy_within_one_course_is_what_the_count_says(folder):
    """Tests one definition: the claim beside the count is never the opposite of it."""
    for seed in range(3):
        assert call("assign", folder, "--seed", seed, "--no-rivals") == 0
        facts = json.loads((folder / "result" / "fairness.json").read_text())
        is_within = facts["envy"]["beyond_one_course"] == 0
        assert facts["proven"]["envy_within_one_course"] == is_within


def test_the_page_says_what_other_rules_ignore(folder):
    """Tests that rivals without priorities and reserved seats are not shown as if they had them."""
    assert call("assign", folder) == 0
    page = " ".join((folder / "result" / "page.html").read_text().split())
    known = "The other rules know nothing of priorities, reserved seats, targets and minimum sizes,"
    assert known in page
    for table, columns in (("courses", ("target", "minimum", "reserved")),
                           ("students", ("priority",))):  # fmt: skip
        path = folder / f"{table}.csv"
        with path.open() as file:
            rows = list(csv.DictReader(file))
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows({**row, **dict.fromkeys(columns, "")} for row in rows)
    assert call("assign", folder) == 0
    assert "know nothing of" not in (folder / "result" / "page.html").read_text()


def test_a_kept_course_below_its_new_minimum_takes_place(folder, capsys):
    """Tests that the registrar is told instead of students losing what they keep."""
    assert call("assign", folder, "--seed", 3, "--no-rivals") == 0
    first = schedules(folder / "result")
    path = folder / "courses.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    course = next(line for line in lines[1:] if sum(c == line[0] for _, c in first) in (1, 2, 3))
    course[3] = course[1]
    path.write_text("\n".join(map(",".join, lines)) + "\n")
    again = folder / "again"
    keep = ("--keep", folder / "result", "--out", again, "--no-rivals")
    capsys.readouterr()
    assert call("assign", folder, "--seed", 3, *keep) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"not cancelled, since students keep it: {course[0]} with" in out
    assert f"{course[0]} has" in (again / "page.html").read_text()
    assert set(first) <= set(schedules(again))
    assert call("check", folder, "--result", again) == 0


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


def comparisons(folder):
    with (folder / "comparisons.csv").open() as file:
        return list(csv.DictReader(file))


def answer_all(folder, answer):
    """Writes an answer into every open question."""
    rows = comparisons(folder)
    with (folder / "comparisons.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["student", "first", "second", "answer"])
        writer.writeheader()
        writer.writerows({**row, "answer": row["answer"] or answer(row)} for row in rows)


def test_questions_in_a_table_and_answers_back(folder, capsys):
    """
    Tests a registrar with a survey tool: questions out, answers in, further questions, and an
    assignment that the checker repeats from tables with answers, but not without them.
    """
    assert call("assign", folder, "--no-rivals") == 0
    before = schedules(folder / "result")
    assert call("ask", folder, "--number", 2) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "no answers are on record and 24 questions are open" in out
    first = comparisons(folder)
    assert len({(r["student"], r["first"], r["second"]) for r in first}) == 24
    # Open questions change nothing, and asking again adds none.
    assert call("ask", folder, "--number", 2) == 0
    assert comparisons(folder) == first
    assert call("assign", folder, "--no-rivals") == 0
    assert schedules(folder / "result") == before

    # Ada has a secret passion for databases; everybody else does not care.
    def ada(row):
        has = ["Databases A" in row[side] for side in ("first", "second")]
        if row["student"] != "Ada" or has[0] == has[1]:
            return "About the same"
        return "first" if has[0] else "second"

    for _ in range(4):
        answer_all(folder, ada)
        assert call("ask", folder, "--number", 2) == 0
    assert len(comparisons(folder)) == 24 * 5
    capsys.readouterr()
    assert call("assign", folder) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "12 of 12 students answered 96 comparisons" in out
    assert "starts from the student's own form alone" in out
    assert ("Ada", "Databases A") in schedules(folder / "result")
    assert ("Ada", "Databases A") not in before
    facts = json.loads((folder / "result" / "fairness.json").read_text())
    assert facts["learned"]["answers"] == 96
    assert "answered 96 comparisons" in (folder / "result" / "page.html").read_text()
    assert call("check", folder) == 0
    answer_all(folder, lambda row: "second")  # other answers, other utilities
    assert call("check", folder) == 1
    assert call("assign", folder, "--no-rivals", "--pool", "yes") == 0
    assert "and from what others typed" in " ".join(capsys.readouterr().out.split())
    assert call("check", folder) == 0


def test_mistakes_in_comparisons_are_named_at_once(folder, capsys):
    """Tests every column, and what cannot be asked."""
    table = folder / "comparisons.csv"
    table.write_text(
        "student,first,second,answer\n"
        "Adda,Algebra,Ethics,first\n"
        "Ada,Algebrra; Ethics,Ethics,first\n"
        "Ada,Algebra; Ethics,Ethics; Algebra,first\n"
        "Ada,Algebra,Ethics,left\n"
    )
    assert call("assign", folder) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "4 mistakes" in error
    assert "row 2, column 'student'" in error
    assert "row 3, column 'first'" in error
    assert "row 4, column 'second': is the first schedule again" in error
    assert "row 5, column 'answer': found 'left'; expected first, second or same" in error
    table.unlink()
    for words in (("ask", folder, "--number", 0), ("assign", folder, "--pool", "maybe")):
        assert call(*words) == 2
    error = capsys.readouterr().err
    assert "Received 0 questions" in error
    assert "expected auto, yes, no" in error
    (folder / "comparisons.xlsx").write_bytes(b"")
    assert call("ask", folder) == 2


def test_simulated_students_answer_and_the_page_says_what_it_gained(tmp_path, capsys):
    """Tests the whole way, that a second start ends alike, and that the checker agrees."""
    out = tmp_path / "drawn"
    words = ("simulate", out, "--students", 30, "--questions", 3, "--no-rivals")
    assert call(*words) == 0
    assert "after 3 answers" in capsys.readouterr().out
    files = {name: (out / name).read_bytes() for name in ("ratings.csv", "comparisons.csv")}
    assert files["comparisons.csv"].count(b"\n") == 1 + 3 * 30
    page = (out / "result" / "page.html").read_text()
    assert "What the questions gained" in page
    assert [page.count(f"after {k}") > 0 for k in ("no answers", "1 answer", "3 answers")] == [
        1
    ] * 3
    result = (out / "result" / "assignment.csv").read_bytes()
    assert call("check", out) == 0
    assert call(*words) == 0
    assert (out / "comparisons.csv").read_bytes() == files["comparisons.csv"]
    assert (out / "result" / "assignment.csv").read_bytes() == result
    assert call(*words[:-3], 4) == 2  # another simulation
    assert call("simulate", tmp_path / "other", "--questions", 51) == 2


def test_learn_makes_tables_and_a_page(tmp_path, capsys):
    """Tests the command of the published table, small."""
    page, rows = tmp_path / "page.md", tmp_path / "rows.jsonl"
    words = ("learn", "--students", 6, "--seeds", 20001, "--cases", "six", "--out", rows)
    assert call(*words, "--rules", "improvement", "--page", page) == 0
    assert "expected improvement" in capsys.readouterr().out
    text = page.read_text()
    assert "**6 popular courses: after so many answers**" in text
    assert "+7 to +11" in text
    assert call(*words, "--rules", "improvment") == 2
    assert "did you mean 'improvement'?" in capsys.readouterr().err
