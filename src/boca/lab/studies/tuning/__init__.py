"""The search for hyperparameters: trials of configurations on instances, and their winners."""

from importlib.util import find_spec

from boca.core.errors import MissingExtra


def require_optuna() -> None:
    """Raises unless Optuna is installed; called before anything that imports it."""
    if find_spec("optuna") is None:
        raise MissingExtra("optuna", "tune", "A search for hyperparameters")
