"""Every kernel of a formula, run as plain Python: it stays inside its arrays, and says the same.

Compiled code reads and writes beyond the end of an array without a word; Python raises an
`IndexError`. The arrays are those that the library makes, so that one that is made too small is
noticed too. And the answer must be that of the machine code.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lccmodel import LCC, catalog, collectives, compare
from lccmodel.communication.products import recognised_grid
from lccmodel.gf2 import batch, orbits
from lccmodel.kernels import jit, notice
from lccmodel.kernels.jit import kernel, light_kernel
from lccmodel.lattice import subset
from lccmodel.lattice.counts import Counts
from lccmodel.network import BristledHypercube, FatTree, Hypercube, Mesh, Network, Torus, routes
from lccmodel.network.ring_direction import PLUS
from lccmodel.pipelining import Machine, Piecewise, Task, optimal_degrees, schedule

ROOT = Path(__file__).parent.parent
IGNORED = shutil.ignore_patterns("__pycache__")

MODULES = (
    *("lccmodel.gf2.batch", "lccmodel.gf2.orbits", "lccmodel.lattice.counting"),
    *("lccmodel.lattice.kernels", "lccmodel.network.kernels", "lccmodel.network.routes"),
    *("lccmodel.network.tree_loads", "lccmodel.pipelining.cost.kernel"),
    *("lccmodel.movement.kernels", "lccmodel.movement.kernels"),
    *("lccmodel.movement.kernels", "lccmodel.permutations.self_routing.kernels"),
    *("lccmodel.pipelining.replay_kernels", "lccmodel.collectives.kernels"),
    *("lccmodel.communication.products", "lccmodel.placement.search.problem"),
)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Call a function with every kernel replaced by the Python that it is compiled from."""

    modules = [importlib.import_module(name) for name in MODULES]  # before any is patched

    def call(function: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch, np.errstate(over="ignore"), jit.in_python():
            for module in modules:
                for key, value in list(vars(module).items()):
                    if hasattr(value, "py_func"):
                        patch.setattr(module, key, value.py_func)
            return function()

    return call


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other) and np.asarray(one).dtype == np.asarray(other).dtype


def random_lccs(rng: np.random.Generator, n: int, members: int) -> tuple[LCC, ...]:
    makers = (LCC, LCC.scatter)
    return tuple(
        makers[int(rng.integers(2))](rng.integers(0, 2, (n, n)), rng.integers(0, 2, n))
        for _ in range(members)
    )


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
def test_the_subset_programme(
    objective: Any, in_python: Callable[[Callable[[], Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several chunks of sets, gathers and scatters, internal bits, caps that bind."""
    monkeypatch.setattr(subset, "_CHUNK", 4)
    rng = np.random.default_rng(21)
    for n, internal in [(1, ()), (3, ()), (4, (0,)), (4, (1, 3))]:
        given = random_lccs(rng, n, 3)
        for caps in [(), (2, None, 1)]:

            def answers(
                n: int = n,
                internal: tuple[int, ...] = internal,
                caps: Any = caps,
                given: tuple[LCC, ...] = given,
            ) -> Any:
                programme = subset.SubsetProgramme(given, (1, 2, 3), objective, internal, caps)
                least = programme.least(), programme.first_within_caps()
                return programme._cost_to_go.tolist(), programme.optimum, programme.count(), least

            assert in_python(answers) == answers()


@pytest.mark.parametrize("order", [None, (1, 2, 0), (0, 2, 1)])
def test_ranks_of_corners(
    order: Any, in_python: Callable[[Callable[[], Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed rows, bits, and indices; more matrices than a block holds."""
    rows = np.random.default_rng(22).integers(0, 8, (70, 3)).astype(np.uint8)
    bits = rows[..., np.newaxis] >> np.arange(3, dtype=np.uint8) & 1

    def answers() -> Any:
        return [
            *(batch.ranks(rows), batch.ranks(bits), batch.leading_ranks(rows, order)),
            batch.leading_ranks_of_all(3, order=order),
        ]

    assert same(in_python(answers), answers())


def test_orbits(in_python: Callable[[Callable[[], Any]], Any]) -> None:
    def answers() -> Any:
        found = [orbits.linear_orbits(2), orbits.reordering_orbits(2)]
        return [(o.representatives, o.sizes) for o in found]

    assert same(in_python(answers), answers())


@pytest.mark.parametrize("top", [3, 70_000, 1 << 40])
def test_loads_of_counted_messages(top: int, in_python: Callable[[Callable[[], Any]], Any]) -> None:
    """Every width of counters, every set of three to five bits, and blocks of two."""
    rng = np.random.default_rng(23)
    for n in (1, 3, 5):
        messages = rng.integers(0, 1 << n, (2, 9))
        volumes = rng.integers(0, top, 9)

        def answers(n: int = n, messages: Any = messages, volumes: Any = volumes) -> Any:
            counts = Counts(n, *messages, volumes)
            found = [
                counts.loads(S)[[j for j in range(n) if not S >> j & 1]] for S in range(1 << n)
            ]
            if n > 1:
                found += [counts.block_loads(0b1, 0b110, ring) for ring in (False, True)]
            return found

        assert same(in_python(answers), answers())


@pytest.mark.parametrize(
    "network",
    [
        *(Hypercube(3), BristledHypercube(3), Mesh((3, 4)), Torus((5, 3)), Torus((4, 1, 2))),
        *(FatTree((2, 1, 2, 1, 2)), FatTree((2, 3, 2), (3, 2), "s-mod-k")),
        FatTree((35, 30), (3,)),  # more hosts than a block holds, and not a multiple
    ],
    ids=lambda network: network.spec,
)
def test_loads_and_routes_of_networks(
    network: Network, in_python: Callable[[Callable[[], Any]], Any]
) -> None:
    """Messages with and without volumes, and each route in arrays just long enough."""
    pairs = np.random.default_rng(24).integers(0, network.size, (12, 2))
    volumes = np.arange(12)

    def route(x: int, y: int) -> Any:
        out, back = np.empty((2, network.distance(x, y)), np.int64)
        routes.write_route(network.form, x, y, PLUS, out, back)
        routes.write_route(network.form, x, y, PLUS, out, back[:0])  # nobody asks
        return out, back

    def answers() -> Any:
        return [
            network.channel_loads(pairs).counts,
            network.channel_loads(pairs, volumes).counts,
            *(route(x, y) for x, y in pairs.tolist()),
        ]

    assert same(in_python(answers), answers())


@pytest.mark.parametrize("barrier", [0, [0.0, 7.5]])
def test_best_degrees_of_more_points_than_a_block(
    barrier: Any, in_python: Callable[[Callable[[], Any]], Any]
) -> None:
    """One piece and two, N broadcast against the start-up or the barrier."""
    eager = Piecewise([(512, 100, 1), (None, 900, 1)])
    N = np.geomspace(1, 10**6, 300).astype(np.int64)[:, np.newaxis]

    def answers() -> Any:
        return [
            optimal_degrees(Machine("16x16", alpha=1, tau=1), N, alpha=[0, 300], barrier=barrier),
            optimal_degrees(Machine("16x16", cost=eager), N, barrier=barrier),
        ]

    assert same(in_python(answers), answers())


@pytest.mark.parametrize("where", ["cube:3", "mesh:2x4", "torus:4x2"])
def test_routing_methods_and_their_movements(
    where: str, in_python: Callable[[Callable[[], Any]], Any]
) -> None:
    """Local rules in every mode, unit steps, counts and replays, all written as they are shown."""

    def answers() -> Any:
        found = [compare(c, where) for c in (catalog.bit_reverse(3), [3, 1, 0, 2, 7, 4, 6, 5])]
        return repr(found), [
            (r.rounds, r.price, r.movement and r.movement.replay("one").ok)
            for f in found
            for r in f.values()
        ]

    assert in_python(answers) == answers()


def test_replays_collectives_and_grids(in_python: Callable[[Callable[[], Any]], Any]) -> None:
    """Schedules, channels of segments that are under way together, and a grid of 3 by 4 ranks."""
    near = np.array(
        [(u, v) for u in range(12) for v in (u + 1, u + 4) if v < 12 and v % 4 | v - u - 1]
    )

    def answers() -> Any:
        replayed = schedule(Task(0, 3, "mesh:4x4")).replay()
        grid = recognised_grid(near, np.ones(len(near), np.int64), 12)
        swing = collectives.allreduce("swing", "torus:8").loads()
        return [
            np.array(repr(replayed)),
            replayed.loads,
            np.zeros(0) if grid is None else grid.cell,
            np.array(repr(swing.costs(3))),
        ]

    assert same(in_python(answers), answers())


@pytest.mark.slow
def test_a_small_first_question_needs_no_compiler(tmp_path: Path) -> None:
    """Nothing is stored for 16 nodes, and what is sent among 2^14 nodes is counted compiled."""
    program = (
        "import lccmodel as lcc, sys;"
        "f = lcc.contention([(x, (x + 1) % {0}) for x in range({0})], 'mesh:{0}');"
        "print(type(f.degree).__name__, f.degree, len(lcc.compare(lcc.catalog.bit_reverse(4))));"
        "from lccmodel.kernels.cache_files import used; print(len(used) > 0)"
    )
    shutil.copytree(ROOT / "lccmodel", tmp_path / "lccmodel", ignore=IGNORED)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "k"),
    }
    for nodes, compiled in (16, "False"), (1 << 14, "True"):
        done = subprocess.run(
            [sys.executable, "-c", program.format(nodes)],
            capture_output=True, text=True, check=True, env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.stdout.split() == ["int", "1", "6", compiled]


def test_what_is_compiled_is_told() -> None:
    """Kernel and number of kernels, "" at the end; to whom it was told before is told again."""
    told: list[str] = []
    before = notice.tell(told.append)
    try:
        doubled: Any = kernel(eval("lambda x: 2 * x"))  # no source file: nothing is kept of it
        assert doubled(21) == 42
    finally:
        assert notice.tell(before) == told.append
    assert told == ["compiling, once: <lambda> (1 of 1)", ""]


def test_light_work_is_compiled_for_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over small arrays pays for Python once, and numbers are Python's own either way."""
    calls: Any = light_kernel(lambda a: (a[0] + a[1], a.sum()))
    monkeypatch.setattr(calls._cache, "has", lambda *_: False)  # an earlier run has filed it
    monkeypatch.setattr(jit, "_spent", 0.0)
    assert calls(np.array([1, 2])) == (3, 3)
    assert not calls.overloads  # numba has no types here
    assert {type(number) for number in calls(np.array([1, 2]))} == {int}
    monkeypatch.setattr(jit, "_spent", jit._MOST_SECONDS + 1)
    assert calls(np.array([1, 2])) == (3, 3)
    assert calls.overloads
