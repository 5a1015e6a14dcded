"""Orders, degrees, exchanges, HL and the subset programme as the prover evaluated them.

`formal/orders_executable.v` evaluates them for all matrices of one and two bits and nine of three
(`formal/ordered.txt`). Here vectors are counted, messages walked and products of matrices tried.
"""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from proofs_check.claims.lattice_fattree import busiest
from tests.proofs_check.formal import (
    Bits,
    Rows,
    apply,
    digits,
    matrices,
    plus,
    proved,
    sent,
    unit,
    words,
)


def _chosen(n: int) -> list[Rows]:
    return matrices(n) if n < 3 else [unit(3), *matrices(3)[: 8 * 73 : 73]]


def _times(A: Rows, B: Rows) -> Rows:
    product = np.array(A, int).reshape(len(A), -1) @ np.array(B, int)
    return tuple(map(tuple, (product % 2).tolist()))


def _with_row(n: int, k: int, w: Bits) -> Rows:
    return tuple(w if r == k else row for r, row in enumerate(unit(n)))


def _rank(minor: list[Bits]) -> int:
    """The largest number of rows of which no sum is 0."""
    spanned = {tuple([0] * len(minor[0]))} if minor else {()}
    for row in minor:
        spanned |= {plus(row, x) for x in spanned}
    return len(spanned).bit_length() - 1


def _minor(A: Rows, R: Bits, C: Bits) -> list[Bits]:
    rows = [row for r, row in zip(R, A, strict=True) if r]
    return [tuple(a for c, a in zip(C, row, strict=True) if c) for row in rows]


def _below(n: int, i: int) -> Bits:
    return tuple(int(k < i) for k in range(n))


# -- One matrix ----------------------------------------------------------------------------------


def _of_matrix(n: int, A: Rows) -> Iterator[int]:
    """The same numbers as `matrix_numbers`."""
    every, orders = words(n), list(itertools.permutations(range(n)))
    lists = [list(itertools.product(range(n), repeat=k)) for k in range(3)]
    for R, C in itertools.product(every, repeat=2):
        yield from itertools.chain(*_minor(A, R, C))
    for R, C in itertools.product(every, repeat=2):
        yield _rank(_minor(A, R, C)) if sum(C) else 0
    for order in orders:
        Q = tuple(tuple(int(c == k) for c in range(n)) for k in order)
        renamed = _times(_times(Q, A), tuple(zip(*Q, strict=True)))
        yield from itertools.chain(*renamed)
        ranks = [0] + [_rank(_minor(renamed, _below(n, i + 1), _below(n, i))) for i in range(1, n)]
        yield all(i - rank <= max(0, n - 1 - _rank(list(A))) for i, rank in enumerate(ranks))
        yield A in _products(n, order)
        yield all(
            renamed[i][i] and not any(renamed[i][j] for j in range(i + 1, n)) for i in range(n)
        )
    yield from [*range(n)[::-1], 0, *range(1, n)[::-1]]
    for r, c in itertools.product(range(n), repeat=2):
        yield A[0][r] if r and not c else r == c
    for cycle in itertools.chain(*lists):
        steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
        yield bool(cycle) and all(r != c and A[r][c] for r, c in steps)
    E = [_with_row(n, k, A[k]) for k in range(n)]
    product = unit(n)
    for X in E:
        product = _times(X, product)
    yield from (_pipelined(n, A, E), _pipelined(n, product, E))
    for order in orders:
        X = unit(n)
        for k in order:
            X = _times(X, _exchanged(n, k) if A[0][k] else unit(n))
        yield from itertools.chain(*X)
    yield all(_rank(_minor(A, _below(n, i), _below(n, i))) == i for i in range(1, n + 1))
    yield all(max(_loads(n, sent(A, b), (), range(n)), default=0) <= 1 for b in every)
    yield from [1] * n
    for S in every:
        for order in [*lists[1], *orders]:
            yield len(set(order)) == len(order) and {k for k in range(n) if S[k]} == set(order)


def _products(n: int, order: Bits) -> set[Rows]:
    """All products of conditional exchanges along an order, the first one applied first."""
    found = {unit(n)}
    for k in order:
        rows = [w for w in words(n) if w[k]]
        found = {_times(_with_row(n, k, w), X) for w in rows for X in found}
    return found


def _pipelined(n: int, A: Rows, E: list[Rows]) -> bool:
    """Three data sets, one swap apart: all end at A x, and no two share a channel of a swap."""
    used: Counter = Counter()
    for data, x in itertools.product(range(n + 3), words(n)):
        here = x
        for k in range(n):
            after = apply(E[k], here)
            used[data + k, here, after] += here != after
            if here == after:
                used[data + k, here, after] += 0
            here = after
        if here != apply(A, x):
            return False
    return max(used.values(), default=0) <= 1


def _exchanged(n: int, k: int) -> Rows:
    """The exchange of bits k and k+1; the last bit with the first."""
    order = list(range(n))
    other = k + 1 if k + 1 < n else 0
    order[k], order[other] = order[other], order[k]
    return tuple(tuple(int(c == j) for c in range(n)) for j in order)


# -- One matrix and b ----------------------------------------------------------------------------


def _place(source: Bits, goal: Bits, done: tuple[int, ...]) -> Bits:
    return tuple(goal[k] if k in done else source[k] for k in range(len(source)))


def _load(messages: list, done: tuple[int, ...], j: int, inside: int = 0) -> int:
    """Messages on the busiest channel of dimension j, routers of the lowest `inside` bits."""
    here = [(_place(x, y, done), y) for x, y in messages if x[j] != y[j]]
    return max(Counter(u[inside:] for u, _ in here).values(), default=0)


def _loads(n: int, messages: list, done: tuple[int, ...], order, inside: int = 0) -> list[int]:
    return [
        _load(messages, done + tuple(order[:k]), j, inside)
        for k, j in enumerate(order)
        if j >= inside
    ]


def _of_vector(n: int, A: Rows, b: Bits, *, sabotage: bool = False) -> Iterator[int]:
    """The same numbers as `vector_numbers`. `sabotage` lets HL take the last bit, not the first."""
    every, orders = words(n), list(itertools.permutations(range(n)))
    gather = sent(A, b)
    scatter = [(y, x) for x, y in gather]
    for (x, y), order in itertools.product(gather, orders):
        for k in range(1, n + 1):
            yield from _place(x, y, order[:k])
    both = [_loads(n, messages, (), range(n)) for messages in (gather, scatter)]
    yield from itertools.chain(*both)
    yield from map(max, both)
    still = A == unit(n) and not any(b)
    yield 0 if still else 2 ** max(0, n - 1 - _rank(list(A)))
    for messages in (gather, scatter):
        yield max(_loads(n, messages, (), range(n), 1), default=0)
    displaced = {plus(x, y) for x, y in gather}
    zero = (0,) * n
    fits = [displaced <= {zero, v} for v in every]
    yield 0 if any(fits) else 2 ** max(0, n - 1 - _rank(list(A)))
    yield from fits
    sets = [tuple(k for k in range(n) if S[k]) for S in every]
    for S in sets:
        yield bool(_meetings(gather, S))
    for S, j in itertools.product(sets, range(n)):
        yield _chosen_by_hl(n, gather, S, j, sabotage)
    for order in orders:
        yield all(_chosen_by_hl(n, gather, order[:k], order[k], sabotage) for k in range(n))
    for S in sets:
        paths = [_loads(n, gather, (), order) for order in itertools.permutations(S)]
        yield min(max(path, default=0) for path in paths)
        yield min(sum(path) for path in paths)
    if n > 1:
        yield from _first_iteration(n, A)
    for S in every:
        yield _rank(
            [(*plus(row, e), c) for row, e, c, s in zip(A, unit(n), b, S, strict=True) if not s]
        )
        loads = zip(_on_tree(gather, S), _on_tree(scatter, S), strict=True)
        yield from itertools.chain(*loads)


def _on_tree(messages: list[tuple[Bits, Bits]], S: Bits) -> list[int]:
    """Up and down by destination, up and down by source, above switches with the bits S below.

    The bits of S are put first, and every message climbs the binary tree from switch to switch.
    """
    n, s = len(S), sum(S)
    order = [*(k for k in range(n) if S[k]), *(k for k in range(n) if not S[k])]
    pairs = [tuple(sum(v[k] << i for i, k in enumerate(order)) for v in m) for m in messages]
    if s == n:
        return [0] * 4
    if s == 0:  # the hosts' own links
        sent = [Counter(m[end] for m in pairs if m[0] != m[1]) for end in (0, 1)]
        return [max(count.values(), default=0) for count in sent] * 2
    climbed = [busiest(pairs, n, by_source=by_source) for by_source in (False, True)]
    return [load for loads in climbed for load in loads[2 * s - 2 : 2 * s]]


def _meetings(gather: list, S: tuple[int, ...]) -> list[tuple[Bits, Bits]]:
    """The tags of messages that are in one node after the bits S."""
    pairs = itertools.combinations(gather, 2)
    return [(p[1], q[1]) for p, q in pairs if _place(*p, S) == _place(*q, S)]


def _chosen_by_hl(n: int, gather: list, S: tuple[int, ...], j: int, sabotage: bool) -> bool:
    choose = max if sabotage else min
    meetings = _meetings(gather, S)
    if not meetings:
        left = [k for k in range(n) if k not in S]
        return bool(left) and j == choose(left)
    differ = [[k for k in range(n) if y[k] != z[k]] for y, z in meetings]
    return all(bits and choose(bits) == j for bits in differ)


def _first_iteration(n: int, A: Rows) -> Iterator[int]:
    """[hou, Fig. 3] V and Q at every moment of iteration 0."""
    V, Q = np.array(A), np.eye(n, dtype=int)
    moments = [(V.copy(), Q.copy())]
    found = [r for r in range(n) if V[r, 0]]
    if found:
        row = found[0]
        if row > 1:
            V[[1, row]], Q[[1, row]] = V[[row, 1]], Q[[row, 1]]
            V[:, [1, row]] = V[:, [row, 1]]
            row = 1
        moments.append((V.copy(), Q.copy()))
        for r in range(n):
            if r != row and V[r, 0]:
                V[r] ^= V[row]
            moments.append((V.copy(), Q.copy()))
    for v, q in moments:
        yield from [*v.flat, *q.flat]


# -- The comparison ------------------------------------------------------------------------------


def _line(n: int, A: Rows, *, sabotage: bool = False) -> str:
    of_vectors = (_of_vector(n, A, b, sabotage=sabotage) for b in words(n))
    return digits(itertools.chain(_of_matrix(n, A), *of_vectors))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_orders_and_degrees_are_as_counted(n):
    for A, line in zip(_chosen(n), proved("ordered", n), strict=True):
        assert line == _line(n, A), A


def test_another_hl_would_be_noticed():
    assert proved("ordered", 2) != [_line(2, A, sabotage=True) for A in _chosen(2)]
