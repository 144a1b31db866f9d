"""What a step sees: every report and every artificial point has its turn."""

from dataclasses import replace

import numpy as np
import pytest

from boca.core import Bidder, Good, Market, Reports
from boca.surrogates.mvnn.batches import ReportRows, mini_batch, stretch_pool
from boca.surrogates.mvnn.fit import num_steps
from boca.surrogates.mvnn.params import MvnnParams
from boca.surrogates.mvnn.prepare import PairTask, rows_of_epoch, shuffled_epochs, shuffled_stream


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


@pytest.mark.parametrize(
    ("num_rows", "size", "sizes"), [(7, 4, [4, 3]), (8, 4, [4, 4]), (3, 4, [3])]
)
def test_whole_epochs_end_with_an_incomplete_batch(num_rows, size, sizes):
    """Tests that every report has one turn in each epoch, and a weight by the rows that count."""
    bundles = np.arange(1, num_rows + 1)[:, None]
    market = Market((Good("g", num_rows),), (Bidder("b"),))
    problem = PairTask.from_reports(Reports(bundles, bundles[:, 0] * 1.0), market, 0)
    problem = replace(problem, bundles=bundles, values=bundles[:, 0] * 1.0)
    data = problem.data("cube", np.random.default_rng(0), size)
    pool = stretch_pool(data, 0, 8, "cube")
    num = len(sizes)
    batches = [mini_batch(data, pool, np.int32(k), size, 4, True) for k in range(3 * num)]
    orders = []
    for epoch in range(3):
        rows, weights = [], []
        for batch, count in zip(batches[num * epoch :], sizes, strict=False):
            counts = np.asarray(batch.row_weights) > 0
            assert np.asarray(batch.row_weights)[counts] == pytest.approx(1 / count)
            rows += np.asarray(batch.targets)[counts].tolist()
            weights.append(counts.sum())
        assert weights == sizes
        assert sorted(rows) == pytest.approx(np.arange(1, num_rows + 1) / num_rows)
        orders.append(tuple(rows))
    assert len(set(orders)) > 1


def test_an_incomplete_batch_is_a_step():
    stream, epochs = (
        MvnnParams(epochs=1000, batch_size=50),
        MvnnParams(epochs=1000, batch_size=50, batches="epochs"),
    )
    assert [num_steps(stream, n) for n in (40, 50, 57, 100)] == [1000, 1000, 1150, 2000]
    assert [num_steps(epochs, n) for n in (40, 50, 57, 100)] == [1000, 1000, 2000, 2000]


@pytest.mark.parametrize(
    ("num_rows", "size", "seen"), [(9, 4, 8), (8, 4, 8), (10, 4, 10), (5, 1, 4), (1, 4, 1)]
)
def test_the_empty_bundle_is_no_mini_batch_of_its_own(num_rows, size, seen):
    """Tests that the last row has no turn where it would be alone, and that no step is made."""
    assert rows_of_epoch(num_rows, size) == seen
    length = -(-seen // size) * size
    epoch = shuffled_epochs(num_rows, size, np.random.default_rng(0))[:length]
    assert sorted(epoch[epoch >= 0]) == list(range(seen))
    settings = MvnnParams(epochs=1000, batch_size=size, batches="epochs")
    assert num_steps(settings, num_rows) == 1000 * length // size


def test_the_empty_bundle_is_the_last_row():
    """Tests that it is, whether or not it was reported."""
    full, part, empty = [1, 1, 1], [0, 1, 1], [0, 0, 0]
    for bundles, values in [([full, empty, part], [3.0, 0.0, 2.0]), ([full, part], [3.0, 2.0])]:
        task = PairTask.from_reports(Reports(bundles, values), Market.simple(3, 1), 0)
        assert task.bundles.tolist() == [full, part, empty]
        assert task.values.tolist() == [3.0, 2.0, 0.0]
