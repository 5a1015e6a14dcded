"""`lccmodel collective`: which algorithm for a collective, in how many segments."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
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
    unit_option,
    whole,
)
from lccmodel.cli.modes import is_typed, refuse_unless
from lccmodel.cli.options import (
    Output,
    Progress,
    completed,
    file_option,
    network_option,
    output_options,
    plot_option,
    working,
)
from lccmodel.errors import InputError
from lccmodel.ground.words import COLLECTIVES, ROOTED

if TYPE_CHECKING:
    from lccmodel.calibration import MachineFile
    from lccmodel.collectives import Collective, Plan, RulesFile
    from lccmodel.collectives.algorithms import AllOrOne
    from lccmodel.network import Network
    from lccmodel.pipelining.message_cost import Linear
    from lccmodel.show.records import Table

_BYTES = re.compile(r"\s*([0-9.e/+-]+?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)
_RANGE = "1KiB:1GiB"


class Collectives(click.Choice[str]):
    """A collective, or several with commas between them; "all" is every one."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Their names, each once."""
        words = COLLECTIVES if value == "all" else str(value).split(",")
        return tuple(dict.fromkeys(super(Collectives, self).convert(w, param, ctx) for w in words))


def _algorithms(context: click.Context) -> list[str]:
    """The algorithms of the collectives that are typed, or of all; each once."""
    from lccmodel.collectives import algorithms_of

    typed = ",".join(context.args).split(",")
    kinds = [kind for kind in COLLECTIVES if kind in typed] or COLLECTIVES
    return list(dict.fromkeys(rule.name for kind in kinds for rule in algorithms_of(kind)))


@click.command(short_help="Find the fastest algorithm and number of segments for a collective.")
@click.argument("collectives", metavar="COLLECTIVE[,...]", type=Collectives(COLLECTIVES))
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
@unit_option
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
    shell_complete=completed(_algorithms),
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
def collective(to: Output, **typed: Any) -> None:
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
    asked = Asked(to, **typed)
    asked.check()
    if asked.formula:
        to.emit(_closed_forms(asked))
    elif asked.optimal:
        to.emit(_front(asked))
    elif asked.library is not None:
        to.emit(_defaults(asked), read_as="")
    elif asked.rules is not None:
        to.emit(_decisions(asked), read_as="")
    elif asked.problem["machine"] is None:
        to.emit(_loads(asked), read_as="")
    else:
        to.emit(_by_size(asked), read_as="")


@dataclass(frozen=True)
class Asked:
    """The options as they are typed, and their values; `to`: where the answer goes."""

    to: Output
    collectives: tuple[Any, ...]
    network: Network | str | None
    ranks: str | None
    root: str
    alpha: str | None
    tau: str | None
    unit: str
    machine_path: Path | None
    inside_alpha: str | None
    inside_tau: str | None
    hop: str
    add: str
    sizes: str
    ports: AllOrOne
    algorithm: str | None
    every: bool
    formula: bool
    optimal: bool
    seconds: float
    plan_file: Path | None
    rules: str | None
    library: str | None
    base: Path | None
    certificate: Path | None

    def check(self) -> None:
        """Refuse options that change nothing, and files that cannot be written.

        Raises:
            click.UsageError, InputError: such an option or file.
        """
        _ = self.to.form  # an unknown suffix is refused before all else
        kind, rules_path = (None, None) if self.rules is None else _kind_of(self.rules)
        self.to.check(self.plan_file, rules_path, self.certificate)
        if (self.base is not None) != (kind == "mpich"):
            raise click.UsageError(
                "--rules mpich:FILE requires --base: the tuning file of your MPICH, or its "
                "libmpi.so"
            )
        if self.formula:
            _refuse_others("--formula", ("formula", "algorithm"))
            return
        if not set(self.collectives) & {*ROOTED}:
            refuse_unless(False, "root", f"is only for {', '.join(ROOTED)}")
        if self.algorithm is not None and self.every:
            raise click.UsageError("give --algorithm or --all, not both")
        if self.library is not None:
            others = "algorithm every formula optimal rules plot"
            refuse_unless(False, others, "changes nothing with --default")
        needed = [(self.plan_file, "--plan", self.optimal), (self.certificate, "--certificate", 0)]
        for file, option, has_plan in needed:
            if file is not None and self.algorithm is None and not has_plan:
                raise click.UsageError(f"{option} requires --algorithm")
        alone = kind is None or self.algorithm or self.every or self.to.plot
        if len(self.collectives) > 1 and alone:
            raise click.UsageError("several collectives require --rules, and cannot be drawn")
        if self.optimal:
            taken = ("optimal", "network", "root", "ports", "seconds", "plan_file", "plot")
            _refuse_others("--optimal", taken)
        else:
            refuse_unless(False, "seconds", "requires --optimal")

    @property
    def collective(self) -> Any:
        """The collective, of several the first."""
        return self.collectives[0]

    @cached_property
    def placed(self) -> dict[str, Any]:
        """The network, the nodes of the ranks and the root."""
        from lccmodel.network import as_network

        if self.network is None:
            required("--network", self.network, "torus:8x8x8, mesh:16x16, cube:8 ...")
        where = as_network(self.network)
        placed: dict[str, Any] = {"network": where, "root": whole("--root", self.root, 0)}
        p = where.size
        if self.ranks is not None:
            p = whole("--ranks", self.ranks)
            if p > where.size:
                rule = f"must be at most {where.size}, the nodes of {where.spec}"
                raise InputError("--ranks", rule, self.ranks)
            placed["node_of"] = range(p)
        if placed["root"] >= p:
            raise InputError("--root", f"must be in 0..{p - 1}", self.root)
        return placed

    @cached_property
    def costs(self) -> MachineFile | None:
        """The times between nodes; None if there are none, which needs an algorithm alone.

        Raises:
            click.UsageError: times are missing, or an option changes nothing without them.
        """
        costs = StatedCosts(self.alpha, self.tau, self.unit, self.machine_path, None).said()
        if costs is None and (self.algorithm is None or self.rules is not None):
            raise click.UsageError("--alpha and --tau, or --machine, are required")
        if costs is None:
            others = "unit hop add sizes inside_alpha inside_tau every"
            refuse_unless(False, others, "changes nothing without --alpha and --tau, or --machine")
        return costs

    @cached_property
    def problem(self) -> dict[str, Any]:
        """The arguments of `envelope`, `rules_file` and `default_costs` by name."""
        low, high = _sizes(self.sizes)
        placed, machine = self.placed, self.costs
        inside = _inside(self.inside_alpha, self.inside_tau, placed["network"])
        prices = {"hop": number("--hop", self.hop), "add": number("--add", self.add)}
        sizes = {"low": low, "high": high}
        return {
            "machine": machine,
            **sizes,
            "inside": inside,
            **prices,
            "ports": self.ports,
        } | placed

    @cached_property
    def plan(self) -> Collective | None:
        """The plan of the algorithm that is named."""
        from lccmodel.collectives import collective_of

        if self.algorithm is None:
            return None
        placed = {"ports": self.ports, **self.placed}
        return collective_of(self.collective, self.algorithm, **placed)

    def write_plan(self) -> None:
        """Write the plan of the algorithm that is named, and its certificate, where asked."""
        from lccmodel.ground.files import write_atomically

        if self.plan is None:
            return
        text = None if self.plan_file is None else _plan_in(self.plan_file, self.plan.plan)
        if self.certificate is not None:
            save_certificate(self.plan, self.certificate)
        if self.plan_file is not None and text is not None:
            write_atomically(self.plan_file, text)

    def with_notes(self, table: Table) -> Table:
        """The table with the notes of the network and of the machine."""
        from lccmodel.show.calibration import with_doubt

        network, costs = self.placed["network"], self.costs
        notes = list(network.notes)
        if costs is not None:
            table = with_doubt(table, costs.doubt)
            if costs.inside and network.whole_network.geometry.tree:
                notes.append(
                    "the hosts below one leaf switch have the costs of the machine inside a node"
                )
        return replace(table, notes=(*notes, *table.notes)) if notes else table


# -- the modes ------------------------------------------------------------------------------


def _closed_forms(asked: Asked) -> Table:
    """The formulas for networks of any size, with --formula."""
    from lccmodel.show.collective_tables import forms_table

    with working("deriving formulas"):
        return forms_table(asked.collective, asked.algorithm)


def _front(asked: Asked) -> Table:
    """The plans between the fewest steps and the least data, with --optimal."""
    from lccmodel.collectives import front
    from lccmodel.ground.files import write_atomically

    placed = asked.placed
    ports: AllOrOne = asked.ports if is_typed("ports") else "all"
    with working("asking a solver"):
        plans = front(asked.collective, ports=ports, seconds=asked.seconds, **placed)
    table: Table = plans.as_table()
    asked.to.check_columns(table)
    if asked.to.plot is not None:
        from lccmodel.show.network_artists import figure_of

        asked.to.draw(figure_of(plans.plot()))
    if asked.plan_file is not None and plans.corners and plans.corners[-1].plan is not None:
        write_atomically(asked.plan_file, _plan_in(asked.plan_file, plans.corners[-1].plan))
    return table


def _defaults(asked: Asked) -> Table:
    """What a library chooses by itself, with --default."""
    from lccmodel.collectives import default_costs
    from lccmodel.show.calibration import with_doubt
    from lccmodel.show.collective_tables import default_table

    problem, costs = asked.problem, asked.costs
    assert costs is not None, "without an algorithm there are times"
    with working("comparing algorithms") as progress:
        rows = default_costs(asked.collective, **problem, progress=progress)
        return with_doubt(default_table(rows, asked.unit or costs.unit), costs.doubt)


def _loads(asked: Asked) -> Table:
    """The loads of the steps of an algorithm, without times."""
    from lccmodel.show.collective_drawing import draw_plan
    from lccmodel.show.collective_tables import collective_table

    with working("comparing algorithms"):
        assert asked.plan is not None, "without times an algorithm is named"
        table = collective_table(asked.plan)
        asked.to.check_columns(table)
        if asked.to.plot is not None:
            asked.to.draw(draw_plan(asked.plan))
    asked.write_plan()
    return asked.with_notes(table)


def _by_size(asked: Asked) -> Table:
    """The fastest algorithm for every size, or one algorithm, or the times of all."""
    with working("comparing algorithms") as progress:
        table = _envelope_table(asked, progress)
    asked.write_plan()
    return asked.with_notes(table)


def _envelope_table(asked: Asked, progress: Progress, rules: RulesFile | None = None) -> Table:
    """The algorithms over the sizes, with the rules of a file; and their drawing."""
    from lccmodel.collectives import envelope
    from lccmodel.show import collective_drawing as drawing
    from lccmodel.show import collective_tables as tables

    assert asked.costs is not None, "checked"
    unit, only = asked.costs.unit, () if asked.algorithm is None else (asked.algorithm,)
    plan = asked.plan  # a name that there is not is refused first
    best = envelope(asked.collective, **asked.problem, only=only, progress=progress)
    table = (tables.every_table if asked.every else tables.envelope_table)(best, unit)
    table = tables.with_rules(table, rules) if rules and rules.rules else table
    asked.to.check_columns(table)
    if asked.to.plot is not None:
        drawn = drawing.draw_envelope(best, unit=unit) if plan is None else drawing.draw_plan(plan)
        asked.to.draw(drawn)
    return table


def _decisions(asked: Asked) -> Table:
    """The decision file of a library, with --rules, and its algorithms over the sizes."""
    from lccmodel.collectives import rules_text
    from lccmodel.ground.files import write_atomically
    from lccmodel.show.collective_tables import decision_table

    kind, path = _kind_of(asked.rules or "")
    with working("comparing algorithms") as progress:
        _ = asked.problem, asked.plan  # a name that there is not is refused first
        files = _rules_files(kind, asked, progress)
        text = rules_text(files)
        if len(asked.collectives) > 1:
            table = decision_table(files)
        else:
            table = _envelope_table(asked, progress, files[0])
    asked.write_plan()
    write_atomically(path, text)
    return asked.with_notes(table)


def _rules_files(kind: Any, asked: Asked, progress: Progress) -> list[RulesFile]:
    """Of several collectives those that the library lets one choose; one alone it must."""
    from lccmodel.collectives import rules_file
    from lccmodel.collectives.libraries import words_of

    only = () if asked.algorithm is None else (asked.algorithm,)
    files = []
    for name in asked.collectives:
        try:
            words_of(kind, name)
        except InputError:
            if len(asked.collectives) < len(COLLECTIVES):
                raise
            continue
        more = {**asked.problem, "only": only, "base": asked.base, "progress": progress}
        files.append(rules_file(kind, name, **more))
    return files


# -- what is typed --------------------------------------------------------------------------


_ALWAYS = {"form", "output", "collectives", "caption", "label", "columns", "no_notes"}


def _refuse_others(mode: str, names: tuple[str, ...]) -> None:
    """Refuse every option that the user typed beside those that a mode takes."""
    options = {p.name: p.opts[0] for p in click.get_current_context().command.params}
    taken = {*names, *_ALWAYS, *(["nodes"] if "network" in names else [])}
    beside = ", ".join(options[name] for name in names if name != mode.strip("-"))
    others = " ".join(str(name) for name in options if name not in taken)
    refuse_unless(False, others, f"changes nothing with {mode}, which takes {beside} alone")


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
