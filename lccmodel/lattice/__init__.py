"""The bit-correction lattice: where messages stand as their address bits are corrected.

lattice      the checked face of it for one communication: occupancies, loads, walks
path         the one search: every, number of, cheapest paths; the greedy walk
ranks        what a step costs when y = Ax + b; the growing state
counts       what a step costs for any messages: single bits, axes, digits
programme    how routing on a network reads an address; the best order of bits for any program
kernels, counting    prices of many sets, compiled
"""

from lccmodel.lattice.lattice import CorrectionLattice, WalkStep

__all__ = ["CorrectionLattice", "WalkStep"]
