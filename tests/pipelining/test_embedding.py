"""The standard embedding, bit by bit, and its dilation against all other placements.

[calmant, section 2.3].
"""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import Hypercube, Mesh, Network, Torus
from lccmodel.pipelining.embedding import (
    Embedding,
    as_mesh,
    average_dilation,
    minimum_average_dilation,
)
from tests.bridges import check_bridge
from tests.choosing import sampled
from tests.pipelining.equal import axis_coordinates, embed, embedding_of, mesh_of

SIZES = [(1, 1), (3, 1), (2, 2), (4, 2), (6, 2), (6, 3), (9, 3), (4, 4), (8, 4)]


def _distances(network: Network) -> Any:
    return np.array(
        [[network.distance(u, v) for v in range(network.size)] for u in range(network.size)]
    )


@pytest.mark.parametrize(("d", "c"), SIZES)
def test_bits_of_both_orders(d, c):
    """[calmant, section 2.3]: m_{j,l} = n_{j+lc}; Matic: m_{j,l} = n_{(d/c)j+l}."""
    mesh = mesh_of(d, c)
    for order, n in product(("cyclic", "blocked"), range(1 << d)):
        coordinates = mesh.coordinates(embed(n, d, c, order))
        assert axis_coordinates(d, c, order)[:, n].tolist() == list(coordinates)
        for j, q in product(range(c), range(d // c)):
            bit = j + q * c if order == "cyclic" else d // c * j + q
            assert coordinates[j] >> q & 1 == n >> bit & 1


@pytest.mark.parametrize("order", sampled(["cyclic", "blocked"], 4))
@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("d", "c"), sampled(SIZES, 3))
def test_constant_dilation_along_one_axis(d, c, topology, order):
    """Every edge of dimension k has the same length and keeps to one axis, on mesh and torus."""
    embedding = embedding_of(d, c, order, topology)
    graph, links = embedding.graph(), mesh_of(d, c, topology).graph()
    for n, other, data in graph.edges(data=True):
        path = data["path"]
        dilation = embedding_of(d, c, order).dilations[data["dimension"]]
        assert data["dilation"] == dilation == len(path) - 1
        assert (path[0], path[-1]) == (graph.nodes[n]["node"], graph.nodes[other]["node"])
        assert {links.edges[link]["axis"] for link in pairwise(path)} == {data["axis"]}
    assert sorted(graph.nodes[n]["node"] for n in graph) == list(range(1 << d))
    if order == "cyclic":
        assert embedding_of(d, c).dilations == tuple(1 << k // c for k in range(d))


@given(st.sampled_from([(4, 2), (6, 3), (60, 4), (62, 2), (61, 1)]), st.data())
def test_process_of_inverts_embed(size, data):
    d, c = size
    n = data.draw(st.integers(0, (1 << d) - 1))
    for order in ("cyclic", "blocked"):
        assert embedding_of(d, c, order).process_of(embed(n, d, c, order)) == n
        array = np.array([n], dtype=np.uint64)
        assert embed(array, d, c, order).tolist() == [embed(n, d, c, order)]


def test_no_placement_has_a_smaller_average_dilation():
    """All placements on the meshes of 4 and 8 nodes, by the bridge."""
    for n in (2, 3):
        check_bridge("dilation", n)


@pytest.mark.parametrize(("d", "c"), [*SIZES, (8, 1), (10, 2)])
def test_standard_embedding_meets_the_isoperimetric_bound(d, c):
    mean = Fraction(sum(embedding_of(d, c).dilations), d)
    assert mean == Fraction(c * ((1 << d // c) - 1), d) == minimum_average_dilation(mesh_of(d, c))
    assert Fraction(sum(embedding_of(d, c, "blocked").dilations), d) == mean


@pytest.mark.parametrize("mesh", ["mesh:2", "mesh:64", "mesh:2x4", "mesh:8x8", "mesh:16x2x4"])
def test_the_least_dilation_is_the_sum_of_harpers_boundaries(mesh):
    """Every cut between layers separates {0, ..., k-1} from the rest: the edges are counted."""
    network = as_mesh(mesh)
    below = [x * network.size // side for side in network.shape for x in range(1, side)]
    boundaries = [
        sum(n ^ 1 << bit >= k for n in range(k) for bit in range(network.n)) for k in below
    ]
    edges = network.n * network.size // 2
    assert minimum_average_dilation(mesh) == Fraction(sum(boundaries), edges)
    large = minimum_average_dilation(f"mesh:{2**32}x{2**31}")  # 2^32 cuts are not listed
    assert large == Fraction(2**32 + 2**31 - 2, 63)


def test_on_a_ring_the_gray_code_is_better():
    """The optimality is one of meshes: on a ring of 4 the standard embedding has mean 3/2."""
    assert average_dilation(embedding_of(2, 1).nodes, Torus((4,))) == Fraction(3, 2)
    assert average_dilation([0, 1, 3, 2], Torus((4,))) == 1
    assert average_dilation([0, 1, 3, 2], Mesh((4,))) == Fraction(3, 2)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: embed(16, 4, 2), "process"),
        (lambda: embed(-1, 4, 2), "process"),
        (lambda: embed(1.0, 4, 2), "process"),
        (lambda: embed(np.array([16]), 4, 2), "process"),
        (lambda: embed(np.array([0.5]), 4, 2), "process"),
        (lambda: Embedding("mesh:4x6"), "mesh"),
        (lambda: Embedding("cube:4"), "mesh"),
        (lambda: embed(0, 4, 2, "gray"), "order"),
        (lambda: embedding_of(4, 2).process_of(16), "node"),
        (lambda: Embedding("ring:4"), "mesh"),
        (lambda: Embedding("mesh:4xb"), "mesh"),
        (lambda: Embedding("mesh:1"), "mesh"),
        (lambda: Embedding("mesh:2x2,bandwidth=1:2"), "mesh"),  # links of two widths
        (lambda: Embedding(Hypercube(4)), "mesh"),
        (lambda: minimum_average_dilation("torus:4x4"), "mesh"),
        (lambda: average_dilation([0, 0], Mesh((2,))), "placement"),
        (lambda: average_dilation([0, 1, 2], Mesh((2,))), "placement"),
        (lambda: average_dilation(4, 2), "network"),
    ],
)
def test_bad_input_is_named(call, named):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == named


def test_size_limits():
    with pytest.raises(SizeLimitError):
        embed(0, 64, 2)
    with pytest.raises(SizeLimitError):
        _ = embedding_of(26, 2).nodes


@pytest.mark.parametrize(
    "network", [Mesh((2,)), Mesh((4,)), Torus((4,)), Mesh((2, 4)), Hypercube(3)], ids=str
)
def test_the_average_is_over_all_edges_of_the_hypercube(network):
    """d 2^(d-1) edges, each as long as the way between the nodes of its two processes."""
    rng, away = np.random.default_rng(5), _distances(network)
    for _ in range(5):
        at = rng.permutation(network.size)
        ends = [(x, x ^ 1 << k) for x in range(network.size) for k in range(network.n)]
        lengths = [int(away[at[x], at[y]]) for x, y in ends if x < y]
        assert average_dilation(at, network) == Fraction(sum(lengths), len(lengths))
