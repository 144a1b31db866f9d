"""What is in a market file, as a short text that changes with it."""

import hashlib
from functools import cache
from pathlib import Path

from boca.core.errors import InputError
from boca.lab.domains import DOMAINS


@cache
def market_hash(domain: str) -> str:
    """
    A hash of a market file and of the tables beside it; empty for a value model.

    Every letter counts, also those of the table ``[auction]``, which simulations pass over: a run
    that is done again for nothing costs less than an old result that is taken for a new one.

    Parameters
    ----------
    domain
        Name of a value model, or path of a market file.
    """
    if domain.lower() in DOMAINS:
        return ""
    path = Path(domain)
    digest = hashlib.sha256()
    try:
        for file in sorted({path, *path.parent.glob("*.csv")}):
            digest.update(file.read_bytes())
    except OSError as error:
        raise InputError(
            f"Cannot read the market file '{domain}': {error.strerror}. Check the name."
        ) from None
    return digest.hexdigest()
