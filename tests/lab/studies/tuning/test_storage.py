"""Where studies are kept, and which of them are refused."""

import subprocess
import sys
import time

import optuna
import pytest
from tuning_parts import quick_setup

from boca.core.errors import InputError
from boca.lab.studies.tuning.storage import open_storage, open_study, remove_unfinished_line
from boca.surrogates.ranges import Space

HOLDER = """
import sys, time
from pathlib import Path
from boca.lab.studies.tuning.storage import SystemLock
SystemLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(60)
"""


def test_study_is_found_again(tmp_path):
    """Tests that the same command goes on with the same study, in a journal and in a database."""
    for place in (str(tmp_path / "study.journal"), f"sqlite:///{tmp_path / 'study.db'}"):
        open_study(open_storage(place), "x", quick_setup(), place).ask()
        assert len(open_study(open_storage(place), "x", quick_setup(), place).trials) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"market": "gsvm"}, "differs in its market"),
        ({"bidder_type": "regional"}, r"differs in its bidder type \('national', not 'regional'\)"),
        ({"criterion": "r2"}, "differs in its criterion"),
        ({"instances": (1, 2)}, "differs in its instances"),
        ({"seed": 3}, "differs in its seed"),
        (
            {
                "space": Space.from_dict(
                    {"surrogate": "svr", "ranges": {"penalty": {"low": 1, "high": 2}}}
                )
            },
            "differs in its ranges;",
        ),
    ],
)
def test_study_of_something_else_is_refused(tmp_path, changes, words):
    """Tests that trials of two different searches never mix."""
    place = str(tmp_path / "study.journal")
    open_study(open_storage(place), "x", quick_setup(), place)
    with pytest.raises(InputError, match=words) as caught:
        open_study(open_storage(place), "x", quick_setup(**changes), place)

    assert "\n" not in str(caught.value)


def test_killed_holder_of_the_lock_stops_nobody(tmp_path):
    """Tests our lock against Optuna's, which others would wait 30 seconds for."""
    path = tmp_path / "study.journal"
    path.touch()
    command = [sys.executable, "-c", HOLDER, str(path)]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.wait()
    began = time.monotonic()
    optuna.create_study(storage=open_storage(str(path)))

    assert time.monotonic() - began < 25


def test_unfinished_line_is_removed(tmp_path):
    """Tests a power cut in the middle of a line, after which Optuna could not read the file."""
    place = tmp_path / "study.journal"
    study = open_study(open_storage(str(place)), "x", quick_setup(), "here")
    study.ask()
    whole = place.read_bytes()
    place.write_bytes(whole + b'{"op_code": 4, "trial')

    again = open_study(open_storage(str(place)), "x", quick_setup(), "here")
    again.ask()
    assert place.read_bytes().startswith(whole)
    assert len(open_study(open_storage(str(place)), "x", quick_setup(), "here").trials) == 2


@pytest.mark.parametrize("text", [b"", b"a\n", b"a\nbc", b"abc", b"a\n" + b"x" * 10_000])
def test_lines_end_where_they_should(tmp_path, text):
    """Tests the cut against what splitting the text says."""
    path = tmp_path / "lines"
    path.write_bytes(text)
    remove_unfinished_line(path)

    assert path.read_bytes() == b"".join(
        line for line in text.splitlines(keepends=True) if line.endswith(b"\n")
    )


def test_file_that_is_no_journal(tmp_path):
    """Tests that somebody else's file is refused in a line."""
    path = tmp_path / "notes.txt"
    path.write_text("hello\nworld\n")
    with pytest.raises(InputError, match="cannot be used"):
        open_storage(str(path))
    with pytest.raises(InputError, match="Check the URL"):
        open_storage("nothing://here")
