"""
Who does which trial of a study, so that none is lost or counted twice.

A trial that counts is one that has not failed. The rules, which every process can check by itself
because trials have numbers:

1. A trial of a dead process fails, and a copy of it with everything measured so far waits for the
   next process. The copy is made first: a process that dies in between leaves two copies, and of
   two copies the later one fails (rule 2).
2. Of several trials with the same predecessor or the same configuration, only the first counts.
3. A trial with as many counting trials before it as there should be in all fails before it starts.
"""

import contextlib
import threading
from collections.abc import Mapping
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState, create_trial

from boca.lab.studies.liveness import STALE_SECONDS
from boca.lab.studies.tuning.measuring import Measurement
from boca.lab.studies.tuning.processes import Processes

OWNER = "owner"
RETRY_OF = "retry_of"
CONFIGURATION = "configuration"
INSTANCE = "instance "
FIXED_PARAMS = "fixed_params"  # where Optuna keeps what a waiting trial will suggest

DONE = (TrialState.COMPLETE, TrialState.PRUNED)


class Trials:
    """
    The trials of a study, seen by one process.

    Parameters
    ----------
    study
        The study.
    num_trials
        How many should count in the end; None if only what is waiting should be done.
    stale_seconds
        As for :class:`Processes`.
    """

    def __init__(self, study: Study, num_trials: int | None, stale_seconds: float = STALE_SECONDS):
        self.study = study
        self.processes = Processes(study, stale_seconds)
        self._num_trials = num_trials
        self._lock = threading.Lock()

    def all(self) -> list[FrozenTrial]:
        """Every trial, as it is now."""
        return self.study.get_trials(deepcopy=False)

    def done(self) -> list[FrozenTrial]:
        """Finished trials that count."""
        return [trial for trial in self.all() if trial.state in DONE]

    def is_over(self) -> bool:
        """Whether everything that should be done is done."""
        trials = self.all()
        num_done = sum(trial.state in DONE for trial in trials)
        if self._num_trials is not None:
            return num_done >= self._num_trials
        return not any(trial.state in (TrialState.WAITING, TrialState.RUNNING) for trial in trials)

    def take(self) -> Trial | None:
        """The next trial to work on; None if there is none now, because others have the rest."""
        with self._lock:
            self._take_over()
            while self._has_room():
                trial = self.study.ask()
                trial.set_user_attr(OWNER, self.processes.token)
                if self._counts(trial.number):
                    return trial
                self._fail(trial.number)
            return None

    def keep(self, trial: Trial, number: int, measurement: Measurement, value: float) -> None:
        """Records what was measured on an instance."""
        trial.set_user_attr(f"{INSTANCE}{number}", measurement)
        trial.report(value, number)

    def finish(self, trial: Trial, value: float | None) -> bool:
        """
        Ends a trial, with None as one that was given up early.

        Returns False if others thought this process dead and have taken the trial over.
        """
        state = TrialState.PRUNED if value is None else TrialState.COMPLETE
        try:
            self.study.tell(trial.number, value, state)
        except (UpdateFinishedTrialError, ValueError):
            if self.all()[trial.number].state in DONE:
                raise
            return False
        return True

    def release(self, trial: Trial) -> None:
        """Leaves a trial to the next process, with what was measured so far."""
        self._pass_on(self.all()[trial.number])

    def add(self, configuration: str, user_attrs: Mapping[str, Any]) -> None:
        """Puts a configuration on the list, unless it is there."""
        there = (t.user_attrs.get(CONFIGURATION) for t in self.all() if t.state != TrialState.FAIL)
        if configuration not in there:
            attrs = {**user_attrs, CONFIGURATION: configuration}
            self.study.add_trial(create_trial(state=TrialState.WAITING, user_attrs=attrs))

    def _take_over(self) -> None:
        """Passes on every trial whose process is dead."""
        for trial in self.all():
            if trial.state == TrialState.RUNNING:
                owner = trial.user_attrs.get(OWNER)
                if self.processes.is_dead(owner, f"trial {trial.number}"):
                    self._pass_on(trial)

    def _pass_on(self, trial: FrozenTrial) -> None:
        # Killed before anything was chosen: another trial takes its place in the count.
        if trial.params or CONFIGURATION in trial.user_attrs:
            attrs = {k: v for k, v in trial.user_attrs.items() if k != OWNER}
            self.study.add_trial(
                create_trial(
                    state=TrialState.WAITING,
                    system_attrs={FIXED_PARAMS: trial.params},
                    user_attrs={**attrs, RETRY_OF: trial.number},
                    intermediate_values=dict(trial.intermediate_values),
                )
            )
        self._fail(trial.number)

    def _fail(self, number: int) -> None:
        with contextlib.suppress(UpdateFinishedTrialError, ValueError):  # somebody else did
            self.study.tell(number, state=TrialState.FAIL)

    def _has_room(self) -> bool:
        trials = self.all()
        if any(trial.state == TrialState.WAITING for trial in trials):
            return True
        if self._num_trials is None:
            return False
        return sum(trial.state != TrialState.FAIL for trial in trials) < self._num_trials

    def _counts(self, number: int) -> bool:
        """Rules 2 and 3 for a trial that was just taken."""
        trials = self.all()
        own = trials[number].user_attrs
        before = [
            trial
            for trial in trials[:number]
            if trial.state != TrialState.FAIL and trial.number != own.get(RETRY_OF)
        ]
        for name in (RETRY_OF, CONFIGURATION):
            if name in own and any(t.user_attrs.get(name) == own[name] for t in before):
                return False
        if self._num_trials is None:
            return CONFIGURATION in own
        return len(before) < self._num_trials


def measurements(trial: FrozenTrial) -> dict[int, Measurement]:
    """What was measured in a trial, by instance."""
    return {
        int(name.removeprefix(INSTANCE)): value
        for name, value in trial.user_attrs.items()
        if name.startswith(INSTANCE)
    }
