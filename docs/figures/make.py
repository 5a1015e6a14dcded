"""Draws the figures of the README and the docs: `python docs/figures/make.py`."""

from pathlib import Path

import lccmodel as lcc
from lccmodel.report.drawing import draw_before_after
from lccmodel.report.lattice_drawing import draw_lattice

HERE = Path(__file__).parent


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


if __name__ == "__main__":
    matrix_transpose()
    lattice()
