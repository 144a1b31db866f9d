"""Programs that are compiled once: in this process, and across processes through a disk cache."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import jax

from boca.core.files import cache_folder
from boca.surrogates.compiled.instructions import pin_instructions

Array: TypeAlias = Any  # a numpy array or number, or one of a JAX trace

# JAX reads the environment when it first computes something, which is after this import.
pin_instructions()

ROWS_STEP = 104  # a hundred reports, the empty bundle, and a multiple of 8


def padded(num_rows: int) -> int:
    """Rows of arrays for so many reports: the same for every round of a usual auction."""
    return -(-num_rows // ROWS_STEP) * ROWS_STEP


@cache
def use_disk_cache() -> None:
    """
    Lets JAX keep compiled programs on disk; called at the first fit, never at import.

    A folder that somebody configured before is left as it is.
    """
    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update(  # type: ignore[no-untyped-call]
            "jax_compilation_cache_dir", str(cache_folder("compiled"))
        )


class Programs:
    """
    The compiled versions of one function, by the shapes of its arguments.

    Calling ``jax.jit`` from two threads compiles twice; here the second thread waits.

    Parameters
    ----------
    function
        Takes arrays and one static keyword, ``shape``.
    """

    def __init__(self, function: Callable[..., Any]):
        self._jitted = jax.jit(function, static_argnames="shape")
        self._compiled: dict[Any, Any] = {}
        self._locks: dict[Any, threading.Lock] = {}
        self._lock = threading.Lock()

    def __call__(self, *arrays: Any, shape: Any) -> Any:
        """Runs the function, compiled for arrays of these shapes; waits for the result."""
        leaves, structure = jax.tree.flatten(arrays)
        key = (shape, structure, tuple((leaf.shape, leaf.dtype.name) for leaf in leaves))
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._compiled:
                use_disk_cache()
                self._compiled[key] = self._jitted.lower(*arrays, shape=shape).compile()
        return jax.block_until_ready(self._compiled[key](*arrays))  # type: ignore[no-untyped-call]
