"""What importing parts of the folder loads, seen from a fresh interpreter."""

import subprocess
import sys

import pytest

FRAMEWORKS = ("jax", "optax", "sklearn", "scipy")
QUICK = (
    "boca.surrogates",
    "boca.surrogates.fitted",
    "boca.surrogates.hyperparameters",
    "boca.surrogates.baselines",
    "boca.surrogates.builtin",
    "boca.surrogates.mvnn.params",
    "boca.surrogates.mean_nets.params",
    "boca.surrogates.svr.params",
    "boca.surrogates.fourier.params",
)


@pytest.mark.parametrize("module", QUICK)
def test_parameters_are_known_without_a_framework(module):
    """
    Tests that whoever only handles settings, such as a server or a settings file, does not wait for
    a framework to load.
    """
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & set(FRAMEWORKS)
