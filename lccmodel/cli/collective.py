"""`lccmodel collective`: which algorithm for a collective, in how many segments."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lccmodel.cli.check import certificate_option, save_certificate
from lccmodel.cli.machine import (
    StatedCosts,
    machine_option,
    number,
    ports_option,
    required,
    whole,
)
from lccmodel.cli.modes import is_typed, refuse_unless
from lccmodel.cli.options import (
    Output,
    file_option,
    network_option,
    output_options,
    plot_option,
    working,
)
from lccmodel.errors import InputError

if TYPE_CHECKING:
    from lccmodel.collectives import Plan, RulesFile
    from lccmodel.collectives.algorithms import AllOrOne
    from lccmodel.network import Network
    from lccmodel.pipelining.message_cost import Linear

_NAMES = (
    *("allreduce", "reduce-scatter", "allgather", "broadcast", "reduce", "alltoall", "barrier"),
    *("scatter", "gather"),
)
_BYTES = re.compile(r"\s*([0-9.e/+-]+?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)
_RANGE = "1KiB:1GiB"


class Collectives(click.Choice[str]):
    """A collective, or several with commas between them; "all" is every one."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Their names, each once."""
        words = _NAMES if value == "all" else str(value).split(",")
        return tuple(dict.fromkeys(super(Collectives, self).convert(w, param, ctx) for w in words))


@click.command(short_help="Find the fastest algorithm and number of segments for a collective.")
@click.argument("collectives", metavar="COLLECTIVE[,...]", type=Collectives(_NAMES))
@network_option
@click.option(
    "--ranks",
    metavar="P",
    help="Number of ranks P: ranks 0..P-1 on nodes 0..P-1.  [default: one rank per node]",
)
@click.option(
    "--root",
    metavar="R",
    default="0",
    help="Root of a broadcast, reduce, scatter or gather.  [default: 0]",
)
@click.option("--alpha", metavar="TIME", help="Start-up time of a message, in any unit of time.")
@click.option("--tau", metavar="TIME", help="Time per byte, in the same unit: 1/1000, 0.0004.")
@click.option(
    "--unit",
    default="",
    metavar="WORD",
    help="Unit of all times, such as µs; used for display only.",
)
@machine_option
@click.option(
    "--inside-alpha", metavar="TIME", help="Start-up time of a message between ranks of one node."
)
@click.option("--inside-tau", metavar="TIME", help="Time per byte between ranks of one node.")
@click.option(
    "--hop",
    metavar="TIME",
    default="0",
    help="Latency per channel of the longest route.  [default: 0]",
)
@click.option("--add", metavar="TIME", default="0", help="Time to add one byte.  [default: 0]")
@click.option(
    "--bytes",
    "sizes",
    metavar="SIZE[:SIZE]",
    default=_RANGE,
    show_default=True,
    help="Size of the vector of a rank, or a range: 4096, 64KiB, 1KiB:1GiB.",
)
@ports_option
@click.option(
    "--algorithm",
    metavar="NAME",
    help="Print this algorithm only. Without times, print the loads of its steps.",
)
@click.option(
    "--all", "every", is_flag=True, help="Print all algorithms, each over the whole range of sizes."
)
@click.option(
    "--formula", is_flag=True, help="Print closed forms for networks of any size. Needs no times."
)
@click.option(
    "--optimal",
    is_flag=True,
    help="Solve for the plans from the fewest steps to the least data, on a network of a few "
    "nodes. Ranks use all ports unless you pass --ports one.",
)
@click.option(
    "--seconds",
    type=float,
    default=60.0,
    show_default=True,
    metavar="S",
    help="With --optimal, the time limit of the whole search. The result says what was proved.",
)
@file_option(
    "--plan",
    "plan_file",
    meaning="Write the messages and blocks of every step, with --algorithm or --optimal: FILE.xml"
    " for MSCCL, otherwise CSV.",
)
@click.option(
    "--rules",
    metavar="[KIND:]FILE",
    help="Write the decision file of a library: ompi, ompi6 (JSON), mpich or nccl (CSV).",
)
@click.option(
    "--default",
    "library",
    type=click.Choice(["ompi"]),
    help="Print the algorithm that the library chooses without a file (Open MPI's fixed decision),"
    " and its time compared with the fastest.",
)
@click.option(
    "--base",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Tuning file of your MPICH, or its library libmpi.so, for --rules mpich:FILE. It applies "
    "where no rule does.",
)
@certificate_option
@plot_option
@output_options
def collective(
    collectives: tuple[str, ...],
    network: Network | str | None,
    ranks: str | None,
    root: str,
    alpha: str | None,
    tau: str | None,
    unit: str,
    machine_path: Path | None,
    inside_alpha: str | None,
    inside_tau: str | None,
    hop: str,
    add: str,
    sizes: str,
    ports: AllOrOne,
    algorithm: str | None,
    every: bool,
    formula: bool,
    optimal: bool,
    seconds: float,
    plan_file: Path | None,
    rules: str | None,
    library: str | None,
    base: Path | None,
    certificate: Path | None,
    to: Output,
) -> None:
    """Find the fastest algorithm and number of segments for a collective, by size.

    COLLECTIVE is allreduce, reduce-scatter, allgather, broadcast, reduce, alltoall or barrier;
    several of them, or all, make one decision file with --rules. The plan of every published rule
    that covers the ranks is counted on the network: start-ups, and data on the busiest channel.
    With alpha + tau L, or a machine file, sizes at which the fastest changes are exact, and so is
    the number of segments Q.

    \b
    Examples:
      lccmodel collective allreduce --network torus:8x8x8 --alpha 5 --tau 0.001 --unit µs
      lccmodel collective allreduce -N torus:8x8 --machine machine.toml --plot T.png
      lccmodel collective reduce -N torus:4x4*4 --alpha 5 --tau 1 --inside-alpha 1 --inside-tau 0.2
      lccmodel collective broadcast -N mesh:16 --alpha 5 --tau 0.001 --bytes 1MiB --all
      lccmodel collective allreduce -N torus:8x8 --ports all --algorithm swing --plan plan.csv
      lccmodel collective alltoall -N cube:3 --optimal --plan plan.csv
      lccmodel collective allgather -N torus:8x8 --algorithm ring --certificate ring.json
      lccmodel collective allreduce -N torus:8x8 --machine machine.toml --default ompi
      lccmodel collective allreduce -N torus:8x8 --machine machine.toml --rules ompi:rules.txt
      lccmodel collective allreduce,broadcast -N torus:8x8 --machine machine.toml --rules rules.txt
    """
    from lccmodel.ground.files import write_atomically

    collective: Any = collectives[0]
    _ = to.form  # an unknown suffix is refused before all else
    kind, rules_path = (None, None) if rules is None else _kind_of(rules)
    to.check(plan_file, rules_path, certificate)
    if (base is not None) != (kind == "mpich"):
        raise click.UsageError(
            "--rules mpich:FILE requires --base: the tuning file of your MPICH, or its libmpi.so"
        )
    if formula:
        _refuse_others("--formula", ("formula", "algorithm"))
        from lccmodel.show.collective_tables import forms_table

        with working("deriving formulas"):
            table = forms_table(collective, algorithm)
        to.emit(table)
        return
    if not set(collectives) & {*_ROOTED}:
        refuse_unless(False, "root", f"is only for {', '.join(_ROOTED)}")
    if algorithm is not None and every:
        raise click.UsageError("give --algorithm or --all, not both")
    if library is not None:
        for name in ("algorithm", "every", "formula", "optimal", "rules", "plot"):
            refuse_unless(False, name, "changes nothing with --default")
    for file, option in ((plan_file, "--plan"), (certificate, "--certificate")):
        if file is not None and algorithm is None and not (optimal and file is plan_file):
            raise click.UsageError(f"{option} requires --algorithm")
    if len(collectives) > 1 and (kind is None or algorithm or every or to.plot):
        raise click.UsageError("several collectives require --rules, and cannot be drawn")
    if optimal:
        taken = ("optimal", "network", "root", "ports", "seconds", "plan_file", "plot")
        _refuse_others("--optimal", taken)
        from lccmodel.collectives import front

        where = _placed(network, ranks, root)
        stated_ports: AllOrOne = ports if is_typed("ports") else "all"
        with working("asking a solver"):
            best = front(collective, ports=stated_ports, seconds=seconds, **where)
        if to.plot is not None:
            from lccmodel.show.network_artists import figure_of

            to.draw(figure_of(best.plot()))
        if plan_file is not None and best.corners and best.corners[-1].plan is not None:
            write_atomically(plan_file, _plan_in(plan_file, best.corners[-1].plan))
        to.emit(best.as_table())
        return
    refuse_unless(False, "seconds", "requires --optimal")
    from lccmodel.collectives import collective_of, envelope, rules_text
    from lccmodel.show import collective_drawing as drawing
    from lccmodel.show import collective_tables as tables
    from lccmodel.show.calibration import with_doubt

    low, high = _sizes(sizes)
    where = {"ports": ports, **_placed(network, ranks, root)}
    stated = StatedCosts(alpha, tau, unit, machine_path, None).said()
    inside = _inside(inside_alpha, inside_tau, where["network"])
    more: dict[str, Any] = {"hop": number("--hop", hop), "add": number("--add", add)}
    more = {**where, **more, "inside": inside}
    if stated is None and (algorithm is None or kind is not None):
        raise click.UsageError("--alpha and --tau, or --machine, are required")
    if stated is None:
        for name in ("unit", "hop", "add", "sizes", "inside_alpha", "inside_tau", "every"):
            refuse_unless(False, name, "changes nothing without --alpha and --tau, or --machine")
    if library is not None:
        from lccmodel.collectives import default_costs

        if stated is None:
            raise click.UsageError("--default requires --alpha and --tau, or --machine")
        with working("comparing algorithms") as progress:
            costs = default_costs(collective, stated, low, high, progress=progress, **more)
            table = tables.default_table(costs, unit or stated.unit)
        to.emit(with_doubt(table, stated.doubt), read_as="")
        return
    with working("comparing algorithms") as progress:
        one = None if algorithm is None else collective_of(collective, algorithm, **where)
        found = told = None
        files: list[RulesFile] = []
        only = () if algorithm is None else (algorithm,)
        if stated is not None and kind is not None:
            how = {**more, "base": base, "progress": progress}
            files = _rules(kind, collectives, stated, low, high, only, how)
            told = rules_text(files)
        if stated is not None and len(collectives) == 1:
            found = envelope(collective, stated, low, high, only=only, progress=progress, **more)
        unit, doubt = (unit, "") if stated is None else (stated.unit, stated.doubt)
        if len(files) > 1:
            table = with_doubt(tables.decision_table(files), doubt)
        elif found is not None:
            table = (tables.every_table if every else tables.envelope_table)(found, unit)
            table = tables.with_rules(table, files[0]) if files and files[0].rules else table
            table = with_doubt(table, doubt)
        elif one is not None:
            table = tables.collective_table(one)
        text = None if one is None or plan_file is None else _plan_in(plan_file, one.plan)
        if to.plot is not None and one is not None:
            to.draw(drawing.draw_plan(one))
        elif to.plot is not None and found is not None:
            to.draw(drawing.draw_envelope(found, unit=unit))
    if certificate is not None and one is not None:
        save_certificate(one, certificate)
    if plan_file is not None and text is not None:
        write_atomically(plan_file, text)
    if rules_path is not None and told is not None:
        write_atomically(rules_path, told)
    notes = list(where["network"].notes)
    if getattr(stated, "inside", None) and where["network"].whole_network.geometry.tree:
        notes.append("the hosts below one leaf switch have the costs of the machine inside a node")
    if notes:
        table = replace(table, notes=(*notes, *table.notes))
    to.emit(table, read_as="")


_ROOTED = ("broadcast", "reduce", "scatter", "gather")
_ALWAYS = {"form", "output", "collectives"}


def _refuse_others(mode: str, names: tuple[str, ...]) -> None:
    """Refuse every option that the user typed beside those that a mode takes."""
    options = {p.name: p.opts[0] for p in click.get_current_context().command.params}
    taken = {*names, *_ALWAYS, *(["nodes"] if "network" in names else [])}
    beside = ", ".join(options[name] for name in names if name != mode.strip("-"))
    for name in options:
        if name not in taken:
            refuse_unless(
                False, name or "", f"changes nothing with {mode}, which takes {beside} alone"
            )


def _rules(
    kind: Any,
    asked: tuple[Any, ...],
    cost: Any,
    low: Fraction,
    high: Fraction,
    only: tuple[str, ...],
    where: dict[str, Any],
) -> list[RulesFile]:
    """Of several collectives those that the library lets one choose; one alone it must."""
    from lccmodel.collectives import rules_file
    from lccmodel.collectives.libraries import words_of

    found = []
    for name in asked:
        try:
            words_of(kind, name)
        except InputError:
            if len(asked) < len(_NAMES):
                raise
            continue
        found.append(rules_file(kind, name, cost, low, high, only=only, **where))
    return found


_KIND = re.compile(r"(ompi6?|mpich|nccl):(.+)")


def _kind_of(text: str) -> tuple[str, Path]:
    """The library and the file; without a library .csv is NCCL's, and Open MPI's has no suffix.

    >>> _kind_of("mpich:tree.json"), _kind_of("rules.txt")[0], _kind_of("tuner.csv")[0]
    (('mpich', PosixPath('tree.json')), 'ompi', 'nccl')
    """
    match = _KIND.fullmatch(text)
    if match is not None:
        return match[1], Path(match[2])
    suffix = Path(text).suffix.lower()
    if suffix == ".json" or ":" in text or not text:
        rule = "must be ompi:FILE, ompi6:FILE, mpich:FILE or nccl:FILE"
        raise InputError("--rules", rule, text)
    return ("nccl" if suffix == ".csv" else "ompi"), Path(text)


def _plan_in(file: Path, plan: Plan) -> str:
    """A plan in the format of a suffix: MSCCL's XML, else CSV."""
    if file.suffix.lower() == ".xml":
        from lccmodel.collectives.msccl import msccl_text

        return msccl_text(plan)
    return plan_text(plan)


def plan_text(plan: Plan) -> str:
    """The rows of a plan as CSV; rows with one number of a message are sent together."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(("step", "source", "destination", "block", "operation", "message"))
    number: dict[tuple[int, int, int], int] = {}  # one message from rank to rank in a step
    for transfer in plan.transfers():
        message = number.setdefault(transfer[:3], len(number))
        writer.writerow((*transfer, message))
    return target.getvalue()


def _inside(alpha: str | None, tau: str | None, network: Network) -> Linear | None:
    """The cost inside a node, if it is stated."""
    from lccmodel.collectives.algorithms import slots_of
    from lccmodel.pipelining.message_cost import Linear

    if alpha is None and tau is None:
        return None
    start = number("--inside-alpha", required("--inside-alpha", alpha, "with --inside-tau"))
    item = number("--inside-tau", required("--inside-tau", tau, "with --inside-alpha"))
    if slots_of(network) == 1:
        rule = "must have nodes of several ranks, such as torus:8x8*4, for a cost inside them"
        raise InputError("--network", rule, network.spec)
    if network.whole_network.geometry.tree is not None:
        rule = "must have slots in its hosts for a cost inside them, such as fattree:48*8"
        raise InputError("--network", rule, network.spec)
    return Linear(start, item)


def _placed(network: Network | str | None, ranks: str | None, root: str) -> dict[str, Any]:
    """The network, the nodes of the ranks and the root, as they are typed."""
    from lccmodel.network import as_network

    if network is None:
        required("--network", network, "torus:8x8x8, mesh:16x16, cube:8 ...")
    where = as_network(network)
    found: dict[str, Any] = {"network": where, "root": whole("--root", root, 0)}
    p = where.size
    if ranks is not None:
        p = whole("--ranks", ranks)
        if p > where.size:
            rule = f"must be at most {where.size}, the nodes of {where.spec}"
            raise InputError("--ranks", rule, ranks)
        found["node_of"] = range(p)
    if found["root"] >= p:
        raise InputError("--root", f"must be in 0..{p - 1}", root)
    return found


def _sizes(text: str) -> tuple[Fraction, Fraction]:
    """Two sizes, or one twice.

    Raises:
        InputError: not a size, a negative one, or a range whose end is below its start.

    >>> [int(size) for size in _sizes("1KiB:2MB")], int(_sizes("4096")[1])
    ([1024, 2000000], 4096)
    """
    low, colon, high = text.partition(":")
    first = _size(low, text)
    last = _size(high, text) if colon else first
    if first > last:
        raise InputError("--bytes", "the first size must not exceed the second", text)
    return first, last


_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4}


def _size(part: str, text: str) -> Fraction:
    match = _BYTES.fullmatch(part)
    if match is None:
        raise InputError("--bytes", "must be a size such as 4096, 64KiB or 1KiB:1GiB", text)
    digits, unit = match.groups()
    value = number("--bytes", digits)
    if unit:
        value *= (1024 if unit[1:] else 1000) ** _UNITS[unit[0].lower()]
    return value
