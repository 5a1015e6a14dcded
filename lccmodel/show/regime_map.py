"""The best pipelining degree over message sizes N and start-up times α, with the border N*.

Every point of the grid is an exact optimum (`optimal_degrees`). The line is N*(α), up to which the
best degree by the load model is at most d (`symbolic.formula("border")`): left of it a message is
cut into at most d packets. It is drawn for meshes of equal sides with d other than 3c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.grid import optimal_degrees
from lccmodel.pipelining.machine import Machine
from lccmodel.show.numbers import with_unit
from lccmodel.show.quantities import Fact, Quantity
from lccmodel.show.records import Table
from lccmodel.show.style import INK, VERMILION, axes_on, plain_logarithms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ITEMS, _TIMES = 65, 49
"""Points along each axis of a map."""


@dataclass(frozen=True)
class RegimeMap:
    """The best degrees of a machine for all pairs of N and α; times in the unit of its τ.

    >>> regimes = regime_map(Machine("4x4", 1, 1), (1, 4096), (1, 1000))
    >>> regimes.degrees.shape, int(regimes.degrees[0, 0]), int(regimes.degrees[0, -1])
    ((49, 56), 1, 32)
    """

    machine: Machine
    model: Model
    items: tuple[int, ...]
    alphas: tuple[Fraction, ...]
    degrees: npt.NDArray[np.int64]

    def border(self) -> tuple[Fraction, ...] | None:
        """N* for every α; None where there is no formula."""
        from lccmodel.symbolic import formula

        machine = self.machine
        if any(machine.mesh.geometry.rings) or len(set(machine.shape)) > 1:
            return None
        f = formula("border", c=machine.c)
        tau = Fraction(machine.cost.pieces[0].tau)
        try:
            return tuple(
                Fraction(f.at(d=machine.d, alpha=alpha, tau=tau, b=Fraction(machine.barrier)))
                for alpha in self.alphas
            )
        except InputError:  # d = 3c, or tau = 0
            return None


def regime_map(
    machine: Machine, items: tuple[int, int], alphas: tuple[Any, Any], model: Model = "schedule"
) -> RegimeMap:
    """Compute the best degree on a grid, both axes logarithmic.

    Args:
        machine: the mesh, τ and the barrier; its α is not used.
        items: the smallest and largest N.
        alphas: the smallest and largest α, above 0.
        model: whose steps are counted.

    Raises:
        InputError: an empty range, N < 1, or α <= 0.
    """
    low, high = items
    first, last = (Fraction(alpha) for alpha in alphas)
    if not 1 <= low < high:
        raise InputError("N", "must be a range of at least 1, low:high", f"{low}:{high}")
    if not 0 < first < last:
        raise InputError("alpha", "must be a range above 0, low:high", f"{first}:{last}")
    sizes = sorted({round(float(n)) for n in np.geomspace(low, high, _ITEMS)})
    times = [Fraction(f"{t:.6g}") for t in np.geomspace(float(first), float(last), _TIMES)]
    grid = optimal_degrees(
        machine,
        np.array(sizes)[None, :],
        alpha=np.array([float(t) for t in times])[:, None],
        model=model,
    )
    grid.setflags(write=False)
    return RegimeMap(machine, model, tuple(sizes), tuple(times), grid)


def draw_regime_map(regimes: RegimeMap, unit: str = "", ax: Axes | None = None) -> Figure:
    """Draw the regions of the best degree, and the border N*.

    >>> figure = draw_regime_map(regime_map(Machine("4x4", 1, 1), (1, 4096), (1, 1000)))
    >>> figure.axes[0].get_xlabel()
    'items N'
    """
    from matplotlib.colors import BoundaryNorm

    from lccmodel.show.network_artists import figure_of

    axes = axes_on(ax, (7.0, 4.6))
    d, top = regimes.machine.d, int(regimes.degrees.max())
    edges = _edges(d, top)
    # The lighter half of the map, so that the border and the labels can be read on it.
    import matplotlib

    colours = matplotlib.colormaps["YlGnBu"].resampled(2 * len(edges))
    norm = BoundaryNorm(edges, 2 * len(edges))
    alphas = [float(alpha) for alpha in regimes.alphas]
    mesh = axes.pcolormesh(
        regimes.items, alphas, regimes.degrees, cmap=colours, norm=norm, shading="nearest"
    )
    mesh.set_rasterized(True)
    _name_regions(axes, regimes, edges)
    border = regimes.border()
    if border is not None:
        axes.plot(
            [float(N) for N in border], alphas, color=VERMILION, label=f"N*: Q = {d}, load model"
        )
        axes.legend(loc="upper left")
    axes.set_xscale("log")
    axes.set_yscale("log")
    plain_logarithms(axes.xaxis, axes.yaxis)
    axes.set_xlim(regimes.items[0], regimes.items[-1])
    axes.set_ylim(alphas[0], alphas[-1])
    axes.set_xlabel("items N")
    axes.set_ylabel(with_unit("start-up time α", unit))
    axes.set_title(f"Best number of packets Q on {regimes.machine.mesh.spec}, d = {d}")
    figure = figure_of(axes)
    bar = figure.colorbar(mesh, ax=axes, ticks=[(a + b) / 2 for a, b in pairwise(edges)])
    bar.ax.set_yticklabels([_label(a, b) for a, b in pairwise(edges)])
    bar.set_label("packets Q")
    return figure


def _name_regions(axes: Axes, regimes: RegimeMap, edges: list[int]) -> None:
    """The degrees of every region that has room, near its middle."""
    from matplotlib.patheffects import withStroke

    degrees = np.asarray(regimes.degrees)
    for low, high in pairwise(edges):
        cells = np.argwhere((degrees >= low) & (degrees < high))
        if len(cells) < 0.03 * degrees.size:
            continue
        row, column = cells[np.abs(cells - cells.mean(axis=0)).sum(axis=1).argmin()]
        place = float(regimes.items[column]), float(regimes.alphas[row])
        name = axes.text(*place, _label(low, high), fontsize=8, color=INK, ha="center", va="center")
        name.set_path_effects([withStroke(linewidth=2.4, foreground="white")])


def _edges(d: int, top: int) -> list[int]:
    """Boundaries of regions: 1, 2, 3-4, 5-8, ... with one between d and d + 1."""
    edges = {1, 2, d + 1, top + 1}
    power = 2
    while power < top:
        edges.add(power + 1)
        power *= 2
    return sorted(edge for edge in edges if edge <= top + 1)


def _label(low: int, high: int) -> str:
    return str(low) if high == low + 1 else f"{low}-{high - 1}"


def regime_table(regimes: RegimeMap, unit: str = "") -> Table:
    """The stretches of N with one best degree, for every α of the map.

    >>> table = regime_table(regime_map(Machine("4x4", 1, 1), (1, 64), (1, 10)))
    >>> table.records()[0]["Q"]
    1
    """
    rows: list[dict[str, Any]] = []
    border = regimes.border()
    for row, alpha in enumerate(regimes.alphas):
        for column, N in enumerate(regimes.items):
            Q = int(regimes.degrees[row, column])
            if rows and rows[-1]["alpha"] == float(alpha) and rows[-1]["Q"] == Q:
                rows[-1]["items_to"] = N
                continue
            rows.append({"alpha": float(alpha), "items": N, "items_to": N, "Q": Q})
            rows[-1]["border"] = None if border is None else float(border[row])
    columns: Sequence[Quantity] = (
        Quantity("alpha", with_unit("α", unit), form=".4g"),
        Quantity("items", "N from", form=","),
        Quantity("items_to", "to", form=","),
        Quantity("Q", "best Q", form=","),
    )
    tau = str(regimes.machine.cost.pieces[0].tau)
    facts: list[Fact] = [
        ("network", regimes.machine.mesh.spec),
        ("model", regimes.model),
        (Quantity("tau", "τ"), tau),
    ]
    notes = ["The grid is logarithmic; N between two of its points is in neither stretch."]
    if border is not None:
        notes.append("border: N*, up to which the best Q by the load model is at most d.")
    return Table("The best number of packets over N and α", columns, rows, facts, notes)
