"""More about the best degree of machines: over all N and α/τ, over barriers, models and networks.

What is drawn has τ = 1, so that α is α/τ.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.exploration.controls import Control
from lccmodel.exploration.exploration import Exploration, Picture
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.grid import optimal_degrees, times
from lccmodel.pipelining.machine import Machine
from lccmodel.show.style import BLACK, BLUE, GREEN, GUIDE, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NETWORKS = ("mesh, one port", "torus, one port", "mesh, all ports", "torus, all ports")
_ITEMS = np.unique(np.geomspace(1, 2**24, 300).round().astype(np.int64))
_TONES = ("#9ecae1", "#4292c6", "#08519c", "#08306b")


def explore_map(machine: Machine, of: str) -> Exploration:
    """One of `MAPS` for machines like this one."""
    axes, bits = machine.c, max(2, -(-machine.d // machine.c))
    ratio = max(1, round(machine.alpha / machine.tau)) if machine.tau else 1
    kind = f"{machine.mesh.kind}, {'all ports' if machine.ports == 'all' else 'one port'}"
    every = {
        "axes": Control("axes", "axes c", axes, "whole", (), 1, max(3, axes)),
        "bits": Control("bits", "log2 of a side", bits, "whole", (), 1, max(7, bits)),
        "ratio": Control("ratio", "α/τ", ratio, "scale", (), 1, max(1e5, ratio)),
        "barrier": Control("barrier", "barrier b/τ", 0, "choice", (0, 1, 10, 100, 1000, 10_000)),
        "network": Control("network", "network", kind, "choice", NETWORKS),
    }
    draw, names, words = MAPS[of]

    def picture(**values: Any) -> Picture:
        return Picture(partial(draw, **values), words)

    return Exploration(words, tuple(every[name] for name in names), picture)


def _machine(axes: int, bits: int, ratio: float, barrier: float = 0, network: str = "") -> Machine:
    kind, ports = (network or NETWORKS[0]).split(", ")
    mesh = f"{kind}:" + "x".join([str(1 << bits)] * axes)
    return Machine(mesh, round(ratio), 1, barrier, "all" if ports == "all ports" else "one")


def _title(machine: Machine, ratio: float | None = None) -> str:
    ports = "all ports" if machine.ports == "all" else "one port"
    sides = "×".join(map(str, machine.shape))
    return f"{sides} {machine.mesh.kind}, {ports}" + (f", α/τ = {ratio:,.0f}" if ratio else "")


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
        figure.colorbar(image, ax=panel, pad=0.02)
    panels[0].set_ylabel("α/τ")
    figure.suptitle(_title(machine), fontsize=11)
    return figure


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
        _bare(panel)
    figure.suptitle(_title(machine, ratio), fontsize=11)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _draw_networks(axes: int, bits: int, ratio: float) -> Figure:
    """How fast each network is with its best Q, against Q = 1 on the mesh with one port."""
    figure = new_figure(7.2, 4.2, "compressed")
    panel, base = figure.add_subplot(), _machine(axes, bits, ratio)
    whole = times(base, _ITEMS, np.ones_like(_ITEMS))
    looks = zip(NETWORKS, (BLACK, BLUE, VERMILION, GREEN), ("-", "-", "--", "--"), strict=True)
    for name, tone, style in looks:
        machine = _machine(axes, bits, ratio, 0, name)
        best = times(machine, _ITEMS, optimal_degrees(machine, _ITEMS))
        panel.plot(_ITEMS, whole / best, color=tone, ls=style, lw=1.8, label=name)
    panel.set(xscale="log", xlabel="N", ylabel="speed", ylim=(0, None))
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
