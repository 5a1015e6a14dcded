"""Affine permutations on a SIMD mesh [sibeyn]: decomposition, passes, numbering schemes."""

from lccmodel.methods.simd_mesh.decomposition import Decomposition, Operation, decompose
from lccmodel.methods.simd_mesh.numbering import Numbering
from lccmodel.methods.simd_mesh.passes import MeshPass, Registers
from lccmodel.methods.simd_mesh.plan import MeshPlan, PlanRow, simd_mesh_route

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
