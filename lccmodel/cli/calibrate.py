"""`lccmodel calibrate`: α and τ of a machine from measured message times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, file_option, output_options, plot_option, working
from lccmodel.ground.words import PINGPONGS

if TYPE_CHECKING:
    from lccmodel.calibration import Measurements


_RULES = (
    Rule(
        "kind ranks most seconds",
        lambda typed: typed["file"] is None,
        "changes nothing with FILE, whose times were measured elsewhere",
    ),
    Rule("ranks", lambda typed: typed["kind"] == "exchange", "requires --kind exchange"),
    Rule("benchmark run", lambda typed: typed["file"] is not None, "requires FILE"),
    Rule("name", lambda typed: typed["save"] is not None, "requires --save, whose file has it"),
)


@command(
    rules=_RULES,
    short_help="Fit start-up time and time per byte of your machine; write a machine file.",
)
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@click.option(
    "--kind",
    type=click.Choice(PINGPONGS),
    default="ping-pong",
    show_default=True,
    help="Measurement to run under mpirun if no FILE is given: a ping-pong of two processes, or "
    "an exchange in a ring.",
)
@click.option(
    "--ranks", type=int, default=4, show_default=True, help="Number of processes of an exchange."
)
@click.option(
    "--most",
    type=int,
    default=1 << 20,
    show_default=True,
    help="Size of the largest message, in bytes.",
)
@click.option(
    "--seconds",
    type=float,
    default=10.0,
    show_default=True,
    help="Approximate time to measure, in seconds.",
)
@click.option(
    "--benchmark",
    metavar="NAME",
    help="Benchmark to read if FILE has several: PingPong, Sendrecv, Exchange:8 (on 8 "
    "processes), osu_latency, ...  [default: the ping-pong]",
)
@click.option(
    "--run",
    metavar="RUN",
    help="Run of the benchmark to read if FILE has several: its number, or words of the line "
    "before it. Runs are never merged.",
)
@click.option(
    "--segments",
    type=int,
    help="Number of straight pieces of the fit, 1 to 3.  [default: chosen by the fit]",
)
@file_option(
    "--save",
    meaning="Write a machine file (TOML) for the option --machine of other commands.",
)
@click.option("--name", default="", help="Name of the machine in tables and pictures.")
@plot_option
@output_options
def calibrate(
    file: Path | None,
    kind: str,
    ranks: int,
    most: int,
    seconds: float,
    benchmark: str | None,
    run: str | None,
    segments: int | None,
    save: Path | None,
    name: str,
    to: Output,
) -> None:
    """Fit alpha + L tau to the times of messages of L bytes on your machine.

    FILE has message times: the output of osu_latency, IMB-MPI1 (PingPong, PingPing, Sendrecv,
    Exchange), NetPIPE, perftest, ucx_perftest or sendrecv_perf, or a table with the columns size
    (bytes) and time (microseconds; time_ms, time_s and so on say otherwise). Without it the times
    are measured here under mpirun.

    \b
    Examples:
      lccmodel calibrate --seconds 2 --save machine.toml --plot fit.png
      lccmodel calibrate osu_latency.txt --save machine.toml
      lccmodel calibrate imb.txt --benchmark Exchange:8
      lccmodel calibrate osu_twice.txt --run inter --save machine.toml
      lccmodel pipeline --network mesh:8x8 --machine machine.toml --items 65536
    """
    from lccmodel.calibration import fit, read_measurements, write_machine
    from lccmodel.show.calibration import calibration_table, draw_calibration

    to.check(save)
    if file is not None:
        measured = read_measurements(file, benchmark, run)
    else:
        with working("measuring message times under mpirun"):
            measured = _measured(kind, ranks, most, seconds)
    with working("fitting"):
        fitted = fit(measured, segments=segments)
        table = calibration_table(fitted)
        to.check_columns(table)
        if to.plot is not None:
            to.draw(draw_calibration(fitted))
    if save is not None:
        write_machine(save, fitted, name)
    to.emit(table, read_as="")


def _measured(kind: str, ranks: int, most: int, seconds: float) -> Measurements:
    from lccmodel.mpi.launch import MPIError
    from lccmodel.mpi.pingpong import measure

    try:
        return measure(kind, most=most, ranks=ranks, seconds=seconds, timeout=seconds * 4 + 60)
    except MPIError as error:
        raise click.ClickException(str(error)) from None
