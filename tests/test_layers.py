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
BELOW["ledger"] = {"core"}
BELOW["verify"] = {"core", "milp", "ledger"}
# The engine is known to one file of the server, the program of its child process.
BELOW["server"] = {"core", "markets", "ledger", "mechanism", "payments", "verify"}
BELOW["bots"] = {"core", "functions", "milp", "wdp", "markets", "domains", "simulation"}
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
    "optuna": {"studies", "reports/tuning", "cli"},
    "typer": {"cli"},
    "matplotlib": {"reports"},
    "rfc8785": {"ledger"},
    "cryptography": {"ledger"},
    "sqlalchemy": {"server/store"},
    "psycopg": {"server/store"},
    "fastapi": {"server/web"},
    "starlette": {"server/web"},
    "jinja2": {"server/web"},
    "openpyxl": {"markets", "server/web"},
    "uvicorn": {"server/web", "cli"},
}

# Walls inside the server: room or file -> what of the server it may import.
ROOMS = {
    "server/clock.py": set(),
    "server/plain.py": set(),
    "server/live": {"clock.py", "plain.py", "live"},
    "server/store": {"clock.py", "plain.py", "live", "store"},
    "server/work": {"clock.py", "live", "work"},
    "server/promises.py": {"live"},
    "server/people.py": {"clock.py", "promises.py", "live", "store"},
    "server/watch.py": {"clock.py", "live", "store"},
    "server/desk": {
        "desk",
        "clock.py",
        "promises.py",
        "people.py",
        "watch.py",
        "live",
        "store",
        "work",
    },
    "server/upkeep": {"clock.py", "watch.py", "live", "store", "upkeep"},
    "server/rehearsals.py": {"people.py", "desk", "live"},
    "server/web": {
        "clock.py",
        "people.py",
        "rehearsals.py",
        "desk",
        "live",
        "store",
        "work",
        "web",
    },
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
            known = path.parent.name in ("cli", "milp") or path.name == "plugins.py"
            assert known, f"{path}: import hidden from this test"
    return found


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def folder_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def room_of(path: Path) -> str:
    """The first two steps of the way to a file, such as ``server/live`` or ``server/watch.py``."""
    return "/".join(path.relative_to(SOURCE).parts[:2])


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
    places = {folder_of(path), room_of(path)}
    assert all(places & OUTSIDE[name] for name in used), used


def server_files() -> list[Path]:
    return [path for path in files() if room_of(path) in ROOMS]


@pytest.mark.parametrize("path", server_files(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_rooms_of_the_server_follow_the_arrows(path):
    """Tests that the pure functions know no database, the store no pages, and so on."""
    used = {name.split(".")[2] for name in imports_of(path) if name.startswith("boca.server.")}
    rooms = {name if f"server/{name}" in ROOMS else f"{name}.py" for name in used}
    assert rooms <= ROOMS[room_of(path)]


def test_only_the_child_process_knows_the_engine():
    """Tests that the server's own process cannot load the ML framework or a solver."""
    users = {
        str(path.relative_to(SOURCE))
        for path in files()
        if folder_of(path) == "server"
        and {name.split(".")[1] for name in imports_of(path) if name.startswith("boca.")}
        & {"mechanism", "payments"}
    }
    assert users <= {"server/work/child.py"}


def test_the_server_reads_one_clock_and_no_seeded_random_numbers():
    """Tests that time comes from the clock alone and secrets from the system alone."""
    for path in files():
        if folder_of(path) == "server" and room_of(path) != "server/clock.py":
            used = imports_of(path)
            assert not {"random", "numpy.random"} & used, path
            text = path.read_text()
            assert not any(word in text for word in ("time.time(", "datetime.now(")), path


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
