"""Trials are neither lost nor counted twice, whoever dies and whenever."""

import optuna
import pytest
from optuna.trial import TrialState, create_trial

from boca.lab.studies.tuning import trials as bookkeeping
from boca.lab.studies.tuning.processes import PREFIX
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.trials import OWNER, RETRY_OF, Trials, measurements

MEASURED = {"scores": {"all": 1.0}, "seconds": 0.1}


@pytest.fixture
def study(tmp_path):
    """An empty study in a journal."""
    return optuna.create_study(storage=open_storage(str(tmp_path / "study.journal")))


def die(trials: Trials) -> None:
    """Makes everybody believe that a process of this machine is gone."""
    name = PREFIX + trials.processes.token
    record = trials.study.user_attrs[name]
    trials.study.set_user_attr(name, record | {"pid": 2**22 + 1})


def states(trials: Trials) -> list[str]:
    """The states of all trials."""
    return [trial.state.name for trial in trials.all()]


def test_as_many_trials_as_wanted(study):
    """Tests that two processes together stop at the number that was asked for."""
    first, second = Trials(study, 3), Trials(study, 3)
    taken = [first.take(), second.take(), first.take()]
    assert second.take() is None
    for trial in taken:
        assert first.finish(trial, 1.0)

    assert first.is_over()
    assert second.take() is None


def test_trial_of_a_dead_process_goes_on_where_it_was(study):
    """Tests that a copy has the same choices and everything that was measured."""
    dead, other = Trials(study, 2), Trials(study, 2)
    trial = dead.take()
    trial.suggest_float("x", 0, 1)
    dead.keep(trial, 7, MEASURED, 1.0)
    assert other.take().number == 1
    assert other.take() is None  # the first one is alive

    die(dead)
    copy = other.take()
    assert copy.suggest_float("x", 0, 1) == trial.params["x"]
    assert measurements(other.all()[copy.number]) == {7: MEASURED}
    assert other.all()[copy.number].intermediate_values == {7: 1.0}
    assert copy.user_attrs[RETRY_OF] == 0
    assert states(other) == ["FAIL", "RUNNING", "RUNNING"]
    assert other.take() is None


def test_process_that_was_thought_dead_cannot_finish(study):
    """Tests that a result which comes too late is dropped: the copy counts."""
    slow, other = Trials(study, 1), Trials(study, 1)
    trial = slow.take()
    trial.suggest_float("x", 0, 1)
    die(slow)
    copy = other.take()

    assert not slow.finish(trial, 1.0)
    assert other.finish(copy, 1.0)
    assert [t.number for t in other.done()] == [copy.number]


def test_killed_before_anything_was_chosen(study):
    """Tests that another trial takes the place of an empty one."""
    dead, other = Trials(study, 1), Trials(study, 1)
    dead.take()
    die(dead)

    assert other.take().number == 1
    assert states(other) == ["FAIL", "RUNNING"]


def test_two_copies_count_once(study, monkeypatch):
    """Tests a process that dies after the copy and before the original has failed."""
    dead, clumsy, other = (Trials(study, 1) for _ in range(3))
    trial = dead.take()
    trial.suggest_float("x", 0, 1)
    die(dead)
    monkeypatch.setattr(clumsy, "_fail", lambda number: None)
    clumsy._take_over()

    copy = other.take()  # makes a second copy, since the original still runs
    assert other.finish(copy, 1.0)
    assert other.take() is None
    assert states(other) == ["FAIL", "COMPLETE", "FAIL"]
    assert other.is_over()


def test_trial_without_owner_is_given_up_after_a_while(study, monkeypatch):
    """Tests a process that was killed before it could leave its name."""
    other = Trials(study, 1, stale_seconds=50)
    study.ask()
    now = [1000.0]
    monkeypatch.setattr(bookkeeping.Processes, "_is_silent", silent_after(now, 50))
    assert other.take() is None
    now[0] += 51

    assert other.take().number == 1


def silent_after(now, seconds):
    """The rule for silence with a clock that a test turns."""
    first = {}

    def is_silent(self, name, record):
        return now[0] - first.setdefault(name, now[0]) > seconds

    return is_silent


def test_released_trial_waits_for_the_next_process(study):
    """Tests Ctrl-C: nothing has to be found dead first."""
    first, second = Trials(study, 1), Trials(study, 1)
    trial = first.take()
    trial.suggest_float("x", 0, 1)
    first.keep(trial, 3, MEASURED, 1.0)
    first.release(trial)
    copy = second.take()

    assert copy.suggest_float("x", 0, 1) == trial.params["x"]
    assert 3 in measurements(second.all()[copy.number])
    assert OWNER in second.all()[copy.number].user_attrs


def test_configuration_is_measured_once(study):
    """Tests that two processes which list the same configurations do not double them."""
    first, second = Trials(study, None), Trials(study, None)
    first.add("a", {})
    second.add("a", {})
    second.add("b", {})
    study.add_trial(create_trial(state=TrialState.WAITING, user_attrs={"configuration": "a"}))
    taken = [first.take(), second.take()]

    assert [trial.user_attrs["configuration"] for trial in taken] == ["a", "b"]
    assert first.take() is None
    assert not first.is_over()
    for trial in taken:
        first.finish(trial, 1.0)
    assert first.is_over()
