"""The drawn lattice shows every subset with its occupancy and every step with its load.

2^(|S| - rank A_(S,S)) and 2^(|S| - rank A_(S+j,S)).

2^(|S| - rank A_(S,S)) and 2^(|S| - rank A_(S+j,S)).
"""

from __future__ import annotations

from collections import Counter

import pytest

from lccmodel import LCC, GF2Matrix, catalog
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.lattice import CorrectionLattice
from lccmodel.show.lattice_drawing import draw_lattice


def test_every_set_and_every_step_is_drawn_with_its_number() -> None:
    lattice = CorrectionLattice(catalog.bit_reverse(3))
    figure = draw_lattice(lattice, [0, 2, 1])
    texts = [text.get_text() for text in figure.axes[0].texts]
    boxes = {text for text in texts if text.startswith("{")}
    assert len(boxes) == 8
    assert {"{}\n×1", "{0}\n×2", "{0,2}\n×1", "{0,1,2}\n×1"} <= boxes
    loads = Counter(text for text in texts if not text.startswith("{"))
    assert sum(loads.values()) == len(figure.axes[0].lines) == 12
    drawn = Counter(
        str(lattice.load(S, j))
        for S in [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
        for j in range(3)
        if j not in S
    )
    assert loads == drawn
    assert "maximum load 1" in figure.axes[0].get_title()


def test_the_path_is_marked() -> None:
    figure = draw_lattice(CorrectionLattice(catalog.bit_reverse(3)), [0, 1, 2])
    wide = [line for line in figure.axes[0].lines if line.get_linewidth() > 2]
    assert len(wide) == 3


def test_one_bit_and_no_bit() -> None:
    assert len(draw_lattice(CorrectionLattice(LCC([[1]], [1]))).axes[0].lines) == 1
    alone = draw_lattice(CorrectionLattice(LCC([[1]], [1]), (0,)), [])
    assert len(alone.axes[0].lines) == 0


def test_large_lattices_and_wrong_orders_are_refused() -> None:
    with pytest.raises(SizeLimitError, match="5 bits"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(6))))
    with pytest.raises(InputError, match="once"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(3))), [0, 1])
