"""Keys: what makes two runs the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runs import make_spec

from boca.lab.studies import run_spec as spec_module
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.packed import read_packed
from boca.lab.studies.run_spec import RunSpec, normalised
from boca.mechanism import AuctionParams


def test_key_depends_on_everything_that_matters():
    """Tests that runs with any difference have different keys."""
    base = make_spec("lsvm", 1, "boca")
    others = [
        make_spec("srvm", 1, "boca"),
        make_spec("lsvm", 2, "boca"),
        make_spec("lsvm", 1, "mvnn"),
        make_spec("lsvm", 1, "boca", q=0.6),
        make_spec("lsvm", 1, "boca", num_initial=20),
        make_spec("lsvm", 1, "boca", stopping__patience=3),
        make_spec("lsvm", 1, "boca", surrogate__epochs=5),
        replace(base, setting=replace(base.setting, generic=True)),
        replace(base, setting=replace(base.setting, published_start=True)),
        replace(base, setting=replace(base.setting, stop_when_efficient=True)),
    ]

    assert len({spec.key for spec in (base, *others)}) == 1 + len(others)


def test_paper_winner_and_its_quantile_are_the_same_run():
    """Tests that naming the quantile that would be chosen anyway does not repeat a run."""
    assert make_spec("lsvm", 1, "boca", q=0.9) == make_spec("lsvm", 1, "boca")


@pytest.mark.parametrize("mechanism", ["cca", "hybrid", "vcg"])
def test_first_queries_do_not_matter_where_there_are_none(mechanism):
    """Tests that a mechanism without first queries has one run, however many they would be."""
    plain = make_spec("lsvm", 1, mechanism)
    few = make_spec("lsvm", 1, mechanism, num_initial=20)
    published = replace(plain, setting=replace(plain.setting, published_start=True))
    assert normalised(published) == normalised(plain)
    assert normalised(few) == normalised(plain)


def test_key_depends_on_what_auctions_do(monkeypatch):
    """Tests that a version with other results never takes an old one for its own."""
    before = make_spec().key
    monkeypatch.setattr(spec_module, "RESULTS_VERSION", 99)

    assert make_spec().key != before


def test_releases_keep_their_runs():
    """
    Tests that stored runs of the present results are found again, so that grids can go on: of
    mechanisms whose presets have not changed since.
    """
    results = Path(__file__).parents[3] / "results"
    present = [
        run
        for run in read_packed(results / "lanes.json.gz").results
        if run["results_version"] == spec_module.RESULTS_VERSION
        and run["spec"]["mechanism"] == "random"
    ]

    assert present
    assert all(RunSpec.from_dict(run["spec"]).key == run["key"] for run in present)


def test_market_file_is_part_of_the_key(tmp_path, monkeypatch):
    """Tests that editing a market file or a table beside it makes a new run."""
    monkeypatch.setattr(spec_module, "_params", lambda domain, setting: AuctionParams())
    file = tmp_path / "fair.toml"
    keys = set()
    for text, table in (("a", "1"), ("b", "1"), ("b", "2")):
        file.write_text(text)
        (tmp_path / "bids.csv").write_text(table)
        market_hash.cache_clear()
        keys.add(make_spec(str(file)).key)

    assert len(keys) == 3


def test_plain_values_and_back():
    """Tests that a run survives its result file."""
    spec = make_spec("lsvm", 1, "boca", num_initial=20, surrogate__epochs=5)

    assert RunSpec.from_dict(spec.to_dict()) == spec


def test_settings_are_in_the_key_in_full():
    """
    Tests that a key depends on settings that nobody changed too: another default of the auction,
    its planners or its networks makes other keys, so that old results are not taken for new ones.
    """
    params = make_spec("gsvm", 1, "boca").params()
    settings = json.dumps(params.to_dict())

    for name in ("num_total", "min_gain", "economies", "num_per_round", "max_attempts"):
        assert f'"{name}"' in settings


def test_another_default_makes_another_key(monkeypatch):
    """Tests the same on a hyperparameter: only its default differs, and so does the key."""
    spec = make_spec("gsvm", 1, "boca")
    params, key = spec.params(), spec.key
    changed = params.changed("surrogate.max_attempts", 7)
    monkeypatch.setattr(spec_module, "_params", lambda domain, setting: changed)

    assert spec.key != key
