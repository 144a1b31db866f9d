"""
The package as users install it: built, put into an empty environment, used outside the tree.

Every other test sees the source tree, where nothing can be missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from live_server import LiveServer, finish, market_text, new_sale

from boca.live.web.app import build

ROOT = Path(__file__).parents[1]
EXTRAS = "fourier,cluster,tune,scip,sheets,server,verify,postgres"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

# Reads every file of the installed package that is not Python, each in its own way.
READ_ALL = """
import json, sys, tomllib
from importlib.resources import files
from pathlib import Path
import boca
from boca.live.web.render import environment

root = Path(boca.__file__).parent
templates = environment().list_templates()
for name in templates:
    environment().get_template(name)
names = []
for path in sorted(root.rglob("*")):
    if path.is_file() and path.suffix not in (".py", ".pyc"):
        names.append(path.relative_to(root).as_posix())
        text = path.read_text(encoding="utf-8")
        {".toml": tomllib.loads, ".json": json.loads}.get(path.suffix, len)(text)
print(json.dumps({"root": str(root), "names": names, "templates": templates}))
"""


@dataclass(frozen=True)
class Installed:
    """
    An environment with the built package in it.

    Parameters
    ----------
    wheel, sdist
        What was built.
    python
        Of the environment.
    folder
        Where to run things: outside the tree.
    """

    wheel: Path
    sdist: Path
    python: Path
    folder: Path

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs the environment's Python; what it printed."""
        done = subprocess.run(
            [self.python, *words], cwd=self.folder, env=clean(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def boca(self, *words: str) -> str:
        """Runs the command ``boca``."""
        return self.run("-m", "boca", *words).stdout


def clean() -> dict[str, str]:
    """This process's variables without those that lead back into the tree."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def data_files() -> set[str]:
    """What lies below src/boca and is not Python."""
    package = ROOT / "src" / "boca"
    return {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Source archive and wheel from a copy of the tree, and the wheel in an empty environment."""
    place = tmp_path_factory.mktemp("wheel")
    tree, fresh, folder = place / "tree", place / "venv", place / "elsewhere"
    tree.mkdir()
    folder.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tree / "src", ignore=ignored)
    # The wheel is built from the source archive, so that the archive is whole too.
    subprocess.run([sys.executable, "-m", "build", "--outdir", place, tree], check=True)
    (wheel,), (sdist,) = place.glob("*.whl"), place.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "venv", fresh], check=True, env=clean())
    python = fresh / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    constraints = ["--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, *constraints, f"{wheel}[{EXTRAS}]"], check=True, env=clean())
    return Installed(wheel, sdist, python, folder)


def test_whatever_is_not_python_ships(installed):
    """Tests that wheel and source archive have every template, text and table."""
    with zipfile.ZipFile(installed.wheel) as archive:
        inside = {name.removeprefix("boca/") for name in archive.namelist()}
    with tarfile.open(installed.sdist) as archive:
        packed = {name.partition("/src/boca/")[2] for name in archive.getnames()}

    assert data_files() - inside == set()
    assert data_files() - packed == set()


def test_every_data_file_can_be_read(installed):
    """Tests that tables parse and templates compile where the package was installed."""
    report = json.loads(installed.run("-c", READ_ALL).stdout)

    assert not Path(report["root"]).is_relative_to(ROOT)
    assert set(report["names"]) == data_files()
    assert {"me.html", "staff/run.html"} <= set(report["templates"])


def test_a_small_auction_runs(installed):
    """Tests that learning, solving, the outcome and its figure need nothing of the tree."""
    out = installed.folder / "run"
    sizes = ("--initial", "4", "--per-round", "2", "--budget", "8")
    text = installed.boca("run", "toy", *sizes, "--out", str(out))

    assert "efficiency loss" in text
    assert (out / "regret.png").stat().st_size > 0


def test_every_page_opens_and_the_log_verifies(installed):
    """Tests a whole live auction: bidder's and auctioneer's pages before and after its end."""
    server = LiveServer(installed.folder / "data", python=installed.python).start()
    try:
        sale = new_sale(server, server.clerk(), market_text(3))
        boss, bidder = server.boss, sale["Club A"]
        during = statuses(sale, boss, bidder)
        finish(sale)
        after = statuses(sale, boss, bidder)
        log = boss.get(sale.path("log.jsonl")).content
    finally:
        server.stop()

    answers = [*during.items(), *after.items()]
    assert [answer for answer in answers if answer[1] >= 500] == []
    opened = {page for page, code in answers if code == 200}
    assert {("boss", "/a/{auction}/run"), ("bidder", "/a/{auction}/me")} <= opened
    (installed.folder / "log.jsonl").write_bytes(log)
    assert "Everything holds." in installed.boca("verify", "log.jsonl")


def statuses(sale, boss, bidder) -> dict[tuple[str, str], int]:
    """Who, address -> the answer to asking for it."""
    fill = {"auction": sale.auction, "number": "0", "command": "close", "name": "page.css"}
    fill |= {"query": "r0-b0-q0", "token": "x" * 40, "key": "x" * 16, "step": "goods"}
    answers = {}
    for path in sorted(addresses()):
        for who, person in (("boss", boss), ("bidder", bidder)):
            answers[who, path] = person.get(path.format(**fill)).status_code
    return answers


def addresses() -> set[str]:
    """Every page that the application knows, streams and the API left out."""
    paths = set()

    def walk(routes) -> None:
        for route in routes:
            if hasattr(route, "path"):
                paths.update({route.path} if "GET" in (route.methods or ()) else set())
            else:
                walk(route.original_router.routes)  # what include_router leaves behind

    walk(build(SimpleNamespace(people=None), "http://localhost").routes)
    return {path for path in paths if not path.startswith("/api") and "events" not in path}
