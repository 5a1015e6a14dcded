"""lccmodel: structured communication on interconnection networks.

    import lccmodel as lcc

    c = lcc.catalog.matrix_transpose(8)                     # y = A x + b over GF(2)
    lcc.contention(c, lcc.Hypercube(8)).degree              # messages on the busiest channel: 8
    lcc.placement.optimal_reordering(c, lcc.Hypercube(8))   # the renaming of nodes that makes it 1

What a person holds in mind stands here; the rest is one level down, by subject: `lcc.placement`,
`lcc.permutations`, `lcc.network`, `lcc.pipelining` ... The list is `__init__.pyi`. Names are
loaded when they are first used, so that importing the package costs next to nothing.
"""

import sys
from functools import partial
from importlib import import_module

import lazy_loader

from lccmodel.ground import views as _results

__version__ = "0.4.0"

_loaded, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """A public name, loaded now; of one that stands a level down the error says where."""
    if name == "methods":  # until the next version: see `lccmodel.methods`
        return import_module("lccmodel.methods")
    try:
        return _loaded(name)
    except AttributeError:
        rooms = [] if name.startswith("_") else sorted(__all__)
        below = [room for room in rooms if name in getattr(_loaded(room), "__all__", ())]
        hint = "".join(f"; did you mean lccmodel.{room}.{name}?" for room in below[:1])
        message = f"module 'lccmodel' has no attribute {name!r}{hint}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__]) from None


# It stands above the results, so the top ties the two.
_results.views = partial(import_module, "lccmodel.show.view_registry")
