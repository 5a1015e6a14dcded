"""The model that the prover evaluated, against messages walked here and the library's answers.

`formal/executable.v` is proved equal to the specification of the theorems. Its numbers for every
pair (A, b) with n <= 3 are in `formal/evaluated.txt`: one line for each matrix, one digit for each
number, in the order of `evaluate`. `formal/optimized.txt` has what LCP_Optimizer ends with, by the
program of `formal/lcp_executable.v`. They tie what is proved to what is computed.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lccmodel import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.methods.mapping.lcp_optimizer import lcp_iterations, lcp_optimizer
from proofs_check import walk
from proofs_check.claims.hou_lcp_figure import run_figure

FORMAL = Path(walk.__file__).parent / "formal"
LINES = (FORMAL / "evaluated.txt").read_text(encoding="utf-8").splitlines()
Bits = tuple[int, ...]


def _pairs(n: int) -> Iterator[tuple[int, tuple[Bits, ...], Bits, str]]:
    """(index of the matrix, A, b, the digits that the prover computed for them)."""
    words = list(itertools.product((0, 1), repeat=n))
    digits = [line.split()[1] for line in LINES if line.startswith(f"{n} ")]
    matrices = list(itertools.product(words, repeat=n))
    assert len(digits) == len(matrices) == 2 ** (n * n)
    for index, (A, line) in enumerate(zip(matrices, digits, strict=True)):
        size, rest = divmod(len(line), len(words))
        assert rest == 0
        for k, b in enumerate(words):
            yield index, A, b, line[k * size : (k + 1) * size]


def _number(bits: Bits) -> int:
    return sum(bit << i for i, bit in enumerate(bits))


def _walked(n: int, A: tuple[Bits, ...], b: Bits, *, sabotage: bool = False) -> str:
    """The same digits, from messages that are moved one by one and counted on nodes and channels.

    `sabotage` lets a message stand at its source's bits in S and its destination's elsewhere.
    """
    packed, shift = [_number(row) for row in A], _number(b)
    image = [
        sum(((row & x).bit_count() & 1) << i for i, row in enumerate(packed)) ^ shift
        for x in range(2**n)
    ]
    gather, scatter = list(enumerate(image)), [(x, y) for y, x in enumerate(image)]
    return "".join(map(str, _counts(n, gather, scatter, sabotage)))


def _counts(n: int, gather: list, scatter: list, sabotage: bool) -> Iterator[int]:
    for S in itertools.product((0, 1), repeat=n):
        mask = _number(S) ^ ((1 << n) - 1 if sabotage else 0)
        for messages in (gather, scatter):
            yield max(Counter((x & ~mask) | (y & mask) for x, y in messages).values())
        for j in range(n):
            if S[j]:
                continue
            first = [k for k in range(n) if S[k]]
            order = [*first, j, *(k for k in range(n) if not S[k] and k != j)]
            loads = [
                walk.channel_loads(walk.route(x, y, order) for x, y in messages)
                for messages in (gather, scatter)
            ]
            yield from (_busiest(channels, j, 0) for channels in loads)
            if j and not S[0]:
                yield from (_busiest(channels, j, 1) for channels in loads)
    for order in itertools.permutations(range(n)):
        for messages in (gather, scatter):
            channels = walk.channel_loads(walk.route(x, y, order) for x, y in messages)
            yield max(channels.values(), default=0)


def _busiest(channels: Counter, j: int, inner: int) -> int:
    """The busiest channel of dimension j, with the lowest `inner` bits inside the routers."""
    merged: Counter = Counter()
    for (u, v), load in channels.items():
        if u ^ v == 1 << j:
            merged[u >> inner] += load
    return max(merged.values(), default=0)


def _library(n: int, A: tuple[Bits, ...], b: Bits) -> str:
    """The same digits, from `CorrectionLattice`."""
    gather = LCC([list(row) for row in A], list(b))
    both = (gather, gather.reversed())
    numbers: list[int] = []
    for S in itertools.product((0, 1), repeat=n):
        done = [k for k in range(n) if S[k]]
        numbers += [CorrectionLattice(c).occupancy(done) for c in both]
        for j in range(n):
            if S[j]:
                continue
            numbers += [CorrectionLattice(c).load(done, j) for c in both]
            if j and not S[0]:
                numbers += [CorrectionLattice(c, internal=(0,)).load(done, j) for c in both]
    for order in itertools.permutations(range(n)):
        numbers += [max(CorrectionLattice(c).loads(order), default=0) for c in both]
    return "".join(map(str, numbers))


@pytest.mark.parametrize("n", [1, 2])
def test_the_evaluated_model_is_what_is_walked_and_what_the_library_says(n):
    for _, A, b, proved in _pairs(n):
        assert proved == _walked(n, A, b) == _library(n, A, b), (A, b)


def test_a_part_of_three_bits():
    for index, A, b, proved in _pairs(3):
        if index % 37 == 0:
            assert proved == _walked(3, A, b) == _library(3, A, b), (A, b)


@pytest.mark.slow
def test_all_of_three_bits():
    for _, A, b, proved in _pairs(3):
        assert proved == _walked(3, A, b) == _library(3, A, b), (A, b)


def test_a_sabotaged_definition_is_noticed():
    """With source and destination exchanged in p_S the occupancies come out otherwise."""
    assert any(proved != _walked(2, A, b, sabotage=True) for _, A, b, proved in _pairs(2))


def test_a_single_wrong_digit_of_the_prover_would_be_noticed():
    _, A, b, proved = next(_pairs(2))
    spoiled = str(int(proved[0]) + 1) + proved[1:]
    assert spoiled != _walked(2, A, b)


# -- LCP_Optimizer --------------------------------------------------------------------------


def _optimized(n: int) -> Iterator[tuple[GF2Matrix, str]]:
    """(A, what the prover computed): Q as an order, D, V, R, d for b = (1, 0, ..., 0); or -."""
    lines = (FORMAL / "optimized.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split()[1] for line in lines if line.startswith(f"{n} ")]
    rows = itertools.product(itertools.product((0, 1), repeat=n), repeat=n)
    matrices = [GF2Matrix([list(row) for row in A]) for A in rows]
    return zip(matrices, found, strict=True)


def _figure(A: GF2Matrix, *, columns_too: bool = True) -> str:
    """The same digits from the checker's own run of [hou, Fig. 3]."""
    n = A.n_columns
    D, Q = A.to_numpy(), np.eye(n, dtype=np.uint8)
    V, R, d = np.empty_like(D), np.zeros((n, 1), np.uint8), np.eye(n, 1, dtype=np.uint8)
    records = np.zeros((2, n * (n + 1) + 1, n, n), np.uint8)
    kept = records[0], records[1], np.zeros((len(records[0]), n), np.uint8)
    if run_figure(D, V, Q, d, R, columns_too, kept, np.zeros(n, np.int64)) < 0:
        return "-"
    return "".join(map(str, [*Q.argmax(axis=1), *D.flat, *V.flat, *R.flat, *d.flat]))


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_proved_lcp_optimizer_is_the_figure_as_the_checker_runs_it(n):
    """[hou, Fig. 3] all matrices, singular ones too: there line 7 may find no row."""
    results = list(_optimized(n))
    assert len(results) == 2 ** (n * n)
    for A, proved in results:
        assert proved == _figure(A), A


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_proved_lcp_optimizer_is_the_librarys(n):
    """Its order, D = QAQ⁻¹, and the arrays V and R after the last iteration."""
    for A, proved in _optimized(n):
        if A.rank < n:
            continue
        communication = LCC(A, [int(i == 0) for i in range(n)])
        order = lcp_optimizer(communication)
        D = [A[order[r], order[c]] for r in range(n) for c in range(n)]
        assert proved.startswith("".join(map(str, [*order, *D]))), A
        *_, last = lcp_iterations(communication) or [None]
        if last:
            V = [row >> c & 1 for row in last.V for c in range(n)]
            R = [int(k in last.marked) for k in range(n)]
            d = [int(k == 0) for k in order]
            assert proved[n + n * n :] == "".join(map(str, [*V, *R, *d])), A


def test_another_lcp_optimizer_would_be_noticed():
    """Without the exchange of columns, lines 9 and 10, some matrix ends otherwise."""
    assert any(proved != _figure(A, columns_too=False) for A, proved in _optimized(3))
