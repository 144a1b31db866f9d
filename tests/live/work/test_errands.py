"""Work that no auction waits for."""

import sys
from concurrent.futures import Future
from pathlib import Path

import naughty_child
import pytest

from boca.core.errors import InputError
from boca.live.work.errands import Errand, Errands
from boca.live.work.results import read_preview


@pytest.fixture
def errands(tmp_path):
    """A function that makes a queue whose children behave as named, one after the other."""
    queues = []

    def make(*behaviours) -> Errands:
        script = tmp_path / "behaviours"
        script.write_text("\n".join(behaviours))
        queues.append(Errands((sys.executable, "-E", str(naughty_path()), str(script))))
        return queues[-1]

    yield make
    for queue in queues:
        queue.close()


def naughty_path() -> Path:
    return Path(naughty_child.__file__)


def preview() -> Errand:
    return Errand("check", {}, read_preview, 60.0, Future())


def test_whoever_goes_away_stops_nobody_else(errands):
    """Tests that an errand which was cancelled while it waited is passed over."""
    queue, (first, gone, last) = errands(), [preview() for _ in range(3)]
    for errand in (first, gone, last):
        queue.send(errand)
    assert gone.future.cancel()

    assert first.future.result(60).name == "small"
    assert last.future.result(60).name == "small"


def test_failure_is_told_and_not_repeated(errands):
    """Tests that the errand after a failed one is carried out."""
    queue, (first, last) = errands("crashes"), [preview() for _ in range(2)]
    queue.send(first)
    queue.send(last)

    with pytest.raises(InputError, match="ended with code 1"):
        first.future.result(60)
    assert last.future.result(60).name == "small"
