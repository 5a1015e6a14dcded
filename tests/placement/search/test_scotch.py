"""Scotch runs in a process of its own: threads get equal placements, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lccmodel.network import parse_network
from lccmodel.placement.search import scotch, scotch_process
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.scotch import scotch_placement, scotch_placements
from lccmodel.problem import Program

WORDS = ("torus:4x4", "cube:4", "mesh:4x4", "fattree:4x4/2")


def _asked(word: str) -> tuple[Any, Routes]:
    pairs = np.random.default_rng(1).integers(0, 16, (60, 2))
    routes = Routes.of(parse_network(word))
    return demand_of(Program.of(pairs), "joint", None, routes), routes


@pytest.mark.slow
def test_eight_threads_get_equal_placements_and_leave_the_process_as_it_was() -> None:
    """0.4 left a StringIO for sys.stderr and SCOTCH_PTHREAD_NUMBER, and placements differed."""
    pytest.importorskip("pyscotch")
    asked = [(*_asked(word), seed) for word in WORDS for seed in (1, 3)]
    alone = [scotch_placement(*one) for one in asked]
    stderr, environment = sys.stderr, dict(os.environ)
    seen = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            seen.append((sys.stderr, dict(os.environ)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda one: scotch_placement(*one), asked * 2))
    finally:
        done.set()
        watcher.join()
    for expected, placement in zip(alone * 2, together, strict=True):
        assert expected is not None
        assert placement is not None
        assert placement.tolist() == expected.tolist()
    assert sys.stderr is stderr
    assert dict(os.environ) == environment
    assert len(seen) > 3
    assert all(moment == (stderr, environment) for moment in seen)


@pytest.mark.slow
def test_several_seeds_of_one_process_are_those_of_one_each() -> None:
    pytest.importorskip("pyscotch")
    demand, routes = _asked("torus:4x4")
    rows = scotch_placements(demand, routes, [1, 3, 5, 1])
    each = [scotch_placement(demand, routes, seed) for seed in (1, 3, 5, 1)]
    assert [row.tolist() for row in rows] == [row.tolist() for row in each if row is not None]
    assert all(sorted(row.tolist()) == list(range(16)) for row in rows)


def test_listed_places_are_cut_in_halves() -> None:
    """The architecture that Scotch reads from a text, here of nine places of a torus."""
    pytest.importorskip("pyscotch")
    routes = Routes.of(parse_network("torus:4x4,nodes=0-8"))
    pairs = [(i, (i + 1) % 9) for i in range(9)]
    demand = demand_of(Program.of(pairs), "joint", None, routes)
    placement = scotch_placement(demand, routes)
    assert placement is not None
    assert sorted(placement.tolist()) == list(range(9))


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "print('no places')", "import os; os.abort()"]
)
def test_a_process_that_fails_gives_no_placement(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scotch may end its process; the caller goes on without it."""
    monkeypatch.setattr(scotch, "find_spec", lambda name: object())
    broken = tmp_path / "broken.py"
    broken.write_text(program)
    monkeypatch.setattr(scotch_process, "__file__", str(broken))
    assert scotch_placements(*_asked("torus:4x4"), [1]) == []


def test_without_a_python_to_start_there_is_no_placement(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter inside another program does not know its own file."""
    asked = _asked("torus:4x4")
    monkeypatch.setattr(scotch, "find_spec", lambda name: object())
    monkeypatch.setattr(sys, "executable", "")
    assert scotch_placements(*asked, [1]) == []
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert scotch_placements(*asked, [1]) == []


def test_the_program_of_the_process_needs_nothing_of_ours() -> None:
    """It starts without this package: `-I` and an empty search path, up to its first import."""
    text = Path(scotch_process.__file__).read_text()
    assert "lccmodel" not in text
    run = subprocess.run(
        [sys.executable, "-I", scotch_process.__file__], input=b"", capture_output=True, check=False
    )
    assert run.returncode == 1
    assert b"EOFError" in run.stderr
