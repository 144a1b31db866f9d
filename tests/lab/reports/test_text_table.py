"""Tables as Markdown, LaTeX and CSV."""

from boca.lab.reports.text_table import TextTable, flat, latex_text, to_csv

TABLE = TextTable(
    "Loss in %", ("domain", "a_b"), (("LSVM", "1.00 ± 0.50"), ("x|y", "-")), 1, ("A note.",)
)


def test_markdown():
    """Tests the whole text, with a bar inside a cell that must not end it."""
    assert TABLE.to_markdown() == (
        "**Loss in %**\n\n"
        "| domain | a_b |\n"
        "| --- | --: |\n"
        "| LSVM | 1.00 ± 0.50 |\n"
        "| x/y | - |\n"
        "\n- A note.\n"
    )


def test_latex():
    """Tests that LaTeX sees no special character that it would take for its own."""
    text = TABLE.to_latex()

    assert r"\caption{Loss in \%}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"domain & a\_b \\" in text
    assert r"LSVM & 1.00 $\pm$ 0.50 \\" in text


def test_latex_text():
    """Tests every special character at once."""
    assert latex_text(r"a&b%c$d#e_f{g}≤") == r"a\&b\%c\$d\#e\_f\{g\}$\leq$"


def test_csv_has_all_columns():
    """Tests that rows with different keys share one header."""
    assert to_csv([{"a": 1}, {"a": 2, "b": "x,y"}]) == 'a,b\n1,\n2,"x,y"\n'


def test_flat():
    """Tests dotted names of nested values."""
    assert flat({"a": 1, "b": {"c": {"d": 2}, "e": 3}}) == {"a": 1, "b.c.d": 2, "b.e": 3}
    phases = [{"name": "first", "num": 3}, {"name": "last", "num": 4}]
    assert flat({"p": phases}) == {
        "p.first.name": "first",
        "p.first.num": 3,
        "p.last.name": "last",
        "p.last.num": 4,
    }
    assert flat({"p": [1, 2], "q": [], "r": [{"x": 1}]}) == {"p": [1, 2], "q": [], "r": [{"x": 1}]}


def test_transposed_keeps_every_cell():
    """Tests that columns become rows, labelled by the words of their row."""
    wide = TextTable("t", ("domain", "", "boca", "nn"), (("L", "ours", "1", "2"),), num_words=2)
    turned = wide.transposed()
    assert turned.header == ("", "L ours")
    assert turned.rows == (("boca", "1"), ("nn", "2"))
