"""The columns that tables share: one key and one heading for one quantity, everywhere."""

from __future__ import annotations

import re

from lccmodel.show.formats import escape_latex, stacked_latex
from lccmodel.show.tables import Cell, Column, cell_text, grouped

__all__ = [
    "AFTER",
    "BEFORE",
    "BOUND",
    "COMMUNICATION",
    "DEGREE",
    "DEGREE_AFTER",
    "DEGREE_BEFORE",
    "DEGREE_NOTE",
    "EQUATIONS",
    "KIND",
    "LOADS",
    "MATRIX",
    "NETWORK",
    "OBJECTIVE",
    "OBJECTIVE_NAME",
    "OPTIMAL",
    "ORDER",
    "ORDERS",
    "ORDER_NOTE",
    "PROOF",
    "Q_MATRIX",
    "RANK",
    "TOTAL",
    "VALUE_AFTER",
    "VALUE_BEFORE",
    "VECTOR",
    "WEIGHT",
    "N",
    "objective_text",
]


_SYMBOL = re.compile(r"([xy])(\d+)")


def _equations_latex(cell: Cell) -> str:
    r"""Equations as mathematics, one a line.

    >>> _equations_latex("y0 = x12 + 1")
    '$y_{0} = x_{12} + 1$'
    """
    written = [_SYMBOL.sub(r"\1_{\2}", escape_latex(line)) for line in cell_text(cell).split("\n")]
    return stacked_latex([f"${line}$" for line in written])


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


def _optimal_text(cell: Cell) -> str:
    return f"yes: {cell}" if cell else "not proved"


COMMUNICATION = Column("communication", "communication")
N = Column("n", "n", right=True, latex_heading="$n$")
KIND = Column("kind", "kind")
RANK = Column("rank", "rank", right=True)
WEIGHT = Column("weight", "weight", right=True)
EQUATIONS = Column("equations", "equations", latex=_equations_latex)
MATRIX = Column("A", "A", audience="data")
VECTOR = Column("b", "b", audience="data")

NETWORK = Column("network", "network")
OBJECTIVE = Column("objective", "objective", text=objective_text)
OBJECTIVE_NAME = Column("objective", "objective")
LOADS = Column("loads", "T", latex_heading="$T_i$")
DEGREE = Column("degree", "degree", right=True)
TOTAL = Column("sum", "sum", right=True)
BEFORE = Column("loads_before", "T before", latex_heading="$T_i$ before")
DEGREE_BEFORE = Column("degree_before", "degree", right=True)
AFTER = Column("loads_after", "T after", latex_heading="$T_i$ after")
DEGREE_AFTER = Column("degree_after", "degree", right=True)

ORDER = Column("order", "order")
Q_MATRIX = Column("Q", "Q", audience="data")
VALUE_BEFORE = Column("value_before", "before", right=True, text=grouped)
VALUE_AFTER = Column("value_after", "after", right=True, text=grouped)
BOUND = Column("lower_bound", "lower bound", right=True, text=grouped)
OPTIMAL = Column("optimal", "optimal", audience="data")
PROOF = Column("proof", "optimal", text=_optimal_text)
ORDERS = Column("optimal_orders", "optimal orders", right=True, text=grouped)

DEGREE_NOTE = (
    "T: messages on the busiest channel of dimension 0, 1, 2, ...; degree: the largest of them."
)
ORDER_NOTE = "order: its k-th entry, k = 0, 1, ..., is the old address bit that becomes bit k."
