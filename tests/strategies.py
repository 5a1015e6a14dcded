"""Hypothesis strategies that build values of the library; none of them filters.

Those without a draw of their own are made once: Hypothesis looks through every new one.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.network import BristledHypercube, Concentrated, Hypercube, Mesh, Network, Torus


def vectors(n: int) -> st.SearchStrategy[int]:
    """Packed vectors of n bits."""
    return st.integers(0, (1 << n) - 1)


def orders(n: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Permutations of 0..n-1."""
    return st.permutations(range(n)).map(tuple)


@st.composite
def matrices(
    draw: Any, n_rows: int | st.SearchStrategy[int], n_columns: int | None = None
) -> GF2Matrix:
    """Matrices of a size, or of a size that is drawn; square unless `n_columns` is given."""
    height = n_rows if isinstance(n_rows, int) else draw(n_rows)
    width = height if n_columns is None else n_columns
    rows = draw(st.lists(vectors(width), min_size=height, max_size=height))
    return GF2Matrix.from_rows(rows, width)


@st.composite
def nonsingular_matrices(draw: Any, n: int) -> GF2Matrix:
    """Every nonsingular matrix is P L U with unit triangular L and U, so this reaches all."""
    lower = [draw(st.integers(0, (1 << i) - 1)) | 1 << i for i in range(n)]
    upper = [(draw(st.integers(0, (1 << (n - 1 - i)) - 1)) * 2 + 1) << i for i in range(n)]
    L, U = GF2Matrix.from_rows(lower, n), GF2Matrix.from_rows(upper, n)
    return GF2Matrix.from_order(draw(orders(n))) @ L @ U


@st.composite
def matrices_of_rank(draw: Any, n: int, rank: int) -> GF2Matrix:
    """R D S with nonsingular R and S, and D the identity in its first `rank` places."""
    D = GF2Matrix.from_rows([1 << i if i < rank else 0 for i in range(n)], n)
    return draw(nonsingular_matrices(n)) @ D @ draw(nonsingular_matrices(n))


@st.composite
def permutations(draw: Any, n: int) -> LCC:
    """Linear-complement permutations."""
    return LCC(draw(nonsingular_matrices(n)), draw(vectors(n)))


@st.composite
def gathers(draw: Any, n: int) -> LCC:
    """Linear-complement gathers: rank A < n."""
    return LCC(draw(matrices_of_rank(n, draw(st.integers(0, n - 1)))), draw(vectors(n)))


@st.composite
def scatters(draw: Any, n: int) -> LCC:
    """Linear-complement scatters: rank A < n."""
    A = draw(matrices_of_rank(n, draw(st.integers(0, n - 1))))
    return LCC.scatter(A, draw(vectors(n)))


@cache
def lccs(n: int) -> st.SearchStrategy[LCC]:
    """Communications of any kind."""
    return st.one_of(permutations(n), gathers(n), scatters(n))


# -- networks -----------------------------------------------------------------------------


@st.composite
def shapes(draw: st.DrawFn, max_n: int = 8) -> tuple[int, ...]:
    """Side lengths of 2^n nodes, 1 <= n <= max_n; axes of length 1 may stand anywhere."""
    n = draw(st.integers(1, max_n))
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=3)))
    bounds = [0, *cuts, n]
    return tuple(1 << hi - lo for lo, hi in pairwise(bounds))


@st.composite
def sides(draw: st.DrawFn, max_size: int = 256) -> tuple[int, ...]:
    """Any side lengths with 2 to max_size nodes."""
    found = [draw(st.integers(2, max(2, min(max_size, 9))))]
    while len(found) < 4 and draw(st.booleans()):
        room = max_size // math.prod(found)
        if room < 1:
            break
        found.append(draw(st.integers(1, min(room, 9))))
    return tuple(draw(st.permutations(found)))


@st.composite
def tori(draw: st.DrawFn, max_size: int = 256) -> Torus:
    """Tori of any sides, some axes of which do not wrap around."""
    shape = draw(sides(max_size))
    wrap = st.lists(st.booleans(), min_size=len(shape), max_size=len(shape))
    return Torus(shape, wrap=draw(wrap))


@cache
def networks(max_n: int = 8) -> st.SearchStrategy[Network]:
    """Networks routed in order of dimensions, with up to 2^max_n nodes."""
    most = 1 << min(max_n, 16)
    routers = st.one_of(
        st.builds(Hypercube, st.integers(1, max(1, max_n - 2))),
        st.builds(Mesh, sides(max(2, most // 4))),
        tori(max(2, most // 4)),
    )
    return st.one_of(
        cubes_and_grids(max_n),
        st.builds(Mesh, sides(most)),
        tori(most),
        st.builds(Concentrated, routers, st.integers(1, 4)),
    )


@cache
def cubes_and_grids(max_n: int = 8) -> st.SearchStrategy[Network]:
    """Networks of 2^n nodes, 1 <= n <= max_n."""
    return st.one_of(
        st.builds(Hypercube, st.integers(1, max_n)),
        st.builds(BristledHypercube, st.integers(1, max_n)),
        st.builds(Mesh, shapes(max_n)),
        st.builds(Torus, shapes(max_n)),
    )


@st.composite
def networks_with_messages(
    draw: st.DrawFn, max_n: int = 8, max_messages: int = 40
) -> tuple[Network, npt.NDArray[np.int64]]:
    """A network, and messages between its nodes as an (m, 2) array; m may be 0."""
    network: Any = draw(networks(max_n))
    node = st.integers(0, network.size - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=max_messages))
    return network, np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)


# -- hostile ------------------------------------------------------------------------------

HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, math.nan, math.inf, 1e300, Fraction(1, 3), object()),
    *(1 << 31, 1 << 63, 10**40, -(1 << 70)),
    *("", "x", "\0", "cube:3", b"x", {}, [], [[]], [[0, 1]], [[0, 1], [2]], [None], ["a"]),
    *([0, 0], [-1], [1 << 64], [10**40]),
    *(np.array(3), np.array([np.inf]), np.zeros((0, 2)), np.array([[0, 5]])),
    np.array([[1 << 63]], dtype=np.uint64),
)
"""What no parameter expects, or nearly: for numbers, texts, sequences, arrays and objects."""


@cache
def hostile_values() -> st.SearchStrategy[Any]:
    """One of `HOSTILE`, a list of them, or any number or text."""
    one = st.sampled_from(HOSTILE)
    return one | st.lists(one, max_size=3) | st.integers() | st.floats() | st.text(max_size=8)


_PIECES = (
    *("[", "]", "{", "}", '"', "'", "=", ",", ":", "\n", "\t", "\0", "#", ";", "\ufeff", "%", "|"),
    *("n", "messages", "source", "destination", "volume", "y0", "x1", "+", "[machine]", "alpha"),
    *("slots", "host", "size", "time", "inf", "nan", "-1", "0", "1", "3", "1e999", "9" * 25, "é"),
)


@st.composite
def hostile_texts(draw: st.DrawFn, right: str) -> str:
    """A right text with parts cut out, doubled, or replaced by what its grammar also uses."""
    text = right
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        put = draw(st.sampled_from(_PIECES) | st.text(max_size=3) | st.just(text[start:end] * 2))
        text = text[:start] + put + text[end:]
    return text


@st.composite
def hostile_bytes(draw: st.DrawFn, right: bytes) -> bytes:
    """A right file with bytes changed, cut out or put in, or one that ends too early."""
    content = bytearray(right)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 4)))
        content[start:end] = draw(st.binary(max_size=4))
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)
