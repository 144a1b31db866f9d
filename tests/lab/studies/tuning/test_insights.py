"""What is drawn, as numbers."""

import numpy as np
import pytest
from tuning_parts import ScriptedEngine, quick_setup

from boca.lab.studies.tuning.insights import history, importances, lines
from boca.lab.studies.tuning.search import open_search, run_trials, suggested_params
from boca.lab.studies.tuning.storage import open_storage

SETUP = quick_setup()


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """Thirty random trials of which the penalty alone decides."""
    place = str(tmp_path_factory.mktemp("tuning") / "study.journal")
    progress = open_search(open_storage(place), "x", SETUP, 30, "random", "here")
    run_trials(progress, suggested_params(SETUP), ScriptedEngine())
    return progress.trials.all()


def test_best_so_far_only_falls(trials):
    """Tests the line of the history, which trials that were given up do not move."""
    past = history(trials, "all")
    best = past.best_so_far

    assert (np.diff(best) <= 0).all()
    assert best[-1] == past.values[past.is_complete].min()
    assert not past.is_complete.all()
    assert len(past.numbers) == 30


def test_what_decides_is_most_important(trials):
    """Tests that the kernel, which the engine ignores, has little of it."""
    shares = importances(SETUP, trials, "all")

    assert sum(shares.values()) == pytest.approx(1)
    assert shares["penalty"] > 0.8


def test_few_trials_say_nothing(trials):
    """Tests that a share is not made up from nine trials."""
    assert importances(SETUP, trials[:9], "all") == {}


def test_lines_lie_between_the_ends_of_their_axes(trials):
    """Tests logarithmic axes and choices."""
    drawn = lines(SETUP, trials, "all")
    first = trials[0].params

    assert drawn.names == ("penalty", "kernel")
    assert drawn.ends == (("0.01", "100"), ("quadratic", "gaussian"))
    assert ((drawn.places >= 0) & (drawn.places <= 1)).all()
    assert drawn.places[0, 0] == pytest.approx((np.log10(first["penalty"]) + 2) / 4)
    assert drawn.places[0, 1] == ["quadratic", "gaussian"].index(first["kernel"])
