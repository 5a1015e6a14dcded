"""Affine permutations on a SIMD mesh [sibeyn]: decomposition, passes, numbering schemes."""

from lccmodel.methods.simd_mesh.decomposition import Decomposition, Operation, decompose
from lccmodel.methods.simd_mesh.numbering import Numbering
from lccmodel.methods.simd_mesh.passes import MeshPass
from lccmodel.methods.simd_mesh.plan import MeshPlan, PlanRow, simd_mesh_route
from lccmodel.methods.simd_mesh.registers import Registers

__all__ = [
    "Decomposition",
    "MeshPass",
    "MeshPlan",
    "Numbering",
    "Operation",
    "PlanRow",
    "Registers",
    "decompose",
    "simd_mesh_route",
]
