"""Stored runs as data frames."""

import builtins

import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import MissingExtra
from boca.lab.reports.frames import paths_frame, results_frame, summary_frame
from boca.lab.studies.packed import write_packed
from boca.lab.studies.store import Store


@pytest.fixture
def experiment(tmp_path):
    """A folder with three finished runs, of which one has three rounds."""
    store = Store(tmp_path / "tiny")
    store.create()
    path = [(40, 30.0), (60, 20.0), (100, 5.0)]
    for seed, mechanism, loss in ((1, "boca", 5.0), (2, "boca", 7.0), (1, "random", 9.0)):
        spec = make_spec("lsvm", seed, mechanism)
        rounds = path if (seed, mechanism) == (1, "boca") else None
        store.save(spec.key, make_result(spec, loss, path=rounds))
    return store.path


def test_frames_have_a_row_per_run_round_and_cell(experiment):
    """Tests numbers and units: fractions where runs have fractions, per cent in summaries."""
    runs = results_frame(experiment)
    means = runs.groupby("mechanism").efficiency_loss.mean()
    assert means.to_dict() == pytest.approx({"boca": 0.06, "random": 0.09})
    assert runs["auction.num_total"].tolist() == [100] * 3

    paths = paths_frame(experiment)
    one = paths[(paths.mechanism == "boca") & (paths.seed == 1)]
    assert one.queries.tolist() == [40, 60, 100]
    assert one.efficiency_loss.tolist() == pytest.approx([0.3, 0.2, 0.05])
    assert len(paths) == 3 + 2 + 2

    cells = summary_frame(experiment).set_index("mechanism")
    assert cells.loss.to_dict() == pytest.approx({"boca": 6.0, "random": 9.0})


def test_packed_experiments_give_the_same_frame(experiment, tmp_path):
    """Tests that what the repository keeps serves as well as a folder."""
    packed = tmp_path / "tiny.json.gz"
    write_packed(packed, Store.open(experiment).results(), [])
    assert results_frame(packed).equals(results_frame(experiment))


def test_without_pandas_the_extra_is_named(experiment, monkeypatch):
    """Tests that nobody has to guess what to install."""
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"\[frames\]"):
        results_frame(experiment)
