"""Best orders compared with the network's counts, walks with counted loads, matrices multiplied.

The value of a best order is found again over all orders of up to three bits [hou, Theorem 6];
solutions, kernels and inverses over GF(2) are multiplied out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.gf2 import GF2Vector, batch, enumeration, orbits
from lccmodel.gf2.enumeration import random_matrices, random_matrix, random_nonsingular
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice import CorrectionLattice
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.programme import OBJECTIVES, best_order
from lccmodel.network import parse_network
from tests.digests import digest
from tests.placement.search.brute_force import counted_value

NETWORKS = (
    "cube:3", "cube:4", "mesh:4x2", "torus:4x4", "mesh:8", "torus:8x2", "origin:3", "origin:4",
    "mesh:4x4,bandwidth=2:3", "fattree:2^3", "fattree:4x2/2", "fattree:2x4/2,routing=s-mod-k",
    "torus:2x2*4", "cube:2*2", "mesh:2", "torus:4x4*2",
)  # fmt: skip


def _programs(n: int) -> Iterator[Program]:
    rng = np.random.default_rng(n)
    for phases in (1, 2, 3):
        ranks = (1 << n) - (phases == 2 and n > 1)
        sent = [rng.integers(0, ranks, (int(rng.integers(1, 20)), 2)) for _ in range(phases)]
        yield Program(
            [
                Phase(
                    Traffic(pairs, rng.integers(1, 9, len(pairs)), ranks),
                    Fraction(int(rng.integers(1, 4)), 1 + k),
                )
                for k, pairs in enumerate(sent)
            ]
        )
    yield Program([LCC(random_matrix(n, rng, n // 2)), LCC.scatter(random_matrix(n, rng))])
    yield Program([LCC(random_nonsingular(n, rng))])


def _ordered(word: str) -> Iterator[Any]:
    network = parse_network(word)
    n = network.n
    for program, objective, gray in product(_programs(n), OBJECTIVES, (False, True)):
        try:
            found = best_order(program, network, objective, gray=gray)
        except InputError as error:
            yield str(error)
            continue
        node_of = found.node_of[: program.ranks]
        assert found.value == counted_value(program, word, node_of, objective)
        if n <= 3 and not gray:
            x = np.arange(program.ranks)
            nodes = [
                sum((x >> bit & 1) << k for k, bit in enumerate(order))
                for order in permutations(range(n))
            ]
            least = min(counted_value(program, word, np.array(at), objective) for at in nodes)
            assert found.value == least
        yield found, node_of.tolist()


def _walked(n: int) -> Iterator[Any]:
    """Occupancies and loads of every walk: the most messages at a node and on a channel."""
    rng, draw = np.random.default_rng(n), random.Random(n)
    for kind, inside in product((LCC, LCC.scatter), ((), (0,), (n - 1,))):
        c = kind(random_matrix(n, rng), [draw.randrange(2) for _ in range(n)])
        lattice = CorrectionLattice(c, inside)
        pairs = c.pairs()
        counts = Counts(n, pairs[:, 0], pairs[:, 1], internal=inside)
        for order in [*permutations(lattice.external)][:6]:
            steps = lattice.walk(order)
            assert [one.load for one in steps] == [
                counts.load(sum(1 << k for k in one.corrected), one.bit) for one in steps
            ]
            yield steps, lattice.loads(order)


def _matrices(n: int) -> Iterator[Any]:
    rng = np.random.default_rng(n)
    for height in (n, max(1, n - 1), n + 2):
        for _ in range(6):
            rows = [int(row) for row in rng.integers(0, 1 << n, height)]
            A = GF2Matrix.from_rows(rows, n)
            kernel = A.kernel()
            assert all(A.apply(x) == 0 for x in kernel)
            assert len(kernel) == n - A.rank
            target = int(rng.integers(1 << height))
            x = A.solve(target)
            assert (x is None) == all(A.apply(y) != target for y in range(1 << n))
            assert x is None or A.apply(x) == target
            yield A, A.rank, kernel, x, A.latex(), A.T.rows, A.columns, A.tolist(), A.as_order()
            yield hash(A) == hash(GF2Matrix(A.tolist())), A.submatrix([0], range(n)), str(A.shape)
            if A.is_nonsingular:
                inverse = A.inverse()
                assert A @ inverse == GF2Matrix.identity(n)
                yield inverse, A.conjugate(inverse)
    yield [random_matrix(n, rng, rank).rows for rank in range(n + 1)]
    yield random_nonsingular(n, rng).rows, random_matrices(3, n, rng, 2).tolist()
    several = random_matrices(5, n, rng)
    assert batch.ranks(several).tolist() == [
        GF2Matrix.from_rows(rows, n).rank for rows in several.tolist()
    ]
    yield batch.leading_ranks(several).tolist(), batch.leading_ranks(several, [*range(n)][::-1])
    if n <= 3:
        every = batch.ranks_of_all(n)
        assert (every == n).sum() == enumeration.general_linear_order(n)
        yield np.bincount(every).tolist(), batch.leading_rank_histogram(n).tolist()
        for found in (orbits.reordering_orbits(n), orbits.linear_orbits(n)):
            yield str(found), [getattr(found, name) for name in vars(found)]
        yield orbits.reordering_orbit_count(n), orbits.linear_orbit_count(n)
    for text in ("0" * n, "1" * n, "10" * n):
        vector = GF2Vector([int(bit) for bit in text])
        yield vector, int(vector), len(vector), GF2Vector.from_int(int(vector), len(text))


CASES = (
    *(f"ordered | {word}" for word in NETWORKS),
    *(f"walked | {n}" for n in (1, 2, 3, 4, 5)),
    *(f"matrices | {n}" for n in (1, 2, 3, 4, 6, 8)),
)


def facts(case: str) -> str:
    """How many answers there are, and a digest of them."""
    piece, what = case.split(" | ")
    if piece == "ordered":
        return digest(_ordered(what))
    return digest({"walked": _walked, "matrices": _matrices}[piece](int(what)))
