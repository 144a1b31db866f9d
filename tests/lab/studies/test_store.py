"""The store: whole results or none, and one bad file costs only itself."""

import os
import warnings

import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import InputError
from boca.lab.studies.grid import parse_grid
from boca.lab.studies.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "grid")
    store.create()
    return store


def test_result_comes_back(store):
    """Tests that a stored run is done, and what it was."""
    spec = make_spec()
    assert not store.is_done(spec.key)

    result = make_result(spec, loss=1.5)
    store.save(spec.key, result)
    assert store.is_done(spec.key)
    assert store.read(spec.key) == result
    assert store.results() == [result]


def test_half_written_result_does_not_count(store, monkeypatch):
    """Tests that a process that dies while it writes leaves no result behind."""

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        store.save("a", {"x": 1})

    assert not store.is_done("a")
    assert store.results() == []


def test_finished_run_cannot_be_claimed(store):
    """Tests that a run which another process finished in between is not done again."""
    store.save("a", {})

    assert not store.claim("a")


def test_run_finished_while_it_was_claimed_is_not_done_again(store, monkeypatch):
    """Tests the moment between looking for a result and claiming its run."""
    answers = iter([False, True])
    monkeypatch.setattr(store, "is_done", lambda key: next(answers))

    assert not store.claim("a")
    assert list((store.path / "claims").glob("*.json")) == []


def test_broken_result_is_named_and_set_aside(store):
    """Tests that one bad file does not keep the others from being read, and can be repaired."""
    spec = make_spec()
    store.save(spec.key, make_result(spec, loss=1.5))
    (store.path / "runs" / "zzz.json").write_text("hello")

    with pytest.warns(UserWarning, match=r"zzz\.json' is not JSON. It was renamed to zzz.json.bro"):
        results = store.results()
    assert [result["key"] for result in results] == [spec.key]
    assert (store.path / "runs" / "zzz.json.broken").read_text() == "hello"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(store.results()) == 1  # said once


def test_run_with_a_broken_result_is_done_again(store):
    """Tests that a broken file does not count as a finished run."""
    store.run_file("a").write_text("{}")

    with pytest.warns(UserWarning, match="no number"):
        assert store.read("a") is None
    assert not store.is_done("a")
    assert store.claim("a")


def test_broken_plan_and_failure_are_set_aside(store):
    """Tests the other files that a report or a runner reads."""
    store.plan(parse_grid({"name": "g", "seeds": 1, "domains": "toy", "mechanisms": "random"}))
    (store.path / "grids" / "bad.toml").write_text("seeds = ")
    (store.path / "failures" / "bad.json").write_text("[]")

    with pytest.warns(UserWarning, match="bad.toml"):
        assert len(store.planned()) == 1
    with pytest.warns(UserWarning, match="no 'error' and 'log'"):
        assert store.failures() == {}


def test_success_forgets_failure(store):
    """Tests that a run that worked the second time is no failure any more."""
    failure = {"error": "x", "log": "a.log"}
    store.fail("a", failure)
    assert store.failures() == {"a": failure}

    store.save("a", {})
    assert store.failures() == {}


def test_plans_add_up(store):
    """Tests that two grids in one folder are both remembered, and common runs counted once."""
    base = {"seeds": [1, 2], "domains": "toy", "mechanisms": "random"}
    store.plan(parse_grid(base | {"name": "one"}))
    store.plan(parse_grid(base | {"name": "two", "seeds": [2, 3]}))

    assert sorted(spec.seed for spec in store.planned()) == [1, 2, 3]


def test_folder_without_runs(tmp_path):
    """Tests that a wrong folder is said plainly."""
    with pytest.raises(InputError, match="There are no runs in"):
        Store.open(tmp_path)
