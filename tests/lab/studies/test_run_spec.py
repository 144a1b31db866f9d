"""Keys: what makes two runs the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runs import make_spec

from boca.core.errors import InputError
from boca.lab.studies import part_versions as versions
from boca.lab.studies import run_spec as spec_module
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.packed import read_packed
from boca.lab.studies.part_versions import changed_since
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


def test_published_experiments_bring_their_start_and_end():
    """Tests that the one word is enough: first bundles and end need no settings of their own."""
    letter, columns = make_spec("lsvm", 1, "boca-2023"), make_spec("lsvm", 1, "nn-2020")
    assert letter.setup.published_start
    assert letter.setup.stop_when_efficient
    assert columns.setup.stop_when_efficient
    assert not columns.setup.published_start
    assert make_spec("lsvm", 1, "boca-2023", proof=0.005) == letter
    assert make_spec("lsvm", 1, "boca-2023", proof="none").key != letter.key
    assert make_spec("lsvm", 1, "boca", proof="none") == make_spec("lsvm", 1, "boca")


@pytest.mark.parametrize("mechanism", ["cca", "hybrid", "vcg"])
def test_first_queries_do_not_matter_where_there_are_none(mechanism):
    """Tests that a mechanism without first queries has one run, however many they would be."""
    plain = make_spec("lsvm", 1, mechanism)
    few = make_spec("lsvm", 1, mechanism, num_initial=20)
    published = replace(plain, setting=replace(plain.setting, published_start=True))
    assert normalised(published) == normalised(plain)
    assert normalised(few) == normalised(plain)


def test_key_depends_on_what_the_parts_of_an_auction_do(monkeypatch):
    """Tests that a run is done again when a part of it changed, and kept when another one did."""
    networks, bundles = make_spec("lsvm", 1, "boca"), make_spec("lsvm", 1, "random")
    before = networks.key, bundles.key
    monkeypatch.setitem(versions.CHANGED, "surrogate mvnn", 99)

    assert networks.key != before[0]
    assert bundles.key == before[1]


def test_limits_count_where_there_are_some():
    """Tests that what changed for bidders with limits keeps the runs of markets without any."""
    assert make_spec("gsvm", 1, "random").parts["limits"] == 3
    assert "limits" not in make_spec("lsvm", 1, "random").parts


def test_releases_keep_their_runs():
    """
    Tests that stored runs are found again whatever common version they were made under, as long as
    nothing that decided them has changed: a grid that is unpacked goes on.
    """
    results = Path(__file__).parents[3] / "results"
    kept = {"table1": ("random", "svr", "cca", "nn", "ft"), "mrvm_row": ("boca",)}
    for name, mechanisms in kept.items():
        stored = [
            run
            for run in read_packed(results / f"{name}.json.gz").results
            if run["spec"]["mechanism"] in mechanisms
        ]
        assert {run["spec"]["mechanism"] for run in stored} == set(mechanisms)
        for run in stored:
            spec = RunSpec.from_dict(run["spec"])
            assert run["key"] in (spec.key, *spec.former_keys), spec.title
            assert not changed_since(run, spec.parts), spec.title


def test_what_has_changed_since_a_run_is_told_by_part():
    """Tests both kinds of stored runs: with one version of everything, and with one per part."""
    parts = {"instances": 2, "planner first": 4}

    assert changed_since({"results_version": 3}, parts) == ["planner first"]
    assert changed_since({"results_version": 4}, parts) == []
    assert changed_since({}, parts) == ["instances", "planner first"]
    assert changed_since({"parts": {"instances": 1, "planner first": 4}}, parts) == ["instances"]
    assert changed_since({"parts": parts}, parts) == []


def test_market_file_is_part_of_the_key(tmp_path, monkeypatch):
    """Tests that editing a market file or a table beside it makes a new run."""
    monkeypatch.setattr(spec_module, "_params", lambda domain, setting: AuctionParams())
    monkeypatch.setattr(spec_module, "has_limits", lambda domain, generic: False)
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


def test_a_number_in_the_place_of_a_table_is_refused():
    """Tests stopping = 5 in an experiment, which was once a traceback."""
    with pytest.raises(InputError, match=r"stopping is 5; expected a table of settings"):
        make_spec("lsvm", 1, "boca", stopping=5).params()
