"""Rankings of schedules: two lists of one student become one."""

import numpy as np

from boca.seats.rankings import _Part


def test_lists_are_joined_with_each_schedule_once():
    """Tests schedules in both, in another order of courses, narrower, and nothing, last of all."""
    one = _Part(np.array([[0, 1], [2, 3], [3, 3]]), np.array([9.0, 4.0, 0.0]), 2)
    other = _Part(np.array([[1], [2], [3]]), np.array([6.0, 4.0, 0.0]), 1)
    both = one.joined(other)
    assert both.members.tolist() == [[0, 1], [1, 3], [2, 3], [3, 3]]
    assert both.utilities.tolist() == [9.0, 6.0, 4.0, 0.0]
    assert both.certain == 2


def test_nothing_stays_last():
    """Tests schedules that are worth less than nothing, as rounding or a dislike has it."""
    one = _Part(np.array([[0], [3]]), np.array([2.0, 0.0]), 0)
    other = _Part(np.array([[1], [2], [3]]), np.array([0.0, -1e-9, 0.0]), 0)
    both = one.joined(other)
    assert both.members.tolist() == [[0], [1], [2], [3]]
    assert both.utilities.tolist() == [2.0, 0.0, -1e-9, 0.0]
