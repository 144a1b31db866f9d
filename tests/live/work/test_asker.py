"""The child that stays: answers in order, and a new one after the old one has failed."""

import sys

import pytest

from boca.core.errors import InputError
from boca.live.work.asker import Asker

# Answers with the number of its own request; dies, hangs, talks rubbish or refuses when told.
PROGRAM = """
import json, sys, time
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if request.get("do") == "die":
        sys.exit(1)
    if request.get("do") == "hang":
        time.sleep(100)
    if request.get("do") == "rubbish":
        print("nothing", flush=True)
        continue
    if request.get("do") == "refuse":
        print(json.dumps({"refused": "no such week"}), flush=True)
        continue
    print(json.dumps({"number": number}), flush=True)
"""


@pytest.fixture
def asker():
    asker = Asker((sys.executable, "-c", PROGRAM), seconds=2.0)
    yield asker
    asker.close()


def test_one_program_answers_in_order(asker):
    """Tests that the program stays, and that requests wait for one another."""
    asker.warm()
    answers = [asker.ask({}) for _ in range(3)]
    assert [answer.result(60)["number"] for answer in answers] == [1, 2, 3]


@pytest.mark.parametrize("way", ["die", "hang", "rubbish", "refuse"])
def test_failed_program_is_replaced(asker, way):
    """Tests that only the request under way is lost, and told so."""
    assert asker.ask({}).result(60)["number"] == 0
    lost, later = asker.ask({"do": way}), asker.ask({})
    with pytest.raises(InputError, match="could not be made"):
        lost.result(60)
    assert later.result(60)["number"] == 0


def test_nothing_waits_for_a_closed_asker(asker):
    """Tests that whoever still waits is told, so that a server can end."""
    hanging = asker.ask({"do": "hang"})
    waiting = asker.ask({})
    asker.close()
    for future in (hanging, waiting):
        with pytest.raises(InputError):
            future.result(60)
