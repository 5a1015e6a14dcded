"""Traces against the engine that moves every flit, and by hand.

Alone a message of F flits over H links takes H + 2 + F - 1 cycles (docs/wormhole.md).
"""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication.catalog import build
from lccmodel.communication.program import Phase, Program
from lccmodel.errors import CommunicationError, InputError, NodeError
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.timing import seed_word
from lccmodel.wormhole.tracing import trace

PICTURES = [
    (Hypercube(2), [(0, 1)], ("in 0", "0->1", "out 1"),
     ["012--", "-012-", "--012"]),  # the chart in `timing`
    (Mesh((2, 2), bandwidth=(2, 1)), [(0, 3)], ("in 0", "0->1", "1->3", "out 3"),
     ["0122----", "-01122--", "--0-1-2-", "---0-1-2"]),  # axis 1: a flit every second cycle
]  # fmt: skip


@pytest.mark.parametrize(("network", "messages", "names", "picture"), PICTURES)
def test_a_worm_alone_is_the_picture_of_the_convention(network, messages, names, picture):
    """The flit in each channel at the end of each cycle, F = 3."""
    found = trace(messages, network, flits=3)
    flits = [[-1 if flit == "-" else int(flit) for flit in row] for row in picture]
    assert (found.names, found.flit.T.tolist()) == (names, flits)
    assert found.worms[0].blocked == ()


def test_a_blocked_worm_waits_until_the_channel_has_been_empty():
    """The tail of the first leaves 1->3 in cycle 5, so that the second is granted it in cycle 6."""
    first, second = trace([(1, 3), (0, 3)], Hypercube(2), flits=3).worms
    assert first.delivered == 1 + 2 + 3 - 1
    assert second.path[2] == first.path[1]
    assert (second.entered, second.blocked) == ((1, 2, 6, 7), (3, 4, 5))


def test_a_communication_and_its_mapping():
    c, cube = build("bit-reverse", 4), Hypercube(4)
    plain, mapped = (trace(c, cube, flits=3, mapping=order) for order in (None, (0, 3, 1, 2)))
    assert len(plain.worms) == len(mapped.worms) == 12
    assert any(worm.blocked for worm in plain.worms)
    assert not any(worm.blocked for worm in mapped.worms)
    assert plain.cycles == max(worm.delivered for worm in plain.worms)


def test_a_deadlock_is_traced_to_its_end():
    ring = [(0, 2), (1, 3), (2, 0), (3, 1)]
    found = trace(ring, Torus((4,)), "dimension-order-one-channel", flits=4)
    assert found.stuck == (0, 1, 2, 3)
    assert found.cycles < 12
    assert (found.holder[-1] == found.holder[-2]).all()
    assert all(worm.delivered is None for worm in found.worms)
    assert NEVER not in found.holder


@pytest.mark.parametrize(
    ("messages", "options", "error", "message"),
    [
        ([(1, 1)], {}, CommunicationError, "leaves its node"),
        ([(2, 2, 0), (3, 3, 2)], {}, CommunicationError, "must contain one that leaves its node"),
        ([(1, 2, 3, 4)], {}, CommunicationError, "rows"),
        ([("a", 2)], {}, CommunicationError, "integers"),
        ([(1, 8)], {}, NodeError, "8"),
        ([(1, 2, -1)], {}, InputError, "cycle"),
        ([(1, 2)], {"flits": 0}, InputError, "flits"),
        ([(1, 2)], {"flits": 5000}, InputError, "4096 cycles"),
        *[([(0, 1)], {"seed": k}, InputError, "seed: must") for k in (2**64, -(2**63) - 1, 1.5)],
    ],
)
def test_bad_input(messages, options, error, message):
    with pytest.raises(error, match=message):
        trace(messages, "cube:3", **options)


@pytest.mark.parametrize(
    ("messages", "tie", "first"),
    [
        ([(1, 3), (2, 3)], "oldest", 1),
        ([(1, 3, 1), (2, 3, 0)], "oldest", 2),
        ([(1, 3), (2, 3)], "lowest-input", 2),  # by dimension 0
    ],
)
def test_who_goes_first_does_not_depend_on_the_order_of_the_list(messages, tie, first):
    """Timing: "the message generated first, then the one from the lower node"."""
    for turned in (messages, messages[::-1]):
        worms = trace(turned, Hypercube(2), flits=3, tie=tie).worms
        assert min(worms, key=lambda worm: worm.delivered).source == first


def test_messages_to_their_own_node_are_left_out_whenever_they_are_generated() -> None:
    """Source, destination and cycle may be the same number."""
    found = trace([(3, 5, 3), (2, 2, 0), (0, 0, 1), (1, 0, 1), (4, 4, 4)], "cube:3", flits=1)
    assert [(w.source, w.destination, w.ready) for w in found.worms] == [(3, 5, 3), (1, 0, 1)]


def test_what_a_seed_gives_does_not_depend_on_seeds_before():
    """Engines take its 64 bits as a signed word: those of 2^63 on were refused after others."""
    words = [seed_word(seed) for seed in (0, 2**63 - 1, 2**63, 2**64 - 1, -1)]
    assert words == [0, 2**63 - 1, -(2**63), -1, -1]
    pairs = [(x, y) for x in range(4) for y in (0, 3) if x != y]
    ways = {"network": "cube:2", "flits": 3, "tie": "random"}
    first, _, again = (trace(pairs, seed=seed, **ways) for seed in (2**63, 5, 2**63))
    assert first.flit.tolist() == again.flit.tolist()


@pytest.mark.parametrize("nodes", [4, 5])
def test_a_matrix_of_volumes_is_one_phase(nodes: int) -> None:
    """Of four rows and more it is no list of rows (source, destination, cycle), which has three."""
    matrix = np.zeros((nodes, nodes), int)
    matrix[0, 1] = matrix[1, 0] = 3
    worms = trace(matrix, "mesh:5").worms
    assert [(w.source, w.destination, w.ready) for w in worms] == [(0, 1, 0), (1, 0, 0)]
    rows = np.array([[0, 1, 4], [1, 0, 2], [0, 0, 9]])
    assert [worm.ready for worm in trace(rows, "mesh:5").worms] == [4, 2]


def test_a_program_is_followed_phase_by_phase() -> None:
    """0.4 raised a CommunicationError for every program, also for one of a single phase."""
    there, back = Phase([(0, 3)], name="there"), Phase([(3, 0), (1, 2)])
    program = Program([there, back])
    assert program.names == ("there", "phase 1")
    for name, phase in zip(program.names, program, strict=True):
        followed = trace(program, "cube:2", name=name)
        alone = trace(phase.traffic.messages.tolist(), "cube:2")
        assert followed.worms == alone.worms == trace(phase, "cube:2").worms
    assert trace(Program([there]), "cube:2").worms == trace([(0, 3)], "cube:2").worms
    for sent, name, message in (
        (program, None, "name: is required.* holds 2: there, phase 1"),
        (program, "back", 'name: must be "there" or "phase 1"; got \'back\''),
        (Program([there, there]), "there", "name: must be the name of one, and 2 have it"),
        ([(0, 3)], "there", "name: chooses a phase of a program"),
    ):
        with pytest.raises(InputError, match=message):
            trace(sent, "cube:2", name=name)
