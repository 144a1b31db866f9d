"""Which state of the source a result came from."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import boca
from boca.core.plugins import plugin_files

# An auction's numbers can depend on whatever this module imports, and on nothing else.
ENTRY = "boca.lab.simulation.simulated_auction"
SOURCE_ENDINGS = (".py", ".pyc", ".pyi")


@cache
def source_fingerprint(root: Path = Path(boca.__file__).parent) -> str:
    """
    A hash of the source and data files that results depend on.

    Reports, the command line and whatever else a simulation does not import may change freely.
    Plug-ins count, because anything in them can matter.

    Parameters
    ----------
    root
        Folder of the package ``boca``.
    """
    digest = hashlib.sha256()
    for path in result_files(root):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    for path in plugin_files():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def result_files(root: Path, entry: str = ENTRY) -> list[Path]:
    """
    The modules that a module imports, directly or through others, and the data beside them.

    The front door ``boca/__init__.py`` is left out: it only passes names on.

    Parameters
    ----------
    root
        Folder of the package ``boca``.
    entry
        Dotted name of the module where the search starts.
    """
    modules: set[Path] = set()
    waiting = [entry]
    while waiting:
        for path in _files_of(waiting.pop(), root):
            if path not in modules:
                modules.add(path)
                waiting += _imported_names(path, root)
    folders = {path.parent for path in modules}
    return sorted(modules.union(*(_data_files(folder) for folder in folders)))


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """The files that importing a dotted name runs: its packages, then its module."""
    parts = name.split(".")[1:]
    for length in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:length])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path


def _imported_names(path: Path, root: Path) -> Iterator[str]:
    """
    Dotted names below ``boca`` that a module imports anywhere, also inside functions.

    Modules that are named in texts, for imports at the last moment, count as well.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("boca."))
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, path, root)
            if base.split(".")[0] == "boca":
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _names_in_text(node.value, root)


def _names_in_text(text: str, root: Path) -> Iterator[str]:
    """What a text like ``boca.milp.solving`` names, or ``boca.milp.backends.`` before a name."""
    if not text.startswith("boca.") or not text.replace(".", "_").isidentifier():
        return
    if text.endswith("."):
        package = root.joinpath(*text.split(".")[1:])
        yield from (f"{text}{path.stem}" for path in package.glob("*.py"))
    else:
        yield text


def _absolute(node: ast.ImportFrom, path: Path, root: Path) -> str:
    """The module that ``from MODULE import ...`` names, with leading dots resolved."""
    if node.level == 0:
        return node.module or ""
    package = path.parents[node.level - 1].relative_to(root.parent).parts
    return ".".join((*package, *(node.module or "").split("."))).rstrip(".")


def _data_files(folder: Path) -> set[Path]:
    """Files of a package that are not source, such as tuned hyperparameters."""
    files: set[Path] = set()
    for path in folder.iterdir():
        if path.is_dir() and not (path / "__init__.py").exists() and path.name != "__pycache__":
            files |= _data_files(path)
        elif path.is_file() and path.suffix not in SOURCE_ENDINGS:
            files.add(path)
    return files
