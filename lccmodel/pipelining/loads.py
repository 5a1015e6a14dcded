"""How far messages go, how many share a link, and how many steps a task needs at least.

A task ⟨i,M⟩_c exchanges M messages per process, one through each of the CC-cube dimensions
i, ..., i+M-1. Dimension k runs along axis k mod c of the mesh over 2^⌊k/c⌋ links [calmant (2)],
so an axis carries a run of consecutive dilations and its loads are those of a line:

    λ⟨i,M⟩_1 = (2^(i+M+1) - 2^(i+1)) / 3  (M even),  (2^(i+M+1) - 2^i) / 3  (M odd)  [Theorem 1]

On a ring of s nodes the messages of the longest dilation, s/2, may go either way round. `ties`
says which way they go, and with it how much they add to the load of the others:

    "split"  even coordinates go in the + direction, odd ones in the - direction:  s/4 everywhere
    "plus"   all in the + direction, as `lccmodel.network.Torus` routes:           s/2 everywhere
    "line"   none crosses the wrap-around link:                                    as on the mesh

No choice of directions has a smaller maximum than "split". The loads r of the shorter dilations
have period s/2, and every message of the longest one uses exactly one of the links m, m + s/2 in
its direction. If P of them go forward, one of those two links carries at least r(m) + P/2, and
backward one carries at least r(m) + (s - P)/2, so the maximum is at least max r + s/4.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from lccmodel.errors import InputError, checked_integer

__all__ = [
    "Ports",
    "Ties",
    "Topology",
    "axis_run",
    "checked_mesh",
    "checked_task",
    "dilation",
    "line_load",
    "lower_bound",
    "max_load",
    "theorem_3",
]

Topology = Literal["mesh", "torus"]
Ports = Literal["one", "all"]
Ties = Literal["split", "plus", "line"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "topology": ("mesh", "torus"),
    "ports": ("one", "all"),
    "ties": ("split", "plus", "line"),
}


def dilation(i: int, c: int) -> int:
    """The number of links between two neighbours along dimension i: 2^⌊i/c⌋ [calmant (2)].

    It is the same on a torus: half a ring is the longest distance, and no way round is shorter.

    Raises:
        InputError: i < 0 or c < 1, or not integers.

    >>> [dilation(i, 2) for i in range(6)]
    [1, 1, 2, 2, 4, 4]
    """
    return 1 << _checked("i", i, 0) // _checked("c", c, 1)


def line_load(i: int, M: int) -> int:
    """The maximum load of a line for ⟨i,M⟩_1; 0 for M = 0 [calmant, Theorem 1].

    Raises:
        InputError: i or M is negative or not an integer.

    >>> [line_load(0, M) for M in range(6)], line_load(3, 1)
    ([0, 1, 2, 5, 10, 21], 8)
    """
    return _line_load(_checked("i", i, 0), _checked("M", M, 0))


def _line_load(i: int, M: int) -> int:
    return ((2 << i + M) - (2 - M % 2 << i)) // 3


def axis_run(i: int, M: int, c: int, axis: int) -> tuple[int, int]:
    """(first, count): the task ⟨first,count⟩_1 that ⟨i,M⟩_c sets on one axis [calmant, Lemma 5].

    Raises:
        InputError: i or M is negative, c < 1, axis not in 0..c-1, or not integers.

    >>> axis_run(3, 4, 2, 0), axis_run(3, 4, 2, 1), axis_run(3, 1, 2, 0)
    ((2, 2), (1, 2), (2, 0))
    """
    i, M, c = checked_task(i, M, c)
    if not 0 <= checked_integer("axis", axis) < c:
        raise InputError("axis", f"must be an integer in 0..{c - 1}", axis)
    return _run(i, M, c, (axis - i) % c)


def _run(i: int, M: int, c: int, offset: int) -> tuple[int, int]:
    """Dimensions i + offset, i + offset + c, ... below i + M, as dilations on their axis."""
    return (i + offset) // c, max(0, -(-(M - offset) // c))


def max_load(
    i: int, M: int, c: int, d: int | None = None, topology: Topology = "mesh", ties: Ties = "split"
) -> int:
    """λ⟨i,M⟩_c: messages on the busiest directed link, over all axes [calmant, Theorem 3].

    On a mesh it does not depend on d. On a torus it does: only dimensions d-c, ..., d-1 have the
    choice of two ways.

    Args:
        i: first dimension, at least 0.
        M: number of dimensions, at least 0.
        c: number of axes, at least 1.
        d: number of dimensions of the CC-cube, a multiple of c; needed for a torus.
        topology: "mesh" or "torus".
        ties: which way messages go half a ring: "split", "plus" or "line" (see the module).

    Raises:
        InputError: a value out of range, or d is left out for a torus.

    >>> max_load(0, 7, 2), max_load(0, 4, 2, 4, "torus"), max_load(2, 2, 2, 4, "torus", "plus")
    (10, 2, 2)
    """
    i, M, c = checked_task(i, M, c, d, topology)
    _check_choice("ties", ties)
    runs = [_run(i, M, c, offset) for offset in range(min(c, M))]
    side = 0 if d is None or topology == "mesh" or ties == "line" else d // c
    return max((_axis_load(first, count, side, ties) for first, count in runs), default=0)


def _axis_load(first: int, count: int, side: int, ties: Ties) -> int:
    """The load of ⟨first,count⟩_1 on a line, or on a ring of 2^side nodes if side > 1."""
    if side < 2 or first + count < side:
        return _line_load(first, count)
    return _line_load(first, count - 1) + (1 << side - (2 if ties == "split" else 1))


def theorem_3(i: int, M: int, c: int) -> int:
    """The maximum load of a mesh as the paper prints it [calmant, Theorem 3].

    Printed for M >= 1; it names the one axis that is busiest, where `max_load` compares all.

    Raises:
        InputError: i < 0, M < 1 or c < 1, or not integers.

    >>> theorem_3(3, 4, 2), theorem_3(0, 7, 2)
    (8, 10)
    """
    i, M, c = checked_task(i, M, c)
    _checked("M", M, 1)
    return _line_load((i + (M - 1) % c) // c, -(-M // c))


def lower_bound(
    i: int,
    M: int,
    c: int,
    d: int | None = None,
    topology: Topology = "mesh",
    ports: Ports = "one",
) -> int:
    """LB⟨i,M⟩_c: no schedule takes fewer steps [calmant, Theorem 4].

    With one port it is max(λ, M): a node sends its M messages one after another. With all ports
    a node sends through every link at once, and λ alone is the bound: the messages that it sends
    one way along an axis all use the first link there, so the load counts them already. (That a
    node may send one message per axis and step, whatever the direction, gives nothing larger: on
    a line or ring that carries K dimensions, λ >= K.) On a torus λ is that of the best choice of
    directions, `ties="split"`.

    Args:
        i, M, c, d, topology: as for `max_load`.
        ports: "one" or "all".

    Raises:
        InputError: a value out of range, or d is left out for a torus.

    >>> lower_bound(0, 3, 2), lower_bound(0, 3, 2, ports="all"), lower_bound(3, 4, 2)
    (3, 2, 8)
    """
    _check_choice("ports", ports)
    load = max_load(i, M, c, d, topology)
    return load if ports == "all" else max(load, M)


# -- checks -------------------------------------------------------------------------------


def checked_task(
    i: Any, M: Any, c: Any, d: Any = None, topology: Any = "mesh"
) -> tuple[int, int, int]:
    """i, M and c as ints, checked against each other and against d.

    Raises:
        InputError: not integers, i < 0, M < 0, c < 1, d not a positive multiple of c, i + M > d,
            another topology, or a torus without d.
    """
    i, M = _checked("i", i, 0), _checked("M", M, 0)
    _check_choice("topology", topology)
    if d is None:
        if topology == "torus":
            raise InputError("d", "must be given for a torus: ties depend on its side", d)
        return i, M, _checked("c", c, 1)
    d, c = checked_mesh(d, c)
    if i + M > d:
        raise InputError("i, M", f"must satisfy i + M <= d = {d}", (i, M))
    return i, M, c


def checked_mesh(d: Any, c: Any) -> tuple[int, int]:
    """d and c as ints: 2^d nodes on c axes of equal length.

    Raises:
        InputError: not integers, c < 1, d < 1, or d not a multiple of c.
    """
    d, c = _checked("d", d, 1), _checked("c", c, 1)
    if d % c:
        rule = f"must be a multiple of c = {c}, so that each axis has 2^(d/c) nodes"
        raise InputError("d", rule, d)
    return d, c


def _checked(argument: str, value: Any, least: int) -> int:
    number = checked_integer(argument, value)
    if number < least:
        raise InputError(argument, f"must be at least {least}", value)
    return number


def _check_choice(argument: str, value: Any) -> None:
    if value not in cast("tuple[Any, ...]", _CHOICES[argument]):
        listed = " or ".join(f'"{choice}"' for choice in _CHOICES[argument])
        raise InputError(argument, f"must be {listed}", value)
