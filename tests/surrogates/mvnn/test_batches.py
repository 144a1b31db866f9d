"""What a step sees: every report and every artificial point has its turn."""

import numpy as np

from boca.core import Market, Reports
from boca.surrogates.mvnn.batches import ReportRows, mini_batch, stretch_pool
from boca.surrogates.mvnn.prepare import PairTask, shuffled_stream


def data_of(num_reports: int = 15) -> ReportRows:
    """Reports of the number of goods over four goods; the empty bundle comes on top."""
    bundles = np.array(list(np.ndindex(2, 2, 2, 2)))[-num_reports:]
    reports = Reports(bundles, bundles.sum(axis=1) ** 1.5 + np.arange(num_reports) / 100)
    problem = PairTask.from_reports(reports, Market.simple(4, 1), 0)
    return problem.data("cube", np.random.default_rng(0))


def test_every_report_has_its_turn():
    """Tests that one pass of mini-batches sees every report once, in another order each time."""
    data = data_of()
    pool = stretch_pool(data, 0, 8, "cube")
    seen = [np.asarray(mini_batch(data, pool, k, 8, 4).targets) for k in range(4)]
    passes = [np.concatenate(seen[:2]), np.concatenate(seen[2:])]
    everything = np.sort(data.targets[:16])
    for values in passes:
        np.testing.assert_array_equal(np.sort(values), everything)
    assert not np.array_equal(*passes)


def test_artificial_points_come_in_turn_with_their_envelope():
    """Tests that steps take one part of the pool after another, and start again at its end."""
    data = data_of()
    pool = stretch_pool(data, 0, 11, "cube")
    for number, start in enumerate([0, 4, 0, 4]):  # 8 would leave only three points
        part = mini_batch(data, pool, np.int32(number), 8, 4).artificial
        for of_step, all_points in zip(part, pool, strict=True):
            np.testing.assert_array_equal(of_step, all_points[start : start + 4])


def test_stretches_have_different_points():
    """Tests that no point of one stretch comes again in the next."""
    data = data_of()
    first, second = (np.asarray(stretch_pool(data, k, 500, "cube").points) for k in (0, 1))
    assert len(np.unique(np.concatenate([first, second]), axis=0)) == 1000


def test_stream_is_made_of_shuffles():
    """Tests that every stretch of the stream between shuffles is a permutation."""
    stream = shuffled_stream(7, np.random.default_rng(0))
    assert all((np.sort(stream[k : k + 7]) == np.arange(7)).all() for k in range(0, 70, 7))
