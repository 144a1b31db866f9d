"""The study of what comparisons gain: its file, its tables, and the gain itself."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from boca.core import InputError
from boca.lab.reports.courses import learning_tables, page_with
from boca.lab.studies import course_learning
from boca.lab.studies.course_learning import (
    CASES,
    DEFAULT,
    RULES,
    LearningFacts,
    bins_of,
    fingerprint,
    learn_grid,
)

NUM = 12


def test_answers_gain_and_good_questions_gain_more():
    """Tests the point of it all on small instances, far from what a real study would claim."""
    facts = learn_grid(["six"], [DEFAULT, "random"], [20_001], 20)
    assert len(facts) == 2
    for row in facts:
        assert list(row.stages) == [0, 1, 5, 10, 15, 20]
        assert row.truth[0] == pytest.approx(100)
        assert row.answers == 20
        assert sum(count for count, _, _ in row.bins) == pytest.approx(20 * 20, abs=10)
        for mean, low, least in (row.truth, row.forms, *row.stages.values()):
            assert mean >= low >= least > 0

    def after(rule, *stages):
        return np.mean(
            [row.stages[stage][0] for row in facts if row.rule == rule for stage in stages]
        )

    assert after(DEFAULT, 15, 20) > after(DEFAULT, 0) + 5
    assert after(DEFAULT, 15, 20) > after("random", 15, 20) + 2
    assert after(DEFAULT, 0) == after("random", 0)


@pytest.fixture
def short(monkeypatch):
    """The study with two questions."""
    monkeypatch.setattr(course_learning, "STAGES", (0, 2))
    return learn_grid(["nine"], [DEFAULT, "second"], [20_001, 20_002], NUM)


def plain(facts):
    return [replace(row, seconds=0.0) for row in facts]


def test_a_stopped_study_ends_with_the_same_results(short, tmp_path, monkeypatch):
    """Tests a stop in the middle of a run; what was finished is not run again."""
    out = tmp_path / "rows.jsonl"
    real = course_learning.learn_instance

    def stops(*words):
        if words[:3] == ("nine", "second", 20_001):
            raise KeyboardInterrupt
        return real(*words)

    words = (["nine"], [DEFAULT, "second"], [20_001, 20_002], NUM, out)
    monkeypatch.setattr(course_learning, "learn_instance", stops)
    with pytest.raises(KeyboardInterrupt):
        learn_grid(*words)
    assert len(out.read_text().splitlines()) == 1
    monkeypatch.setattr(course_learning, "learn_instance", real)
    started = []
    again = learn_grid(*words, on_start=lambda *names: started.append(names))
    assert len(started) == 3
    assert plain(again) == plain(short)
    # From the file alone, nothing is run.
    monkeypatch.setattr(course_learning, "learn_instance", None)
    assert plain(learn_grid(["nine"], [DEFAULT], [20_001], NUM, out)) == plain(short)
    with pytest.raises(InputError, match="other settings"):
        learn_grid(["nine"], [DEFAULT], [20_001], NUM + 1, out)
    out.write_text("{}\n")
    with pytest.raises(InputError, match="line 1 is not a result"):
        learn_grid(["nine"], [DEFAULT], [20_001], NUM, out)


def test_settings_have_fingerprints():
    """Tests that every case and rule is told apart, and names are checked."""
    prints = {fingerprint(case, rule, NUM) for case in CASES for rule in RULES}
    assert len(prints) == len(CASES) * len(RULES)
    with pytest.raises(InputError, match="the case 'nin'; did you mean 'nine'"):
        learn_grid(["nin"], [DEFAULT], [20_001])
    with pytest.raises(InputError, match="the rule 'x'"):
        learn_grid(["nine"], ["x"], [20_001])


def test_bins_count_chances():
    """Tests edges and sums."""
    bins = bins_of(np.array([[0.0, 0], [0.05, 1], [0.5, 1], [1.0, 1], [0.99, 0]]))
    assert bins[0] == (2, 0.05, 1)
    assert bins[5] == (1, 0.5, 1)
    assert bins[9] == (2, pytest.approx(1.99), 1)
    assert sum(count for count, _, _ in bins) == 5


def a_row(case="nine", rule=DEFAULT, seed=1, ten=(92.0, 70.0, 60.0), **more):
    stages = dict.fromkeys((0, 1, 5, 15, 20), (80.0, 60.0, 50.0))
    return LearningFacts(
        case,
        rule,
        seed,
        "abc",
        (100.0, 85.0, 75.0),
        (80.0, 60.0, 40.0),
        {**stages, 10: ten},
        0.0,
        True,
        0.001,
        20.0,
        tuple((30, 30 * (k + 0.5) / 10, 3 * k) for k in range(10)),
        1.0,
        **more,
    )


def test_tables_by_hand():
    """Tests means, gains over forms, differences and p-values."""
    rows = [
        a_row(seed=1),
        a_row(seed=2, ten=(94.0, 72.0, 62.0)),
        a_row(rule="insertion", seed=1, ten=(90.0, 70.0, 61.0)),
        a_row(rule="insertion", seed=2, ten=(91.0, 70.0, 61.0)),
    ]
    utilities, tests, gains, calibration = learning_tables(rows)
    assert utilities.rows[0][:3] == ("true utilities", "2", "100.0 / 85 / 75")
    assert utilities.rows[1][:3] == ("forms as they are", "2", "80.0 / 60 / 40")
    assert utilities.rows[2][5] == "93.0 / 71 / 61"
    assert "pooled in 2 of 2" in utilities.notes[0]
    # Differences 2 and 3: mean 2.5, standard error 0.5, t = 5 with one degree of freedom.
    assert tests.rows[0][2:5] == ("2", "+2.5 ± 6.4", "0.1")
    assert tests.rows[0][7] == "+0.0 ± 12.7"
    assert gains.rows[0][3:] == ("+16.3", "+18", "+52")
    assert gains.rows[-1][3:] == ("+7 to +11", "-", "+17 to +29")
    assert calibration.rows[0][1:4] == ("600", "5: 0", "15: 10")


def test_a_page_keeps_what_people_wrote():
    """Tests that tables are replaced and words stay."""
    tables = learning_tables([a_row()])
    page = page_with("# Title\n\nWords.\n", tables)
    assert page.startswith("# Title\n\nWords.\n")
    again = page_with(page + "\nMore words.\n", learning_tables([a_row(ten=(99.0, 98.0, 97.0))]))
    assert "99.0 / 98 / 97" in again
    assert "92.0 / 70 / 60" not in again
    assert again.endswith("\nMore words.\n")
    assert again.count("Words.") == 1


def test_rows_go_through_json():
    """Tests that a row read is the row written."""
    row = a_row()
    back = LearningFacts.from_dict(json.loads(json.dumps(asdict(row))))
    assert asdict(back)["stages"] == asdict(row)["stages"]
    assert learning_tables([back]) == learning_tables([row])
