"""How plans, their loads and their times look: a table and a picture of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lccmodel.show.collective_drawing import draw_envelope
from lccmodel.show.collective_tables import collective_table, envelope_table, ranking_table
from lccmodel.show.quantities import Column, Fact, named
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, INK, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _by_step(axes: Axes, heights: list[float] | list[int], up: str) -> None:
    axes.bar(range(len(heights)), heights, width=0.8, color=BLUE)
    axes.set_xlabel("step")
    axes.set_ylabel(up)
    axes.locator_params(axis="y", integer=all(float(each).is_integer() for each in heights))
    axes.spines[["top", "right"]].set_visible(False)


def kept_view(found: Any) -> Table:
    """What travels in every step of a plan that does what it shall."""
    row = {
        "collective": found.plan.collective,
        "ranks": found.plan.ranks,
        "steps": found.steps,
        "messages": found.messages,
        "blocks": found.blocks,
        "exactly": found.exact,
    }
    columns: list[Column] = [*row]
    return Table("A plan that achieves its collective", columns, [row])


def kept_plot(found: Any, axes: Axes) -> None:
    """Messages by step."""
    counts = [sum(len(s.source) for s in stage.sends) for _, _, stage in found.plan.timed()]
    _by_step(axes, counts, "messages")


def fault_view(found: Any) -> Table:
    """The history of a block that is wrong."""
    rows = [
        {
            "step": each.step,
            "source": each.source,
            "destination": each.destination,
            "block": each.block,
            "operation": each.operation,
        }
        for each in found.history
    ]
    columns: list[Column] = ["step", named("source", "from"), "destination", "block", "operation"]
    return Table("A plan that is wrong", columns, rows, [("wrong", str(found))])


def fault_plot(found: Any, axes: Axes) -> None:
    """Who has the wrong block from whom."""
    for each in found.history:
        axes.annotate(
            "",
            (each.step + 1, each.destination),
            (each.step, each.source),
            arrowprops={"arrowstyle": "->", "lw": 0.8},
        )
    axes.set_xlim(0, max((each.step for each in found.history), default=0) + 1)
    axes.set_ylim(-0.5, found.plan.ranks - 0.5)
    axes.plot(axes.get_xlim()[1:], [found.rank], "o", color=VERMILION)
    axes.locator_params(integer=True, min_n_ticks=1)
    axes.set_xlabel("step")
    axes.set_ylabel("rank")
    axes.set_title(f"block {found.block} of rank {found.rank}", fontsize=10)


def plan_loads_view(found: Any) -> Table:
    """What the channels carry in every step of a plan."""
    rows = [
        {"step": step, "start_ups": cost.start_ups, "load": str(found.grain * cost.carried)}
        for step, cost in enumerate(found.per_step_costs)
    ]
    facts: list[Fact] = [
        ("collective", found.plan.collective),
        ("network", found.network.spec),
        ("ports", found.ports),
        ("busiest", str(found.busiest)),
    ]
    columns: list[Column] = ["step", "start_ups", named("load", "busiest channel, of the vector")]
    return Table("What a plan makes channels carry", columns, rows, facts)


def plan_loads_plot(found: Any, axes: Axes) -> None:
    """The busiest channel by step."""
    _by_step(axes, [float(load) for load in found.per_step], "busiest channel, of the vector")


collective_view = collective_table


def collective_plot(found: Any, axes: Axes) -> None:
    """The loads of the steps."""
    plan_loads_plot(found.loads(), axes)
    axes.set_title(f"{found.algorithm.name} on {found.network.spec}", fontsize=10)


def ranking_plot(found: Any, axes: Axes) -> None:
    """The time of every algorithm at one size."""
    names = [option.name for option in found.options][::-1]
    times = [float(option.time) for option in found.options][::-1]
    axes.barh(range(len(names)), times, color=BLUE)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.axvline(float(found.lower_bound), color=INK, linestyle="--", linewidth=0.9)
    axes.set_xlabel("time; dashed: the lower bound")
    axes.spines[["top", "right"]].set_visible(False)


ranking_view = ranking_table
envelope_view = envelope_table


def envelope_plot(found: Any, axes: Axes) -> None:
    """The time of the fastest from size to size."""
    draw_envelope(found, ax=axes)
