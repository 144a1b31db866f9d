"""
Efficient allocations on disk, one small JSON file each.

Nothing is lost with them but time: whatever cannot be used is computed again, with a
:class:`CacheWarning`.
"""

import json
import warnings
from pathlib import Path

from boca.core.allocation import Allocation
from boca.core.errors import BocaError, InputError
from boca.core.files import cache_folder, write_atomically
from boca.lab.domains.efficient import Efficient


class CacheWarning(UserWarning):
    """The cache could not be read or written; the answer is right, but had to be computed."""


def folder() -> Path:
    """Where efficient allocations are kept."""
    return cache_folder("efficient")


def warn_unusable(key: str, why: str) -> None:
    """Says that a stored answer is not used."""
    warnings.warn(
        f"The cached efficient allocation '{key}' cannot be used and is computed again: {why}",
        CacheWarning,
        stacklevel=2,
    )


def recall(key: str) -> Efficient | None:
    """The stored answer; None if there is none, and with a warning if it cannot be read."""
    try:
        data = json.loads((folder() / f"{key}.json").read_text(encoding="utf-8"))
        if data["key"] != key:
            raise ValueError(f"it is about {data['key']}")
        return Efficient(
            float(data["welfare"]),
            Allocation(data["allocation"]),
            float(data["bound"]),
            str(data["method"]),
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    # RuntimeError: there is no home directory. The others: what a damaged file can lead to.
    except (
        OSError,
        RuntimeError,
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        BocaError,
    ) as error:
        warn_unusable(key, f"{type(error).__name__}: {error}")
        return None


def keep(key: str, efficient: Efficient) -> None:
    """Stores an answer; other processes see the whole file or none."""
    data = {
        "key": key,
        "welfare": efficient.welfare,
        "bound": efficient.bound,
        "method": efficient.method,
        "allocation": efficient.allocation.bundles.tolist(),
    }
    try:
        target = folder() / f"{key}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, json.dumps(data))
    except (OSError, RuntimeError, InputError) as error:
        warnings.warn(
            f"The efficient allocation '{key}' was computed but cannot be kept for next time "
            f"({type(error).__name__}: {error}). Set BOCA_CACHE to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )
