"""Networks, as arithmetic on node numbers and as explicit graphs, and the loads of their channels.

Hypercube(8)                    cube:8
BristledHypercube(5)            origin:5
Mesh((16, 16))                  mesh:16x16
Torus((8, 8, 8))                torus:8x8x8
"""

from lccmodel.network.base import Network
from lccmodel.network.bristled import BristledHypercube
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.loads import ChannelLoads
from lccmodel.network.mesh import Mesh, Torus
from lccmodel.network.spec import parse_network

__all__ = [
    "BristledHypercube",
    "ChannelLoads",
    "Hypercube",
    "Mesh",
    "Network",
    "Torus",
    "parse_network",
]
