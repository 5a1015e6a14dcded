"""`lccmodel simulate`: latency and throughput of a communication on a wormhole-routed network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from lccmodel.cli.machine import number
from lccmodel.cli.modes import Rule, Typed, command, is_typed, refuse_unless, refuse_unread
from lccmodel.cli.options import (
    Output,
    communication_words,
    file_option,
    network_option,
    output_options,
    plot_option,
    save_plot,
    stated_network,
    table_options,
    working,
)
from lccmodel.cli.wormhole import (
    chosen_mapping,
    mapping_option,
    order_of,
    parse_loads,
    refuse_replaced_routing,
    tie_option,
    wormhole_routing_option,
)
from lccmodel.errors import InputError
from lccmodel.ground.words import SERVICES, Engine, Rates

if TYPE_CHECKING:
    from lccmodel.network import Network
    from lccmodel.show.records import Table
    from lccmodel.show.simulation_tables import SimulatedLoad
    from lccmodel.wormhole.curves import Curve
    from lccmodel.wormhole.simulation import Engine, Rates, Simulation
    from lccmodel.wormhole.timing import TieRule


_HARDWARE = (
    "depth router_latency link_latency virtual_channels own_wires credit_latency tail_credit "
    "end_channels injection_latency ejection_latency service service_rounds"
)
_ARRIVALS = "load burst source rates cycles warm_up most_cycles"


def _is_once(typed: Typed) -> bool:
    """Whether messages are sent once, at stated times, and not at a load."""
    return bool(typed["as_program"] or typed["recorded"] is not None)


_RULES = (
    Rule(
        f"{_ARRIVALS.replace('load ', '')} {_HARDWARE} network nodes routing flits "
        "seed mapping tie engine as_program compute barrier recorded cycle_time flit_bytes "
        "deadlock plot heatmap size",
        lambda typed: typed["booksim"] is None,
        "cannot be combined with --booksim, whose file states everything but --load",
    ),
    Rule("closest saturation", lambda typed: typed["booksim"] is not None, "requires --booksim"),
    Rule("load", lambda typed: not typed["saturation"], "cannot be combined with --saturation"),
    Rule(
        f"{_ARRIVALS} {_HARDWARE} flits seed mapping tie engine as_program compute barrier "
        "recorded cycle_time flit_bytes heatmap plot size",
        lambda typed: not typed["deadlock"],
        "changes nothing with --deadlock, which simulates nothing: it follows the channels that "
        "the routing function uses",
    ),
    Rule(
        f"{_ARRIVALS} plot heatmap size",
        lambda typed: not _is_once(typed),
        "changes nothing with --program and --recorded, which send every message once",
    ),
    Rule(
        "tie",
        lambda typed: typed["service"] != "turns",
        "changes nothing with --service turns, where nothing is tied",
    ),
    Rule("service_rounds", lambda typed: typed["service"] == "turns", "requires --service turns"),
    Rule("compute barrier", lambda typed: typed["as_program"], "requires --program"),
    Rule(
        "as_program", lambda typed: typed["recorded"] is None, "cannot be combined with --recorded"
    ),
    Rule("mapping", lambda typed: typed["recorded"] is None, "cannot be combined with --recorded"),
    Rule("cycle_time", lambda typed: typed["recorded"] is not None, "requires --recorded"),
    Rule("flit_bytes", _is_once, "requires --program or --recorded"),
    Rule(
        "flits",
        lambda typed: not typed["as_program"] or typed["flit_bytes"] is None,
        "changes nothing with --program and --flit-bytes, which gives lengths by volume",
    ),
    Rule(
        "seed",
        lambda typed: not _is_once(typed) or typed["tie"] == "random",
        "changes nothing with --program and --recorded unless --tie random",
    ),
)


@command(short_help="Simulate latency and throughput with wormhole switching.", rules=_RULES)
@click.argument(
    "communications", nargs=-1, metavar="COMMUNICATION...", shell_complete=communication_words
)
@network_option
@wormhole_routing_option
@click.option(
    "--load",
    metavar="L|L,L,...|FIRST:LAST:STEP",
    default="0.05",
    show_default=True,
    help="Flits that every sending processor generates per cycle, in (0, 1].",
)
@click.option(
    "--flits",
    metavar="F|F:SHARE,F:SHARE,...",
    default="20",
    show_default=True,
    help="Length of a message in flits; or several lengths with their frequencies, such as "
    "4:3,64:1.",
)
@click.option(
    "--burst",
    type=float,
    default=1.0,
    show_default=True,
    help="Mean number of messages that a processor generates at once (geometric distribution).",
)
@click.option(
    "--source",
    metavar="poisson|bernoulli|on-off:ALPHA,BETA",
    default="poisson",
    show_default=True,
    help="How a processor generates messages: at exponential intervals, by chance in every cycle, "
    "or by chance while it is on.",
)
@click.option(
    "--rates",
    type=click.Choice(get_args(Rates)),
    default="equal",
    show_default=True,
    help="Generate messages at one rate on all processors, or in proportion to the volume that "
    "each sends. --load is then the mean.",
)
@click.option(
    "--cycles",
    type=int,
    default=100_000,
    show_default=True,
    help="Number of cycles in which messages are generated.",
)
@click.option(
    "--warm-up",
    metavar="CYCLES|mser-5",
    help="Cycles at the start that are not measured, or White's rule that determines them.  "
    "[default: a tenth of the cycles]",
)
@click.option(
    "--most-cycles",
    type=int,
    default=0,
    metavar="CYCLES",
    help="Double the length of the run until the latency has settled, up to this number of cycles.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Seed of the arrivals and of random ties.",
)
@mapping_option
@tie_option
@click.option(
    "--engine",
    type=click.Choice(get_args(Engine)),
    default="auto",
    show_default=True,
    help="Simulate whole messages (fast), or every flit (slow; required for virtual channels). "
    "Both give the same times.",
)
@click.option(
    "--depth", type=int, default=1, show_default=True, help="Flits per buffer of a channel."
)
@click.option(
    "--router-latency",
    type=int,
    default=0,
    show_default=True,
    help="Latency of a router for every header, in cycles.",
)
@click.option(
    "--link-latency",
    type=int,
    default=0,
    show_default=True,
    help="Latency of a link for every flit, in cycles.",
)
@click.option(
    "--credit-latency",
    type=int,
    default=0,
    show_default=True,
    help="Cycles until the sender may use a buffer place that a flit has left.",
)
@click.option(
    "--no-tail-credit",
    "tail_credit",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Grant a channel again when the tail has been sent into it, without waiting for its "
    "credit.",
)
@click.option(
    "--end-channels",
    type=int,
    default=1,
    show_default=True,
    help="Channels per injection and ejection port. They share the wire of the port.",
)
@click.option(
    "--injection-latency",
    type=int,
    default=0,
    show_default=True,
    help="Latency of an injection port for every flit, in cycles.",
)
@click.option(
    "--ejection-latency",
    type=int,
    default=0,
    show_default=True,
    help="Latency of an ejection port for every flit, in cycles.",
)
@click.option(
    "--service",
    type=click.Choice(SERVICES),
    default=SERVICES[0],
    show_default=True,
    help="Grant a free channel to the header that arrived first, or to the next input in turn, as "
    "iSLIP does.",
)
@click.option(
    "--service-rounds",
    type=int,
    default=1,
    show_default=True,
    help="Rounds per cycle in which free channels offer themselves, with --service turns.",
)
@click.option(
    "--virtual-channels",
    type=int,
    metavar="V",
    help="Virtual channels per link.  [default: as many as the routing function requires: 1, 2 on "
    "tori, twice that for valiant, romm and xy-yx, one more for adaptive]",
)
@click.option(
    "--own-wires",
    is_flag=True,
    help="Use one wire per virtual channel. By default the channels of a link share one wire. On "
    "tori, separate wires are about twenty times as fast to simulate.",
)
@click.option(
    "--program",
    "as_program",
    is_flag=True,
    help="Run the phases once, one after another. A rank continues when all messages that it sends"
    " and receives have been delivered.",
)
@click.option(
    "--compute",
    type=int,
    default=0,
    show_default=True,
    metavar="CYCLES",
    help="Cycles that a rank computes in each phase before it sends, with --program.",
)
@click.option(
    "--barrier", is_flag=True, help="Let all ranks begin a phase together, with --program."
)
@click.option(
    "--recorded",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Send messages at the cycles in which they were recorded. FILE is a table with the "
    "columns source, destination, cycle, and optionally flits.",
)
@click.option(
    "--cycle-time",
    metavar="TIME",
    help="Time of a cycle, with --recorded: read a column time, in its unit, instead of cycle.",
)
@click.option(
    "--flit-bytes",
    type=int,
    metavar="BYTES",
    help="Bytes per flit: for volumes in bytes (--program) or a column bytes (--recorded). Each "
    "message has one header flit more.",
)
@click.option(
    "--booksim",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Simulate a configuration file of BookSim 2 and print its quantities. --load then gives "
    "injection rates in the unit of the file.",
)
@click.option(
    "--closest",
    is_flag=True,
    help="Use the nearest model for parameters of --booksim that are not modelled, and list the "
    "differences. Otherwise such a line is refused.",
)
@click.option(
    "--saturation",
    is_flag=True,
    help="Find the injection rate above which the mean latency exceeds latency_thres, with "
    "--booksim.",
)
@click.option(
    "--deadlock",
    is_flag=True,
    help="Print whether messages can deadlock, without a simulation. Without COMMUNICATION, all "
    "messages are considered. Exit code 1: they can, or may.",
)
@plot_option
@file_option(
    "--heatmap",
    meaning="Draw the flits on every channel at the highest load (.png or .pdf), with --mapping "
    "before and after it. For one communication.",
)
@table_options
@output_options
@click.pass_context
def simulate(
    context: click.Context,
    /,
    communications: tuple[str, ...],
    network: Network | str | None,
    routing: str,
    load: str,
    flits: str,
    burst: float,
    source: str,
    rates: Rates,
    cycles: int,
    warm_up: str | None,
    most_cycles: int,
    seed: int,
    mapping: str | None,
    tie: TieRule,
    engine: Engine,
    as_program: bool,
    compute: int,
    barrier: bool,
    recorded: Path | None,
    cycle_time: str | None,
    flit_bytes: int | None,
    booksim: Path | None,
    closest: bool,
    saturation: bool,
    deadlock: bool,
    heatmap: Path | None,
    to: Output,
    **hardware: Any,
) -> None:
    """Simulate the latency and throughput of a communication on a wormhole-routed network.

    Processors generate messages at exponential intervals; what the network cannot take queues at
    its source. A load that cannot be sustained is shown as saturated, and messages that wait for
    each other in a ring as deadlocked, with the channels. With --mapping every load is simulated
    before and after it, with the same arrivals, and a --program is run twice. --plot draws latency
    against throughput.

    \b
    Examples:
      lccmodel simulate bit-reverse --network cube:8 --load 0.02:0.14:0.02 --cycles 20000
      lccmodel simulate matrix-transpose --network cube:8 --load 0.5 --mapping optimal
      lccmodel simulate bit-reverse --network cube:6 --routing p-cube --load 0.05,0.1 --seed 7
      lccmodel simulate bit-reverse -N torus:8x8 --virtual-channels 4 --depth 8 --link-latency 1
      lccmodel simulate bit-reverse perfect-shuffle -N cube:6 --program --compute 100
      lccmodel simulate uniform -N torus:8x8 --source bernoulli --load 0.1,0.2 --flits 4
      lccmodel simulate matrix-transpose -N mesh:8x8 --routing valiant,adaptive --load 0.05,0.1
      lccmodel simulate --booksim mesh88_lat --closest --load 0.1,0.2
      lccmodel simulate --network torus:4x4 --routing dimension-order --deadlock
    """
    from lccmodel.show.style import check_figure

    to.check(heatmap)
    if heatmap is not None:
        check_figure(heatmap, "--heatmap")
    if booksim is not None:
        if communications:
            raise click.UsageError(
                "--booksim takes no COMMUNICATION: its file contains the traffic"
            )
        asked = list(parse_loads(load)) if is_typed("load") else []
        with working("simulating"):
            table, differences = _booksim(booksim, closest, asked, saturation)
        to.emit(table, read_as=f"BookSim 2: {booksim.name}", notes=differences)
        return
    loads = parse_loads(load)
    if deadlock:
        table, free = _deadlock(communications, network, routing)
        to.emit(table)
        if not free:
            context.exit(1)
        return
    if as_program or recorded is not None:
        how = (network, routing, mapping)
        length = _lengths(flits)
        if isinstance(length, dict):
            rule = "must be one length with --program and --recorded"
            raise InputError("--flits", rule, flits)
        settings = {"flits": length, "tie": tie, "seed": seed, "engine": engine, **hardware}
        with working("simulating"):
            if recorded is not None:
                units = (cycle_time, flit_bytes)
                table = _recorded(recorded, units, communications, how, settings)
            else:
                phases = {"compute": compute, "barrier": barrier, "volume": flit_bytes}
                table = _program(communications, how, settings | phases)
        to.emit(table)
        return
    if not communications:
        raise click.UsageError("give a COMMUNICATION, or --deadlock")
    if heatmap is not None and len(communications) > 1:
        raise click.UsageError("--heatmap draws one communication")
    from lccmodel.placement.notes import tie_notes
    from lccmodel.problem import Problem
    from lccmodel.show.placement_tables import name_of
    from lccmodel.show.simulation_tables import simulation_table
    from lccmodel.wormhole.simulation import Simulation

    problem = Problem.read(communications, network)
    program, target = problem.program, problem.network
    refuse_unread()
    functions = [word.strip() for word in routing.split(",")]
    if heatmap is not None and len(functions) > 1:
        raise click.UsageError("--heatmap draws one routing function")
    for function in functions:
        _refuse_hardware(target, function, hardware)
    with working("preparing"):
        placed = chosen_mapping(mapping, problem)
        turns = {"": None} if placed is None else {"before": None, "after": placed}
        prepared = {
            (name_of(phase, k), turn, function): Simulation.of(
                phase.traffic, target, function, by, tie, engine, rates=rates, **hardware
            )
            for k, phase in enumerate(program)
            for function in functions
            for turn, by in turns.items()
        }
    lengths = (_lengths(flits), cycles, seed, _warm_up(warm_up), most_cycles, burst, source)
    with working("simulating") as step:
        runs = _sweep(prepared, order_of(placed), loads, lengths, step)
    table = simulation_table(runs)
    to.check_columns(table)
    if to.plot is not None:
        with working("drawing"):
            _draw_plot(runs, to.plot)
    if heatmap is not None:
        with working("drawing"):
            _draw_heatmap(runs, heatmap)
    ties: tuple[str, ...] = ()
    if placed is None and {run.result.routing for run in runs} == {"dimension-order"}:
        ties = tie_notes(problem)
    to.emit(table, read_as=problem.read_as, notes=(*problem.notes, *ties))


# -- what is done ---------------------------------------------------------------------------


def _sweep(
    prepared: Mapping[tuple[str, str, str], Simulation],
    order: tuple[int, ...],
    loads: Sequence[float],
    settings: tuple[int | dict[int, float], int, int, int | Literal["mser-5"], int, float, str],
    step: Callable[[str], None],
) -> list[SimulatedLoad]:
    """Simulate every communication at every load, as many at once as there are cores.

    Args:
        prepared: by the name of the communication, "before" or "after" a mapping or "", and the
            routing function.
        order: of the mapping's address bits; () if it has none.
        settings: flits, cycles, seed, warm-up, most cycles, burst, source.
        step: is told how many are done.
    """
    import os
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from lccmodel.show.simulation_tables import SimulatedLoad

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        futures = {
            pool.submit(simulation.run, load, *settings): who
            for load in loads
            for who, simulation in prepared.items()
        }
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                step(f"simulating: {done} of {len(futures)} loads")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    runs = [
        SimulatedLoad(name, order if turn == "after" else (), future.result(), turn)
        for future, (name, turn, _) in futures.items()
    ]
    names = list(dict.fromkeys(name for name, *_ in prepared))
    return sorted(runs, key=lambda run: names.index(run.communication))


def _program(
    communications: tuple[str, ...],
    how: tuple[Network | str | None, str, str | None],
    settings: dict[str, Any],
) -> Table:
    """The phases of some communications, run once."""
    from lccmodel.problem import Problem
    from lccmodel.show.simulation_tables import placed_program_table
    from lccmodel.wormhole.timed import run_program

    if not communications:
        raise click.UsageError("--program needs a COMMUNICATION")
    network, routing, mapping = how
    problem = Problem.read(communications, network)
    refuse_unread()
    _refuse_hardware(problem.network, routing, settings)
    placed = chosen_mapping(mapping, problem)
    how_run = (problem, problem.network, routing)
    before = run_program(*how_run, **settings)
    if placed is None:
        table: Table = before.as_table()
        return table
    both = placed_program_table(before, run_program(*how_run, placed, **settings))
    return replace(both, read_as=problem.read_as, notes=before.notes)


def _refuse_hardware(network: Network, routing: str, hardware: Mapping[str, Any]) -> None:
    """Refuse `--own-wires` where a link has one wire, and a routing function that is replaced."""
    from lccmodel.routing import find_routing

    refuse_replaced_routing(routing, network)
    count = hardware["virtual_channels"] or find_routing(routing, network).virtual_channels
    refuse_unless(count > 1, "own_wires", "changes nothing: a link has one virtual channel")


def _booksim(
    file: Path, closest: bool, rates: Sequence[float], saturation: bool
) -> tuple[Table, list[str]]:
    """What a configuration file of BookSim 2 states, at its rate or others; the differences."""
    from concurrent.futures import ThreadPoolExecutor
    from os import cpu_count

    from lccmodel.show.simulation_tables import booksim_table
    from lccmodel.wormhole.booksim import read_booksim

    read = read_booksim(file, closest=closest)
    refuse_unread()
    bracket = read.saturation() if saturation else None
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        points = list(pool.map(read.run, bracket or rates or [read.rate]))
    return booksim_table(read, points), list(read.differences)


def _recorded(
    file: Path,
    units: tuple[str | None, int | None],
    communications: tuple[str, ...],
    how: tuple[Network | str | None, str, str | None],
    settings: dict[str, Any],
) -> Table:
    """Messages of a file at the cycles that it states."""
    from lccmodel.show.simulation_tables import timed_table
    from lccmodel.wormhole.timed import read_recorded, run_trace

    network, routing, _ = how
    if communications:
        raise click.UsageError("--recorded takes no COMMUNICATION")
    where = stated_network(network)
    cycle_time = None if units[0] is None else number("--cycle-time", units[0])
    if cycle_time == 0:
        raise InputError("--cycle-time", "must be above 0", units[0])
    rows = read_recorded(file, cycle_time, units[1])
    refuse_unread()
    _refuse_hardware(where, routing, settings)
    table = timed_table(run_trace(rows, where, routing, **settings))
    return replace(table, read_as="recorded messages")


def _lengths(text: str) -> int | dict[int, float]:
    """One length, or several and how often each occurs.

    Raises:
        InputError: neither.

    >>> _lengths("20"), _lengths("4:3,64:1")
    (20, {4: 3.0, 64: 1.0})
    """
    rule = "must be a length, or lengths and how often each occurs, such as 4:3,64:1"
    parts = [part.split(":") for part in text.split(",")]
    try:
        if len(parts) == 1 and len(parts[0]) == 1:
            return int(parts[0][0])
        return {int(length): float(share) for length, share in parts}
    except ValueError:
        raise InputError("--flits", rule, text) from None


def _warm_up(text: str | None) -> int | Literal["mser-5"]:
    """Cycles, -1 for the default, or the name of the rule.

    Raises:
        InputError: neither.
    """
    if text is None:
        return -1
    if text == "mser-5":
        return "mser-5"
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise InputError("--warm-up", "must be a number of cycles, or mser-5", text)
    return int(text)


def _deadlock(
    communications: tuple[str, ...], network: Network | str | None, routing: str
) -> tuple[Table, bool]:
    """The verdict on the messages of some communications, or on all there can be."""
    from lccmodel.problem import Problem
    from lccmodel.routing import deadlock_free
    from lccmodel.show.placement_tables import name_of
    from lccmodel.show.simulation_tables import deadlock_table

    read_as, notes = "", tuple[str, ...]()
    with working("following channels"):
        if communications:
            problem = Problem.read(communications, network)
            read_as, notes = problem.read_as, problem.notes
            program, target = problem.program, problem.network
            refuse_replaced_routing(routing, target)
            sent = " and ".join(name_of(phase, k) for k, phase in enumerate(program))
            pairs = [pair for phase in program for pair in phase.traffic.messages.tolist()]
            verdict = deadlock_free(routing, target, [(x, y) for x, y in pairs if x != y])
        else:
            target = stated_network(network)
            refuse_replaced_routing(routing, target)
            sent, verdict = "between all nodes", deadlock_free(routing, target)
        refuse_unread()
    table = deadlock_table(verdict, sent)
    return replace(table, read_as=read_as, notes=(*notes, *table.notes)), bool(verdict)


def _draw_plot(runs: Sequence[SimulatedLoad], file: Path) -> None:
    """Latency against throughput, a curve for every communication."""
    from lccmodel.show.wormhole_drawing import draw_curves

    shown: dict[tuple[str, str, str], list[SimulatedLoad]] = {}
    for run in runs:
        shown.setdefault((run.communication, run.mapping, run.result.routing), []).append(run)
    functions = list(dict.fromkeys(function for *_, function in shown))
    curves = [_curve(own, len(functions) > 1) for own in shown.values()]
    first = runs[0].result
    title = f"{first.network.spec}, {', '.join(functions)}, {first.flits} flits"
    save_plot(draw_curves(curves, title=title), file)


def _curve(runs: Sequence[SimulatedLoad], names_routing: bool = False) -> Curve:
    """The loads of one communication, up to the first that is not sustained."""
    from lccmodel.wormhole.curves import Curve, Point

    points: list[Point] = []
    for result in sorted((run.result for run in runs), key=lambda result: result.load):
        measured = (result.throughput, result.throughput_interval, result.latency, result.interval)
        state = (result.waiting, result.saturated, bool(result.deadlock), result.settled)
        points.append(Point(result.load, *measured, *state))
        if result.saturated:
            break
    name, order, first, turn = runs[0]
    settings = (round(first.flits), first.cycles, first.seed)
    label = f"{name}, {'mapped' if order else 'placed'}" if turn == "after" else name
    label += f", {first.routing}" if names_routing else ""
    where = (first.network, first.routing, order or None)
    return Curve(label, name, *where, *settings, first.tie, tuple(points))


def _draw_heatmap(
    runs: Sequence[SimulatedLoad],
    file: Path,
) -> None:
    """What channels carry at the highest load, before and after the mapping if there is one."""
    from lccmodel.show.drawing import draw_loads
    from lccmodel.show.wormhole_drawing import draw_channel_use

    most = max(run.result.load for run in runs)
    top, *after = [run.result for run in runs if run.result.load == most]
    if after:
        order = ", ".join(map(str, runs[-1].order))
        titles = ("without mapping", f"order {order}" if order else "placed")
        save_plot(draw_channel_use(top, after[0], titles=titles), file)
        return
    title = f"{top.network.spec}, {top.routing}, load {top.load:g}"
    save_plot(draw_loads(top.channel_loads, title=title), file)
