import json
import os
import warnings
from pathlib import Path

import pytest

from boca.core.errors import SolverError
from boca.lab.domains import cache, load_domain
from boca.lab.domains.cache import CacheWarning
from boca.lab.domains.efficient import Efficient
from boca.lab.domains.sats.srvm import Srvm

EXPECTED = 4580.719612689756  # srvm, seed 10001


@pytest.fixture
def no_solving(monkeypatch):
    """Makes solving an error, so that an answer can only come from the cache."""

    def refuse(self):
        raise AssertionError("solved although the answer is on disk")

    return lambda: monkeypatch.setattr(Srvm, "solve", refuse)


def stored(folder: Path) -> Path:
    (path,) = folder.rglob("*.json")
    return path


def test_second_answer_comes_from_disk(own_cache, no_solving):
    """Tests that the optimum is computed once for all processes that share a folder."""
    first = load_domain("srvm", seed=10001).efficient()
    assert stored(own_cache).name == f"srvm-10001-v{Srvm.version}.json"
    no_solving()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = load_domain("srvm", seed=10001).efficient()
    assert second == first


def test_generic_view_shares_the_file(own_cache, no_solving):
    """Tests that both views use one stored answer."""
    load_domain("srvm", seed=10001).efficient()
    no_solving()
    assert load_domain("srvm", seed=10001, generic=True).efficient().welfare == EXPECTED
    assert stored(own_cache)


def test_other_version_is_not_used(own_cache, monkeypatch):
    """Tests that an answer of an older version is neither used nor lost."""
    load_domain("srvm", seed=10001).efficient()
    monkeypatch.setattr(Srvm, "version", Srvm.version + 1)
    load_domain("srvm", seed=10001).efficient()
    assert len(list(own_cache.rglob("*.json"))) == 2


def change(**entries):
    """A way to damage a stored answer: replaces some entries."""
    return lambda text: json.dumps({**json.loads(text), **entries})


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[1, 2]",
        lambda text: "{}",
        lambda text: "\x00 not json",
        change(key="srvm-10002-v1"),
        change(welfare=5000.0),
        change(welfare=float("nan")),
        change(welfare="much"),
        change(bound=1.0),
        change(bound=float("nan")),
        change(allocation=[[1] * 29] * 7),
        change(allocation=[[0] * 29] * 7),
        change(allocation=[[0] * 28] * 7),
        change(allocation=[[0], [0, 1]]),
        change(allocation="everything"),
    ],
)
def test_damaged_file_is_reported_and_replaced(own_cache, damage):
    """Tests that a damaged answer is never believed, that somebody is told, and that it heals."""
    load_domain("srvm", seed=10001).efficient()
    path = stored(own_cache)
    path.write_text(damage(path.read_text()))

    with pytest.warns(CacheWarning, match="srvm-10001-v1.*computed again"):
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED


def test_file_that_is_not_utf8(own_cache):
    """Tests bytes that are no text at all."""
    load_domain("srvm", seed=10001).efficient()
    stored(own_cache).write_bytes(b"\xff\xfe\x00")
    with pytest.warns(CacheWarning, match="computed again"):
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED


def test_folder_that_cannot_be_made(tmp_path, monkeypatch):
    """Tests that an unusable folder costs a warning that says what to do, not the answer."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("BOCA_CACHE", str(tmp_path / "file"))
    with pytest.warns(CacheWarning, match="Set BOCA_CACHE to a folder that can be written"):
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_folder_that_cannot_be_written(own_cache):
    """Tests a folder without permission to write."""
    own_cache.chmod(0o500)
    with pytest.warns(CacheWarning, match="cannot be kept"):
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED


def test_failed_write_leaves_nothing_behind(own_cache, monkeypatch):
    """Tests that a write which fails half-way leaves neither a broken nor a temporary file."""

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(CacheWarning, match="disk full"):
        load_domain("srvm", seed=10001).efficient()
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []


def test_no_home_directory(monkeypatch):
    """Tests a system user without a home."""

    def fail():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BOCA_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.Path, "home", fail)
    with pytest.warns(CacheWarning, match="home directory"):
        assert load_domain("srvm", seed=10001).efficient().welfare == EXPECTED


def test_where_answers_are_kept(monkeypatch):
    """Tests that the own variable beats the general one, which beats the home directory."""
    monkeypatch.setenv("BOCA_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache.folder() == Path("/a/efficient")
    monkeypatch.setenv("BOCA_CACHE", "")
    assert cache.folder() == Path("/b/boca/efficient")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/c")
    assert cache.folder() == Path("/c/.cache/boca/efficient")


def test_wrong_answer_of_a_solver_is_an_error(own_cache, monkeypatch):
    """Tests that an answer which contradicts itself is raised and not kept."""
    solve = Srvm.solve

    def too_good(self):
        found = solve(self)
        return Efficient(found.welfare + 1, found.allocation, found.bound + 1, found.method)

    monkeypatch.setattr(Srvm, "solve", too_good)
    with pytest.raises(SolverError, match="as claimed"):
        load_domain("srvm", seed=10001).efficient()
    assert list(own_cache.rglob("*.json")) == []
