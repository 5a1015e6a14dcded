"""What messages are recognised as, checked by its definition.

Of several contradictions any is right. Verdict, bits left open and every witness are checked with
plain sums modulo 2.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from lccmodel.communication.recognition import Witness, analyse, message_for_message
from lccmodel.gf2.matrix import GF2Matrix
from tests.choosing import sampled
from tests.digests import short

CASES = tuple(f"n = {n}, {kind}" for n in (1, 2, 3, 5, 9, 12, 33, 64) for kind in (
    "linear", "one wrong", "scatter", "scatter, one wrong", "few", "any", "squares",
))  # fmt: skip


def messages(n: int, kind: str, seed: int) -> np.ndarray:
    """Messages that a matrix describes, all but one, or that none describes."""
    draw = np.random.default_rng([n, seed, len(kind)])
    many = min(1 << n, int(draw.integers(1, 4 * n + 8)))
    if kind == "few":
        many = min(many, int(draw.integers(1, n + 1)))
    x = [int(v) for v in draw.integers(0, 1 << n, many, dtype=np.uint64, endpoint=n < 64)]
    x = [v & ((1 << n) - 1) for v in x]
    if many == 1 << n or (n < 6 and kind != "few"):
        x = list(range(1 << n))
    if kind == "any":
        y = [int(v) & ((1 << n) - 1) for v in draw.integers(0, 1 << 63, len(x))]
    elif kind == "squares":
        y = [(v * v + 1) & ((1 << n) - 1) for v in x]
    else:
        A = [int(v) & ((1 << n) - 1) for v in draw.integers(0, 1 << 63, n)]
        b = int(draw.integers(0, 1 << min(n, 63)))
        y = [sum((bin(A[i] & v).count("1") & 1) << i for i in range(n)) ^ b for v in x]
        if "wrong" in kind:
            y[int(draw.integers(len(y)))] ^= 1 << int(draw.integers(n))
    rows = [(v, u) if "scatter" in kind else (u, v) for u, v in zip(x, y, strict=True)]
    return np.array(rows, dtype=np.uint64)


def rank(rows: list[int]) -> int:
    """Of vectors over GF(2)."""
    pivots: dict[int, int] = {}
    for row in rows:
        while row and row.bit_length() in pivots:
            row ^= pivots[row.bit_length()]
        if row:
            pivots[row.bit_length()] = row
    return len(pivots)


def fits(pairs: list[tuple[int, int]], n: int) -> tuple[bool, int]:
    """Whether y = Ax + b for some A and b, and the rank of the differences of x.

    It is so where every sum of differences of x that is 0 is one of y.
    """
    (x0, y0), *rest = pairs
    differences = [x ^ x0 for x, _ in rest]
    both = [(x ^ x0) << n | (y ^ y0) for x, y in rest]
    return rank(both) == rank(differences), rank(differences)


def checked(witness: Witness, sent: set[tuple[int, int]]) -> None:
    """An odd number of messages, with the sum of the pair; none of them can be left out."""
    turned = witness.reading == "scatter"
    (x, y), *others = ((b, a) if turned else (a, b) for a, b in (witness.pair, *witness.others))
    assert {witness.pair, *witness.others} <= sent
    assert len(others) % 2 == 1
    assert x == np.bitwise_xor.reduce([np.uint64(u) for u, _ in others])
    assert witness.predicted == np.bitwise_xor.reduce([np.uint64(v) for _, v in others]) != y
    if len(others) < 8:
        for size in range(1, len(others)):
            for some in combinations(others, size):
                total = 0
                for u, _ in some:
                    total ^= u
                assert size % 2 == 0 or total != x


def facts(case: str) -> str:
    """Verdicts of twelve sets of messages, and a digest of all that is said of them."""
    n, kind = int(case.split(",")[0][4:]), case.split(", ", 1)[1]
    verdicts, texts = [], []
    for seed in range(12):
        given = messages(n, kind, seed)
        pairs = [(int(x), int(y)) for x, y in given.tolist()]
        found = analyse(given, n)
        forward, backward = fits(pairs, n), fits([(y, x) for x, y in pairs], n)
        whole = [each for each in (forward, backward) if each == (True, n)]
        verdicts.append(found.verdict[0])
        assert (found.verdict == "linear-complement") == bool(whole) == found.determined
        assert (found.verdict[0] == "n") == (not forward[0] and not backward[0])
        assert (found.messages, found.n) == (len(pairs), n)
        assert found.missing_sources == (1 << n) - len({x for x, _ in pairs})
        if found.verdict[0] == "u":
            one = forward if forward[0] else backward
            assert found.freedom == n * (n - one[1])
            assert found.kind == (None if forward[0] and backward[0] else
                                  "gather" if forward[0] else "scatter")  # fmt: skip
        c = found.communication
        if c is not None:
            assert all((c(x) == y) if c.kind != "scatter" else (c.source(y) == x) for x, y in pairs)
            assert isinstance(c.A, GF2Matrix)
        for witness in found.witnesses:
            checked(witness, set(pairs))
        again = message_for_message(given, n) if n < 12 else None
        assert again is None or {*map(tuple, again.pairs().tolist())} >= set(pairs)
        texts.append((found.explanation, repr(c), found.witnesses, found.witness, repr(again)))
    digest = short(repr(texts))
    return f"{''.join(verdicts)} {digest}"


@pytest.mark.parametrize("case", sampled(CASES, 4))
def test_messages_are_recognised_by_definition(case: str) -> None:
    assert facts(case)
