"""
Whole auctions that must not change by accident.

Networks differ from processor to processor; these mechanisms do not depend on it. The files were
made by ``python tests/lab/simulation/test_trajectories.py``; make them again only with a change
that is meant to alter what auctions do, and raise the version of what changed with it
(``boca.lab.studies.part_versions``).
"""

import json
from pathlib import Path

import pytest

from boca.lab.domains import load_domain
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.simulation.simulated_auction import simulate

DATA = Path(__file__).parents[2] / "data" / "trajectories"
BUDGET = {"num_initial": 20, "num_per_round": 4, "num_total": 28, "seed": 20001}
CASES = [
    (domain, mechanism)
    for domain in ("toy", "gsvm", "lsvm")
    for mechanism in ("svr", "cca", "random")
]


def trajectory(domain: str, mechanism: str) -> dict:
    """Everything that was asked, in its order, and how it ended."""
    truth = load_domain(domain, seed=20001)
    params = mechanism_params(mechanism, truth.market, tuned=domain, **BUDGET)
    result = simulate(truth, params)
    return {
        "bundles": [
            ["".join(map(str, row)) for row in reports.bundles.tolist()]
            for reports in result.state.reports
        ],
        "wanted": [
            ["".join(map(str, row)) for row in demands.bundles.tolist()]
            for demands in result.state.demands
        ],
        "allocation": result.outcome.allocation.bundles.tolist(),
        "payments": result.outcome.payments.tolist(),
        "loss": result.efficiency_loss,
    }


@pytest.mark.parametrize(("domain", "mechanism"), CASES)
def test_same_seed_same_auction(domain, mechanism):
    """Tests every question, the outcome and the payments against a stored auction."""
    stored = json.loads((DATA / f"{domain}-{mechanism}.json").read_text())
    again = json.loads(json.dumps(trajectory(domain, mechanism)))
    assert again.pop("payments") == pytest.approx(stored.pop("payments"), rel=1e-9, abs=1e-9)
    assert again.pop("loss") == pytest.approx(stored.pop("loss"), abs=1e-12)
    assert again == stored


if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    for name, kind in CASES:
        text = json.dumps(trajectory(name, kind))
        (DATA / f"{name}-{kind}.json").write_text(text + "\n")
