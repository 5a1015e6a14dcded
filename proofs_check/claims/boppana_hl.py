"""Algorithm HL on hypercubes by what a processor sees: [boppana, Lemmas 4 and 5, Theorem 1].

In state A a processor corrects the lowest bit that was not used; in state B one with two tags
corrects the lowest bit in which they differ, the others nothing. Every processor sends all of its
tags that disagree in the bit that it corrects; that this is one at most is part of Lemma 4. With
LITERAL it follows the words "route one of them" instead: a processor with two tags sends the one
that disagrees and does not look at the other (Corollary 1).

hosts[t, y] is the processor that holds tag y after t steps; the map y -> hosts[t, y] is what the
paper's proof calls the distribution of tags.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel, lowest_bit
from proofs_check.arrays import Ints
from proofs_check.claim import Claim, Control, Sizes
from proofs_check.domain import PERMUTATIONS
from proofs_check.driver import Case, compiled_claim, tags_of
from proofs_check.stations import messages

AS_PRINTED, IGNORES_TAGS, MSB, LITERAL = 0, 1, 2, 4
"""Flags of `run`; they add up."""


def arrays_of_a_run(n: int) -> tuple[Ints, Ints, Ints]:
    """`hosts`, `bits` and `sent` of `run`, to be filled."""
    size = 1 << n
    return np.empty((n + 1, size), np.int64), *np.empty((2, n, size), np.int64)


@kernel
def run(n: int, tags: Ints, flags: int, idle: int, hosts: Ints, bits: Ints, sent: Ints) -> None:
    """Run n steps of HL on any permutation.

    Args:
        n: number of address bits.
        tags: the tag of every processor before step 1.
        flags: AS_PRINTED, or a sum of IGNORES_TAGS (state B is treated as state A), MSB (the most
            significant bits are taken), LITERAL (a processor with two tags looks for one to send).
        idle: a processor that never sends; -1 for none.
        hosts: receives the processor of every tag, shape (n + 1, 2^n).
        bits: receives the bit that each processor corrects in each step, -1 for none; (n, 2^n).
        sent: receives the number of tags that each processor sends in each step; (n, 2^n).
    """
    size = 1 << n
    held, differing = np.empty((2, size), np.int64)
    for x in range(size):
        hosts[0, tags[x]] = x
    used = 0
    for t in range(n):
        crowd = _look(hosts[t], held, differing)
        state_a = crowd == 1 or flags & IGNORES_TAGS != 0
        taken = 0
        for u in range(size):
            bits[t, u] = -1
            sent[t, u] = 0
            if held[u] == 0:
                continue
            options = ~used & (size - 1) if state_a else differing[u]
            if options:
                bits[t, u] = _extreme(n, options, flags & MSB != 0)
                taken |= 1 << bits[t, u]
        used |= taken
        for y in range(size):
            u = hosts[t, y]
            hosts[t + 1, y] = u
            j = bits[t, u]
            if j < 0 or u == idle or not (u ^ y) >> j & 1:
                continue
            if flags & LITERAL != 0 and sent[t, u] == 1:
                continue  # one tag was found already
            hosts[t + 1, y] = u ^ (1 << j)
            sent[t, u] += 1


@kernel
def run_in_order(n: int, tags: Ints, ignores_tags: bool, order: Ints) -> int:
    """Run HL; `order` receives the bit of every step.

    Args:
        n: number of address bits.
        tags: the destination of the message of every node, int64 of shape (2^n,).
        ignores_tags: a wrong algorithm, which treats state B as state A.

    Returns: the most tags that a processor sends in a step; -1 if a state is neither A nor B, or
    the processors that hold tags do not all correct one bit that is unused.
    """
    size = 1 << n
    hosts = np.empty((n + 1, size), np.int64)
    bits, sent = np.empty((2, n, size), np.int64)
    run(n, tags, IGNORES_TAGS if ignores_tags else AS_PRINTED, -1, hosts, bits, sent)
    used = 0
    for t in range(n):
        bit = bits[t, hosts[t, 0]]
        for y in range(size):  # in a state that is neither, some hold one tag and correct nothing
            if bits[t, hosts[t, y]] != bit:
                return -1
        if bit < 0 or used >> bit & 1:
            return -1
        used |= 1 << bit
        order[t] = bit
    return int(sent.max()) if n else 0


@kernel
def _look(hosts: Ints, held: Ints, differing: Ints) -> int:
    """Count the tags of every processor, and or their differences; returns the largest count."""
    first = np.empty(len(held), np.int64)
    for u in range(len(held)):
        held[u] = differing[u] = 0
    for y in range(len(hosts)):
        u = hosts[y]
        if held[u] == 0:
            first[u] = y
        differing[u] |= first[u] ^ y
        held[u] += 1
    return int(held.max())


@kernel
def _extreme(n: int, options: int, most: bool) -> int:
    if not most:
        least: int = lowest_bit(np.uint64(options))
        return least
    j = n - 1
    while not options >> j & 1:
        j -= 1
    return j


def tags_by_step(tags: list[int], flags: int = 0, idle: int = -1) -> list[dict[int, list[int]]]:
    """The tags of every processor before step 1 and after every step.

    >>> tags_by_step([0, 2, 1, 3])
    [{0: [0], 1: [2], 2: [1], 3: [3]}, {0: [0, 2], 3: [1, 3]}, {0: [0], 1: [1], 2: [2], 3: [3]}]
    """
    size = len(tags)
    n = size.bit_length() - 1
    hosts, bits, sent = arrays_of_a_run(n)
    run(n, np.array(tags), flags, idle, hosts, bits, sent)
    states: list[dict[int, list[int]]] = []
    for row in hosts.tolist():
        state: dict[int, list[int]] = {}
        for y in sorted(range(size), key=lambda y: (row[y], y)):
            state.setdefault(row[y], []).append(y)
        states.append(state)
    return states


# -- what is claimed of a run -------------------------------------------------------------------

_ONE_MOVES, _AFFINE, _STATES, _SAME_RULE, _EACH_ONCE, _ROUTED, _LINKS = range(7)


@kernel
def _passes(n: int, what: int, spoilt: int, hosts: Ints, bits: Ints, sent: Ints) -> bool:
    if what == _ONE_MOVES:
        return bool(sent.max() <= 1)
    if what == _AFFINE:
        return _stays_affine(n, hosts)
    if what == _STATES:
        return _only_a_or_b(n, hosts)
    if what == _SAME_RULE:
        return _follows_rule(n, spoilt, hosts, bits)
    if what == _EACH_ONCE:
        return _bits_once(n, hosts, bits)
    if what == _ROUTED:
        return _routed_minimally(n, n - spoilt, hosts, sent)
    return _links_once(n, hosts)


@kernel
def _stays_affine(n: int, hosts: Ints) -> bool:
    for t in range(n + 1):
        for y in range(1, 1 << n):
            low = y & -y
            if hosts[t, y] ^ hosts[t, y ^ low] != hosts[t, low] ^ hosts[t, 0]:
                return False
    return True


@kernel
def _only_a_or_b(n: int, hosts: Ints) -> bool:
    held = np.empty(1 << n, np.int64)
    for t in range(n + 1):
        held[:] = 0
        for y in range(1 << n):
            held[hosts[t, y]] += 1
        ones = twos = 0
        for count in held:
            ones += count == 1
            twos += count == 2
        if ones != 1 << n and (ones != 0 or twos != (1 << n) >> 1):
            return False
    return True


@kernel
def _follows_rule(n: int, shift: int, hosts: Ints, bits: Ints) -> bool:
    """Each step is that of Claim 1's rule in the one bit that the processors correct."""
    for t in range(n):
        p = (bits[t].max() + shift) % n
        for y in range(1 << n):
            u = hosts[t, y]
            if bits[t, u] >= 0 and bits[t, u] != bits[t].max():
                return False
            if hosts[t + 1, y] != u ^ ((u ^ y) & (1 << p)):
                return False
    return True


@kernel
def _bits_once(n: int, hosts: Ints, bits: Ints) -> bool:
    used = 0
    for t in range(n):
        p = bits[t].max()
        if p < 0 or used >> p & 1:
            return False
        used |= 1 << p
        for y in range(1 << n):
            u = hosts[t, y]
            if (bits[t, u] >= 0 and bits[t, u] != p) or (hosts[t + 1, y] ^ y) & used:
                return False
    return used == (1 << n) - 1


@kernel
def _routed_minimally(n: int, steps: int, hosts: Ints, sent: Ints) -> bool:
    if sent.max() > 1:
        return False
    for y in range(1 << n):
        hops = distance = 0
        for t in range(steps):
            hops += hosts[t, y] != hosts[t + 1, y]
        for j in range(n):
            distance += (hosts[0, y] ^ y) >> j & 1
        if hosts[steps, y] != y or hops != distance:
            return False
    return True


@kernel
def _links_once(n: int, hosts: Ints) -> bool:
    """Each link is used in one step at most, by one tag in each direction at most."""
    step_of = np.full((1 << n, n), -1, np.int64)
    crossed = np.zeros((1 << n, n), np.int64)
    for t in range(n):
        for y in range(1 << n):
            u, v = hosts[t, y], hosts[t + 1, y]
            if u == v:
                continue
            j = lowest_bit(np.uint64(u ^ v))
            crossed[u, j] += 1
            link = min(u, v)
            if crossed[u, j] > 1 or (step_of[link, j] >= 0 and step_of[link, j] != t):
                return False
            step_of[link, j] = t
    return True


def _holds(
    case: Case,
    hosts: Ints,
    bits: Ints,
    sent: Ints,
    what: int,
    flags: int,
    ignores_tags: bool = False,
    idle: int = -1,
    spoilt: int = 0,
) -> bool:
    """HL run on one permutation, and what is claimed of the run."""
    given = flags | IGNORES_TAGS if ignores_tags else flags
    run(case.n, tags_of(case), given, idle, hosts, bits, sent)
    return _passes(case.n, what, spoilt, hosts, bits, sent)


def _declare(
    name: str, place: str, says: str, latex: str, what: int, control: Control, flags: int = 0
) -> Claim:
    """A claim on every linear-complement permutation; the control's parameters are those below."""

    made = compiled_claim(
        f"boppana.{name}",
        place=place,
        says=says,
        latex=latex,
        over=PERMUTATIONS.described("all linear-complement permutations y = Ax + b"),
        evidence="HL run by what each processor sees, every tag followed",
        control=control,
        sizes=Sizes(most=4, limit=6),
        samples={5: 5000, 6: 1000},
        tables=lambda n, **_: (*arrays_of_a_run(n), what, flags),
    )(_holds)

    @made.explain
    def show(
        A: GF2Matrix, b: GF2Vector, *, ignores_tags: bool = False, idle: int = -1, spoilt: int = 0
    ) -> Mapping[str, Any]:
        given = flags | (IGNORES_TAGS if ignores_tags else 0)
        return {"tags": tags_by_step([y for _, y in messages(A, int(b))], given, idle)}

    return made


_BLIND = Control("state B treated as state A", ignores_tags=True)
_IDLE = Control("processor 0 never sends", idle=0)
_LEMMA_4 = "Section 2.4, Lemma 4"

_declare(
    "lem4.a",
    f"{_LEMMA_4} (a)",
    "in any step of HL a processor sends at most one tag: at most one disagrees with it in the bit "
    "that it corrects",
    r"|\{y \in x : y_p \ne x_p\}| \le 1",
    _ONE_MOVES,
    _BLIND,
)
_declare(
    "lem4.b",
    f"{_LEMMA_4} (b)",
    "after every step of HL the map from tags to processors is affine",
    r"x = T(y) \oplus k \text{ after each step}",
    _AFFINE,
    _IDLE,
)
_declare(
    "lem4.c",
    f"{_LEMMA_4} (c)",
    "after every step of HL the hypercube is in state A or in state B",
    r"|T^{-1}(x)| \in \{1\} \text{ or } \{0, 2\}",
    _STATES,
    _IDLE,
)
_declare(
    "cor1",
    "Section 2.4, Corollary 1",
    "a step of HL, where a processor with two tags sends one of them, is the step of Claim 1's "
    "rule in the bit that HL chooses",
    r"x' = x \oplus (x_p \oplus y_p) e_p",
    _SAME_RULE,
    Control("the rule in the next bit", spoilt=1),
    LITERAL,
)
_declare(
    "cor2",
    "Section 2.4, Corollary 2",
    "HL corrects each bit in exactly one step; from then on every tag agrees with its processor in "
    "that bit",
    r"x_p = y_p \text{ after } p \text{ is corrected}",
    _EACH_ONCE,
    _IDLE,
)
_declare(
    "thm1",
    "Section 2.4, Theorem 1",
    "HL routes every linear-complement permutation in n steps along shortest paths, and a "
    "processor sends at most one tag in a step",
    r"n \text{ steps},\quad \text{hops}(x \to y) = |x \oplus y|",
    _ROUTED,
    Control("in n - 1 steps", spoilt=1),
)
_declare(
    "lem5",
    "Section 3.2, Lemma 5",
    "under HL two adjacent processors communicate in at most one step, with at most one tag in "
    "each direction; so the paths of all messages can be set up at once",
    r"\operatorname{load}(u, v) \le 1",
    _LINKS,
    _BLIND,
)
_declare(
    "omega.linear",
    "Section 4",
    "choosing the most significant bit wherever there is a choice, HL still routes every "
    "linear-complement permutation in n steps",
    r"n \text{ steps},\quad \text{hops}(x \to y) = |x \oplus y|",
    _ROUTED,
    Control("in n - 1 steps", spoilt=1),
    MSB,
)


# -- subcubes ----------------------------------------------------------------------------------


def _keeps_to_parts(
    case: Case, hosts: Ints, bits: Ints, sent: Ints, in_order: bool = False
) -> bool:
    """After each step the bits used cut the cube into parts of equally many tags, which stay."""
    n = case.n
    run(n, tags_of(case), AS_PRINTED, -1, hosts, bits, sent)
    held = np.empty(1 << n, np.int64)
    used = 0
    for t in range(n):
        used |= 1 << (t if in_order else bits[t].max())
        held[:] = 0
        for y in range(1 << n):
            part = hosts[t + 1, y] & used
            held[part] += 1
            for later in range(t + 2, n + 1):
                if hosts[later, y] & used != part:
                    return False
        for x in range(1 << n):
            if x & used == x and held[x] != 1 << n - t - 1:
                return False
    return True


subcubes = compiled_claim(
    "boppana.subcubes",
    place="Section 3.3",
    says="after the first routing step the bit that was corrected cuts the cube into two subcubes "
    "with 2^(n-1) tags each, and no tag goes to the other subcube later; after t steps there are "
    "2^t subcubes with 2^(n-t) tags each in the same way",
    printed="the Q_n can be viewed as two subcubes, Q_(n-1), with each subcube having 2^(n-1) "
    "tags. In the remaining steps of the algorithm, each subcube routes tags among its processors, "
    "and does not send any tag to the other subcube. This observation can be applied for the "
    "remaining routing steps too.",
    latex=r"|\{y : x(y)_S = s\}| = 2^{n-|S|}",
    over=PERMUTATIONS.described("all linear-complement permutations y = Ax + b"),
    evidence="HL run by what each processor sees, every tag followed",
    control=Control("cut by the t lowest bits, whichever were corrected", in_order=True),
    sizes=Sizes(most=4, limit=6),
    samples={5: 5000, 6: 1000},
    tables=lambda n, **_: arrays_of_a_run(n),
)(_keeps_to_parts)


@subcubes.explain
def _show_subcubes(A: GF2Matrix, b: GF2Vector, *, in_order: bool = False) -> Mapping[str, Any]:
    return {"tags": tags_by_step([y for _, y in messages(A, int(b))])}
