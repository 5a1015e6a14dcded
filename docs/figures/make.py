"""Draws the figures of the README and the docs: `python docs/figures/make.py`."""

from pathlib import Path

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

import lccmodel as lcc
from lccmodel.mpi.degrees import MeasuredTimes
from lccmodel.papers.calmant_section import draw_exchange_grid
from lccmodel.show import network_artists as marks
from lccmodel.show.degree_drawing import draw_measured
from lccmodel.show.drawing import draw_before_after, draw_loads
from lccmodel.show.lattice_drawing import draw_lattice
from lccmodel.show.network_artists import LoadScale
from lccmodel.show.panels import Panel, draw_panels
from lccmodel.show.routing_drawing import draw_comparison, draw_self_routing
from proofs_check import Options, run, select
from proofs_check.drawing import draw_counterexample, is_drawable

HERE = Path(__file__).parent

NUMBERS = ("hou.tab", "hou.fig", "hou.sec6")
"""Claims about what is simulated: long to check, and no picture of messages shows them."""


def matrix_transpose() -> None:
    """Channel loads of transposing a 4 × 4 matrix, before and after the mapping."""
    c, cube = lcc.catalog.matrix_transpose(4), lcc.Hypercube(4)
    mapped = lcc.placement.optimal_reordering(c, cube).mapped[0]
    figure = draw_before_after(cube, cube.channel_loads(c), cube.channel_loads(mapped))
    figure.savefig(HERE / "matrix_transpose.png", dpi=90, metadata={"Software": None})


def torus_placement() -> None:
    """Channel loads of a halo exchange of 32 × 8 processes on a torus, before and as placed."""
    placement = lcc.place("grid:32x8:stencil", "torus:16x16", "joint", moves=4_000_000)
    sent = [phase.traffic for phase in placement.program]
    messages = np.concatenate([traffic.messages for traffic in sent])
    before = placement.network.channel_loads(messages)
    after = placement.network.channel_loads(messages, node_of=placement.node_of)
    scale = LoadScale.of(before, after)
    figure = Figure(figsize=(9, 4.6), layout="compressed")
    both = [figure.add_subplot(1, 2, k) for k in (1, 2)]
    titles = ("ranks in natural order", "as placed")
    for axes, loads, title in zip(both, (before, after), titles, strict=True):
        title = f"{title}: maximum load {loads.degree}"
        draw_loads(loads, ax=axes, title=title, scale=scale, colorbar=False)
    colours = ScalarMappable(scale.norm(), marks.colours())
    bar = figure.colorbar(colours, ax=both, label="messages on a channel", pad=0.02)
    bar.set_ticks(scale.ticks(), labels=[marks.load_text(tick) for tick in scale.ticks()])
    bar.ax.minorticks_off()
    figure.savefig(HERE / "torus_placement.png", dpi=90, metadata={"Software": None})


def lattice() -> None:
    """The correction lattice of docs/lattice.md with a path free of contention."""
    c = lcc.LCC([[0, 0, 1], [0, 1, 1], [1, 0, 0]], name="three bits")
    figure = draw_lattice(lcc.lattice.CorrectionLattice(c), lcc.placement.lcp_optimizer(c))
    figure.savefig(HERE / "lattice.png", dpi=90, metadata={"Software": None})


def counterexamples() -> None:
    """The smallest counterexample of every statement of [hou] that is false as printed."""
    amended = (claim for claim in select(["hou.*"]) if claim.amended)
    claims = [claim for claim in amended if not claim.id.startswith(NUMBERS)]
    false = [result for result in run(claims, Options(max_n=4)) if result.verdict == "fails"]
    found = [result for result in false if is_drawable(result)]
    columns = 2
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(4 * columns, 3.6 * rows), layout="constrained")
    for place, result in enumerate(found, start=1):
        axes = figure.add_subplot(rows, columns, place)
        draw_counterexample(result, ax=axes)
        axes.title.set_fontsize(11)
    plain = {"Software": None}
    figure.savefig(HERE / "counterexamples.png", dpi=90, bbox_inches="tight", metadata=plain)


def comparison() -> None:
    """Matrix transposition on 256 nodes by every method."""
    figure = draw_comparison(lcc.compare("matrix-transpose", "cube:8"))
    figure.savefig(HERE / "comparison.png", dpi=100, metadata={"Software": None})


def save_trimmed(figure: Figure, name: str) -> None:
    """Save boxes that fill their figure, with an even margin."""
    plain = {"Software": None}
    figure.savefig(HERE / name, dpi=80, bbox_inches="tight", pad_inches=0.08, metadata=plain)


def self_routing() -> None:
    """The tags of [boppana, Fig. 2] before step 1 and after every step."""
    fig2 = lcc.LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0])
    figure = draw_self_routing(lcc.permutations.self_route(fig2), columns=4, title="")
    save_trimmed(figure, "self_routing.png")


def simd_mesh() -> None:
    """The data of [sibeyn, Example 3] on the mesh, before the first pass and after every one."""
    plan = lcc.permutations.simd_mesh_route(lcc.permutations.shuffle(0, 2, 3))
    grid, stands = plan.numbering.routed_grid, plan.movement.positions
    spots = {int(x): (float(u), -float(v)) for (v, u), x in np.ndenumerate(grid)}
    titles = ["initial situation"]
    titles += [f"pass {p.operation.i}, bit {p.bit}: {p.steps} shifts" for p in plan.passes]
    panels = []
    for k, title in enumerate(titles):
        held = {x: [f"d{d:03b}" for d in np.flatnonzero(stands[k] == x)] for x in spots}
        moves = zip(stands[max(k - 1, 0)].tolist(), stands[k].tolist(), strict=True)
        panels.append(Panel(title, held, [(u, v) for u, v in moves if u != v]))
    columns = zip(grid[:, :-1].flat, grid[:, 1:].flat, strict=True)
    rows = zip(grid[:-1].flat, grid[1:].flat, strict=True)
    links = [(int(u), int(v)) for u, v in (*columns, *rows)]
    names = {x: f"{x:03b}" for x in spots}
    figure = draw_panels(spots, panels, names=names, links=links, unit=1.2, columns=2)
    save_trimmed(figure, "simd_mesh.png")


def measured_degree() -> None:
    """Times of 8 processes on 2 busy cores, in microseconds: least, median and largest."""
    rounds = {1: (32e3, 45e3, 62e3), 2: (38e3, 49e3, 77e3), 3: (58e3, 66e3, 98e3)}
    rounds |= {8: (84e3, 121e3, 152e3)}
    times = {Q: np.array(several) for Q, several in rounds.items()}
    machine = lcc.pipelining.Machine("2x4", alpha="411.483", tau="0.169308")
    best = lcc.pipelining.optimal_degree(machine, 65536)
    figure = draw_measured(best, MeasuredTimes(8, 2, 65536 * 8, times), "us")
    figure.savefig(HERE / "measured_degree.png", dpi=120, metadata={"Software": None})


def complete_exchange() -> None:
    """Speed-ups of complete exchange, in place of [calmant, Figs. 9 and 10]."""
    for number, name in ((9, "exchange_2d"), (10, "exchange_3d")):
        figure = draw_exchange_grid(number)
        figure.savefig(HERE / f"{name}.png", dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    matrix_transpose()
    torus_placement()
    lattice()
    counterexamples()
    comparison()
    self_routing()
    simd_mesh()
    measured_degree()
    complete_exchange()
