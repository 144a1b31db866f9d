"""The connection to a Dask scheduler, and what to do where there is none."""

from typing import Any

from boca.core.errors import InputError, MissingExtra

CONNECT_SECONDS = 15


def connect(address: str, what: str) -> Any:
    """
    A client of a Dask scheduler, which has no types.

    Parameters
    ----------
    address
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``.
    what
        What needs it, for the message where the extra is missing: "A grid on a Dask cluster".
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("distributed", "cluster", what) from None
    untyped: Any = Client
    try:
        return untyped(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at '{address}': {error}. Start one with "
            "'dask scheduler', and workers with 'dask worker ADDRESS --nthreads 1'."
        ) from None
