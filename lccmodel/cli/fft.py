"""`lccmodel fft`: what the parallel FFT takes, part by part, and what a mapping gains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lccmodel.cli.machine import machine_option, number, whole
from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, output_options, plot_option, working
from lccmodel.cli.wormhole import tie_option
from lccmodel.errors import FileError, InputError, NetworkError

if TYPE_CHECKING:
    from lccmodel.network import Network
    from lccmodel.wormhole.published import Hardware
    from lccmodel.wormhole.timing import TieRule

TABLES = ("times", "speedup", "adaptive", "barriers", "table-1", "table-2")
_MOST_SEEDS = 10_000


_RULES = (
    Rule("tie", lambda typed: "barriers" in typed["tables"], "requires --table barriers"),
    Rule(
        "seeds",
        lambda typed: {"times", "adaptive", "table-1"} & set(typed["tables"] or TABLES[:2]),
        "requires --table times, adaptive or table-1",
    ),
    Rule(
        "latency per_byte",
        lambda typed: typed["machine_path"] is None,
        "cannot be combined with --machine, which states it",
    ),
)


@command(
    rules=_RULES, short_help="Simulate the parallel FFT, and compare with the tables of [hou]."
)
@click.option(
    "--network",
    "-N",
    metavar="cube:N",
    default="cube:8",
    show_default=True,
    help="Hypercube on which the program runs.",
)
@click.option(
    "--points",
    metavar="M,M,...",
    help="Sizes 2^(n + 2d), d = 0, 1, ...  [default: the first four, 256 to 16384 on cube:8]",
)
@click.option(
    "--table",
    "tables",
    type=click.Choice(TABLES),
    multiple=True,
    help="times: computation, exchanges with neighbours, bit reversal [hou, Table 1]; speedup: "
    "what the mapping gains [hou, Table 2]; adaptive: the bit reversal by routing function and "
    "tie rule; barriers: with barriers between the stages and without; table-1, table-2: times and "
    "speedup in the layout of the paper, a line per size. May be repeated.  "
    "[default: times and speedup]",
)
@click.option(
    "--latency", metavar="µs", help="Software latency of a message, in µs.  [default: 164]"
)
@click.option(
    "--per-byte",
    metavar="µs",
    help="Time of a byte on a channel, which is one cycle.  [default: 0.57]",
)
@machine_option
@click.option("--butterfly", metavar="µs", default="5.12", help="Time of a butterfly.")
@click.option(
    "--half-butterfly",
    metavar="µs",
    default="4.47",
    help="Time of half a butterfly. The defaults of all four times are those of the nCUBE-2, as in"
    " [hou].",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, _MOST_SEEDS),
    default=20,
    show_default=True,
    metavar="K",
    help="Number of random seeds for ties of adaptive routing, in times, adaptive and table-1.",
)
@tie_option
@plot_option
@output_options
def fft(
    network: str,
    points: str | None,
    tables: tuple[str, ...],
    latency: str | None,
    per_byte: str | None,
    machine_path: Path | None,
    butterfly: str,
    half_butterfly: str,
    seeds: int,
    tie: TieRule,
    to: Output,
) -> None:
    """Simulate the parallel FFT, part by part, with and without a mapping.

    Every message of the program is simulated: a bit reversal, then an exchange with the neighbour
    in every dimension. Printed values stand beside on cube:8 with the times of the nCUBE-2.
    --tie is for the table barriers; the others try or name the tie rules.

    \b
    Examples:
      lccmodel fft --network cube:8 --points 256,1024,4096,16384
      lccmodel fft --network cube:4 --points 256 --latency 10 --table speedup
      lccmodel fft --points 1024 --table barriers --tie oldest
      lccmodel fft --network cube:6 --latency 10 --per-byte 0.1 --table table-1 -o fft.tex
      lccmodel fft --points 256,1024 --plot fft.png
    """
    from lccmodel.network import parse_network
    from lccmodel.show.calibration import with_doubt

    names = tuple(dict.fromkeys(tables)) or TABLES[:2]
    if to.form in ("csv", "json") and len(names) > 1:
        rule = f"must be one of {', '.join(TABLES)}: a {to.form} result holds one table"
        raise InputError("--table", rule, " ".join(names))
    to.check()
    cube = parse_network(network)
    if not cube.geometry.is_cube_or_origin:
        rule = "must be cube:N or origin:N, for which mappings are optimised"
        raise NetworkError("network", rule, cube.spec)
    sizes = _sizes(points, cube)
    doubt = ""
    if machine_path is not None:
        latency, per_byte, doubt = _by_file(machine_path)
    machine = _hardware(latency or "164", per_byte or "0.57", butterfly, half_butterfly)
    with working("simulating") as step:
        from lccmodel.papers import fft_layout, fft_tables

        asked, made = (sizes, cube, machine), []
        for name in names:
            step(f"simulating: {name}")
            if name in ("speedup", "table-2"):
                table = fft_tables.fft_speedup_table(*asked)
                table = fft_layout.as_table_2(table) if name == "table-2" else table
            elif name == "barriers":
                table = fft_tables.barrier_table(*asked, tie)
            elif name == "adaptive":
                table = fft_tables.adaptive_table(*asked, range(seeds))
            else:
                table = fft_tables.times_table(*asked, range(seeds))
                table = fft_layout.as_table_1(table) if name == "table-1" else table
            made.append(with_doubt(table, doubt))
        to.check_columns(*made)
        if to.plot is not None:
            from lccmodel.show.wormhole_drawing import draw_fft
            from lccmodel.wormhole import parallel_fft

            step("drawing")
            runs = [
                parallel_fft(points, cube, mapping=mapping, hardware=machine)
                for points in sizes
                for mapping in (None, "optimal")
            ]
            to.draw(draw_fft(runs))
    to.emit(*made, read_as="")


def _sizes(text: str | None, cube: Network) -> list[int]:
    if text is None:
        return [1 << cube.n + 2 * d for d in range(4)]
    return [whole("--points", word) for word in text.split(",")]


def _by_file(path: Path) -> tuple[str, str, str]:
    """Start-up time and time per byte of a machine file, in microseconds, and a doubt of them.

    Raises:
        InputError: a bad file, another unit, or a cost of several pieces.
    """
    from lccmodel.calibration import read_machine
    from lccmodel.pipelining.message_cost import Linear

    machine = read_machine(path)
    if machine.unit not in ("us", "µs"):
        raise FileError(
            path, 0, "must have the unit us: the simulation is in microseconds", machine.unit
        )
    if not isinstance(machine.cost, Linear):
        rule = "must have one alpha and one tau: a flit takes one time on every channel"
        raise FileError(path, 0, rule, machine.cost)
    if not machine.cost.tau:
        raise FileError(path, 0, "must have a tau above 0, the time of a byte", "0")
    return str(machine.cost.alpha), str(machine.cost.tau), machine.doubt


def _hardware(latency: str, per_byte: str, butterfly: str, half: str) -> Hardware:
    """The machine that is stated; the nCUBE-2 where the times are its own.

    Raises:
        InputError: a time that is not a number of at least 0, or no time of a byte.
    """
    from lccmodel.wormhole.published import NCUBE2, Hardware

    texts = {
        "--latency": latency,
        "--per-byte": per_byte,
        "--butterfly": butterfly,
        "--half-butterfly": half,
    }
    times = [number(name, text) for name, text in texts.items()]
    if not times[1]:
        raise InputError("--per-byte", "must be positive", per_byte)
    known = [NCUBE2.latency, NCUBE2.per_byte, NCUBE2.butterfly, NCUBE2.half_butterfly]
    return (
        NCUBE2 if times == known else Hardware("as stated", times[0], times[1], times[2], times[3])
    )
