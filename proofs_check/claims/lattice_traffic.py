"""Any traffic on the bit-correction lattice: what the subset programme of [hou, Theorem 6] needs.

A message from x to y stands at x xor ((x xor y) and S) once the bits in S are corrected, whatever
messages are sent and in whatever order S was corrected. So a step's load is a function of the set
and the step, and the subset programme of [hou, Theorem 6] is exact for any messages with volumes.
On a mesh the same holds of whole axes, and of nothing smaller.

For communications that run together max-sum adds, dimension by dimension, the loads of each
member's busiest channel. These need not be the same channel, so the busiest channel of all messages
together may carry less.

Everything here is walked: one message after the other, one channel after the other.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, claim
from proofs_check.domain import Enumerated
from proofs_check.stations import in_place
from proofs_check.walk import route, walked_contention

# -- communications that run together ----------------------------------------------------------


_DRAWN_PAIRS = 1000


def _pairs(n: int) -> Iterator[tuple[GF2Matrix, int, GF2Matrix, int]]:
    draw = random.Random(n)

    def matrix() -> GF2Matrix:
        return GF2Matrix.from_rows([draw.randrange(1 << n) for _ in range(n)], n)

    for _ in range(_DRAWN_PAIRS):
        yield matrix(), draw.randrange(1 << n), matrix(), draw.randrange(1 << n)


@claim(
    "lattice.joint",
    place="The objective max-sum",
    says="two communications that run together put as many messages on the busiest channel as the "
    "objective max-sum says, max_i (T_i(A1, b1) + T_i(A2, b2))",
    latex=r"\max_c\, (\lambda_1(c) + \lambda_2(c)) = \max_i\, (T_i(A_1,b_1) + T_i(A_2,b_2))",
    over=Enumerated(
        _pairs,
        size=lambda n: _DRAWN_PAIRS,
        names="A1, b1, A2, b2",
        text=f"{_DRAWN_PAIRS} random pairs of communications",
    ),
    evidence="all messages of both walked, every channel counted",
    control=Control("at most one less", allowance=1),
    amended=Amended(
        "the objective max-sum is an upper bound on the load of the busiest channel, which "
        "may be less. The members' busiest channels of a dimension need not be the same",
        latex=r"\max_c\, (\lambda_1(c) + \lambda_2(c)) \le \max_i\, (T_i(A_1,b_1) + T_i(A_2,b_2))",
        control=Control("the bound is one less where both degrees are 2^(n-1)", less=1),
        bound=True,
    ),
    sizes=Sizes(most=3, limit=5),
)
def joint_load(
    A1: GF2Matrix,
    b1: int,
    A2: GF2Matrix,
    b2: int,
    *,
    bound: bool = False,
    allowance: int = 0,
    less: int = 0,
) -> Finding:
    """[hou, section 4.3] calls max-sum the cost of members that run at the same time."""
    n = A1.n_columns
    used: Counter[tuple[int, int]] = Counter()
    for A, b in ((A1, b1), (A2, b2)):
        for x in range(1 << n):
            used.update(pairwise(route(x, A.apply(x) ^ b, range(n))))
    first, second = walked_contention(A1, b1), walked_contention(A2, b2)
    stated = max(i + j for i, j in zip(first, second, strict=True))
    if max(first) == max(second) == 1 << n - 1:
        stated -= less
    joint = max(used.values(), default=0)
    ok = joint <= stated if bound else stated - allowance <= joint <= stated - allowance
    return Finding(ok, joint=joint, max_sum=stated, T=[first, second])


# -- any traffic -------------------------------------------------------------------------------


Traffic = tuple[tuple[int, int, int], ...]
Order = tuple[int, ...]

_DRAWN = 200


def _traffics(n: int) -> Iterator[tuple[Traffic]]:
    draw = random.Random(n)
    for _ in range(_DRAWN):
        many = draw.randrange(3 << n)
        yield (
            tuple(
                (draw.randrange(1 << n), draw.randrange(1 << n), draw.randrange(1, 9))
                for _ in range(many)
            ),
        )


STATED = Stated(
    place="Any traffic",
    over=Enumerated(
        _traffics,
        size=lambda n: _DRAWN,
        names="traffic",
        text=f"{_DRAWN} random traffics of up to 3 * 2^n messages with volumes 1..8",
    ),
    evidence="all messages walked along all orders, every channel counted",
    sizes=Sizes(limit=5),
)


def _orders(n: int) -> list[Order]:
    return list(itertools.permutations(range(n)))


def _stepwise(
    traffic: Sequence[tuple[int, int, int]], order: Sequence[int], inside: int = 0
) -> list[int]:
    """The volume on the busiest channel of every step, all messages walked along the order."""
    used: Counter[tuple[int, int, int]] = Counter()
    for x, y, volume in traffic:
        nodes = route(x, y, order)
        for u, v in itertools.pairwise(nodes):
            used[u & ~inside, v & ~inside, u ^ v] += volume
    return [max((v for (_, _, d), v in used.items() if d == 1 << j), default=0) for j in order]


def _counted(traffic: Traffic, S: int, j: int, inside: int = 0) -> int:
    """The volume on the busiest channel of bit j after the set S, at p_S."""
    at: Counter[int] = Counter()
    for x, y, volume in traffic:
        if (x ^ y) >> j & 1:
            at[(x ^ (x ^ y) & S) & ~inside] += volume
    return max(at.values(), default=0)


@claim(
    "lattice.traffic.load",
    says="for any messages with volumes, the busiest channel of bit j carries the same after every "
    "order of the bits in S: the largest volume that stands at one p_S(x, y) and changes bit j",
    latex=r"p_S(x, y) = x \oplus ((x \oplus y) \wedge S)",
    control=Control("the set without its last bit", last=1),
)
def traffic_load(traffic: Traffic, *, last: int = 0) -> Finding:
    """Where a message stands is fixed by its ends and the set."""
    n = max((max(x, y).bit_length() for x, y, _ in traffic), default=1)
    for order in _orders(max(n, 1)):
        walked = _stepwise(traffic, order)
        for k, j in enumerate(order):
            S = sum(1 << i for i in order[: max(0, k - last)])
            if walked[k] != _counted(traffic, S, j):
                return Finding(False, order=order, bit=j, walked=walked[k])
    return Finding(True)


@claim(
    "lattice.traffic.internal",
    says="bits inside a node are projected out of the position: for any messages the loads between "
    "routers of two nodes each are counted at p_S without bit 0",
    latex=r"p_S(x, y) \wedge \overline{I}",
    evidence="all messages walked along all orders of the other bits, every channel counted",
    control=Control("positions with bit 0", projected=False),
    sizes=Sizes(least=2, limit=5),
)
def traffic_internal(traffic: Traffic, *, projected: bool = True) -> Finding:
    """Two nodes of a router share its channels."""
    n = max((max(x, y).bit_length() for x, y, _ in traffic), default=1)
    for order in itertools.permutations(range(1, n)):
        walked = _stepwise([(x, y & ~1 | x & 1, v) for x, y, v in traffic], order, 1)
        for k, j in enumerate(order):
            S = sum(1 << i for i in order[:k])
            if walked[k] != _counted(traffic, S, j, int(projected)):
                return Finding(False, order=order, bit=j, walked=walked[k])
    return Finding(True)


def _programme(n: int, cost: Callable[[int, int], int], total: Callable[..., int]) -> int:
    """[hou, Theorem 6]: the least max or sum along a path from the empty set to all bits."""
    full = (1 << n) - 1
    least = {full: 0}
    for S in range(full - 1, -1, -1):
        rest = [j for j in range(n) if not S >> j & 1]
        least[S] = min(total((cost(S, j), least[S | 1 << j])) for j in rest)
    return least[0]


def _greedy(n: int, cost: Callable[[int, int], int], total: Callable[..., int]) -> int:
    """Always the cheapest next step."""
    S, value = 0, 0
    while S != (1 << n) - 1:
        price, j = min((cost(S, j), j) for j in range(n) if not S >> j & 1)
        S, value = S | 1 << j, total((price, value))
    return value


@claim(
    "lattice.traffic.programme",
    place="[hou, Theorem 6] for any traffic",
    says="for any messages with volumes the subset programme, with counts for ranks, finds the "
    "least over all n! orders of the busiest channel, and of the sum over dimensions",
    latex=r"h(S) = \min_{j \notin S} c(S, j) \oplus h(S + j)",
    control=Control("always the cheapest next step", greedy=True),
)
def traffic_programme(traffic: Traffic, *, greedy: bool = False) -> Finding:
    """Counts are functions of the set and the step, which is all that the programme needs."""
    n = max((max(x, y).bit_length() for x, y, _ in traffic), default=1) or 1
    solve = _greedy if greedy else _programme
    for total in (max, sum):
        least = min(total(_stepwise(traffic, order)) for order in _orders(n))
        found = solve(n, lambda S, j: _counted(traffic, S, j), total)
        if found != least:
            return Finding(False, found=found, least=least, objective=total.__name__)
    return Finding(True)


# -- meshes and tori ------------------------------------------------------------------------


def _axis_run(c: int, d: int, length: int, ring: bool) -> list[tuple[int, int]]:
    """The channels (tail, direction) from c to d: the shorter way round a ring, + if equal."""
    step = 1 if c <= d else -1
    if ring:
        step = 1 if 2 * ((d - c) % length) <= length else -1
    used = []
    while c != d:
        used.append((c, step))
        c = (c + step) % length
    return used


def _on_grid(traffic: Traffic, order: Order, width: int, ring: bool) -> int:
    """The busiest channel of a grid whose axis 0 has the first `width` bits of the order."""
    used: Counter[tuple[object, ...]] = Counter()
    low, high = 1 << width, 1 << len(order) - width
    for x, y, volume in traffic:
        (r, c), (s, d) = (divmod(in_place(node, order), low) for node in (x, y))
        used.update({("x", r, *hop): volume for hop in _axis_run(c, d, low, ring)})
        used.update({("y", d, *hop): volume for hop in _axis_run(r, s, high, ring)})
    return max(used.values(), default=0)


def _block(traffic: Traffic, S: int, block: Order, ring: bool, single: bool) -> int:
    """The busiest channel when an ordered block of bits is corrected on one axis after S.

    With `single`, one bit after the other, each as if the channels were its own.
    """
    mask = sum(1 << j for j in block)
    parts = [block[k : k + 1] for k in range(len(block))] if single else [block]
    most, done = 0, S
    for part in parts:
        used: Counter[tuple[int, int, int]] = Counter()
        for x, y, volume in traffic:
            here = x ^ (x ^ y) & done
            c = sum((here >> j & 1) << k for k, j in enumerate(block))
            change = sum((x ^ y) >> j & 1 and 1 << block.index(j) for j in part)
            for tail, step in _axis_run(c, c ^ change, 1 << len(block), ring):
                used[here & ~mask, tail, step] += volume
        most = max(most, max(used.values(), default=0))
        done |= sum(1 << j for j in part)
    return most


def _grids(n: int) -> Iterator[tuple[Traffic, int, bool]]:
    for k, (traffic,) in enumerate(itertools.islice(_traffics(n), 60)):
        yield traffic, 1 + k % max(n - 1, 1), k % 2 == 1


_GRIDS = Enumerated(
    _grids,
    size=lambda n: 60,
    names="traffic, width, ring",
    text="60 random traffics on meshes and tori of two axes",
)


@claim(
    "lattice.traffic.axis",
    place="Meshes and tori",
    says="on a mesh or torus a step corrects one axis: an ordered block of bits after a set. The "
    "least over all ways to divide and order the bits is that over all n! orders",
    latex=r"\min_{S, T} \max(c(\emptyset, S), c(S, T))",
    over=_GRIDS,
    evidence="all messages walked on the grid in all n! orders of bits, every channel counted",
    control=Control("the bits of an axis one by one, each with channels of its own", single=True),
    sizes=Sizes(least=2, limit=5),
)
def traffic_axis(traffic: Traffic, width: int, ring: bool, *, single: bool = False) -> Finding:
    """A run along an axis uses channels that its single bits would use again."""
    n = max(width + 1, max((max(x, y).bit_length() for x, y, _ in traffic), default=1))
    least = min(_on_grid(traffic, order, width, ring) for order in _orders(n))
    found = None
    for first in itertools.combinations(range(n), width):
        rest = tuple(j for j in range(n) if j not in first)
        S = sum(1 << j for j in first)
        along = [
            min(_block(traffic, done, order, ring, single) for order in itertools.permutations(b))
            for done, b in ((0, first), (S, rest))
        ]
        found = max(along) if found is None else min(found, max(along))
    return Finding(found == least, found=found, least=least)
