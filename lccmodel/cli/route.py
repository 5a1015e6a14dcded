"""`lccmodel route`: how a permutation gets to its destinations, by every method, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from lccmodel.cli.modes import Rule, Typed, command
from lccmodel.cli.options import (
    ANIMATIONS,
    Output,
    communication_argument,
    completed,
    idle_option,
    network_words,
    output_options,
    plot_option,
    table_options,
    working,
)
from lccmodel.ground.words import MODES, NUMBERINGS, VARIANTS

if TYPE_CHECKING:
    from lccmodel.communication.conversion import Idle

_ALGORITHMS = ("all", "hl", "e-cube", "exchange", "simd-mesh")


def _with(*algorithms: str) -> Callable[[Typed], bool]:
    return lambda typed: typed["algorithm"] in algorithms


_RULES = (
    Rule("mode variant reading partition", _with("hl"), "requires --algorithm hl"),
    Rule("order", _with("e-cube", "exchange"), "requires --algorithm e-cube or exchange"),
    Rule("numbering skip", _with("simd-mesh"), "requires --algorithm simd-mesh"),
    Rule(
        "tags",
        _with("hl", "e-cube", "exchange", "simd-mesh"),
        "requires --algorithm hl, e-cube, exchange or simd-mesh",
    ),
    Rule(
        "partition",
        lambda typed: typed["mode"] == "m-simd",
        "requires --mode m-simd, which cuts out subcubes",
    ),
)


def _readings(context: click.Context) -> Sequence[str]:
    from lccmodel.permutations.self_routing.readings import READINGS

    return READINGS.get(context.params.get("mode") or MODES[0], ())


@command(rules=_RULES, short_help="Route a permutation step by step, by one method or all.")
@communication_argument
@click.option(
    "--network",
    "-N",
    metavar="NETWORK",
    shell_complete=network_words,
    help="Network: cube:8, mesh:16x16 or torus:8x8x8; cube alone takes its size from the file.  "
    "[default: the network named in the file, else a hypercube, and the squarest mesh if one "
    "is needed]",
)
@click.option(
    "--algorithm",
    "-a",
    type=click.Choice(_ALGORITHMS),
    default="all",
    show_default=True,
    help="Self-routing by tags (hl), dimension order (e-cube), conditional exchanges (exchange; "
    "exchanges of pairs of bits if no order works), the passes of a SIMD mesh (simd-mesh), or"
    " all of them.",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="For hl: processors that correct the same bit in a step: all, those of a subcube, or "
    "each on its own.  [default: simd]",
)
@click.option(
    "--variant",
    type=click.Choice(VARIANTS),
    help="For hl: choose the lowest or the highest bit if several qualify.  [default: lsb]",
)
@click.option(
    "--reading",
    metavar="NAME",
    shell_complete=completed(_readings),
    help="For hl: interpretation of the rule for states that the paper does not define: agree, "
    "pairs, states; in mode mimd differ, tag, processor, cube.",
)
@click.option(
    "--partition",
    metavar="BITS",
    help="For hl in mode m-simd: bits that select subcubes, such as 2,3, or tree for the subcubes "
    "of a partitioned permutation.",
)
@click.option(
    "--order",
    metavar="BITS",
    help="For e-cube and exchange: the bits in the order in which they are corrected, such as "
    "0,2,1.  [default: ascending; for exchange the first order that works]",
)
@click.option(
    "--numbering",
    type=click.Choice(NUMBERINGS),
    help="For simd-mesh: numbering of the processors.  [default: row-major]",
)
@click.option("--skip", is_flag=True, help="For simd-mesh: skip passes that select no processor.")
@click.option("--name", metavar="NAME", help="Name of the communication, if the file has several.")
@click.option(
    "--tags",
    is_flag=True,
    help="Also print the messages in every node after every step (up to 64 nodes).",
)
@plot_option
@idle_option
@table_options
@output_options
@click.pass_context
def route(
    context: click.Context,
    /,
    communication: str,
    network: str | None,
    name: str | None,
    idle: Idle,
    to: Output,
    **chosen: Any,
) -> None:
    """Route a permutation to its destinations, step by step, and print the cost.

    COMMUNICATION is a name of the catalogue, equations, or a file: of messages, or of 2^n
    destinations in a numpy array. HL and e-cube take any permutation, the others need
    y = Ax + b. On a mesh or torus unit steps are counted too. --plot draws what every node holds,
    in small networks, else occupancy and load along the walk. Exit code 1 says that some
    messages were not delivered.

    \b
    Examples:
      lccmodel route matrix-transpose --network mesh:4x4
      lccmodel route bit-reverse --network cube:4 --algorithm hl --tags
      lccmodel route "y0 = x2; y1 = x0; y2 = x1" --algorithm simd-mesh --tags
      lccmodel route gray-code -N cube:4 -a exchange --order 3,1,2,0 --plot gray.svg
      lccmodel route matrix-transpose -N cube:4 --algorithm hl --plot steps.gif
    """
    from lccmodel.cli.routing import Choices, drawing, frames, read_permutation, route_by, tables_of
    from lccmodel.permutations.routing_result import RoutedPermutation

    form = to.form
    choices = Choices(**chosen)
    to.check(more=ANIMATIONS)
    if to.moves and choices.algorithm == "all":
        raise click.UsageError("a .gif or .html shows one method: give --algorithm")
    subject = read_permutation(communication, network, idle, name)
    with working("routing"):
        routed = route_by(subject, choices)
        tables = tables_of(routed, subject.name, choices, form)
    to.check_columns(*tables)
    if to.plot is not None:
        with working("drawing"):
            name = subject.name
            to.draw_moving(lambda: drawing(routed, name), lambda: frames(routed, name))
    to.emit(*tables, read_as=subject.read_as, notes=subject.notes)
    if isinstance(routed, RoutedPermutation) and not routed.delivered:
        context.exit(1)
