"""`lccmodel simulate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lccmodel.cli.machine import plot_option
from lccmodel.cli.options import (
    chosen_format,
    emit,
    idle_option,
    network_option,
    output_options,
    working,
)

if TYPE_CHECKING:
    from lccmodel.communication.entries import NamedCommunication
    from lccmodel.communication.messages import Idle
    from lccmodel.mapping.result import Mapping
    from lccmodel.network import Network
    from lccmodel.report.simulation_tables import Run
    from lccmodel.report.tables import Table
    from lccmodel.wormhole.simulation import Engine, Simulation
    from lccmodel.wormhole.timing import TieRule

__all__ = [
    "chosen_mapping",
    "parse_loads",
    "parse_order",
    "simulate",
    "tie_option",
    "wormhole_routing_option",
]

TIES = ("lowest-input", "highest-input", "oldest", "random")
_MOST_LOADS = 1000


def tie_option(function: Any) -> Any:
    """`--tie`."""
    return click.option(
        "--tie",
        type=click.Choice(TIES),
        default=TIES[0],
        show_default=True,
        help="Who goes first among headers that reach a router in one cycle: the lowest or the "
        "highest input channel, the oldest message, or one at random.",
    )(function)


def wormhole_routing_option(function: Any) -> Any:
    """`--routing`: a routing function by its name."""
    return click.option(
        "--routing",
        metavar="NAME",
        default="e-cube",
        show_default=True,
        help="On hypercubes e-cube, e-cube-descending, p-cube, minimum-restriction (min) or "
        "fully-adaptive; on meshes dimension-order, negative-first, ...; e-cube is "
        "dimension-order there.",
    )(function)


def mapping_option(function: Any) -> Any:
    """`--mapping`."""
    return click.option(
        "--mapping",
        metavar="optimal|ORDER",
        help="Rename the processors: `optimal` finds the best order of the address bits, one for "
        "all communications together; or state the order, such as 0,4,2,6,1,5,3,7.",
    )(function)


@click.command(short_help="Latency and throughput of communications, simulated flit by flit.")
@click.argument("communications", nargs=-1, metavar="COMMUNICATION...")
@network_option
@wormhole_routing_option
@click.option(
    "--load",
    metavar="L|L,L,...|FIRST:LAST:STEP",
    default="0.05",
    show_default=True,
    help="Flits that every sending processor generates in a cycle, in (0, 1].",
)
@click.option("--flits", type=int, default=20, show_default=True, help="Length of a message.")
@click.option(
    "--cycles",
    type=int,
    default=100_000,
    show_default=True,
    help="For how long messages are generated.",
)
@click.option(
    "--warm-up",
    type=int,
    metavar="CYCLES",
    help="What is not measured at the start.  [default: a tenth of the cycles]",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of arrivals and random ties.")
@mapping_option
@tie_option
@click.option(
    "--engine",
    type=click.Choice(("auto", "message", "flit")),
    default="auto",
    show_default=True,
    help="Move whole messages (fast), or every flit (slow; needed for virtual channels). Both "
    "give the same times.",
)
@click.option(
    "--deadlock",
    is_flag=True,
    help="Simulate nothing: say whether messages can deadlock, all of them if no communication "
    "is named. Exit code 1 says that they can, or may.",
)
@plot_option
@click.option(
    "--heatmap",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw what every channel carried at the highest load (.png or .pdf); with --mapping also "
    "without it. For one communication.",
)
@idle_option
@output_options
@click.pass_context
def simulate(
    context: click.Context,
    communications: tuple[str, ...],
    network: str | None,
    routing: str,
    load: str,
    flits: int,
    cycles: int,
    warm_up: int | None,
    seed: int,
    mapping: str | None,
    tie: TieRule,
    engine: Engine,
    deadlock: bool,
    plot: Path | None,
    heatmap: Path | None,
    idle: Idle,
    form: str | None,
    output: Path | None,
) -> None:
    """What latency and throughput does a communication reach on a wormhole-routed network?

    Processors generate messages at exponential intervals; what the network cannot take queues at
    its source. A load that cannot be sustained is shown as saturated, and messages that wait for
    each other in a ring as deadlocked, with the channels. --plot draws latency against
    throughput.

    \b
    Examples:
      lccmodel simulate bit-reverse --network cube:8 --load 0.02:0.14:0.02 --cycles 20000
      lccmodel simulate matrix-transpose --network cube:8 --load 0.5 --mapping optimal
      lccmodel simulate bit-reverse --network cube:6 --routing p-cube --load 0.05,0.1 --seed 7
      lccmodel simulate --network torus:4x4 --routing dimension-order --deadlock
    """
    chosen = chosen_format(form, output)
    check_drawings(plot, heatmap, output)
    loads = parse_loads(load)
    if deadlock:
        if plot or heatmap or mapping:
            raise click.UsageError("--deadlock goes without --plot, --heatmap and --mapping")
        table, free = _deadlock(communications, network, routing, idle)
        emit(table, chosen, output)
        if not free:
            context.exit(1)
        return
    if not communications:
        raise click.UsageError("state a COMMUNICATION, or --deadlock")
    if heatmap is not None and len(communications) > 1:
        raise click.UsageError("--heatmap draws one communication")
    from lccmodel.cli.inputs import read_problem
    from lccmodel.report.simulation_tables import simulation_table
    from lccmodel.wormhole.simulation import Simulation

    program, target = read_problem(communications, network, idle)
    with working("preparing"):
        placed = chosen_mapping(mapping, program, target)
        prepared = [
            Simulation.of(one.communication, target, routing, placed, tie, engine)
            for one in program
        ]
    order = _order(placed)
    settings = (flits, cycles, seed, -1 if warm_up is None else warm_up)
    with working("simulating") as step:
        runs = sweep(prepared, [one.name for one in program], order, loads, settings, step)
    if plot is not None:
        with working("drawing"):
            _draw_plot(runs, plot)
    if heatmap is not None:
        with working("drawing"):
            bare = None
            if order:
                only = program[0].communication
                bare = Simulation.of(only, target, routing, None, tie, engine)
            _draw_heatmap(runs, bare, settings, heatmap)
    emit(simulation_table(runs), chosen, output)


# -- what is typed --------------------------------------------------------------------------


def parse_loads(text: str) -> list[float]:
    """Loads from "0.05", "0.05,0.1", or "0.01:0.2:0.01" (first, last, step), in exact decimals.

    Raises:
        InputError: no numbers in (0, 1], a range that is empty or has no end.

    >>> parse_loads("0.1:0.3:0.1"), parse_loads("0.5, 0.25")
    ([0.1, 0.2, 0.3], [0.5, 0.25])
    """
    from lccmodel.errors import InputError

    parts = text.split(":")
    rule = "must be a load, a list such as 0.05,0.1, or first:last:step such as 0.01:0.2:0.01"
    try:
        numbers = [Decimal(word) for word in (text.split(",") if len(parts) == 1 else parts)]
    except InvalidOperation:
        raise InputError("--load", rule, text) from None
    if not all(number.is_finite() for number in numbers) or len(parts) not in (1, 3):
        raise InputError("--load", rule, text)
    if len(parts) == 3:
        first, last, step = numbers
        if step <= 0 or last < first:
            raise InputError("--load", "must go up: first <= last and step > 0", text)
        if (last - first) / step >= _MOST_LOADS:
            raise InputError("--load", f"must be at most {_MOST_LOADS} loads", text)
        numbers = [first + k * step for k in range(int((last - first) / step) + 1)]
    if not all(0 < number <= 1 for number in numbers):
        rule = "must be in (0, 1], flits per cycle and sending processor"
        raise InputError("--load", rule, text)
    return [float(number) for number in numbers]


def parse_order(text: str) -> tuple[int, ...]:
    """Whole numbers from "0,4,2,6".

    Raises:
        InputError: something else than whole numbers.
    """
    from lccmodel.errors import InputError

    words = text.replace(",", " ").split()
    if not words or not all(word.isascii() and word.isdecimal() for word in words):
        raise InputError("--mapping", "must be optimal, or an order such as 0,4,2,6,1,5,3,7", text)
    return tuple(map(int, words))


def chosen_mapping(
    text: str | None, program: Sequence[NamedCommunication], network: Network
) -> Mapping | tuple[int, ...] | None:
    """The mapping that is asked for; `optimal` is one order for all communications.

    Raises:
        InputError: no order, or no hypercube to find one for.
    """
    from lccmodel.errors import InputError
    from lccmodel.mapping import optimal_reordering
    from lccmodel.report.program import require_cube

    if text is None:
        return None
    if text.strip().lower() != "optimal":
        order = parse_order(text)
        if sorted(order) != list(range(network.n)):
            rule = f"must be optimal, or an order of the address bits 0..{network.n - 1}"
            raise InputError("--mapping", rule, text)
        return order
    require_cube(network)
    members = [one.communication for one in program]
    return optimal_reordering(members if len(members) > 1 else members[0], network)


def _order(mapping: Mapping | tuple[int, ...] | None) -> tuple[int, ...]:
    if mapping is None:
        return ()
    if isinstance(mapping, tuple):
        return mapping
    assert mapping.order is not None, "a reordering has an order"
    return mapping.order


def check_drawings(plot: Path | None, heatmap: Path | None, output: Path | None) -> None:
    """Refuse files that cannot be written, before anything is simulated.

    Raises:
        InputError: a drawing is no .png or .pdf; see also `launch.check_places`.
    """
    from lccmodel.cli.launch import check_places
    from lccmodel.errors import InputError

    check_places([file for file in (plot, heatmap, output) if file is not None])
    for name, file in (("--plot", plot), ("--heatmap", heatmap)):
        if file is not None and file.suffix.lower() not in (".png", ".pdf"):
            raise InputError(name, "must end in .png or .pdf", str(file))


# -- what is done ---------------------------------------------------------------------------


def sweep(
    prepared: Sequence[Simulation],
    names: Sequence[str],
    order: tuple[int, ...],
    loads: Sequence[float],
    settings: tuple[int, int, int, int],
    step: Callable[[str], None],
) -> list[Run]:
    """Simulate every communication at every load, as many at once as there are cores.

    Args:
        settings: flits, cycles, seed, warm-up.
        step: is told how many are done.
    """
    import os
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from lccmodel.report.simulation_tables import Run

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        futures = {
            pool.submit(simulation.run, load, *settings): (k, load)
            for k, simulation in enumerate(prepared)
            for load in loads
        }
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                step(f"simulating: {done} of {len(futures)} loads")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [Run(names[k], order, future.result()) for future, (k, _) in futures.items()]


def _deadlock(
    communications: tuple[str, ...], network: str | None, routing: str, idle: Idle
) -> tuple[Table, bool]:
    """The verdict on the messages of some communications, or on all there can be."""
    from lccmodel.cli.inputs import read_problem
    from lccmodel.errors import InputError
    from lccmodel.network import parse_network
    from lccmodel.report.simulation_tables import deadlock_table
    from lccmodel.routing import deadlock_free

    with working("following channels"):
        if communications:
            program, target = read_problem(communications, network, idle)
            sent = " and ".join(one.name for one in program)
            pairs = [pair for one in program for pair in one.communication.pairs().tolist()]
            verdict = deadlock_free(routing, target, [(x, y) for x, y in pairs if x != y])
        else:
            if network is None or ":" not in network:
                raise InputError("--network", "must be stated with its size, as cube:8", network)
            sent, verdict = "between all nodes", deadlock_free(routing, parse_network(network))
    return deadlock_table(verdict, sent), bool(verdict)


def _draw_plot(runs: Sequence[Run], file: Path) -> None:
    """Latency against throughput, a curve for every communication."""
    from lccmodel.cli.machine import save_plot
    from lccmodel.report.simulation_drawing import draw_runs

    save_plot(draw_runs(runs), file)


def _draw_heatmap(
    runs: Sequence[Run],
    bare: Simulation | None,
    settings: tuple[int, int, int, int],
    file: Path,
) -> None:
    """What channels carried at the highest load; beside it without the mapping."""
    from lccmodel.cli.machine import save_plot
    from lccmodel.report.simulation_drawing import draw_carried

    top = max((run.result for run in runs), key=lambda result: result.load)
    words = f"{top.network.spec}, {top.routing}, load {top.load:g}"
    if bare is None:
        save_plot(draw_carried([top], [words]), file)
        return
    titles = [words, f"the same, processors in the order {', '.join(map(str, runs[0].order))}"]
    save_plot(draw_carried([bare.run(top.load, *settings), top], titles), file)
