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
from lccmodel.placement.mapping.walks import lcp_iterations, lcp_optimizer
from proofs_check import walk
from proofs_check.claims.hou_lcp_optimizer import run_figure

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


# -- Tasks on a line ------------------------------------------------------------------------


def _task(d: int, i: int, M: int, *, sabotage: bool = False) -> str:
    """The same digits as `task_numbers`, from messages that walk node by node on a line.

    `sabotage` lets a pair of dimensions go in one order from every node.
    """
    nodes = range(1 << d)
    sent = [(k, p, p ^ 1 << k) for k in range(i, i + M) for p in nodes]
    up = [sum(p <= m < q for _, p, q in sent) for m in nodes[:-1]]
    down = [sum(q <= m < p for _, p, q in sent) for m in nodes[:-1]]
    steps = [_step(i, M, k, p, sabotage) for k, p, _ in sent]
    free = [_is_free(sent, steps), _is_free(sent, [0] * len(sent))]
    load = max(up, default=0) if M else 0
    return "".join(map(str, [load, *up, *down, *map(int, free), *steps]))


def _step(i: int, M: int, k: int, p: int, sabotage: bool) -> int:
    """[calmant, section 3.2] the pairs of dimensions from the bottom, after a single one."""
    first, start = i, 0
    if M % 2:
        if k == i:
            return p % (1 << i)
        first, start = i + 1, 1 << i
    while not first <= k < first + 2:
        first, start = first + 2, start + (2 << first)
    equal = sabotage or (p >> first & 1) == (p >> first + 1 & 1)
    return start + 2 * (p % (1 << first)) + int((k == first) == equal)


def _is_free(sent: list[tuple[int, int, int]], steps: list[int]) -> bool:
    """One send and one receipt of a node, one message of a directed link, in a step."""
    used: Counter = Counter()
    for (_, p, q), step in zip(sent, steps, strict=True):
        used.update([(step, "from", p), (step, "to", q)])
        sign = 1 if q > p else -1
        used.update((step, node, node + sign) for node in range(p, q, sign))
    return max(used.values(), default=0) <= 1


def _tasks(d: int) -> list[str]:
    lines = (FORMAL / "lines.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[1] for line in lines if line.startswith(f"{d} ")]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_loads_steps_and_conflicts_on_a_line_are_those_that_are_walked(d):
    """[calmant, Theorems 1 and 2, section 3.2] the definitions of `line.v`, evaluated."""
    assert _tasks(d) == [_task(d, i, M) for i in range(d) for M in range(d - i + 1)]


def test_another_schedule_of_a_line_would_be_noticed():
    tasks = [_task(3, i, M, sabotage=True) for i in range(3) for M in range(4 - i)]
    assert _tasks(3) != tasks


# -- Volumes and sets of communications -----------------------------------------------------


def _sets(n: int, A: tuple[Bits, ...], B: tuple[Bits, ...], *, held: bool = False) -> str:
    """The same digits as `set_numbers`, from messages moved one by one.

    `held` adds up all that a node holds, and not what a channel of dimension j carries.
    """
    gather = [(x, _image(A, x)) for x in range(2**n)]
    scatter = [(_image(B, y), y) for y in range(2**n)]
    numbers: list[int] = []
    for S in itertools.product((0, 1), repeat=n):
        mask = _number(S)
        for j in range(n):
            if S[j]:
                continue
            volume: Counter = Counter()
            loads = []
            for messages in (gather, scatter):
                carried: Counter = Counter()
                for x, y in messages:
                    node = (x & ~mask) | (y & mask)
                    moves = (x ^ y) >> j & 1
                    carried[node] += moves
                    if messages is gather and (moves or held):
                        volume[node] += 1 + x  # x_0 + 2 x_1 is x
                loads.append(max(carried.values()))
            numbers += [max(volume.values(), default=0), max(loads), sum(loads)]
    return "".join(map(str, numbers))


def _image(A: tuple[Bits, ...], x: int) -> int:
    """A x + (1, 0, ...)."""
    return sum(((_number(row) & x).bit_count() & 1) << i for i, row in enumerate(A)) ^ 1


@pytest.mark.parametrize("n", [1, 2])
def test_volumes_and_sets_are_what_is_moved(n):
    """[hou, Theorem 6] `volume_load`, `max_load` and `sum_load`, evaluated."""
    lines = (FORMAL / "sets.txt").read_text(encoding="utf-8").splitlines()
    proved = [line.split()[1] for line in lines if line.startswith(f"{n} ")]
    words = list(itertools.product((0, 1), repeat=n))
    matrices = list(itertools.product(words, repeat=n))
    pairs = list(itertools.product(matrices, repeat=2))
    assert proved == [_sets(n, A, B) for A, B in pairs]
    assert proved != [_sets(n, A, B, held=True) for A, B in pairs]


# -- Kernels, exchanges, elimination --------------------------------------------------------


def _kernels(A: tuple[Bits, ...], *, no_rows: bool = False) -> str:
    """The same digits as `kernel_numbers`: vectors counted, messages moved, columns added.

    `no_rows` leaves out that the rows R map a vector to 0.
    """
    n = len(A)
    words = list(itertools.product((0, 1), repeat=n))
    image = [_image(A, x) ^ 1 for x in range(2**n)]
    numbers = []
    for R, C in itertools.product(words, repeat=2):
        rows = 0 if no_rows else _number(R)
        numbers.append(sum(not (x & ~_number(C) or image[x] & rows) for x in range(2**n)))
    numbers += [any((x ^ image[x] ^ 1) >> j & 1 for x in range(2**n)) for j in range(n)]
    unit = [tuple(int(r == c) for c in range(n)) for r in range(n)]
    numbers += [A[k][k] and all(A[r] == unit[r] for r in range(n) if r != k) for k in range(n)]
    numbers += [_eliminated(np.array(A), order) for order in itertools.permutations(range(n))]
    return "".join(str(int(number)) for number in numbers)


def _eliminated(A: np.ndarray, order: tuple[int, ...]) -> bool:
    """[edelman, Theorem 3.1 (3)] row k made a unit row by adding column k to others."""
    A = A.copy()
    for k in order:
        if not A[k, k]:
            return False
        for c in range(len(A)):
            if c != k and A[k, c]:
                A[:, c] ^= A[:, k]
    return True


@pytest.mark.parametrize("n", [1, 2])
def test_kernels_exchanges_and_eliminations_are_as_counted(n):
    """The definitions of `kernel.v`, `exchanges.v` and `gauss_jordan.v`, evaluated."""
    lines = (FORMAL / "kernels.txt").read_text(encoding="utf-8").splitlines()
    proved = [line.split()[1] for line in lines if line.startswith(f"{n} ")]
    words = list(itertools.product((0, 1), repeat=n))
    matrices = list(itertools.product(words, repeat=n))
    assert proved == [_kernels(A) for A in matrices]
    assert proved != [_kernels(A, no_rows=True) for A in matrices]
