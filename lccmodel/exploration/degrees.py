"""T against the pipelining degree Q, maps of the best Q, and the fastest collective over the size.

d dimensions are dealt to c axes as evenly as they go; α and τ are in the unit of the machine. Maps
are over all N and α/τ, over barriers, models and networks; they have τ = 1, so that α is α/τ.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.exploration.exploration import Control, Exploration, Picture
from lccmodel.ground.words import checked_word, word_rule
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.grid import optimal_degrees, times
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.robustness import sensitivity
from lccmodel.show.style import (
    BLACK,
    BLUE,
    GREEN,
    GUIDE,
    INK,
    VERMILION,
    new_figure,
    plain_logarithms,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lccmodel.collectives import Envelope
    from lccmodel.pipelining.degree import OptimalDegree


_MOST_AXES, _MOST_BITS, _MOST_ITEMS = 4, 21, 1 << 26
_NETWORKS = ("mesh, one port", "torus, one port", "mesh, all ports", "torus, all ports")
_ITEMS = np.unique(np.geomspace(1, 2**24, 300).round().astype(np.int64))
_TONES = ("#9ecae1", "#4292c6", "#08519c", "#08306b")


def explore_degree(optimal: OptimalDegree) -> Exploration:
    """The machine and the items of a best degree."""
    return explore_machine(optimal.machine, optimal.N, optimal.model)


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
    from lccmodel.show.degree_drawing import draw_degrees
    from lccmodel.show.pipelining_tables import available_models

    if of != "degree":
        checked_word("of", of, ("degree", *MAPS))
        return _explore_map(machine, of)

    def draw(
        alpha: float, tau: float, N: float, d: int, c: int, barrier: float, network: str, model: str
    ) -> Picture:
        if d < c:
            raise InputError("d", f"must be at least the {c} axes", d)
        kind, ports = network.split(", ")
        alike = (d, c, kind) == (machine.d, machine.c, machine.mesh.kind)
        mesh = machine.mesh if alike else f"{kind}:{'x'.join(map(str, even_sides(d, c)))}"
        made = Machine(mesh, alpha, tau, barrier, "all" if ports == "all ports" else "one")
        able = available_models(made)
        chosen = [name for name in able if model in ("all", name)]
        if not chosen:
            raise InputError("model", word_rule(model, able, " on this machine"), model)
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
    controls = (
        _scale("alpha", "α", alpha),
        _scale("tau", "τ", tau),
        Control("N", "N", N, "scale", (), 1, max(_MOST_ITEMS, N)),
        Control("d", "dimensions d", machine.d, "whole", (), 1, max(_MOST_BITS, machine.d)),
        Control("c", "axes c", machine.c, "whole", (), 1, max(_MOST_AXES, machine.c)),
        _scale("barrier", "barrier b", float(machine.barrier), zero=True),
        Control("network", "network", _kind(machine), "choice", _NETWORKS),
        Control("model", "steps of", model, "choice", ("all", *MODELS)),
    )
    return Exploration("Time T against the number of packets Q", controls, draw)


def even_sides(d: int, c: int) -> tuple[int, ...]:
    """2^d nodes on c axes whose sides differ by a factor of 2 at most, the long ones first.

    >>> even_sides(10, 2), even_sides(7, 3)
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


# -- maps ---------------------------------------------------------------------------------------


def _explore_map(machine: Machine, of: str) -> Exploration:
    """One of `MAPS` for machines like this one."""
    axes, bits = machine.c, max(2, -(-machine.d // machine.c))
    ratio = max(1, round(machine.alpha / machine.tau)) if machine.tau else 1
    every = {
        "axes": Control("axes", "axes c", axes, "whole", (), 1, max(3, axes)),
        "bits": Control("bits", "log2 of a side", bits, "whole", (), 1, max(7, bits)),
        "ratio": Control("ratio", "α/τ", ratio, "scale", (), 1, max(1e5, ratio)),
        "barrier": Control("barrier", "barrier b/τ", 0, "choice", (0, 1, 10, 100, 1000, 10_000)),
        "network": Control("network", "network", _kind(machine), "choice", _NETWORKS),
    }
    draw, names, words = MAPS[of]

    def picture(**values: Any) -> Picture:
        return Picture(partial(draw, **values), words)

    return Exploration(words, tuple(every[name] for name in names), picture)


def _machine(axes: int, bits: int, ratio: float, barrier: float = 0, network: str = "") -> Machine:
    kind, ports = (network or _NETWORKS[0]).split(", ")
    mesh = f"{kind}:" + "x".join([str(1 << bits)] * axes)
    return Machine(mesh, round(ratio), 1, barrier, "all" if ports == "all ports" else "one")


def _title(machine: Machine, ratio: float | None = None) -> str:
    sides = "×".join(map(str, machine.shape))
    return f"{sides} {_kind(machine)}" + (f", α/τ = {ratio:,.0f}" if ratio else "")


def _kind(machine: Machine) -> str:
    return f"{machine.mesh.kind}, {'all ports' if machine.ports == 'all' else 'one port'}"


def _bare(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def _draw_plane(axes: int, bits: int, barrier: float, network: str) -> Figure:
    """The best Q and its gain over N and α/τ; white where Q = d."""
    figure = new_figure(10, 4, "compressed")
    machine = _machine(axes, bits, 1, barrier, network)
    ratio = np.geomspace(1, 1e5, 200)
    N, alpha = _ITEMS[None, :], ratio[:, None]
    Q = optimal_degrees(machine, N, alpha=alpha)
    gain = times(machine, N, np.ones_like(Q), alpha=alpha) / times(machine, N, Q, alpha=alpha)
    panels = figure.subplots(1, 2, sharey=True)
    for panel, values, norm, name in zip(
        panels, (Q, gain), ("log", "linear"), ("best Q", "gain"), strict=True
    ):
        image = panel.pcolormesh(_ITEMS, ratio, values, norm=norm, cmap="viridis", rasterized=True)
        if (machine.d <= Q).any() and (machine.d > Q).any():
            panel.contour(_ITEMS, ratio, machine.d <= Q, levels=[0.5], colors="white")
        panel.set(xscale="log", yscale="log", xlabel="N, items per dimension", title=name)
        plain_logarithms(panel.xaxis, panel.yaxis)
        _mark_levels(panel, ratio, values, logarithmic=norm == "log")
        bar = figure.colorbar(image, ax=panel, pad=0.02)
        if norm == "log":
            plain_logarithms(bar.ax.yaxis)
    panels[0].set_ylabel("α/τ")
    figure.suptitle(_title(machine), fontsize=11)
    return figure


def _mark_levels(
    panel: Axes, ratio: npt.NDArray[Any], values: npt.NDArray[Any], *, logarithmic: bool
) -> None:
    """Lines of equal values with their numbers, so that the map does not speak by colour alone."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return
    levels = np.geomspace(low, high, 6) if logarithmic else np.linspace(low, high, 6)
    drawn = panel.contour(_ITEMS, ratio, values, levels=levels[1:-1], colors=INK, linewidths=0.6)
    panel.clabel(drawn, fmt=lambda level: f"{level:,.3g}", fontsize=8)


def _draw_barriers(axes: int, bits: int, ratio: float) -> Figure:
    """The best Q over the barrier, for four N."""
    figure = new_figure(7, 3.8, "compressed")
    panel, machine = figure.add_subplot(), _machine(axes, bits, ratio)
    barrier = np.geomspace(1e-3, 1e3, 300)
    for k, tone in zip((12, 16, 20, 24), _TONES, strict=True):
        Q = optimal_degrees(machine, 1 << k, barrier=barrier * round(ratio))
        panel.plot(barrier, Q, color=tone, label=f"N = 2^{k}", drawstyle="steps-mid")
    panel.axhline(machine.d, color=GUIDE, lw=0.8, zorder=0, label=f"Q = d = {machine.d}")
    panel.set(xscale="log", yscale="log", xlabel="b/α", ylabel="best Q")
    plain_logarithms(panel.xaxis, panel.yaxis)
    panel.set_title(_title(machine, ratio), fontsize=10)
    figure.legend(loc="outside lower center", ncols=5, frameon=False)
    _bare(panel)
    return figure


def _draw_models(axes: int, bits: int, ratio: float) -> Figure:
    """The gain that each model promises, and what following it costs."""
    figure = new_figure(10, 3.8, "compressed")
    machine, N = _machine(axes, bits, ratio), _ITEMS
    whole = times(machine, N, np.ones_like(N))
    real = times(machine, N, optimal_degrees(machine, N))
    left, right = figure.subplots(1, 2)
    looks = zip(MODELS, (BLUE, GREEN, VERMILION, BLACK), (":", "--", "-.", "-"), strict=True)
    for model, tone, style in looks:
        Q = optimal_degrees(machine, N, model=model)
        promised = whole / times(machine, N, Q, model=model)
        left.plot(N, promised, color=tone, ls=style, lw=1.8, label=model)
        right.plot(N, 100 * (times(machine, N, Q) / real - 1), color=tone, ls=style, lw=1.8)
    left.set(xscale="log", xlabel="N", ylabel="gain promised", ylim=(0.9, None))
    right.set(xscale="log", xlabel="N", ylabel="% lost by its Q", ylim=(-0.5, None))
    for panel in (left, right):
        plain_logarithms(panel.xaxis)
        _bare(panel)
    figure.suptitle(_title(machine, ratio), fontsize=11)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _draw_networks(axes: int, bits: int, ratio: float) -> Figure:
    """How fast each network is with its best Q, against Q = 1 on the mesh with one port."""
    figure = new_figure(7.2, 4.2, "compressed")
    panel, base = figure.add_subplot(), _machine(axes, bits, ratio)
    whole = times(base, _ITEMS, np.ones_like(_ITEMS))
    looks = zip(_NETWORKS, (BLACK, BLUE, VERMILION, GREEN), ("-", "-", "--", "--"), strict=True)
    for name, tone, style in looks:
        machine = _machine(axes, bits, ratio, 0, name)
        best = times(machine, _ITEMS, optimal_degrees(machine, _ITEMS))
        panel.plot(_ITEMS, whole / best, color=tone, ls=style, lw=1.8, label=name)
    panel.set(xscale="log", xlabel="N", ylabel="speed", ylim=(0, None))
    plain_logarithms(panel.xaxis)
    panel.set_title(_title(base, ratio) + ", best Q", fontsize=10)
    panel.legend(frameon=False)
    _bare(panel)
    return figure


MAPS: dict[str, tuple[Any, tuple[str, ...], str]] = {
    "plane": (
        _draw_plane,
        ("axes", "bits", "barrier", "network"),
        "Best Q and gain over N and α/τ; white: Q = d",
    ),
    "barriers": (_draw_barriers, ("axes", "bits", "ratio"), "Best Q over the barrier"),
    "models": (
        _draw_models,
        ("axes", "bits", "ratio"),
        "What models promise, and what following them costs",
    ),
    "networks": (_draw_networks, ("axes", "bits", "ratio"), "Networks with their best Q"),
}
"""How each map is drawn, with which controls, and its words."""


# -- collectives --------------------------------------------------------------------------------


def explore_envelope(choice: Envelope) -> Exploration:
    """T over the size, its crossovers moving with α/τ; times in units of τ."""
    from lccmodel.collectives import envelope
    from lccmodel.collectives.steps import COLLECTIVES
    from lccmodel.show.collective_drawing import draw_envelope

    cost = choice.prices.cost
    first = cost.supports[0] if cost.supports else Linear(1000, 1)
    start = float(first.alpha / first.tau) if first.tau and first.alpha else 1000.0

    def draw(ratio: float, collective: str, ports: str) -> Picture:
        low, high = choice.ends[0], choice.ends[-1]
        asked = envelope(
            collective,  # type: ignore[arg-type]  # checked there
            Linear(ratio, 1),
            low,
            high,
            choice.network,
            ports=ports,  # type: ignore[arg-type]  # checked there
        )
        turns = zip(asked.crossovers, asked.algorithms[1:], strict=True)
        ranges = [asked.algorithms[0], *(f"{name} from {float(m):,.0f}" for m, name in turns)]
        return Picture(partial(draw_envelope, asked, unit="τ"), ", ".join(ranges))

    controls = (
        Control("ratio", "α/τ, bytes", start, "scale", (), start / 1e3, start * 1e3),
        Control("collective", "collective", choice.collective, "choice", COLLECTIVES),
        Control("ports", "ports", choice.ports, "choice", ("one", "all")),
    )
    return Exploration(f"The fastest collective on {choice.network.spec}", controls, draw)
