"""lccmodel: structured communication on interconnection networks.

    import lccmodel as lcc

    c = lcc.catalog.matrix_transpose(8)             # y = A x + b over GF(2)
    lcc.contention(c, lcc.Hypercube(8)).degree      # messages on the busiest channel: 8
    lcc.optimal_reordering(c, lcc.Hypercube(8))     # the renaming of nodes that makes it 1

The names are loaded when they are first used, so that importing the package costs next to
nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC as LCC
    from lccmodel.gf2.matrix import GF2Matrix as GF2Matrix

__version__ = "0.1.0"

_HOME = {
    "GF2Matrix": "lccmodel.gf2.matrix",
    "LCC": "lccmodel.communication.lcc",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lccmodel' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
