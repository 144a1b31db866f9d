"""
Modules that moved keep their former names, so that plug-ins and notebooks go on working.

``import boca.domains`` gives the very module ``boca.lab.domains``, not a copy of it: a value model
that a plug-in registers under the former name is found under the present one.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# Former name -> present name. What is below a name moved with it.
MOVED = {
    "boca.domains": "boca.lab.domains",
    "boca.simulation": "boca.lab.simulation",
    "boca.studies": "boca.lab.studies",
    "boca.reports": "boca.lab.reports",
    "boca.verify": "boca_verify",
    "boca.live.verify": "boca_verify",
}


def present_name(name: str) -> str | None:
    """Where a module of a former name is now; None for every other name."""
    for former, present in MOVED.items():
        if name == former or name.startswith(former + "."):
            return present + name.removeprefix(former)
    return None


class FormerNames(MetaPathFinder, Loader):
    """Finds modules under their former names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None if present_name(name) is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(present_name(spec.name) or spec.name)
        self._present = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just written the former name's spec into the module.
        module.__spec__ = self._present


def keep_former_names() -> None:
    """Makes former names importable; doing it twice is doing it once."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        # First of all finders: others would find boca.domains.toy in the folder of boca.lab.domains
        # and run it a second time.
        sys.meta_path.insert(0, FormerNames())
