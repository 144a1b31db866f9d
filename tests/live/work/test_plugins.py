"""A mechanism of one's own in a live auction: it is known, plans and decides in real children."""

from pathlib import Path

import pytest
from whole_auction import ZOE, drive, open_desk

from boca.core.errors import InputError
from boca_verify import verify

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def plugins(monkeypatch):
    """Names the modules that child processes load."""

    def name(modules):
        monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
        monkeypatch.setenv("BOCA_PLUGINS", modules)

    return name


def test_a_mechanism_of_a_plug_in_runs_live(plugins, tmp_path):
    """Tests a whole auction by a mechanism that the server knows only by what it tells."""
    plugins("own_planner")
    desk = open_desk(tmp_path, program=None)
    try:
        assert "one-copy" in desk.mechanisms().result()
        state = drive(desk, mechanism="one-copy")
        assert state.phase == "published"
        sources = {
            asked.query.reason["source"] for book in state.books for asked in book.queries.values()
        }
        assert sources == {"initial", "one-copy"}
        assert verify(list(desk.log(ZOE, state.auction))).exit_code == 0
    finally:
        desk.close()


def test_a_plug_in_that_cannot_be_imported_is_told(plugins, tmp_path):
    """Tests that whoever makes an auction reads what is wrong, and may try again."""
    plugins("no_such_module")
    desk = open_desk(tmp_path, program=None)
    try:
        for _ in range(2):
            with pytest.raises(InputError, match="names the module 'no_such_module'"):
                drive(desk)
        plugins("own_planner")
        assert "one-copy" in desk.mechanisms().result()
    finally:
        desk.close()


def test_an_unknown_mechanism_is_refused_with_those_that_there_are(plugins, tmp_path):
    """Tests that the message lists what can be chosen, a plug-in's mechanism included."""
    plugins("own_planner")
    desk = open_desk(tmp_path, program=None)
    try:
        with pytest.raises(
            InputError, match=r'found .one-copi.; expected one of "boca".*"one-copy"'
        ):
            drive(desk, mechanism="one-copi")
    finally:
        desk.close()
