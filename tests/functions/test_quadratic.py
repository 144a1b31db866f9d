import numpy as np
import pytest

from boca.core.errors import InputError
from boca.functions import Quadratic


def test_value_by_hand():
    """Tests squares, products and the linear part, in copies."""
    function = Quadratic([[1.0, 3.0], [0.0, 0.0]], [0.0, 2.0], capacities=[3, 2])

    # x0^2 + 3 x0 x1 + 2 x1
    assert function([[0, 0], [1, 0], [2, 1], [3, 2]]).tolist() == [0, 1, 12, 31]


def test_the_matrix_is_made_symmetric():
    """Tests that encodings may rely on symmetry."""
    function = Quadratic([[0.0, 3.0], [1.0, 0.0]])

    assert function.matrix.tolist() == [[0, 2], [2, 0]]
    assert function([[1, 1]]).tolist() == [4]


def test_the_matrix_is_square():
    """Tests that a matrix of another shape is refused."""
    with pytest.raises(InputError, match="matrix of shape"):
        Quadratic(np.ones((2, 3)))
