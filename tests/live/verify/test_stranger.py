"""
A stranger with an exported log and a receipt, on a machine that knows nothing else.

The slow test installs the package into an empty environment; the quick one watches its imports in
this one.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from golden_auction import FOLDER

ROOT = Path(__file__).parents[3]
# Packages of the engine and the server, which a verifier has no business with.
FOREIGN = {
    "jax", "jaxlib", "optax", "highspy", "scipy", "matplotlib", "gurobipy", "sklearn", "fastapi",
    "starlette", "uvicorn", "jinja2", "sqlalchemy", "psycopg", "openpyxl",
}  # fmt: skip
OWN_ROOMS = {"cli", "core", "live", "live.ledger", "live.verify", "milp", "_former_names"}
PROGRAM = """
import json, sys
from boca.cli.main import run
code = run(["verify", *sys.argv[1:]])
names = [name.split(".")[1:] for name in sys.modules if name.startswith("boca.")]
rooms = {".".join(name[: 2 if name[0] in ("lab", "live") else 1]) for name in names}
packages = {name.split(".")[0] for name in sys.modules}
print(json.dumps({"code": code, "rooms": sorted(rooms), "packages": sorted(packages)}))
"""


def verified_by(python: Path | str, folder: Path, env: dict[str, str]) -> dict[str, object]:
    """What a Python elsewhere says about the log and receipt in a folder."""
    words = ["log.jsonl", "--receipt", "receipt.json"]
    done = subprocess.run(
        [str(python), "-c", PROGRAM, *words], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return {**report, "text": done.stdout}


@pytest.fixture
def folder(tmp_path):
    """What the stranger was handed."""
    shutil.copy(FOLDER / "golden-full.jsonl", tmp_path / "log.jsonl")
    shutil.copy(FOLDER / "golden-receipt-1.json", tmp_path / "receipt.json")
    return tmp_path


def assert_independent(report: dict[str, object]) -> None:
    """Asserts that all holds, and that nothing of engine or server took part."""
    assert report["code"] == 0
    assert "Everything holds." in str(report["text"])
    assert not FOREIGN & set(report["packages"])
    assert set(report["rooms"]) <= OWN_ROOMS
    assert "pyscipopt" in report["packages"]


def test_the_verifier_needs_neither_engine_nor_server(folder):
    """Tests in a process of its own that a verification loads its few packages only."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}

    assert_independent(verified_by(sys.executable, folder, env))


@pytest.mark.slow
def test_a_fresh_environment_with_the_extra_alone_is_enough(folder, tmp_path_factory):
    """Tests the way of a stranger: an empty environment, the extra ``verify``, a log, a receipt."""
    place = tmp_path_factory.mktemp("fresh")
    tree, fresh = place / "tree", place / "venv"
    tree.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, tree)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tree / "src", ignore=ignored)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    python = fresh / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True, env=env)
    subprocess.run([*pip, ".[verify]"], check=True, cwd=tree, env=env)

    report = verified_by(python, folder, env)
    assert_independent(report)
    missing = [python, "-c", "import fastapi"]
    assert subprocess.run(missing, env=env, capture_output=True).returncode == 1
