"""Tests of modules that register names before a command runs."""

import json
import os
import subprocess
import sys

import pytest
from tuning_parts import quick_setup

from boca.cli.main import main
from boca.core.errors import InputError
from boca.core.plugins import load_plugins
from boca.lab.simulation.source import source_fingerprint
from boca.lab.studies.tuning.measuring import measure_plain
from boca.surrogates import registry
from boca.surrogates.registry import surrogate_names

DICE = """
from boca.mechanism import PRESETS
from boca.mechanism.preset import Preset
from boca.mechanism.presets import random

PRESETS["dice"] = Preset("random bundles under another name", random, learns=False)
"""


def boca(folder, *arguments, plugins: str) -> subprocess.CompletedProcess:
    """The real command in a folder that Python does not search of its own accord."""
    return subprocess.run(
        [sys.executable, "-m", "boca", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={**os.environ, "BOCA_PLUGINS": plugins, "PYTHONSAFEPATH": "1"},
    )


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """
    Writes a module into the current folder and names it in the environment; what it registers is
    forgotten afterwards, since other tests list the names that are known.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))
    names = []

    def write(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.setenv("BOCA_PLUGINS", name)
        names.append(name)

    yield write
    for name in names:
        sys.modules.pop(name, None)


def test_a_mechanism_of_a_plugin_can_be_run(tmp_path):
    """Tests the name on the command line and in the process of a grid's run."""
    (tmp_path / "my_dice.py").write_text(DICE)
    options = ["--initial", "3", "--per-round", "1", "--budget", "4"]

    done = boca(tmp_path, "run", "toy", "--mechanism", "dice", *options, plugins="my_dice")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "toy-10001-dice" / "result.json").exists()

    flags = ["--domains", "toy", "--mechanisms", "dice", "--seeds", "1"]
    changes = ["--set", "num_initial=3", "--set", "num_total=4", "--out", "grid"]
    done = boca(tmp_path, "experiment", "run", *flags, *changes, plugins=" my_dice ,")
    assert "1 done, 0 running, 0 left" in done.stdout, done.stdout + done.stderr
    (result,) = (tmp_path / "grid").rglob("runs/*.json")
    assert json.loads(result.read_text())["auction"]["mechanism"] == "dice"


def test_trainings_on_a_cluster_know_the_surrogate_of_a_plugin(plugin):
    """Tests what a worker far away calls, in a process that has loaded no plug-in yet."""
    plugin(
        "my_learner",
        "from boca.surrogates.registry import register_surrogate\n"
        "from boca.surrogates.svr import fit\n"
        "from boca.surrogates.svr.params import SvrParams\n"
        'register_surrogate("my-svr", SvrParams, fit.fit)\n',
    )
    usual = quick_setup()
    plain = usual.to_dict()
    plain["space"] = {**plain["space"], "surrogate": "my-svr"}
    assert "my-svr" not in surrogate_names()

    scores = measure_plain(plain, {"penalty": 1.0}, 1)["scores"]

    assert scores == measure_plain(usual.to_dict(), {"penalty": 1.0}, 1)["scores"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def", "SyntaxError: invalid syntax (broken_plugin.py, line 1)"),
        ("\nunknown\n", "NameError: name 'unknown' is not defined (broken_plugin.py, line 2)"),
    ],
)
def test_a_module_that_cannot_be_imported_gets_one_sentence(plugin, capsys, text, reason):
    """Tests that the message names the variable, the module and the reason, on one line."""
    plugin("broken_plugin", text)

    with pytest.raises(SystemExit) as ended:
        main(["run", "toy"])

    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert "BOCA_PLUGINS names the module 'broken_plugin', which cannot be imported: " in error
    assert reason in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize("name", ["nowhere_at_all", "nowhere_at_all.py", ".nowhere"])
def test_a_module_that_is_not_there(monkeypatch, name):
    """Tests slips in the variable itself."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("BOCA_PLUGINS", name)
    with pytest.raises(InputError, match="BOCA_PLUGINS names the module"):
        load_plugins()


def test_help_does_not_need_the_plugins(monkeypatch, capsys):
    """Tests that a slip in the variable does not hide the list of commands."""
    monkeypatch.setenv("BOCA_PLUGINS", "nowhere_at_all")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0


def test_plugins_are_part_of_the_source_that_results_depend_on(plugin, tmp_path):
    """Tests that a grid notices results that another state of a plug-in has made."""
    without = source_fingerprint.__wrapped__()
    plugin("my_constant", "NUMBER = 1\n")
    load_plugins()
    first = source_fingerprint.__wrapped__()
    plugin("my_constant", "NUMBER = 2\n")

    assert len({without, first, source_fingerprint.__wrapped__()}) == 3
