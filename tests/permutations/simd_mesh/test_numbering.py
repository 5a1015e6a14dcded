"""[sibeyn, section 4]: numbering schemes as affine maps of shuffled row-major numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.catalog import identity
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, MatrixError
from lccmodel.network import Mesh
from lccmodel.permutations.simd_mesh import Numbering, simd_mesh_route
from proofs_check.claims.sibeyn_grid import places_of
from proofs_check.claims.sibeyn_mesh import numbers
from tests.strategies import permutations


@pytest.mark.parametrize("name", ["shuffled-row-major", "row-major", "snake-like"])
@pytest.mark.parametrize("n", range(1, 9))
def test_the_grid_of_a_named_numbering(name, n):
    """[sibeyn, section 4]: the numbers that the checker writes out, by `sibeyn.numbering`."""
    mesh = Mesh((1 << (n + 1) // 2, 1 << n // 2))
    written = np.arange(1 << n) if name == "shuffled-row-major" else numbers(name, n)
    assert np.array_equal(Numbering.named(name, mesh).grid, written[places_of(n)])


def test_row_major_is_the_numbering_of_the_library_s_meshes():
    mesh = Mesh((4, 8, 2))
    grid = Numbering.named("row-major", mesh).grid
    assert all(mesh.coordinates(int(grid[z, y, x])) == (x, y, z) for z, y, x in np.ndindex(2, 8, 4))


def test_a_snake_passes_from_neighbour_to_neighbour():
    """Also in three dimensions, where every second layer runs backwards."""
    for shape in ((8, 8), (4, 2, 4), (2, 1, 4), (16,)):
        grid = Numbering.named("snake-like", Mesh(shape)).grid
        places = np.argwhere(np.ones_like(grid))[np.argsort(grid.ravel())]
        assert (np.abs(np.diff(places, axis=0)).sum(axis=1) == 1).all()


@given(st.data(), st.integers(1, 6))
def test_an_affine_numbering_delivers_by_its_own_numbers(data, n):
    """A = C⁻¹A'C, b = C⁻¹(A'd + b' + d): data are followed on the grid."""
    c, scheme = data.draw(permutations(n)), data.draw(permutations(n))
    plan = simd_mesh_route(c, (scheme.A, scheme.b))
    assert plan.delivered
    assert plan.steps == simd_mesh_route(c).steps
    grid, routed = plan.numbering.grid, plan.numbering.routed_grid
    stands = plan.passes[-1].settled[0][routed]  # which datum stands where, in routed numbers
    number_of = dict(zip(routed.ravel().tolist(), grid.ravel().tolist(), strict=True))
    for datum, place in zip(stands.ravel().tolist(), grid.ravel().tolist(), strict=True):
        assert c.destination(number_of[datum]) == place


def test_a_bitwise_numbering_is_routed_by_its_own_numbers():
    c = LCC([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    plan = simd_mesh_route(c, "row-major", network=(4, 4))
    assert plan.routed == c
    assert plan.numbering.places == ((0, 0), (0, 1), (1, 0), (1, 1))
    reflected = simd_mesh_route(c, (identity(4).A, 5))
    assert reflected.routed == c
    assert reflected.delivered
    assert not simd_mesh_route(c, "snake-like").numbering.is_bitwise


@pytest.mark.parametrize(
    ("n", "numbering", "error", "words"),
    [
        (4, Numbering.named("row-major", Mesh((2, 8))), InputError, "must be one of mesh:4x4"),
        (4, (identity(3).A, 0), MatrixError, "nonsingular 4 by 4"),
        (2, ([[1, 1], [1, 1]], 0), MatrixError, "nonsingular"),
    ],
)
def test_what_is_no_numbering(n, numbering, error, words):
    with pytest.raises(error, match=words):
        simd_mesh_route(identity(n), numbering)
