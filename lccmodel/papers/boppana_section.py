"""What the report shows of [boppana]: Fig. 2 step by step, what HL routes, meshes, PLC, networks.

The figures of the text copy are lost; Fig. 1 and Fig. 2 are drawn from the network and from a run
of HL on the printed equations. The tables compare what the text states with what is counted.
"""

from __future__ import annotations

from math import factorial, isqrt, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.gf2.enumeration import general_linear_order
from lccmodel.network import Hypercube, Mesh
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable, compared_table
from lccmodel.permutations.partitioned import (
    count_partitioned,
    count_undivided,
    partition_tree,
    random_partitioned,
)
from lccmodel.permutations.routing_methods import by_self_routing
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.self_routing import (
    SelfRouting,
    linear_complement_permutations,
    network_of,
    routed_counts,
    self_route,
)
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.routing_tables import steps_table, tags_table
from lccmodel.show.style import BLUE, GUIDE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLE = LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0])
"""[boppana, Fig. 2]: y2 = x1 + x0, y1 = x2 + x0 + 1, y0 = x1 + 1."""

_MESHES: tuple[tuple[int, ...], ...] = ((4, 4), (8, 8), (16, 16), (8, 4), (4, 4, 4), (16, 4, 2))
_MAX_N = 8
"""Address bits up to which |PLC_n| is written out."""


# -- Fig. 2 -------------------------------------------------------------------------------------


def _routed() -> RoutedPermutation:
    return by_self_routing(EXAMPLE)


def _run() -> SelfRouting:
    return self_route(EXAMPLE)


def figure_2_table() -> Table:
    """What the text and the captions of Fig. 2 state, and what HL does.

    >>> [row["equal"] for row in figure_2_table().records()]
    [True, True, True, True, True]
    """
    routed = _run()
    senders = [
        [f"{u:03b}" for u, tag in enumerate(row) if tag >= 0] for row in routed.moved.tolist()
    ]
    held = [np.sort(routed.movement.held(step)).tolist() for step in range(4)]
    pairs = [tags[0] ^ tags[1] for tags in routed.tags[1].tolist() if tags[1] >= 0]
    differ = "bits " + " and ".join(
        str(bit) for bit in range(3) if all(pair >> bit & 1 for pair in pairs)
    )
    rows: list[tuple[str, str, Any, Any]] = [
        ("(b)", "processors that send in step 1", "000, 011, 100, 111", ", ".join(senders[0])),
        (
            "(b)",
            "processors with two tags after step 1",
            "half of them",
            "half of them" if held[1] == [0] * 4 + [2] * 4 else str(held[1]),
        ),
        ("(b)", "bits in which the two tags differ", "bits 1 and 2", differ),
        (
            "(c)",
            "tags of a processor after step 2",
            "one",
            "one" if held[2] == [1] * 8 else str(held[2]),
        ),
        ("(d)", "processors that send in step 3", "001, 010, 101, 110", ", ".join(senders[2])),
    ]
    notes = [
        "The captions of the paper count bits from 1. The text and this table count them from 0."
    ]
    return compared_table("Fig. 2, the text and a run of HL", "part", rows, notes)


# -- what HL routes -----------------------------------------------------------------------------


def hl_orders_table() -> Table:
    """How many linear-complement permutations HL corrects in which order of the bits.

    >>> hl_orders_table().rows
    (((0, 1), 24), ((0, 1, 2), 1152), ((0, 2, 1), 192))
    """
    columns: list[Column] = ["order", Quantity("permutations", "permutations", ",")]
    counts: dict[tuple[int, ...], int] = {}
    for n in (2, 3):
        for permutation in linear_complement_permutations(n):
            order = self_route(permutation).order
            assert order is not None, "[boppana, Theorem 1]"
            counts[order] = counts.get(order, 0) + 1
    rows = sorted(counts.items(), key=lambda item: (len(item[0]), item[0]))
    notes = ["All linear-complement permutations of 4 and of 8 processors; HL delivers each one."]
    return Table("Orders in which HL corrects the bits", columns, rows, legend=notes)


def modes_table() -> Table:
    """How many of the 8! permutations of Q_3 each mode delivers, by each reading of the rule."""
    columns: list[Column] = [
        Quantity("mode"),
        Quantity("reading"),
        Quantity("third", "third tag"),
        Quantity("receive", "tags received in a step"),
        Quantity("routed", "delivered", ","),
        Quantity("share", "of 8!", ".3f"),
    ]
    rows = []
    for count in (count for count in routed_counts(3) if count.steps == 3):
        rules, is_mimd = count.rules, count.rules.mode == "mimd"
        head = [
            rules.mode,
            rules.reading,
            *((rules.third, rules.receive) if is_mimd else (" ", " ")),
        ]
        rows.append([*head, count.routed, count.routed / count.total])
    notes = [
        (
            "The paper states that HL routes every permutation of Q_3 in MIMD mode and not in "
            "M-SIMD mode. Its rule leaves open what a processor does in neither state A nor B; "
            "a reading is one way to complete it (docs/self_routing.md)."
        )
    ]
    return Table(
        "Permutations of 8 processors that HL delivers in 3 steps", columns, rows, legend=notes
    )


# -- meshes -------------------------------------------------------------------------------------


def mesh_table() -> Table:
    """[boppana, section 3.1]: the printed number of steps and counted unit steps.

    >>> mesh_table().records()[0]["printed"], mesh_table().records()[0]["all"]
    (6, 6)
    """
    columns: list[Column] = [
        "mesh",
        Quantity("formula", "Σ (N_a − 1)"),
        named("printed", "printed"),
        Quantity("all", "counted, all ports"),
        Quantity("one_formula", "Σ (2 (N_a − 1) − lg N_a)"),
        Quantity("one", "counted, one port"),
        Quantity("distance", "farthest message"),
    ]
    rows = []
    for shape in _MESHES:
        mesh = Mesh(shape)
        n = mesh.n
        everything = LCC([[int(i == j) for j in range(n)] for i in range(n)], [1] * n)
        routed = self_route(everything, network=mesh)
        sums = sum(side - 1 for side in shape)
        one_port = sum(2 * (side - 1) - (side.bit_length() - 1) for side in shape)
        printed = sums if len(shape) != 2 or shape[0] != shape[1] else 2 * (isqrt(1 << n) - 1)
        counted = [routed.on_mesh(ports).total for ports in ("all", "one")]
        terms = " + ".join(str(side - 1) for side in shape)
        rows.append(
            [mesh.spec, terms, printed, counted[0], one_port, counted[1], _farthest(routed)]
        )
    notes = [
        "The permutation complements every bit, so that its farthest message crosses the mesh.",
        (
            "all ports: a processor uses all its links at once, each for one message in each "
            "direction. one port: it sends one message and receives one in a step, as section 2.1 "
            "can be read, too."
        ),
    ]
    return Table("Steps of HL on meshes (section 3.1)", columns, rows, legend=notes)


def _farthest(routed: SelfRouting) -> int:
    """The most channels that a message has to cross on its mesh."""
    assert routed.network is not None
    sides = routed.network.geometry.sides
    ends = (np.arange(1 << routed.n), routed.destinations)
    source, destination = (np.array(np.unravel_index(nodes, sides[::-1])) for nodes in ends)
    return int(np.abs(destination - source).sum(axis=0).max())


# -- partitioned permutations -------------------------------------------------------------------


def _long(count: int) -> str:
    """All digits of a count, or its power of ten.

    >>> _long(2432), _long(10**30)
    ('2,432', '10^30.0')
    """
    if count < 10**10:
        return f"{count:,}"
    shift = max(0, count.bit_length() - 60)  # floats end at 2^1024
    return f"10^{(log2(count >> shift) + shift) / log2(10):.1f}"


def partitioned_table() -> Table:
    """[boppana, section 3.3.1]: the sizes of LIN, LC, LC' and PLC, and the printed bounds.

    >>> [row["PLC"] for row in partitioned_table().records()][:4]
    ['2', '24', '2,432', '17,678,336']
    """
    columns: list[Column] = [
        "n",
        Quantity("LIN", "|LIN_n|"),
        Quantity("LC", "|LC_n|"),
        Quantity("LC_printed", "|LC'_n|, printed"),
        Quantity("LC_true", "|LC'_n|, undivided"),
        Quantity("formula_printed", "formula (3), printed LC'"),
        Quantity("PLC", "|PLC_n|"),
        Quantity("all", "N!"),
        Quantity("printed", "N^(√N lg N/8)"),
        Quantity("low", "2^N"),
        Quantity("high", "2^(5N/3)"),
    ]
    rows = []
    for n in range(1, _MAX_N + 1):
        N = 1 << n
        linear = general_linear_order(n)
        counts = [linear, linear << n, count_undivided(n, "diagonal"), count_undivided(n)]
        counts += [count_partitioned(n, "diagonal"), count_partitioned(n), factorial(N)]
        bounds = [n * N**0.5 * n / 8, float(N), 5 * N / 3]
        rows.append([n, *map(_long, counts), *(f"2^{round(bound, 1):g}" for bound in bounds)])
    notes = [
        (
            "Formula (3) counts every permutation once if no matrix of LC' is in two triangular "
            "blocks. The printed LC' excludes diagonal blocks only, and the formula then exceeds "
            "|PLC_n|: 28 for n = 2, where there are 24 permutations."
        ),
        "The printed lower bound holds. 2^N ≤ |PLC_n| ≤ 2^(5N/3) for 2 ≤ n ≤ 12.",
    ]
    return Table("Sizes of the classes (section 3.3.1)", columns, rows, legend=notes)


def tree_table(n: int = 4, seed: int = 1) -> Table:
    """A partitioned permutation and its parts, with what HL does by its tree."""
    tree = random_partitioned(n, seed)
    partition = partition_tree(tree.destinations)
    assert partition is not None
    routed = self_route(tree.destinations, mode="m-simd", partition=partition)
    columns: list[Column] = [
        Quantity("part", "subcube"),
        Quantity("bits", "its bits"),
        Quantity("equations"),
    ]
    rows = [
        [name or "between the subcubes", part.n, "; ".join(format_equations(part).splitlines())]
        for name, part in partition.parts()
    ]
    facts = {"n": n, "delivered": routed.delivered, "steps": routed.steps}
    notes = [
        (
            "Drawn at random from PLC_4. A subcube is named by its top bits; 'between the "
            "subcubes' permutes these bits. HL in M-SIMD mode corrects the bits of the subcubes "
            "first (Lemmas 6 and 7)."
        )
    ]
    return Table("A partitioned permutation of 16 processors", columns, rows, facts, notes)


def networks_table() -> Table:
    """[boppana, section 3.3.1]: the networks of switches that HL makes of permutations.

    >>> [row[1] for row in networks_table().rows]
    [1, 1, 2]
    """
    columns: list[Column] = [
        "n",
        Quantity("made", "networks that HL makes of LC_n"),
        Quantity("free", "networks with a free choice in every subcube", ","),
        Quantity("stages", "stages"),
        Quantity("switches", "switches"),
    ]
    rows = []
    free = 1
    for n in (1, 2, 3):
        networks = {network_of(list(map(int, p))) for p in linear_complement_permutations(n)}
        free = 1 if n == 1 else n * free**2
        rows.append([n, len(networks), free, 2 * n - 1, (2 * n - 1) << n - 1])
    notes = ["Every network realises every permutation (claims boppana.benes, boppana.benes.made)."]
    return Table("Beneš-like networks (section 3.3.1)", columns, rows, legend=notes)


# -- figures --------------------------------------------------------------------------------------


def _cube() -> Figure:
    from lccmodel.show.drawing import draw_network

    return draw_network(Hypercube(3), title="8 processors")


def _tags() -> Figure:
    from lccmodel.show.routing_drawing import draw_self_routing

    return draw_self_routing(_run(), columns=2, title="Fig. 2, tags in binary")


def _tags_on_mesh() -> Figure:
    from lccmodel.communication.catalog import matrix_transpose
    from lccmodel.show.routing_drawing import draw_self_routing

    routed = self_route(matrix_transpose(4), network="mesh:4x4")
    return draw_self_routing(routed, columns=3, title="matrix transpose on mesh:4x4")


def _network() -> Figure:
    """Lines across, stages of switches one after the other; a switch joins two lines."""
    network = network_of(list(map(int, EXAMPLE.destination(np.arange(8)))))
    figure = new_figure(7.0, 3.8)
    axes = figure.add_subplot()
    lines, room = range(1 << network.n), 1.0
    left = 0.0
    ticks, names = [], []
    for stage in range(1, network.stages + 1):
        pairs, places = network.pairs(stage), []
        ends: list[int] = []  # the lowest line that each column of switches has reached
        for low, high in sorted(pairs):
            column = next((k for k, end in enumerate(ends) if end < low), len(ends))
            ends[column : column + 1] = [high]
            places.append((left + 0.22 * column, low, high))
        for x, low, high in places:
            axes.plot([x, x], [low, high], "o-", color=BLUE, ms=4, lw=1.4)
        bits = sorted(set(network.paired(stage).tolist()))
        ticks.append(left + 0.11 * (len(ends) - 1))
        names.append(f"stage {stage}\ndimension {', '.join(map(str, bits))}")
        left += 0.22 * (len(ends) - 1) + room
    for line in lines:
        axes.plot([-0.6, left - room + 0.6], [line, line], color=GUIDE, lw=0.8, zorder=0)
        axes.text(-0.7, line, f"{line:0{network.n}b}", ha="right", va="center", fontsize=9)
    axes.set(xlim=(-1.2, left - room + 0.8), ylim=(lines[-1] + 0.5, -0.5), yticks=[])
    axes.set_xticks(ticks, names, fontsize=9)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


SECTION = PaperSection(
    "boppana",
    "Algorithm HL on the example of Fig. 2, step by step; the permutations that it delivers in "
    "every mode; its steps on meshes; the sizes of the classes of permutations, and Beneš-like "
    "networks. The tables compare the paper with what is counted.",
    (
        PaperTable("fig2-text", figure_2_table),
        PaperTable("fig2-steps", lambda: steps_table(_routed(), "Fig. 2")),
        PaperTable("fig2-tags", lambda: tags_table(_routed(), "Fig. 2")),
        PaperTable("orders", hl_orders_table),
        PaperTable("modes", modes_table),
        PaperTable("meshes", mesh_table),
        PaperTable("partitioned", partitioned_table),
        PaperTable("partitioned-example", tree_table),
        PaperTable("networks", networks_table),
    ),
    (
        PaperFigure("fig1-hypercube", "Fig. 1: the hypercube of 8 processors", _cube),
        PaperFigure(
            "fig2",
            "Fig. 2: the tags in every processor before routing and after each step of HL; an "
            "arrow is a tag on its way",
            _tags,
        ),
        PaperFigure(
            "mesh-tags",
            "Section 3.1: HL on a mesh of 4×4 processors, the matrix transpose",
            _tags_on_mesh,
        ),
        PaperFigure(
            "network",
            "Section 3.3.1: the network of switches that HL makes of the permutation of Fig. 2",
            _network,
        ),
    ),
)
