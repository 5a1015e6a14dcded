"""`lccmodel schedule`: in which step every message of a task travels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lccmodel.cli.check import certificate_option, save_certificate
from lccmodel.cli.machine import (
    StatedCosts,
    mesh_of_option,
    mesh_option,
    ports_option,
    required,
    time_options,
    whole,
)
from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import ANIMATIONS, Output, output_options, plot_option, working
from lccmodel.errors import InputError

if TYPE_CHECKING:
    from lccmodel.network import Mesh
    from lccmodel.pipelining.loads import PortName
    from lccmodel.pipelining.schedules import Schedule, ScheduleRule
    from lccmodel.pipelining.task import Task
    from lccmodel.show.schedule_tables import Packet


_RULES = (
    Rule("step", lambda typed: not typed["loads"], "cannot be combined with --loads"),
    Rule(
        "rule",
        lambda typed: not typed["loads"],
        "changes nothing with --loads: the links carry the same in every schedule",
    ),
    Rule(
        "certificate alpha tau unit machine_path item_bytes items",
        lambda typed: not typed["loads"] and typed["step"] is None,
        "cannot be combined with --step and --loads",
    ),
    Rule(
        "unit item_bytes",
        lambda typed: typed["alpha"] or typed["tau"] or typed["machine_path"],
        "requires --alpha and --tau, or --machine",
    ),
    Rule(
        "plane",
        lambda typed: typed["plot"] and not typed["loads"],
        "requires --plot without --loads",
    ),
)


def _refuse_words(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> None:
    """Say what is scheduled, before a missing option is reported.

    Raises:
        click.UsageError: a word was typed.
    """
    from lccmodel.communication.patterns import is_pattern_word

    if not words:
        return
    takes, elsewhere = "communication", "contention and simulate take communications"
    if is_pattern_word(words[0]):
        takes = "traffic: a CALMANT schedule orders exchanges along hypercube dimensions, and the "
        takes += "messages of a pattern are no such exchanges"
        elsewhere = "contention and simulate take patterns"
    raise click.UsageError(
        f"schedule takes --task I,M and no {takes}; {elsewhere}; got {words[0]!r}"
    )


@command(
    rules=_RULES,
    short_help="Schedule the messages of a task, replay them, and draw the steps.",
)
@click.argument(
    "words", nargs=-1, metavar="", is_eager=True, expose_value=False, callback=_refuse_words
)
@click.option(
    "--task",
    required=True,
    metavar="I,M",
    help="Task: every process exchanges M messages, one in each of the dimensions I, ..., I+M-1.",
)
@mesh_option
@click.option(
    "--rule",
    type=click.Choice(("optimal", "paper", "subtasks")),
    default="optimal",
    show_default=True,
    help="Schedule: this project's, the paper's as published, or subtasks of at most 2c "
    "dimensions in sequence.",
)
@ports_option
@time_options
@click.option("--items", metavar="L", help="Items per message, to compute the time of the steps.")
@click.option("--step", metavar="K", type=int, help="Print or draw the messages of one step.")
@click.option(
    "--plane",
    metavar="AXIS=K,...",
    help="Draw the messages in one plane of three axes or more: coordinates of all axes but two, "
    "such as 2=0.",
)
@click.option("--loads", is_flag=True, help="Print or draw the messages on every link instead.")
@certificate_option
@plot_option
@output_options
@click.pass_context
def schedule(
    context: click.Context,
    task: str,
    network: str | None,
    rule: ScheduleRule,
    ports: PortName,
    times: StatedCosts,
    items: str | None,
    step: int | None,
    plane: str | None,
    loads: bool,
    certificate: Path | None,
    to: Output,
) -> None:
    """Schedule the messages of a task and compare the number of steps with its lower bound.

    The hypercube lies on the mesh by the standard embedding: level 0 of every axis is the next
    dimension in turn, then level 1, and so on; a message of level l travels over 2^l links. In a
    step a node sends at most one message and receives at most one, and a link carries at most one
    each way. The schedule is replayed, message by message; exit code 1: two messages meet.
    --plot draws the steps; a .gif or .html shows one after the other.

    \b
    Examples:
      lccmodel schedule --task 0,7 --network mesh:16x16
      lccmodel schedule --task 0,4 --network mesh:4x4 --step 2
      lccmodel schedule --task 0,7 --network mesh:16x16 --machine machine.toml --items 512
      lccmodel schedule --task 3,4 --network mesh:16x16 --loads
      lccmodel schedule --task 0,4 --network mesh:4x4 --plot steps.gif
      lccmodel schedule --task 0,6 --network mesh:4x4x4 --plane 2=0 --plot plane.png
    """
    from lccmodel.pipelining.schedules import schedule as schedule_of
    from lccmodel.show.calibration import with_doubt
    from lccmodel.show.schedule_tables import link_loads_table, one_step_table, schedule_table

    to.check(certificate, more=ANIMATIONS)
    if to.moves and (loads or step is not None):
        raise click.UsageError(
            "a .gif or .html shows all steps: it cannot be combined with --step and --loads"
        )
    mesh = mesh_of_option(network)
    asked = _task(task, mesh, ports)
    packet, doubt = _packet(times, items, mesh, ports)
    if loads:
        table = link_loads_table(asked)
        to.check_columns(table)
        if to.plot is not None:
            from lccmodel.show.schedule_drawing import draw_link_loads

            to.draw(draw_link_loads(asked))
        to.emit(table, read_as="")
        return
    with working("sending messages"):
        made = schedule_of(asked, rule)
        replayed = made.replay()
        table = (
            with_doubt(schedule_table(made, replayed, packet), doubt)
            if step is None
            else one_step_table(made, step, replayed)
        )
        to.check_columns(table)
        if certificate is not None:
            save_certificate(made, certificate)
        if to.plot is not None:
            from lccmodel.show.animation import schedule_frames
            from lccmodel.show.schedule_drawing import draw_step, draw_steps

            part = _drawn_plane(made, plane)
            to.draw_moving(
                lambda: (
                    draw_steps(made, plane=part)
                    if step is None
                    else draw_step(made, step, plane=part)
                ),
                lambda: schedule_frames(made, part),
            )
    to.emit(table, read_as="")
    if not replayed.ok:
        context.exit(1)


def _packet(
    times: StatedCosts, items: str | None, mesh: Mesh, ports: PortName
) -> tuple[Packet | None, str]:
    """The items of a message and what it costs, if that is stated, and a doubt of it.

    Raises:
        click.UsageError: one of them is stated without the other.
    """
    from lccmodel.show.schedule_tables import Packet

    if not times.stated and items is None:
        return None, ""
    L = whole("--items", required("--items", items, "items of a message"))
    machine, unit, _, _, doubt = times.on(mesh, ports=ports)
    return Packet(L, machine.cost.time(L), unit), doubt


def _task(text: str, mesh: Mesh, ports: PortName) -> Task:
    """The task that is typed as I,M.

    Raises:
        InputError: other text, or a task that the network does not have.
    """
    from lccmodel.pipelining.task import Task

    first, _, count = text.partition(",")
    try:
        i, M = int(first), int(count)
    except ValueError:
        raise InputError("--task", "must be two integers, such as 0,7", text) from None
    d = mesh.n
    if i < 0 or M < 0 or i + M > d:
        rule = f"must have 0 <= I, 0 <= M and I + M <= d = {d}, the dimensions of 2^{d} processes"
        raise InputError("--task", rule, text)
    return Task(i, M, mesh, ports)


def _drawn_plane(made: Schedule, plane: str | None) -> dict[int, int] | None:
    """The coordinates that are typed as AXIS=K,AXIS=K.

    Raises:
        InputError: other text, or none where steps are drawn plane by plane.
    """
    if plane is None:
        if made.task.c > 2:
            rule = "draws steps on three axes or more plane by plane: state --plane, such as 2=0"
            raise InputError("--plot", rule, made.task.mesh.spec)
        return None
    try:
        pairs = [pair.split("=") for pair in plane.split(",")]
        return {int(axis): int(coordinate) for axis, coordinate in pairs}
    except ValueError:
        raise InputError("--plane", "must be AXIS=K, such as 2=0", plane) from None
