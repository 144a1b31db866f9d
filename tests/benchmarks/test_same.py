"""``make same`` notices one changed byte, and nothing that time decides."""

import pytest
from recorded.steady import masked
from same import compare, main, read, show, write

PAGE = "200 text/html\n<p>pays 12.50</p>\n"


@pytest.fixture
def texts(tmp_path):
    """What was recorded, as it is read again."""
    write(tmp_path / "pages.jsonl.gz", [("sale/me", PAGE), ("sale/log", "a\nb\n")])
    return read(tmp_path, "pages")


def test_a_recording_is_read_as_it_was_written(texts):
    """Tests line ends and order; what did not change does not differ."""
    assert texts == {"sale/me": PAGE, "sale/log": "a\nb\n"}
    assert list(compare(texts, dict(texts))) == []


def test_one_changed_byte_is_noticed_and_shown(texts, capsys):
    """Tests the name of the page and the lines before and after."""
    changed = {**texts, "sale/me": PAGE.replace("12.50", "12.51")}
    differences = list(compare(texts, changed))
    assert [name for name, _ in differences] == ["sale/me"]
    show(differences, len(texts))
    shown = capsys.readouterr().out
    assert "-<p>pays 12.50</p>" in shown
    assert "+<p>pays 12.51</p>" in shown
    assert "1 of 2 records differ." in shown


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb\n", "b\na\n", ""])
def test_ends_of_lines_and_their_order_count(texts, text):
    """Tests differences that a comparison of lines alone would miss."""
    assert [name for name, _ in compare(texts, {**texts, "sale/log": text})] == ["sale/log"]


def test_pages_that_come_or_go_are_differences(texts):
    """Tests a page less and a page more."""
    assert list(compare(texts, {"sale/me": PAGE})) == [("sale/log", ["is gone"])]
    assert list(compare({"sale/me": PAGE}, texts)) == [("sale/log", ["is new"])]


def test_one_name_stands_for_one_record(tmp_path):
    """Tests that a record cannot hide another one."""
    with pytest.raises(SystemExit, match="Two records are called 'a'"):
        write(tmp_path / "part", [("a", "1"), ("a", "2")])


def test_only_seconds_and_hashes_are_masked():
    """Tests that amounts, limits, ids of questions and short hashes of people's words stay."""
    for text in (
        '{"payment": 12.5, "max_seconds_left": 1}', "r0-b1-q2", "12.50 EUR", "3 seconds left",
        "deadbeef", "2026-11-16T09:00:00Z", '"deadline_minutes": 60.5',
    ):  # fmt: skip
        assert masked(text) == text
    assert masked('"seconds": 0.0311, "welfare": 63.0') == '"seconds": 0, "welfare": 63.0'
    assert masked("Solved in 0.03 s (search).") == "Solved in 0 s (search)."
    assert masked("key " + "0f" * 32) == "key #"


def test_what_cannot_be_recorded_is_said(monkeypatch):
    """Tests a commit that there is not."""
    monkeypatch.setattr("sys.argv", ["same.py", "compare", "--with", "no-such-commit"])
    with pytest.raises(SystemExit, match="no-such-commit"):
        main()
