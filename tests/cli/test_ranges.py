"""The command that shows ranges."""

import pytest

from boca.cli.main import main


def run(capsys, *arguments) -> tuple[int, str, str]:
    """Exit code, output and messages of ``boca ranges``."""
    with pytest.raises(SystemExit) as end:
        main(["ranges", *map(str, arguments)])
    shown = capsys.readouterr()
    return int(end.value.code or 0), shown.out, shown.err


def test_papers_ranges_are_the_default(capsys):
    """Tests that all three domains of the paper's Table 2 have a column."""
    code, out, _ = run(capsys, "--format", "markdown")

    assert code == 0
    assert "| hyperparameter | lsvm | srvm | mrvm |" in out
    assert "| c_exp | [64, 256] log |" in out


def test_own_file_beside_a_stored_one(tmp_path, capsys):
    """Tests that a path is read as a file of ranges."""
    path = tmp_path / "mine.toml"
    path.write_text("[ranges]\nlearning_rate = { low = 0.002, high = 0.005 }\n")

    code, out, _ = run(capsys, "small", path, "--format", "markdown")

    assert code == 0
    assert "[0.002, 0.005]" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lsvn"], "There are no ranges 'lsvn'; did you mean 'lsvm'?"),
        (["missing.toml"], "missing.toml"),
        (
            ["lsvm", "--format", "html"],
            "Received --format html; expected table, markdown or latex.",
        ),
    ],
)
def test_mistakes_get_one_line(capsys, arguments, message):
    """Tests unknown names, missing files and formats."""
    code, _, err = run(capsys, *arguments)

    assert code != 0
    assert message in " ".join(err.split())
    assert "Traceback" not in err
