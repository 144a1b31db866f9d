"""Result files: what is one, and what is wrong with the others."""

import json

import pytest
from fake_runs import make_result, make_spec
from hypothesis import given
from hypothesis import strategies as st

from boca.core.errors import InputError
from boca.lab.studies.result_file import find_problem, read_result

GOOD = make_result(make_spec("toy", 1), loss=3)


def test_good_file_comes_back(tmp_path):
    """Tests that nothing is changed by the check."""
    file = tmp_path / "run.json"
    file.write_text(json.dumps(GOOD))

    assert read_result(file) == GOOD


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "is not JSON"),
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1, 2]", "no table"),
        ("{}", "no number 'efficiency_loss'"),
        (json.dumps(GOOD | {"seconds": "fast"}), "no number 'seconds'"),
        (json.dumps(GOOD | {"efficiency_loss": float("nan")}), "no number 'efficiency_loss'"),
        (json.dumps(GOOD | {"path": []}), "no losses by round"),
        (json.dumps(GOOD | {"path": [3]}), "no losses by round"),
        (json.dumps(GOOD | {"spec": {}}), "which run it is"),
        (json.dumps(GOOD | {"spec": GOOD["spec"] | {"colour": "red"}}), "colour"),
        (json.dumps(GOOD | {"spec": GOOD["spec"] | {"seed": "one"}}), "which instance"),
        (json.dumps(GOOD | {"spec": GOOD["spec"] | {"changes": {"a": []}}}), "which run it is"),
        (json.dumps(GOOD | {"versions": 3}), "versions"),
        (json.dumps(GOOD | {"auction": {}}), "no settings of its auction"),
        (json.dumps(GOOD | {"auction": {"phases": [{"planner": {}}]}}), "no settings"),
        (
            json.dumps(
                GOOD | {"auction": {"phases": [{"planner": {"name": "a"}, "surrogate": 1}]}}
            ),
            "no settings",
        ),
        (json.dumps(GOOD | {"finished": None}), "no text 'finished'"),
    ],
)
def test_bad_files_are_refused_with_the_reason(tmp_path, text, words):
    """Tests that the message names the file and what is wrong with it."""
    file = tmp_path / "run.json"
    file.write_text(text)

    with pytest.raises(InputError, match=words) as error:
        read_result(file)
    assert str(file) in str(error.value)


def test_bytes_that_are_no_text(tmp_path):
    """Tests a file that is not even text."""
    file = tmp_path / "run.json"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(InputError, match="UTF-8"):
        read_result(file)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(GOOD)), ANYTHING)
def test_any_value_in_any_place_is_answered(name, value):
    """Tests that no content whatsoever makes the check itself fail."""
    assert isinstance(find_problem(GOOD | {name: value}), str)


@given(st.sampled_from(sorted(GOOD["spec"])), ANYTHING)
def test_any_value_in_a_spec_is_answered(name, value):
    """Tests the same one level down."""
    assert isinstance(find_problem(GOOD | {"spec": GOOD["spec"] | {name: value}}), str)
