"""Meshes and blocks of bits as the prover evaluated them (`formal/mesh_executable.v`).

Here every message along a dimension walks its axis node by node, and blocks are moved one by one.
"""

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest

from proofs_check.claims.calmant_mesh import bound
from proofs_check.claims.calmant_schedules import at_most_c, between_c_and_2c, paper_task, twice_c
from tests.proofs_check.formal import Bits, digits, number, proved, sent, words
from tests.proofs_check.test_formal_orders import _chosen


def _place(c: int, x: Bits) -> list[int]:
    """The coordinates of process x on c axes: bits in turn, the lowest first."""
    at = [0] * c
    for i, bit in enumerate(x):
        at[i % c] += bit << i // c
    return at


def _flipped(x: Bits, k: int) -> Bits:
    return tuple(1 - bit if i == k else bit for i, bit in enumerate(x))


def _line(c: int, a: int, x: Bits) -> Bits:
    """What names the line of axis a through x: the bits of the other axes."""
    return tuple(bit for i, bit in enumerate(x) if i % c != a)


def _walk(c: int, k: int, x: Bits) -> set[tuple]:
    """The directed links of the message along k: axis, line, lower end, direction."""
    a = k % c
    here, goal = _place(c, x)[a], _place(c, _flipped(x, k))[a]
    low, high = sorted((here, goal))
    return {(a, _line(c, a, x), m, goal > here) for m in range(low, high)}


def _loads(c: int, d: int, i: int, M: int) -> Counter:
    used: Counter = Counter()
    for k, x in itertools.product(range(i, i + M), words(d)):
        used.update(_walk(c, k, x))
    return used


def _share(c: int, one: tuple[int, Bits], two: tuple[int, Bits]) -> bool:
    """One source, one destination or one directed link."""
    (k, x), (j, y) = one, two
    return x == y or _flipped(x, k) == _flipped(y, j) or bool(_walk(c, k, x) & _walk(c, j, y))


def _of_mesh(c: int, e: int, *, both_ways: bool = False) -> Iterator[int]:
    """The same numbers as `mesh_numbers`. `both_ways` counts a link's two directions as one."""
    d = c * e
    every = words(d)
    links = range(2**e - 1)
    tasks = [(i, M) for i in range(d) for M in range(1, d - i + 1)]
    for x in every:
        yield from _place(c, x)
    for k, x in itertools.product(range(d), every):
        yield from _flipped(x, k)
    for x, y in itertools.product(every, repeat=2):
        yield sum(abs(p - q) for p, q in zip(_place(c, x), _place(c, y), strict=True))
    for a, y, x in itertools.product(range(c), every, every):
        yield _line(c, a, x) == _line(c, a, y)
    for i, M in tasks:
        used = _loads(c, d, i, M)
        for a, y in itertools.product(range(c), every):
            for up in (True, False):
                for m in links:
                    link = (a, _line(c, a, y), m)
                    yield used[(*link, up)] + both_ways * used[(*link, not up)]
    if d <= 2:
        for i, M in tasks:
            messages = list(itertools.product(range(i, i + M), every))
            yield not any(_share(c, one, two) for one, two in itertools.permutations(messages, 2))
            yield True
    if d <= 3:
        for k, x, y in itertools.product(range(d), every, every):
            yield _share(c, (k, x), (0, y))
    alone = [_loads(1, e, k, 1) for k in range(e)]
    for k, m in itertools.product(range(e), links):
        yield alone[k][0, (), m, True]
    for i, M in tasks:
        used = _loads(c, d, i, M)
        yield max(used.values())
        for j in range(c):
            of_axis = [load for key, load in used.items() if key[0] == (i + j) % c]
            yield max(of_axis, default=0)


def _of_steps(c: int, e: int, *, k_counts: bool = True) -> Iterator[int]:
    """The same numbers as `step_numbers`: the printed rules, and the busiest link by counting."""
    d = c * e
    numbers = [number(x) for x in words(d)]
    for i in range(d):
        for M in range(1, min(2 * c, d - i) + 1):
            yield bound(i, M, d, c)
            if M <= c:
                steps = at_most_c(i, M, c, d, k_counts)
            else:
                yield from (q if q >= M - c else q + c for q in range(M))
                whole = M == 2 * c
                steps = twice_c(i, c, d) if whole else between_c_and_2c(i, M, c, d)
            yield from steps[:, numbers].ravel().tolist()
        for M in range(2 * c + 1, d - i + 1):
            steps = paper_task(i, M, c, d)
            yield steps.max() + 1
            yield from steps[:, numbers].ravel().tolist()


def _of_blocks(n: int, a: int, A: tuple[Bits, ...]) -> Iterator[int]:
    """The same numbers as `block_numbers`: how many messages a step moves."""
    messages = sent(A, (0,) * n)

    def at(x: Bits, y: Bits, done: set[int]) -> Bits:
        return tuple(y[i] if i % a in done else x[i] for i in range(n))

    def price(done: set[int], j: int) -> int:
        return sum(at(x, y, done) != at(x, y, done | {j}) for x, y in messages)

    for S in words(a):
        yield from (price({k for k in range(a) if S[k]}, j) for j in range(a))
    for order in itertools.permutations(range(a)):
        yield max(price(set(order[:k]), j) for k, j in enumerate(order))


def _lines(n: int, *, both_ways: bool = False, k_counts: bool = True) -> list[str]:
    lines = [_of_mesh(n, e, both_ways=both_ways) for e in range(1, 5 - n)]
    lines += [_of_steps(n, e, k_counts=k_counts) for e in range(1, 3 if n == 3 else 4)]
    for A in _chosen(n):
        lines.append(itertools.chain(*(_of_blocks(n, a, A) for a in range(1, n + 1))))
    return list(map(digits, lines))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_meshes_and_blocks_are_as_walked(n):
    """[calmant, Theorems 3 and 4], the rules of Properties 1 to 3, steps that correct blocks."""
    assert proved("meshes", n) == _lines(n)


@pytest.mark.parametrize("fault", [{"both_ways": True}, {"k_counts": False}])
def test_links_of_both_directions_and_a_schedule_without_turns_would_be_noticed(fault):
    assert proved("meshes", 2) != _lines(2, **fault)
