"""Every kernel of a formula, run as plain Python: it stays inside its arrays, and says the same.

Compiled code reads and writes beyond the end of an array without a word; Python raises an
`IndexError`. The arrays are those that the library makes, so that one that is made too small is
noticed too. And the answer must be that of the machine code.
"""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
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
    *("gf2.batch", "gf2.orbits", "lattice.counting", "lattice.kernels", "network.kernels"),
    *("network.routes", "network.tree_loads", "pipelining.cost.kernel", "movement.kernels"),
    *("permutations.self_routing.kernels", "pipelining.replay_kernels", "collectives.kernels"),
    *("communication.products", "placement.search.problem"),
)


def in_python(question: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The answer with every kernel replaced by the Python that it is compiled from."""
    modules = [importlib.import_module(f"lccmodel.{name}") for name in MODULES]
    with monkeypatch.context() as patch, np.errstate(over="ignore"), jit.in_python():
        for module in modules:
            for key, value in list(vars(module).items()):
                if hasattr(value, "py_func"):
                    patch.setattr(module, key, value.py_func)
        return question()


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other) and np.asarray(one).dtype == np.asarray(other).dtype


def subset_programmes(objective: Any) -> Any:
    """Several chunks of sets, gathers and scatters, internal bits, caps that bind."""
    rng = np.random.default_rng(21)
    for n, internal in [(1, ()), (3, ()), (4, (0,)), (4, (1, 3))]:
        members = tuple(
            (LCC, LCC.scatter)[int(rng.integers(2))](rng.integers(0, 2, (n, n)), b)
            for b in rng.integers(0, 2, (3, n))
        )
        for caps in [(), (2, None, 1)]:
            programme = subset.SubsetProgramme(members, (1, 2, 3), objective, internal, caps)
            least = programme.least(), programme.first_within_caps()
            yield programme._cost_to_go.tolist(), programme.optimum, programme.count()
            yield repr(least)


def ranks_of_corners(order: Any) -> Any:
    """Packed rows, bits, and indices; more matrices than a block holds."""
    rows = np.random.default_rng(22).integers(0, 8, (70, 3)).astype(np.uint8)
    bits = rows[..., np.newaxis] >> np.arange(3, dtype=np.uint8) & 1
    yield from (batch.ranks(rows), batch.ranks(bits), batch.leading_ranks(rows, order))
    yield batch.leading_ranks_of_all(3, order=order)


def orbits_of_two_bits() -> Any:
    for listed in (orbits.linear_orbits(2), orbits.reordering_orbits(2)):
        yield listed.representatives, listed.sizes


def loads_of_counted_messages(top: int) -> Any:
    """Every width of counters, every set of three to five bits, and blocks of two."""
    rng = np.random.default_rng(23)
    for n in (1, 3, 5):
        counts = Counts(n, *rng.integers(0, 1 << n, (2, 9)), rng.integers(0, top, 9))
        for S in range(1 << n):
            yield counts.loads(S)[[j for j in range(n) if not S >> j & 1]]
        if n > 1:
            yield from (counts.block_loads(0b1, 0b110, ring) for ring in (False, True))


def loads_and_routes(network: Network) -> Any:
    """Messages with and without volumes, and each route in arrays just long enough."""
    pairs = np.random.default_rng(24).integers(0, network.size, (12, 2))
    yield network.channel_loads(pairs).counts
    yield network.channel_loads(pairs, np.arange(12)).counts
    for x, y in pairs.tolist():
        out, back = np.empty((2, network.distance(x, y)), np.int64)
        routes.write_route(network.form, x, y, PLUS, out, back)
        routes.write_route(network.form, x, y, PLUS, out, back[:0])  # nobody asks
        yield out, back


def best_degrees(barrier: Any) -> Any:
    """More points than a block; one piece and two, N broadcast against start-up or barrier."""
    eager = Piecewise([(512, 100, 1), (None, 900, 1)])
    N = np.geomspace(1, 10**6, 300).astype(np.int64)[:, np.newaxis]
    yield optimal_degrees(Machine("16x16", alpha=1, tau=1), N, alpha=[0, 300], barrier=barrier)
    yield optimal_degrees(Machine("16x16", cost=eager), N, barrier=barrier)


def routing_methods(where: str) -> Any:
    """Local rules in every mode, unit steps, counts and replays, all written as they are shown."""
    for c in (catalog.bit_reverse(3), [3, 1, 0, 2, 7, 4, 6, 5]):
        compared = compare(c, where)
        yield repr(compared)
        for method in compared.values():
            yield (
                repr((method.rounds, method.price)),
                bool(method.movement and method.movement.replay("one").ok),
            )


def replays_collectives_and_grids() -> Any:
    """Schedules, channels of segments that are under way together, and a grid of 3 by 4 ranks."""
    near = np.array(
        [(u, v) for u in range(12) for v in (u + 1, u + 4) if v < 12 and v % 4 | v - u - 1]
    )
    replayed = schedule(Task(0, 3, "mesh:4x4")).replay()
    grid = recognised_grid(near, np.ones(len(near), np.int64), 12)
    yield from (repr(replayed), replayed.loads, np.zeros(0) if grid is None else grid.cell)
    yield repr(collectives.allreduce("swing", "torus:8").loads().costs(3))


NETWORKS = (
    *(Hypercube(3), BristledHypercube(3), Mesh((3, 4)), Torus((5, 3)), Torus((4, 1, 2))),
    *(FatTree((2, 1, 2, 1, 2)), FatTree((2, 3, 2), (3, 2), "s-mod-k")),
    FatTree((35, 30), (3,)),  # more hosts than a block holds, and not a multiple
)
QUESTIONS: dict[str, Callable[[], Any]] = {
    f"{question.__name__} {getattr(detail, 'spec', detail)}": partial(question, detail)
    for question, details in [
        (subset_programmes, ["max-max", "max-sum", "sum-sum"]),
        (ranks_of_corners, [None, (1, 2, 0), (0, 2, 1)]),
        (loads_of_counted_messages, [3, 70_000, 1 << 40]),
        (loads_and_routes, NETWORKS),
        (best_degrees, [0, [0.0, 7.5]]),
        (routing_methods, ["cube:3", "mesh:2x4", "torus:4x2"]),
    ]
    for detail in details
} | {f.__name__: f for f in (orbits_of_two_bits, replays_collectives_and_grids)}


@pytest.mark.parametrize("question", QUESTIONS)
def test_python_stays_inside_the_arrays_and_says_the_same(question, monkeypatch):
    monkeypatch.setattr(subset, "_CHUNK", 4)
    ask = QUESTIONS[question]
    assert same(in_python(lambda: list(ask()), monkeypatch), list(ask()))


@pytest.mark.slow
def test_a_small_first_question_needs_no_compiler(tmp_path):
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


def test_what_is_compiled_is_told():
    """Kernel and number of kernels, "" at the end; to whom it was told before is told again."""
    told: list[str] = []
    before = notice.tell(told.append)
    try:
        doubled: Any = kernel(eval("lambda x: 2 * x"))  # no source file: nothing is kept of it
        assert doubled(21) == 42
    finally:
        assert notice.tell(before) == told.append
    assert told == ["compiling, once: <lambda> (1 of 1)", ""]


def test_light_work_is_compiled_for_after_a_second(monkeypatch):
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
