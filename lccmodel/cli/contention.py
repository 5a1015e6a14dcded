"""`lccmodel contention`: how many messages share the busiest channel of every dimension."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from lccmodel.cli.modes import Rule, command, refuse_unless, refuse_unread
from lccmodel.cli.options import (
    Output,
    communications_argument,
    network_option,
    output_options,
    plot_option,
    present_options,
    routing_option,
    table_options,
    working,
)
from lccmodel.errors import InputError
from lccmodel.ground.words import CountingMethod, Split

if TYPE_CHECKING:
    from lccmodel.network import Network
    from lccmodel.placement.contention import CorrectionOrder, CountingMethod
    from lccmodel.placement.multipath import Split


_RULES = (
    Rule(
        "method routing channels",
        lambda typed: typed["split"] is None,
        "changes nothing with --split, which takes all minimal paths",
    ),
    Rule(
        "channels split",
        lambda typed: typed["now"] is None,
        "cannot be combined with --now, which counts the loads of a placement",
    ),
    Rule("hosts", lambda typed: typed["now"] is not None, "requires --now"),
    Rule(
        "channels split now routing",
        lambda typed: not typed["matrix_ranks"],
        "does not go with --matrix-ranks, which are those of e-cube routing",
    ),
    Rule(
        "channels split now",
        lambda typed: typed["order"] is None,
        "cannot be combined with --order, which counts the loads of that placement",
    ),
)


@command(short_help="Count the messages on the busiest channel of every dimension.", rules=_RULES)
@communications_argument
@network_option
@click.option(
    "--method",
    type=click.Choice(get_args(CountingMethod)),
    default="auto",
    show_default=True,
    help="formula: matrix ranks. walk: route and count every message. auto: the formula if there "
    "is one, that is, for y = Ax + b on hypercubes and k-ary n-trees with k = 2^d.",
)
@routing_option
@click.option(
    "--channels", is_flag=True, help="Print the busiest channels, and the messages on one of them."
)
@click.option(
    "--split",
    type=click.Choice(get_args(Split)),
    help="Split every message over its minimal routes: evenly over routes (paths), or at every "
    "router over the next channels, like ECMP (hops). Also prints a lower bound over all "
    "splittings.",
)
@click.option(
    "--order",
    metavar="BITS",
    help="Place the ranks by this order of the address bits, such as 0,7,3,4,1,6,5,2: entry k is "
    "the old bit that becomes bit k.",
)
@click.option(
    "--matrix-ranks",
    is_flag=True,
    help="Print the rank of the submatrix that gives each T_i, for y = Ax + b on cube:N or "
    "origin:N.",
)
@present_options
@plot_option
@table_options
@output_options
def contention(
    communications: tuple[str, ...],
    network: Network | str | None,
    method: CountingMethod,
    routing: CorrectionOrder,
    channels: bool,
    split: Split | None,
    order: str | None,
    matrix_ranks: bool,
    now: str | None,
    hosts: str | None,
    to: Output,
) -> None:
    """Count the messages that share the busiest channel of every dimension.

    A COMMUNICATION is a name of the catalogue, equations, a file or `-` for standard input;
    several may be given. A file may hold any messages, of any volumes, among any number of ranks:
    what is there is counted. --plot draws the load of every channel: with several communications
    the largest of any.

    \b
    Examples:
      lccmodel contention matrix-transpose --network cube:8
      lccmodel contention trace.csv --channels
      lccmodel contention trace.csv --network torus:8x6*4
      lccmodel contention run.prof --network 'slurm:topo.txt*16' --now bindings.txt
      lccmodel contention bit-reverse --network torus:8x8 --split hops
      lccmodel contention matrix-transpose --network cube:4 --order 0,2,1,3
      lccmodel contention matrix-transpose --network cube:8 --matrix-ranks
      lccmodel contention bit-reverse --network mesh:16x16 --routing descending --plot loads.png
    """
    from lccmodel.placement.contention import busiest_channels, has_dimension_order
    from lccmodel.placement.contention import contention as count
    from lccmodel.problem import Problem
    from lccmodel.show.numbers import spec_text
    from lccmodel.show.placement_tables import matrix_ranks_table
    from lccmodel.show.quantities import data, quantity

    to.check()
    if channels and method == "formula":
        raise InputError("--method", "must be walk or auto with --channels, which counts", method)
    if now is not None and method == "formula":
        raise InputError("--now", "takes no --method formula", now)
    if order is not None and method == "formula":
        raise InputError("--order", "takes no --method formula", order)
    problem = Problem.read(communications, network)
    refuse_unread()
    if split is not None:
        from lccmodel.placement.multipath import split_loads
        from lccmodel.show.network_artists import figure_of

        with working("splitting messages"):
            divided = split_loads(problem, None, split)
        to.check_columns(divided.as_table())
        if to.plot is not None:
            to.draw(figure_of(divided.plot()))
        to.emit(divided.as_table())
        return
    program, target = problem.program, problem.network
    nodes = None
    refuse_unless(
        has_dimension_order(target),
        "routing",
        f"changes nothing on {spec_text(target.spec)}, whose routes have no order of dimensions",
    )
    with working("counting messages"):
        if channels:
            table = busiest_channels(problem, routing).as_table()
        elif order is not None:
            bits = order_of_bits(order, target.n, program.ranks)
            import numpy as np

            nodes = np.zeros(1 << target.n, np.int64)
            for k, bit in enumerate(bits):
                nodes |= (np.arange(len(nodes)) >> bit & 1) << k
            counted = count(problem, routing=routing, node_of=nodes)
            if matrix_ranks:
                table = matrix_ranks_table(counted, bits)
            else:
                table = counted.as_table()
                table = replace(table, facts=(*table.facts, (quantity("order"), bits)))
        elif now is not None:
            from lccmodel.cli.map import read_host_list
            from lccmodel.placement.present import present_nodes

            named_hosts = () if hosts is None else read_host_list(hosts)[0]
            listed = tuple((host.name, host.slots) for host in named_hosts) or None
            nodes, notes = present_nodes(now, target, program.ranks, listed)
            table = count(problem, routing=routing, node_of=nodes).as_table()
            placed = data("node_of_now"), nodes.tolist()
            table = replace(table, facts=(*table.facts, placed), notes=(*table.notes, *notes))
        else:
            counted = count(problem, method=method, routing=routing)
            table = matrix_ranks_table(counted) if matrix_ranks else counted.as_table()
    to.check_columns(table)
    if to.plot is not None:
        from lccmodel.show.drawing import counted_in, draw_channels
        from lccmodel.show.network_artists import load_text
        from lccmodel.show.phase_loads import WORDS, loads_together

        with working("drawing"):
            members = [phase.traffic for phase in program]
            down = routing == "descending"
            phases = [
                target.channel_loads(traffic, node_of=nodes, descending=down) for traffic in members
            ]
            loads = loads_together(phases, [1] * len(phases), "largest")
            title = f"{spec_text(target.spec)}, maximum load {load_text(loads.degree)}"
            title += f": {WORDS['largest']}" if len(phases) > 1 else ""
            to.draw(draw_channels(loads, title=title, counted=counted_in(members)))
    to.emit(table)


def order_of_bits(text: str, n: int, ranks: int) -> tuple[int, ...]:
    """Return an order of the n address bits as typed.

    Raises:
        InputError: not each bit once, or not 2^n ranks.

    >>> order_of_bits("0,2,1", 3, 8)
    (0, 2, 1)
    """
    if ranks != 1 << n:
        raise InputError("--order", f"needs 2^n ranks, here {1 << n}", f"{ranks} ranks")
    try:
        bits = tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        bits = ()
    if sorted(bits) != list(range(n)):
        raise InputError("--order", f"must name each of the bits 0 to {n - 1} once", text)
    return bits
