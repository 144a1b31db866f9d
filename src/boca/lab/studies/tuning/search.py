"""Takes trials of a study, measures them instance by instance, and goes on until all are done."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, Trial

from boca.core.randomness import Seeds
from boca.lab.studies.tuning.choosing import TargetSampler, distributions, is_hopeless
from boca.lab.studies.tuning.engines import TuningEngine
from boca.lab.studies.tuning.setup import TuningSetup
from boca.lab.studies.tuning.storage import open_study
from boca.lab.studies.tuning.trials import Trials, measurements

# How often we look whether others have finished or died.
POLL_SECONDS = 1.0


@dataclass
class TuningProgress:
    """
    How far a study is.

    Parameters
    ----------
    setup
        What the search is about.
    trials
        Its trials.
    num_trials
        How many there should be.
    num_before
        How many were done when this process began.
    num_measured
        Instances that this process has measured.
    is_search
        Whether trials compete, as they do not where given configurations are measured.
    began
        When this process began, by the wall clock.
    """

    setup: TuningSetup
    trials: Trials
    num_trials: int
    num_before: int = 0
    num_measured: int = 0
    is_search: bool = True
    began: float = field(default_factory=time.time)

    def seconds_left(self) -> float | None:
        """An estimate from the trials that were done since this process began; None without any."""
        num_done = len(self.trials.done())
        if num_done <= self.num_before:
            return None
        passed = time.time() - self.began
        return passed / (num_done - self.num_before) * (self.num_trials - num_done)


class TuningListener:
    """Does nothing at every moment that a display may want to hear of."""

    def on_start(self, progress: TuningProgress) -> None:
        """The search is about to start, or to go on."""

    def on_measured(self, progress: TuningProgress, number: int) -> None:
        """A trial was measured on one more instance."""

    def on_finished(self, progress: TuningProgress, trial: FrozenTrial) -> None:
        """A trial of this process has ended."""


def open_search(
    storage: BaseStorage, name: str, setup: TuningSetup, num_trials: int, sampler: str, where: str
) -> TuningProgress:
    """
    A search, new or to go on with.

    Parameters
    ----------
    storage, name, setup, where
        As for :func:`boca.lab.studies.tuning.storage.open_study`.
    num_trials
        Trials in all, those that are done included.
    sampler
        A name of ``choosing.SAMPLERS``.
    """
    choice = TargetSampler(sampler, setup.space, setup.targets, setup.seed)
    study = open_study(storage, name, setup, where)
    study.sampler = choice
    trials = Trials(study, num_trials)
    return TuningProgress(setup, trials, num_trials, num_before=len(trials.done()))


def run_trials(
    progress: TuningProgress,
    params_of: Callable[[Trial], Any],
    engine: TuningEngine,
    listener: TuningListener | None = None,
    gives_up: bool = True,
    poll_seconds: float = POLL_SECONDS,
) -> None:
    """
    Does trials until all are done, here or by other processes.

    An interrupt from the keyboard lets every thread end the training it is in; what was measured
    is kept, and the trials wait for whoever goes on.

    Parameters
    ----------
    progress
        The study, and how far it is.
    params_of
        The parameters of a trial.
    engine
        Measures. It is not closed.
    listener
        Hears of every event.
    gives_up
        Whether hopeless trials are ended early.
    poll_seconds
        Seconds between two looks at what other processes do.
    """
    worker = _Worker(progress, params_of, engine, listener or TuningListener(), gives_up)
    worker.listener.on_start(progress)
    with progress.trials.processes.heartbeat(), ThreadPoolExecutor(engine.num_workers) as pool:
        try:
            worker.run(pool, engine.num_workers, poll_seconds)
        finally:
            worker.stop.set()


class _Worker:
    def __init__(
        self,
        progress: TuningProgress,
        params_of: Callable[[Trial], Any],
        engine: TuningEngine,
        listener: TuningListener,
        gives_up: bool,
    ):
        self.progress, self.listener = progress, listener
        self.stop = threading.Event()
        self._params_of, self._engine, self._gives_up = params_of, engine, gives_up
        self._lock = threading.Lock()

    def run(self, pool: ThreadPoolExecutor, room: int, poll_seconds: float) -> None:
        under_way: set[Future[None]] = set()
        while True:
            while len(under_way) < room and (trial := self.progress.trials.take()) is not None:
                under_way.add(pool.submit(self._work, trial))
            if not under_way:
                if self.progress.trials.is_over():
                    return
                time.sleep(poll_seconds)
                continue
            ended, under_way = wait(under_way, poll_seconds, FIRST_COMPLETED)
            for future in ended:
                future.result()  # an error ends the search

    def _work(self, trial: Trial) -> None:
        trials = self.progress.trials
        try:
            finished = self._measure(trial)
        except UpdateFinishedTrialError:
            return  # others thought us dead and have taken the trial over
        except BaseException:
            trials.release(trial)
            raise
        if finished == "stopped":
            trials.release(trial)
        elif trials.finish(trial, None if finished == "given up" else finished):
            with self._lock:
                self.listener.on_finished(self.progress, trials.all()[trial.number])

    def _measure(self, trial: Trial) -> float | Literal["given up", "stopped"]:
        """The mean over all instances and targets, unless there is a reason to end before."""
        setup, trials = self.progress.setup, self.progress.trials
        params = self._params_of(trial)
        known = measurements(trials.all()[trial.number])
        for number in shuffled(setup, trial.number):
            if number in known:
                continue
            if self.stop.is_set():
                return "stopped"
            measurement = self._engine.measure(setup, params, number)
            known[number] = measurement
            value = float(np.mean(list(measurement["scores"].values())))
            trials.keep(trial, number, measurement, value)
            with self._lock:
                self.progress.num_measured += 1
                self.listener.on_measured(self.progress, trial.number)
            if self._gives_up and len(known) < len(setup.instances):
                everybody = trials.all()
                if is_hopeless(everybody[trial.number], everybody, setup.targets):
                    return "given up"
        return float(np.mean([list(m["scores"].values()) for m in known.values()]))


def shuffled(setup: TuningSetup, trial: int) -> Sequence[int]:
    """The instances in an order of the trial's own, so that none decides by being first."""
    rng = Seeds(setup.seed).child("order", trial).generator()
    return [setup.instances[i] for i in rng.permutation(len(setup.instances))]


def suggested_params(setup: TuningSetup) -> Callable[[Trial], Any]:
    """What makes parameters of a trial's suggestions."""
    space = distributions(setup.space)

    def params_of(trial: Trial) -> Any:
        point = {name: suggest(trial, name, distribution) for name, distribution in space.items()}
        return setup.space.params(point, setup.num_train)

    return params_of


def suggest(trial: Trial, name: str, distribution: BaseDistribution) -> Any:
    """What a trial chooses from a range."""
    if isinstance(distribution, CategoricalDistribution):
        return trial.suggest_categorical(name, distribution.choices)
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    low, high, step, log = (getattr(distribution, part) for part in ("low", "high", "step", "log"))
    if isinstance(distribution, IntDistribution):
        return trial.suggest_int(name, low, high, step=step, log=log)
    return trial.suggest_float(name, low, high, step=step, log=log)
