"""`lccmodel pipeline`: into how many packets to cut the messages of a CC-cube algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from lccmodel.cli.check import certificate_option, save_certificate
from lccmodel.cli.machine import (
    DescribedMachine,
    StatedCosts,
    mesh_of_option,
    mesh_option,
    number,
    ports_option,
    required,
    time_options,
    whole,
)
from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, output_options, plot_option, working
from lccmodel.errors import InputError
from lccmodel.ground.words import MODELS

if TYPE_CHECKING:
    from lccmodel.network import Mesh
    from lccmodel.pipelining.cost.steps import Model
    from lccmodel.pipelining.loads import PortName
    from lccmodel.show.records import Table

    AnyModel = Model | Literal["all"]


_RULES = (
    Rule(
        "items degrees sensitivity formula measure seconds certificate alpha machine_path",
        lambda typed: typed["regimes"] is None,
        "cannot be combined with --map",
    ),
    Rule(
        "alpha tau unit machine_path item_bytes items barrier degrees sensitivity measure seconds "
        "certificate plot size",
        lambda typed: not typed["formula"],
        "changes nothing with --formula, which needs no times",
    ),
    Rule(
        "sensitivity formula degrees measure certificate",
        lambda typed: typed["model"] != "all",
        "cannot be combined with --model all",
    ),
    Rule(
        "degrees certificate measure",
        lambda typed: not typed["sensitivity"],
        "cannot be combined with --sensitivity",
    ),
    Rule("certificate", lambda typed: not typed["measure"], "cannot be combined with --measure"),
    Rule("seconds", lambda typed: typed["measure"], "requires --measure"),
)


@command(
    rules=_RULES,
    short_help="Find the best pipelining degree Q of a CC-cube algorithm, and prove it.",
)
@mesh_option
@time_options
@click.option(
    "--items", metavar="N", help="Number of items N that a process exchanges in each dimension."
)
@click.option(
    "--barrier",
    metavar="TIME",
    default="0",
    show_default=True,
    help="Time of the barrier after each iteration, in the unit of alpha.",
)
@ports_option
@click.option(
    "--model",
    type=click.Choice((*MODELS, "all")),
    default="schedule",
    show_default=True,
    help="Steps to count: of this project's schedules (schedule), of the paper's (paper), the "
    "lower bound of every schedule (lower-bound), the load of the busiest link (load), or all of "
    "these.",
)
@click.option(
    "--degree",
    "degrees",
    metavar="Q",
    multiple=True,
    help="Also print the time for this Q. May be repeated.",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Print for each parameter the range in which the same Q is best.",
)
@click.option(
    "--formula", is_flag=True, help="Print the closed forms of P, T and Q*. Needs no times."
)
@click.option(
    "--map",
    "regimes",
    metavar="N=LOW:HIGH,alpha=LOW:HIGH",
    help="Compute the best Q over ranges of N and alpha. --plot draws its regions and the border "
    "N*.",
)
@click.option(
    "--measure",
    is_flag=True,
    help="Run the exchanges under MPI on 2^d processes, and compare measured with predicted "
    "times. --degree adds further Q.",
)
@click.option(
    "--seconds",
    type=float,
    metavar="S",
    help="Approximate time of --measure, in seconds.  [default: 10]",
)
@certificate_option
@plot_option
@output_options
def pipeline(
    network: str | None,
    times: StatedCosts,
    items: str | None,
    barrier: str,
    ports: PortName,
    model: AnyModel,
    degrees: tuple[str, ...],
    sensitivity: bool,
    formula: bool,
    regimes: str | None,
    measure: bool,
    seconds: float | None,
    certificate: Path | None,
    to: Output,
) -> None:
    """Find the number of packets Q per message that is best for a CC-cube algorithm.

    A CC-cube algorithm exchanges N items in one dimension of a hypercube after the other. Cut
    into Q packets it uses several dimensions at once, at the price of more start-ups. A message
    of L items takes alpha + L tau, or what a machine file says. The Q found is the best of all
    1..N, by exact comparison; with a machine file its interval follows from that of the fit.

    \b
    Examples:
      lccmodel pipeline --network mesh:32x32 --alpha 500 --tau 1 --items 4096
      lccmodel pipeline --network mesh:16x16x16 --alpha 500 --tau 1 --items 65536 --model all
      lccmodel pipeline -N torus:8x16 --alpha 5.5 --tau 1/3 --items 1e6 --barrier 20 --sensitivity
      lccmodel pipeline --network mesh:32x32 --model lower-bound --formula --format latex
      lccmodel pipeline --network mesh:8x8 --machine machine.toml --items 65536
      lccmodel pipeline -N mesh:4x4 --machine machine.toml --items 65536 --measure --plot T.png
      lccmodel pipeline -N mesh:32x32 --tau 1 --map N=1:1e6,alpha=1:1e4 --plot map.png
    """
    to.check(certificate)
    mesh = mesh_of_option(network)
    if regimes is not None:
        table = _mapped(mesh, times, regimes, barrier, ports, model, to)
    elif formula:
        table = _formulas(mesh, model, ports)
    else:
        described = times.on(mesh, barrier, ports)
        N = whole("--items", required("--items", items, "items exchanged in each dimension"))
        shown = [whole("--degree", degree) for degree in degrees]
        if measure:
            length = 10.0 if seconds is None else seconds
            table = _measured(described, N, model, shown, times.bytes_of(N), length, to)
        else:
            table = _compared(described, N, model, shown, sensitivity, certificate, to)
    to.emit(table, read_as="")


def _formulas(mesh: Mesh, model: AnyModel, ports: PortName) -> Table:
    """The closed forms of P, T and Q*."""
    from lccmodel.show.formula_tables import formula_table

    assert model != "all", "the rules have refused both"
    with working("deriving formulas"):
        return formula_table(mesh, model, ports)


def _mapped(
    mesh: Mesh,
    times: StatedCosts,
    regimes: str,
    barrier: str,
    ports: PortName,
    model: AnyModel,
    to: Output,
) -> Table:
    """The best Q over ranges of N and alpha, and its drawing."""
    from lccmodel.show.regime_map import draw_regime_map, regime_map, regime_table

    if model == "all":
        raise click.UsageError("--model all cannot be combined with --map")
    ranges = dict(part.partition("=")[::2] for part in regimes.split(","))
    if set(ranges) != {"N", "alpha"} or any(text.count(":") != 1 for text in ranges.values()):
        raise InputError("--map", "must be N=LOW:HIGH,alpha=LOW:HIGH", regimes)
    sizes, starts = (ranges[name].split(":") for name in ("N", "alpha"))
    low, high = (whole("--map N", text) for text in sizes)
    first, last = (number("--map alpha", text) for text in starts)
    # The start-up time of the machine is one of the map, which the grid replaces.
    described = times._replace(alpha=starts[1]).on(mesh, barrier, ports)
    with working("comparing degrees"):
        regions = regime_map(described.machine, (low, high), (first, last), model)
        table = regime_table(regions, described.unit)
        to.check_columns(table)
        if to.plot is not None:
            to.draw(draw_regime_map(regions, described.unit))
    return table


def _measured(
    described: DescribedMachine,
    N: int,
    model: AnyModel,
    asked: list[int],
    size: int,
    seconds: float,
    to: Output,
) -> Table:
    """Measured times beside predicted ones, and their drawing."""
    from lccmodel.mpi.degrees import measure_degrees
    from lccmodel.mpi.launch import MPIError
    from lccmodel.pipelining.degree import optimal_degree
    from lccmodel.show import degree_drawing as shown
    from lccmodel.show.calibration import with_doubt

    assert model != "all", "the rules have refused both"
    best = optimal_degree(described.machine, N, model)
    shown.microseconds_in(described.unit)  # before anything is measured
    degrees = shown.shown_degrees(best, asked)
    d = described.machine.d
    with working(f"measuring {len(degrees)} degrees on {1 << d} processes, {seconds:g} s"):
        try:
            wait = bool(described.machine.barrier)
            limit = seconds * 6 + 60
            measured = measure_degrees(
                d, size, degrees, barrier=wait, seconds=seconds, timeout=limit
            )
        except MPIError as error:
            raise click.ClickException(str(error)) from None
    table = with_doubt(shown.measured_table(best, measured, described.unit), described.doubt)
    to.check_columns(table)
    if to.plot is not None:
        to.draw(shown.draw_measured(best, measured, described.unit))
    return table


def _compared(
    described: DescribedMachine,
    N: int,
    model: AnyModel,
    degrees: list[int],
    sensitivity: bool,
    certificate: Path | None,
    to: Output,
) -> Table:
    """Times of the best Q and of others, with a certificate and a drawing if they are asked for."""
    from lccmodel.pipelining.degree import optimal_degree

    with working("comparing degrees"):
        table = _table(described, N, model, degrees, sensitivity)
        to.check_columns(table)
        if certificate is not None:
            assert model != "all", "the rules have refused both"
            save_certificate(optimal_degree(described.machine, N, model), certificate)
        if to.plot is not None:
            from lccmodel.show.degree_drawing import draw_degrees

            drawn: list[Model] | None = None if model == "all" else [model]
            to.draw(draw_degrees(described.machine, N, drawn, unit=described.unit))
    return table


def _table(
    described: DescribedMachine,
    N: int,
    model: AnyModel,
    degrees: list[int],
    sensitivity: bool,
) -> Table:
    from lccmodel.pipelining.degree import optimal_degree
    from lccmodel.show.calibration import with_doubt
    from lccmodel.show.pipelining_tables import degree_table, models_table, sensitivity_table

    machine, unit = described.machine, described.unit
    if model == "all":
        return with_doubt(models_table(machine, N, unit), described.doubt)
    if sensitivity:
        table = sensitivity_table(machine, N, model, unit, described.between(N, model))
        return with_doubt(table, described.doubt)
    best = optimal_degree(machine, N, model)
    return degree_table(best, degrees, unit, described.between(N, model), described.doubt)
