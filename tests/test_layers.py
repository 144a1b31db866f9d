"""Who may import whom: the arrows of docs/architecture.md, checked against the source."""

import ast
from pathlib import Path

import pytest

import boca

SOURCE = Path(boca.__file__).parent

# Folder -> folders it may import. A mechanism that could see true values would not be a
# mechanism, so `domains` appears only where truth and mechanism are allowed to meet.
BELOW = {
    "core": set(),
    "functions": {"core"},
    "milp": {"core"},
    "markets": {"core"},
    "surrogates": {"core", "functions"},
    "wdp": {"core", "functions", "milp"},
    "payments": {"core", "functions", "milp", "wdp"},
    "domains": {"core", "functions", "milp", "wdp", "markets"},
    "queries": {"core", "functions", "milp", "wdp", "surrogates"},
    "mechanism": {"core", "functions", "milp", "wdp", "surrogates", "queries", "payments"},
}
BELOW["simulation"] = {*BELOW}
BELOW["studies"] = {*BELOW}
BELOW["reports"] = {*BELOW}
BELOW["cli"] = {*BELOW}

# The ML framework and the solvers are each known to one folder.
OUTSIDE = {
    "jax": {"surrogates"},
    "optax": {"surrogates"},
    "sklearn": {"surrogates"},
    "highspy": {"milp"},
    "pyscipopt": {"milp"},
    "gurobipy": {"milp"},
    "distributed": {"studies"},
    "typer": {"cli"},
    "matplotlib": {"reports"},
}


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, at the top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            assert path.parent.name in ("cli", "milp"), f"{path}: import hidden from this test"
    return found


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def folder_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_follow_the_arrows(path):
    """Tests that a file imports only folders below its own."""
    own = folder_of(path)
    used = {
        name.split(".")[1] for name in imports_of(path) if name.startswith("boca.")
    } & BELOW.keys()
    assert used <= BELOW[own] | {own}


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_frameworks_stay_in_their_folder(path):
    """Tests that the ML framework, the solvers and the plots are known to one folder each."""
    used = {name.split(".")[0] for name in imports_of(path)} & OUTSIDE.keys()
    assert all(folder_of(path) in OUTSIDE[name] for name in used), used


def test_mechanism_cannot_reach_true_values():
    """Tests that no chain of imports leads from the mechanism to the domains."""
    reached, frontier = set(), {"mechanism"}
    while frontier:
        folder = frontier.pop()
        reached.add(folder)
        frontier |= BELOW[folder] - reached
    assert "domains" not in reached
    assert "simulation" not in reached


def test_every_folder_has_a_place():
    """Tests that a new folder is put into the picture before it is used."""
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert folders == BELOW.keys()
