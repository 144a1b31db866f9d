"""What holds for the project as a whole: versions, and the files around the code."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import boca

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "boca"

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pinned_versions() -> dict[str, str]:
    """Package -> its exact version in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text().split()
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): version for name, version in pairs}


def declared_requirements() -> list[Requirement]:
    """What pyproject.toml asks for, extras included, without the project itself."""
    texts = [*PROJECT["dependencies"], *(text for extra in EXTRAS.values() for text in extra)]
    requirements = [Requirement(text) for text in texts]
    return [requirement for requirement in requirements if requirement.name != PROJECT["name"]]


def required_packages(name: str, extras: frozenset[str], seen: set[str]) -> set[str]:
    """A package and everything it needs here, as far as it is installed."""
    if name in seen:
        return seen
    seen.add(name)
    try:
        texts = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return seen
    for requirement in map(Requirement, texts):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            required_packages(
                canonicalize_name(requirement.name), frozenset(requirement.extras), seen
            )
    return seen


@pytest.mark.parametrize("requirement", declared_requirements(), ids=str)
def test_every_dependency_has_an_exact_version(requirement):
    """Tests that an installation of today can be repeated, with versions that we allow."""
    version = pinned_versions().get(canonicalize_name(requirement.name))

    assert version, f"constraints.txt has no line '{requirement.name}==...'"
    assert requirement.specifier.contains(version)


def test_what_dependencies_need_has_an_exact_version_too():
    """Tests that no package comes in unpinned behind another one's back."""
    names: set[str] = set()
    for requirement in declared_requirements():
        required_packages(canonicalize_name(requirement.name), frozenset(requirement.extras), names)

    assert names - pinned_versions().keys() == set()


@pytest.mark.parametrize("requirement", declared_requirements(), ids=str)
def test_every_dependency_has_a_reason(requirement):
    """Tests that the page of dependencies names each, so that none stays out of habit."""
    assert requirement.name.lower() in (ROOT / "docs" / "dependencies.md").read_text().lower()


def test_messages_recommend_extras_that_exist():
    """Tests that who follows the advice to install an extra gets the package it is about."""
    call = re.compile(r'MissingExtra\(\s*"([^"]+)",\s*"([^"]+)"')
    advice = [pair for path in SOURCE.rglob("*.py") for pair in call.findall(path.read_text())]

    assert advice
    for package, extra in advice:
        names = [canonicalize_name(Requirement(text).name) for text in EXTRAS[extra]]
        assert canonicalize_name(package) in names


def test_citation_names_software_and_paper():
    """Tests that who cites us cites this version, and the paper whose mechanism it is."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())

    assert citation["version"] == boca.__version__
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == boca.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == [{"name": "The boca developers"}]
    assert citation["references"][0]["doi"] == "10.1609/aaai.v37i5.25726"


def test_the_workflow_covers_every_python_we_name():
    """Tests that what the package claims to support is what is tested."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    prefix = "Programming Language :: Python :: "
    claimed = [text.removeprefix(prefix) for text in PROJECT["classifiers"] if prefix in text]

    matrix = workflow["jobs"]["matrix"]["strategy"]["matrix"]
    assert matrix["python"] == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    assert matrix["dependencies"] == ["lowest", "newest"]


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / ".github").rglob("*.yml")) + [ROOT / ".pre-commit-config.yaml"],
    ids=lambda path: path.name,
)
def test_files_around_the_code_can_be_read(path):
    """Tests that a slip of indentation does not silently switch a check off."""
    assert yaml.safe_load(path.read_text())
