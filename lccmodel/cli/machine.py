"""Options that the pipelining commands share: the machine and its times."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from lccmodel.network import Mesh
    from lccmodel.pipelining.machine import Machine

__all__ = [
    "machine_for",
    "mesh_of_option",
    "mesh_option",
    "number",
    "ports_option",
    "required",
    "time_options",
    "whole",
]

F = TypeVar("F", bound=Callable[..., Any])

_NUMBER = re.compile(r"\d+(/\d+)?|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)
_LONGEST, _MOST = 60, 10**100


def mesh_option(function: F) -> F:
    """`--network`, for a mesh or torus."""
    return click.option(
        "--network",
        "-N",
        metavar="NETWORK",
        help="mesh:16x16, mesh:8x16, mesh:64 (a line), torus:8x8x8: nodes along each axis, powers "
        "of two.",
    )(function)


def ports_option(function: F) -> F:
    """`--ports`."""
    return click.option(
        "--ports",
        type=click.Choice(("one", "all")),
        default="one",
        show_default=True,
        help="Messages that a node sends, and receives, at a time: one, or one on each link.",
    )(function)


def time_options(function: F) -> F:
    """`--alpha`, `--tau` and `--unit`."""
    function = click.option(
        "--unit", default="", metavar="WORD", help="The unit of all times, such as µs; only shown."
    )(function)
    function = click.option(
        "--tau", metavar="TIME", help="Time per item, in the same unit: 1, 0.5, 1/3."
    )(function)
    return click.option(
        "--alpha", metavar="TIME", help="Start-up time of a message, in a unit of your choice."
    )(function)


def required(name: str, value: str | None, meaning: str) -> str:
    """The value of an option that has to be stated.

    Raises:
        click.UsageError: it was left out.
    """
    if value is None:
        raise click.UsageError(f"{name} must be stated: {meaning}")
    return value


def number(name: str, text: str) -> Fraction:
    """A number of at least 0, exactly as typed: 500, 5.5, 11/2 or 1e3.

    Raises:
        InputError: it is none.

    >>> number("--tau", "5.5") == number("--tau", "11/2")
    True
    """
    from lccmodel.errors import InputError

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


def whole(name: str, text: str) -> int:
    """A whole number of at least 1; 4096, or 1e6.

    Raises:
        InputError: it is none.
    """
    from lccmodel.errors import InputError

    value = number(name, text)
    if value.denominator != 1 or value < 1:
        raise InputError(name, "must be a whole number, at least 1", text)
    return int(value)


def mesh_of_option(network: str | None) -> Mesh:
    """The mesh or torus that `--network` states.

    Raises:
        click.UsageError: it was left out.
        InputError: another network or word, or sides that are not powers of two.

    >>> mesh_of_option("torus:8x16")
    Torus((8, 16))
    """
    from lccmodel.errors import InputError, SizeLimitError
    from lccmodel.pipelining.embedding import as_mesh

    word = required("--network", network, "mesh:16x16, torus:8x8x8 or mesh:64, a line")
    try:
        return as_mesh(word)
    except SizeLimitError:
        raise
    except InputError as error:
        raise InputError("--network", error.rule, word) from None


def machine_for(
    mesh: Mesh,
    alpha: str | None,
    tau: str | None,
    barrier: str = "0",
    ports: Any = "one",
) -> Machine:
    """The machine that the options describe.

    Raises:
        click.UsageError: a time that must be stated was left out.
        InputError: a time that is no number of at least 0, or no time at all.
    """
    from lccmodel.errors import InputError
    from lccmodel.pipelining.machine import Machine

    start = number("--alpha", required("--alpha", alpha, "the start-up time of a message"))
    item = number("--tau", required("--tau", tau, "the time per item, in the same unit"))
    if not start and not item:
        raise InputError("--alpha, --tau", "cannot both be 0: no message would cost", "0 and 0")
    return Machine(mesh, start, item, number("--barrier", barrier), ports)
