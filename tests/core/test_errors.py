"""Tests of the error types."""

import pytest

from boca.core import BocaError, InfeasibleAllocation, InputError, MissingExtra, SolverError


@pytest.mark.parametrize("kind", [InfeasibleAllocation, InputError, MissingExtra, SolverError])
def test_every_error_is_shown_without_traceback(kind):
    """Tests that the command line, which catches BocaError, catches all of them."""
    assert issubclass(kind, BocaError)


def test_missing_extra_says_what_to_install():
    """Tests that the message contains a command to copy."""
    text = str(MissingExtra("gurobipy", "gurobi", "The solver Gurobi"))

    assert "pip install 'boca-assignment[gurobi]'" in text
    assert "The solver Gurobi needs the package 'gurobipy'" in text
