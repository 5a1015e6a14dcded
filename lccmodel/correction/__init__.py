"""Correcting one address bit after another: the lattice, and the contention on its paths."""

from lccmodel.correction.contention import Contention, ContentionSet, contention
from lccmodel.correction.lattice import CorrectionLattice, Step

__all__ = ["Contention", "ContentionSet", "CorrectionLattice", "Step", "contention"]
