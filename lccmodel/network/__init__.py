"""Networks, as arithmetic on node numbers and as explicit graphs, and the loads of their channels.

Hypercube(8)                            cube:8
BristledHypercube(5)                    origin:5
Mesh((16, 16))                          mesh:16x16
Torus((8, 6, 8))                        torus:8x6x8
Concentrated(Torus((8, 8)), 4)          torus:8x8*4
FatTree((4, 4, 4))                      fattree:4^3
RouteTable.from_graph(graph)            graph:FILE, dragonfly:2,4,2 and others by their routes
Allocation(Torus((8, 8)), range(9))     torus:8x8,nodes=0-8
"""

from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.concentrated import BristledHypercube, Concentrated
from lccmodel.network.fattree import FatTree
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.loads import ChannelLoads
from lccmodel.network.mesh import Mesh, Torus
from lccmodel.network.plain import plain_network
from lccmodel.network.spec import add_network_word, as_network, parse_network
from lccmodel.network.table import RouteTable

__all__ = [
    "Allocation",
    "BristledHypercube",
    "ChannelLoads",
    "Concentrated",
    "FatTree",
    "Hypercube",
    "Mesh",
    "Network",
    "RouteTable",
    "Torus",
    "add_network_word",
    "as_network",
    "parse_network",
    "plain_network",
]
