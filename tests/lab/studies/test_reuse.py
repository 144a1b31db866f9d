"""Runs of another experiment that need not be done again."""

import pytest
from fake_runs import make_result, make_spec

from boca.lab.simulation.source import source_fingerprint
from boca.lab.studies.packed import write_packed
from boca.lab.studies.reuse import reuse, stored_runs
from boca.lab.studies.store import Store

SPECS = [make_spec("lsvm", seed, "boca") for seed in (1, 2, 3, 4)]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "here")
    store.create()
    return store


def test_only_common_runs_of_the_same_source_are_taken(store):
    """Tests that nothing is taken that doing the run again would not give."""
    now = source_fingerprint()
    own = make_result(SPECS[0], loss=7)
    store.save(SPECS[0].key, own)
    others = [
        make_result(SPECS[0], loss=1, source=now),  # done here already
        make_result(SPECS[1], loss=2, source=now),
        make_result(SPECS[2], loss=3, source="another"),
        make_result(make_spec("lsvm", 5, "boca"), loss=5, source=now),  # not in the grid
        make_result(make_spec("lsvm", 4, "boca", num_initial=20), loss=4, source=now),
    ]

    assert reuse(SPECS, others, store) == 1
    assert store.read(SPECS[0].key) == own
    assert {run["key"] for run in store.results()} == {SPECS[0].key, SPECS[1].key}


def test_runs_come_from_folders_and_packed_files(store, tmp_path):
    """Tests both forms in which experiments are kept."""
    run = make_result(SPECS[0], loss=1)
    store.save(SPECS[0].key, run)
    write_packed(tmp_path / "kept.json.gz", [run], [])

    assert stored_runs(store.path) == [run]
    assert stored_runs(tmp_path / "kept.json.gz") == [run]
