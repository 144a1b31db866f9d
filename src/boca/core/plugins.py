"""Modules of users, imported before anything runs, so that names they register can be used."""

import importlib
import os
import sys
import traceback
from pathlib import Path

from boca.core.errors import InputError
from boca.core.wording import shortened

VARIABLE = "BOCA_PLUGINS"


def load_plugins() -> None:
    """
    Imports the modules that the environment variable BOCA_PLUGINS names, separated by commas.

    They register mechanisms (``boca.mechanism.PRESETS``), planners and surrogates. Every process
    that reads such names calls this first: commands, the runs of a grid, trainings on a cluster.
    The current folder is searched after everything that is installed. A module that was imported
    before is not imported again.
    """
    names = _plugin_names()
    folder = os.getcwd()
    if names and folder not in sys.path and "" not in sys.path:
        sys.path.append(folder)
    for name in names:
        _load(name)


def plugin_files() -> list[Path]:
    """The source files of all plug-ins; of a package, everything in it."""
    files: list[Path] = []
    for name in _plugin_names():
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            path = Path(file)
            files += sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    return files


def _plugin_names() -> list[str]:
    words = os.environ.get(VARIABLE, "").split(",")
    return [word.strip() for word in words if word.strip()]


def _load(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception as error:  # somebody else's module may raise anything
        reason = shortened(" ".join(f"{type(error).__name__}: {error}".split()), 300)
        raise InputError(
            f"The environment variable {VARIABLE} names the module '{shortened(name)}', which "
            f"cannot be imported: {reason}{_place(error)}. Expected modules in the current folder "
            "or installed ones, named without .py and separated by commas."
        ) from error


def _place(error: Exception) -> str:
    """Where in somebody's module an error arose, unless its text says so or nobody knows."""
    if isinstance(error, ModuleNotFoundError | SyntaxError):
        return ""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f" ({Path(last.filename).name}, line {last.lineno})"
