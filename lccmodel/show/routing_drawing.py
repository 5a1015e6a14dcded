"""The tags in every node before routing and after every step, as in Fig. 2 of [boppana].

    draw_self_routing(routed)                 one panel for the start and one for every step

How a panel reads is in `show.panels`, which draws any other movement of data as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel.errors import SizeLimitError
from lccmodel.methods.self_routing.route import SelfRouting
from lccmodel.network import Hypercube, Mesh
from lccmodel.network.loads import Channel
from lccmodel.show.node_positions import node_positions
from lccmodel.show.panels import Panel, draw_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_DRAWN_BITS = 4
"""Largest n of a hypercube whose tags are drawn."""

MAX_DRAWN_NODES = 64
"""Most nodes of a mesh whose tags are drawn."""


def draw_self_routing(
    routed: SelfRouting, *, columns: int | None = None, title: str | None = None
) -> Figure:
    """Draw the tags of a self-routing before step 1 and after every step.

    Args:
        routed: on a hypercube with n <= 4 (tags in binary), or on a mesh or torus of one or two
            axes with at most 64 nodes (decimal).
        columns: panels in a row; chosen by their shape if left out.
        title: mode, reading and result if left out.

    Raises:
        SizeLimitError: a larger network.
        NetworkError: a mesh of three or more axes.
        InputError: `columns` below 1.

    >>> from lccmodel.methods.self_routing import self_route
    >>> figure = draw_self_routing(self_route([0, 2, 1, 3]))
    >>> [axes.get_title() for axes in figure.axes]
    ['before routing: state A', 'step 1, bit 0: state B', 'step 2, bit 1: state A']
    """
    network = routed.network or Hypercube(max(routed.n, 1))
    _check_drawable(network)
    binary = isinstance(network, Hypercube)
    width = routed.n if binary else 0
    steps = routed.tags.tolist()
    panels = [
        Panel(
            _panel_title(routed, step),
            {
                u: [f"{tag:0{width}b}" if binary else str(tag) for tag in here if tag >= 0]
                for u, here in enumerate(tags)
            },
            _arrows(routed, step),
        )
        for step, tags in enumerate(steps)
    ]
    placement = node_positions(network)
    nodes = range(1 << routed.n)
    return draw_panels(
        {u: placement.positions[u] for u in nodes},
        panels,
        names={u: placement.labels[u] for u in nodes},
        links=[link for link in placement.links if max(link) in nodes],
        unit=1.25 if binary else 0.8,
        columns=columns,
        title=_result(routed) if title is None else title,
    )


def _panel_title(routed: SelfRouting, step: int) -> str:
    state = routed.states[step]
    if step == 0:
        return f"before routing: state {state}"
    bits = ", ".join(map(str, routed.bits[step - 1])) or "none"
    word = "bits" if len(routed.bits[step - 1]) > 1 else "bit"
    return f"step {step}, {word} {bits}: state {state}"


def _arrows(routed: SelfRouting, step: int) -> list[Channel]:
    if step == 0:
        return []
    before, after = routed.movement.positions[step - 1 : step + 1].tolist()
    return [(u, v) for u, v in zip(before, after, strict=True) if u != v]


def _result(routed: SelfRouting) -> str:
    where = f" on {routed.network.spec}" if routed.network else ""
    end = "delivered" if routed.failure is None else f"not delivered: {routed.failure}"
    return f"{routed.mode}, {routed.rules.variant}, reading '{routed.rules.reading}'{where}: {end}"


def _check_drawable(network: Hypercube | Mesh) -> None:
    if isinstance(network, Hypercube) and network.n > MAX_DRAWN_BITS:
        rule = (
            f"the tags of a hypercube are drawn up to n = {MAX_DRAWN_BITS}; see SelfRouting.table"
        )
        raise SizeLimitError("routed", rule, network.n)
    if isinstance(network, Mesh) and network.size > MAX_DRAWN_NODES:
        rule = f"the tags of a mesh are drawn up to {MAX_DRAWN_NODES} nodes; see SelfRouting.table"
        raise SizeLimitError("routed", rule, network)
