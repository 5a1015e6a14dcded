"""Plans found by a solver: what SCCL prints for the DGX-1, optima by hand, replayed."""

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product
from math import ceil, floor

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import synthesis, synthesize
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.synthesis import PlanFront
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import as_network
from tests.choosing import sampled, slow
from tests.cli import calling

pytest.importorskip("ortools")

F = Fraction

NVLINKS = """0 1 2|0 2|0 3|0 4 2|1 2|1 3 2|1 5|2 3 2|2 6 2|3 7|4 5 2|4 6|4 7|5 6|5 7 2|6 7 2"""
"""The NVLinks of a DGX-1: two chips, and how many links join them."""


def front(*asked: object, **options: object) -> PlanFront:
    """The front without the published plans of fewer steps."""
    found = collectives.front(*asked, **options)
    return replace(found, corners=tuple(c for c in found.corners if c.by == "solver"))


@pytest.mark.parametrize(
    ("kind", "most_chunks", "corners", "data_bound"),
    [
        # as SCCL prints; 2, 4, 3 cannot be [sccl]
        ("allgather", 6, [(2, 3, 2), (3, 7, 6)], F(7, 6)),
        # 14 of 48 vectors over all links are 7/3 shares
        slow(("allreduce", 6, [(4, 6, 2), (6, 14, 6)], F(7, 3))),
        # 16 blocks leave a half by 6 links
        slow(("alltoall", 3, [(2, 8, 3)], F(8, 3))),
    ],
)
def test_plans_of_a_dgx_1(kind, most_chunks, corners, data_bound, tmp_path):
    file = tmp_path / "dgx1.txt"
    file.write_text(NVLINKS.replace("|", "\n") + "\n")
    found = front(kind, f"graph:{file}", most_chunks=most_chunks)
    assert [corner[:3] for corner in found.corners] == corners
    assert (found.data_bound, found.complete) == (data_bound, True)
    assert kind != "allgather" or (2, 4, 3) in found.refuted
    for corner in found.corners:
        assert corner.plan.replay().ok
        assert corner.plan.steps == corner.steps
        placed = PlanLoads(corner.plan, found.network, np.arange(8), "all")
        assert kind != "allgather" or placed.busiest <= corner.data / 8


@pytest.mark.parametrize(
    ("collective", "network", "corners"),
    [
        ("allgather", "torus:5", [(2, 2)]),
        ("reduce-scatter", "torus:4", [(2, F(3, 2))]),
        ("broadcast", "mesh:3", [(2, 2), (3, F(3, 2)), (4, F(4, 3))]),
        ("reduce", "torus:3", [(1, 1), (2, F(2, 3))]),
        ("gather", "mesh:4", [(3, 3)]),
        ("alltoall", "cube:3", [(3, 4)]),
        ("allreduce", "torus:4", [(4, 3)]),
    ],
)
def test_fronts_by_hand(collective, network, corners):
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


def test_a_scatter_from_the_end_of_a_star(tmp_path):
    """All 9 blocks leave the root by its one link, in 2 steps: 9 rounds, more than 4 a step."""
    file = tmp_path / "star.txt"
    file.write_text("0 1\n" + "".join(f"1 {leaf}\n" for leaf in range(2, 10)), encoding="utf-8")
    for collective in ("scatter", "gather"):
        found = front(collective, f"graph:{file}", most_chunks=1)
        assert [(c.steps, c.data, c.by) for c in found.corners] == [(2, 9, "solver")]
        assert found.complete
        assert found.corners[0].plan.replay().ok


def test_a_front_is_of_the_links_that_routes_take(tmp_path):
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


def test_all_questions_together_end_at_the_limit(monkeypatch):
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


def test_the_command_takes_the_limit(tmp_path):
    """A broadcast with one port on six ranks with bandwidths 2 and 4: 10 minutes without it."""
    file = tmp_path / "six.txt"
    file.write_text("0 1 2\n1 2 4\n2 3 2\n3 4 4\n4 5 2\n5 0 4\n")
    asked = ["collective", "broadcast", "-N", f"graph:{file}", "--optimal", "--ports", "one"]
    start = time.monotonic()
    result = calling.run(*asked, "--seconds", "0.1", "-f", "json")
    assert time.monotonic() - start < 20
    assert result.exit_code == 0
    assert "limit of 0.1 seconds" in result.output
    for wrong in ("0", "x", "nan"):
        calling.refused(calling.run(*asked, "--seconds", wrong))


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
def test_the_solver_says_what_trying_everything_says(collective, network, most, chunks):
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


@pytest.mark.parametrize(
    "word", ["mesh:4", "torus:5", "mesh:3x2", "mesh:2x2,bandwidth=5:1", "cube:3"]
)
def test_alltoalls_are_bounded_by_cuts_and_by_distances(word):
    """|S| (p - |S|) over what leaves S, and all distances over all channels; the larger."""
    network = as_network(word)
    p, nodes = network.size, range(network.size)
    wide = {
        (u, v): network.bandwidths[network.row_dimension(network.counter(u, v)[0])]
        for u, v in network.graph().edges()
    }
    cuts = [
        len(some) * (p - len(some))
        / sum((w for (u, v), w in wide.items() if u in some and v not in some), F(0))
        for k in range(1, p)
        for some in map(set, combinations(nodes, k))
    ]  # fmt: skip
    far = sum(network.distance(x, y) for x in nodes for y in nodes) / sum(wide.values())
    problem = CollectiveProblem("alltoall", network, ports="all")
    assert synthesis._data_bound(problem) == max(*cuts, far)


def _front_of(
    monkeypatch: pytest.MonkeyPatch, least: dict[int, F], late: object = (), most_chunks: int = 2
) -> tuple[PlanFront, list[tuple[int, int, int]]]:
    """Of a ring of four (two steps at least, data 3/2) if S steps can have data `least[S]`.

    Questions and numbers of steps in `late` are not decided in time.
    """
    asked = []

    def answer(collective: object, where: object, *question: int, **_: object) -> str | None:
        asked.append(question)
        if question in late or question[0] in late:
            raise TimeoutError
        steps, rounds, chunks = question
        return "a plan" if F(rounds, chunks) >= least.get(steps, 99) else None

    monkeypatch.setattr(synthesis, "synthesize", answer)
    monkeypatch.setattr(synthesis, "algorithms_of", lambda _: ())
    return front("allgather", "torus:4", most_chunks=most_chunks), asked


def test_a_front_ends_where_the_bound_is_met(monkeypatch):
    """If nothing is decided it ends after eight questions, which are named in their sequence."""
    found, asked = _front_of(monkeypatch, {2: F(3, 2), 3: F(3, 2)})
    assert asked == [(2, 3, 2)]
    assert found.complete
    found, _ = _front_of(monkeypatch, {2: F(2), 3: F(3, 2)}, {(2, 3, 2)})
    assert found.undecided == ((2, 3, 2),)
    assert [corner[:3] for corner in found.corners] == [(2, 2, 1), (3, 3, 2)]
    assert not found.complete
    found, asked = _front_of(monkeypatch, {}, range(100), 16)
    assert (found.corners, found.refuted, len(found.undecided)) == ((), (), 8)
    order = [(steps, F(rounds, chunks)) for steps, rounds, chunks in found.undecided]
    assert order == sorted(order)
    assert order[0][0] == 2


def test_what_is_refuted_of_an_allgather_is_refuted_of_its_allreduce():
    """Twice the steps and rounds; the bound is in p-ths of the vector, so p times that of data."""
    where, settled = as_network("mesh:3"), [((2, 5, 3), (3, 4, 1)), ((4, 7, 2),)]
    found = synthesis._composed(PlanFront("allgather", where, (), F(9), *settled, 2))
    assert found.refuted == ((4, 10, 3), (6, 8, 1))
    assert found.undecided == ((8, 14, 2),)
    assert (found.collective, found.corners, found.complete) == ("allreduce", (), False)
    assert found.data_bound == 3 * collectives.allreduce("ring", "mesh:3", ports="all").bound.data


ASKED = {"steps": 1, "rounds": 4096, "chunks": 1, "seconds": 1.0}
LIMITS = [("steps", 1, 4096), ("rounds", 4096, 4096), ("chunks", 1, 4096), ("seconds", 0.001, 3600)]


def test_questions_are_limited(monkeypatch):
    monkeypatch.setattr(synthesis, "_solved", lambda *_: None)
    refused: list[tuple[Callable[[], object], str]] = []
    for name, least, most in LIMITS:
        for value in (least, most):
            assert synthesize("broadcast", "mesh:2", **(ASKED | {name: value})) is None
        refused += [
            (partial(synthesize, "broadcast", "mesh:2", **(ASKED | {name: value})), name)
            for value in (most + 1, 0, -1)
        ]
    for word, root in (("mesh:64", 0), ("mesh:64", 63), ("mesh:2", 1)):
        assert synthesize("broadcast", word, 1, 1, root=root) is None
    for options in ({"most_chunks": 16}, {"seconds": 3600}):
        assert front("broadcast", "mesh:2", **options).corners == ()
    refused += [
        (partial(synthesize, "broadcast", "mesh:65", 1, 1), "network"),
        (partial(synthesize, "broadcast", "mesh:2", 1, 1, root=2), "root"),
        (partial(synthesize, "barrier", "torus:4", 2, 2), "collective"),
        (partial(synthesize, "allreduce", "torus:4", 3, 4), "steps"),
        (partial(synthesize, "allgather", "fattree:2^2", 2, 2), "network"),
        (partial(synthesize, "allgather", "torus:4", 3, 2), "rounds"),
        *((partial(front, "broadcast", "mesh:2", **{name: value}), name)
          for name, value in (("most_chunks", 17), ("most_chunks", 0), ("seconds", 3601))),
    ]  # fmt: skip
    for call, argument in refused:
        with pytest.raises(InputError) as error:
            call()
        assert error.value.argument == argument


def test_questions_are_limited_by_their_sends(monkeypatch):
    """Chunks times links times steps, counted on a ring of four; one fewer allowed is refused."""
    for collective, chunks in (("allgather", 4), ("broadcast", 1), ("alltoall", 12)):
        sends = 2 * chunks * 8 * 2
        monkeypatch.setattr(synthesis, "_MOST", sends)
        assert synthesize(collective, "torus:4", 2, 4, 2).replay().ok
        monkeypatch.setattr(synthesis, "_MOST", sends - 1)
        with pytest.raises(SizeLimitError, match=f"at most {sends - 1} sends.*; got {sends}"):
            synthesize(collective, "torus:4", 2, 4, 2)
