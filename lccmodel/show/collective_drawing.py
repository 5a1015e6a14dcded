"""How plans, their loads and their times look: T over m, log-log, and a table and picture of each.

Of T over m every algorithm is faint, the best of all strong, the lower bound dashed.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.numbers import with_unit
from lccmodel.show.quantities import named
from lccmodel.show.records import Table, keyed_table
from lccmodel.show.style import (
    BLUE,
    GREEN,
    GUIDE,
    INK,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    axes_on,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lccmodel.collectives.choice import Envelope
    from lccmodel.collectives.collective import Collective
    from lccmodel.collectives.loads import PlanLoads
    from lccmodel.collectives.ranking import Ranking
    from lccmodel.collectives.replay import Fault, Kept
    from lccmodel.collectives.synthesis import PlanFront

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
_POINTS = 49
_MOST_PANELS, _MOST_NODES = 12, 256


def draw_envelope(
    envelope: Envelope, *, unit: str = "", item: str = "bytes", ax: Axes | None = None
) -> Figure:
    """Draw T(m) of all algorithms over the sizes of a range.

    Args:
        envelope: the best over a range of sizes, `collectives.envelope`.
        unit: of times, for the axis.
        item: of sizes.
        ax: where to draw; a new figure if left out.

    >>> from lccmodel.collectives import envelope
    >>> from lccmodel.pipelining import Linear
    >>> best_plans = envelope("broadcast", Linear(5, "1/1000"), 1024, 1 << 20, "mesh:16")
    >>> draw_envelope(best_plans).axes[0].get_xlabel()
    'size (bytes)'
    """
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    from lccmodel.show.network_artists import figure_of

    axes = axes_on(ax, (7.2, 4.6))
    low, high = float(envelope.ends[0]), float(envelope.ends[-1])
    low = max(low, 1.0, high / 1e12)
    sizes = sorted({*np.geomspace(low, max(low, high), _POINTS).round().astype(int).tolist()})
    at = [envelope.at(size) for size in sizes]
    for option in at[0].options:
        curve = [
            next(float(o.time) for o in ranking.options if o.name == option.name) for ranking in at
        ]
        axes.plot(sizes, curve, color=GUIDE, linewidth=0.8, zorder=1)
    bound = [float(ranking.lower_bound) for ranking in at]
    axes.plot(sizes, bound, "--", color=INK, linewidth=1.0, label="lower bound", zorder=2)
    named: dict[str, Any] = {}
    for begin, end, name in zip(
        envelope.ends, envelope.ends[1:], envelope.algorithms, strict=False
    ):
        part = [float(begin), *(s for s in sizes if begin < s < end), float(end)]
        part = [size for size in part if size > 0]
        colour = named.setdefault(name, _COLOURS[len(named) % len(_COLOURS)])
        times = [float(envelope.at(size).time) for size in part]
        first = name not in axes.get_legend_handles_labels()[1]
        axes.plot(part, times, color=colour, linewidth=2.4, label=name if first else None, zorder=3)
    for m in envelope.crossovers:
        axes.axvline(float(m), color=GUIDE, linewidth=0.6, zorder=0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    least, most = axes.get_ylim()
    if most < 1000 * least:  # else powers of ten
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(f"size ({item})")
    axes.set_ylabel(with_unit("time T", unit))
    ports = "one port" if envelope.ports == "one" else "all ports"
    axes.set_title(f"{envelope.collective} on {envelope.network.spec}, {ports}", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure_of(axes)


def draw_plan(collective: Collective) -> Figure:
    """Draw what the channels of the network carry in every step of a plan.

    A panel for each step in which the loads differ from the one before, up to 12; for longer
    plans and larger networks the busiest channel of every step.

    >>> from lccmodel import collectives
    >>> figure = draw_plan(collectives.allreduce("swing", "torus:4x4"))
    >>> [axes.get_title() for axes in figure.axes[:4]]
    ['step 0', 'step 1', 'step 2', 'step 3']
    """
    from lccmodel.show.drawing import draw_loads
    from lccmodel.show.network_artists import LoadScale

    stages = collective.plan.stages
    figure = new_figure(7.2, 3.6)
    figure.suptitle(
        f"{collective.plan.collective} by {collective.algorithm.name} on {collective.network.spec}",
        fontsize=11,
    )
    if not 0 < len(stages) <= _MOST_PANELS or collective.network.size > _MOST_NODES:
        axes = figure.add_subplot()
        heights = [float(load) for load in collective.loads().per_step]
        axes.bar(range(len(heights)), heights, width=0.8, color=BLUE)
        axes.set_xlabel("step")
        axes.set_ylabel("data on the busiest channel (vectors)")
        return figure
    across = min(4, len(stages))
    down = -(-len(stages) // across)
    figure.set_size_inches(3.2 * across, 3.2 * down + 0.4)
    panels: Any = figure.subplots(down, across, squeeze=False)
    ends = list(accumulate(stage.times for stage in stages))
    loads = [collective.loads().of(end - 1) for end in ends]
    scale = LoadScale.of(*loads)
    for axes, step_loads, end, stage in zip(panels.flat, loads, ends, stages, strict=False):
        title = f"step {end - 1}" if stage.times == 1 else f"steps {end - stage.times} to {end - 1}"
        last = end == ends[-1]
        draw_loads(step_loads, ax=axes, title=title, scale=scale, colorbar=last, counted="load")
    for axes in panels.flat[len(stages) :]:
        axes.set_axis_off()
    return figure


# -- a table and a picture of each -------------------------------------------------------------


def _by_step(axes: Axes, heights: list[float] | list[int], up: str) -> None:
    axes.bar(range(len(heights)), heights, width=0.8, color=BLUE)
    axes.set_xlabel("step")
    axes.set_ylabel(up)
    axes.locator_params(axis="y", integer=all(float(height).is_integer() for height in heights))
    axes.spines[["top", "right"]].set_visible(False)


def kept_view(kept: Kept) -> Table:
    """What travels in every step of a plan that does what it shall."""
    row = {
        "collective": kept.plan.collective,
        "ranks": kept.plan.ranks,
        "steps": kept.steps,
        "messages": kept.messages,
        "blocks": kept.blocks,
        "exactly": kept.exact,
    }
    return keyed_table("A plan that achieves its collective", [row])


def kept_plot(kept: Kept, axes: Axes) -> None:
    """Messages by step."""
    counts = [sum(len(s.source) for s in stage.sends) for _, _, stage in kept.plan.timed()]
    _by_step(axes, counts, "messages")


def fault_view(fault: Fault) -> Table:
    """The history of a block that is wrong."""
    rows = [(e.step, e.source, e.destination, e.block, e.operation) for e in fault.history]
    columns = ("step", named("source", "from"), "destination", "block", "operation")
    return Table("A plan that is wrong", columns, rows, [("wrong", str(fault))])


def fault_plot(fault: Fault, axes: Axes) -> None:
    """Who has the wrong block from whom."""
    for tried in fault.history:
        axes.annotate(
            "",
            (tried.step + 1, tried.destination),
            (tried.step, tried.source),
            arrowprops={"arrowstyle": "->", "lw": 0.8},
        )
    last = max((tried.step for tried in fault.history), default=0) + 1
    axes.set_xlim(-0.2, last + 0.2)
    axes.set_ylim(-0.5, fault.plan.ranks - 0.5)
    axes.plot([last], [fault.rank], "o", color=VERMILION)
    axes.locator_params(integer=True, min_n_ticks=1)
    axes.set_xlabel("step")
    axes.set_ylabel("rank")
    axes.set_title(f"block {fault.block} of rank {fault.rank}", fontsize=10)


def plan_loads_view(plan_loads: PlanLoads) -> Table:
    """What the channels carry in every step of a plan."""
    rows = [
        {"step": step, "start_ups": cost.start_ups, "load": str(plan_loads.grain * cost.carried)}
        for step, cost in enumerate(plan_loads.per_step_costs)
    ]
    facts = {"collective": plan_loads.plan.collective, "network": plan_loads.network.spec}
    facts |= {"ports": plan_loads.ports, "busiest": str(plan_loads.busiest)}
    columns = ("step", "start_ups", named("load", "busiest channel, of the vector"))
    return Table("What a plan makes channels carry", columns, rows, facts)


def plan_loads_plot(plan_loads: PlanLoads, axes: Axes) -> None:
    """The busiest channel by step."""
    _by_step(
        axes, [float(load) for load in plan_loads.per_step], "data on the busiest channel (vectors)"
    )


def collective_plot(collective: Collective, axes: Axes) -> None:
    """The loads of the steps."""
    plan_loads_plot(collective.loads(), axes)
    axes.set_title(f"{collective.algorithm.name} on {collective.network.spec}", fontsize=10)


def ranking_plot(ranking: Ranking, axes: Axes) -> None:
    """The time of every algorithm at one size."""
    names = [option.name for option in ranking.options][::-1]
    times = [float(option.time) for option in ranking.options][::-1]
    axes.barh(range(len(names)), times, color=BLUE)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.axvline(float(ranking.lower_bound), color=INK, linestyle="--", linewidth=0.9)
    axes.set_xlabel("time; dashed: the lower bound")
    axes.spines[["top", "right"]].set_visible(False)


def envelope_plot(envelope: Envelope, axes: Axes) -> None:
    """The time of the fastest from size to size."""
    draw_envelope(envelope, ax=axes)


def plan_front_plot(plan_front: PlanFront, axes: Axes) -> None:
    """Data over steps: the corners joined by steps, the bound on data dashed."""
    steps = [corner.steps for corner in plan_front.corners]
    data = [float(corner.data) for corner in plan_front.corners]
    axes.step(steps, data, where="post", color=BLUE, marker="o")
    axes.axhline(float(plan_front.data_bound), color=INK, linestyle="--", linewidth=0.9)
    axes.margins(0.15)
    axes.locator_params("x", integer=True, min_n_ticks=1)
    axes.set_xlabel("steps")
    axes.set_ylabel("data: rounds over chunks; dashed: the bound")
    axes.set_title(f"{plan_front.collective} on {plan_front.network.spec}"[:60], fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
