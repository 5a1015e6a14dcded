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
    from lccmodel import pipelining as pipelining
    from lccmodel.communication import catalog as catalog
    from lccmodel.communication import recognition as recognition
    from lccmodel.communication.files import read_communications as read_communications
    from lccmodel.communication.lcc import LCC as LCC
    from lccmodel.communication.recognition import recognise as recognise
    from lccmodel.correction.contention import Contention as Contention
    from lccmodel.correction.contention import ContentionSet as ContentionSet
    from lccmodel.correction.contention import contention as contention
    from lccmodel.correction.lattice import CorrectionLattice as CorrectionLattice
    from lccmodel.errors import NotLinearComplement as NotLinearComplement
    from lccmodel.gf2.matrix import GF2Matrix as GF2Matrix
    from lccmodel.gf2.matrix import GF2Vector as GF2Vector
    from lccmodel.mapping.lcp_optimizer import lcp_optimizer as lcp_optimizer
    from lccmodel.mapping.result import Mapping as Mapping
    from lccmodel.mapping.solve import optimal_linear_mapping as optimal_linear_mapping
    from lccmodel.mapping.solve import optimal_orders as optimal_orders
    from lccmodel.mapping.solve import optimal_reordering as optimal_reordering
    from lccmodel.network import BristledHypercube as BristledHypercube
    from lccmodel.network import ChannelLoads as ChannelLoads
    from lccmodel.network import Hypercube as Hypercube
    from lccmodel.network import Mesh as Mesh
    from lccmodel.network import Torus as Torus
    from lccmodel.network import parse_network as parse_network

__version__ = "0.1.0"

_HOME = {
    "BristledHypercube": "lccmodel.network",
    "ChannelLoads": "lccmodel.network",
    "Contention": "lccmodel.correction.contention",
    "ContentionSet": "lccmodel.correction.contention",
    "CorrectionLattice": "lccmodel.correction.lattice",
    "GF2Matrix": "lccmodel.gf2.matrix",
    "GF2Vector": "lccmodel.gf2.matrix",
    "Hypercube": "lccmodel.network",
    "LCC": "lccmodel.communication.lcc",
    "Mapping": "lccmodel.mapping.result",
    "Mesh": "lccmodel.network",
    "NotLinearComplement": "lccmodel.errors",
    "Torus": "lccmodel.network",
    "contention": "lccmodel.correction.contention",
    "lcp_optimizer": "lccmodel.mapping.lcp_optimizer",
    "optimal_linear_mapping": "lccmodel.mapping.solve",
    "optimal_orders": "lccmodel.mapping.solve",
    "optimal_reordering": "lccmodel.mapping.solve",
    "parse_network": "lccmodel.network",
    "read_communications": "lccmodel.communication.files",
    "recognise": "lccmodel.communication.recognition",
}

_MODULES = {
    "catalog": "lccmodel.communication.catalog",
    "errors": "lccmodel.errors",
    "pipelining": "lccmodel.pipelining",
    "recognition": "lccmodel.communication.recognition",
}

__all__ = [*_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    value: Any
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'lccmodel' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
