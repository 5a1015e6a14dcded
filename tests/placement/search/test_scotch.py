"""Scotch runs in a process of its own: threads get equal placements, and nothing is left behind."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.network import Mesh, Torus, as_network
from lccmodel.placement.search import scotch, scotch_process
from lccmodel.placement.search.problem import Demand, judged
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.scotch import _fitted, scotch_placement, scotch_placements
from tests.placement.search.brute_force import demand_on

WORDS = ("torus:4x4", "cube:4", "mesh:4x4", "fattree:4x4/2")


def _asked(word: str) -> tuple[Demand, Routes]:
    return demand_on(word, np.random.default_rng(1).integers(0, 16, (60, 2)))


@pytest.mark.slow
def test_eight_threads_get_equal_placements_and_leave_the_process_as_it_was():
    """0.4 left a StringIO for sys.stderr and SCOTCH_PTHREAD_NUMBER, and placements differed."""
    pytest.importorskip("pyscotch")
    asked = [(*_asked(word), seed) for word in WORDS for seed in (1, 3)]
    alone = [scotch_placement(*one) for one in asked]
    stderr, environment = sys.stderr, dict(os.environ)
    with ThreadPoolExecutor(8) as pool:
        together = [pool.submit(scotch_placement, *one) for one in asked * 2]
        while not all(future.done() for future in together):
            assert (sys.stderr, dict(os.environ)) == (stderr, environment)
            time.sleep(0.002)
    assert all(placement is not None for placement in alone)
    assert np.array_equal([future.result() for future in together], alone * 2)


@pytest.mark.slow
def test_several_seeds_of_one_process_are_those_of_one_each():
    pytest.importorskip("pyscotch")
    demand, routes = demand_on("torus:8x8", np.random.default_rng(1).integers(0, 64, (200, 2)))
    rows = [row.tolist() for row in scotch_placements(demand, routes, [1, 3, 5, 1])]
    alone = [scotch_placement(demand, routes, seed) for seed in (1, 3, 5, 1)]
    assert rows == [row.tolist() for row in alone if row is not None]
    assert rows[0] == rows[3] != rows[1]
    assert all(sorted(row) == list(range(64)) for row in rows)


CLUSTERS = np.random.default_rng(4).permutation(64).reshape(16, 4)
SCATTERED = [(int(x), int(y)) for four in CLUSTERS for x, y in permutations(four, 2)]
RENAMED = np.stack([np.arange(64), np.random.default_rng(1).permutation(64)], 1)


@pytest.mark.parametrize(("word", "program", "most"), [
    ("torus:8x8", RENAMED, None), ("origin:6", RENAMED, None),
    ("torus:4x4,nodes=0-8", [(i, (i + 1) % 9) for i in range(9)], None),
    ("fattree:4x4x4/2x1", SCATTERED, 0),
])  # fmt: skip
def test_scotch_is_a_start(word, program, most):
    """All ranks on different places, with no more distance than natural; listed places, too.

    Of clusters of four on a tree of four hosts a switch nothing leaves a switch.
    """
    pytest.importorskip("pyscotch")
    demand, routes = demand_on(word, program)
    placement = scotch_placement(demand, routes)
    assert placement is not None
    assert sorted(placement.tolist()) == list(range(routes.places))
    natural = judged(demand, routes, np.arange(demand.ranks), "natural").distance
    distance = judged(demand, routes, placement, "Scotch").distance
    assert distance <= (natural if most is None else most)


def test_ranks_that_scotch_puts_too_many_on_a_router_go_to_the_nearest_with_room():
    """Two places a router on a line of four: of four ranks at its end, two go next to it."""
    fitted = _fitted(np.array([0, 0, 0, 0, 3, 0]), Routes.of(as_network("mesh:4*2")))
    assert (fitted // 2).tolist() == [0, 0, 1, 1, 3, 2]
    assert len(set(fitted.tolist())) == 6


@pytest.mark.parametrize(("network", "pairs"), [
    ("mesh:4", []), (Torus((4, 4), wrap=(True, False)), [(0, 1)]), (Mesh((3, 2, 2, 2)), [(0, 1)]),
])  # fmt: skip
def test_where_scotch_has_no_answer(network, pairs):
    """No messages, lines and rings mixed, more than three axes."""
    pytest.importorskip("pyscotch")
    assert scotch_placement(*demand_on(network, Traffic(pairs, ranks=4))) is None


def test_without_the_library_there_is_no_placement(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyscotch", None)
    assert scotch_placement(*_asked("torus:4x4")) is None


@pytest.mark.parametrize(("program", "executable"), [
    ("raise SystemExit(3)", sys.executable), ("print('no places')", sys.executable),
    ("import os; os.abort()", sys.executable), ("", ""), ("", "/nowhere/python"),
])  # fmt: skip
def test_a_process_that_fails_or_does_not_start_gives_no_placement(
    program, executable, tmp_path, monkeypatch
):
    """Scotch may end its process; an interpreter inside another program does not know its file."""
    asked, broken = _asked("torus:4x4"), tmp_path / "broken.py"
    broken.write_text(program)
    monkeypatch.setattr(scotch, "find_spec", lambda name: object())
    monkeypatch.setattr(scotch_process, "__file__", str(broken))
    monkeypatch.setattr(sys, "executable", executable)
    assert scotch_placements(*asked, [1]) == []


def test_the_program_of_the_process_needs_nothing_of_ours():
    """It starts without this package: `-I` and an empty search path, up to its first import."""
    text = Path(scotch_process.__file__).read_text()
    assert "lccmodel" not in text
    run = subprocess.run(
        [sys.executable, "-I", scotch_process.__file__], input=b"", capture_output=True, check=False
    )
    assert run.returncode == 1
    assert b"EOFError" in run.stderr
