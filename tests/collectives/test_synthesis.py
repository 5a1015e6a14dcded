"""Plans found by a solver: what SCCL prints for the DGX-1, optima by hand, replayed."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, floor
from pathlib import Path

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import synthesis, synthesize
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.synthesis import PlanFront
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import as_network
from tests.choosing import sampled
from tests.cli import calling

pytest.importorskip("ortools")

NVLINKS = """0 1 2|0 2|0 3|0 4 2|1 2|1 3 2|1 5|2 3 2|2 6 2|3 7|4 5 2|4 6|4 7|5 6|5 7 2|6 7 2"""
"""The NVLinks of a DGX-1: two chips, and how many links join them."""


def front(*asked: object, **options: object) -> PlanFront:
    """The front without the published plans of fewer steps."""
    found = collectives.front(*asked, **options)  # type: ignore[arg-type]
    return replace(found, corners=tuple(c for c in found.corners if c.by == "solver"))


@pytest.fixture
def dgx1(tmp_path: Path) -> str:
    file = tmp_path / "dgx1.txt"
    file.write_text(NVLINKS.replace("|", "\n") + "\n")
    return f"graph:{file}"


def test_the_allgathers_of_a_dgx_1_are_those_that_sccl_prints(dgx1: str) -> None:
    """Steps, rounds, chunks 2, 3, 2 and 3, 7, 6; at least 7/6; 2, 4, 3 cannot be [sccl]."""
    found = front("allgather", dgx1)
    assert [corner[:3] for corner in found.corners] == [(2, 3, 2), (3, 7, 6)]
    assert found.data_bound == Fraction(7, 6)
    assert (2, 4, 3) in found.refuted
    assert found.complete
    for corner in found.corners:
        assert corner.plan.replay().ok
        placed = collectives.PlanLoads(corner.plan, found.network, np.arange(8), "all")
        assert placed.busiest <= corner.data / 8
        assert corner.plan.steps == corner.steps


@pytest.mark.slow
def test_allreduces_and_alltoalls_of_a_dgx_1(dgx1: str) -> None:
    """14 of 48 vectors over all links are 7/3 shares; 16 blocks leave a half by 6 links: 8/3."""
    sums = front("allreduce", dgx1)
    assert [corner[:3] for corner in sums.corners] == [(4, 6, 2), (6, 14, 6)]
    assert (sums.data_bound, sums.complete) == (Fraction(7, 3), True)
    every = front("alltoall", dgx1, most_chunks=3)
    assert [corner[:3] for corner in every.corners] == [(2, 8, 3)]
    assert (every.data_bound, every.complete) == (Fraction(8, 3), True)
    assert all(corner.plan.replay().ok for corner in (*sums.corners, *every.corners))


def test_what_is_below_the_bound_is_refuted() -> None:
    """Two chunks for each other rank of a ring of four in three rounds: 32 hops, 24 places."""
    assert synthesize("alltoall", "torus:4", 2, 3, 2) is None
    assert synthesize("alltoall", "torus:4", 2, 4, 2).replay().ok
    assert synthesize("allreduce", "torus:4", 4, 4, 2) is None


def test_steps_are_stated_by_the_farthest(dgx1: str) -> None:
    assert synthesize("allgather", dgx1, 1, 9, 1) is None
    assert synthesize("allgather", dgx1, 2, 2, 1).replay().ok


@pytest.mark.parametrize(
    ("collective", "network", "corners"),
    [
        ("allgather", "torus:4", [(2, Fraction(3, 2))]),
        ("allgather", "torus:5", [(2, Fraction(2))]),
        ("allgather", "mesh:4", [(3, Fraction(3))]),
        ("allgather", "cube:2", [(2, Fraction(3, 2))]),
        ("reduce-scatter", "torus:4", [(2, Fraction(3, 2))]),
        ("broadcast", "mesh:3", [(2, Fraction(2)), (3, Fraction(3, 2)), (4, Fraction(4, 3))]),
        ("reduce", "torus:3", [(1, Fraction(1)), (2, Fraction(2, 3))]),
        ("scatter", "torus:5", [(2, Fraction(2))]),
        ("gather", "mesh:4", [(3, Fraction(3))]),
        ("alltoall", "torus:4", [(2, Fraction(2))]),
        ("alltoall", "torus:5", [(2, Fraction(3))]),
        ("alltoall", "mesh:3", [(2, Fraction(2))]),
        ("alltoall", "cube:3", [(3, Fraction(4))]),
        ("allreduce", "torus:4", [(4, Fraction(3))]),
        ("allreduce", "mesh:3", [(4, Fraction(4))]),
    ],
)
def test_fronts_by_hand(collective: str, network: str, corners: list[object]) -> None:
    """Rings: (p - 1) / 2 with both ports. A chain of 3 in C chunks: C + 1 steps, (C + 1) / C."""
    limit = 3 if collective in ("broadcast", "reduce") else 2
    found = front(collective, network, most_chunks=limit)
    assert [(c.steps, c.data) for c in found.corners][: len(corners)] == corners
    for corner in found.corners:
        assert corner.plan.replay().ok
        assert corner.plan.collective == collective
    for first, second in pairwise(found.corners):
        assert first.steps < second.steps
        assert first.data > second.data


def test_a_scatter_from_the_end_of_a_star(tmp_path: Path) -> None:
    """All 9 blocks leave the root by its one link, in 2 steps: 9 rounds, more than 4 a step."""
    file = tmp_path / "star.txt"
    file.write_text("0 1\n" + "".join(f"1 {leaf}\n" for leaf in range(2, 10)), encoding="utf-8")
    for collective in ("scatter", "gather"):
        found = front(collective, f"graph:{file}", most_chunks=1)
        assert [(c.steps, c.data, c.by) for c in found.corners] == [(2, 9, "solver")]
        assert found.complete
        assert found.corners[0].plan.replay().ok


def test_a_front_is_of_the_links_that_routes_take(tmp_path: Path) -> None:
    """Of two cables a message has one, and round a ring by up*/down* one link is no route."""
    pair, ring = tmp_path / "pair.txt", tmp_path / "ring.txt"
    pair.write_text("0 1\n0 1 2\n1 2 2\n")
    ring.write_text("".join(f"{k} {(k + 1) % 5}\n" for k in range(5)))
    for word in (f"graph:{pair}", f"graph:{ring},routing=updown"):
        found = collectives.front("broadcast", word, most_chunks=2)
        corner = found.corners[-1]
        assert corner.plan is not None
        loads = PlanLoads(corner.plan, found.network, np.arange(corner.plan.ranks), "all")
        assert loads.busiest == corner.data >= found.data_bound


def test_no_published_plan_is_below_the_front() -> None:
    """Of an allgather on a cube of eight, all ports."""
    found = front("allgather", "cube:3", most_chunks=3)
    assert found.corners[0].steps == 3
    least = min(corner.data for corner in found.corners)
    for each in collectives.algorithms_of("allgather"):
        try:
            made = collectives.allgather(each, "cube:3", ports="all")
        except InputError:
            continue
        assert made.busiest * 8 >= found.data_bound
        assert made.busiest * 8 >= least or not found.complete


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: synthesize("barrier", "torus:4", 2, 2), "collective: must be"),
        (lambda: synthesize("allreduce", "torus:4", 3, 4), "steps: must be even"),
        (lambda: synthesize("allgather", "fattree:2^2", 2, 2), "network: must have no routers"),
        (lambda: synthesize("allgather", "torus:4", 3, 2), "rounds: must be at least 3"),
        (lambda: synthesize("broadcast", "torus:4", 2, 2, root=4), "root: must be in 0..3"),
        (lambda: synthesize("allgather", "torus:16x16", 9, 99), "must have at most 64 nodes"),
    ],
)
def test_bad_input_is_refused(call: object, rule: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert rule in str(refused.value)


def test_a_front_that_is_never_decided_ends_after_eight_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where one number of steps has more: 8 are named, as they are asked."""

    def late(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(synthesis, "synthesize", late)
    found = front("allgather", "torus:4", most_chunks=16)
    assert (found.corners, found.refuted, len(found.undecided)) == ((), (), 8)
    asked = [(steps, Fraction(rounds, chunks)) for steps, rounds, chunks in found.undecided]
    assert asked == sorted(asked)
    assert asked[0][0] == 2


def test_all_questions_together_end_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one port nothing else ends a walk that finds no plan; what was proved is told."""
    limits = []

    def slow(*_: object, seconds: float, **__: object) -> None:
        limits.append(seconds)
        time.sleep(0.005)
        if len(limits) == 3:
            raise TimeoutError

    monkeypatch.setattr(synthesis, "synthesize", slow)
    monkeypatch.setattr(synthesis, "algorithms_of", lambda _: ())
    start = time.monotonic()
    found = front("allgather", "torus:4", ports="one", seconds=0.1)
    assert 0.1 <= time.monotonic() - start < 1
    assert max(limits) <= 0.1 / 4
    assert len(found.undecided) == 1
    assert len(found.refuted) == len(limits) - 1
    assert not found.complete
    last = max(steps for steps, *_ in found.refuted)
    more = f"limit of 0.1 seconds; plans of more than {last} steps were not searched"
    assert more in " ".join(found.notes)
    assert "undecided in time: 2 steps" in " ".join(found.notes)
    monkeypatch.undo()
    assert front("allgather", "torus:4", most_chunks=2).seconds is None


def test_the_command_takes_the_limit(tmp_path: Path) -> None:
    """A broadcast with one port on six ranks with bandwidths 2 and 4: 10 minutes without it."""
    file = tmp_path / "six.txt"
    file.write_text("0 1 2\n1 2 4\n2 3 2\n3 4 4\n4 5 2\n5 0 4\n")
    asked = ["collective", "broadcast", "-N", f"graph:{file}", "--optimal", "--ports", "one"]
    start = time.monotonic()
    told = calling.run(*asked, "--seconds", "0.1", "-f", "json")
    assert time.monotonic() - start < 20
    assert told.exit_code == 0
    assert "limit of 0.1 seconds" in told.output
    for wrong in (["--seconds", "0"], ["--seconds", "x"], ["--seconds", "nan"]):
        refused = calling.run(*asked, *wrong)
        assert (refused.exit_code, len(refused.output.strip().splitlines())) == (2, 1), wrong
    alone = calling.run("collective", "broadcast", "-N", "torus:4", "--seconds", "2")
    assert alone.exit_code == 2
    assert "--seconds requires --optimal" in alone.output


@pytest.mark.parametrize(
    ("collective", "chunks"), [("allgather", 4), ("broadcast", 1), ("alltoall", 12)]
)
def test_questions_are_limited_by_their_sends(
    collective: str, chunks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks times links times steps, counted on a ring of four; one fewer allowed is refused."""
    sends = 2 * chunks * 8 * 2
    monkeypatch.setattr(synthesis, "_MOST", sends)
    assert synthesize(collective, "torus:4", 2, 4, 2).replay().ok
    monkeypatch.setattr(synthesis, "_MOST", sends - 1)
    with pytest.raises(
        SizeLimitError, match=f"at most {sends - 1} sends are supported; got {sends}"
    ):
        synthesize(collective, "torus:4", 2, 4, 2)


# -- against trying everything, and step by step ----------------------------------------------


def _possible(collective: str, word: str, steps: int, rounds: int, chunks: int, root: int) -> bool:
    """Whether any plan does it: every split of the rounds, every set of chunks on every link."""
    network = as_network(word)
    p, starts = network.size, synthesis._starts(collective, network.size, chunks, root)
    wide = {
        (u, v): network.bandwidths[network.row_dimension(network.counter(u, v)[0])]
        for u, v in network.graph().edges()
    }
    first = tuple(frozenset(c for c, s in enumerate(starts) if s.owner == v) for v in range(p))
    for split in product(range(1, rounds + 1), repeat=steps):
        if sum(split) != rounds:
            continue
        states = {first}
        for r in split:
            after = set()
            for state in states:
                ways = []
                for (u, v), width in wide.items():
                    new = state[u] - state[v]
                    ways.append(list(combinations(new, min(len(new), floor(width * r)))))
                for chosen in product(*ways):
                    got = [set(held) for held in state]
                    for (_, v), some in zip(wide, chosen, strict=True):
                        got[v] |= set(some)
                    after.add(tuple(map(frozenset, got)))
            states = after
        done = [{c for c, s in enumerate(starts) if v in s.goals} for v in range(p)]
        if any(all(done[v] <= state[v] for v in range(p)) for state in states):
            return True
    return False


@pytest.mark.parametrize(
    ("collective", "network", "most", "chunks"),
    sampled([
        ("broadcast", "mesh:3", 3, 2), ("broadcast", "torus:3", 2, 3),
        ("allgather", "mesh:3", 2, 1), ("allgather", "torus:3", 2, 2),
        ("alltoall", "mesh:3", 2, 1), ("alltoall", "mesh:2", 2, 2), ("allgather", "mesh:2", 2, 2),
        ("broadcast", "mesh:2", 2, 3), ("scatter", "mesh:3", 2, 2), ("scatter", "torus:3", 2, 2),
        ("broadcast", "mesh:2x2,bandwidth=1:2", 3, 2), ("broadcast", "mesh:3,bandwidth=3/2", 2, 3),
    ], 3),
)  # fmt: skip
def test_the_solver_says_what_trying_everything_says(
    collective: str, network: str, most: int, chunks: int
) -> None:
    """Every S, R and C up to a few; a plan keeps its steps, and its rounds on every link."""
    root = int(collective in ("broadcast", "scatter") and network.startswith("mesh"))
    for S, C in product(range(1, most + 1), range(1, chunks + 1)):
        for R in range(S, S + 3):
            found = synthesize(collective, network, S, R, C, root=root)
            expected = _possible(collective, network, S, R, C, root)
            assert (found is not None) == expected, (S, R, C)
            if found is not None:
                assert found.replay().ok
                assert (found.steps, found.root, found.name) == (S, root, "synthesized")
                loads = PlanLoads(found, as_network(network), np.arange(found.ranks), "all")
                parts = 1 if collective == "broadcast" else found.ranks
                each = [load * C * parts for load in loads.per_step]
                assert sum(max(1, ceil(load)) for load in each) <= R
                cut = {"broadcast": 0, "scatter": 1, "allgather": 1, "alltoall": 2}[collective]
                assert found.blocks == C * found.ranks**cut


class Known:
    """A world in which plans of S steps have data from `least[S]` on; what was asked is noted."""

    def __init__(self, least: dict[int, object], late: object = ()) -> None:
        self.least, self.late = least, late
        self.asked: list[tuple[int, int, int]] = []

    def __call__(self, collective: object, where: object, *asked: int, **_: object) -> object:
        steps, rounds, chunks = asked
        self.asked.append(asked)  # type: ignore[arg-type]  # three numbers
        if asked in self.late or steps in self.late:  # type: ignore[operator]
            raise TimeoutError
        return "a plan" if Fraction(rounds, chunks) >= self.least.get(steps, 99) else None


def _walk(monkeypatch: pytest.MonkeyPatch, world: Known) -> object:
    """Of a ring of four: two steps at least, data 3/2."""
    monkeypatch.setattr(synthesis, "synthesize", world)
    monkeypatch.setattr(synthesis, "algorithms_of", lambda _: ())
    return front("allgather", "torus:4", most_chunks=2)


def test_a_front_ends_where_the_bound_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Known({2: Fraction(3, 2), 3: Fraction(3, 2)})
    found = _walk(monkeypatch, world)
    assert world.asked == [(2, 3, 2)]
    assert found.complete
    late = Known({2: 2, 3: Fraction(3, 2)}, {(2, 3, 2)})
    found = _walk(monkeypatch, late)
    assert found.undecided == ((2, 3, 2),)
    assert [corner[:3] for corner in found.corners] == [(2, 2, 1), (3, 3, 2)]
    assert not found.complete


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("steps", 1, 4096), ("rounds", 4096, 4096), ("chunks", 1, 4096), ("seconds", 0.001, 3600)],
)
def test_questions_are_limited(
    name: str, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesis, "_solved", lambda *_: None)
    asked = {"steps": 1, "rounds": 4096, "chunks": 1, "seconds": 1.0}
    for value in (least, most):
        assert synthesize("broadcast", "mesh:2", **(asked | {name: value})) is None
    for value in (most + 1, 0, -1):
        with pytest.raises(InputError) as refused:
            synthesize("broadcast", "mesh:2", **(asked | {name: value}))
        assert refused.value.argument == name


def test_fronts_and_networks_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "_solved", lambda *_: None)
    for word, root in (("mesh:64", 0), ("mesh:64", 63), ("mesh:2", 1)):
        assert synthesize("broadcast", word, 1, 1, root=root) is None
    for word, root, argument in (("mesh:65", 0, "network"), ("mesh:2", 2, "root")):
        with pytest.raises(InputError) as refused:
            synthesize("broadcast", word, 1, 1, root=root)
        assert refused.value.argument == argument
    assert front("broadcast", "mesh:2", most_chunks=16).corners == ()
    assert front("broadcast", "mesh:2", seconds=3600).corners == ()
    for given in ({"most_chunks": 17}, {"most_chunks": 0}, {"seconds": 3601}, {"seconds": 0}):
        with pytest.raises(InputError) as refused:
            front("broadcast", "mesh:2", **given)  # type: ignore[arg-type]
        assert [refused.value.argument] == [*given]


@pytest.mark.parametrize(
    "word", ["mesh:4", "torus:5", "mesh:3x2", "mesh:2x2,bandwidth=5:1", "cube:3"]
)
def test_alltoalls_are_bounded_by_cuts_and_by_distances(word: str) -> None:
    """|S| (p - |S|) over what leaves S, and all distances over all channels; the larger."""
    network = as_network(word)
    p, nodes = network.size, range(network.size)
    wide = {
        (u, v): network.bandwidths[network.row_dimension(network.counter(u, v)[0])]
        for u, v in network.graph().edges()
    }
    cuts = [
        len(some) * (p - len(some))
        / sum((w for (u, v), w in wide.items() if u in some and v not in some), Fraction(0))
        for k in range(1, p)
        for some in map(set, combinations(nodes, k))
    ]  # fmt: skip
    far = sum(network.distance(x, y) for x in nodes for y in nodes) / sum(wide.values())
    problem = CollectiveProblem("alltoall", network, ports="all")
    assert synthesis._data_bound(problem) == max(*cuts, far)


def test_what_is_refuted_of_an_allgather_is_refuted_of_its_allreduce() -> None:
    """Twice the steps and rounds; the bound is in p-ths of the vector, so p times that of data."""
    where, asked = as_network("mesh:3"), [((2, 5, 3), (3, 4, 1)), ((4, 7, 2),)]
    found = synthesis._composed(PlanFront("allgather", where, (), Fraction(9), *asked, 2))
    assert found.refuted == ((4, 10, 3), (6, 8, 1))
    assert found.undecided == ((8, 14, 2),)
    assert (found.collective, found.corners) == ("allreduce", ())
    assert found.data_bound == 3 * collectives.allreduce("ring", "mesh:3", ports="all").bound.data
    assert not found.complete
