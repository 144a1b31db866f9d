"""What was learned, in one file of plain numbers: arrays, and how they go together."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from boca import functions
from boca.core.errors import InputError
from boca.core.files import read_bytes, write_atomically
from boca.functions.average import Optimistic
from boca.functions.process import Process
from boca.functions.revealed import RevealedBound
from boca.functions.supply import Savings, SupplyNet

FORMAT = 1
# The entry of the archive that says how the others go together.
PLAN = "plan"
_FUNCTIONS = (
    functions.AdjustedSum,
    functions.Adjustment,
    functions.Envelope,
    functions.FourierSeries,
    functions.KernelExpansion,
    functions.Minimum,
    functions.MonotoneNet,
    functions.Quadratic,
    functions.ReluNet,
    functions.Scaled,
    functions.XorTable,
    Optimistic,
    Process,
    RevealedBound,
    Savings,
    SupplyNet,
)
TYPES: dict[str, Any] = {cls.__name__: cls for cls in _FUNCTIONS}
CHOICES: dict[str, type[Enum]] = {"Basis": functions.Basis, "Kernel": functions.Kernel}


def write_fitted(path: Path | str, parts: Mapping[str, Any]) -> None:
    """Writes the parts of what was learned, each a function, an array or plain values."""
    arrays: dict[str, np.ndarray] = {}
    plan = {"format": FORMAT, **{name: _packed(part, arrays) for name, part in parts.items()}}
    stream = io.BytesIO()
    np.savez(stream, **{PLAN: np.array(json.dumps(plan))}, **arrays)  # type: ignore[arg-type]
    write_atomically(path, stream.getvalue())


def read_fitted(path: Path | str) -> dict[str, Any]:
    """The parts that :func:`write_fitted` wrote; whatever is wrong with the file, an InputError."""
    content = read_bytes(path, "file of what was learned")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
        plan = json.loads(str(arrays[PLAN]))
        number = plan.pop("format")
        if number == FORMAT:
            return {name: _unpacked(part, arrays) for name, part in plan.items()}
    except (OSError, EOFError, zipfile.BadZipFile, ValueError, LookupError) as error:
        raise InputError(f"'{path}' is damaged or no file of Fitted.save: {error!r}.") from None
    except (TypeError, AttributeError, InputError) as error:
        raise InputError(f"'{path}' does not hold what Fitted.save writes: {error}.") from None
    raise InputError(f"'{path}' has format {number!r}; this version of boca reads {FORMAT}.")


def _packed(part: Any, arrays: dict[str, np.ndarray]) -> Any:
    """A part as plain values, its arrays set aside."""
    if isinstance(part, np.ndarray):
        name = f"array{len(arrays)}"
        arrays[name] = part
        return {"array": name}
    if isinstance(part, Enum) and type(part).__name__ in CHOICES:
        return {"choice": type(part).__name__, "name": part.name}
    if type(part) in TYPES.values() and is_dataclass(part):
        entries = {f.name: _packed(getattr(part, f.name), arrays) for f in fields(part)}
        return {"type": type(part).__name__, "fields": entries}
    if isinstance(part, np.generic):
        return part.item()
    if isinstance(part, Mapping):
        return {"table": {str(key): _packed(value, arrays) for key, value in part.items()}}
    if isinstance(part, Sequence) and not isinstance(part, str):
        return [_packed(entry, arrays) for entry in part]
    if part is None or isinstance(part, bool | int | float | str):
        return part
    raise InputError(
        f"Something of type {type(part).__name__} cannot be saved; expected functions of "
        f"boca.functions and plain values. Save the reports, and fit again."
    )


def _unpacked(part: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The inverse of :func:`_packed`."""
    if isinstance(part, list):
        return tuple(_unpacked(entry, arrays) for entry in part)
    if not isinstance(part, dict):
        return part
    if "array" in part:
        return arrays[part["array"]]
    if "choice" in part:
        return CHOICES[part["choice"]][part["name"]]
    if "table" in part:
        return {key: _unpacked(value, arrays) for key, value in part["table"].items()}
    entries = {name: _unpacked(value, arrays) for name, value in part["fields"].items()}
    return TYPES[part["type"]](**entries)
