"""One thread for linear algebra while many small products are computed."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()  # looks through all loaded libraries: once is enough


@contextmanager
def one_thread() -> Iterator[None]:
    """
    Keeps BLAS on one thread.

    The products here are so small that a second thread costs more than it does, several times
    more when the cores have other work.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield
