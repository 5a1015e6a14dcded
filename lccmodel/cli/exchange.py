"""`lccmodel exchange`: methods of complete exchange on a mesh, by their time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

import click

from lccmodel.cli.machine import StatedCosts, mesh_of_option, mesh_option, time_options, whole
from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, completed, output_options, plot_option, working
from lccmodel.errors import InputError
from lccmodel.ground.words import ExchangeOrder

if TYPE_CHECKING:
    from lccmodel.pipelining.exchange import ExchangeOrder


_RULES = (
    Rule(
        "network alpha tau unit machine_path item_bytes block methods moves degree order plot size",
        lambda typed: not typed["formula"],
        "changes nothing with --formula, which shows the cost of every method",
    ),
    Rule("degree order", lambda typed: typed["moves"], "requires --run"),
    Rule("methods plot size", lambda typed: not typed["moves"], "cannot be combined with --run"),
    Rule(
        "alpha tau machine_path item_bytes",
        lambda typed: not typed["moves"] or typed["degree"] is None,
        "changes nothing with --run and --degree: times choose the degree alone",
    ),
    Rule(
        "unit", lambda typed: not typed["moves"], "changes nothing with --run, which has no times"
    ),
)


def _methods(_: click.Context) -> Iterable[str]:
    from lccmodel.pipelining.methods import METHODS

    return METHODS


@command(
    rules=_RULES,
    short_help="Compare the methods of complete exchange, or run one on real blocks.",
)
@click.argument("traffic", required=False, metavar="[uniform]")
@mesh_option
@time_options
@click.option(
    "--block",
    metavar="B",
    default="1",
    show_default=True,
    help="Number of items in the block that a node has for each node.",
)
@click.option(
    "--methods",
    metavar="NAME,NAME,...",
    shell_complete=completed(_methods, lists=True),
    help="Methods to compare, such as calmant-schedule,direct.  [default: all]",
)
@click.option("--run", "moves", is_flag=True, help="Move real blocks, and check where they arrive.")
@click.option(
    "--degree",
    metavar="Q",
    help="Pipelining degree Q for --run.  [default: the best for the given times, else 1]",
)
@click.option(
    "--order",
    type=click.Choice(get_args(ExchangeOrder)),
    default="reverse",
    show_default=True,
    help="Order of the blocks in a message, for --run. natural can be pipelined for some Q only.",
)
@click.option(
    "--formula", is_flag=True, help="Print the cost formula of every method, with its derivation."
)
@plot_option
@output_options
@click.pass_context
def exchange(
    context: click.Context,
    traffic: str | None,
    network: str | None,
    times: StatedCosts,
    block: str,
    methods: str | None,
    moves: bool,
    degree: str | None,
    order: ExchangeOrder,
    formula: bool,
    to: Output,
) -> None:
    """Compare the methods of complete exchange on a mesh with each other and with a bound.

    Every node has a block of B items for every node; a message of L items takes alpha + L tau,
    a node sends one message and receives one at a time. With --run the pipelined CC-cube moves
    real blocks, and its schedules are replayed on the mesh; exit code 1 says that not all arrived.

    \b
    Examples:
      lccmodel exchange --network mesh:16x16 --alpha 500 --tau 1 --block 64
      lccmodel exchange --network mesh:16x16 --machine machine.toml --block 64
      lccmodel exchange --network mesh:8x8 --alpha 500 --tau 1 --block 16 --run
      lccmodel exchange --network mesh:4x4 --block 2 --run --degree 7
      lccmodel exchange --formula
    """
    from lccmodel.pipelining.degree import optimal_degree
    from lccmodel.show.calibration import with_doubt
    from lccmodel.show.exchange_methods import PLOTTED, draw_exchange, methods_table
    from lccmodel.show.exchange_tables import exchange_table, run_exchange, run_table

    to.check()
    if traffic is not None and traffic.strip().lower() != "uniform":
        rule = "must be uniform or left out: in an exchange every node has a block for every other"
        raise InputError("TRAFFIC", rule, traffic)
    if formula:
        to.emit(methods_table())
        return
    mesh = mesh_of_option(network)
    B = whole("--block", block)
    if moves:
        stated = times.on(mesh) if times.stated else None
        if degree is not None:
            Q = whole("--degree", degree)
        elif stated is not None:
            Q = optimal_degree(stated.machine, mesh.size // 2 * B).Q
        else:
            Q = 1
        with working("moving blocks"):
            moved = run_exchange(mesh, B, Q, order)
            doubt = stated.doubt if stated is not None and degree is None else ""
            table = with_doubt(run_table(moved), doubt)
        to.emit(table, read_as="")
        if not moved.ok:
            context.exit(1)
        return
    if any(mesh.geometry.rings):
        raise InputError("--network", "must be a mesh, unless with --run", mesh.spec)
    described = times.on(mesh)
    machine = described.machine
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    with working("comparing methods"):
        table = with_doubt(exchange_table(machine, B, names, described.unit), described.doubt)
        to.check_columns(table)
        if to.plot is not None:
            to.draw(draw_exchange(machine, methods=names or PLOTTED))
    to.emit(table, read_as="")
