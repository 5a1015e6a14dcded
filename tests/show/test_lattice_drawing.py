"""The drawn lattice shows every subset with its occupancy and every step with its load.

2^(|S| - rank A_(S,S)) and 2^(|S| - rank A_(S+j,S)).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

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
    subsets = [S for k in range(3) for S in combinations(range(3), k)]
    steps = [(S, j) for S in subsets for j in range(3) if j not in S]
    assert loads == Counter(str(lattice.load(S, j)) for S, j in steps)
    assert "maximum load 1" in figure.axes[0].get_title()
    assert sum(line.get_linewidth() > 2 for line in figure.axes[0].lines) == 3  # the path


def test_one_bit_and_no_bit() -> None:
    assert len(draw_lattice(CorrectionLattice(LCC([[1]], [1]))).axes[0].lines) == 1
    alone = draw_lattice(CorrectionLattice(LCC([[1]], [1]), (0,)), [])
    assert len(alone.axes[0].lines) == 0


def test_large_lattices_and_wrong_orders_are_refused() -> None:
    with pytest.raises(SizeLimitError, match="5 bits"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(6))))
    with pytest.raises(InputError, match="once"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(3))), [0, 1])
