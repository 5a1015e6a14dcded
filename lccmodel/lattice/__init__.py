"""The bit-correction lattice: the one idea under four papers."""

from lccmodel.lattice.lattice import CorrectionLattice, Step

__all__ = ["CorrectionLattice", "Step"]
