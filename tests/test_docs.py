"""Documentation is tested too: names that it mentions exist, files that it shows load."""

import ast
import csv
import html
import importlib
import re
import subprocess
import sys
import tomllib
from dataclasses import MISSING, fields
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

import boca
from boca.cli.main import SUBCOMMANDS, run
from boca.lab.domains.files.file_domain import load_market_file
from boca.live.auction.rules import Rules

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def modules_in_concepts() -> list[str]:
    return sorted(set(re.findall(r"`(boca\.[a-z_.]+)`", (DOCS / "concepts.md").read_text())))


@pytest.mark.parametrize("name", modules_in_concepts())
def test_modules_in_concepts_exist(name):
    """Tests that readers find what the table of words points at."""
    importlib.import_module(name)


def names_of(module: ModuleType) -> set[str]:
    """What a module defines, parts of its classes included; what a folder's front offers."""
    if hasattr(module, "__path__"):
        return set(module.__all__)
    names = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return names


def test_names_in_concepts_exist():
    """
    Tests that every name of a row is defined in the row's module, and not only imported or
    mentioned there: readers open the module to find it.
    """
    for row in (DOCS / "concepts.md").read_text().splitlines():
        cells = row.split("|")
        if len(cells) < 6 or not (place := re.search(r"`(boca\.[a-z_.]+)`", cells[3])):
            continue
        module = importlib.import_module(place[1])
        for code in re.findall(r"`([^`]+)`", cells[2]):
            name, *parts = code.split("(")[0].split(".")
            assert name in names_of(module), f"{name} is not in {place[1]}"
            for part in parts:
                owner = getattr(module, name)
                has_it = hasattr(owner, part) or part in owner.__dataclass_fields__
                assert has_it, f"{name} has no {part}"


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def test_market_file_of_the_documentation_loads(tmp_path):
    """Tests the first example that people copy, and the worked value below it."""
    shop, additive = blocks("market_files.md", "toml")
    path = tmp_path / "shop.toml"
    path.write_text(shop)
    assert load_market_file(path).efficient().welfare == 5 + 3 * 3

    path.write_text(shop.replace("values = { Apples = 2, Bread = 5 }", additive))
    assert load_market_file(path).values(0, [[2, 1]]).tolist() == [10.5]


def test_bids_of_the_documentation_load(tmp_path):
    """Tests the CSV example: two apples are worth the bid for one."""
    shop = blocks("market_files.md", "toml")[0]
    (tmp_path / "bids.csv").write_text(blocks("market_files.md", "csv")[0])
    path = tmp_path / "shop.toml"
    path.write_text(shop + '\n[[bidders]]\nname = "Cid"\nbids = "bids.csv"\n')

    assert load_market_file(path).values(2, [[2, 0], [2, 1]]).tolist() == [4, 9]


def test_auction_by_hand_goes_as_on_its_page(tmp_path, monkeypatch, capsys):
    """Tests the worked example: its questions, its answers and what the commands say."""
    monkeypatch.chdir(tmp_path)
    Path("shop.toml").write_text(blocks("market_files.md", "toml")[0])
    page = (DOCS / "by_hand.md").read_text()
    start, answer = re.findall(r"^    \$ boca (auction .*)$", page, flags=re.MULTILINE)
    (sheet,) = blocks("by_hand.md", "csv")

    assert run(start.split()) == 0
    questions = Path("fair/questions.csv")
    assert questions.read_text() == re.sub(r"(\d,\d,).*", r"\1", sheet)
    questions.write_text(sheet)
    assert run(answer.split()) == 0

    printed = capsys.readouterr().out
    for line in ("6 questions in fair/questions.csv", "5 answers taken; 1 question is open."):
        assert line in printed
        assert line in page


def test_every_dependency_has_its_reason():
    """Tests that a package is not added without a line that says why."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    reasons = (DOCS / "dependencies.md").read_text()
    for requirement in listed:
        name = re.match(r"[A-Za-z0-9_-]+", requirement)[0]
        assert name == project["name"] or name in reasons, name


def test_architecture_names_every_folder():
    """Tests that the picture of the tree is the tree."""
    page = (DOCS / "architecture.md").read_text()
    source = ROOT / "src" / "boca"
    fronts = [*source.glob("*/__init__.py"), *source.glob("l[ai][bv]*/*/__init__.py")]
    rooms = {path.parent.relative_to(source).as_posix() for path in fronts} - {"lab", "live"}
    assert {room for room in rooms if f" {room}/ " not in page} == set()


def test_front_page_has_the_figures_of_the_stored_runs():
    """Tests that losses, revenues and times of our mechanisms follow the grid when it changes."""
    with (ROOT / "results" / "hybrid-summary.csv").open() as file:
        stored = {row["mechanism"]: row for row in csv.DictReader(file) if row["domain"] == "MRVM"}
    readme = (ROOT / "README.md").read_text()
    rows = re.findall(r"\| `(\w+)`, .* \| (.*) ± (.*) % \| (.*) ± (.*) % \| (.*?) seconds", readme)

    assert {name for name, *_ in rows} == {"hybrid", "mlhca", "boca"}
    for name, *figures in rows:
        row = stored[name]
        shown = [f"{float(row[key]):.2f}" for key in ("loss", "loss_ci")]
        shown += [f"{float(row[key]):.1f}" for key in ("revenue", "revenue_ci")]
        assert [*shown, f"{3600 * float(row['hours']):.0f}"] == figures


def python_blocks() -> dict[str, str]:
    """Python of the pages that runs as it stands, by page and number."""
    wanted = {"auction.md": (0, 1), "domains.md": (0, 1), "reports.md": (0,), "tour.md": (0,)}
    wanted |= {"api.md": (0,), "winner_determination.md": (0,)}
    wanted |= {"procurement.md": (0,), "procurement_questions.md": (0,), "exchange.md": (0,)}
    wanted |= {"courses_comparisons.md": (0,)}
    return {
        f"{page}, {number + 1}": blocks(page, "python")[number]
        for page, numbers in wanted.items()
        for number in numbers
    }


@pytest.mark.parametrize("name", python_blocks())
def test_python_of_the_pages_runs(name):
    """Tests what people copy first, each block in a process of its own."""
    command = [sys.executable, "-c", python_blocks()[name]]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr


def test_python_of_the_mechanisms_is_that_of_the_examples():
    """Tests that excerpts on the page do not drift away from the files that are run."""
    examples = "".join(path.read_text() for path in (ROOT / "examples").glob("*.py"))
    without_docstrings = re.sub(r'    """(.|\n)*?"""\n\n?', "", examples)
    for block in blocks("own_mechanisms.md", "python"):
        for part in re.sub(r'    """(.|\n)*?"""\n\n?', "", block).strip().split("\n\n\n"):
            assert part in without_docstrings, part


def test_every_rule_of_a_live_auction_is_in_its_table():
    """Tests names and defaults of the keys of [auction], so that nobody has to read the source."""
    page = (DOCS / "live.md").read_text().split("## The rules")[1].split("\n## ")[0]
    table = dict(re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", page, flags=re.MULTILINE))
    defaults = {
        f.name: f.default if f.default is not MISSING else f.default_factory()
        for f in fields(Rules)
        if f.name not in ("conduct", "at_most")  # told by the mechanism, and by lots
    }
    shown = tomllib.loads("\n".join(f"{key} = {value}" for key, value in table.items()))
    plain = {key: list(v) if isinstance(v, tuple) else v for key, v in defaults.items()}
    assert shown == plain


def test_every_command_is_on_its_page():
    """Tests the table of commands, and that it names nothing that does not exist."""
    page = (DOCS / "commands.md").read_text()
    named = set(re.findall(r"^\| .*", page, flags=re.MULTILINE))
    words = set(re.findall(r"`boca ([a-z]+)", " ".join(named)))
    assert words == set(SUBCOMMANDS)


def test_links_between_pages_lead_somewhere():
    """Tests files and headings that the pages point at."""
    for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))):
        links = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)", page.read_text())
        for file, anchor in links:
            target = page.parent / file if file else page
            assert target.exists(), f"{page.name} links to {file}"
            if anchor:
                headings = re.findall(r"^#+ (.*)", target.read_text(), flags=re.MULTILINE)
                anchors = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings]
                assert anchor in anchors, f"{page.name} links to {file}#{anchor}"


def test_pages_install_from_a_clone():
    """Tests that nobody is sent to PyPI, where the name belongs to another project."""
    for page in (ROOT / "README.md", *DOCS.glob("*.md")):
        assert not re.search(r"pip install '?boca", page.read_text()), page.name


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    """
    Tests `make docs`: every page, public name and example, which runs and draws something, and that
    nothing is loaded from elsewhere.
    """
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(site)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for name in boca.__all__:
        if name != "PRESETS":
            assert (site / "_api" / f"boca.{name}.html").is_file(), name
    for script in (ROOT / "examples").glob("*.py"):
        assert (site / "gallery" / f"{script.stem}.html").is_file()
        assert (site / "_images" / f"sphx_glr_{script.stem}_001.png").is_file(), "no figure"
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert not re.search(r'<(script|link|img)[^>]+(src|href)="https?:', text), page
        for link in re.findall(r'<a [^>]*href="([^"#]+)', text):
            there = (page.parent / html.unescape(link)).exists()
            assert there or re.match("[a-z]+:", link), f"{page.name} links to {link}"
