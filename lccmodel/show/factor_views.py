"""How sets of orders, factors and partitioned permutations look: tables, matrices, squares."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.plain_views import plain_table, squares
from lccmodel.show.records import MAX_SHOWN, Table
from lccmodel.show.style import GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_IN_A_ROW = 6


def matrices_plot(named: Mapping[str, Any], axes: Axes) -> None:
    """Matrices over GF(2) side by side, six in a row, ones dark, each with its name below."""
    from matplotlib.patches import Rectangle

    n = max(len(matrix) for matrix in named.values())
    room, below = n + max(1.0, n / 4), n + max(2.0, n / 2)
    for k, (name, matrix) in enumerate(named.items()):
        left, top, own = k % _IN_A_ROW * room, k // _IN_A_ROW * below, len(matrix)
        extent = (left - 0.5, left + own - 0.5, top + own - 0.5, top - 0.5)
        axes.imshow(np.asarray(matrix).tolist(), cmap="Greys", vmin=0, vmax=1.4, extent=extent)
        frame = Rectangle((left - 0.5, top - 0.5), own, own, fill=False, edgecolor=GREY, lw=0.6)
        axes.add_patch(frame)
        place = (left + (own - 1) / 2, top + own - 0.4)
        axes.text(*place, name, ha="center", va="top", fontsize=9, color=INK)
    across, down = min(len(named), _IN_A_ROW), -(-len(named) // _IN_A_ROW)
    axes.set(xlim=(-1, across * room - 0.5), ylim=(down * below - 0.5, -1), aspect="equal")
    axes.set_axis_off()


def _rows_of(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A record for every row of every matrix."""
    return [
        {"matrix": name, "i": i, "entries": "".join(map(str, row))}
        for name, matrix in named.items()
        for i, row in enumerate(np.asarray(matrix).tolist())
    ]


# -- orders -----------------------------------------------------------------------------------


def _first(found: Any) -> list[tuple[int, ...]]:
    return list(islice(found, MAX_SHOWN))


def orders_view(found: Any) -> Table:
    """The first orders of a set."""
    orders = _first(found)
    facts = {"optimum": found.value} if hasattr(found, "value") else {"count": found.count}
    records: list[dict[str, Any]] = [{"order": order} for order in orders] or [{"order": None}]
    return plain_table(f"Orders of bits, the first {MAX_SHOWN}", records, **facts)


def orders_plot(found: Any, axes: Axes) -> None:
    """The first orders as rows of squares: which bit comes when."""
    orders = _first(found)[:20]
    if orders:
        squares(axes, orders, "place in the order", "order")
    axes.set_title(f"the first {len(orders)} orders" if orders else "no order", fontsize=11)


# -- factors ----------------------------------------------------------------------------------


def exchanges_view(found: Any) -> Table:
    """The conditional exchanges of a factorisation, step by step."""
    records = [
        {"step": k, "dimension": step.dimension, "condition": step.condition}
        | {"complement": step.complement, "part_of_channels": step.utilisation}
        for k, step in enumerate(found.step_table())
    ]
    return plain_table("Conditional exchanges", records, order=found.order)


def exchanges_plot(found: Any, axes: Axes) -> None:
    """Its factors."""
    matrices_plot({f"E{k}": factor for k, factor in enumerate(found.factors)}, axes)


def _matrices(found: Any) -> dict[str, Any]:
    """The matrices that a factorisation names."""
    if hasattr(found, "exchanges") and hasattr(found, "permutation"):
        return {"E": found.exchanges.product(), "P": found.permutation.A, "A": found.product()}
    names = [name for name in ("U1", "P", "L", "U", "U2") if hasattr(found, name)]
    return {name: getattr(found, name) for name in names} | {"A": found.product()}


def factors_view(found: Any) -> Table:
    """The rows of the factors and of their product."""
    facts = {"order": found.order} if hasattr(found, "order") else {}
    return plain_table("Factors", _rows_of(_matrices(found)), **facts)


def factors_plot(found: Any, axes: Axes) -> None:
    """The factors, and their product."""
    matrices_plot(_matrices(found), axes)


def pipeline_view(found: Any) -> Table:
    """How many messages cross each dimension in every swap."""
    records = [
        {"step": k, "messages": int(row.sum()), "by_dimension": tuple(row.tolist())}
        for k, row in enumerate(found.crossing)
    ]
    return plain_table(
        "Pipelined exchanges", records, data_sets=found.data_sets, delivered=found.delivered
    )


def pipeline_plot(found: Any, axes: Axes) -> None:
    """The same as squares."""
    squares(axes, found.crossing, "exchange of the pipe", "swap")


def decomposition_view(found: Any) -> Table:
    """The operations on the index bits, in their order."""
    records = [
        {"step": k, "bit": one.bit, "index_bit": one.index_bit, "row": f"{one.row:0{found.n}b}"}
        | {"c": one.c, "cycle": one.cycle, "idle": one.is_idle}
        for k, one in enumerate(found.operations)
    ]
    return plain_table("One-bit operations", records, order=found.order)


def decomposition_plot(found: Any, axes: Axes) -> None:
    """B and the products that it falls into."""
    parts = {"B": found.B}
    for name in ("VL", "EC", "W"):
        parts |= {f"{name}{k}": each for k, each in enumerate(getattr(found, name))}
    matrices_plot(dict(list(parts.items())[:12]), axes)


def mesh_plan_view(found: Any) -> Table:
    """The passes of a plan for the SIMD mesh, register by register."""
    from lccmodel.show.routing_steps import registers_tables

    return registers_tables(found)[0]


# -- partitioned permutations -----------------------------------------------------------------


def tree_view(found: Any) -> Table:
    """The parts of a partition tree."""
    records = [{"part": name, "n": part.n, "equations": str(part)} for name, part in found.parts()]
    return plain_table("Partition tree", records, k=found.k, depth=found.depth)


def tree_plot(found: Any, axes: Axes) -> None:
    """A of the first parts."""
    matrices_plot({name or "whole": part.A for name, part in islice(found.parts(), 12)}, axes)


def switches_view(found: Any) -> Table:
    """How many switches of every stage are crossed."""
    records = [
        {"stage": k, "crossed": int(row.sum()), "straight": int((~row).sum())}
        for k, row in enumerate(found.crossed)
    ]
    return plain_table("Switches", records, switches=int(found.crossed.size))


def switches_plot(found: Any, axes: Axes) -> None:
    """A square for every switch, dark where it is crossed."""
    squares(axes, found.crossed.T.astype(int), "stage", "switch")


def benes_view(found: Any) -> Table:
    """The dimension that every switch pairs, stage by stage."""
    records = [
        {"stage": k, "dimensions": tuple(sorted(set(row.tolist())))}
        for k, row in enumerate(np.atleast_2d(found.dimensions))
    ]
    return plain_table("Benes network", records, n=found.n, constant=found.is_constant)


def benes_plot(found: Any, axes: Axes) -> None:
    """The same as squares."""
    squares(axes, np.atleast_2d(found.dimensions).T, "stage", "switch", aspect="auto")
