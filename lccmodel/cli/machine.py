"""Options that the pipelining commands share: the machine and its times."""

from __future__ import annotations

import functools
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click

from lccmodel.cli.options import Decorator, F, file_option
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.words import AllOrOne

if TYPE_CHECKING:
    from lccmodel.calibration import MachineFile
    from lccmodel.network import Mesh
    from lccmodel.pipelining.cost.steps import Model
    from lccmodel.pipelining.machine import Machine
    from lccmodel.pipelining.message_cost import Cost
    from lccmodel.pipelining.robustness import DegreeInterval


_NUMBER = re.compile(r"\d+(/\d+)?|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)
_LONGEST, _MOST = 60, 10**100
_ITEM = "8"

mesh_option: Decorator = click.option(
    "--network",
    "-N",
    metavar="NETWORK",
    help="Mesh or torus, such as mesh:16x16, mesh:64 (a line) or torus:8x8x8. All sides are "
    "powers of two.",
)

ports_option: Decorator = click.option(
    "--ports",
    type=click.Choice(get_args(AllOrOne)),
    default="one",
    show_default=True,
    help="Messages that a node sends, and receives, at a time: one, or one on each link.",
)


class StatedCosts(NamedTuple):
    """What a message costs, as the options state it."""

    alpha: str | None
    tau: str | None
    unit: str
    file: Path | None
    item_bytes: str | None

    @property
    def stated(self) -> bool:
        """Whether any of it was stated."""
        return any(value is not None for value in (self.alpha, self.tau, self.file))

    def bytes_of(self, items: int) -> int:
        """The bytes of so many items."""
        return items * whole("--item-bytes", self.item_bytes or _ITEM)

    def on(self, mesh: Mesh, barrier: str = "0", ports: Any = "one") -> DescribedMachine:
        """The machine that the options describe.

        Raises:
            click.UsageError: a required time is missing, or given twice.
            InputError: a time that is not a number of at least 0, or no time at all; a bad file.
        """
        from lccmodel.calibration import read_machine

        wait = number("--barrier", barrier)
        if self.file is None:
            return DescribedMachine(self._typed(mesh, wait, ports), self.unit, [], 1.0)
        self._check_alone()
        described = read_machine(self.file)
        size = whole("--item-bytes", self.item_bytes or _ITEM)
        made = described.on(mesh, size, wait, ports)
        others = described.other_costs(size)
        return DescribedMachine(made, described.unit, others, described.confidence, described.doubt)

    def said(self) -> MachineFile | None:
        """What a message costs, as a machine file says it; None if nothing is stated.

        Raises:
            click.UsageError: one of α and τ was left out, or stated beside a file.
            InputError: a time that is not a number of at least 0, or no time at all; a bad file.
        """
        from lccmodel.calibration import MachineFile, read_machine
        from lccmodel.pipelining.message_cost import Linear

        if self.file is None:
            return MachineFile(Linear(*self._line()), self.unit) if self.stated else None
        self._check_alone()
        return read_machine(self.file)

    def _check_alone(self) -> None:
        if self.alpha is not None or self.tau is not None or self.unit:
            raise click.UsageError("--machine cannot be combined with --alpha, --tau or --unit")

    def _line(self) -> tuple[Fraction, Fraction]:
        start = number("--alpha", required("--alpha", self.alpha, "the start-up time of a message"))
        item = number("--tau", required("--tau", self.tau, "the time per item, in the same unit"))
        if not start and not item:
            raise InputError("--alpha, --tau", "cannot both be 0: no message would cost", "0 and 0")
        return start, item

    def _typed(self, mesh: Mesh, barrier: Fraction, ports: Any) -> Machine:
        from lccmodel.pipelining.machine import Machine

        if self.item_bytes is not None:
            raise click.UsageError("--item-bytes requires --machine: --tau is per item")
        return Machine(mesh, *self._line(), barrier, ports)


class DescribedMachine(NamedTuple):
    """A machine, the unit of its times, and what is known of their reliability."""

    machine: Machine
    unit: str
    others: list[Cost]
    share: float
    doubt: str = ""
    """Why the cost is no fit to what was measured."""

    def between(self, N: int, model: Model = "schedule") -> DegreeInterval | None:
        """The interval of the best degree, if the file says how reliable its times are."""
        from lccmodel.pipelining.robustness import degree_interval

        if not self.others:
            return None
        return degree_interval(self.machine, N, self.others, share=self.share, model=model)


machine_option = file_option(
    "--machine",
    "machine_path",
    meaning="A machine file of `lccmodel calibrate`, in place of the times.",
)


def time_options(function: F) -> F:
    """`--alpha`, `--tau`, `--unit`, `--machine` and `--item-bytes`, as one argument `times`."""

    @functools.wraps(function)
    def command(
        *args: Any,
        alpha: str | None,
        tau: str | None,
        unit: str,
        machine_path: Path | None,
        item_bytes: str | None,
        **rest: Any,
    ) -> Any:
        return function(
            *args, times=StatedCosts(alpha, tau, unit, machine_path, item_bytes), **rest
        )

    made: Any = command
    for option in _TIMES:
        made = option(made)
    decorated: F = made
    return decorated


unit_option: Decorator = click.option(
    "--unit",
    default="",
    metavar="WORD",
    help="Unit of all times, such as µs; used for display only.",
)

_TIMES: tuple[Decorator, ...] = (  # the last stands first in the help
    click.option(
        "--item-bytes",
        metavar="BYTES",
        help=f"Bytes of an item, with --machine, whose times are by the byte.  [default: {_ITEM}]",
    ),
    machine_option,
    unit_option,
    click.option("--tau", metavar="TIME", help="Time per item, in the same unit: 1, 0.5, 1/3."),
    click.option(
        "--alpha", metavar="TIME", help="Start-up time of a message, in any unit of time."
    ),
)


def required(name: str, value: str | None, meaning: str) -> str:
    """The value of an option that has to be stated.

    Raises:
        click.UsageError: it was left out.
    """
    if value is None:
        raise click.UsageError(f"{name} is required: {meaning}")
    return value


def number(name: str, text: str) -> Fraction:
    """A number of at least 0, exactly as typed: 500, 5.5, 11/2 or 1e3.

    Raises:
        InputError: it is not one.

    >>> number("--tau", "5.5") == number("--tau", "11/2")
    True
    """
    written = text.strip()
    if written.startswith("-") and _NUMBER.fullmatch(written[1:]):
        raise InputError(name, "must not be negative", text)
    if len(written) > _LONGEST or not _NUMBER.fullmatch(written):
        raise InputError(name, "must be a number such as 500, 5.5 or 11/2", text)
    try:
        value = Fraction(written)
    except ZeroDivisionError:
        raise InputError(name, "must be a finite number", text) from None
    if value >= _MOST:
        raise InputError(name, "must be below 1e100", text)
    return value


def whole(name: str, text: str, least: int = 1) -> int:
    """A whole number; 4096, or 1e6.

    Raises:
        InputError: it is not one.
    """
    value = number(name, text)
    if value.denominator != 1 or value < least:
        raise InputError(name, f"must be a whole number, at least {least}", text)
    return int(value)


def mesh_of_option(network: str | None) -> Mesh:
    """The mesh or torus that `--network` states.

    Raises:
        click.UsageError: it was left out.
        InputError: another network or word, or sides that are not powers of two.

    >>> mesh_of_option("torus:8x16")
    Torus((8, 16))
    """
    from lccmodel.pipelining.embedding import as_mesh

    word = required("--network", network, "mesh:16x16, torus:8x8x8 or mesh:64, a line")
    try:
        return as_mesh(word)
    except SizeLimitError:
        raise
    except InputError as error:
        raise InputError("--network", error.rule, word) from None
