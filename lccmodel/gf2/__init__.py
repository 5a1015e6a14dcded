"""Linear algebra over GF(2): single matrices, many at once, and every one of a size.

The names of `batch` and `orbits` compile kernels and are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix, GF2Vector

if TYPE_CHECKING:
    from lccmodel.gf2.batch import corner_ranks as corner_ranks
    from lccmodel.gf2.batch import leading_rank_histogram as leading_rank_histogram
    from lccmodel.gf2.batch import leading_ranks as leading_ranks
    from lccmodel.gf2.batch import leading_ranks_of_all as leading_ranks_of_all
    from lccmodel.gf2.batch import origin_leading_ranks as origin_leading_ranks
    from lccmodel.gf2.batch import origin_leading_ranks_of_all as origin_leading_ranks_of_all
    from lccmodel.gf2.batch import ranks as ranks
    from lccmodel.gf2.batch import ranks_of_all as ranks_of_all
    from lccmodel.gf2.enumeration import all_matrices as all_matrices
    from lccmodel.gf2.enumeration import all_nonsingular as all_nonsingular
    from lccmodel.gf2.enumeration import all_orders as all_orders
    from lccmodel.gf2.enumeration import general_linear_order as general_linear_order
    from lccmodel.gf2.enumeration import rank_count as rank_count
    from lccmodel.gf2.orbits import Orbits as Orbits
    from lccmodel.gf2.orbits import linear_orbits as linear_orbits
    from lccmodel.gf2.orbits import reordering_orbits as reordering_orbits
    from lccmodel.gf2.sampling import random_matrices as random_matrices
    from lccmodel.gf2.sampling import random_matrix as random_matrix
    from lccmodel.gf2.sampling import random_nonsingular as random_nonsingular

_LAZY = {
    "batch": (
        "corner_ranks",
        "leading_rank_histogram",
        "leading_ranks",
        "leading_ranks_of_all",
        "origin_leading_ranks",
        "origin_leading_ranks_of_all",
        "ranks",
        "ranks_of_all",
    ),
    "enumeration": (
        "all_matrices",
        "all_nonsingular",
        "all_orders",
        "general_linear_order",
        "rank_count",
    ),
    "orbits": ("Orbits", "linear_orbits", "reordering_orbits"),
    "sampling": ("random_matrices", "random_matrix", "random_nonsingular"),
}
_HOME = {name: module for module, names in _LAZY.items() for name in names}

__all__ = ["MAX_DIMENSION", "GF2Matrix", "GF2Vector", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lccmodel.gf2' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lccmodel.gf2.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
