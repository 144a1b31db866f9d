"""Tests of the command as people call it."""

import errno
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import boca
from boca.cli import main as entry
from boca.core.errors import InputError

BIDS = Path(__file__).parents[2] / "examples" / "bids.csv"

ROOT = Path(__file__).parents[2]


def call(*arguments: str) -> int:
    """Runs the command in this process and returns its exit code."""
    with pytest.raises(SystemExit) as stopped:
        entry.main(list(arguments))
    return int(stopped.value.code or 0)


def test_help_names_every_command(capsys):
    """Tests that a newcomer who types nothing but ``--help`` sees what there is."""
    assert call("--help") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in entry.SUBCOMMANDS)


def test_bash_completes_commands_and_options():
    """Tests the script that bash evaluates, in a real bash."""
    folder = Path(sys.executable).parent
    script = """
        eval "$(boca --show-completion)"
        for line in "boca exp" "boca experiment run --se"; do
            COMP_WORDS=($line)
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _boca_completion boca
            echo "${COMPREPLY[@]}"
        done
    """
    finished = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert finished.stdout.splitlines() == ["experiment", "--seeds --set"], finished.stderr


def test_version(capsys):
    """Tests that a bug report can name the version."""
    assert call("--version") == 0
    assert capsys.readouterr().out.strip() == f"boca {boca.__version__}"


def test_every_command_has_help(capsys):
    """Tests that each listed command exists and can be loaded."""
    for name in entry.SUBCOMMANDS:
        assert call(name, "--help") == 0
        assert f"boca {name}" in capsys.readouterr().out


def test_unknown_command_is_a_usage_error(capsys):
    """Tests the exit code that scripts rely on."""
    assert call("dance") == 2
    assert "No such command 'dance'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["plain", "with [brackets] and [/] marks", "in\ntwo lines"])
def test_mistakes_end_with_a_message_and_code_two(text, capsys, monkeypatch):
    """Tests that messages are shown as they are, without a traceback."""

    def fail(names):
        raise InputError(text)

    monkeypatch.setattr(entry, "build", fail)

    assert call("domain") == 2
    assert capsys.readouterr().err == f"error: {text}\n"


def test_bugs_keep_their_traceback(monkeypatch):
    """Tests that what is not the user's mistake is not dressed up as one."""
    monkeypatch.setattr(entry, "build", lambda names: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        entry.main(["domain"])


def test_warnings_are_one_line(capsys, monkeypatch):
    """Tests that a warning shows its text, not the place in our code, and apart from results."""

    def command(args, prog_name, standalone_mode):
        warnings.warn("the cache is [full]", UserWarning, stacklevel=1)

    monkeypatch.setattr(entry, "build", lambda names: command)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert call("domain") == 0

    shown = capsys.readouterr()
    assert shown.err == "warning: the cache is [full]\n"
    assert shown.out == ""


def test_help_loads_no_heavy_package():
    """Tests that ``boca --help`` stays quick: no ML framework, no solver, no plots."""
    code = (
        "import sys\n"
        "from boca.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'jax', 'highspy', 'matplotlib', 'optax'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


def test_python_m_boca_is_the_same_command():
    """Tests the way in for people without scripts on their path."""
    done = subprocess.run(
        [sys.executable, "-m", "boca", "--version"], capture_output=True, text=True
    )

    assert done.returncode == 0
    assert done.stdout.strip() == f"boca {boca.__version__}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dance"], "No such command 'dance'. Try: boca --help"),
        (["wdp", "--dance"], "No such --dance Try: boca wdp --help"),
        (["wdp", "a", "b"], "Got unexpected extra (b) Try: boca wdp --help"),
        (["run", "--seed"], "Option '--seed' requires an argument. Try: boca run --help"),
        (["experiment", "dance"], "No such command 'dance'. Try: boca experiment --help"),
    ],
)
def test_bad_usage_is_one_line(words, message, capsys):
    """Tests that a slip of the keyboard gets a sentence, not a box and the usage around it."""
    assert call(*words) == 2

    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    # The parser's punctuation differs from version to version.
    assert all(word in shown.err for word in ("error:", *message.split()))
    assert shown.out == ""


@pytest.mark.parametrize("words", [[], ["experiment"]])
def test_a_command_without_words_shows_its_help(words, capsys):
    """Tests that who does not know what to type next is told, and not scolded."""
    assert call(*words) == 0

    shown = capsys.readouterr()
    assert "Commands:" in shown.out
    assert shown.err == ""


def test_flags_take_no_value_in_help(capsys):
    """Tests that --force is not shown as if it wanted a word after it."""
    assert call("run", "--help") == 0

    shown = capsys.readouterr().out
    assert "--force " in shown
    assert "bool" not in shown


def test_summaries_of_commands_are_whole(capsys):
    """Tests that the list of commands does not break off in the middle of a sentence."""
    assert call("experiment", "--help") == 0

    assert "..." not in capsys.readouterr().out.split("Commands:")[1]


@pytest.mark.parametrize("package", ["typer", "numpy", "highspy"])
def test_interrupting_an_import_is_silent(package, tmp_path):
    """Tests that Ctrl-C while packages load, the slowest moment, leaves no traceback."""
    (tmp_path / f"{package}.py").write_text("raise KeyboardInterrupt\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport boca.__main__\n"

    done = subprocess.run(
        [sys.executable, "-c", code, "wdp", "examples/auction.cats"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_full_disk_is_one_line(capsys, monkeypatch):
    """Tests that what the operating system refuses is said in its words, with the file."""

    def fail(names):
        raise OSError(errno.ENOSPC, "No space left on device", "runs/state.json")

    monkeypatch.setattr(entry, "build", fail)

    assert call("run") == 2
    assert capsys.readouterr().err == "error: runs/state.json: No space left on device.\n"


def test_messages_cannot_steer_the_terminal(capsys, monkeypatch):
    """Tests that a file's content, quoted in a message, is shown and not obeyed, nor endless."""

    def fail(names):
        raise InputError("found '\x1b[2J\u202e\ud800'" + "x" * 100_000)

    monkeypatch.setattr(entry, "build", fail)

    assert call("run") == 2
    shown = capsys.readouterr().err
    assert shown.startswith(r"error: found '\x1b[2J\u202e\ud800'")
    assert len(shown) < 5_000


def test_windows_gets_one_line(monkeypatch, capsys):
    """Tests that who tries boca where it was never tried is told so at once, and what to do."""
    monkeypatch.setattr(sys, "platform", "win32")
    assert call("serve", "auctions") == 2

    error = capsys.readouterr().err
    assert "not on Windows" in error
    assert "wsl --install" in error


@pytest.mark.parametrize("name", ["--max-seconds", "--time-limit"])
@pytest.mark.parametrize("words", [("domain", "toy"), ("wdp", str(BIDS))])
def test_time_has_one_name_and_the_former_one_works(name, words, capsys):
    """Tests the option under both names; -1 shows that it arrives, in whoever's words."""
    assert entry.run([*words, name, "60"]) == 0
    assert entry.run([*words, name, "-1"]) == 2
    shown = capsys.readouterr().err
    assert "-1" in shown or "greater than or equal to 0" in shown
    entry.run([words[0], "--help"])
    shown = capsys.readouterr().out
    assert "--max-seconds" in shown
    assert "time-limit" not in shown
