"""The pipelined CC-cube is the one that [calmant 2.4] describes, and a run checks every read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import CommunicationError, InputError
from lccmodel.ground.arrays import Array
from lccmodel.pipelining.execution import PacketPlan, ProcessView, run_pipelined

SIZES = range(1, 13)
DEGREES = range(1, 40)


def printed_phases(d: int, Q: int) -> dict[str, list[tuple[int, int]]]:
    """[calmant, section 2.4]: the first and the last dimension of every iteration of a phase."""
    least, most = min(d, Q), max(d, Q)
    kernel = [(k - 1, Q + k - 2) if Q < d else (0, d - 1) for k in range(1, most - least + 2)]
    return {
        "prologue": [(0, k - 1) for k in range(1, least)],
        "kernel": kernel,
        "epilogue": [(d - least + k, d - 1) for k in range(1, least)],
    }


@pytest.mark.parametrize("d", SIZES)
def test_phases_use_the_dimensions_that_section_2_4_prints(d):
    for Q in DEGREES:
        plan = PacketPlan(d, Q)
        assert plan.regime == ("shallow" if Q < d else "deep")
        phases = {"prologue": plan.prologue, "kernel": plan.kernel, "epilogue": plan.epilogue}
        for name, printed in printed_phases(d, Q).items():
            found = [(i, i + M - 1) for i, M in (each.task for each in phases[name])]
            assert found == printed, f"Q = {Q}, {name}"
            assert [each.k for each in phases[name]] == list(range(1, len(printed) + 1))
        assert [each.t for each in sum(phases.values(), ())] == list(range(d + Q - 1))


@pytest.mark.parametrize("d", SIZES)
def test_every_packet_is_sent_once_and_in_order(d):
    """[calmant, section 2.4]: packet p is sent along dimension j in iteration j + p."""
    for Q in DEGREES:
        plan, sent = PacketPlan(d, Q), [0] * d
        for iteration in plan.iterations:
            for j, packet in iteration.packets:
                assert iteration.t == j + packet, f"Q = {Q}"
                assert sent[j] == packet == plan.arrived(j, packet, j)
                assert [plan.arrived(j, packet, k) for k in range(j)] == sent[:j]
            for j, _ in iteration.packets:
                sent[j] += 1
        assert sent == [Q] * d, f"Q = {Q}"


@given(N=st.integers(1, 200), data=st.data())
def test_packets_cut_the_vector_into_parts_that_differ_by_at_most_one(N, data):
    Q = data.draw(st.integers(1, N))
    plan = PacketPlan(3, Q, N)
    assert [item for packet in plan.packets for item in packet] == list(range(N))
    assert len(plan.sizes) == Q
    assert max(plan.sizes) - min(plan.sizes) <= 1
    assert min(plan.sizes) >= 1


@dataclass(frozen=True)
class Reader:
    """x_i[j] is the sum of x_k[0..j + lead(i, k)] received, over k < i: reads all it may."""

    d: int
    N: int
    extra: int = 0

    def start(self, data: Any) -> Array:
        return np.asarray(data)

    def compute(self, i: int, items: range, local: Array, view: ProcessView) -> Array:
        total = local[:, items.start : items.stop].copy()
        for k in range(i):
            for place, j in enumerate(items):
                reach = min(self.N, j + i - k + self.extra)
                total[:, place] += view.received(k, slice(reach)).sum(axis=1)
        return total

    def finish(self, local: Array, view: ProcessView) -> Array:
        return view.received(self.d - 1, slice(None))


def plain(d: int, N: int, data: Array, extra: int = 0) -> Array:
    """The same without packets: the CC-cube loop of section 2.2."""
    nodes = np.arange(1 << d)
    received: list[Array] = []
    for i in range(d):
        x = data.copy()
        for k in range(i):
            for j in range(N):
                x[:, j] += received[k][:, : min(N, j + i - k + extra)].sum(axis=1)
        received.append(x[nodes ^ (1 << i)])
    return received[-1]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("N", [1, 2, 5, 8])
def test_the_condition_with_x_0_may_be_used_up_for_every_degree(d, N):
    """x_i[j] may read x_(i-k)[1..j+k-1] for k = 1..i, so also x_0, whatever Q is."""
    data = np.random.default_rng(d * N).integers(0, 9, (1 << d, N))
    for Q in range(1, N + 1):
        run = run_pipelined(Reader(d, N), data, PacketPlan(d, Q))
        assert (run.result == plain(d, N, data)).all()
        assert not run.violations
        assert all(r <= i - k - 1 for (i, k), r in run.reach.items())


@pytest.mark.parametrize("d", [2, 3, 4])
def test_one_item_beyond_the_condition_is_refused_and_gives_a_wrong_result(d):
    N = 6
    data = np.random.default_rng(d).integers(1, 9, (1 << d, N))
    reader, expected = Reader(d, N, extra=1), plain(d, N, data, extra=1)
    assert (run_pipelined(reader, data, PacketPlan(d, 1)).result == expected).all()
    with pytest.raises(CommunicationError, match="algorithm"):
        run_pipelined(reader, data, PacketPlan(d, N))
    run = run_pipelined(reader, data, PacketPlan(d, N), check="report")
    assert run.violations[0].i == 1
    assert run.violations[0].item == run.violations[0].available == 1
    assert not (run.result == expected).all()


def test_what_has_not_arrived_is_read_as_zeros_and_reported():
    """An unfilled buffer: x_1 of [calmant 2.4] is read before any of it was sent."""

    class Early(Reader):
        def compute(self, i: int, items: range, local: Array, view: ProcessView) -> Array:
            mine = local[:, items.start : items.stop]
            if (i, items.start) != (0, 1):
                return mine
            early = view.received(self.d - 1, slice(0, 1))
            assert (early == 0).all()
            return mine + early

    data = np.arange(1, 9).reshape(4, 2)
    run = run_pipelined(Early(2, 2), data, PacketPlan(2, 2), check="report")
    assert (run.result == data[np.arange(4) ^ 2]).all()
    assert {(one.i, one.k, one.available, one.source) for one in run.violations} >= {
        (0, 1, 0, "received")
    }


@pytest.mark.parametrize("check", ["raise", "report"])
@pytest.mark.parametrize("source", ["own", "received"])
def test_the_first_packet_reads_nothing_but_data(check, source):
    """Not even what an item is like is known then: StopIteration came out of the run."""

    class First(Reader):
        def compute(self, i: int, items: range, local: Array, view: ProcessView) -> Array:
            return getattr(view, source)(0, slice(0, 1))

    with pytest.raises(CommunicationError, match=r"algorithm: packet 0 of x_0 must|first packet"):
        run_pipelined(First(2, 2), np.ones((4, 2)), PacketPlan(2, 2), check=check)


class Short(Reader):
    def compute(self, i: int, items: range, local: Array, view: ProcessView) -> Array:
        return local[:, :0]


DATA, READER = np.ones((4, 3)), Reader(2, 3)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: PacketPlan(0, 1), "d"),
        (lambda: PacketPlan(2, 0), "Q"),
        (lambda: PacketPlan(2, 5, 4), "Q"),
        (lambda: PacketPlan(2.5, 1), "d"),
        (lambda: PacketPlan(2, 1, "4"), "N"),
        (lambda: PacketPlan(2, 1).iteration(2), "t"),
        (lambda: PacketPlan(2, 1).sizes, "N"),
        (lambda: run_pipelined(READER, DATA, PacketPlan(3, 1)), "d"),
        (lambda: run_pipelined(READER, DATA, PacketPlan(2, 1, 4)), "N"),
        (lambda: run_pipelined(READER, DATA, PacketPlan(2, 4)), "Q"),
        (lambda: run_pipelined(READER, DATA, PacketPlan(2, 1), check="no"), "check"),
        (lambda: run_pipelined(Short(2, 3), DATA, PacketPlan(2, 1)), "shape"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError, match=argument):
        call()
