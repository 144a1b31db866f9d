"""The examples of the pages on experiments work."""

import re
import tomllib
from pathlib import Path

from boca.lab.studies.grid import load_grid, parse_grid

ROOT = Path(__file__).parents[3]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_file_of_the_page_is_a_grid():
    """Tests the file that people copy, down to the settings of its last run."""
    grid = parse_grid(tomllib.loads(blocks("experiments.md", "toml")[0]))

    runs = grid.runs()
    # "best" is 0.9 in both domains, and random search has no hyperparameters.
    assert len(runs) == 11 * 2 * 2 * (1 + 1 + 1)
    for mechanism, expected in (("boca", (32, 0.3)), ("mvnn", (64, 0.1))):
        params = [spec.params() for spec in runs if spec.setting.mechanism == mechanism]
        networks = [one.phase("acquisition").surrogate.params["national"] for one in params]
        assert {(net.hidden_units, net.steps_fraction) for net in networks} == {expected}
    boca = [spec.params() for spec in runs if spec.setting.mechanism == "boca"]
    assert {params.phase("first").num_queries for params in boca} == {20, 40}
    assert {params.stopping.patience for params in boca} == {5}


def test_python_of_the_page_runs(tmp_path, monkeypatch, capsys):
    """Tests the example from Python."""
    monkeypatch.chdir(tmp_path)
    exec(blocks("experiments.md", "python")[0], {})

    assert "Mean(mean=" in capsys.readouterr().out


FILES = sorted((ROOT / "experiments").glob("*.toml"))


def test_table_of_files_counts_right():
    """Tests that the ready files have as many runs as the page says."""
    text = (ROOT / "docs" / "experiments.md").read_text()
    rows = re.findall(r"\| `(experiments/\w+\.toml)` \| .* \| (\d+) \|", text)

    assert {name for name, _ in rows} == {f"experiments/{p.name}" for p in FILES}
    for name, count in rows:
        assert len(load_grid(ROOT / name).runs()) == int(count)


def test_cluster_example_is_python():
    """Tests that the SLURM example at least compiles; there is no SLURM here to run it."""
    compile(blocks("cluster.md", "python")[0], "cluster.md", "exec")
