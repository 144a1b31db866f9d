"""The runner, with an engine that does what a script says."""

from pathlib import Path

import pytest
from fake_runs import ScriptedEngine, make_result, make_spec

from boca.lab.studies.packed import read_packed, unpack
from boca.lab.studies.runner import GridState, Listener, run_grid
from boca.lab.studies.store import Store

SPECS = [make_spec("toy", seed) for seed in (1, 2, 3)]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "grid")


def seeds(engine):
    return [spec.seed for spec in engine.submitted]


def test_every_run_is_done_and_stored(store):
    """Tests the plain case: all runs, in order, each once."""
    engine = ScriptedEngine()

    progress = run_grid(SPECS, store, engine)
    assert seeds(engine) == [1, 2, 3]
    assert len(store.results()) == 3
    assert progress.num_left == 0
    assert list((store.path / "claims").glob("*.json")) == []


def test_finished_runs_are_not_repeated(store):
    """Tests that a second start does only what is left."""
    run_grid(SPECS[:2], store, ScriptedEngine())

    engine = ScriptedEngine()
    progress = run_grid(SPECS, store, engine)
    assert seeds(engine) == [3]
    assert progress.num_before == 2


def test_published_table_goes_on(store):
    """
    Tests that runs of a table that was packed before parts had versions are done already, under the
    names that they have now.
    """
    table = read_packed(Path(__file__).parents[3] / "results" / "table1.json.gz")
    specs = [spec for spec in table.planned() if spec.setting.mechanism == "random"][:40]
    unpack(table, store)
    engine = ScriptedEngine()
    progress = run_grid(specs, store, engine)

    assert progress.num_before == 30  # ten instances of each domain
    assert len(engine.submitted) == 10
    assert all(store.is_done(spec.key) for spec in specs)
    assert all(store.read(spec.key)["key"] == spec.key for spec in specs)


def test_crash_is_retried_once(store):
    """Tests that a run that crashes once succeeds in the end."""
    engine = ScriptedEngine(crashes={2: 1})

    progress = run_grid(SPECS, store, engine)
    assert sorted(seeds(engine)) == [1, 2, 2, 3]
    assert progress.failures == {}
    assert len(store.results()) == 3


def test_second_crash_is_a_failure_and_the_grid_goes_on(store):
    """Tests that a run that always crashes costs two attempts and nothing else."""
    engine = ScriptedEngine(crashes={1: 9})

    progress = run_grid(SPECS, store, engine)
    (failure,) = progress.failures.values()
    assert failure.spec == SPECS[0]
    assert failure.error == "ValueError: scripted"
    assert store.log_file(SPECS[0].key).read_text().count("traceback") == 2  # both attempts
    assert len(store.results()) == 2
    assert list(store.failures()) == [SPECS[0].key]


def test_failed_run_is_tried_again_by_the_next_start(store):
    """Tests that a failure is not for ever."""
    run_grid(SPECS, store, ScriptedEngine(crashes={1: 9}))

    progress = run_grid(SPECS, store, ScriptedEngine())
    assert progress.failures == {}
    assert len(store.results()) == 3


def test_run_of_another_process_is_awaited(store):
    """Tests that a run which another process has claimed is left to it, and its result taken."""
    store.create()
    other = Store(store.path)
    other.claim(SPECS[0].key)

    class OtherFinishes(Listener):
        def on_change(self, progress: GridState) -> None:
            if len(progress.results) == 2:
                assert progress.elsewhere <= {SPECS[0].key}
                other.save(SPECS[0].key, make_result(SPECS[0], loss=4))
                other.release(SPECS[0].key)

    engine = ScriptedEngine()
    progress = run_grid(SPECS, store, engine, OtherFinishes(), poll_seconds=0.01)
    assert seeds(engine) == [2, 3]
    assert progress.results[SPECS[0].key]["efficiency_loss"] == 0.04


def test_run_that_another_process_gave_up_is_done_here(store):
    """Tests that a claim which is released without a result is not lost."""
    store.create()
    other = Store(store.path)
    other.claim(SPECS[0].key)

    class OtherGivesUp(Listener):
        def on_change(self, progress: GridState) -> None:
            if len(progress.results) == 2:
                other.release(SPECS[0].key)

    engine = ScriptedEngine()
    run_grid(SPECS, store, engine, OtherGivesUp(), poll_seconds=0.01)
    assert seeds(engine) == [2, 3, 1]


def test_failure_of_another_process_is_not_repeated(store):
    """Tests that what has just failed twice elsewhere is reported, not tried a third time."""
    store.create()
    other = Store(store.path)
    other.claim(SPECS[0].key)

    class OtherFails(Listener):
        def on_change(self, progress: GridState) -> None:
            if len(progress.results) == 2:
                other.fail(SPECS[0].key, {"error": "elsewhere", "log": "somewhere"})
                other.release(SPECS[0].key)

    engine = ScriptedEngine()
    progress = run_grid(SPECS, store, engine, OtherFails(), poll_seconds=0.01)
    assert seeds(engine) == [2, 3]
    assert [failure.error for failure in progress.failures.values()] == ["elsewhere"]


def test_interruption_releases_claims(store):
    """Tests that after a keyboard interrupt another process can go on at once."""

    class Interrupt(Listener):
        def on_change(self, progress: GridState) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_grid(SPECS, store, ScriptedEngine(), Interrupt())
    assert list((store.path / "claims").glob("*.json")) == []


def test_time_left_is_estimated_by_domain_and_mechanism():
    """Tests that long runs of one domain do not spoil the estimate of another."""
    done = [make_spec("toy", 1), make_spec("lsvm", 1)]
    left = [make_spec("toy", 2), make_spec("lsvm", 2), make_spec("srvm", 2)]
    progress = GridState({spec.key: spec for spec in done + left}, num_workers=2)
    assert progress.seconds_left() is None

    for spec, seconds in zip(done, (10, 100), strict=True):
        progress.results[spec.key] = make_result(spec, loss=0, seconds=seconds)
    assert progress.seconds_left() == (10 + 100 + 55) / 2  # nothing is known of srvm
