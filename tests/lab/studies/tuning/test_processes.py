"""Who lives and who is dead."""

import time

import optuna
import pytest

from boca.lab.studies.tuning import processes as module
from boca.lab.studies.tuning.processes import PREFIX, Processes


@pytest.fixture
def study():
    """An empty study in memory."""
    return optuna.create_study()


def test_living_process_of_this_machine(study):
    """Tests that neither we nor a neighbour are dead."""
    own, neighbour = Processes(study), Processes(study)

    assert not own.is_dead(own.token, "trial 0")
    assert not own.is_dead(neighbour.token, "trial 0")


def test_another_process_with_the_same_number(study):
    """Tests that a number which the system gave to somebody else does not look alive."""
    own, other = Processes(study), Processes(study)
    name = PREFIX + other.token
    study.set_user_attr(name, study.user_attrs[name] | {"started": "1"})

    assert own.is_dead(other.token, "trial 0")


def test_other_machine_is_judged_by_its_heartbeat(study, monkeypatch):
    """Tests that clocks of other machines do not matter, only whether their number grows."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    own, far = Processes(study, stale_seconds=60), Processes(study)
    name = PREFIX + far.token
    study.set_user_attr(name, study.user_attrs[name] | {"host": "elsewhere", "beat": 1})

    assert not own.is_dead(far.token, "trial 0")
    now[0] += 59
    assert not own.is_dead(far.token, "trial 0")
    study.set_user_attr(name, study.user_attrs[name] | {"beat": 2})
    now[0] += 59
    assert not own.is_dead(far.token, "trial 0")  # its number has grown since
    now[0] += 61
    assert own.is_dead(far.token, "trial 0")


def test_heart_beats(study):
    """Tests that the number grows while a process works."""
    own = Processes(study)
    with own.heartbeat(seconds=0.001):
        deadline = time.monotonic() + 60
        while (beat := study.user_attrs[PREFIX + own.token]["beat"]) < 3:
            assert time.monotonic() < deadline, f"only {beat} beats in a minute"
