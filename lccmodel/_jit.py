"""One typed door to numba: `@kernel` compiles on first use, caches on disk, frees the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

__all__ = ["kernel", "parallel_kernel"]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of ints and numpy arrays; its Python signature stays as it is."""
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True)(function))


def parallel_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Like `kernel`, with `numba.prange` loops spread over the cores."""
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True, parallel=True)(function))
