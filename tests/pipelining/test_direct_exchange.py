"""Direct exchange and its levels: written out, replayed link by link, at the bisection bound.

Steps are at least the blocks that cross the middle over the links that do, and reach it.
"""

import itertools
from typing import Any

import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining.direct_exchange import (
    direct_phases,
    direct_steps,
    level_movement,
    level_steps,
)
from lccmodel.pipelining.embedding import as_mesh
from tests.choosing import sampled, slow
from tests.pipelining.sending import messages_of, movement_of

SMALL = [(2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (2, 2), (4, 2), (8, 2), (2, 3), (4, 3), (2, 4)]


def replay(n: int, r: int, h: int, c: int) -> None:
    messages = messages_of(level_movement(n, r, h, c))
    assert movement_of(n, c, messages).replay("one").ok
    assert {message.step for message in messages} == set(range(level_steps(r, h, c)))
    sent = {(message.source, message.target) for message in messages}
    assert len(sent) == len(messages) == n**c * (r**c - 1)
    for x, y in sent:
        for axis in range(c):
            p, q = x // n**axis % n, y // n**axis % n
            assert (p - q) % h == 0
            assert p // (r * h) == q // (r * h)


@pytest.mark.parametrize(("n", "c"), [*SMALL, *map(slow, [(16, 2), (8, 3)])])
def test_every_level_is_free_of_conflicts_and_takes_its_steps(n, c):
    exponents = range(1, n.bit_length())
    for r, h in itertools.product([1 << k for k in exponents], [1 << k for k in range(5)]):
        if r * h <= n:
            replay(n, r, h, c)


@pytest.mark.parametrize(("n", "c"), [(4, 1), (8, 1), (4, 2), (8, 2), (4, 3)])
def test_no_level_takes_fewer_steps_than_the_links_across_the_middle(n, c):
    """Who has to cross, counted on the nodes; in levels of radix 2, h 2^(c-1) a link."""
    low = [x % n < n // 2 for x in range(n**c)]
    crossing = sum(a and not b for a in low for b in low)
    assert level_steps(n, 1, c) == crossing // n ** (c - 1) >= n**c - 1
    h = n // 2
    messages = messages_of(level_movement(n, 2, h, c))
    crossing = sum(m.source % n < h <= m.target % n for m in messages)
    assert level_steps(2, h, c) == crossing // n ** (c - 1)
    assert level_steps(2, 1, c) == 2**c - 1


def test_one_phase_fewer_always_conflicts():
    """Control: fold the last phase of a good schedule into any other one."""
    messages = messages_of(level_movement(4, 4, 1, 2))
    for step in range(15):
        folded = [m._replace(step=step) if m.step == 15 else m for m in messages]
        assert not movement_of(4, 2, folded).replay("one").ok


def test_a_node_alone_and_two_nodes():
    assert direct_phases("mesh:2").tolist() == [[0, 0], [0, 0]]
    assert level_steps(2, 1, 1) == 1
    in_turn = [[0, 0, 1, 2], [0, 0, 2, 1], [1, 2, 0, 0], [2, 1, 0, 0]]  # x xor y, less one
    assert direct_phases("mesh:2x2").tolist() == in_turn


@pytest.mark.parametrize(
    "word", sampled(["2x4", "4x2", "8x4", "2x8", "4x4x2", "2x2x8", "1x8", "4x8x2", "16x2"], 2)
)
def test_direct_exchange_on_sides_that_differ(word):
    """Every pair once, replayed on the explicit mesh, in N n / 4 phases: what the links need."""
    mesh = as_mesh(word)
    phases = direct_phases(mesh)
    N, longest = mesh.size, max(mesh.shape)
    assert set(phases.ravel().tolist()) == set(range(N * longest // 4))
    assert direct_steps(mesh) == N * longest // 4
    used: set[tuple[Any, ...]] = set()
    for x, y in itertools.permutations(range(N), 2):
        step = int(phases[x, y])
        things = [("from", x), ("to", y), *mesh.channels(x, y)]
        for thing in things:
            assert (step, thing) not in used
            used.add((step, thing))
    axis = mesh.shape.index(longest)
    left = [x for x in range(N) if mesh.coordinates(x)[axis] < longest // 2]
    assert len(left) * (N - len(left)) // (N // longest) == direct_steps(mesh)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: direct_phases("mesh:6x6"), "mesh"),
        (lambda: level_steps(1, 1, 2), "r"),
        (lambda: level_movement(4, 4, 2, 1), "r, h"),
        (lambda: level_steps(4.0, 1, 2), "n"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_a_schedule_that_is_too_large_to_write_out_is_refused():
    with pytest.raises(SizeLimitError):
        direct_phases("32x32x32")
