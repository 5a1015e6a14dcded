"""Beside others: what runs in threads answers as alone, and the process stays as it was."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import Hypercube, Traffic, catalog, collectives
from lccmodel.certificates.checker import check
from lccmodel.certificates.writer import certificate_of
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.placement import optimal_linear_mapping, optimal_reordering
from lccmodel.wormhole import simulate, trace
from tests.choosing import slow

PAIRS = [(int(x), int(y)) for x, y in np.random.default_rng(3).integers(0, 16, (40, 2))]


def _placed() -> Any:
    sent = Traffic(PAIRS, ranks=16)
    return lcc.place(sent, "torus:4x4", over="placements", moves=2000, seed=1)


CALLS: dict[str, Callable[[], Any]] = {
    "contention": lambda: lcc.contention(catalog.bit_reverse(6), Hypercube(6)).degree,
    "mapping": lambda: optimal_reordering(catalog.matrix_transpose(6), Hypercube(6)).order,
    "linear": lambda: str(optimal_linear_mapping(catalog.bit_reverse(5), Hypercube(5)).Q),
    "place": lambda: _placed().node_of.tolist(),
    "schedule": lambda: schedule(Task(0, 4, "mesh:4x4")).steps.tolist(),
    "degree": lambda: optimal_degree(Machine("8x8", 5, 1), 99).Q,
    "collective": lambda: collectives.allreduce("ring", "torus:4x4").start_ups,
    "simulate": lambda: simulate(PAIRS, "cube:4", load=0.1, cycles=1000).delivered.tolist(),
    "trace": lambda: trace(PAIRS, "cube:4").holder.tolist(),
    "certificate": lambda: check(
        certificate_of(optimal_reordering(catalog.bit_reverse(4), Hypercube(4)))
    ),
    "picture": lambda: len(lcc.contention(catalog.bit_reverse(4), Hypercube(4)).plot().patches),
    "refused": lambda: _refused(),
}


def _refused() -> str:
    try:
        lcc.place([(0, 99)], "cube:2")
    except lcc.errors.InputError as error:
        return str(error)
    return "accepted"


def process() -> dict[str, Any]:
    """All of a process that a library must leave as it was."""
    return {
        "environment": dict(os.environ),
        "stdout": sys.stdout,
        "stderr": sys.stderr,
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "errstate": np.geterr(),
        "backend": mpl.get_backend(),
        "rcParams": dict(mpl.rcParams),
        "warnings": list(warnings.filters),
        "random": random.getstate(),
        "numpy random": repr(np.random.get_state()),  # noqa: NPY002  # the global one
        "directory": Path.cwd(),
        "print options": np.get_printoptions(),
    }


@pytest.mark.slow
def test_eight_threads_answer_as_one_and_leave_the_process_as_it_was() -> None:
    """Mixed calls; 0.4 left a StringIO for stderr and SCOTCH_PTHREAD_NUMBER in the environment."""
    alone = {name: call() for name, call in CALLS.items()}
    before = process()
    names = [name for name in CALLS if name != "picture"] * 6
    random.Random(5).shuffle(names)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda name: CALLS[name](), names))
    for name, answer in zip(names, together, strict=True):
        assert answer == alone[name], name
    after = process()
    assert {key for key in before if before[key] != after[key]} == set()


@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_the_process_as_it_was(name: str) -> None:
    CALLS[name]()
    before = process()
    CALLS[name]()
    after = process()
    assert {key for key in before if before[key] != after[key]} == set()


@pytest.mark.slow
def test_a_running_event_loop_is_no_hindrance() -> None:
    """As in a notebook server."""

    async def asked() -> list[int]:
        return list(_placed().node_of.tolist())

    assert asyncio.run(asked()) == _placed().node_of.tolist()


PROGRAM = """
import lccmodel as lcc
from lccmodel import Traffic
sent = Traffic([(0, 1), (1, 2), (2, 0), (5, 9), (9, 15)], ranks=16)
answer = lcc.place(sent, "torus:4x4", over="placements", moves=500, seed=1)
print(answer.node_of.tolist(), answer.after.value, "I".lower(), "i".upper())
"""


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        case if k == 4 else slow(case)
        for k, case in enumerate(
            [
                ([], {}),
                (["-O"], {}),
                (["-OO"], {}),
                ([], {"PYTHONHASHSEED": "1"}),
                ([], {"PYTHONHASHSEED": "77"}),
                ([], {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
                ([], {"HOME": "/proc", "XDG_CACHE_HOME": "/proc"}),
            ]
        )
    ],
)
def test_the_answer_is_one_whatever_the_interpreter(
    flags: list[str], environment: dict[str, str]
) -> None:
    home = str(Path(lcc.__file__).parents[1])
    command = [sys.executable, *flags, "-W", "ignore", "-c", PROGRAM]
    own = {**os.environ, "PYTHONPATH": home}
    run = subprocess.run(command, env={**own, **environment}, capture_output=True, text=True)
    expected = io.StringIO()
    with contextlib.redirect_stdout(expected):
        exec(PROGRAM, {})
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected.getvalue()


@pytest.mark.slow
def test_isolated_and_spawned(tmp_path: Path) -> None:
    """-I ignores PYTHONPATH and the user's folder; spawn starts from nothing."""
    home = str(Path(lcc.__file__).parents[1])
    isolated = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {home!r})\n{PROGRAM}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert isolated.returncode == 0, isolated.stderr
    program = tmp_path / "spawned.py"
    program.write_text(
        "import multiprocessing, sys\n"
        f"sys.path.insert(0, {home!r})\n"
        "def asked(seed):\n"
        "    import lccmodel as lcc\n"
        "    sent = lcc.Traffic([(0, 1), (1, 2), (2, 0), (5, 9), (9, 15)], ranks=16)\n"
        "    return lcc.place(sent, 'torus:4x4', over='placements', moves=500, seed=1)\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        for answer in pool.map(asked, range(2)):\n"
        "            print(answer.node_of.tolist(), answer.after.value)\n"
    )
    spawned = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert spawned.returncode == 0, spawned.stderr
    answer = isolated.stdout.rpartition(" i ")[0]
    assert spawned.stdout.splitlines() == [answer] * 2
