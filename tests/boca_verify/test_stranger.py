"""
A stranger with an exported log and a receipt, on a machine that knows nothing of boca.

The slow test installs the verifier's own wheel into an empty environment; the quick ones read its
modules, and run it in a process in which boca cannot be imported.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from golden_auction import FOLDER

import boca_verify
from boca.cli import main as entry

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "boca_verify"
# Module of the verifier -> the packages that it imports, here or inside its functions.
PACKAGES = {
    "signatures.py": {"cryptography"},
    "solver.py": {"pyscipopt"},
    "seats/envy.py": {"numpy"},
    "seats/learning.py": {"numpy"},
}
LOGS = sorted(FOLDER.glob("golden-*.jsonl"))
MOST_MEGABYTES = 200
# Nothing of boca can be imported, and nothing of what its engine and server need.
BLOCKED = """
import sys
for name in (
    "boca", "jax", "optax", "highspy", "scipy", "typer", "rich", "rfc8785", "fastapi", "sqlalchemy"
):
    sys.modules[name] = None
from boca_verify.command import main
sys.exit(main(sys.argv[1:]))
"""
# The command of boca where there is only what its extra `verify` brings.
WITHOUT_SERVER = """
import sys
for name in (
    "fastapi", "starlette", "uvicorn", "jinja2", "sqlalchemy", "psycopg", "openpyxl", "rfc8785"
):
    sys.modules[name] = None
from boca.cli.main import main
main(["verify", *sys.argv[1:]])
"""


def modules() -> dict[str, ast.Module]:
    """Place -> syntax tree of every module of the verifier."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text())
        for path in SOURCE.rglob("*.py")
        if "build" not in path.relative_to(SOURCE).parts  # what pip leaves in a clone
    }


def imported_by(tree: ast.Module) -> set[str]:
    """Packages that a module imports, of its own and of Python left out."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
        elif isinstance(node, ast.Name | ast.Attribute):
            word = node.id if isinstance(node, ast.Name) else node.attr
            assert word not in ("import_module", "__import__"), "an import hidden from this test"
    packages = {name.split(".")[0] for name in names}
    return packages - {"boca_verify"} - sys.stdlib_module_names


def test_nothing_of_boca_is_imported():
    """Tests that the verifier is a program of its own, with three packages of others."""
    found = {place: packages for place, tree in modules().items()
             if (packages := imported_by(tree))}  # fmt: skip
    assert found == PACKAGES


def test_its_wheel_needs_what_it_imports_and_has_all_its_modules():
    """Tests the verifier's own project file against its modules."""
    file = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    needed = {text.partition(">=")[0] for text in file["project"]["dependencies"]}
    assert needed == set().union(*PACKAGES.values())
    folders = {Path(place).parent for place in modules()}
    named = {".".join(["boca_verify", *folder.parts]).removesuffix(".") for folder in folders}
    assert set(file["tool"]["setuptools"]["packages"]) == named
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for key in ("requires-python", "license", "license-files"):
        assert file["project"][key] == whole[key]
    texts = {*whole["dependencies"], *whole["optional-dependencies"]["verify"]}
    assert set(file["project"]["dependencies"]) <= texts


def test_two_distributions_are_one_release():
    """Tests that both have one version and one licence."""
    import boca

    assert boca_verify.__version__ == boca.__version__
    assert (SOURCE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def shown_by_boca(capsys, *words: object) -> tuple[str, int]:
    """What ``boca verify`` prints in this process, and its code."""
    with pytest.raises(SystemExit) as stopped:
        entry.main(["verify", *map(str, words)])
    return capsys.readouterr().out, int(stopped.value.code or 0)


def shown_by(*words: object) -> tuple[str, int]:
    """What another process prints, and its code."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if words[0] == sys.executable:
        env["PYTHONPATH"] = str(ROOT / "src")
    done = subprocess.run([*map(str, words)], env=env, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout, done.returncode


@pytest.mark.parametrize("program", [BLOCKED, WITHOUT_SERVER], ids=["boca-verify", "boca verify"])
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_both_commands_say_the_same(program, options, capsys):
    """Tests code and every letter, with a receipt, where nothing else can be imported."""
    words = (FOLDER / "golden-full.jsonl", "--receipt", FOLDER / "golden-receipt-1.json", *options)
    shown = shown_by(sys.executable, "-c", program, *words)
    assert shown == shown_by_boca(capsys, *words)
    assert shown[1] == 0


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_golden_log_is_verified_without_boca(path, capsys):
    """Tests the same code and every letter for each golden log."""
    assert shown_by(sys.executable, "-c", BLOCKED, path) == shown_by_boca(capsys, path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere.jsonl",), "error: There is no log 'nowhere.jsonl'. Check the name.\n"),
        (
            (str(LOGS[0]), "--key", "abc"),
            "error: The key is 'abc'; expected 64 hexadecimal digits.",
        ),
    ],
)
def test_what_cannot_be_read_ends_with_two(words, message, capsys):
    """Tests one sentence, and no verdict."""
    from boca_verify.command import main

    assert main(words) == 2
    caught = capsys.readouterr()
    assert message in caught.err
    assert not caught.out


def test_how_to_plan_again_is_told(capsys):
    """Tests that whoever looks for --replay learns what it needs."""
    from boca_verify.command import main

    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    assert "boca verify LOG --replay" in " ".join(capsys.readouterr().out.split())


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder; what the same file is called twice counts once."""
    files = {(stat.st_dev, stat.st_ino): stat.st_size for path in folder.rglob("*")
             if path.is_file() and not path.is_symlink() and (stat := path.stat())}  # fmt: skip
    return sum(files.values())


@pytest.mark.slow
def test_an_environment_with_its_wheel_alone_is_small_and_enough(tmp_path, capsys):
    """Tests the way of a stranger: an empty environment, one wheel, a log, below 200 MB."""
    tree, fresh = tmp_path / "tree", tmp_path / "venv"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    shutil.copytree(SOURCE, tree, ignore=ignored)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    build = [sys.executable, "-m", "build", "--outdir", tmp_path, tree]
    subprocess.run(build, check=True, env=env, capture_output=True)
    (wheel,) = tmp_path.glob("boca_verify-*.whl")
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True, env=env)
    pip = [fresh / "bin" / "python", "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check", "--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, wheel], check=True, env=env)

    listed = subprocess.run(
        [fresh / "bin" / "python", "-m", "pip", "list", "--format", "json"],
        check=True, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert "boca-assignment" not in {row["name"] for row in json.loads(listed.stdout)}
    for path in LOGS:
        assert shown_by(fresh / "bin" / "boca-verify", path) == shown_by_boca(capsys, path)
    assert size_of(fresh) < MOST_MEGABYTES * 10**6
