"""Bridges: routing functions from forbidden turns, and networks of switches made by HL."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import lccmodel as lcc
from lccmodel.methods import partitioned, self_routing
from lccmodel.routing import TurnRouting
from lccmodel.wormhole.fft_program import parallel_fft
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.boppana_groups import by_tree, led
from proofs_check.claims.boppana_trees import PARTITIONED
from proofs_check.claims.hou_turns import FIXED, RINGS, is_safe
from proofs_check.claims.hou_worms import Sent, run
from proofs_check.domain import Enumerated

_DRAWN = 12
_FLITS = 17
"""Of the bit reversal of 2^n points on 2^n processors."""


def _rules(n: int) -> Iterator[tuple[int, str]]:
    draw = random.Random(n)
    pairs = [" ".join(pair) for pair in itertools.product(*RINGS)]
    for _ in range(_DRAWN):
        parts = [draw.choice(pairs) for _ in range(3)]
        yield n, " / ".join([*parts, str(draw.randrange(1, n))])


def _reversal(n: int) -> Sent:
    """One message from every node to the node with its bits in reverse, all at time 0."""
    goes = [int(format(x, f"0{n}b")[::-1], 2) for x in range(1 << n)]
    moves = [x != y for x, y in enumerate(goes)]
    first = np.concatenate([[0], np.cumsum(moves)])
    ends = np.array([y for x, y in enumerate(goes) if x != y], dtype=np.int64)
    return Sent(first, np.zeros(len(ends), dtype=np.int64), ends)


@claim(
    "library.turns",
    place="lccmodel.routing.TurnRouting, lccmodel.routing.deadlock_free",
    says="a rule that forbids turns is free of deadlock and connected, and takes so many cycles "
    "for the bit reversal, as the checker counts",
    over=Enumerated(
        _rules,
        size=lambda n: _DRAWN,
        names="n, rule",
        text=f"{_DRAWN} drawn rules, other turns within, across and above a drawn split",
    ),
    evidence="channels numbered round by round; worms simulated flit by flit under three tie rules",
    control=Control("a message a flit longer", flits=_FLITS + 1),
    sizes=Sizes(least=2, limit=5),
)
def library_turns(n: int, rule: str, *, flits: int = _FLITS) -> Finding:
    """[hou, section 6]: the family in which cited routing functions are reconstructed."""
    *parts, split = rule.split(" / ")
    within, across, above = (tuple(part.split()) for part in parts)
    function, cube = TurnRouting(within, across, above, int(split)), lcc.Hypercube(n)
    try:
        safe = bool(lcc.routing.deadlock_free(function, cube))
    except lcc.errors.InputError:
        safe = False  # a header without a way on
    if safe != is_safe(rule, n):
        return Finding(False, answer=safe)
    if not safe:
        return Finding(True)
    answer, ours = [], []
    for tie in FIXED:
        named: Any = tie.replace(" ", "-")
        found = parallel_fft(1 << n, cube, function, tie=named)
        answer.append(found.bit_reverse_cycles)
        ours.append(int(run(_reversal(n), flits, rule, tie)[1].max()))
    return Finding(answer == ours, answer=answer, ours=ours)


def _routed(n: int) -> Iterator[Any]:
    cases = PARTITIONED.cases(n, 0, PARTITIONED.span(n))
    return (case for _, case in itertools.islice(cases, 0, None, 40 if n == 3 else 1))


@claim(
    "library.network",
    place="lccmodel.methods.self_routing.network_of, lccmodel.methods.partitioned.switch_settings",
    says="network_of pairs every line in the bit that HL corrects there, and switch_settings makes "
    "the network realise a drawn permutation, mixed networks included",
    over=Enumerated(
        _routed,
        size=lambda n: (2, 24, 72, 300)[n - 1],
        names="tree, permutation",
        text="all of PLC_n for n <= 2, every 40th for n = 3, 300 drawn ones for n = 4",
    ),
    evidence="HL run part by part on tags; a line followed through every switch",
    control=Control("the lines of the upper half paired in bit 0 at last", spoilt=True),
    sizes=Sizes(limit=4),
)
def library_network(tree: Any, permutation: tuple[int, ...], *, spoilt: bool = False) -> Finding:
    """[boppana, section 3.3.1]"""
    size = len(permutation)
    network = self_routing.network_of(list(permutation))
    found = led(permutation, by_tree(tree))
    assert found is not None, "Lemma 7"
    rows = [list(row) for row in found.rows]
    if spoilt:
        rows[-1][size // 2 :] = [0] * (size // 2)
    goes = random.Random(sum(x * y for x, y in enumerate(permutation))).sample(range(size), size)
    crossed = partitioned.switch_settings(goes, network).crossed
    lines = list(range(size))
    for stage, row in enumerate([*found.rows, *found.rows[-2::-1]]):
        lines = [u ^ int(crossed[stage][u]) << row[u] for u in lines]
    ok = network.dimensions.tolist() == rows and lines == goes
    return Finding(ok, rows=rows, lines=lines, permutation=goes)
