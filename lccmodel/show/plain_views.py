"""How circuits, conflicts, orders, factors, patterns and orbits look, each in a few lines.

A view that is not worth a module of its own: a table of records, and bars, squares or matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.mapping_views import bars
from lccmodel.show.records import MAX_SHOWN, Table, keyed_table
from lccmodel.show.style import BLUE, GREY, INK, VERMILION, digit_colour, node_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lccmodel.gf2.orbits import Orbits
    from lccmodel.movement.replay import Conflict
    from lccmodel.movement.unit_steps import MeshRun
    from lccmodel.permutations.exchanges.conditional import ExchangeFactors, Pipeline
    from lccmodel.permutations.exchanges.orders import ExchangeOrders
    from lccmodel.permutations.exchanges.triangular import (
        Bruhat,
        ExchangesThenPermutation,
        TriangularFactors,
    )
    from lccmodel.permutations.partitioned.network import BenesNetwork, SwitchSettings
    from lccmodel.permutations.partitioned.tree import PartitionTree
    from lccmodel.permutations.self_routing.networks import Circuits
    from lccmodel.permutations.simd_mesh.decomposition import Decomposition
    from lccmodel.permutations.simd_mesh.plan import MeshPlan
    from lccmodel.placement.mapping.orders import OptimalOrders
    from lccmodel.routing.table import RoutingTable
    from lccmodel.wormhole.curves import Sustained
    from lccmodel.wormhole.fft_program import FFTTimes
    from lccmodel.wormhole.traffic import Pattern


def squares(axes: Axes, cells: Any, across: str, up: str, **how: Any) -> None:
    """A square for every cell, with its number where they are few."""
    shown = np.asarray(cells)
    most = max(1.0, 1.4 * float(shown.max(initial=0)))
    image: Any = axes.imshow(shown, cmap="Blues", vmin=0, vmax=most, **how)
    if shown.size <= 400:
        for (row, column), cell in np.ndenumerate(shown):
            ink = digit_colour(image.cmap(image.norm(float(cell))))
            axes.text(column, row, f"{cell:g}", ha="center", va="center", fontsize=8, color=ink)
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(integer=True)


# -- movement ---------------------------------------------------------------------------------


def conflict_view(conflict: Conflict) -> Table:
    """The two messages that cannot both move."""
    records = [
        {"message": claim.number, "source": claim.source, "destination": claim.destination}
        for claim in (conflict.first, conflict.second)
    ]
    place = str(conflict.place)
    return keyed_table(
        "Conflict",
        records,
        {"kind": conflict.kind, "at_step": conflict.step, "place": place, "verdict": str(conflict)},
    )


def conflict_plot(conflict: Conflict, axes: Axes) -> None:
    """The conflict in words, and the ways of both messages as arrows."""
    for height, (claim, colour) in enumerate(
        ((conflict.first, BLUE), (conflict.second, VERMILION))
    ):
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2}
        start, end = (0.1, height), (0.9, height)
        axes.annotate(str(claim.source), end, start, va="center", arrowprops=arrow)
        axes.text(0.92, height, str(claim.destination), va="center")
    axes.set(xlim=(0, 1), ylim=(-0.6, 1.6), title=str(conflict))
    axes.title.set(fontsize=9, wrap=True)
    axes.set_axis_off()


def circuits_view(circuits: Circuits) -> Table:
    """The channels of every circuit."""
    records = [
        {"message": k, "channels": " ".join(f"{u}->{v}" for u, v in channels)}
        for k, channels in enumerate(circuits.channels)
    ]
    words = "disjoint" if circuits.disjoint else f"conflict: {circuits.conflict}"
    return keyed_table("Circuits", records, {"verdict": words})


def circuits_plot(circuits: Circuits, axes: Axes) -> None:
    """How many circuits every channel has."""
    from lccmodel.show.drawing import draw_channels

    draw_channels(circuits.movement.channel_use, ax=axes)


def mesh_run_view(run: MeshRun) -> Table:
    """Unit steps of every routing step."""
    records = [{"step": k, "unit_steps": unit_steps} for k, unit_steps in enumerate(run.unit_steps)]
    most = {
        "sent": run.most_sent,
        "received": run.most_received,
        "held": run.most_held,
    }
    facts = {"ports": run.ports, "total": run.total, **most}
    keys = ("step", "unit_steps")
    return keyed_table(f"Unit steps on {run.network.spec}", records, facts, keys=keys)


def mesh_run_plot(run: MeshRun, axes: Axes) -> None:
    """The same as bars."""
    bars(axes, {"unit steps": run.unit_steps}, "step", "unit steps")


# -- wormhole and others ----------------------------------------------------------------------


def pattern_view(pattern: Pattern) -> Table:
    """Who sends to whom."""
    keys = ("source", "destination")
    records = [dict(zip(keys, pair, strict=True)) for pair in pattern.pairs.tolist()]
    return keyed_table(pattern.name or "Pattern", records, {"senders": pattern.senders}, keys=keys)


def pattern_plot(pattern: Pattern, axes: Axes) -> None:
    """The same as dots."""
    sources, destinations = pattern.pairs.T
    last = max(pattern.nodes - 1, int(pattern.pairs.max(initial=0)))
    axes.plot(destinations, sources, "s", color=BLUE, ms=3)
    axes.set(xlabel="to node", ylabel="from node", aspect="equal")
    axes.set(xticks=node_ticks(last + 1), yticks=node_ticks(last + 1))
    axes.set(xlim=(-0.5, last + 0.5), ylim=(last + 0.5, -0.5))


def sustained_view(sustained: Sustained) -> Table:
    """The bracket that every seed ended with."""
    records = [
        {"seed": k, "sustained": low, "saturated": high}
        for k, (low, high) in enumerate(sustained.brackets)
    ]
    return keyed_table(
        "Sustained throughput",
        records,
        {"throughput": sustained.throughput, "cycles": sustained.cycles},
    )


def sustained_plot(sustained: Sustained, axes: Axes) -> None:
    """The brackets."""
    for k, (low, high) in enumerate(sustained.brackets):
        axes.plot([low, high], [k, k], "|-", color=BLUE, ms=10)
    axes.axvline(
        sustained.throughput, color=VERMILION, lw=1, label=f"estimate {sustained.throughput:.3g}"
    )
    axes.legend(frameon=False, fontsize=9)
    axes.set(xlabel="load: sustained on the left, saturated on the right", ylabel="seed")
    axes.set_yticks(node_ticks(len(sustained.brackets)))
    axes.margins(y=0.3)


def fft_view(f_f_t_times: FFTTimes) -> Table:
    """The times of the parts of an FFT."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    records = [{"part": name, "time": getattr(f_f_t_times, name)} for name in names]
    return keyed_table(f"FFT of {f_f_t_times.points} points on {f_f_t_times.network.spec}", records)


def fft_plot(f_f_t_times: FFTTimes, axes: Axes) -> None:
    """The same as bars."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    times = [float(getattr(f_f_t_times, name)) for name in names]
    axes.barh([name.replace("_", " ") for name in names], times, color=BLUE)
    axes.set(xlabel="time (µs)")


def orbits_view(orbits: Orbits) -> Table:
    """The orbits and their sizes."""
    records = [
        {"representative": int(representative), "size": int(size)}
        for representative, size in zip(orbits.representatives, orbits.sizes, strict=True)
    ]
    return keyed_table(f"Orbits of {orbits.n}×{orbits.n} matrices", records, {"n": orbits.n})


def orbits_plot(orbits: Orbits, axes: Axes) -> None:
    """How many orbits have which size."""
    sizes, counts = np.unique(orbits.sizes, return_counts=True)
    axes.bar([str(size) for size in sizes], counts, color=BLUE)
    axes.set(xlabel="matrices in an orbit", ylabel="orbits")
    axes.locator_params(axis="y", integer=True)


def routing_states_view(routing_table: RoutingTable) -> Table:
    """How many states have how many options."""
    options, counts = np.unique(np.diff(routing_table.first), return_counts=True)
    records = [
        {"options": int(k), "states": int(count)} for k, count in zip(options, counts, strict=True)
    ]
    title = f"{routing_table.routing.name} on {routing_table.fabric.network.spec}"
    return keyed_table(title, records, {"all_states": routing_table.states})


def routing_states_plot(routing_table: RoutingTable, axes: Axes) -> None:
    """The same as bars."""
    options, counts = np.unique(np.diff(routing_table.first), return_counts=True)
    axes.bar([str(k) for k in options], counts, color=BLUE)
    axes.set(xlabel="channels that a header may take next", ylabel="states")


# -- factors ------------------------------------------------------------------------------------


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


def _first(values: Any) -> list[tuple[int, ...]]:
    return list(islice(values, MAX_SHOWN))


def orders_view(result: ExchangeOrders | OptimalOrders) -> Table:
    """The first orders of a set."""
    orders = _first(result)
    facts = {"optimum": result.value} if hasattr(result, "value") else {"count": result.count}
    records: list[dict[str, Any]] = [{"order": order} for order in orders] or [{"order": None}]
    return keyed_table(f"Orders of bits, the first {MAX_SHOWN}", records, facts)


def orders_plot(result: ExchangeOrders | OptimalOrders, axes: Axes) -> None:
    """The first orders as rows of squares: which bit comes when."""
    orders = _first(result)[:20]
    if orders:
        squares(axes, orders, "place in the order", "order")
    axes.set_title(f"the first {len(orders)} orders" if orders else "no order", fontsize=11)


def exchanges_view(exchange_factors: ExchangeFactors) -> Table:
    """The conditional exchanges of a factorisation, step by step."""
    records = [
        {"step": k, "dimension": step.dimension, "condition": step.condition}
        | {"complement": step.complement, "part_of_channels": step.utilisation}
        for k, step in enumerate(exchange_factors.step_table())
    ]
    return keyed_table("Conditional exchanges", records, {"order": exchange_factors.order})


def exchanges_plot(exchange_factors: ExchangeFactors, axes: Axes) -> None:
    """Its factors."""
    matrices_plot({f"E{k}": factor for k, factor in enumerate(exchange_factors.factors)}, axes)


def _matrices(factors: TriangularFactors | Bruhat | ExchangesThenPermutation) -> dict[str, Any]:
    """The matrices that a factorisation names."""
    if hasattr(factors, "exchanges") and hasattr(factors, "permutation"):
        return {
            "E": factors.exchanges.product(),
            "P": factors.permutation.A,
            "A": factors.product(),
        }
    names = [name for name in ("U1", "P", "L", "U", "U2") if hasattr(factors, name)]
    return {name: getattr(factors, name) for name in names} | {"A": factors.product()}


def factors_view(result: Bruhat | ExchangesThenPermutation | TriangularFactors) -> Table:
    """The rows of the factors and of their product."""
    facts = {"order": result.order} if hasattr(result, "order") else {}
    return keyed_table("Factors", _rows_of(_matrices(result)), facts)


def factors_plot(result: Bruhat | ExchangesThenPermutation | TriangularFactors, axes: Axes) -> None:
    """The factors, and their product."""
    matrices_plot(_matrices(result), axes)


def pipeline_view(pipeline: Pipeline) -> Table:
    """How many messages cross each dimension in every swap."""
    records = [
        {"step": k, "messages": int(row.sum()), "by_dimension": tuple(row.tolist())}
        for k, row in enumerate(pipeline.crossing)
    ]
    return keyed_table(
        "Pipelined exchanges",
        records,
        {"data_sets": pipeline.data_sets, "delivered": pipeline.delivered},
    )


def pipeline_plot(pipeline: Pipeline, axes: Axes) -> None:
    """The same as squares."""
    squares(axes, pipeline.crossing, "exchange of the pipe", "swap")


def decomposition_view(decomposition: Decomposition) -> Table:
    """The operations on the index bits, in their order."""
    records = [
        {
            "step": k,
            "bit": operation.bit,
            "index_bit": operation.index_bit,
            "row": f"{operation.row:0{decomposition.n}b}",
        }
        | {"c": operation.c, "cycle": operation.cycle, "idle": operation.is_idle}
        for k, operation in enumerate(decomposition.operations)
    ]
    return keyed_table("One-bit operations", records, {"order": decomposition.order})


def decomposition_plot(decomposition: Decomposition, axes: Axes) -> None:
    """B and the products that it falls into."""
    parts = {"B": decomposition.B}
    for name in ("VL", "EC", "W"):
        parts |= {f"{name}{k}": part for k, part in enumerate(getattr(decomposition, name))}
    matrices_plot(dict(list(parts.items())[:12]), axes)


def mesh_plan_view(mesh_plan: MeshPlan) -> Table:
    """The passes of a plan for the SIMD mesh, register by register."""
    from lccmodel.show.routing_tables import registers_tables

    return registers_tables(mesh_plan)[0]


# -- partitioned permutations -----------------------------------------------------------------


def tree_view(tree: PartitionTree) -> Table:
    """The parts of a partition tree."""
    records = [{"part": name, "n": part.n, "equations": str(part)} for name, part in tree.parts()]
    return keyed_table("Partition tree", records, {"k": tree.k, "depth": tree.depth})


def tree_plot(tree: PartitionTree, axes: Axes) -> None:
    """A of the first parts."""
    matrices_plot({name or "whole": part.A for name, part in islice(tree.parts(), 12)}, axes)


def switches_view(switch_settings: SwitchSettings) -> Table:
    """How many switches of every stage are crossed."""
    records = [
        {"stage": k, "crossed": int(row.sum()), "straight": int((~row).sum())}
        for k, row in enumerate(switch_settings.crossed)
    ]
    return keyed_table("Switches", records, {"switches": int(switch_settings.crossed.size)})


def switches_plot(switch_settings: SwitchSettings, axes: Axes) -> None:
    """A square for every switch, dark where it is crossed."""
    squares(axes, switch_settings.crossed.T.astype(int), "stage", "switch")


def benes_view(benes: BenesNetwork) -> Table:
    """The dimension that every switch pairs, stage by stage."""
    records = [
        {"stage": k, "dimensions": tuple(sorted(set(row.tolist())))}
        for k, row in enumerate(np.atleast_2d(benes.dimensions))
    ]
    return keyed_table("Benes network", records, {"n": benes.n, "constant": benes.is_constant})


def benes_plot(benes: BenesNetwork, axes: Axes) -> None:
    """The same as squares."""
    squares(axes, np.atleast_2d(benes.dimensions).T, "stage", "switch", aspect="auto")
