"""Which state of the source a result came from."""

import hashlib
from functools import cache
from pathlib import Path

import boca

# What an auction's numbers can depend on. The rest (reports, command line) may change freely.
FOLDERS = (
    *("core", "functions", "milp", "wdp", "markets", "domains", "surrogates"),
    *("queries", "payments", "mechanism", "simulation"),
)


@cache
def source_fingerprint() -> str:
    """A hash of the source and data files that results depend on."""
    root = Path(boca.__file__).parent
    files = [
        path
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in (".py", ".toml", ".json") and path.is_file()
    ]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
