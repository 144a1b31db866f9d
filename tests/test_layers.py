"""Who may import whom: the arrows of docs/architecture.md, checked against the source."""

import ast
from functools import cache
from pathlib import Path

import pytest

import boca

SOURCE = Path(boca.__file__).parent

# The ground floor: room -> rooms of the engine that it may import.
ENGINE = {
    "core": set(),
    "functions": {"core"},
    "milp": {"core"},
    "markets": {"core"},
    "surrogates": {"core", "functions"},
    "wdp": {"core", "functions", "milp"},
    "seats": {"core", "functions", "milp"},
    "payments": {"core", "milp"},
    "queries": {"core", "functions", "milp", "wdp", "seats", "surrogates"},
    "mechanism": {"core", "functions", "milp", "wdp", "surrogates", "queries", "payments"},
}

# The laboratory. A mechanism that could see true values would not be a mechanism, so no room of the
# engine has an arrow from here.
LAB = {
    "lab.domains": {"core", "functions", "milp", "wdp", "markets"},
    "lab.simulation": {*ENGINE, "lab.domains"},
    "lab.studies": {*ENGINE, "lab.domains", "lab.simulation"},
    "lab.reports": {*ENGINE, "lab.domains", "lab.simulation", "lab.studies"},
}

# The live house. Its own process knows neither solver nor learning; one file of live.work, the
# program of the child process, does.
LIVE = {
    "live.ledger": {"core"},
    "live.bots": {"core", "functions", "milp", "wdp", "markets", "lab.domains", "lab.simulation"},
    "live.clock": set(),
    "live.plain": {"core"},
    "live.auction": {"core", "markets", "live.ledger", "live.clock", "live.plain"},
}
LIVE["live.promises"] = {"core", "live.auction", "live.ledger"}
LIVE["live.store"] = {*LIVE} - {"live.bots"} | {"core", "markets"}
LIVE["live.people"] = {*LIVE} - {"live.bots", "live.plain"} | {"core", "markets"}
LIVE["live.passkeys"] = {"core", "live.people", "live.auction"}
LIVE["live.watch"] = {"core", "live.clock", "live.auction", "live.store", "live.ledger"}
LIVE["live.work"] = {"core", "markets", "live.ledger", "live.clock", "live.auction"}
LIVE["live.mail"] = {"core", "live.clock", "live.auction", "live.store"}
LIVE["live.desk"] = {*LIVE} - {"live.bots", "live.plain"} | {"core", "markets"}
LIVE["live.upkeep"] = {"core", "live.clock", "live.watch", "live.auction", "live.store"} | {
    "live.ledger",
}
LIVE["live.rehearsals"] = {"core", "markets", "live.people", "live.desk", "live.auction"}
LIVE["live.web"] = {*LIVE} - {"live.bots", "live.plain", "live.watch"} | {
    "core",
    "markets",
}

BELOW = ENGINE | LAB | LIVE
BELOW["cli"] = {*BELOW}
AUCTIONS_KNOW = {"mechanism", "payments"}
CHILD_KNOWS = {
    "live/work/child.py": AUCTIONS_KNOW,
    "live/work/deciding.py": AUCTIONS_KNOW,
    "live/work/course_child.py": {"functions", "seats", "surrogates", "queries"},
}

# The ML framework, the solvers and whatever else is heavy are each known to few rooms.
KNOWN_TO = {
    "jax": {"surrogates"},
    "optax": {"surrogates"},
    "sklearn": {"surrogates"},
    "highspy": {"milp"},
    "pyscipopt": {"milp"},
    "gurobipy": {"milp"},
    "distributed": {"lab.studies"},
    "optuna": {"lab.studies", "lab.reports", "cli"},
    "typer": {"cli"},
    "matplotlib": {"lab.reports"},
    "rfc8785": {"live.ledger"},
    "cryptography": {"live.ledger"},
    "sqlalchemy": {"live.store"},
    "psycopg": {"live.store"},
    "fastapi": {"live.web"},
    "starlette": {"live.web"},
    "jinja2": {"live.web"},
    "openpyxl": {"markets", "live.web"},
    "uvicorn": {"live.web", "cli"},
    "boca_verify": {"live.work", "cli"},
}


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module that a file imports, at the top or inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            named = path.name in ("plugins.py", "builtin.py")  # by users; of its own room
            known = path.parent.name in ("cli", "milp") or named
            assert known, f"{path}: import hidden from this test"
    return frozenset(names)


def files() -> list[Path]:
    """All modules but those of the front door and the fronts of the two upper storeys."""
    fronts = {SOURCE, SOURCE / "lab", SOURCE / "live"}
    return sorted(
        path
        for path in SOURCE.rglob("*.py")
        if path.parent != SOURCE and not (path.name == "__init__.py" and path.parent in fronts)
    )


def room_of_name(name: str) -> str:
    """The room of a dotted name: ``wdp`` of boca.wdp.solve, ``lab.domains`` of boca.lab.domains."""
    parts = name.split(".")[1:]
    return ".".join(parts[: 2 if parts[0] in ("lab", "live") else 1])


def room_of(path: Path) -> str:
    """The room that a file stands in."""
    return room_of_name(".".join(("boca", *path.relative_to(SOURCE).with_suffix("").parts)))


def rooms_used(path: Path) -> set[str]:
    """The rooms that a file imports, its own left out."""
    names = {name for name in imports_of(path) if name.startswith("boca.")}
    return ({room_of_name(name) for name in names} & BELOW.keys()) - {room_of(path)}


def test_imports_follow_the_arrows():
    """Tests that every file imports only rooms below its own."""
    wrong = {}
    for path in files():
        place = path.relative_to(SOURCE).as_posix()
        allowed = BELOW[room_of(path)] | CHILD_KNOWS.get(place, set())
        if beyond := rooms_used(path) - allowed:
            wrong[place] = beyond
    assert wrong == {}


def test_arrows_that_nobody_needs_are_not_drawn():
    """Tests that the picture shows what is, so that an arrow means something."""
    used = {room: set() for room in ENGINE | LAB}
    for path in files():
        if (room := room_of(path)) in used:
            used[room] |= rooms_used(path)
    unused = {
        (room, below)
        for room, rooms in used.items()
        for below in BELOW[room] - rooms
        # What a room may use through another one it may use itself.
        if not any(below in BELOW[between] for between in rooms)
    }
    assert unused == set()


def test_frameworks_stay_in_their_rooms():
    """Tests that the ML framework, the solvers and the plots are known to few rooms."""
    wrong = {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in files()
        for name in {name.split(".")[0] for name in imports_of(path)} & KNOWN_TO.keys()
        if room_of(path) not in KNOWN_TO[name]
    }
    assert wrong == set()


def test_the_live_house_reads_one_clock_and_no_seeded_random_numbers():
    """Tests that time comes from the clock alone and secrets from the system alone."""
    people = [
        path
        for path in files()
        if room_of(path).startswith("live.") and room_of(path) not in ("live.clock", "live.bots")
    ]
    assert people
    for path in people:
        assert not {"random", "numpy.random"} & imports_of(path), path
        text = path.read_text()
        assert not any(word in text for word in ("time.time(", "datetime.now(")), path


@pytest.mark.parametrize("room", [*ENGINE])
def test_the_engine_cannot_reach_true_values(room):
    """Tests that no chain of arrows leads from the engine to the laboratory."""
    reached, frontier = set(), {room}
    while frontier:
        below = frontier.pop()
        reached.add(below)
        frontier |= BELOW[below] - reached
    assert reached <= ENGINE.keys()


def test_no_rooms_import_each_other():
    """Tests that arrows have one direction, also between the rooms inside a room."""
    arrows = set()
    for path in files():
        own = path.parent
        for name in imports_of(path):
            place = SOURCE.joinpath(*name.split(".")[1:])
            other = place if place.is_dir() else place.parent
            inside = other.is_relative_to(own) or own.is_relative_to(other)
            if name.startswith("boca.") and not inside:
                arrows.add((own, other))
    both = {(a, b) for a, b in arrows if (b, a) in arrows and a < b}
    assert {(str(a.relative_to(SOURCE)), str(b.relative_to(SOURCE))) for a, b in both} == set()


def test_every_room_has_a_place():
    """Tests that a new room is put into the picture before it is used."""
    assert {room_of(path) for path in files()} == BELOW.keys()


def test_no_function_hides_its_module():
    """
    Tests that ``boca.payments.vcg`` is one thing: no front of the engine or of the laboratory
    exports a name that one of its modules has.
    """
    hidden = set()
    for front in SOURCE.rglob("__init__.py"):
        place = front.parent.relative_to(SOURCE).parts
        if not place or place[0] in ("live", "cli"):
            continue
        modules = {path.stem for path in front.parent.glob("*.py")}
        for node in ast.walk(ast.parse(front.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module != ".".join(("boca", *place)):
                names = {alias.asname or alias.name for alias in node.names}
                hidden |= {(*place, name) for name in names & modules}
    assert hidden == set()
