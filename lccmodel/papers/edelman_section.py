"""What the report shows of [edelman]: Gray codes and shuffles as exchanges, orders, pipelines.

The copy of the paper has no displayed formulas and no figures. Its examples are worked again from
the definitions that are left: every exchange is carried out on all nodes, every factorisation is
multiplied out, and what the text counts is counted.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.catalog import bit_reverse, gray_code
from lccmodel.communication.lcc import LCC
from lccmodel.gf2.enumeration import nonsingular_indices, unpack
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable, compared_table
from lccmodel.permutations.exchanges import (
    ExchangeFactors,
    bit_exchanges,
    count_elementary_factorizations,
    dimension_loads,
    elementary_factorizations,
    exchange_factors,
    exchange_orders,
    exchanges_and_pairs,
    independent_exchanges,
    local_exchanges,
    pipelined_exchanges,
    product_of_exchanges,
    shuffle,
    shuffle_factors,
)
from lccmodel.permutations.routing_methods import by_conditional_exchanges
from lccmodel.show.quantities import Column, Quantity
from lccmodel.show.records import Table
from lccmodel.show.style import GRID, INK, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lccmodel.permutations.exchanges.bits import Exchange

_BITS = 3
"""Of the Gray codes that are written out."""


# -- Gray codes ---------------------------------------------------------------------------------


def gray_table() -> Table:
    """[edelman, section 4]: S_n, G S_n and its reversal, in binary.

    >>> gray_table().rows[2]
    (2, '010', '011', '111', 0)
    """
    columns: list[Column] = [
        Quantity("number"),
        Quantity("binary", "S_n"),
        Quantity("code", "G S_n"),
        Quantity("reversal", "reversed"),
        Quantity("changed", "bit that changes next"),
    ]
    size, code = 1 << _BITS, gray_code(_BITS)
    codes = [int(code.destination(x)) for x in range(size)]
    rows = []
    for x in range(size):
        change = codes[x] ^ codes[(x + 1) % size]
        backwards = codes[size - 1 - x]
        words = [f"{word:0{_BITS}b}" for word in (x, codes[x], backwards)]
        rows.append([x, *words, change.bit_length() - 1])
    notes = [
        "Theorem 4.1: the reversal is the code with its highest bit complemented.",
        "Theorem 4.2: consecutive members differ in one bit; the last and the first do, too.",
    ]
    return Table("The binary-reflected Gray code of 3 bits", columns, rows, legend=notes)


def coding_table(n: int = 4) -> Table:
    """[edelman, section 4]: encoding and decoding by conditional exchanges, in both directions."""
    columns: list[Column] = [
        Quantity("operation", " "),
        "step",
        "dimension",
        "condition",
        Quantity("utilisation", "channels used"),
    ]
    rows = []
    encode, decode = gray_code(n), gray_code(n).inverse()
    up, down = tuple(range(n)), tuple(reversed(range(n)))
    for name, c, order in (
        ("encoding, low to high", encode, up),
        ("decoding, high to low", decode, down),
        ("encoding, high to low", encode, down),
        ("decoding, low to high", decode, up),
    ):
        for k, step in enumerate(exchange_factors(c, order).step_table(), 1):
            rows.append([name, k, step.dimension, str(step), step.utilisation])
    notes = [
        "sends if 1: what a node at address u sums up, modulo 2, to decide.",
        (
            "The paper encodes from low to high and decodes from high to low, where one bit "
            "decides. The orders in reverse exist by Corollary 3.3; the sum of all higher bits "
            "decides there."
        ),
    ]
    return Table("Gray coding by conditional exchanges", columns, rows, {"n": n}, notes)


# -- conditional exchanges ----------------------------------------------------------------------


def definition_table() -> Table:
    """[edelman, Definition 3.3]: the exchange across dimension 3 on bits 1 and 4, and its parts."""
    example = LCC([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1], [0, 0, 0, 1]])
    nodes = np.arange(16)
    moved = nodes[example.destination(nodes) != nodes]
    rows: list[tuple[str, str, Any, Any]] = [
        ("Lemma 3.1", "E E = I", "yes", "yes" if example.A @ example.A == _unit(4) else "no"),
        ("Definition 3.3", "bits that change", "3", _changed(example)),
        ("Section 3", "part of the nodes that send", Fraction(1, 2), Fraction(len(moved), 16)),
    ]
    notes = ["Dimensions are counted from 1 in the paper and in this table."]
    title = "A conditional exchange: bit 3 on bits 1 and 4"
    return compared_table(title, "place", rows, notes)


def _unit(n: int) -> GF2Matrix:
    return GF2Matrix.from_order(range(n))


def _changed(c: LCC) -> str:
    changes = {int(c.destination(x)) ^ x for x in range(c.size)} - {0}
    return ", ".join(str(change.bit_length()) for change in sorted(changes))


def exchange_orders_table(most: int = 4) -> Table:
    """For how many nonsingular matrices conditional exchanges exist, and in which orders.

    >>> exchange_orders_table(2).rows
    ((1, 1, 1, 1, 1, 0), (2, 6, 4, 3, 5, 1))
    """
    columns: list[Column] = [
        "n",
        Quantity("matrices", "nonsingular matrices", ","),
        Quantity("natural", "in the order 1, ..., n", ","),
        Quantity("every", "in every order", ","),
        Quantity("some", "in some order", ","),
        Quantity("none", "in no order", ","),
    ]
    rows = []
    for n in range(1, most + 1):
        counts = [0, 0, 0, 0, 0]
        for rows_of_A in unpack(nonsingular_indices(n), n).tolist():
            orders = exchange_orders(GF2Matrix.from_rows(rows_of_A, n))
            counts[0] += 1
            counts[1] += tuple(range(n)) in orders
            counts[2] += orders.count == factorial(n)
            counts[3] += bool(orders)
            counts[4] += not orders
        rows.append([n, *counts])
    notes = [
        "Order 1, ..., n: 2^(n(n−1)) products of exchanges (Theorem 3.1).",
        (
            "Every order: triangular matrices (Corollary 3.3) and all that one order of rows and "
            "columns makes triangular: 1, 3, 25, 543, the labelled acyclic digraphs."
        ),
    ]
    return Table("Matrices that are products of conditional exchanges", columns, rows, legend=notes)


def pipeline_table(n: int = 5) -> Table:
    """[edelman, section 3]: cube swaps for m data sets, and what they use of the channels.

    >>> pipeline_table(3).rows[0][:2]
    (1, 3)
    """
    columns: list[Column] = [
        Quantity("data_sets", "data sets m"),
        Quantity("swaps", "cube swaps"),
        Quantity("formula", "m + n − 1"),
        Quantity("utilisation", "channels used, all swaps", ".3f"),
        Quantity("steady", "in the full pipe", ".3f", none="–"),
        Quantity("busiest", "messages on a channel in a swap"),
    ]
    factors = exchange_factors(gray_code(n).inverse(), tuple(range(n)))
    rows = []
    for sets in (1, 2, 5, 20, 100):
        pipe = pipelined_exchanges(factors, sets)
        steady = float(pipe.steady_utilisation) if sets >= n else None
        parts = [float(pipe.utilisation), steady]
        rows.append([sets, pipe.swaps, sets + n - 1, *parts, pipe.busiest])
    notes = [
        (
            "Decoding of a Gray code of 5 bits, low to high. Its last exchange has no condition "
            "and sends nothing, so that 4 of 5 dimensions use one half of their channels each."
        )
    ]
    return Table("Pipelined exchanges", columns, rows, {"n": n}, notes)


def transformations_table(n: int = 6) -> Table:
    """[edelman, Corollary 3.6]: exchanges, then a permutation of the dimensions."""
    columns: list[Column] = [
        Quantity("communication"),
        Quantity("exchanges", "conditional exchanges"),
        Quantity("pairs", "exchanged dimensions"),
    ]
    rows = []
    recode = gray_code(n)
    coded_again = LCC(recode.A @ bit_reverse(n).A @ recode.inverse().A)
    for name, c in (
        ("Gray code", recode),
        ("bit reversal", bit_reverse(n)),
        ("shuffle", shuffle(0, n - 1, n)),
        ("bit reversal of Gray codes, coded again", coded_again),
    ):
        factors, pairs = exchanges_and_pairs(c)
        rows.append([name, sum(bool(s.condition) for s in factors.step_table()), _words(pairs)])
    notes = ["A = P E⁽ⁿ⁾ ⋯ E⁽¹⁾; exchanges without a condition are not counted. Bits from 0."]
    title = "Exchanges followed by a permutation of the dimensions (Corollary 3.6)"
    return Table(title, columns, rows, {"n": n}, notes)


# -- shuffles ------------------------------------------------------------------------------------


def _words(pairs: tuple[Exchange, ...]) -> str:
    return " ".join(f"({low} {high})" for low, high in pairs) or "none"


def shuffles_table(n: int = 5) -> Table:
    """[edelman, section 5, Examples 1 and 2]: the shuffle of five dimensions, and what is stated.

    >>> all(row["equal"] for row in shuffles_table().records())
    True
    """
    neighbours = shuffle_factors(0, n - 1, n)
    from_first = shuffle_factors(0, n - 1, n, "5.7")
    whole = shuffle(0, n - 1, n)
    rows: list[tuple[str, str, Any, Any]] = []
    for name, factors, loads in (
        ("Example 1, (5.6)", neighbours, (1, *[2] * (n - 2), 1)),
        ("Example 2, (5.7)", from_first, (n - 1, *[1] * (n - 1))),
    ):
        product = product_of_exchanges(factors, n)
        rows += [
            (name, f"{_words(factors)} is the shuffle", "yes", "yes" if product == whole else "no"),
            (name, "uses of every dimension", loads, dimension_loads(factors, n)),
            (name, "uses in all", 2 * (n - 1), sum(dimension_loads(factors, n))),
        ]
    first, second = bit_exchanges(whole)
    parts = (independent_exchanges(first), independent_exchanges(second))
    both = product_of_exchanges([*parts[0], *parts[1]], n)
    rows.append(
        (
            "Lemma 5.2",
            f"{_words(parts[0])} and {_words(parts[1])} make the shuffle",
            "yes",
            "yes" if both == whole else "no",
        )
    )
    notes = [
        "Exchanges in the order in which they act; dimensions from 0, in the paper from 1.",
    ]
    return compared_table("The shuffle of five dimensions", "place", rows, notes)


def factorizations_table(most: int = 7) -> Table:
    """[edelman, section 5]: factorizations into elementary exchanges, listed and by the formula.

    >>> factorizations_table(4).rows[-1][:3]
    (4, 16, 16)
    """
    columns: list[Column] = [
        "n",
        Quantity("formula", "n^(n−2)", ","),
        Quantity("listed", "listed", ","),
        Quantity("even", "that use no dimension more than twice", ","),
        Quantity("most", "most uses of a dimension"),
        Quantity("local", "exchanges through a local dimension"),
    ]
    rows = []
    for n in range(2, most + 1):
        whole = shuffle(0, n - 1, n)
        loads = [max(dimension_loads(f, n)) for f in elementary_factorizations(whole)]
        formula = n ** (n - 2)
        assert count_elementary_factorizations(whole) == formula
        local = len(local_exchanges(shuffle(1, n, n + 1), 0))
        rows.append([n, formula, len(loads), sum(most <= 2 for most in loads), max(loads), local])
    notes = [
        (
            "The shuffle of n dimensions as a product of n − 1 elementary exchanges. The exponent "
            "is lost in the text copy. local: the shuffle of n dimensions by exchanges with one "
            "more dimension inside the nodes, n + 1 of them."
        )
    ]
    return Table("Shuffles as products of elementary exchanges", columns, rows, legend=notes)


# -- figures --------------------------------------------------------------------------------------


def _gray_diagram() -> Figure:
    """[edelman, section 4] 0 is a blank square and 1 a black one, the highest bit on top."""
    n = 4
    code = gray_code(n)
    figure = new_figure(6.4, 2.9)
    size = 1 << n
    numbers = np.arange(size)
    panels = {"S_4, the numbers": numbers, "G S_4, their Gray codes": code.destination(numbers)}
    for k, (title, words) in enumerate(panels.items()):
        axes = figure.add_subplot(2, 1, k + 1)
        cells = [[int(word) >> bit & 1 for word in words] for bit in reversed(range(n))]
        axes.imshow(cells, cmap="Greys", vmin=0, vmax=1, aspect="equal")
        axes.set_title(title, fontsize=10)
        axes.set_xticks(range(size), map(str, range(size)), fontsize=8)
        axes.set_yticks(range(n), [f"bit {bit}" for bit in reversed(range(n))], fontsize=8)
        for place in range(size + 1):
            axes.axvline(place - 0.5, color=GRID, lw=0.6)
        for place in range(n + 1):
            axes.axhline(place - 0.5, color=GRID, lw=0.6)
        axes.tick_params(length=0)
        axes.spines[:].set_color(INK)
    return figure


def _exchanged() -> Figure:
    from lccmodel.show.routing_drawing import draw_routed

    return draw_routed(by_conditional_exchanges(gray_code(3)), "Gray code")


def _matrices(n: int = 5) -> Figure:
    from lccmodel.show.plain_views import matrices_plot

    first, second = bit_exchanges(shuffle(0, n - 1, n))
    named = {"shuffle": shuffle(0, n - 1, n).A, "first exchange": first.A, "second": second.A}
    named |= {"unshuffle": shuffle(0, n - 1, n).inverse().A}
    named |= {"G": gray_code(n).A, "G⁻¹": gray_code(n).inverse().A}
    figure = new_figure(9.0, 2.2)
    matrices_plot(named, figure.add_subplot())
    return figure


def _factors(n: int = 5) -> Figure:
    from lccmodel.show.plain_views import matrices_plot

    figure = new_figure(9.0, 3.6)
    rows: tuple[tuple[str, ExchangeFactors], ...] = (
        ("G, low to high", exchange_factors(gray_code(n))),
        ("G⁻¹, low to high", exchange_factors(gray_code(n).inverse())),
    )
    for k, (title, factors) in enumerate(rows):
        axes = figure.add_subplot(2, 1, k + 1)
        named = {f"E⁽{'¹²³⁴⁵'[i]}⁾": E for i, E in enumerate(factors.factors)}
        matrices_plot(named, axes)
        axes.set_title(title, fontsize=10)
    return figure


SECTION = PaperSection(
    "edelman",
    "Gray codes and shuffles as conditional and elementary exchanges, worked step by step; the "
    "orders in which exchanges exist, pipelines of cube swaps, and the counts that the paper "
    "states. The text copy has no formulas, so that they are restored from the definitions.",
    (
        PaperTable("definition", definition_table),
        PaperTable("orders", exchange_orders_table),
        PaperTable("pipeline", pipeline_table),
        PaperTable("transformations", transformations_table),
        PaperTable("gray-code", gray_table),
        PaperTable("gray-coding", coding_table),
        PaperTable("shuffles", shuffles_table),
        PaperTable("factorizations", factorizations_table),
    ),
    (
        PaperFigure(
            "gray-diagram",
            "Section 4: numbers and Gray codes, a black square for 1; Theorem 4.1 is the mirror in "
            "the lower diagram",
            _gray_diagram,
        ),
        PaperFigure(
            "gray-exchanges",
            "Section 4: the data of every node while a Gray code of 3 bits is encoded, exchange by "
            "exchange",
            _exchanged,
        ),
        PaperFigure(
            "factors",
            "Theorem 3.1: the conditional exchanges E⁽¹⁾, ..., E⁽⁵⁾ of encoding and of decoding",
            _factors,
        ),
        PaperFigure(
            "matrices",
            "Section 5: the shuffle of five dimensions, the two bit exchanges of Lemma 5.2, the "
            "unshuffle; and the Gray code",
            _matrices,
        ),
    ),
)
