"""Tests of futures that follow others."""

from concurrent.futures import Future

import pytest

from boca.live.promises import done, then


def test_a_result_is_changed_and_an_error_passed_on():
    """Tests both ways in which a future ends."""
    assert then(done(3), lambda number: number + 1).result(0) == 4

    first: Future[int] = Future()
    after = then(first, lambda number: number + 1)
    first.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        after.result(0)


def test_whoever_leaves_cancels_nobody_else(caplog):
    """Tests two who wait for the same thing, of whom one goes away."""
    first: Future[int] = Future()
    one, other = then(first, abs), then(first, abs)
    assert one.cancel()
    first.set_result(-7)

    assert other.result(0) == 7
    assert not caplog.records
