r"""Complete exchange on a mesh by several methods, each with a cost that can be justified.

[calmant 5.2] compares its algorithm with seven others, named and cited but without a formula, and
its figures are lost. Here every cost says where it comes from:

    printed        the formula stands in [calmant]
    derived        schedules of this project, written out and replayed on explicit meshes
    reconstructed  the method is only named there; rebuilt from its name and counted here, always
                   with the shortest schedule known here, so that a rival is not made slow

n = 2^(d/c) nodes on each of c axes, 2^d nodes, B items to a block; α + L τ for L items; one port,
links exclusive, no barrier and no cost for copying, as in [calmant 5.2]. On sides that differ
Σ (n_a - 1) stands for c (n - 1), and 2^d n with the longest side n for n^(c+1); the methods that
cut all axes at once need equal sides (`Method.equal_sides`).

Methods that cannot be justified are left out by name (`LEFT_OUT`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import word_rule
from lccmodel.pipelining.bounds import checked_block
from lccmodel.pipelining.direct_exchange import direct_steps, level_steps
from lccmodel.pipelining.machine import Machine


def _baseline(machine: Machine, B: int) -> Fraction:
    """One dimension after the other, in messages of half the blocks."""
    return sum(n - 1 for n in machine.shape) * machine.cost.time(machine.nodes // 2 * B)


def _quadrant(machine: Machine, B: int) -> Fraction:
    """Partners in the other 2^c - 1 quadrants, one after the other, from coarse to fine."""
    n, partners = machine.shape[0], (1 << machine.c) - 1
    return partners * (n - 1) * machine.cost.time((machine.nodes >> machine.c) * B)


def _direct(machine: Machine, B: int) -> Fraction:
    """Each block goes straight to its destination."""
    return direct_steps(machine.mesh) * machine.cost.time(B)


def _level(machine: Machine, r: int, h: int, B: int, axes: int | None = None) -> Fraction:
    """One digit of radix r, at distance h, on so many axes together; on all if left out."""
    axes = axes or machine.c
    steps = machine.c // axes * level_steps(r, h, axes)
    return steps * machine.cost.time(machine.nodes // r**axes * B)


def _overlapped(machine: Machine, B: int) -> Fraction:
    """Partners across complementary sets of axes are served at once."""
    distances = (1 << k for k in range(machine.d // machine.c))
    return sum((_level(machine, 2, h, B) for h in distances), Fraction(0))


def _hybrid(machine: Machine, B: int) -> Fraction:
    """Overlapped quadrants inside blocks of the best side, then direct between the blocks."""
    combined, times = Fraction(0), []
    for k in range(machine.d // machine.c):
        side = 1 << k
        times.append(combined + _level(machine, machine.shape[0] // side, side, B))
        combined += _level(machine, 2, side, B)
    return min(times)


def _levels(machine: Machine, B: int) -> Fraction:
    """Shortest path over h = 1, ..., n: from h to r h by the cheaper of two kinds of level."""
    n = machine.shape[0]
    best = {1: Fraction(0)}
    for target in (2 << k for k in range(n.bit_length() - 1)):
        best[target] = min(
            best[h] + min(_level(machine, target // h, h, B, axes) for axes in (1, machine.c))
            for h in best
        )
    return best[n]


def _relayed(machine: Machine, B: int) -> Fraction:
    """At least what a node has to pass on when blocks go between neighbours only."""
    n, c = machine.shape[0], machine.c
    volume = c * (n * n // 2 - 1) * (machine.nodes // n) * B
    lines = machine.cost.supports  # a bound: no message is below any of them
    times = (c * (n - 1) * line.alpha + volume * line.tau for line in lines)
    return max(times, default=Fraction(0))


def _calmant(model: Any, machine: Machine, B: int) -> Fraction:
    """Pipelined, with the best degree under a model of the steps."""
    from lccmodel.pipelining.degree import optimal_degree

    return Fraction(optimal_degree(machine, machine.nodes // 2 * B, model=model).time)


Provenance = Literal["printed", "derived", "reconstructed"]
CostRule = Callable[[Machine, int], Fraction]


@dataclass(frozen=True, slots=True)
class ExchangeMethod:
    """A method of complete exchange and its cost.

    Attributes:
        name: the key in `METHODS`.
        title: for legends.
        provenance: "printed", "derived" or "reconstructed".
        formula, latex: the cost.
        reason: why this cost is right, or how the method was rebuilt.
        is_bound: the cost is what the method cannot beat, and no schedule is claimed.
        cost: (machine, B) -> time.
        equal_sides: whether it is known for meshes of equal sides only.
    """

    name: str
    title: str
    provenance: Provenance
    formula: str
    latex: str
    reason: str
    is_bound: bool
    cost: CostRule
    equal_sides: bool = False


@typed_arguments
def exchange_time(method: str, machine: Machine, B: int) -> Fraction:
    """Return the time that a method takes to exchange blocks of B items.

    Args:
        method: a key of `METHODS`.
        machine: a mesh with one port and no barrier.
        B: items in a block, at least 1.

    Raises:
        InputError: an unknown method, another machine, or B < 1.

    >>> machine = Machine("16x16", alpha=100, tau=1)
    >>> [int(exchange_time(name, machine, 16)) for name in ("baseline", "quadrant", "direct")]
    [64440, 50580, 118784]
    """
    if method not in METHODS:
        reason = LEFT_OUT.get(method)
        rule = word_rule(method, METHODS, f" ({reason})" if reason else "")
        raise InputError("method", rule, method)
    _check(machine)
    if METHODS[method].equal_sides and len(set(machine.shape)) > 1:
        known = ", ".join(methods_for(machine))
        rule = f"is known for meshes of equal sides only; {machine.mesh.spec} has {known}"
        raise InputError("method", rule, method)
    return METHODS[method].cost(machine, checked_block(B))


def methods_for(machine: Machine) -> tuple[str, ...]:
    """The methods that are known for the mesh of a machine.

    >>> methods_for(Machine("4x8", 1, 1))[-2:]
    ('binary', 'direct')
    """
    equal = len(set(machine.shape)) == 1
    return tuple(
        name
        for name, method in METHODS.items()
        if equal or not (method.equal_sides or name == "calmant-paper")
    )


@typed_arguments
def exchange_times(
    machine: Machine, blocks: Sequence[int], methods: Sequence[str] | None = None
) -> dict[str, tuple[Fraction, ...]]:
    """Return the times of several methods for several block sizes.

    Args:
        machine: a mesh with one port and no barrier.
        blocks: values of B.
        methods: keys of `METHODS`; all that the mesh has if left out.

    Raises:
        InputError: as for `exchange_time`.

    >>> exchange_times(Machine("4x4", 1, 1), [1, 2], ["baseline"])
    {'baseline': (Fraction(54, 1), Fraction(102, 1))}
    """
    names = methods_for(machine) if methods is None else tuple(methods)
    return {name: tuple(exchange_time(name, machine, B) for B in blocks) for name in names}


def _check(machine: Machine) -> None:
    if machine.on_torus or machine.ports != "one":
        rule = "must be a mesh with one port: that is what the methods are known for"
        raise InputError("machine", rule, machine)
    if machine.barrier:
        rule = "must be 0: methods are compared without barriers, as in the paper"
        raise InputError("machine.barrier", rule, machine.barrier)


# -- the methods --------------------------------------------------------------------------


def _calmant_method(model: str, title: str, reason: str) -> ExchangeMethod:
    return ExchangeMethod(
        f"calmant-{model}",
        title,
        "derived",
        "min over 1 <= Q <= N of sum over t of P(task t) (α + (N/Q) τ), N = 2^(d-1) B",
        r"\min_{1\le Q\le N}\sum_{t=0}^{d+Q-2}P\langle i_t,M_t\rangle_c"
        r"\,(\alpha+\tfrac{N}{Q}\tau),\ N=2^{d-1}B",
        reason,
        model in ("load", "lower-bound"),
        partial(_calmant, model),
    )


_ALL = (
    ExchangeMethod(
        "baseline",
        "CC-cube",
        "printed",
        "c (n - 1) (α + 2^(d-1) B τ)",
        r"c\,(n-1)(\alpha+2^{d-1}B\tau)",
        "[calmant 2.3]: one dimension after the other, in messages of half the blocks.",
        False,
        _baseline,
    ),
    _calmant_method(
        "load",
        "CALMANT, link load only",
        "P is the load of the busiest link: no schedule is claimed, and one port may need more.",
    ),
    _calmant_method(
        "lower-bound",
        "CALMANT, lower bound of its tasks",
        "P is the larger of link load and one-port bound [calmant, Theorem 4].",
    ),
    _calmant_method(
        "paper",
        "CALMANT, the paper's schedules",
        "P counts the schedules of [calmant 3.2, 4.2], whose closed forms are not reliable.",
    ),
    _calmant_method(
        "schedule",
        "CALMANT, this project's schedules",
        "P counts the schedules of this project, which are replayed without conflict.",
    ),
    ExchangeMethod(
        "binary",
        "Binary exchange",
        "reconstructed",
        "c (n - 1) (α + 2^(d-1) B τ)",
        r"c\,(n-1)(\alpha+2^{d-1}B\tau)",
        "The mesh is halved axis after axis, and each node exchanges half of its data with a "
        "partner in the other half. Between halves of h nodes to a line h messages have to cross "
        "one link, so it takes h steps, and 1 + 2 + ... + n/2 = n - 1: the baseline.",
        False,
        _baseline,
    ),
    ExchangeMethod(
        "quadrant",
        "Quadrant exchange, partners in turn",
        "reconstructed",
        "(2^c - 1) (n - 1) (α + 2^(d-c) B τ)",
        r"(2^c-1)(n-1)(\alpha+2^{d-c}B\tau)",
        "The mesh is cut into 2^c parts; each node exchanges 2^(d-c) blocks with its partner in "
        "each of the others, one partner after the other, h steps each for parts of side h.",
        False,
        _quadrant,
        equal_sides=True,
    ),
    ExchangeMethod(
        "quadrant-overlapped",
        "Quadrant exchange, overlapped",
        "derived",
        "(2^(c-1) n - 1) (α + 2^(d-c) B τ)",
        r"\bigl(2^{c-1}n-1\bigr)(\alpha+2^{d-c}B\tau)",
        "The same messages, as two partners that lie across complementary sets of axes are served "
        "at once: h 2^(c-1) steps, which the links across the cuts need in any schedule.",
        False,
        _overlapped,
        equal_sides=True,
    ),
    ExchangeMethod(
        "direct",
        "Direct exchange",
        "derived",
        "(n^(c+1)/4) (α + B τ); 2^c - 1 messages for n = 2",
        r"\tfrac{1}{4}n^{c+1}(\alpha+B\tau)",
        "Each block goes straight to its destination, in as many phases as the bisection needs; "
        "the phases are constructed in `direct_exchange` for every c. The paper cites the method "
        "by its name.",
        False,
        _direct,
    ),
    ExchangeMethod(
        "hybrid",
        "Hybrid: quadrants in blocks, then direct",
        "reconstructed",
        "min over g | n, g < n: (2^(c-1) g - 1)⁺ (α + 2^(d-c) B τ) + (n^(c+1)/(4 g^c)) "
        "(α + g^c B τ)",
        r"\min_{g}\ (2^{c-1}g-1)(\alpha+2^{d-c}B\tau)+\tfrac{n^{c+1}}{4g^c}(\alpha+g^cB\tau)",
        "Messages are combined inside blocks of side g by overlapped quadrant exchange, then sent "
        "directly between equal places of the blocks; the best g. That indirect and direct "
        "exchange are mixed is all that the name says. For g = 1 it is direct exchange; the last "
        "level with n/g = 2 takes g 2^(c-1) steps, or 2^c - 1 for n = 2.",
        False,
        _hybrid,
        equal_sides=True,
    ),
    ExchangeMethod(
        "levels",
        "Levels of direct exchange",
        "derived",
        "min over n = r_1 ... r_l, h = r_1 ... r_(k-1): sum over k of the smaller of "
        "(h r^(c+1)/4) (α + (2^d/r^c) B τ) and c (h r²/4) (α + (2^d/r) B τ)",
        r"\min_{n=r_1\cdots r_\ell}\sum_k\min\bigl\{\tfrac{h_kr_k^{c+1}}{4}(\alpha+"
        r"\tfrac{2^d}{r_k^c}B\tau),\,\tfrac{c\,h_kr_k^2}{4}(\alpha+\tfrac{2^d}{r_k}B\tau)\bigr\}",
        "Digits of any radices, each corrected on all axes together or axis by axis, with the "
        "schedules of `direct_exchange` (for r = 2 the steps of `level_steps`). No pipelining; "
        "direct, hybrid, overlapped quadrant and baseline are special cases.",
        False,
        _levels,
        equal_sides=True,
    ),
    ExchangeMethod(
        "store-and-forward",
        "Store and forward",
        "derived",
        "at least c (n - 1) α + c (n²/2 - 1) n^(c-1) B τ",
        r"\ge c\,(n-1)\alpha+c\,(\tfrac{n^2}{2}-1)\,n^{c-1}B\tau",
        "With messages between neighbours only, a block for the opposite corner makes c (n - 1) "
        "hops, and axis by axis a node at coordinates n/2 passes on n²/2 - 1 blocks for each of "
        "n^(c-1) lines and each axis, one after another. The baseline has as many start-ups and "
        "less volume for n > 2, so this is never faster, however it is scheduled in rounds.",
        True,
        _relayed,
        equal_sides=True,
    ),
)

METHODS: Mapping[str, ExchangeMethod] = MappingProxyType({method.name: method for method in _ALL})
"""Name -> method, the baseline first."""

LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        "cyclic": "the paper cites it without saying how it works, and its name does not tell; "
        "no formula could be found",
        "modified quadrant": "the paper cites it without saying what is modified; if it sends the "
        "messages of quadrant exchange, quadrant-overlapped is as fast as it can be",
    }
)
"""Methods of [calmant 5] without a cost -> why."""
