"""Tests of how killed commands are compared with uninterrupted ones."""

import json
import sys

import kills
import pytest


@pytest.fixture
def folder(tmp_path):
    """Makes the folder of a finished auction; payments are what differs."""

    def make(name, payments):
        path = tmp_path / name
        path.mkdir()
        for file in kills.FILES:
            (path / file).write_text("")
        result = dict.fromkeys(kills.RESULT_KEYS, 1) | {"payments": payments, "seconds": name}
        (path / "result.json").write_text(json.dumps(result))
        (path / "state.json").write_text(json.dumps(dict.fromkeys(kills.STATE_KEYS, 1)))
        return path

    return make


def test_equal_auctions_may_differ_in_time(folder):
    """Tests that only what decides the auction is compared: a killed one takes longer."""
    assert kills.compare_auctions(folder("plain", [1.0]), folder("killed", [1.0])) == []


def test_other_payments_are_a_difference(folder):
    """Tests that the benchmark would notice a result that a kill has changed."""
    differences = kills.compare_auctions(folder("plain", [1.0]), folder("killed", [1.0 + 1e-12]))

    assert differences == ["result.json, payments"]


def test_a_missing_plot_is_a_difference(folder):
    """Tests that a run which calls itself complete without its figure is noticed."""
    killed = folder("killed", [1.0])
    (killed / "regret.png").unlink()

    assert kills.compare_auctions(folder("plain", [1.0]), killed) == ["no regret.png"]


def test_a_lost_run_of_a_grid_is_a_difference(tmp_path):
    """Tests that stores are compared run by run."""
    for name, runs in (("plain", "ab"), ("killed", "a")):
        (tmp_path / name / "runs").mkdir(parents=True)
        for run in runs:
            text = json.dumps(dict.fromkeys(kills.RESULT_KEYS, 1))
            (tmp_path / name / "runs" / f"{run}.json").write_text(text)

    differences = kills.compare_stores(tmp_path / "plain", tmp_path / "killed")

    assert differences == ["runs ['b'] are in one store only"]


def test_a_kill_is_a_kill(monkeypatch):
    """Tests that a process which has ended by itself is not counted as killed."""
    monkeypatch.setattr(
        kills,
        "boca",
        lambda *words: kills.subprocess.Popen(
            [sys.executable, "-c", f"import time; time.sleep({words[0]})"], start_new_session=True
        ),
    )

    assert kills.kill_after(0.01, "100")
    assert not kills.kill_after(100.0, "0")
