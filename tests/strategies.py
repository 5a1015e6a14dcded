"""Hypothesis strategies of the project; they build values and do not filter them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from lccmodel.network import BristledHypercube, Hypercube, Mesh, Network, Torus

# -- networks -----------------------------------------------------------------------------


@st.composite
def shapes(draw: st.DrawFn, max_n: int = 8) -> tuple[int, ...]:
    """Side lengths with 1 <= n <= max_n; axes of length 1 may stand anywhere."""
    n = draw(st.integers(1, max_n))
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=3)))
    bounds = [0, *cuts, n]
    return tuple(1 << hi - lo for lo, hi in pairwise(bounds))


def networks(max_n: int = 8) -> st.SearchStrategy[Network]:
    """Networks of all four kinds."""
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
