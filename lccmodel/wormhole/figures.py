"""The curves of [hou, Figs 5 to 7]: a communication under the orders that the figure compares."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

from lccmodel._arguments import typed_arguments
from lccmodel.communication.catalog import build
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.network import Hypercube
from lccmodel.routing.turns import RECONSTRUCTED
from lccmodel.wormhole.curves import LOADS, Curve, ascending, curve, workers_of
from lccmodel.wormhole.timing import TieRule

FIGURES = {5: "matrix-transpose", 6: "bit-reverse", 7: "reverse-flip"}
"""The communication of each of [hou, Figs 5 to 7]."""


OTHER_ORDER = (0, 7, 4, 3, 1, 6, 5, 2)
"""For n = 8, as good as M-G for all three communications by degree and by dimension.

Both orders turn the matrix transpose into exchanges of bits within 0..3 and within 4..7: M-G of
0 with 3 and 1 with 2, one inside the other; this one of 0 with 2 and 1 with 3, which cross.
"""


class FigureCurve(NamedTuple):
    """One curve of a figure: what is simulated, and a rule for ties if it needs one of its own."""

    label: str
    routing: str
    mapping: Any
    tie: TieRule | None = None


def candidates(figure: Literal[5, 6, 7] | int, n: int = 8) -> tuple[LCC, tuple[FigureCurve, ...]]:
    """The communication of a figure and its curves: routing functions, M-S and M-G.

    M-S is the optimal reordering for this communication, M-G the one for all three. For n = 8
    "M-G (2)" is another order that is as good by degree: `OTHER_ORDER`. Routing functions that the
    paper only cites are reconstructed under ties to the oldest, and their labels say so
    (`routing.turns`).

    Raises:
        InputError: another figure.
    """
    from lccmodel.methods.mapping.solve import optimal_reordering

    if figure not in FIGURES:
        raise InputError("figure", "must be 5, 6 or 7", figure)
    three = [build(name, n) for name in FIGURES.values()]
    communication, cube = three[list(FIGURES).index(figure)], Hypercube(n)
    chosen = (
        FigureCurve("e-cube", "e-cube", None),
        FigureCurve("p-cube", "p-cube", None),
        FigureCurve("min", "minimum-restriction", None),
        FigureCurve("M-S", "e-cube", optimal_reordering(communication, cube)),
        FigureCurve("M-G", "e-cube", optimal_reordering(three, cube)),
    )
    other = (FigureCurve("M-G (2)", "e-cube", OTHER_ORDER),) if n == 8 else ()
    rebuilt = (
        FigureCurve(f"{rule.name} (reconstructed)", rule.name, None, "oldest")
        for rule in RECONSTRUCTED
    )
    return communication, (*chosen, *other, *rebuilt)


@typed_arguments
def figure_curves(
    figure: Literal[5, 6, 7] | int,
    loads: Iterable[float] = LOADS,
    cycles: int = 100_000,
    seed: int = 1,
    *,
    n: int = 8,
    flits: int = 20,
    tie: TieRule = "lowest-input",
    workers: int | None = None,
) -> tuple[Curve, ...]:
    """The curves of [hou, Fig 5, 6 or 7]: those of `candidates`.

    Args:
        figure: 5 matrix transpose, 6 bit reversal, 7 reverse flip.
        loads, cycles, seed, flits, tie, workers: as for `curve`.
        n: dimension of the hypercube.

    Raises:
        InputError: another figure, and whatever `curve` raises.

    >>> [found.label for found in figure_curves(6, loads=[0.05], cycles=1000, n=4)][:6]
    ['e-cube', 'p-cube', 'min', 'M-S', 'M-G', 'chiu (reconstructed)']
    """
    asked = ascending(loads)
    communication, chosen = candidates(figure, n)

    def one(candidate: FigureCurve) -> Curve:
        settings: Any = {"tie": candidate.tie or tie, "label": candidate.label, "workers": 1}
        fixed = (asked, flits, cycles, seed, candidate.mapping)
        return curve(communication, Hypercube(n), candidate.routing, *fixed, **settings)

    with ThreadPoolExecutor(workers_of(workers)) as pool:
        return tuple(pool.map(one, chosen))
