"""Complete exchange on several meshes and ratios α/τ at a time, in place of [calmant, Figs. 9, 10].

The paper's figures are lost, so these are drawn from the costs of `lccmodel.pipelining.methods`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lccmodel.errors import InputError
from lccmodel.pipelining.machine import Machine
from lccmodel.show.exchange_methods import BLOCKS, PLOTTED, draw_exchange
from lccmodel.show.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS: tuple[int, ...] = (100, 500, 1000, 5000)
"""The ratios α/τ of [calmant 5.2]."""

FIGURES: dict[int, tuple[str, ...]] = {9: ("16x16", "32x32", "64x64"), 10: ("8x8x8", "16x16x16")}
"""Meshes in place of those in [calmant, Figs. 9 and 10]; of these the text names 16x16x16."""


def draw_exchange_grid(
    number: int = 9,
    ratios: Sequence[int] = RATIOS,
    blocks: Sequence[int] = BLOCKS,
    methods: Sequence[str] = PLOTTED,
) -> Figure:
    """Draw what [calmant, Fig. 9 or 10] shows: a row for each mesh, a column for each α/τ.

    Args:
        number: 9 for the meshes of two axes, 10 for those of three.
        ratios: values of α/τ.
        blocks, methods: as for `speedups`.

    Raises:
        InputError: another number, or as for `speedups`.

    >>> figure = draw_exchange_grid(10, ratios=[500], blocks=[1, 64])
    >>> [axes.get_title() for axes in figure.axes]
    ['8×8×8, α/τ = 500', '16×16×16, α/τ = 500']
    """
    if number not in FIGURES:
        raise InputError("number", f"must be one of {', '.join(map(str, FIGURES))}", number)
    meshes = FIGURES[number]
    size = (max(6.0, 3.2 * len(ratios)), 2.7 * len(meshes) + 1.5)
    figure = new_figure(*size)
    grid = figure.subplots(len(meshes), len(ratios), squeeze=False, sharey="row", sharex=True)
    for row, mesh in zip(grid, meshes, strict=True):
        for axes, ratio in zip(row, ratios, strict=True):
            machine = Machine(mesh, ratio, 1)
            draw_exchange(machine, blocks, methods, ax=axes, legend=False)
    for axes in grid[-1]:
        axes.set_xlabel("block size B, items", fontsize=9)
    figure.supylabel("speed-up over the CC-cube", fontsize=10)
    handles, labels = grid[0][0].get_legend_handles_labels()
    columns = min(3, len(ratios) + 1)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8)
    return figure
