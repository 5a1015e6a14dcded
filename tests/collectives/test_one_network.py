"""Networks with equal geometry and routes are one network, and get one answer."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import fast_only

ALIKE = [
    ("origin:5", "cube:4*2"),
    ("torus:4x4", "torus:4x4,nodes=0-15", "torus:4x1x4"),
    ("cube:4", "mesh:2x2x2x2"),
    ("mesh:4x4", "mesh:4x1x4", "mesh:4x4,nodes=0-15"),
]


@pytest.mark.parametrize("words", ALIKE, ids=lambda words: words[0])
@pytest.mark.parametrize("kind", fast_only(["allgather", "alltoall", "broadcast"], "allgather"))
def test_one_network_gets_one_answer(words: tuple[str, ...], kind: Any) -> None:
    """origin:5 and cube:4*2: 1123.75 and 1095.83 in 0.4 (allgather), bounds 208.75 and 1015.

    torus:4x4 with all its nodes named: 4990.2 for 2477.6, since the axes were lost.
    """
    shared = len({Site.on(as_network(word)).per_node for word in words} - {1}) > 0
    for ports in ("one", "all"):
        for inside in (None, Linear(1, "1/3000")) if shared else (None,):
            answers = set()
            for word in words:
                best = collectives.choose(
                    kind, Linear(5, "1/1000"), 10**6, word, ports=ports, inside=inside
                )
                options = tuple((option.name, option.time) for option in best.options)
                answers.add((options, best.lower_bound))
            assert len(answers) == 1, (ports, inside)


def test_sites_are_read_from_the_geometry() -> None:
    for words in ALIKE:
        sites = {
            (site.ranks, site.sides, site.wraps, site.per_node)
            for site in (Site.on(as_network(word)) for word in words)
        }
        assert len(sites) == 1, sites


def test_a_cube_of_grids_and_its_boxes_have_one_bound() -> None:
    """cube:6 by its formula, mesh:2x2x2x2x2x2 by its boxes: half of the vectors over 32 links."""
    bounds = {
        collectives.alltoall("pairwise", word, ports="all").bound.data
        for word in ("cube:6", "mesh:2x2x2x2x2x2")
    }
    assert bounds == {Fraction(32 * 32, 64) / 32}
