"""The source fingerprint: it changes with whatever can change a number, and with nothing else."""

import shutil
from pathlib import Path

import pytest

import boca
from boca.lab.simulation.source import result_files, source_fingerprint


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package that tests may edit."""
    root = tmp_path_factory.mktemp("source") / "boca"
    shutil.copytree(Path(boca.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def edited(package, name):
    """Whether adding a line to a file changes the fingerprint; the file is restored."""
    file = package / name
    content = file.read_bytes()
    source_fingerprint.cache_clear()
    before = source_fingerprint(package)
    file.write_bytes(content + b"\n# edited\n")
    source_fingerprint.cache_clear()
    after = source_fingerprint(package)
    file.write_bytes(content)
    source_fingerprint.cache_clear()
    return after != before


@pytest.mark.parametrize(
    "name",
    [
        "lab/simulation/observer.py",  # who keeps score
        "lab/simulation/bidders.py",  # who answers
        "mechanism/presets.py",
        "payments/vcg_rule.py",
        "milp/backends/highs.py",  # imported by a name that is put together
        "surrogates/mvnn/training.py",
        "surrogates/data/boca_lsvm.toml",  # data
        "lab/domains/sats/lsvm.py",
        "core/bundle.py",
    ],
)
def test_what_results_depend_on_is_hashed(package, name):
    """Tests that an edit of the source behind a number cannot go unnoticed."""
    assert edited(package, name)


@pytest.mark.parametrize(
    "name", ["lab/reports/layouts.py", "cli/run/command.py", "lab/studies/store.py"]
)
def test_what_only_shows_results_is_not(package, name):
    """Tests that edits of reports and commands do not make results look old."""
    assert not edited(package, name)


def test_imports_are_followed_wherever_they_stand(tmp_path):
    """Tests packages, relative imports, imports inside functions, and names in texts."""
    root = tmp_path / "boca"
    files = {
        "__init__.py": "import boca.unused",
        "unused.py": "",
        "entry.py": "from boca.one import thing\nimport os",
        "one/__init__.py": "from . import near",
        "one/near.py": "from ..two.deep import x",
        "one/idle.py": "",
        "two/__init__.py": "",
        "two/deep.py": "def f():\n    import boca.late\n    load('boca.named')\n",
        "two/table.json": "{}",
        "late.py": "load(f'boca.plugins.{name}')",
        "named.py": "TEXT = 'boca. is not a module'",
        "plugins/__init__.py": "",
        "plugins/first.py": "",
        "closed/__init__.py": "",
        "closed/table.json": "{}",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    names = {path.relative_to(root).as_posix() for path in result_files(root, "boca.entry")}
    unused = {"__init__.py", "unused.py", "one/idle.py", "closed/__init__.py", "closed/table.json"}
    assert names == files.keys() - unused
