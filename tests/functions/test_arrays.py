import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities

from boca.core.errors import InputError
from boca.functions.arrays import BLOCK, blocks, contained, frozen, frozen_capacities


@given(capacities(max_goods=3))
@settings(max_examples=25, deadline=None)
def test_contained_compares_every_good(capacities):
    """Tests the matrix product against the definition, with counts above one."""
    bundles = all_bundles(capacities)

    expected = (bundles[:, None, :] <= bundles[None, :, :]).all(axis=2)

    assert np.array_equal(contained(bundles, bundles, capacities), expected)


def test_contained_takes_goods_with_a_million_copies():
    """Tests that copies are not written out one by one, which would need 8 GB here."""
    capacities = np.array([1_000_000, 1_000_000])
    counts = np.arange(1_000)[:, None] * np.array([1_000, 999])

    parts = contained(counts, counts, capacities)
    assert np.array_equal(parts, np.triu(np.ones((1_000, 1_000), dtype=bool)))
    assert contained(counts[:0], counts, capacities).shape == (0, 1_000)


@pytest.mark.parametrize(("rows", "width"), [(0, 5), (1, 1), (1000, 3 * BLOCK), (10**6, 7)])
def test_blocks_cover_every_row_once(rows, width):
    """Tests that no row is lost or done twice, also when a single row exceeds the block."""
    covered = [row for block in blocks(rows, width) for row in range(block.start, block.stop)]

    assert covered == list(range(rows))


def test_frozen_arrays_are_copies_that_cannot_change():
    """Tests that a caller who changes an array later does not change the function."""
    given = np.array([1.0, 2.0])
    kept = frozen(given, (2,), "values")
    given[0] = 5

    assert kept[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 3


@pytest.mark.parametrize(
    ("values", "message"),
    [([[1.0]], "shape"), ([1.0, 2.0, 3.0], "shape"), ([np.nan, 1.0], "infinite or undefined")],
)
def test_frozen_says_what_is_wrong(values, message):
    """Tests that a wrong array is named, because networks have many."""
    with pytest.raises(InputError, match=f"cutoffs.*{message}"):
        frozen(values, (2,), "cutoffs")


@pytest.mark.parametrize("wrong", [[0, 1], [1.5, 2], [1], [-1, 1]])
def test_capacities_are_positive_whole_numbers(wrong):
    """Tests that a capacity which makes no sense is refused and not rounded."""
    with pytest.raises(InputError, match="capacities"):
        frozen_capacities(wrong, 2)


def test_containment_with_very_many_copies_and_no_rows():
    """Tests more copies than are written as bits, where one side has no bundle."""
    capacities, none = np.array([20_000]), np.zeros((0, 1), dtype=np.int64)
    some = np.array([[3], [20_000]])
    assert contained(some, none, capacities).shape == (2, 0)
    assert contained(none, some, capacities).shape == (0, 2)
    assert contained(some, some, capacities).tolist() == [[True, True], [False, True]]
