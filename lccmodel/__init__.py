"""lccmodel: structured communication on interconnection networks.

    import lccmodel as lcc

    c = lcc.catalog.matrix_transpose(8)             # y = A x + b over GF(2)
    lcc.contention(c, lcc.Hypercube(8)).degree      # messages on the busiest channel: 8
    lcc.optimal_reordering(c, lcc.Hypercube(8))     # the renaming of nodes that makes it 1

The names are loaded when they are first used, so that importing the package costs next to
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel import pipelining as pipelining
    from lccmodel import routing as routing
    from lccmodel import wormhole as wormhole
    from lccmodel.communication import catalog as catalog
    from lccmodel.communication import recognition as recognition
    from lccmodel.communication.files import read as read
    from lccmodel.communication.files import read_communications as read_communications
    from lccmodel.communication.lcc import LCC as LCC
    from lccmodel.communication.recognition import recognise as recognise
    from lccmodel.communication.traffic import Phase as Phase
    from lccmodel.communication.traffic import Program as Program
    from lccmodel.communication.traffic import Traffic as Traffic
    from lccmodel.errors import NotFactorable as NotFactorable
    from lccmodel.errors import NotLinearComplement as NotLinearComplement
    from lccmodel.exploration import explore as explore
    from lccmodel.gf2.matrix import GF2Matrix as GF2Matrix
    from lccmodel.gf2.matrix import GF2Vector as GF2Vector
    from lccmodel.lattice.lattice import CorrectionLattice as CorrectionLattice
    from lccmodel.methods.comparison import compare as compare
    from lccmodel.methods.contention import Contention as Contention
    from lccmodel.methods.contention import ContentionSet as ContentionSet
    from lccmodel.methods.contention import contention as contention
    from lccmodel.methods.exchanges import bit_exchange as bit_exchange
    from lccmodel.methods.exchanges import bit_exchanges as bit_exchanges
    from lccmodel.methods.exchanges import code_change as code_change
    from lccmodel.methods.exchanges import exchange_factors as exchange_factors
    from lccmodel.methods.exchanges import exchange_orders as exchange_orders
    from lccmodel.methods.exchanges import gray_code as gray_code
    from lccmodel.methods.exchanges import shuffle as shuffle
    from lccmodel.methods.mapping.lcp_optimizer import lcp_optimizer as lcp_optimizer
    from lccmodel.methods.mapping.result import Mapping as Mapping
    from lccmodel.methods.mapping.solve import optimal_linear_mapping as optimal_linear_mapping
    from lccmodel.methods.mapping.solve import optimal_orders as optimal_orders
    from lccmodel.methods.mapping.solve import optimal_reordering as optimal_reordering
    from lccmodel.methods.orders import correction_orders as correction_orders
    from lccmodel.methods.partitioned import partition_tree as partition_tree
    from lccmodel.methods.partitioned import random_partitioned as random_partitioned
    from lccmodel.methods.partitioned import switch_settings as switch_settings
    from lccmodel.methods.placement import Placement as Placement
    from lccmodel.methods.placement import device_array as device_array
    from lccmodel.methods.placement import place as place
    from lccmodel.methods.placement import place_grid as place_grid
    from lccmodel.methods.self_routing import Trace as Trace
    from lccmodel.methods.self_routing import circuits as circuits
    from lccmodel.methods.self_routing import self_route as self_route
    from lccmodel.methods.simd_mesh import simd_mesh_route as simd_mesh_route
    from lccmodel.movement import Movement as Movement
    from lccmodel.network import BristledHypercube as BristledHypercube
    from lccmodel.network import ChannelLoads as ChannelLoads
    from lccmodel.network import Concentrated as Concentrated
    from lccmodel.network import FatTree as FatTree
    from lccmodel.network import Hypercube as Hypercube
    from lccmodel.network import Mesh as Mesh
    from lccmodel.network import Torus as Torus
    from lccmodel.network import parse_network as parse_network
    from lccmodel.routing import deadlock_free as deadlock_free

__version__ = "0.3.0"

_HOME = {
    "BristledHypercube": "lccmodel.network",
    "ChannelLoads": "lccmodel.network",
    "Concentrated": "lccmodel.network",
    "Contention": "lccmodel.methods.contention",
    "ContentionSet": "lccmodel.methods.contention",
    "CorrectionLattice": "lccmodel.lattice.lattice",
    "FatTree": "lccmodel.network",
    "GF2Matrix": "lccmodel.gf2.matrix",
    "GF2Vector": "lccmodel.gf2.matrix",
    "Hypercube": "lccmodel.network",
    "LCC": "lccmodel.communication.lcc",
    "Mapping": "lccmodel.methods.mapping.result",
    "Mesh": "lccmodel.network",
    "Movement": "lccmodel.movement",
    "NotFactorable": "lccmodel.errors",
    "NotLinearComplement": "lccmodel.errors",
    "Phase": "lccmodel.communication.traffic",
    "Placement": "lccmodel.methods.placement",
    "Program": "lccmodel.communication.traffic",
    "Torus": "lccmodel.network",
    "Trace": "lccmodel.methods.self_routing",
    "Traffic": "lccmodel.communication.traffic",
    "bit_exchange": "lccmodel.methods.exchanges",
    "bit_exchanges": "lccmodel.methods.exchanges",
    "circuits": "lccmodel.methods.self_routing",
    "code_change": "lccmodel.methods.exchanges",
    "compare": "lccmodel.methods.comparison",
    "contention": "lccmodel.methods.contention",
    "correction_orders": "lccmodel.methods.orders",
    "deadlock_free": "lccmodel.routing",
    "device_array": "lccmodel.methods.placement",
    "exchange_factors": "lccmodel.methods.exchanges",
    "exchange_orders": "lccmodel.methods.exchanges",
    "explore": "lccmodel.exploration",
    "gray_code": "lccmodel.methods.exchanges",
    "lcp_optimizer": "lccmodel.methods.mapping.lcp_optimizer",
    "optimal_linear_mapping": "lccmodel.methods.mapping.solve",
    "optimal_orders": "lccmodel.methods.mapping.solve",
    "optimal_reordering": "lccmodel.methods.mapping.solve",
    "parse_network": "lccmodel.network",
    "partition_tree": "lccmodel.methods.partitioned",
    "random_partitioned": "lccmodel.methods.partitioned",
    "place": "lccmodel.methods.placement",
    "place_grid": "lccmodel.methods.placement",
    "read": "lccmodel.communication.files",
    "read_communications": "lccmodel.communication.files",
    "recognise": "lccmodel.communication.recognition",
    "self_route": "lccmodel.methods.self_routing",
    "shuffle": "lccmodel.methods.exchanges",
    "simd_mesh_route": "lccmodel.methods.simd_mesh",
    "switch_settings": "lccmodel.methods.partitioned",
}

_MODULES = {
    "catalog": "lccmodel.communication.catalog",
    "errors": "lccmodel.errors",
    "pipelining": "lccmodel.pipelining",
    "recognition": "lccmodel.communication.recognition",
    "routing": "lccmodel.routing",
    "wormhole": "lccmodel.wormhole",
}

__all__ = [*_HOME, *_MODULES]


__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES)
