"""What is trained and tested on."""

import numpy as np
import pytest
from tuning_parts import quick_setup

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.lab.domains import load_domain
from boca.lab.studies.learning.data import learning_data
from boca.lab.studies.tuning.instances import make_instance, num_folds, read_answers
from boca.mechanism import AuctionParams, AuctionState
from boca.surrogates.hyperparameters import Tuning
from boca.surrogates.ranges import usual_space


@pytest.fixture
def state_file(tmp_path):
    """The state of an auction in which two bidders have reported 12 bundles and the full one."""
    market = Market.simple(5, 2, [1] * 5)
    bundles = np.array([[int(b) for b in f"{n:05b}"] for n in (*range(1, 13), 31)])
    reports = [Reports(bundles, bundles.sum(axis=1) * (i + 1.0)) for i in range(2)]
    path = tmp_path / "state.json"
    AuctionState.of(market, AuctionParams(), reports).save(path)
    return str(path)


def test_bundles_are_those_of_the_learning_study():
    """Tests that a search and `boca learn` judge the same configuration alike."""
    instance = make_instance(quick_setup(num_train=20, num_test=30), 4)
    data = learning_data(load_domain("lsvm", seed=4), "national", Tuning(20, 30, 1), 4)

    assert instance.reports[0] == data.train
    assert instance.tests[0] == data.test


def test_all_bidders_of_a_shared_layer_are_there():
    """Tests that networks with a shared layer learn about everybody, each from other bundles."""
    instance = make_instance(quick_setup(bidder_type=None), 1)

    assert instance.market.num_bidders == 6
    assert instance.reports[1] != instance.reports[2]


def test_wanted_bundles_are_tested_where_they_matter():
    """Tests that the criterion r2 is about bundles that a bidder wants at some prices."""
    setup = quick_setup(criterion="r2")
    wanted, random = make_instance(setup, 1), make_instance(quick_setup(), 1)

    assert wanted.reports[0] == random.reports[0]
    # What somebody pays for is worth more than what a coin chooses.
    assert wanted.tests[0].values.mean() > 1.2 * random.tests[0].values.mean()


def test_mixed_networks_learn_from_demands_too():
    """Tests that a third of the answers are demands, and none for other networks."""
    space = usual_space("mixed", load_domain("lsvm", seed=1).market)
    instance = make_instance(quick_setup(space=space), 1)

    assert (len(instance.reports[0]), len(instance.demands[0])) == (10, 5)
    assert len(make_instance(quick_setup(), 1).demands[0]) == 0


def test_folds_hold_out_every_report_once(state_file):
    """Tests cross-validation: what is tested was not trained on, and nothing is left out."""
    setup = quick_setup(market="m.toml", bidder_type="", reports=state_file, folds=3, content="x")
    held_out = [make_instance(setup, fold).tests[0] for fold in range(3)]
    rows = np.vstack([reports.bundles for reports in held_out])

    assert len(np.unique(rows, axis=0)) == len(rows) == 12
    for fold, tests in enumerate(held_out):
        train = make_instance(setup, fold).reports[0]
        assert not any(bundle in train for bundle in tests.bundles)
        assert np.ones(5, dtype=int) in train  # the full bundle bounds all others
    assert make_instance(setup, 3).reports[0].values.max() == 10  # the second bidder


def test_run_off_cuts_other_folds(state_file):
    """Tests that finalists are judged on other parts of the same reports."""
    setup = quick_setup(market="m.toml", bidder_type="", reports=state_file, folds=3, content="x")
    first, second = (
        [set(map(bytes, make_instance(one, fold).tests[0].bundles)) for fold in range(3)]
        for one in (setup, setup.anew())
    )

    assert first != second
    assert set.union(*first) == set.union(*second)


def test_number_of_folds(state_file):
    """Tests that every bidder of a type makes folds of its own, or all of them together."""
    answers = read_answers(state_file)

    assert num_folds(answers, "", 3) == 6
    assert num_folds(answers, None, 3) == 3


def test_too_few_reports(state_file):
    """Tests that the message says what to change."""
    setup = quick_setup(market="m.toml", bidder_type="", reports=state_file, folds=7, content="y")
    with pytest.raises(InputError, match="Take fewer --folds"):
        make_instance(setup, 0)
