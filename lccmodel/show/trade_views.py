"""How splits of messages over paths look, and fronts of placements: a table and a picture each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lccmodel.show.quantities import Column, Fact, Quantity
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, INK, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SPLITS = {"paths": "every minimal path the same", "hops": "every next channel the same (ECMP)"}


def split_view(found: Any) -> Table:
    """The busiest channel with one route a message, with even shares, and the least possible."""
    records = [
        {"routing": "the network's own routes", "busiest": found.one_route},
        {"routing": f"split: {_SPLITS[found.split]}", "busiest": found.degree},
        {"routing": "no split has less than", "busiest": found.least},
    ]
    columns: list[Column] = [
        Quantity("routing", "routing"),
        Quantity("busiest", "busiest channel", form=","),
    ]
    facts: list[Fact] = [
        ("network", found.problem.network.spec),
        (Quantity("split", "split over"), found.split),
        (Quantity("exact", "counted as fractions"), found.exact),
        (Quantity("bound", "by"), found.bound),
    ]
    notes = [
        "All phases at once, each as often as it weighs; splits are over paths of fewest channels."
    ]
    return Table("Messages split over minimal paths", columns, records, facts, notes)


def split_plot(found: Any, axes: Axes) -> None:
    """Three bars."""
    values = [float(found.one_route), float(found.degree), float(found.least)]
    axes.barh(["one route", f"split by {found.split}", "least of all splits"], values,
              color=[VERMILION, BLUE, INK], height=0.6)  # fmt: skip
    axes.invert_yaxis()
    axes.set(xlabel="volume on the busiest channel")
    axes.set_title(found.problem.network.spec[:60], fontsize=11)


def front_view(front: Any) -> Table:
    """The placements that were found, and which of them are beaten by none."""
    records = [
        {
            "objective": one.objective,
            "joint": one.after.joint,
            "distance": one.after.distance,
            "best": any(one is kept for kept in front.best),
            "node_of": one.node_of.tolist(),
        }
        for one in front.found
    ]
    columns: list[Column] = [
        "objective",
        Quantity("joint", "busiest channel", form=","),
        Quantity("distance", "volume times distance", form=","),
        Quantity("best", "beaten by none"),
        Quantity("node_of", "node of every rank", audience="data"),
    ]
    first = front.found[0].before
    facts: list[Fact] = [
        ("network", front.problem.network.spec),
        (Quantity("joint_before", "busiest channel before"), first.joint),
        (Quantity("distance_before", "volume times distance before"), first.distance),
    ]
    title = "Placements between busiest channel and hop-bytes"
    return Table(title, columns, records, facts)


def front_plot(front: Any, axes: Axes) -> None:
    """Busiest channel against volume times distance; the front joined by a line of steps."""
    places = [
        ([float(p.after.distance) for p in several], [float(p.after.joint) for p in several])
        for several in (front.found, front.best)
    ]
    axes.step(*places[1], where="pre", color=BLUE, linewidth=1.2, zorder=1)
    axes.plot(*places[0], "o", markersize=5, markerfacecolor="white", color=INK, zorder=2)
    axes.plot(*places[1], "o", markersize=6, color=BLUE, zorder=3)
    axes.set(xlabel="volume times distance", ylabel="volume on the busiest channel")
    axes.set_title(front.problem.network.spec[:60], fontsize=11)
    axes.margins(0.12)
    across, up = (all(value.is_integer() for value in values) for values in places[0])
    axes.locator_params("x", integer=across, min_n_ticks=1)
    axes.locator_params("y", integer=up, min_n_ticks=1)
