"""Tests of reading and writing files."""

import os
from pathlib import Path

import pytest

from boca.core.errors import InputError
from boca.core.files import cache_folder, read_text, write_atomically


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    """Tests that a full disk costs nothing that was written before, and says so in a line."""
    target = tmp_path / "state.json"
    write_atomically(target, "old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"state\.json: No space left on device"):
        write_atomically(target, "new")

    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]  # no draft stays behind


def test_an_interrupted_write_leaves_no_draft(tmp_path, monkeypatch):
    """Tests that Ctrl-C in the middle of a write leaves neither file nor draft."""

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "state.json", b"new")
    assert list(tmp_path.iterdir()) == []


def test_files_have_the_usual_permissions(tmp_path):
    """Tests that others can read what an ordinary write would let them read."""
    write_atomically(tmp_path / "drafted", "x")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "drafted").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_missing_folder_is_a_sentence(tmp_path):
    """Tests that a folder that is not there is the user's business, not a traceback."""
    with pytest.raises(InputError, match="No such file or directory"):
        write_atomically(tmp_path / "missing" / "file", "x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no market file"),
        (b"\xff\xfe\x00", "line 1: found the byte 0xff, so the market file is not text in UTF-8"),
        (b"name\n= 'Zo\xeb'", "line 2: found the byte 0xeb"),
    ],
)
def test_unreadable_text_names_the_file(tmp_path, content, message):
    """Tests what people see when a file is missing or no text."""
    path = tmp_path / "m.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_text(path, "market file")


def test_folders_and_long_files_are_refused(tmp_path):
    """Tests that a wrong path costs neither a traceback nor the memory of a whole disk."""
    with pytest.raises(InputError, match="is a folder; name the market file inside it"):
        read_text(tmp_path, "market file")
    (tmp_path / "long").write_text("12345")
    assert read_text(tmp_path / "long", most_bytes=5) == "12345"
    with pytest.raises(InputError, match="has more than 4 bytes"):
        read_text(tmp_path / "long", most_bytes=4)


def test_byte_order_mark_is_dropped(tmp_path):
    """Tests files as spreadsheets save them."""
    (tmp_path / "bids.csv").write_bytes(b"\xef\xbb\xbfbidder")
    assert read_text(tmp_path / "bids.csv") == "bidder"


def test_cache_folder_follows_the_environment(monkeypatch):
    """Tests the order in which the places are looked up."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setenv("BOCA_CACHE", "/b")
    assert cache_folder("part") == Path("/b/part")
    monkeypatch.delenv("BOCA_CACHE")
    assert cache_folder("part") == Path("/x/boca/part")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder("part") == Path.home() / ".cache" / "boca" / "part"
