"""[sibeyn, Theorem 1]: data moved by unit shifts reach their destinations in 4√N - 4 steps."""

import math
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.catalog import identity
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, NetworkError, NotLinearComplement
from lccmodel.gf2.enumeration import random_nonsingular
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.permutations.simd_mesh import Registers, simd_mesh_route
from proofs_check.claims.sibeyn_examples import SELECTED_IN_LAST_PASS, TABLE
from tests.bridges import check_bridge
from tests.strategies import permutations, shapes

EXAMPLE_3 = LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]], name="EC(0 2)")


def table_of_example_3() -> Iterator[list[str]]:
    """As printed, but for the row `selected` of the last pass (`sibeyn.ex3`)."""
    for name, printed in TABLE:
        register = name.split()[0]
        row = SELECTED_IN_LAST_PASS if name == "selected i = 2" else printed
        shown = row.replace("-", "∅").split()
        if register.endswith("data"):
            shown = [entry if entry == "∅" else f"d{entry}" for entry in shown]
        yield [register, *shown]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_datum_arrives_along_the_walk_of_its_order(n):
    """At most two data in a processor, none twice on a channel; 4√N - 4 unit shifts on squares."""
    check_bridge("simd_mesh", n)


@given(st.data(), shapes(7), st.sampled_from(["shuffled-row-major", "row-major", "snake-like"]))
def test_meshes_of_any_shape_and_numbering(data, shape, name):
    """Both directions of every axis, once over its length: 2(C - 1) + 2(R - 1) + ..."""
    n = int(math.log2(math.prod(shape)))
    plan = simd_mesh_route(data.draw(permutations(n)), name, network=shape)
    assert plan.delivered
    assert plan.steps == sum(2 * (length - 1) for length in shape)
    assert plan.steps == sum(done.steps for done in plan.passes)
    assert plan.movement == Movement.along(plan.routed, plan.order)


@given(st.data(), st.integers(1, 6))
def test_between_passes_of_a_cycle_one_of_two_data_leaves(data, n):
    """[sibeyn, section 3]: selected_olddata and selected_newdata differ."""
    plan = simd_mesh_route(data.draw(permutations(n)))
    before = np.stack([np.arange(1 << n), np.full(1 << n, -1)])
    for done in plan.passes:
        both = (before >= 0).all(axis=0)
        assert not both.any() or done.operation.cycle is not None
        kept = np.where(done.selected, before[1], before[0])
        left = np.where(done.selected, before[0], before[1])
        assert np.array_equal(done.exchanged, [kept, left])
        across = np.arange(1 << n) ^ 1 << done.bit
        assert np.array_equal(done.shifted, [kept, left[across]])
        if done.operation.cycle is None:
            assert np.array_equal(done.selected, done.selected[across])
        before = done.settled


@given(st.data(), st.integers(1, 6))
def test_skipping_charges_the_bits_that_some_message_changes(data, n):
    """[sibeyn, section 4]: no scheme of one-bit operations takes fewer steps."""
    c = data.draw(st.one_of(permutations(n), st.builds(LCC, st.just(identity(n).A))))
    full, plan = simd_mesh_route(c), simd_mesh_route(c, skip=True)
    assert plan.steps == sum(2 << bit // 2 for bit in range(n) if c.moves(bit))
    assert plan.saved == full.steps - plan.steps
    assert sorted(plan.skipped) == [bit for bit in range(n) if not c.moves(bit)]
    assert plan.movement == full.movement
    assert all(not done.shifts for done in plan.passes if done.bit in plan.skipped)


def test_example_3_as_it_is_printed():
    plan = simd_mesh_route(EXAMPLE_3)
    rows = [[row.register, *row.values] for row in plan.table()]
    assert rows == list(table_of_example_3())
    notes = [row.note for row in plan.table() if row.note]
    assert notes[:4] == ["initial situation", "i = 0", "exchange", "routing of bc_1"]
    assert notes[-1] == "if test"
    assert [row.bit for row in plan.table() if row.register == "y"] == [1, 2, 0]


def test_a_table_without_cycles_exchanges_back_and_marks_what_is_skipped():
    plan = simd_mesh_route(LCC([[1, 1], [0, 1]]), skip=True)
    assert [row.note for row in plan.table() if row.note] == [
        "initial situation",
        "i = 0",
        "exchange",
        "routing of bc_0",
        "exchange back",
        "i = 1: skipped",
    ]
    assert plan.table()[-1].values == ("F",) * 4


def test_unit_shifts_are_counted_by_direction():
    plan = simd_mesh_route(LCC(identity(4).A, 15))
    assert [done.shifts for done in plan.passes] == [
        ((forth, length), (back, length))
        for length in (1, 2)
        for forth, back in (("right", "left"), ("down", "up"))
    ]


def test_data_cannot_fall_off_the_mesh():
    registers = Registers(np.arange(4, dtype=np.int32).reshape(1, 4))
    registers.exchange(np.ones((1, 4), dtype=bool))
    with pytest.raises(AssertionError, match="falls off"):
        registers.complement(0, 3)  # columns without bits 0 and 1 only: 0 goes to 3, 1 to 4


def test_one_processor_pair_and_the_identity():
    assert simd_mesh_route([1, 0]).steps == 2
    nothing = simd_mesh_route(identity(6), skip=True)
    assert (nothing.steps, nothing.saved, nothing.delivered) == (0, 28, True)


def test_a_large_mesh_moves_and_a_larger_one_is_planned():
    c = LCC(random_nonsingular(12, np.random.default_rng(1)), 77)
    assert simd_mesh_route(c).delivered
    plan = simd_mesh_route(LCC(random_nonsingular(40, np.random.default_rng(1))))
    assert plan.steps == 4 * (1 << 20) - 4


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (CommunicationError, "must be a permutation", {"communication": LCC([[0, 1], [0, 0]])}),
        (NotLinearComplement, 'mode="mimd"', {"communication": [0, 1, 2, 3, 4, 5, 7, 6]}),
        (NetworkError, r"such as Mesh\(\(4, 4\)\)", {"network": (3, 5)}),
        (NetworkError, r"2\^4 processors", {"network": Mesh((4, 8))}),
        (NetworkError, "wrap-around is not used", {"network": Torus((4, 4))}),
        (NetworkError, "must be a mesh", {"network": Hypercube(4)}),
        (NetworkError, "must be a mesh", {"network": "cube:4"}),
        (InputError, "must be one of shuffled-row-major", {"numbering": "hilbert"}),
    ],
)
def test_bad_input(error, message, arguments):
    with pytest.raises(error, match=message):
        simd_mesh_route(**{"communication": identity(4), **arguments})


@pytest.mark.parametrize(("left", "delivered"), [(-1, True), (0, False), (1, False)])
def test_no_datum_is_left_in_the_other_register(left, delivered):
    """Datum 0 or 1 a second time, where there should be none."""
    plan = simd_mesh_route(LCC([[0, 1], [1, 0]]))
    settled = plan.passes[-1].settled.copy()
    settled[1, 2] = left
    plan.__dict__["passes"] = [SimpleNamespace(settled=settled)]
    assert plan.delivered is delivered
