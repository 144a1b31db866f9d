"""Modules that moved, imported as plug-ins of an earlier version import them."""

import subprocess
import sys

import pytest

from boca._former_names import MOVED


@pytest.mark.parametrize("former", [*MOVED])
def test_a_former_name_gives_the_very_module(former):
    """Tests that what is registered under one name is found under the other."""
    program = (
        f"import {former} as former, {MOVED[former]} as present, importlib\n"
        "assert former is present\n"
        f"assert present.__name__ == {MOVED[former]!r} == present.__spec__.name\n"
        "importlib.reload(present)\n"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_what_is_inside_moved_along():
    """Tests the documented import of an earlier version, and that others still fail."""
    program = (
        "from boca.domains.true_demand import demanded\n"
        "from boca.simulation.strategies import Shading\n"
        "from boca.lab.domains.true_demand import demanded as present\n"
        "assert demanded is present and Shading.__module__ == 'boca.lab.simulation.strategies'\n"
        "try:\n    import boca.nowhere\n"
        "except ModuleNotFoundError as error:\n    assert error.name == 'boca.nowhere'\n"
        "else:\n    raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
