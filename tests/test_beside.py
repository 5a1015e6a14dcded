"""Beside others: what runs in threads answers as alone, and the process stays as it was."""

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
from tests.choosing import sampled

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
def test_eight_threads_answer_as_one_and_leave_the_process_as_it_was():
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
def test_a_call_leaves_the_process_as_it_was(name):
    CALLS[name]()
    before = process()
    CALLS[name]()
    after = process()
    assert {key for key in before if before[key] != after[key]} == set()


PROGRAM = """
import lccmodel as lcc
from lccmodel.communication.program import Program
from lccmodel.lattice.programme import best_order
from lccmodel.permutations.comparison import compare
from lccmodel.permutations.exchanges.bits import elementary_factorizations
from lccmodel.permutations.partitioned import partition_tree, random_partitioned
from lccmodel.permutations.self_routing import self_route
from lccmodel.pipelining import Machine, Task, optimal_degree, schedule
from lccmodel.placement import optimal_linear_mapping
from lccmodel.routing import deadlock_free, routings

tree = random_partitioned(3, 1)
reverse = lcc.catalog.bit_reverse(3)
answers = [
    best_order(Program([lcc.catalog.matrix_transpose(4)]), "mesh:4x4", "joint"),
    optimal_linear_mapping(lcc.catalog.matrix_transpose(4), "cube:4").Q.rows,
    lcc.place("bit-reverse", "torus:4x4", over="placements", moves=300).node_of.tolist(),
    [*elementary_factorizations([1, 2, 0])],
    tree.destinations.tolist(), [*map(str, partition_tree(tree.destinations).parts())],
    self_route(tree.destinations).tags.tolist(),
    {name: routed.order for name, routed in compare(reverse, lcc.Hypercube(3)).items()},
    [str(deadlock_free(function, lcc.Hypercube(3))) for function in routings(lcc.Hypercube(3))],
    schedule(Task(0, 3, "mesh:4x2"), "optimal").steps.tolist(),
    str(optimal_degree(Machine("4x2", 500, 1), 37).evidence),
]
print(*answers, "I".lower(), "i".upper(), sep="\\n")
"""


@pytest.mark.parametrize(
    ("flags", "environment"),
    sampled(
        [
            (["-OO"], {"PYTHONHASHSEED": "1"}),
            (["-O"], {"PYTHONHASHSEED": "77"}),
            ([], {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
            ([], {"HOME": "/proc", "XDG_CACHE_HOME": "/proc"}),
        ],
        4,
    ),
)
def test_the_answer_is_one_whatever_the_interpreter(flags, environment):
    """No choice depends on hashes of texts, on addresses, or on asserts."""
    home = str(Path(lcc.__file__).parents[1])
    command = [sys.executable, *flags, "-W", "ignore", "-c", PROGRAM]
    own = {**os.environ, "PYTHONPATH": home}
    run = subprocess.run(command, env={**own, **environment}, capture_output=True, text=True)
    expected = io.StringIO()
    with contextlib.redirect_stdout(expected):
        exec(PROGRAM, {})
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected.getvalue()
