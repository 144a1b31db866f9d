"""Tests of ``boca verify`` as people call it."""

import json
import sys
from pathlib import Path

import pytest
from golden_auction import FOLDER, signing_key
from golden_log import golden_lines

from boca.cli import main as entry

ROOT = Path(__file__).parents[2]
LOG = FOLDER / "golden-full.jsonl"
RECEIPTS = [FOLDER / f"golden-receipt-{k}.json" for k in (1, 2)]


def call(*words: object) -> int:
    """Runs the command in this process and returns its exit code."""
    with pytest.raises(SystemExit) as stopped:
        entry.main(["verify", *map(str, words)])
    return int(stopped.value.code or 0)


def test_a_log_that_holds(capsys):
    """Tests code 0, a line per check, and what was there beside the log."""
    options = [word for path in RECEIPTS for word in ("--receipt", path)]
    assert call(LOG, *options, "--key", signing_key().public) == 0

    shown = capsys.readouterr().out
    assert all(f"\nV{k} " in shown for k in range(1, 12))
    assert "2 receipts, no noted heads, a key from elsewhere" in shown
    assert shown.endswith("Everything holds.\n")


def test_what_is_missing_beside_the_log_is_told(capsys):
    """Tests that nobody takes the log alone for a proof against its author."""
    assert call(LOG) == 0
    assert "Whoever holds the signing key" in capsys.readouterr().out


def test_a_sealed_log_ends_with_three(capsys):
    """Tests the code for a log that holds as far as it can be read."""
    assert call(FOLDER / "golden-public.jsonl") == 3
    assert "not everything could" in capsys.readouterr().out


def test_a_damaged_log_ends_with_one_and_names_the_record(tmp_path, capsys):
    """Tests the code that scripts rely on, and the sentence that people need."""
    path = tmp_path / "log.jsonl"
    lines = golden_lines()
    path.write_text("".join(lines[:7] + lines[8:]))

    assert call(path) == 1
    assert "Record 7: it says that it is number 8" in capsys.readouterr().out


def test_json_is_for_programs(capsys):
    """Tests that everything that people read is there as values too."""
    assert call(LOG, "--json") == 0
    verdict = json.loads(capsys.readouterr().out)

    assert [check["check"] for check in verdict["checks"]] == [f"V{k}" for k in range(1, 12)]
    assert verdict["exit_code"] == 0
    assert verdict["given"] == {"receipts": 0, "heads": 0, "key": False}


def test_replay_counts_equal_questions(capsys):
    """Tests that the engine, given the log, asks what it asked; a mechanism without learning."""
    assert call(LOG, "--replay") == 0
    # The version that made this log asked about three bundles that its bidder could not hold.
    assert "2 rounds give 12 of 15 questions" in capsys.readouterr().out

    assert call(FOLDER / "golden-public.jsonl", "--replay") == 3
    assert "Not planned again" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.jsonl"], "There is no log 'nowhere.jsonl'. Check the name."),
        (["."], "'.' is a folder; name the log inside it."),
        ([RECEIPTS[0]], "is not the log of a live auction"),
        ([LOG, "--receipt", LOG], "is not JSON"),
        ([LOG, "--key", "abc"], "expected 64 hexadecimal digits"),
        ([LOG, "--head", "abc"], "expected 64 hexadecimal digits"),
    ],
)
def test_what_cannot_be_read_ends_with_two(words, message, capsys):
    """Tests one sentence for a wrong file or option, and no verdict."""
    assert call(*words) == 2
    caught = capsys.readouterr()
    assert message in caught.err
    assert not caught.out


@pytest.mark.parametrize("package", ["cryptography", "pyscipopt"])
def test_a_missing_package_explains_itself(package, capsys, monkeypatch):
    """Tests that somebody without the extra is told how to get it."""
    for name in list(sys.modules):
        if name.startswith(("boca_verify", "boca.live.ledger", "boca.cli.verify", package)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)

    assert call(LOG) == 2
    assert "pip install 'boca-assignment[verify]'" in capsys.readouterr().err


def test_the_documentation_shows_what_the_command_prints(tmp_path, capsys, monkeypatch):
    """Tests the examples of docs/verify.md: a log that holds, and one with a changed payment."""
    page = (ROOT / "docs" / "verify.md").read_text()
    monkeypatch.chdir(ROOT)
    options = ("--receipt", RECEIPTS[0].relative_to(ROOT))
    assert call(LOG.relative_to(ROOT), *options) == 0
    assert capsys.readouterr().out in page

    changed = LOG.read_text().replace('"payments":[0,460,570]', '"payments":[0,459,570]')
    path = tmp_path / "changed.jsonl"
    path.write_text(changed)
    assert call(path) == 1
    assert capsys.readouterr().out in page
