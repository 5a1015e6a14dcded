"""Draws the figures of the README and the docs: `python docs/figures/make.py`."""

from pathlib import Path

from matplotlib.figure import Figure

import lccmodel as lcc
from lccmodel.report.drawing import draw_before_after
from lccmodel.report.lattice_drawing import draw_lattice
from proofs_check import run, select
from proofs_check.drawing import draw_counterexample

HERE = Path(__file__).parent

COUNTS = ("hou.thm6.reduced", "hou.sec6.speedup")  # numbers, no messages to draw


def matrix_transpose() -> None:
    """Channel loads of transposing a 4 × 4 matrix, before and after the mapping."""
    c, cube = lcc.catalog.matrix_transpose(4), lcc.Hypercube(4)
    mapped = lcc.optimal_reordering(c, cube).mapped[0]
    figure = draw_before_after(cube, cube.channel_loads(c), cube.channel_loads(mapped))
    figure.savefig(HERE / "matrix_transpose.png", dpi=90, metadata={"Software": None})


def lattice() -> None:
    """The correction lattice of docs/lattice.md with a path free of contention."""
    c = lcc.LCC([[0, 0, 1], [0, 1, 1], [1, 0, 0]], name="three bits")
    figure = draw_lattice(lcc.CorrectionLattice(c), lcc.lcp_optimizer(c))
    figure.savefig(HERE / "lattice.png", dpi=90, metadata={"Software": None})


def counterexamples() -> None:
    """The smallest counterexample of every statement of [hou] that is false as printed."""
    claims = [claim for claim in select(["hou.*"]) if claim.amended]
    found = [r for r in run(claims) if r.verdict == "fails" and r.claim.id not in COUNTS]
    rows = -(-len(found) // 3)
    figure = Figure(figsize=(12, 4.2 * rows), layout="constrained")
    for place, result in enumerate(found, start=1):
        axes = figure.add_subplot(rows, 3, place)
        draw_counterexample(result, ax=axes)
        axes.title.set_fontsize(8)
    figure.savefig(HERE / "counterexamples.png", dpi=70, metadata={"Software": None})


if __name__ == "__main__":
    matrix_transpose()
    lattice()
    counterexamples()
