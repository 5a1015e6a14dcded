"""Between the busiest channel and hop-bytes: placements of which none is better in both.

share 1      only the busiest channel with all phases at once (joint)
share 0      only volume times channels (distance)
between      S channels joint + (1 - S) distance
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError
from lccmodel.methods.placed import Placement
from lccmodel.methods.placement.solve import place
from lccmodel.network import Network
from lccmodel.problem import Problem
from lccmodel.views import Viewed

SHARES = ("joint", "mixture:9/10", "mixture:1/2", "mixture:1/10", "distance")


@dataclass(frozen=True, repr=False, eq=False)
class ParetoFront(Viewed, view="front"):
    """Placements by busiest channel and by hop-bytes.

    Attributes:
        problem: what was asked.
        found: a placement for every objective that was tried.
        best: those of them of which no other is at least as good in both and better in one; the
            busiest channel grows and hop-bytes fall.

    >>> front = pareto_front([(0, 3), (1, 2)], "mesh:2x2", seconds=0.05)
    >>> [(one.after.joint, one.after.distance) for one in front.best]
    [(1, 2)]
    """

    problem: Problem
    found: tuple[Placement, ...]
    best: tuple[Placement, ...]


@typed_arguments
def pareto_front(
    program: Any,
    network: Network | str | None = None,
    objectives: Sequence[str] = SHARES,
    *,
    seconds: float = 10.0,
    **search: Any,
) -> ParetoFront:
    """Placements between the least busiest channel and the least hop-bytes, as far as found.

    Args:
        program, network: as for `place`.
        objectives: "joint", "distance" and mixtures, at least one.
        seconds: for all of them together, see `place`.
        search: further arguments of `place`.

    Raises:
        InputError: no objective, or another one; see `place`.

    >>> front = pareto_front([(x, 5 * x % 16) for x in range(16)], "torus:4x4", seconds=0.5)
    >>> one, last = front.best[0].after, front.best[-1].after
    >>> one.joint <= last.joint, last.distance <= one.distance
    (True, True)
    """
    known = [*objectives] if not isinstance(objectives, str) else []
    if not known or any(not isinstance(o, str) or o.startswith(("max", "sum")) for o in known):
        rule = "must be a list of joint, distance and mixtures such as mixture:1/2"
        raise InputError("objectives", rule, objectives)
    problem = Problem.read(program, network)
    found: list[Placement] = []
    for objective in known:
        starts = {f"the one for {one.objective}": one.node_of for one in found}
        told = {**starts, **dict(search.get("starts") or {})}
        options = {**search, "starts": told}
        one = place(problem, None, objective, "placements", seconds=seconds / len(known), **options)
        found.append(replace(one, found=one.found.removeprefix("search from search from ")))
    return ParetoFront(problem, tuple(found), tuple(_best(found)))


def _best(found: Sequence[Placement]) -> list[Placement]:
    """Those that no other beats, each pair of numbers once, by the busiest channel downwards."""
    kept: list[Placement] = []
    for one in sorted(found, key=lambda p: (p.after.joint, p.after.distance)):
        if not kept or one.after.distance < kept[-1].after.distance:
            kept.append(one)
    return kept
