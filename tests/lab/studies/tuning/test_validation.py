"""Winners compared with what was there before."""

import pytest
from tuning_parts import ScriptedEngine, quick_setup

from boca.lab.studies.tuning.search import TuningListener
from boca.lab.studies.tuning.storage import open_storage
from boca.lab.studies.tuning.validation import Compared, validate
from boca.lab.studies.tuning.winners import Reference, Winner, reference
from boca.surrogates import published
from boca.surrogates.ranges import make_params, usual_space


def test_both_are_measured_once_on_the_same_instances(tmp_path):
    """Tests that a second call measures nothing again."""
    setup = quick_setup()
    winners = {"all": Winner("all", 0, make_params("svr", {"penalty": 1.0}), {}, 1.0)}
    usual = Reference("defaults", {"all": make_params("svr", {"penalty": 10.0})})
    engine = ScriptedEngine()
    for _ in range(2):
        storage = open_storage(str(tmp_path / "j"))
        (compared,) = validate(
            storage, "x", setup, (101, 102), winners, usual, engine, TuningListener(), "here"
        )

    assert len(engine.calls) == 4
    assert compared.winner == {101: 101.0, 102: 102.0}
    assert compared.reference == {101: 102.0, 102: 103.0}  # one decade away from the best


def test_numbers_of_a_comparison():
    """Tests means, ratio and paired difference by hand."""
    compared = Compared("0.9", {1: 1.0, 2: 2.0}, {1: 2.0, 2: 4.0})

    assert compared.means == (1.5, 3.0)
    assert compared.ratio == 0.5
    assert compared.difference == pytest.approx((-1.5, 0.5))
    assert compared.is_as_good
    assert not Compared("0.9", {1: 1.06}, {1: 1.0}).is_as_good


def test_what_winners_are_compared_with():
    """Tests published winners by quantile, and defaults where nothing is published."""
    space = usual_space("mvnn", None, "lsvm")
    setup = quick_setup(space=space, criterion="paper", quantiles=(0.75, 0.8))
    usual = reference(setup)

    assert usual.name == "published"
    assert usual.params == {"0.75": published("lsvm", 0.75)["national"]}  # there is no 0.8
    assert reference(quick_setup()).name == "defaults"
    assert reference(quick_setup(space=space, criterion="paper", generic=True)).name == "defaults"
