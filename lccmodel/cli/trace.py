"""`lccmodel trace`: where a message is in every cycle, and whom it waits for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from lccmodel.cli.modes import Rule, command, refuse_unread
from lccmodel.cli.options import (
    ANIMATIONS,
    Output,
    communication_argument,
    network_option,
    output_options,
    plot_option,
    table_options,
    working,
)
from lccmodel.cli.wormhole import (
    chosen_mapping,
    mapping_option,
    nodes_of_ranks,
    refuse_replaced_routing,
    tie_option,
    wormhole_routing_option,
)
from lccmodel.errors import InputError, NodeError, SizeLimitError

if TYPE_CHECKING:
    from lccmodel.network import Network
    from lccmodel.show.records import Table
    from lccmodel.wormhole.timing import TieRule
    from lccmodel.wormhole.tracing import Trace

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


_RULES = (
    Rule("seed", lambda typed: typed["tie"] == "random", "changes nothing unless --tie random"),
)


@command(
    rules=_RULES,
    short_help="Follow single messages through a wormhole-routed network, cycle by cycle.",
)
@communication_argument
@network_option
@wormhole_routing_option
@click.option(
    "--message",
    "senders",
    type=int,
    multiple=True,
    metavar="NODE",
    help="Print the message of this node (its number before any mapping), and the messages that "
    "share a channel with it. May be repeated.  [default: all messages]",
)
@click.option("--name", metavar="NAME", help="Name of the communication, if the file has several.")
@click.option(
    "--flits", type=int, default=4, show_default=True, help="Length of a message, in flits."
)
@mapping_option
@tie_option
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of random ties.")
@click.option(
    "--show",
    type=click.Choice(("messages", "channels", "chart")),
    default="messages",
    show_default=True,
    help="messages: the route of each, with the cycle in which its header enters a channel; "
    "channels: the message on each, with its cycles; chart: the buffer of every channel in "
    "every cycle.",
)
@plot_option
@table_options
@output_options
@click.pass_context
def trace(
    context: click.Context,
    communication: str,
    network: Network | str | None,
    routing: str,
    senders: tuple[int, ...],
    name: str | None,
    flits: int,
    mapping: str | None,
    tie: TieRule,
    seed: int,
    show: str,
    to: Output,
) -> None:
    """Print the position of every message in every cycle, and the message that it waits for.

    All nodes send their messages of one communication in cycle 0; --name selects it in a file that
    has several. A worm holds one flit in the buffer of every channel that it occupies. While its
    header waits for the next channel, the worm does not move. --plot draws channels by cycles; a
    .gif or .html shows the network cycle by cycle. The exit code is 1 if a message never arrives.

    \b
    Examples:
      lccmodel trace matrix-transpose --network cube:4 --message 1
      lccmodel trace bit-reverse --network cube:3 --plot worms.html
      lccmodel trace matrix-transpose --network cube:4 --message 3 --message 11 --show chart
      lccmodel trace bit-reverse --network cube:4 --mapping optimal --show channels --format csv
      lccmodel trace trace.csv --network cube:6 --message 0
    """
    from lccmodel.communication.program import chosen_phase
    from lccmodel.problem import Problem
    from lccmodel.show.animation import worm_frames
    from lccmodel.show.worm_drawing import draw_worms, occupancy_table, worms_table
    from lccmodel.wormhole.tracing import trace as follow

    to.check(more=ANIMATIONS)
    problem = Problem.read((communication,), network)
    k = chosen_phase(problem.program.names, name, "--name", communication)
    program, target = problem.program, problem.network
    refuse_unread()
    refuse_replaced_routing(routing, target)
    for node in senders:
        if not 0 <= node < program.ranks:
            raise NodeError("--message", f"must be a rank, 0..{program.ranks - 1}", node)
    with working("following messages"):
        placed = chosen_mapping(mapping, problem)
        worms = follow(program[k], target, routing, flits, placed, tie=tie, seed=seed)
        nodes = dict(zip(nodes_of_ranks(placed, senders), senders, strict=True))
        shown = followed(worms, nodes) if nodes else worms
    tables = {"messages": worms_table, "channels": occupancy_table, "chart": _chart_table}
    table = tables[show](shown)
    to.check_columns(table)
    if to.plot is not None:
        with working("drawing"):
            to.draw_moving(lambda: draw_worms(shown), lambda: worm_frames(shown))
    to.emit(table, read_as=problem.read_as, notes=problem.notes)
    if shown.stuck:
        context.exit(1)


def followed(trace: Trace, nodes: dict[int, int]) -> Trace:
    """The messages from some nodes and those that share a channel with them, without all others.

    Args:
        trace: of all messages.
        nodes: where the senders are, and how they were called.

    Raises:
        InputError: a node that sends no message, or only to itself.
    """
    import numpy as np

    sending: dict[int, list[int]] = {}
    for m, worm in enumerate(trace.worms):
        sending.setdefault(worm.source, []).append(m)
    for place, node in nodes.items():
        if place not in sending:
            raise InputError("--message", "must be a node that sends to another one", node)
    chosen = [m for place in nodes for m in sending[place]]
    taken = {channel for m in chosen for channel in trace.worms[m].path}
    there = [k for k, channel in enumerate(trace.channels) if channel in taken]
    met = set(trace.holder[:, there].ravel().tolist()) - {-1, *chosen}
    kept = chosen + sorted(met)
    used = {channel for m in kept for channel in trace.worms[m].path}
    columns = [k for k, channel in enumerate(trace.channels) if channel in used]
    number = np.full(len(trace.worms) + 1, -1, dtype=np.int64)  # the last entry is that of -1
    number[kept] = np.arange(len(kept))
    worms = tuple(trace.worms[m] for m in kept)
    ends = [worm.delivered for worm in worms if worm.delivered is not None]
    last = max(ends) if len(ends) == len(worms) else trace.cycles
    holder = number[trace.holder[:last, columns]]
    return replace(
        trace,
        worms=worms,
        channels=tuple(trace.channels[k] for k in columns),
        names=tuple(trace.names[k] for k in columns),
        holder=holder,
        flit=np.where(holder < 0, -1, trace.flit[:last, columns]),
    )


def _chart_table(trace: Trace) -> Table:
    """A row for every channel, a sign for every cycle: a letter a message, a capital its header.

    Raises:
        SizeLimitError: more messages than letters.
    """
    from lccmodel.show.quantities import Column, Quantity
    from lccmodel.show.records import Table

    if len(trace.worms) > len(_LETTERS):
        rule = f"shows at most {len(_LETTERS)} messages; follow fewer with --message"
        raise SizeLimitError("--show chart", rule, len(trace.worms))
    rows = []
    for name, holder, flit in zip(trace.names, trace.holder.T, trace.flit.T, strict=True):
        signs = [
            "." if m < 0 else _LETTERS[m].upper() if number == 0 else _LETTERS[m]
            for m, number in zip(holder.tolist(), flit.tolist(), strict=True)
        ]
        rows.append([name, "".join(signs)])
    cycles = range(1, trace.cycles + 1)
    marks = "".join(str(cycle // 10 % 10) if cycle % 10 == 0 else "." for cycle in cycles)
    columns: list[Column] = ["channel", Quantity("buffers", f"cycle 1 to {trace.cycles}\n{marks}")]
    facts = {"network": trace.network.spec, "routing": trace.routing}
    who = [
        f"{a}: {w.source} to {w.destination}" for a, w in zip(_LETTERS, trace.worms, strict=False)
    ]
    note = "A capital is a header, '.' an empty buffer; in N, out N: into and out of the network."
    return Table("Buffers cycle by cycle", columns, rows, facts, ["; ".join(who) + ".", note])
