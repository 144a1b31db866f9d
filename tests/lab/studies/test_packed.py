"""Packed experiments: everything that reports need, in one small file."""

import gzip
import json

import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import InputError
from boca.lab.studies import packed as packed_module
from boca.lab.studies.grid import parse_grid
from boca.lab.studies.packed import read_packed, unpack, write_packed
from boca.lab.studies.store import Store

GRID = parse_grid({"name": "pair", "seeds": "1-3", "domains": "lsvm", "mechanisms": "boca"})
RESULTS = [
    make_result(make_spec("lsvm", seed, "boca"), loss=seed, allocation=[[1]], payments=[2.0])
    for seed in (1, 2)
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pair.json.gz"
    write_packed(path, RESULTS, [GRID])
    return path


def test_content_comes_back(file):
    """Tests that nothing a report needs is lost, and the rest is left out."""
    packed = read_packed(file)

    expected = [
        {name: value for name, value in result.items() if name not in ("allocation", "payments")}
        for result in sorted(RESULTS, key=lambda result: result["key"])
    ]
    assert list(packed.results) == expected
    assert packed.name == "pair"
    assert packed.planned() == GRID.runs()


def test_same_runs_give_the_same_bytes(file, tmp_path):
    """Tests that packing again changes nothing, whatever the order and the time."""
    again = tmp_path / "again.json.gz"
    write_packed(again, RESULTS[::-1], [GRID])

    assert again.read_bytes() == file.read_bytes()


def test_unpacked_experiment_goes_on(file, tmp_path):
    """Tests that packed runs count as done, and that packing them again gives the same file."""
    store = Store(tmp_path / "folder")
    first, second, third = GRID.runs()
    own = make_result(first, loss=7)
    store.create()
    store.save(first.key, own)

    assert unpack(read_packed(file), store) == 1
    assert store.read(first.key) == own, "what the folder had was replaced"
    assert store.is_done(second.key)
    assert not store.is_done(third.key)
    assert store.planned() == GRID.runs()

    (tmp_path / "folder" / "runs" / f"{first.key}.json").unlink()
    unpack(read_packed(file), store)
    again = tmp_path / "again.json.gz"
    write_packed(again, store.results(), store.grids())
    assert again.read_bytes() == file.read_bytes()


def test_keys_cannot_lead_out_of_the_folder(tmp_path):
    """Tests that a run's key, which names a file, is nothing but a key."""
    path = tmp_path / "pair.json.gz"
    write_packed(path, [{**RESULTS[0], "key": "../../gone"}], [GRID])

    with pytest.raises(InputError, match="16 hexadecimal digits"):
        unpack(read_packed(path), Store(tmp_path / "folder"))
    assert not (tmp_path / "folder").exists()


def test_bad_run_is_left_out(file):
    """Tests that one damaged entry does not cost the others."""
    content = json.loads(gzip.decompress(file.read_bytes()))
    content["results"].append({"key": "x"})
    file.write_bytes(gzip.compress(json.dumps(content).encode()))

    with pytest.warns(UserWarning, match="Run 3 of .* has no number"):
        assert len(read_packed(file).results) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"hello", "Cannot read"),
        (gzip.compress(b"hello")[:-4], "Cannot read"),
        (gzip.compress(b"hello"), "no packed experiment"),
        (gzip.compress(b"[]"), "no packed experiment"),
        (gzip.compress(b"[" * 100_000), "no packed experiment"),
        (gzip.compress(b'{"format": "other", "results": []}'), "no packed experiment"),
        (
            gzip.compress(b'{"format": "boca experiment", "results": [], "grids": ["seeds = "]}'),
            "not TOML",
        ),
        (gzip.compress(b'{"format": "boca experiment", "results": [], "grids": [5]}'), "not TOML"),
    ],
    ids=["text", "cut", "no JSON", "list", "deep", "other", "bad plan", "no plan"],
)
def test_other_files_get_one_sentence(tmp_path, content, words):
    """Tests files that are not what their name says."""
    file = tmp_path / "bad.json.gz"
    file.write_bytes(content)

    with pytest.raises(InputError, match=words):
        read_packed(file)


def test_bombs_are_not_unfolded(file, monkeypatch):
    """Tests that a small file cannot fill the memory."""
    monkeypatch.setattr(packed_module, "LARGEST", 100)

    with pytest.raises(InputError, match="unfolds to more than 100 bytes"):
        read_packed(file)


def test_names(tmp_path):
    """Tests that a file which would not be recognised again is not written."""
    with pytest.raises(InputError, match="ends with"):
        write_packed(tmp_path / "pair.json", RESULTS, [GRID])
    with pytest.raises(InputError, match="There is no packed experiment"):
        read_packed(tmp_path / "none.json.gz")
