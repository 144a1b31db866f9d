"""The loop: trials are measured, given up, interrupted and gone on with."""

import math
import threading

import pytest
from optuna.trial import TrialState
from tuning_parts import ScriptedEngine, quick_setup

from boca.lab.studies.tuning.engines import ThreadEngine
from boca.lab.studies.tuning.measuring import measure
from boca.lab.studies.tuning.search import TuningListener, open_search, run_trials, suggested_params
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.trials import measurements
from boca.lab.studies.tuning.winners import find_winners


def search(place, engine, num_trials=12, setup=None, listener=None, sampler="tpe"):
    """A whole search; its trials in the end."""
    setup = setup or quick_setup()
    progress = open_search(open_storage(str(place)), "x", setup, num_trials, sampler, "here")
    run_trials(progress, suggested_params(setup), engine, listener, poll_seconds=0.01)
    return progress.trials


def test_all_trials_are_done_and_bad_ones_given_up(tmp_path):
    """Tests a search from start to end, with two trials at once."""
    trials = search(tmp_path / "j", ScriptedEngine(2), 20).all()
    states = [trial.state for trial in trials]

    assert len(trials) == 20
    assert set(states) == {TrialState.COMPLETE, TrialState.PRUNED}
    for trial in trials:
        is_whole = trial.state == TrialState.COMPLETE
        assert (len(measurements(trial)) == 6) is is_whole


def test_winner_is_the_best_of_all(tmp_path):
    """Tests the winner against the formula, which nothing given up can have beaten."""
    setup = quick_setup()
    trials = search(tmp_path / "j", ScriptedEngine(), 20).all()
    winner = find_winners(setup, trials)["all"]
    best = min(trials, key=lambda t: abs(math.log10(t.params["penalty"])))

    assert winner.number == best.number
    assert winner.params.penalty == best.params["penalty"]
    assert winner.value == pytest.approx(sum(winner.by_instance.values()) / 6)


def test_more_trials_go_on_from_what_is_done(tmp_path):
    """Tests that the same command with a larger number adds the difference."""
    search(tmp_path / "j", ScriptedEngine(), 3)
    engine = ScriptedEngine()
    trials = search(tmp_path / "j", engine, 5)

    assert len(trials.done()) == 5
    assert len({params.penalty for params, _ in engine.calls}) == 2


def test_interrupt_keeps_what_was_measured(tmp_path):
    """Tests Ctrl-C in the middle of a trial: the instance that was done is not done again."""

    class Interrupting(ScriptedEngine):
        def measure(self, setup, params, number):
            if len(self.calls) == 8:  # the second trial's third instance
                raise KeyboardInterrupt
            return super().measure(setup, params, number)

    first, second = Interrupting(), ScriptedEngine()
    with pytest.raises(KeyboardInterrupt):
        search(tmp_path / "j", first, 2, sampler="random")
    trials = search(tmp_path / "j", second, 2, sampler="random")

    assert len(trials.done()) == 2
    done = [(params.penalty, number) for params, number in first.calls + second.calls]
    assert len(set(done)) == len(done)


def test_other_threads_end_their_training_and_stop(tmp_path):
    """Tests that an error in one trial releases the others instead of losing them."""
    both_started = threading.Barrier(2, timeout=30)

    class Failing(ScriptedEngine):
        def measure(self, setup, params, number):
            if len(self.calls) < 2:
                both_started.wait()
            measurement = super().measure(setup, params, number)
            if len(self.calls) > 4:
                raise RuntimeError("broken")
            return measurement

    with pytest.raises(RuntimeError, match="broken"):
        search(tmp_path / "j", Failing(2, seconds=0.01), 4)
    trials = search(tmp_path / "j", ScriptedEngine(), 4)

    assert len(trials.done()) == 4
    assert not any(t.state in (TrialState.RUNNING, TrialState.WAITING) for t in trials.all())


def test_real_learning(tmp_path):
    """Tests that measurements are those of a training, whoever asks for it."""
    setup = quick_setup(instances=(1, 2))
    trials = search(tmp_path / "j", ThreadEngine(1), 2, setup).all()
    params = setup.space.params(trials[0].params, setup.num_train)

    assert measurements(trials[0])[2]["scores"] == measure(setup, params, 2)["scores"]


def test_time_left_and_events(tmp_path):
    """Tests what a display hears."""
    heard = []

    class Listening(TuningListener):
        def on_start(self, progress):
            heard.append(("start", progress.seconds_left()))

        def on_finished(self, progress, trial):
            heard.append(("finished", progress.seconds_left() >= 0))

        def on_measured(self, progress, number):
            heard.append(("measured", number))

    search(tmp_path / "j", ScriptedEngine(), 2, listener=Listening())

    assert heard[0] == ("start", None)
    assert heard.count(("finished", True)) == 2
    assert ("measured", 0) in heard
