"""Cases that several claims list: numbers below a bound, fixed values, seeds, networks, meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from proofs_check.domain import Enumerated

AXES = (1, 2, 3)
"""Of meshes of 2^d nodes, where they divide d."""


def numbers(count: Callable[[int], int], text: str, names: str, *, first: int = 0) -> Enumerated:
    """So many numbers, from `first` on, for every n; `names` are those of n and of the number.

    >>> bits = numbers(lambda n: n, "all bits", "d, k", first=1)
    >>> bits.case(5, 1), bits.size(5)
    ((5, 2), 5)
    """
    return Enumerated(
        lambda n: ((n, k) for k in range(first, first + count(n))),
        size=count,
        names=names,
        text=text,
    )


def every(
    text: str, *, n: str = "n", dimensions: Iterable[int] | None = None, **values: Sequence[Any]
) -> Enumerated:
    """All values of each name, for every n or for these; `n` is what n is called.

    >>> every("both halves, backwards too", n="d", half=(0, 1), backwards=(False, True)).case(5, 2)
    (5, 1, False)
    """
    return Enumerated(
        lambda n: product((n,), *values.values()),
        size=lambda n: prod(map(len, values.values())),
        names=", ".join((n, *values)),
        text=text,
        dimensions=dimensions,
    )


def seeds(count: int, text: str, dimensions: Sequence[int] | None = None) -> Enumerated:
    """So many seeds for every n, or for these.

    >>> seeds(2, "two seeds").case(5, 1)
    (5, 1)
    """
    return every(text, dimensions=dimensions, seed=range(count))


def on_networks(
    networks: Mapping[int, Sequence[str]], count: int, text: str, *, names: str = "network, seed"
) -> Enumerated:
    """So many seeds on every network of an n; `names` may begin with that n.

    >>> on_networks({1: ["cube:1"]}, 2, "two seeds", names="n, network, seed").case(1, 1)
    (1, 'cube:1', 1)
    """
    with_n = names.startswith("n, ")
    return Enumerated(
        lambda n: (((n,) * with_n) + case for case in product(networks[n], range(count))),
        size=lambda n: count * len(networks[n]),
        names=names,
        text=text,
        dimensions=networks,
    )


def grid_of(network: str) -> tuple[tuple[int, ...], bool]:
    """The sides of a cube, mesh or torus of such a name, and whether its axes are rings.

    >>> grid_of("cube:3"), grid_of("torus:4x2")
    (((2, 2, 2), False), ((4, 2), True))
    """
    kind, _, size = network.partition(":")
    if kind in ("cube", "origin"):
        return (2,) * int(size), False
    return tuple(map(int, size.split("x"))), kind == "torus"


def on_meshes(text: str, **values: Sequence[Any]) -> Enumerated:
    """All values on every mesh of 2^d nodes, d = n, with c = 1, 2, 3 equal axes.

    >>> on_meshes("all Q <= 2", Q=(1, 2)).case(4, 3)
    (4, 2, 2)
    """
    return Enumerated(
        lambda n: ((n, *case) for case in product(AXES, *values.values()) if n % case[0] == 0),
        size=lambda n: prod(map(len, values.values())) * sum(n % c == 0 for c in AXES),
        names=", ".join(("d", "c", *values)),
        text=text,
    )
