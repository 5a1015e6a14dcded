# The names of the top level: types for an editor, and what `lazy_loader` loads on first use.
from . import calibration as calibration
from . import collectives as collectives
from . import communication as communication
from . import errors as errors
from . import gf2 as gf2
from . import lattice as lattice
from . import movement as movement
from . import mpi as mpi
from . import network as network
from . import permutations as permutations
from . import pipelining as pipelining
from . import placement as placement
from . import references as references
from . import routing as routing
from . import symbolic as symbolic
from . import wormhole as wormhole
from .communication import Program as Program
from .communication import Traffic as Traffic
from .communication import catalog as catalog
from .communication import read as read
from .communication import recognise as recognise
from .communication.lcc import LCC as LCC
from .exploration import explore as explore
from .gf2 import GF2Matrix as GF2Matrix
from .network import BristledHypercube as BristledHypercube
from .network import FatTree as FatTree
from .network import Hypercube as Hypercube
from .network import Mesh as Mesh
from .network import Torus as Torus
from .permutations.comparison import compare as compare
from .placement.contention import contention as contention
from .placement.search import place as place

__version__: str
