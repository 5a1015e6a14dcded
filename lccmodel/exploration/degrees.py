"""T against the pipelining degree Q, and the fastest collective over the size, with controls.

d dimensions are dealt to c axes as evenly as they go; α and τ are in the unit of the machine.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from lccmodel.errors import InputError
from lccmodel.exploration.controls import Control
from lccmodel.exploration.exploration import Exploration, Picture
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.robustness import sensitivity

if TYPE_CHECKING:
    from lccmodel.collectives import Envelope
    from lccmodel.pipelining.degree import OptimalDegree


_MOST_AXES, _MOST_BITS = 4, 21
_ITEMS = 1 << 26


def explore_degree(found: OptimalDegree) -> Exploration:
    """The machine and the items of a best degree."""
    return explore_machine(found.machine, found.N, found.model)


def explore_machine(
    machine: Machine, N: int = 4096, model: str = "all", of: str = "degree"
) -> Exploration:
    """T(Q) over α, τ, N, d, c, barrier, network and ports.

    Args:
        machine: where the controls start.
        N: items of a dimension to start with.
        model: whose steps are counted; "all" of them by default.
        of: "degree" for T against Q; "plane" for the best Q over N and α/τ; "barriers", "models"
            or "networks" to compare them.

    Raises:
        InputError: another `of`, or machines whose cost is not α + τN.
    """
    from lccmodel.exploration.degree_maps import MAPS, NETWORKS, explore_map
    from lccmodel.show.degree_drawing import draw_degrees
    from lccmodel.show.pipelining_tables import available_models

    if of != "degree":
        if of not in MAPS:
            raise InputError("of", f"must be one of degree, {', '.join(MAPS)}", of)
        return explore_map(machine, of)

    def draw(
        alpha: float, tau: float, N: float, d: int, c: int, barrier: float, network: str, model: str
    ) -> Picture:
        if d < c:
            raise InputError("d", f"must be at least the {c} axes", d)
        kind, ports = network.split(", ")
        alike = (d, c, kind) == (machine.d, machine.c, machine.mesh.kind)
        mesh = machine.mesh if alike else f"{kind}:{'x'.join(map(str, sides_of(d, c)))}"
        made = Machine(mesh, alpha, tau, barrier, "all" if ports == "all ports" else "one")
        able = available_models(made)
        chosen = [each for each in able if model in ("all", each)]
        if not chosen:
            raise InputError("model", f"must be one of {', '.join(able)} on this machine", model)
        best = optimal_degree(made, round(N), chosen[-1])
        near = sensitivity(made, round(N), chosen[-1])
        words = (
            f"Q = {best.Q} ({best.regime}), packets of {best.packet:,} items, "
            f"{float(best.gain):.2f} times as fast as Q = 1; best for α/τ from "
            f"{_number(near.ratio[0])} to {_number(near.ratio[1])} and N from "
            f"{_number(near.N[0])} to {_number(near.N[1])}"
        )
        return Picture(partial(draw_degrees, made, round(N), chosen), words)

    alpha, tau = float(machine.alpha), float(machine.tau)
    ports = "all ports" if machine.ports == "all" else "one port"
    controls = (
        _scale("alpha", "α", alpha),
        _scale("tau", "τ", tau),
        Control("N", "N", N, "scale", (), 1, max(_ITEMS, N)),
        Control("d", "dimensions d", machine.d, "whole", (), 1, max(_MOST_BITS, machine.d)),
        Control("c", "axes c", machine.c, "whole", (), 1, max(_MOST_AXES, machine.c)),
        _scale("barrier", "barrier b", float(machine.barrier), zero=True),
        Control("network", "network", f"{machine.mesh.kind}, {ports}", "choice", NETWORKS),
        Control("model", "steps of", model, "choice", ("all", *_MODELS)),
    )
    return Exploration(f"T against Q on {machine.mesh.spec}", controls, draw)


_MODELS = ("load", "lower-bound", "paper", "schedule")


def sides_of(d: int, c: int) -> tuple[int, ...]:
    """2^d nodes on c axes whose sides differ by a factor of 2 at most, the long ones first.

    >>> sides_of(10, 2), sides_of(7, 3)
    ((32, 32), (8, 4, 4))
    """
    return tuple(1 << (d + c - 1 - axis) // c for axis in range(c))


def _scale(name: str, label: str, value: float, zero: bool = False) -> Control:
    """A time: a factor of 10,000 up and down; a time that may be 0 is chosen from a few."""
    if zero or not value:
        few = tuple(sorted({0.0, value, *(10.0**k for k in range(5))}))
        return Control(name, label, value, "choice", few)
    return Control(name, label, value, "scale", (), value / 1e4, value * 1e4)


def _number(value: Fraction | float) -> str:
    if value == math.inf:
        return "∞"
    return f"{float(value):,.0f}" if value >= 100 else f"{float(value):.3g}"


def explore_envelope(found: Envelope) -> Exploration:
    """T over the size, its crossovers moving with α/τ; times in units of τ."""
    from lccmodel.collectives import envelope
    from lccmodel.collectives.steps import COLLECTIVES
    from lccmodel.show.collective_drawing import draw_envelope

    cost = found.prices.cost
    first = cost.supports[0] if cost.supports else Linear(1000, 1)
    start = float(first.alpha / first.tau) if first.tau and first.alpha else 1000.0

    def draw(ratio: float, collective: str, ports: str) -> Picture:
        low, high = found.ends[0], found.ends[-1]
        asked = envelope(
            collective,  # type: ignore[arg-type]  # checked there
            Linear(ratio, 1),
            low,
            high,
            found.network,
            ports=ports,  # type: ignore[arg-type]  # checked there
        )
        turns = zip(asked.crossovers, asked.algorithms[1:], strict=True)
        told = [asked.algorithms[0], *(f"{name} from {float(m):,.0f}" for m, name in turns)]
        return Picture(partial(draw_envelope, asked, unit="τ"), ", ".join(told))

    controls = (
        Control("ratio", "α/τ, bytes", start, "scale", (), start / 1e3, start * 1e3),
        Control("collective", "collective", found.collective, "choice", COLLECTIVES),
        Control("ports", "ports", found.ports, "choice", ("one", "all")),
    )
    return Exploration(f"The fastest collective on {found.network.spec}", controls, draw)
