"""
Efficient allocations on disk, one small JSON file each.

The folder is ``$BOCA_CACHE``, else ``$XDG_CACHE_HOME/boca``, else ``~/.cache/boca``. Nothing is
lost with it but time: whatever cannot be used is computed again, with a :class:`CacheWarning`.
"""

import json
import os
import tempfile
import warnings
from pathlib import Path

from boca.core.allocation import Allocation
from boca.core.errors import BocaError
from boca.domains.efficient import Efficient


class CacheWarning(UserWarning):
    """The cache could not be read or written; the answer is right, but had to be computed."""


def folder() -> Path:
    """Where efficient allocations are kept."""
    if chosen := os.environ.get("BOCA_CACHE"):
        return Path(chosen) / "efficient"
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen) / "boca" / "efficient"
    return Path.home() / ".cache" / "boca" / "efficient"


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
    temporary = None
    try:
        target = folder() / f"{key}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=target.parent, prefix=f".{key}-", delete=False, encoding="utf-8"
        ) as file:
            temporary = file.name
            json.dump(data, file)
        os.replace(temporary, target)
    except (OSError, RuntimeError) as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        warnings.warn(
            f"The efficient allocation '{key}' was computed but cannot be kept for next time "
            f"({type(error).__name__}: {error}). Set BOCA_CACHE to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )
