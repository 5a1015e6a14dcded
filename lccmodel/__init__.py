"""lccmodel: structured communication on interconnection networks.

    import lccmodel as lcc

    c = lcc.catalog.matrix_transpose(8)                     # y = A x + b over GF(2)
    lcc.contention(c, lcc.Hypercube(8)).degree              # messages on the busiest channel: 8
    lcc.methods.optimal_reordering(c, lcc.Hypercube(8))     # the renaming of nodes that makes it 1

What a person holds in mind stands here; the rest is one level down, by subject: `lcc.methods`,
`lcc.network`, `lcc.pipelining` ... The list is `__init__.pyi`. Names are loaded when they are
first used, so that importing the package costs next to nothing.
"""

from types import ModuleType

import lazy_loader

from lccmodel import views as _results

__version__ = "0.4.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _views() -> ModuleType:
    """The module that draws: it stands above the results, so it is the top that ties the two."""
    from lccmodel.show import views

    return views


_results.views = _views
