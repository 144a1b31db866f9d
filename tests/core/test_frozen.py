from dataclasses import dataclass

import numpy as np
import pytest

from boca.core.frozen import read_only, set_fields


@dataclass(frozen=True)
class Box:
    content: tuple

    def __post_init__(self):
        set_fields(self, content=tuple(self.content))


def test_fields_are_tidied_once():
    """Tests that a frozen value may normalise what it is given."""
    assert Box([1, 2]).content == (1, 2)


def test_read_only_arrays_refuse_writing():
    """Tests that a shared array cannot be changed behind its owner's back."""
    with pytest.raises(ValueError, match="read-only"):
        read_only(np.zeros(2))[0] = 1
