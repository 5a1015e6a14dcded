"""The best linear order and placement of halving and doubling, against every basis."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.exchanges import bit_partners, gathered
from lccmodel.collectives.loads import PlanLoads
from lccmodel.errors import NetworkError
from lccmodel.network import as_network
from tests.choosing import fast_only


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(
    "spec",
    fast_only(["torus:8", "mesh:8", "mesh:4x2", "torus:4*2", "fattree:2^3"], "mesh:8"),
)
def test_no_basis_is_better(spec: str, ports: str) -> None:
    """All 168 nonsingular Q of three bits, each in its order."""
    where = as_network(spec)
    plan = gathered(8, [bit_partners(8, bit) for bit in (2, 1, 0)])
    least = min(
        PlanLoads(plan, where, _xored(words), ports).busiest  # type: ignore[arg-type]
        for words in permutations(range(1, 8), 3)
        if words[0] ^ words[1] != words[2]
    )
    found = collectives.placed_halving(spec, ports=ports)  # type: ignore[arg-type]
    assert found.busiest == 2 * least
    assert found.replay().ok


def _xored(words: tuple[int, ...]) -> np.ndarray:
    nodes, placed = np.arange(8), np.zeros(8, np.int64)
    for j, word in enumerate(words):
        placed ^= np.where(nodes >> j & 1, word, 0)
    return placed


@pytest.mark.parametrize("spec", ["torus:16", "torus:4x4", "mesh:8x4", "cube:4"])
def test_on_grids_the_order_alone_is_best(spec: str) -> None:
    """The rule of the catalogue takes it."""
    found = collectives.placed_halving(spec)
    assert found.busiest == collectives.allreduce("rabenseifner", spec).busiest


def test_other_sizes_are_refused() -> None:
    with pytest.raises(NetworkError, match=r"must have 2\^n nodes"):
        collectives.placed_halving("torus:6")
