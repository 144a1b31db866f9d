"""
A whole experiment in one small file: what was planned, and what came of every run.

The file is gzipped JSON. It keeps settings, losses after every round, times and provenance, which
is what reports are made of, and leaves out who got what and paid how much.
"""

import gzip
import json
import re
import tomllib
import warnings
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import write_atomically
from boca.core.wording import shortened
from boca.lab.studies.grid import Grid, parse_grid
from boca.lab.studies.result_file import find_problem
from boca.lab.studies.run_spec import RunSpec
from boca.lab.studies.store import Store

ENDING = ".json.gz"
FORMAT = "boca experiment"
# Entries of a result that no report needs.
LEFT_OUT = ("allocation", "payments", "true_values")
# Bytes that a file may unfold to: some 50,000 runs.
LARGEST = 500_000_000
IS_KEY = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Packed:
    """
    The content of a packed experiment.

    Parameters
    ----------
    name
        Name of the experiment, which is that of the file.
    results
        Contents of result files, without what reports do not need.
    grids
        What was planned.
    """

    name: str
    results: tuple[Mapping[str, Any], ...]
    grids: tuple[Grid, ...]

    def planned(self) -> list[RunSpec]:
        """Every run of every grid."""
        return list(dict.fromkeys(spec for grid in self.grids for spec in grid.runs()))


def is_packed(path: Path | str) -> bool:
    """Whether a path names a packed experiment rather than a folder."""
    return str(path).endswith(ENDING)


def write_packed(path: Path, results: Iterable[Mapping[str, Any]], grids: Iterable[Grid]) -> None:
    """
    Writes a packed experiment; the same runs give the same bytes.

    Parameters
    ----------
    path
        The file, whose name must end with ``.json.gz``.
    results
        Contents of result files.
    grids
        What was planned.
    """
    if not is_packed(path):
        raise InputError(f"Received the file '{path}'; expected a name that ends with {ENDING}.")
    short = [
        {name: value for name, value in result.items() if name not in LEFT_OUT}
        for result in results
    ]
    content = {
        "format": FORMAT,
        "grids": [grid.to_toml() for grid in sorted(grids, key=lambda grid: grid.name)],
        "results": sorted(short, key=lambda result: str(result["key"])),
    }
    text = json.dumps(content, separators=(",", ":"))
    write_atomically(path, gzip.compress(text.encode(), mtime=0))


def read_packed(path: Path | str) -> Packed:
    """A packed experiment; runs that cannot be used are left out with a warning."""
    path = Path(path)
    content = _content(path)
    results, grids = content.get("results"), content.get("grids")
    if content.get("format") != FORMAT or not isinstance(results, list | tuple):
        raise InputError(f"'{path}' is no packed experiment; 'boca experiment pack' makes them.")
    usable = []
    for number, result in enumerate(results, 1):
        if problem := find_problem(result):
            warnings.warn(f"Run {number} of '{path}' {problem}. It is left out.", stacklevel=2)
        else:
            usable.append(result)
    return Packed(path.name.removesuffix(ENDING), tuple(usable), tuple(_grids(grids, path)))


def unpack(packed: Packed, store: Store) -> int:
    """
    Puts packed runs into a folder, so that an experiment can go on; returns how many were new.

    Parameters
    ----------
    packed
        The runs and what was planned.
    store
        The folder, made if it is not there; what it has already is not replaced.
    """
    runs = {str(result.get("key")): dict(result) for result in packed.results}
    for key in runs:
        if not IS_KEY.fullmatch(key):  # it becomes the name of a file
            raise InputError(
                f"A run of the packed experiment '{packed.name}' has the key "
                f"'{shortened(key)}'; expected 16 hexadecimal digits."
            )
    store.create()
    for grid in packed.grids:
        store.plan(grid)
    new = [key for key in runs if not store.is_done(key)]
    for key in new:
        store.save(key, runs[key])
    return len(new)


def _content(path: Path) -> dict[str, Any]:
    try:
        with gzip.open(path) as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise InputError(f"There is no packed experiment '{path}'. Check the name.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"Cannot read the packed experiment '{path}': {error}.") from None
    if len(text) > LARGEST:
        raise InputError(f"'{path}' unfolds to more than {LARGEST:,} bytes; expected fewer.")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else {}


def _grids(texts: Any, path: Path) -> list[Grid]:
    grids = []
    for text in texts if isinstance(texts, list) else []:
        try:
            grids.append(parse_grid(tomllib.loads(str(text)), f"a plan in '{path}'"))
        except (ValueError, RecursionError):
            raise InputError(
                f"A plan in '{path}' is not TOML; pack the experiment again."
            ) from None
    return grids
