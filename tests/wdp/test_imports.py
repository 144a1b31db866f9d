"""What importing the solving folders brings with it."""

import subprocess
import sys

import pytest

HEAVY = ("highspy", "scipy", "threadpoolctl", "pyscipopt", "gurobipy", "jax")


@pytest.mark.parametrize("module", ["boca.milp", "boca.wdp", "boca.payments"])
def test_importing_brings_no_solver(module):
    """
    Tests in a process of its own that names alone load neither a solver nor scipy, because a
    server imports them and leaves solving to its child process.
    """
    program = f"import sys, {module}; print(*set({HEAVY!r}).intersection(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert answer.stdout.split() == []


def test_solving_loads_the_solver():
    """Tests the same question after a solve, so that the test above cannot pass by a wrong name."""
    program = (
        "import sys\n"
        "from boca.milp import Model, solve\n"
        "model = Model()\n"
        "model.add_variables(1, upper=1.0, integer=True, cost=1.0)\n"
        "solve(model)\n"
        "print('highspy' in sys.modules)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert answer.stdout.strip() == "True"
