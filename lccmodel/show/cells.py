"""How values that are not plain numbers are written: equations, channels, runs, proofs."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from lccmodel.show.latex import escape_latex, stacked_latex
from lccmodel.show.numbers import Cell, cell_text, grouped

_SYMBOL = re.compile(r"([xy])(\d+)")


def equations_latex(cell: Cell) -> str:
    r"""Equations as mathematics, one a line.

    >>> equations_latex("y0 = x12 + 1")
    '$y_{0} = x_{12} + 1$'
    """
    lines = [_SYMBOL.sub(r"\1_{\2}", escape_latex(line)) for line in cell_text(cell).split("\n")]
    return stacked_latex([f"${line}$" for line in lines])


def found_latex(cell: Cell) -> str:
    """Equations, or the sentence that says why there are none."""
    text = cell_text(cell)
    return equations_latex(cell) if text.startswith(("x0 =", "y0 =")) else escape_latex(text)


_OBJECTIVES = {
    "max-max": "max-max (the busiest channel, the communications one at a time)",
    "max-sum": "max-sum (the busiest dimension, the communications at the same time)",
    "sum-sum": "sum-sum (the busiest channels of all dimensions, added up)",
}


def objective_text(cell: Cell) -> str:
    """An objective with what it means.

    >>> objective_text("sum-sum")
    'sum-sum (the busiest channels of all dimensions, added up)'
    """
    return _OBJECTIVES.get(str(cell), cell_text(cell))


def proof_text(cell: Cell) -> str:
    """What proves an optimum, or that nothing does."""
    return f"yes: {cell}" if cell else "not proved"


def change_text(cell: Cell) -> str:
    """Values before and after.

    >>> change_text((8192, 1))
    '8,192 → 1'
    """
    return " → ".join(map(grouped, cell)) if isinstance(cell, tuple) else cell_text(cell)


_VERDICTS = {"linear-complement": "yes", "not-linear-complement": "no", "underdetermined": "open"}


def verdict_text(cell: Cell) -> str:
    """The verdict of recognition in a word."""
    return _VERDICTS.get(str(cell), cell_text(cell))


_SHOWN_MESSAGES = 6


def arrow_text(cell: Cell) -> str:
    """A channel or a message: from → to."""
    return "→".join(map(str, cell)) if isinstance(cell, tuple) else cell_text(cell)


def arrow_latex(cell: Cell) -> str:
    """The same as mathematics."""
    return f"${arrow_text(cell)}$".replace("→", r" \to ")


def arrows_text(
    cell: Cell, arrow: Callable[[Cell], str] = arrow_text, between: str = " ", dots: str = "…"
) -> str:
    """The first messages of several, and how many there are."""
    if not isinstance(cell, tuple):
        return cell_text(cell)
    more = f"{between.rstrip()} {dots} {len(cell)} in all" if len(cell) > _SHOWN_MESSAGES else ""
    return between.join(map(arrow, cell[:_SHOWN_MESSAGES])) + more


def arrows_latex(cell: Cell) -> str:
    """The same as mathematics."""
    return arrows_text(cell, arrow_latex, ", ", r"\ldots{}")


def ring_text(cell: Cell) -> str:
    """The channels of a ring, or that there is none."""
    return " -> ".join(map(str, cell)) if isinstance(cell, tuple) and cell else "none"


def commas_text(cell: Cell) -> str:
    """Numbers with commas between them."""
    return ", ".join(map(str, cell)) if isinstance(cell, tuple) else cell_text(cell)


def tags_text(cell: Cell) -> str:
    """The tags in a node, or a dash for none."""
    return ",".join(map(str, cell)) or "–" if isinstance(cell, tuple) else cell_text(cell)


_MOST_SPEC = 60
"""Longest list of nodes that is shown whole."""


def spec_text(spec: Any) -> str:
    """The word of a network, the nodes of a job counted where their list is long.

    >>> spec_text("torus:4x4,nodes=0-2:5"), spec_text("torus:32x32,nodes=" + "1:" * 40 + "99")
    ('torus:4x4,nodes=0-2:5', 'torus:32x32,nodes=1:1:1:1:1:1:... (41 entries)')
    """
    word, stated, nodes = str(spec).rpartition(",nodes=")
    if not stated or len(nodes) <= _MOST_SPEC:
        return str(spec)
    listed = nodes.split(":")
    return f"{word}{stated}{':'.join(listed[:6])}:... ({len(listed)} entries)"


def ranges_text(cell: Cell) -> str:
    """Ascending numbers, runs of at least three drawn together.

    >>> ranges_text((0, 1, 2, 3, 6, 8, 9))
    '0-3 6 8 9'
    """
    if not isinstance(cell, tuple) or not cell:
        return cell_text(cell)
    runs: list[list[int]] = [[cell[0]]]
    for before, here in pairwise(cell):
        if here == before + 1:
            runs[-1].append(here)
        else:
            runs.append([here])
    return " ".join(f"{r[0]}-{r[-1]}" if len(r) > 2 else " ".join(map(str, r)) for r in runs)


def starred_latex(cell: Cell) -> str:
    """A symbol that may carry a star, as mathematics."""
    return f"${cell_text(cell).replace('*', '^*')}$"


_PROOFS = {
    "meets the lower bound": "bound",
    "is free of contention": "free",
    "a full search": "search",
    "the subset programme": "search",
}


def proof_word(cell: Cell) -> str:
    """What proves an optimum, in one word.

    >>> proof_word("a full search through all orders"), proof_word(None)
    ('search', 'none')
    """
    words = [word for start, word in _PROOFS.items() if str(cell or "").startswith(start)]
    return words[0] if words else "none"
