"""Fat trees routed by destination or source: loads by ranks, orders that are free of contention.

The tree is built here, switch by switch, from its definition: at level l stands a switch for every
(u_1 ... u_(l-1); x_l ... x_(n-1)) of a binary n-tree, bits from the lowest on; a message goes up by
the bits of its destination (source) until the destination is below, and down. Links above level l
are those of every 2^d-ary tree whose switches of that level have as many hosts below, since their
names do not depend on d; so one binary tree shows all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Sample, Sizes, Stated, claim
from proofs_check.domain import PAIRS, PERMUTATIONS
from proofs_check.packed import rank_of
from proofs_check.stations import in_places, messages

Digits = tuple[int, ...]
Switch = tuple[int, Digits, Digits]
Link = tuple[Switch, Switch]

_WALKED = (
    "the switches of the binary tree built from their definition, every message sent from switch "
    "to switch, and the messages counted on every link"
)

STATED = Stated(place="Fat trees", evidence=_WALKED, sizes=Sizes(most=3, limit=5))


# -- the tree ---------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)
def _digits(number: int, down: tuple[int, ...]) -> Digits:
    digits = []
    for base in down:
        number, digit = divmod(number, base)
        digits.append(digit)
    return tuple(digits)


def climb(x: int, y: int, name: int, down: tuple[int, ...]) -> Iterator[Link]:
    """The links between switches that a message from host x to host y takes, routed by `name`.

    A switch of level l has down[l - 1] children, and as many parents.
    """
    goal, ports = _digits(y, down), _digits(name, down)
    at: Switch = (1, (), _digits(x, down)[1:])
    while at[2] != goal[at[0] :]:
        level, low, high = at
        above = (level + 1, (*low, ports[level - 1]), high[1:])
        yield at, above
        at = above
    while at[0] > 1:
        level, low, high = at
        below = (level - 1, low[:-1], (goal[level - 1], *high))
        yield at, below
        at = below


def busiest(pairs: Sequence[tuple[int, int]], n: int, *, by_source: bool = False) -> list[int]:
    """Messages on the busiest link up and down, of level 1, 2, ..., n - 1: up_1, down_1, up_2."""
    used: Counter[Link] = Counter()
    for x, y in pairs:
        used.update(climb(x, y, x if by_source else y, (2,) * n))
    found = [0] * (2 * (n - 1))
    for (tail, head), count in used.items():
        row = 2 * min(tail[0], head[0]) - 2 + (tail[0] > head[0])
        found[row] = max(found[row], count)
    return found


# -- what ranks say ---------------------------------------------------------------------------


def _cut(A: GF2Matrix, rows: range, columns: range) -> list[int]:
    mask = sum(1 << j for j in columns)
    return [A.rows[i] & mask for i in rows]


def _turning(A: GF2Matrix, b: GF2Vector, s: int) -> list[int]:
    """The rows of N = [A_HS | (I + A)_HH | b_H]: what x_H + y_H is, as a function of x."""
    n = len(b)
    return [A.rows[i] ^ 1 << i | b[i] << n for i in range(s, n)]


def stated(A: GF2Matrix, b: GF2Vector, *, scatter: bool, by_source: bool, turn: bool) -> list[int]:
    """The loads that the formula states; `turn` False forgets the messages that turned."""
    n, found = len(b), list[int]()
    for s in range(1, n):
        # routed by source, a message takes the path of its answer, the other way
        up, down = _by_destination(A, b, s, scatter != by_source)
        lost_up, lost_down = (up[1], down[1]) if turn else (0, 0)
        pair = [up[0] - lost_up, down[0] - lost_down]
        found += pair[::-1] if by_source else pair
    return found


def _by_destination(
    A: GF2Matrix, b: GF2Vector, s: int, scatter: bool
) -> tuple[tuple[int, int], tuple[int, int]]:
    """((messages at the name of a link, those of them that turned everywhere), the same down)."""
    n = len(b)
    S, H, everything = range(s), range(s, n), range(n)
    N = _turning(A, b, s)
    if scatter:
        columns = [sum((row >> j & 1) << i for i, row in enumerate(N)) for j in range(n + 1)]
        high = [A.rows[i] >> s for i in H]
        stays = all(not any((row & column).bit_count() & 1 for row in high) for column in columns)
        return (1 << n - s - rank_of(high), int(stays)), (1, int(not any(N)))
    inside, rank = rank_of(_cut(A, S, S)), rank_of(_cut(A, everything, S))
    turned, free, ways = 1 << s - rank, n - rank_of(A.rows), rank_of(N)
    up = (1 << s - inside, turned if ways == rank - inside else 0)
    down = (1 << free, turned if ways == free - s + rank else 0)
    return up, down


# -- the claims -------------------------------------------------------------------------------


@claim(
    "lattice.fattree.load",
    says="routed by destination, the busiest link above switches with 2^s hosts carries "
    "2^(s - rank A_SS) - t 2^(s - rank A_.S) messages of y = Ax + b going up, where t = 1 if "
    "rank [A_HS | (I+A)_HH | b_H] = rank A_.S - rank A_SS and else 0; the loads going down, those "
    "of a scatter, and those of routing by source are stated alike",
    latex=r"2^{s-\operatorname{rank}A_{SS}} - t\,2^{s-\operatorname{rank}A_{\cdot S}}",
    over=PAIRS,
    control=Control("no message turns", turn=False),
    samples={4: Sample(24, 64), 5: Sample(8, 32)},
)
def load(A: GF2Matrix, b: GF2Vector, *, turn: bool = True) -> Finding:
    """A message above the switch is at p_S(x); the ones of a link that turned are a coset too."""
    shown: dict[str, Any] = {}
    for scatter in (False, True):
        for by_source in (False, True):
            counted = busiest(messages(A, int(b), scatter), len(b), by_source=by_source)
            said = stated(A, b, scatter=scatter, by_source=by_source, turn=turn)
            if counted != said:
                shown = {"scatter": scatter, "by source": by_source, "counted": counted}
                return Finding(False, **shown, stated=said)
    return Finding(True)


def _free_by_minors(A: GF2Matrix, b: GF2Vector, turn: bool) -> bool:
    """Every leading minor is 1, or one rank is missing and on every link a message turned."""
    for s in range(1, len(b)):
        missing = s - rank_of(_cut(A, range(s), range(s)))
        if missing and not (turn and missing == 1 == rank_of(_turning(A, b, s))):
            return False
    return True


@claim(
    "lattice.fattree.free",
    says="a nonsingular y = Ax + b is free of contention on the binary tree routed by destination "
    "⇔ for every s the leading s by s submatrix is nonsingular, or has rank s - 1 while "
    "rank [A_HS | (I+A)_HH | b_H] = 1; on the 2^d-ary tree the same for s = d, 2d, ...",
    latex=r"\forall s:\ \det A_{SS} = 1 \ \lor\ (\operatorname{rank} A_{SS} = s-1 \land "
    r"\operatorname{rank}[A_{HS}|(I+A)_{HH}|b_H] = 1)",
    over=PERMUTATIONS,
    control=Control("Edelman's condition: all leading submatrices nonsingular", turn=False),
    samples={4: 1500, 5: 300},
)
def free(A: GF2Matrix, b: GF2Vector, *, turn: bool = True) -> Finding:
    """Edelman's condition suffices, but is not needed: one of two messages may be at home."""
    counted = busiest(messages(A, int(b)), len(b))
    said = _free_by_minors(A, b, turn)
    return Finding((max(counted, default=0) <= 1) == said, counted=counted, stated=said)


def _least(A: GF2Matrix, b: GF2Vector) -> int:
    """The least load of the busiest link over all orders of the address bits."""
    n, pairs = len(b), messages(A, int(b))
    every = (busiest(in_places(pairs, order), n) for order in permutations(range(n)))
    return min(max(loads, default=0) for loads in every)


@claim(
    "lattice.fattree.least",
    says="every nonsingular y = Ax + b has an order of its address bits for which no link of the "
    "tree, routed by destination, carries more than two messages; one is not always enough",
    latex=r"\min_{\text{orders}} \max \text{load} \le 2",
    over=PERMUTATIONS.described("all nonsingular A and all b, each with all orders of the bits"),
    control=Control("one message", most=1),
    sizes=Sizes(most=3, limit=4),
    samples={4: 200},
)
def least(A: GF2Matrix, b: GF2Vector, *, most: int = 2) -> Finding:
    """Some order keeps at most two messages in every node (lattice.hl); an upward load is less."""
    found = _least(A, b)
    return Finding(found <= most, least=found)


@claim(
    "lattice.fattree.shift",
    says="y = x + s mod 2^n is free of contention on fat trees routed by destination, for every s",
    latex=r"y = x + s \bmod 2^n: \text{load} \le 1",
    over=numbers(lambda n: 1 << n, "all shifts s", "n, s"),
    control=Control("the same shifts with two bits exchanged", exchanged=True),
    sizes=Sizes(most=5, limit=8),
)
def shift(n: int, s: int, *, exchanged: bool = False) -> Finding:
    """The low bits of x + s name the low bits of x: one message at each name of a link.

    Known for real-life fat trees [Zahavi, Johnson, Kerbyson, Lang, 2010].
    """
    pairs = [(x, (x + s) % (1 << n)) for x in range(1 << n)]
    if exchanged and n > 1:
        pairs = [(x, _exchange(y, n)) for x, y in pairs]
    counted = busiest(pairs, n)
    return Finding(max(counted, default=0) <= 1, counted=counted)


def _exchange(y: int, n: int) -> int:
    """The lowest and the highest bit in each other's place."""
    low, high = y & 1, y >> n - 1 & 1
    return y & ~(1 | 1 << n - 1) | high | low << n - 1


@load.explain
def _loads(A: GF2Matrix, b: GF2Vector, *, turn: bool = True) -> Mapping[str, Any]:
    return {"up and down, by level": busiest(messages(A, int(b)), len(b))}
