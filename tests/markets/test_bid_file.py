"""Tests of files of bids as a whole."""

import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boca.core import InputError
from boca.markets import read_bids

EXAMPLES = Path(__file__).parents[2] / "examples"
CSV = """bidder,value,Paris,Rome
capacity,,1,2
reserve,,3,
Ann,10,1,
Ann,14,1,1
"Bo, Ltd",5,,2
"""
JSON = {
    "goods": {"Paris": 1, "Rome": 2},
    "reserve": {"Paris": 3},
    "limits": [{"bidder": "Ann", "coefficients": {"Paris": 1, "Rome": 1}, "bound": 2}],
    "bids": [
        {"bidder": "Ann", "value": 10, "bundle": ["Paris"]},
        {"bidder": "Ann", "value": 14, "bundle": {"Paris": 1, "Rome": 1}},
        {"bidder": "Bo, Ltd", "value": 5, "bundle": ["Rome", "Rome"]},
    ],
}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_csv_and_json_say_the_same(tmp_path):
    """Tests both formats on one auction with capacities, reserve prices and a quoted name."""
    table = read_bids(written(tmp_path, "a.CSV", CSV))
    tree = read_bids(written(tmp_path, "a.json", json.dumps(JSON)))

    assert table.market.goods == tree.market.goods
    assert table.reports == tree.reports
    assert table.reserve.tolist() == tree.reserve.tolist() == [3, 0]
    assert table.reports[1].bundles.tolist() == [[0, 2]]
    assert [b.name for b in table.market.bidders] == ["Ann", "Bo, Ltd"]
    assert tree.market.bidders[0].limits[0].bound == 2


@pytest.mark.parametrize("name", ["auction.cats", "bids.csv"])
def test_examples_load(name):
    """Tests the files that the documentation shows."""
    assert read_bids(EXAMPLES / name).market.num_bidders > 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Ann,10,1,", "Ann,10,2,", "line 4: found 2 copies of 'Paris'; expected at most 1"),
        ("Ann,14,1,1", "Ann,14,1,", "line 5: 'Ann' bids a second time on the bundle of line 4"),
        (CSV[CSV.index("Ann,10") :], "", "a.csv: there are no bids"),
    ],
)
def test_bids_that_do_not_fit_together(tmp_path, old, new, message):
    """Tests what only shows when the whole file is known."""
    with pytest.raises(InputError) as refused:
        read_bids(written(tmp_path, "a.csv", CSV.replace(old, new, 1)))

    assert message in str(refused.value)


@pytest.mark.parametrize(("name", "is_said"), [("shop.toml", True), ("shop.cats", False)])
def test_a_file_that_is_read_as_cats_by_its_ending_is_told_so(tmp_path, name, is_said):
    """Tests that whoever names a market file learns why goods and bids are expected in it."""
    (tmp_path / name).write_text('[[goods]]\nname = "a"\n')

    with pytest.raises(InputError, match="line 1") as caught:
        read_bids(tmp_path / name)

    sentence = " The file was read in the format of CATS, because its name ends in neither .csv, "
    sentence += ".xlsx nor .json."
    assert (sentence in str(caught.value)) == is_said


def test_limit_of_nobody(tmp_path):
    """Tests that a limit for a misspelt bidder is not dropped in silence."""
    text = json.dumps(JSON).replace(
        '{"bidder": "Ann", "coefficients"', '{"bidder": "An", "coefficients"'
    )
    with pytest.raises(InputError, match="a limit is for 'An', who makes no bid"):
        read_bids(written(tmp_path, "a.json", text))


def test_unreadable_files_are_named(tmp_path):
    """Tests files that are missing or no text."""
    with pytest.raises(InputError, match="There is no bid file"):
        read_bids(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_bids(tmp_path / "b.csv")


def test_name_of_the_file_cannot_speak_to_the_terminal(tmp_path):
    """Tests that a market called after its file is safe to print."""
    bids = read_bids(written(tmp_path, "a\x1b[2J.csv", CSV))

    assert bids.market.name.endswith(r"a\x1b[2J.csv")


def test_bids_of_the_documentation_load(tmp_path):
    """Tests the examples that people copy, in CSV and JSON."""
    page = (EXAMPLES.parent / "docs" / "bid_files.md").read_text()
    table = re.findall(r"```csv\n(.*?)```", page, flags=re.DOTALL)[0]
    tree = re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)[0]

    bids = read_bids(written(tmp_path, "a.csv", table))
    assert [bidder.name for bidder in bids.market.bidders] == ["Ann", "Reserve"]
    assert bids.reserve.tolist() == [5, 5]
    assert read_bids(written(tmp_path, "a.json", tree)).market.capacities.tolist() == [1, 2]


CATS = "goods 2\nbids 3\ndummy 1\n0 5.5 0 2 #\n1 8 0 1 2 #\n2 3 1 #\n"
FILES = {"a.csv": CSV, "a.json": json.dumps(JSON), "a.cats": CATS}
FRAGMENTS = st.one_of(
    st.text(max_size=4),
    st.sampled_from(
        ['"', ",", "\n", "{", "}", "[", "]", ":", "#", " ", "\\", "\\u0000", "\x1b[2J", "\x00"]
        + ["-1", "1e999", "NaN", "true", "null", "0.5", "goods", "dummy 9", "Ann", "capacity,,"]
    ),
)


@given(st.sampled_from(sorted(FILES)), st.integers(0, 800), st.integers(0, 30), FRAGMENTS)
@settings(max_examples=300, deadline=None)
def test_no_damage_gives_a_traceback(name, start, length, fragment):
    """Tests that a file damaged anywhere is still read, or refused with a line of our own."""
    text = FILES[name]
    start %= len(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text[:start] + fragment + text[start + length :], errors="surrogatepass")
        message = f"{path} is fine"
        try:
            read_bids(path)
        except InputError as error:
            message = str(error)
        assert str(path) in message  # it says which file
        assert message.isprintable()


@pytest.mark.parametrize(
    ("name", "first", "bidder", "word"),
    [
        ("bids.csv", "", "Supplier 1", "Supplier"),
        ("bids.csv", "# costs in euros\n", "Ann", "costs"),
        ("best_offer.csv", "", "Ann", "offer"),
        ("bids.csv", "", "Costa", ""),
        ("bids.csv", "# coffers\n", "Ann", ""),
    ],
)
def test_files_of_buyers_are_noticed(tmp_path, name, first, bidder, word):
    """Tests words by which values may be costs, of which the largest would win."""
    path = tmp_path / name
    path.write_text(f"{first}bidder,value,A\n{bidder},10,1\n")
    bids = read_bids(path)

    assert bids.word_of_buying == word
    assert (f"the file says '{word}'" in bids.doubt) == bool(word)
