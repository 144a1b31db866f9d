"""Tests of the command as people call it."""

import subprocess
import sys
import warnings

import pytest

import boca
from boca.cli import main as entry
from boca.core.errors import InputError


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

    def command(args, prog_name):
        warnings.warn("the cache is [full]", UserWarning, stacklevel=1)

    monkeypatch.setattr(entry, "build", lambda names: command)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        entry.main(["domain"])

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
