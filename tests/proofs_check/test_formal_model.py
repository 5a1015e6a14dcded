"""The model that the prover evaluated, against messages walked here and the library's answers.

`formal/executable.v` is proved equal to the specification of the theorems. Its numbers for every
pair (A, b) with n <= 3 are in `formal/evaluated.txt`: one line for each matrix, one digit for each
number, in the order of `evaluate`. `formal/optimized.txt` has what LCP_Optimizer ends with, by the
program of `formal/lcp_executable.v`. They tie what is proved to what is computed.
"""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from lccmodel import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.placement.mapping.walks import lcp_iterations, lcp_optimizer
from proofs_check import walk
from proofs_check.claims.hou_lcp_optimizer import run_figure
from tests.proofs_check.formal import Bits, Rows, digits, matrices, number, proved, sent, words


def _walked(A: Rows, b: Bits, *, sabotage: bool = False) -> Iterator[int]:
    """The same numbers, from messages that are moved one by one and counted on nodes and channels.

    `sabotage` lets a message stand at its source's bits in S and its destination's elsewhere.
    """
    n = len(b)
    gather = [(number(x), number(y)) for x, y in sent(A, b)]
    both = gather, [(y, x) for x, y in gather]
    for S in words(n):
        mask = number(S) ^ ((1 << n) - 1 if sabotage else 0)
        for messages in both:
            yield max(Counter((x & ~mask) | (y & mask) for x, y in messages).values())
        for j in (j for j in range(n) if not S[j]):
            order = [*(k for k in range(n) if S[k]), j]
            order += [k for k in range(n) if k not in order]
            loads = [
                walk.channel_loads(walk.route(x, y, order) for x, y in messages)
                for messages in both
            ]
            yield from (_busiest(channels, j, 0) for channels in loads)
            if j and not S[0]:
                yield from (_busiest(channels, j, 1) for channels in loads)
    for order in itertools.permutations(range(n)):
        for messages in both:
            yield max(walk.contention(messages, order))


def _busiest(channels: Counter, j: int, inner: int) -> int:
    """The busiest channel of dimension j, with the lowest `inner` bits inside the routers."""
    merged: Counter = Counter()
    for (u, v), load in channels.items():
        if u ^ v == 1 << j:
            merged[u >> inner] += load
    return max(merged.values(), default=0)


@pytest.mark.parametrize(
    ("n", "step"), [(1, 1), (2, 1), (3, 37), pytest.param(3, 1, marks=pytest.mark.slow)]
)
def test_the_evaluated_model_is_what_is_walked(n, step):
    lines = proved("evaluated", n)
    assert len(lines) == 2 ** (n * n)
    for A, line in list(zip(matrices(n), lines, strict=True))[::step]:
        assert line == digits(d for b in words(n) for d in _walked(A, b)), A


def test_a_sabotaged_definition_is_noticed():
    """With source and destination exchanged in p_S the occupancies come out otherwise."""
    spoiled = [
        digits(d for b in words(2) for d in _walked(A, b, sabotage=True)) for A in matrices(2)
    ]
    assert proved("evaluated", 2) != spoiled


# -- LCP_Optimizer --------------------------------------------------------------------------


def _optimized(n: int) -> Iterator[tuple[GF2Matrix, str]]:
    """(A, what the prover computed): Q as an order, D, V, R, d for b = (1, 0, ..., 0); or -."""
    return zip(map(GF2Matrix, matrices(n)), proved("optimized", n), strict=True)


def _figure(A: GF2Matrix, *, columns_too: bool = True) -> str:
    """The same digits from the checker's own run of [hou, Fig. 3]."""
    n = A.n_columns
    D, Q = A.to_numpy(), np.eye(n, dtype=np.uint8)
    V, R, d = np.empty_like(D), np.zeros((n, 1), np.uint8), np.eye(n, 1, dtype=np.uint8)
    records = np.zeros((2, n * (n + 1) + 1, n, n), np.uint8)
    kept = records[0], records[1], np.zeros((len(records[0]), n), np.uint8)
    if run_figure(D, V, Q, d, R, columns_too, kept, np.zeros(n, np.int64)) < 0:
        return "-"
    return digits([*Q.argmax(axis=1), *D.flat, *V.flat, *R.flat, *d.flat])


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_proved_lcp_optimizer_is_the_figure_as_the_checker_runs_it(n):
    """[hou, Fig. 3] all matrices, singular ones too: there line 7 may find no row."""
    for A, line in _optimized(n):
        assert line == _figure(A), A


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_proved_lcp_optimizer_is_the_librarys(n):
    """Its order, D = QAQ⁻¹, and the arrays V and R after the last iteration."""
    for A, line in _optimized(n):
        if A.rank < n:
            continue
        communication = LCC(A, [int(i == 0) for i in range(n)])
        order = lcp_optimizer(communication)
        D = [A[order[r], order[c]] for r in range(n) for c in range(n)]
        assert line.startswith(digits([*order, *D])), A
        *_, last = lcp_iterations(communication) or [None]
        if last:
            V = [row >> c & 1 for row in last.V for c in range(n)]
            R = [k in last.marked for k in range(n)]
            assert line[n + n * n :] == digits([*V, *R, *(k == 0 for k in order)]), A


def test_another_lcp_optimizer_would_be_noticed():
    """Without the exchange of columns, lines 9 and 10, some matrix ends otherwise."""
    assert any(line != _figure(A, columns_too=False) for A, line in _optimized(3))


# -- Tasks on a line ------------------------------------------------------------------------


def _task(d: int, i: int, M: int, *, sabotage: bool = False) -> str:
    """The same digits as `task_numbers`, from messages that walk node by node on a line.

    `sabotage` lets a pair of dimensions go in one order from every node.
    """
    nodes = range(1 << d)
    messages = [(k, p, p ^ 1 << k) for k in range(i, i + M) for p in nodes]
    up = [sum(p <= m < q for _, p, q in messages) for m in nodes[:-1]]
    down = [sum(q <= m < p for _, p, q in messages) for m in nodes[:-1]]
    steps = [_step(i, M, k, p, sabotage) for k, p, _ in messages]
    free = [_is_free(messages, steps), _is_free(messages, [0] * len(messages))]
    return digits([max(up, default=0) if M else 0, *up, *down, *free, *steps])


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


def _is_free(messages: list[tuple[int, int, int]], steps: list[int]) -> bool:
    """One send and one receipt of a node, one message of a directed link, in a step."""
    used: Counter = Counter()
    for (_, p, q), step in zip(messages, steps, strict=True):
        used.update([(step, "from", p), (step, "to", q)])
        sign = 1 if q > p else -1
        used.update((step, node, node + sign) for node in range(p, q, sign))
    return max(used.values(), default=0) <= 1


@pytest.mark.parametrize("d", [1, 2, 3])
def test_loads_steps_and_conflicts_on_a_line_are_those_that_are_walked(d):
    """[calmant, Theorems 1 and 2, section 3.2] the definitions of `line.v`, evaluated."""
    tasks = [(d, i, M) for i in range(d) for M in range(d - i + 1)]
    assert proved("lines", d) == [_task(*task) for task in tasks]
    assert d < 2 or proved("lines", d) != [_task(*task, sabotage=True) for task in tasks]


# -- Volumes and sets of communications -----------------------------------------------------


def _sets(A: Rows, B: Rows, *, held: bool = False) -> Iterator[int]:
    """The same numbers as `set_numbers`, from messages moved one by one.

    `held` adds up all that a node holds, and not what a channel of dimension j carries.
    """
    n = len(A)
    b = (1, *[0] * (n - 1))
    gather = sent(A, b)
    scatter = [(y, x) for x, y in sent(B, b)]
    for S in words(n):
        for j in (j for j in range(n) if not S[j]):
            volume: Counter = Counter()
            loads = []
            for messages in (gather, scatter):
                carried: Counter = Counter()
                for x, y in messages:
                    node = tuple(y[k] if S[k] else x[k] for k in range(n))
                    moves = x[j] != y[j]
                    carried[node] += moves
                    if messages is gather and (moves or held):
                        volume[node] += 1 + number(x)
                loads.append(max(carried.values()))
            yield from (max(volume.values(), default=0), max(loads), sum(loads))


@pytest.mark.parametrize("n", [1, 2])
def test_volumes_and_sets_are_what_is_moved(n):
    """[hou, Theorem 6] `volume_load`, `max_load` and `sum_load`, evaluated."""
    pairs = list(itertools.product(matrices(n), repeat=2))
    assert proved("sets", n) == [digits(_sets(A, B)) for A, B in pairs]
    assert proved("sets", n) != [digits(_sets(A, B, held=True)) for A, B in pairs]


# -- Kernels, exchanges, elimination --------------------------------------------------------


def _kernels(A: Rows, *, no_rows: bool = False) -> Iterator[int]:
    """The same numbers as `kernel_numbers`: vectors counted, messages moved, columns added.

    `no_rows` leaves out that the rows R map a vector to 0.
    """
    n = len(A)
    messages = sent(A, (0,) * n)
    for R, C in itertools.product(words(n), repeat=2):
        yield sum(
            not any(x[c] and not C[c] for c in range(n))
            and (no_rows or not any(y[r] and R[r] for r in range(n)))
            for x, y in messages
        )
    for j in range(n):
        yield any(x[j] ^ y[j] ^ (j == 0) for x, y in messages)
    for k in range(n):
        yield A[k][k] and all(A[r][c] == (r == c) for r in range(n) if r != k for c in range(n))
    for order in itertools.permutations(range(n)):
        yield _eliminated(np.array(A), order)


def _eliminated(A: np.ndarray, order: Bits) -> bool:
    """[edelman, Theorem 3.1 (3)] row k made a unit row by adding column k to others."""
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
    assert proved("kernels", n) == [digits(_kernels(A)) for A in matrices(n)]
    assert proved("kernels", n) != [digits(_kernels(A, no_rows=True)) for A in matrices(n)]
