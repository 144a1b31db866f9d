"""docs/domains.md says what is true."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from boca.lab.domains import DOMAINS, load_domain

TEXT = (Path(__file__).parents[3] / "docs" / "domains.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| (.+) \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_table_of_domains(row):
    """Tests every cell of the table against the domain itself."""
    name, num_bidders, num_goods, num_generic, types = row
    domain, generic = load_domain(name, seed=1), load_domain(name, seed=1, generic=True)
    runs = [(len(list(group)), kind) for kind, group in groupby(domain.bidder_types)]
    written = [entry.rsplit(" ", 1) for entry in types.split(", ")]
    assert int(num_bidders) == domain.market.num_bidders
    assert int(num_goods) == domain.market.num_goods
    assert int(num_generic) == generic.market.num_goods
    assert [(int(e[0]) if len(e) > 1 else 1, e[-1]) for e in written] == runs


def test_no_domain_is_forgotten():
    """Tests that the table is complete."""
    assert [row[0] for row in ROWS] == list(DOMAINS)


def test_example_runs_as_shown():
    """Tests the lines of the example whose result is shown behind them."""
    example = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0]
    names: dict = {}
    shown = 0
    for line in example.splitlines():
        code, _, comment = (part.strip() for part in line.partition("#"))
        if not code or not comment or comment.split()[-1] in ("value", "bundles"):
            exec(code, names)
            continue
        assert eval(code, names) == eval(comment)
        shown += 1
    assert shown == 3
