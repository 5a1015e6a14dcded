"""What Open MPI chooses by itself: its fixed decision, and what that costs beside the best.

The tables below are the switch points of the component `tuned` of Open MPI 4.1.6 to 5.0.8
(coll_tuned_decision_fixed, commutative operations): a row holds for communicators of fewer ranks
than its first number, and lists an algorithm, the size below which it is used, the next, and so on.
By hand, an allreduce on 64 ranks: the row 128, recursive doubling (3) below 262,144 bytes and
Rabenseifner's (6) from there on.

    a size is         the vector of a rank    allreduce, reduce-scatter, broadcast, reduce
                      one block of it, m / p  allgather, alltoall, scatter, gather

Nothing is cut: every algorithm has segments of size 0, so the whole vector. What an algorithm does
on ranks for which it has no rule is stated by the library as well: an allgather by recursive
doubling becomes Bruck's where p is no power of two, and neighbour exchange a ring where p is odd.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lccmodel.collectives import exchanges, trees
from lccmodel.collectives.algorithms import Algorithm, AllOrOne, Site
from lccmodel.collectives.catalogue import folded
from lccmodel.collectives.collective import algorithms_of, by_rule
from lccmodel.collectives.libraries import NUMBERS, theirs
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.ranking import PricedProblem, Ranking, RankingCache, sizes_of
from lccmodel.collectives.steps import CollectiveName, Send, Stage, fixed
from lccmodel.collectives.times import time_of
from lccmodel.errors import checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.network import Network
from lccmodel.pipelining.message_cost import Linear

VERSIONS = "Open MPI 4.1.6 to 5.0.8"
"""Whose decision it is."""

NOTES = (
    f"the fixed decision of the component tuned of {VERSIONS}",
    "in version 5 the component han is before it on several nodes (--mca coll ^han)",
    "items have one byte: with fewer items than ranks some algorithms turn into others",
)
"""What the default rests on."""

_ROWS: Mapping[CollectiveName, str] = MappingProxyType(
    {
        "allreduce": """
            4: 4 8 3 4096 4 8192 3 16384 4 65536 5 262144 6
            8: 4 16 3 8192 6
            16: 3 8192 6
            32: 5 64 3 4096 6
            64: 5 128 6
            128: 3 262144 6
            256: 2 131072 3 262144 6
            512: 2 4096 6
            2048: 2 2048 3 16384 6
            4096: 2 2048 5 4096 3 16384 6
            inf: 2 2048 5 16384 3 32768 6
        """,
        "alltoall": """
            3: 2 2 5 4 2 16 5 64 2 256 5 4096 2 32768 4 262144 5 1048576 2
            8: 4 8192 1 16384 4 65536 1 524288 2 1048576 1
            16: 4 262144 1
            32: 4 4 3 512 4 8192 1 32768 4 262144 1 524288 4
            64: 3 512 1 524288 4
            128: 3 1024 1 2048 4 4096 1 262144 2
            256: 3 1024 4 2048 1 262144 2
            512: 3 1024 4 8192 1 32768 2
            1024: 3 512 4 8192 1 16384 4 131072 1 262144 2
            2048: 3 512 4 1024 1 2048 4 16384 1 262144 4
            4096: 3 1024 4 4096 1 8192 4 131072 1
            inf: 3 2048 4 8192 1 16384 4 32768 1 65536 4
        """,
        "barrier": "4: 3; 8: 1; 64: 3; 256: 4; 512: 6; 1024: 4; 4096: 6; inf: 4",
        "broadcast": """
            4: 3 32 5 256 3 512 7 1024 1 32768 5 131072 2 262144 1 524288 6 1048576 5
            8: 5 64 6 128 5 2048 6 8192 1 1048576 2
            16: 7 8 5 64 7 4096 5 16384 6 32768 1
            32: 7 4096 6 1048576 8
            64: 6 2048 7
            128: 7
            256: 6 2 5 16384 1 32768 5 65536 7
            1024: 7 16384 4 32768 7
            2048: 7 524288 8
            4096: 7 262144 8
            inf: 7 8192 5 16384 7 262144 8
        """,
        "reduce": """
            4: 7 8 4 16 3 32 1 262144 3 524288 2 1048576 3
            8: 4 4096 2 65536 5 262144 1 524288 5 1048576 1
            16: 4 8192 5
            32: 4 4096 5
            256: 5
            512: 5 8192 6 16384 5
            2048: 5
            4096: 5 512 6 1024 5 8192 6 16384 5
            inf: 5 16 6 32 5 1024 6 2048 5 8192 6 16384 5
        """,
        "reduce-scatter": """
            4: 3 65536 4 131072 3
            8: 1 8 2 262144 3
            32: 2 262144 3
            64: 1 64 2 2048 4 524288 3
            128: 1 256 2 512 4 2048 2 4096 4
            256: 1 256 2 512 4
            512: 1 256 2 1024 4
            1024: 1 512 2 2048 4 8192 2 16384 4
            2048: 1 512 2 4096 4 16384 2 32768 4
            4096: 1 512 2 4096 4
            inf: 1 1024 2 8192 4
        """,
        "allgather": """
            3: 6
            32: 3
            64: 3 1024 5 65536 4
            128: 3 512 5 65536 4
            256: 3 512 5 131072 4 524288 5 1048576 4
            512: 3 32 2 128 3 1024 5 131072 4 524288 5 1048576 4
            1024: 3 64 2 256 3 2048 5
            2048: 3 4 2 8 3 16 2 32 3 256 2 512 3 4096 5
            4096: 2 32 3 128 2 512 3 4096 5
            inf: 3 2 2 8 3 16 2 512 3 4096 5
        """,
        "gather": """
            4: 3 2 1 4 2 32768 1 65536 2 131072 3
            8: 2 1024 1 8192 2 32768 1 262144 3
            256: 2
            512: 2 2048 1 8192 2
            inf: 2
        """,
        "scatter": """
            4: 3 2 1 131072 3 262144 1
            8: 2 2048 1 4096 2 8192 1 32768 3 1048576 1
            16: 2 16384 3 1048576 1
            32: 2 16384 1 32768 3
            64: 2 512 3 8192 2 16384 3
            inf: 2 512 3
        """,
    }
)

_NAMES: Mapping[CollectiveName, tuple[str, ...]] = MappingProxyType(
    {
        "allreduce": (
            *("basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring"),
            "rabenseifner",
        ),
        "alltoall": ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
        "barrier": ("linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
        "broadcast": (
            *("basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree"),
            *("binomial", "knomial", "scatter_allgather", "scatter_allgather_ring"),
        ),
        "reduce": (
            *("linear", "chain", "pipeline", "binary", "binomial", "in-order_binary"),
            "rabenseifner",
        ),
        "reduce-scatter": ("non-overlapping", "recursive_halving", "ring", "butterfly"),
        "allgather": (
            *("linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit"),
        ),
        "gather": ("basic_linear", "binomial", "linear_sync"),
        "scatter": ("basic_linear", "binomial", "linear_nb"),
    }
)
"""Names of algorithms 1, 2, ..., as Open MPI writes them."""

_PER_BLOCK = frozenset(("allgather", "alltoall", "scatter", "gather"))
"""Collectives whose decision is by the size of a block, m / p."""

_RADIX = 4
"""Of Open MPI's k-nomial tree."""


class _Row(NamedTuple):
    """Algorithms, and the sizes from which all but the first are used."""

    algorithms: tuple[int, ...]
    starts: tuple[int, ...]


def _row(collective: CollectiveName, ranks: int) -> _Row:
    """The row of the table for so many ranks.

    >>> _row("allreduce", 64)
    _Row(algorithms=(3, 6), starts=(262144,))
    """
    rows = _ROWS[collective].replace(";", "\n").strip().splitlines()
    for row in rows[:-1]:
        below, numbers = row.split(":")
        if ranks < int(below):
            break
    else:
        numbers = rows[-1].split(":")[1]
    listed = tuple(map(int, numbers.split()))
    return _Row(listed[::2], listed[1::2])


# -- plans that only the library has ----------------------------------------------------------


def _star(ranks: int) -> Ints:
    return np.zeros(ranks, np.int64)


def _knomial(ranks: int) -> Ints:
    """r without its lowest digit that is not 0, in radix 4.

    >>> _knomial(7).tolist()
    [0, 0, 0, 0, 0, 4, 4]
    """
    r, power = np.arange(ranks), 1
    parents = np.zeros(ranks, np.int64)
    left = r > 0
    while left.any():
        digit = r // power % _RADIX
        now = left & (digit > 0)
        parents[now] = (r - digit * power)[now]
        left &= ~now
        power *= _RADIX
    return parents


def _signals(plan: Plan) -> Plan:
    """Up a tree, and down again: a barrier."""
    up = plan.backwards("reduce", add=False)
    return replace(up.then(plan, "barrier"), collective="barrier", root=0)


def _barrier_by_doubling(site: Site) -> Plan:
    """Every rank and rank xor 2^k in step k; those beyond 2^n tell a rank below, and hear after."""
    p = site.ranks
    power = 1 << (p.bit_length() - 1)
    word = fixed(np.zeros((p, 1), np.int64))
    rest, r = np.arange(power, p), np.arange(power)
    steps = [Send(r.copy(), r ^ 1 << k, 1, word) for k in range(power.bit_length() - 1)]
    if len(rest):
        steps = [Send(rest, rest - power, 1, word), *steps, Send(rest - power, rest, 1, word)]
    return Plan("barrier", p, 1, [Stage((send,)) for send in steps])


def _folded_by_halves(site: Site) -> Plan:
    """Rabenseifner's where p is no power of two: of a pair each rank sums one half first."""

    rule = theirs("ompi", "allreduce", "rabenseifner")
    whole = folded(site.ranks, lambda p: rule.on(Site(p, (p,))), odd=False)
    rest = site.ranks - (1 << (site.ranks.bit_length() - 1))
    if whole.blocks % 2:
        whole = whole.refined(2)
    blocks = whole.blocks
    even = 2 * np.arange(rest)
    low, high = (
        fixed(np.broadcast_to(np.arange(blocks // 2) + start, (rest, blocks // 2)))
        for start in (0, blocks // 2)
    )
    swap = Stage(
        (
            Send(even, even + 1, blocks // 2, high, True),
            Send(even + 1, even, blocks // 2, low, True),
        )
    )
    home = Stage((Send(even + 1, even, blocks // 2, high),))
    return replace(whole, stages=[swap, home, *whole.stages[1:]])


_PLANS: Mapping[tuple[CollectiveName, str], Callable[[Site], Plan]] = MappingProxyType(
    {
        ("alltoall", "linear_sync"): lambda site: exchanges.linear(site.ranks),
        ("alltoall", "two_proc"): lambda site: exchanges.pairwise(site.ranks),
        ("barrier", "linear"): lambda site: _signals(trees.down(_star(site.ranks), at_once=True)),
        ("barrier", "recursive_doubling"): _barrier_by_doubling,
        ("barrier", "tree"): lambda site: _signals(trees.down(trees.binomial_parents(site.ranks))),
        ("broadcast", "basic_linear"): lambda s: trees.down(_star(s.ranks), at_once=True),
        ("broadcast", "chain"): lambda s: trees.down(trees.path_parents(np.arange(s.ranks))),
        ("broadcast", "knomial"): lambda s: trees.down(_knomial(s.ranks), at_once=s.ports == "all"),
        ("reduce", "linear"): lambda s: trees.up(_star(s.ranks), at_once=True),
        ("reduce", "chain"): lambda s: trees.up(trees.path_parents(np.arange(s.ranks))),
        ("gather", "basic_linear"): lambda s: _scatter(_star(s.ranks)).backwards(
            "gather", add=False
        ),
        ("gather", "linear_sync"): lambda s: _scatter(_star(s.ranks)).backwards(
            "gather", add=False
        ),
        ("gather", "binomial"): lambda s: _scatter(trees.binomial_parents(s.ranks)).backwards(
            "gather", add=False
        ),
        ("scatter", "basic_linear"): lambda s: _scatter(_star(s.ranks)),
        ("scatter", "linear_nb"): lambda s: _scatter(_star(s.ranks)),
        ("scatter", "binomial"): lambda s: _scatter(trees.binomial_parents(s.ranks)),
        ("allgather", "two_proc"): lambda site: exchanges.direct(site.ranks),
    }
)


def _scatter(parents: Ints) -> Plan:
    return trees.scatter(parents, at_once=int(parents.max(initial=0)) == 0)


@dataclass(frozen=True)
class Default:
    """The algorithm that Open MPI runs on so many ranks, for sizes from `first` on.

    Attributes:
        collective, ranks: of which collective, on how many ranks.
        first: the first size in bytes, of the vector of a rank.
        number, name: of the algorithm, as Open MPI has them; with the parts that it consists of.
        algorithm: its plan; None if it sends other messages than the plans here.

    >>> defaults_of("broadcast", 64)[0].name
    'knomial'
    """

    collective: CollectiveName
    ranks: int
    first: int
    number: int
    name: str
    algorithm: Algorithm | None


@typed_arguments
def defaults_of(collective: CollectiveName, ranks: int) -> tuple[Default, ...]:
    """Return the fixed decision of Open MPI for all sizes, from the smallest on.

    Raises:
        InputError: no such collective, or fewer than 2 ranks, for which nothing is chosen.

    >>> [(d.first, d.number, d.name) for d in defaults_of("allreduce", 64)]
    [(0, 3, 'recursive_doubling'), (262144, 6, 'rabenseifner')]
    """
    algorithms_of(collective)  # a wrong name is refused first
    p = checked_integer("ranks", ranks, least=2)
    parts: tuple[CollectiveName, ...] = ("reduce", "broadcast")
    firsts = set(_starts(collective, p))
    if collective in ("allreduce", "reduce-scatter"):  # some of their algorithms consist of parts
        firsts |= {start for part in parts for start in _starts(part, p)}
    defaults: list[Default] = []
    for first in sorted(firsts):
        number = _number(collective, p, first)
        name, algorithm = _named(collective, p, number, first)
        if not defaults or defaults[-1].name != name:
            defaults.append(Default(collective, p, first, number, name, algorithm))
    return tuple(defaults)


def _starts(collective: CollectiveName, p: int) -> tuple[int, ...]:
    """The sizes of the vector of a rank at which another algorithm may begin."""
    factor = p if collective in _PER_BLOCK else 1
    return (0, *(start * factor for start in _row(collective, p).starts))


def _number(collective: CollectiveName, p: int, size: int) -> int:
    algorithms = _row(collective, p).algorithms
    return algorithms[bisect_right(_starts(collective, p), size) - 1]


def _named(
    collective: CollectiveName, p: int, number: int, size: int
) -> tuple[str, Algorithm | None]:
    """The name of an algorithm with its parts, and its plan if there is one."""
    name = _NAMES[collective][number - 1]
    parts: dict[str, tuple[CollectiveName, ...]] = {
        "nonoverlapping": ("reduce", "broadcast"),
        "non-overlapping": ("reduce",),
    }
    if name not in parts:
        return name, _algorithm(collective, p, number, name)
    made = [_named(part, p, _number(part, p, size), size) for part in parts[name]]
    name = f"{name} ({', '.join(word for word, _ in made)})"
    known = [algorithm for _, algorithm in made if algorithm is not None]
    if len(known) < len(made):
        return name, None

    def build(site: Site) -> Plan:
        plan = known[0].on(replace(site, root=0))
        last = known[1].on(replace(site, root=0)) if len(known) > 1 else _scatter(_star(p))
        return plan.then(last, collective)

    return name, Algorithm(f"ompi {number}", collective, VERSIONS, build)


def _algorithm(collective: CollectiveName, p: int, number: int, name: str) -> Algorithm | None:
    if (collective, name) in _PLANS:
        return Algorithm(f"ompi {number}", collective, VERSIONS, _PLANS[collective, name])
    if collective == "allgather" and number == 3 and p & (p - 1):
        number = 2
    if collective == "allgather" and number == 5 and p % 2:
        number = 4
    if collective == "allreduce" and number == 5:  # segments of size 0: the ring
        number = 4
    if collective == "allreduce" and number == 6 and p & (p - 1):
        return Algorithm("ompi 6", collective, VERSIONS, _folded_by_halves)
    ours = {word: key for key, word in NUMBERS.get(collective, {}).items()}.get(str(number))
    if ours is None:
        return None
    rule = theirs("ompi", collective, ours)
    covered = rule.covers(Site(p, (p,)))
    return replace(rule, name=f"ompi {number}") if covered else None


class DefaultCost(NamedTuple):
    """The default over some sizes, and its time beside the best at their two ends.

    Attributes:
        default: what Open MPI runs.
        sizes: the first and the last size in bytes.
        times: of the default; None if its plan is not known.
        best: all algorithms at both sizes, fastest first.

    >>> rows = default_costs("allreduce", Linear(5, "1/1000"), 1, 2**20, "hyperx:64")
    >>> [(row.default.number, int(row.sizes[0])) for row in rows]
    [(3, 1), (6, 262144)]
    """

    default: Default
    sizes: tuple[Fraction, Fraction]
    times: tuple[Fraction, Fraction] | None
    best: tuple[Ranking, Ranking]


@typed_arguments
def default_costs(
    collective: CollectiveName,
    machine: Any,
    low: Any,
    high: Any,
    network: Network | str | None = None,
    *,
    ports: AllOrOne | None = None,
    hop: Any = 0,
    add: Any = 0,
    inside: Linear | None = None,
    **options: Any,
) -> tuple[DefaultCost, ...]:
    """Return what Open MPI chooses by itself from size to size, and what that costs.

    Args:
        collective, machine, network, ports, hop, add, inside, options: as for `choose`.
        low, high: sizes in bytes, low <= high.

    Raises:
        InputError: as for `choose`, a range whose end is below its start, or a single rank.

    >>> rows = default_costs("allreduce", Linear(5, "1/1000"), 2**20, 2**20, "torus:8x8")
    >>> rows[0].default.name, round(float(rows[0].times[0] / rows[0].best[0].time), 2)
    ('rabenseifner', 1.37)
    """
    start, end = sizes_of(low, high)
    prices = {"hop": hop, "add": add, "inside": inside}
    problem = PricedProblem.of(
        collective, machine, network, ports, **prices, only=(), also=(), **options
    )
    cache = RankingCache(problem)
    ranks = cache.all_of[0].plan.ranks
    every = defaults_of(collective, ranks)
    rows = []
    for k, default in enumerate(every):
        last = Fraction(every[k + 1].first - 1) if k + 1 < len(every) else end
        sizes = max(start, Fraction(default.first)), min(end, last)
        if sizes[0] > sizes[1]:
            continue
        times = None
        if default.algorithm is not None:
            made = by_rule(problem, default.algorithm)
            times = tuple(time_of(*made.priced(problem.prices), m) for m in sizes)
        best = cache.at(sizes[0]), cache.at(sizes[1])
        rows.append(DefaultCost(default, sizes, times, best))  # type: ignore[arg-type]  # two
    return tuple(rows)
