"""What a file of a finished run must hold, so that one bad file does not stop a whole table."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.lab.studies.run_spec import RunSpec

NUMBERS = ("efficiency_loss", "relative_revenue", "seconds")
WORDS = ("machine", "finished")
PATH_NUMBERS = ("queries", "efficiency_loss")


def read_result(path: Path) -> dict[str, Any]:
    """The content of a result file; an InputError says what is wrong with one that is none."""
    text = read_text(path, "result file")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"The result file '{path}' is not JSON.") from None
    problem = find_problem(data)
    if problem:
        raise InputError(f"The result file '{path}' {problem}.")
    return dict(data)


def find_problem(data: Any) -> str:
    """What keeps a value from being a finished run, as the end of a sentence; empty if nothing."""
    if not isinstance(data, dict):
        return "holds no table of names and values"
    for name in NUMBERS:
        if not _is_number(data.get(name)):
            return f"has no number '{name}'"
    for name in WORDS:
        if not isinstance(data.get(name), str):
            return f"has no text '{name}'"
    if not isinstance(data.get("versions"), dict):
        return "does not say which versions made it ('versions')"
    path = data.get("path")
    if not isinstance(path, list) or not path or not all(map(_is_path_entry, path)):
        return "has no losses by round ('path')"
    if not _has_phases(data.get("auction")):
        return "has no settings of its auction ('auction')"
    return _problem_of_spec(data.get("spec"))


def _problem_of_spec(spec: Any) -> str:
    if not isinstance(spec, dict) or not isinstance(spec.get("changes"), dict):
        return "does not say which run it is ('spec')"
    try:
        run = RunSpec.from_dict(spec)
        hash(run)
    except (InputError, KeyError, TypeError) as error:
        return f"does not say which run it is ('spec': {error})"
    if type(run.seed) is not int or not isinstance(run.domain, str):
        return "does not say which instance it is ('spec')"
    return "" if isinstance(run.setting.mechanism, str) else "names no mechanism ('spec')"


def _has_phases(auction: Any) -> bool:
    """Whether settings tell who planned the rounds of every phase, and from what was learned."""
    phases = auction.get("phases") if isinstance(auction, dict) else None
    return isinstance(phases, list) and all(
        isinstance(phase, dict)
        and isinstance(phase.get("planner"), dict)
        and isinstance(phase["planner"].get("name"), str)
        and isinstance(phase.get("surrogate", {"name": ""}), dict)
        and isinstance(phase.get("surrogate", {"name": ""}).get("name"), str)
        for phase in phases
    )


def _is_path_entry(entry: Any) -> bool:
    return isinstance(entry, Mapping) and all(_is_number(entry.get(name)) for name in PATH_NUMBERS)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)
