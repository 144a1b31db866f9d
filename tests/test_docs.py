"""Documentation is tested too: names that it mentions exist, files that it shows load."""

import csv
import importlib
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from boca.domains.files.file_domain import load_market_file

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def modules_in_concepts() -> list[str]:
    return sorted(set(re.findall(r"`(boca\.[a-z_.]+)`", (DOCS / "concepts.md").read_text())))


@pytest.mark.parametrize("name", modules_in_concepts())
def test_modules_in_concepts_exist(name):
    """Tests that readers find what the table of words points at."""
    importlib.import_module(name)


def test_names_in_concepts_exist():
    """Tests that every capitalised or called name of a row is defined in the row's module."""
    for row in (DOCS / "concepts.md").read_text().splitlines():
        cells = row.split("|")
        if len(cells) < 6 or not (found := re.search(r"`(boca\.[a-z_.]+)`", cells[3])):
            continue
        module = importlib.import_module(found[1])
        for name in re.findall(r"`([A-Za-z_]+)", cells[2]):
            defined = hasattr(module, name) or name in Path(module.__file__).read_text()
            assert defined, f"{name} is not in {found[1]}"


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


def test_every_dependency_has_its_reason():
    """Tests that a package is not added without a line that says why."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    reasons = (DOCS / "dependencies.md").read_text()
    for requirement in listed:
        name = re.match(r"[A-Za-z0-9_-]+", requirement)[0]
        assert name == "boca" or name in reasons, name


def test_architecture_names_every_folder():
    """Tests that the picture of the tree is the tree."""
    page = (DOCS / "architecture.md").read_text()
    folders = [p.name for p in (ROOT / "src" / "boca").iterdir() if (p / "__init__.py").exists()]
    assert all(f"    {folder}/ " in page for folder in folders)


def test_front_page_has_the_figures_of_the_stored_runs():
    """Tests that losses, revenues and hours of our mechanisms follow the grid when it changes."""
    with (ROOT / "results" / "hybrid-summary.csv").open() as file:
        stored = {row["mechanism"]: row for row in csv.DictReader(file) if row["domain"] == "MRVM"}
    readme = (ROOT / "README.md").read_text()
    rows = re.findall(r"\| `(\w+)`, .* \| (.*) ± (.*) % \| (.*) ± (.*) % \| (.*) hours", readme)

    assert {name for name, *_ in rows} == {"hybrid", "mlhca", "boca"}
    for name, *figures in rows:
        row = stored[name]
        shown = [f"{float(row[key]):.2f}" for key in ("loss", "loss_ci")]
        shown += [f"{float(row[key]):.1f}" for key in ("revenue", "revenue_ci")]
        assert [*shown, f"{float(row['hours']):.3f}"] == figures
