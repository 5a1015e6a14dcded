"""Following a task or a program through the code comes back to no module more than a few times.

A reader opens a function, or the class of a method, when it is called for the first time; what a
value says of itself - its properties, its checks when it is made - is known from its page. So the
path is the sequence of the modules of what is opened, and what counts is how often it enters one.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cached_property, reduce
from itertools import groupby
from math import inf
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import lccmodel as lcc
from lccmodel import calibration, pipelining, wormhole
from lccmodel.kernels import jit
from tests.choosing import sampled

HOUSE = Path(lcc.__file__).parent
EVERYWHERE = {"arguments", "errors", "jit", "cache", "views"}
A_FEW = 6

PROGRAM = [lcc.catalog.bit_reverse(4), lcc.catalog.matrix_transpose(4)]
SCATTERED = [(x, x * 7 % 13) for x in range(13)] + [(x, x * 5 % 13) for x in range(13)]
GRAY = lcc.catalog.gray_code(4)
EXAMPLES = HOUSE.parent / "examples"
FILE = EXAMPLES / "traffic" / "recorded.csv"
MEASURED = EXAMPLES / "measurements" / "two_protocols.toml"

JOURNEYS: dict[str, Callable[[], Any]] = {
    "a task to its replayed schedule": lambda: pipelining.schedule(
        pipelining.Task(0, 7, "torus:16x16")
    ).replay(),
    "a program to its best order": lambda: lcc.placement.optimal_reordering(PROGRAM, "cube:4"),
    "a program to its contention": lambda: lcc.contention(PROGRAM, "cube:4"),
    "a machine to its best degree": lambda: pipelining.optimal_degree(
        pipelining.Machine("mesh:32x32", 500, 1), 4096
    ),
    "a permutation to its self-routing": lambda: lcc.permutations.self_route(
        PROGRAM[0], network="mesh:4x4"
    ).on_mesh("one"),
    "a permutation to its exchanges": lambda: (
        lcc.permutations.exchange_factors(GRAY).movement.loads
    ),
    "a program to its best placement": lambda: lcc.place(PROGRAM, "cube:4"),
    "traffic to its placement, searched": lambda: lcc.place(
        SCATTERED, "mesh:4x4", over="placements", seconds=0.01
    ),
    "a permutation to its routings by every method": lambda: lcc.compare(PROGRAM[1], "mesh:4x4"),
    "a file of messages to its placement on a fat tree": lambda: lcc.place(
        lcc.read(FILE), "fattree:2^5", over="placements", seconds=0.01
    ),
    "measured times to a best degree": lambda: pipelining.optimal_degree(
        calibration.read_machine(MEASURED).on("mesh:8x8"), 4096
    ),
    "a communication to its curve of latency": lambda: wormhole.curve(
        GRAY, "cube:4", loads=(0.1, 0.2), cycles=500, workers=1
    ),
    "a permutation to the passes of a mesh": lambda: (
        lcc.permutations.simd_mesh_route(PROGRAM[1], network="mesh:4x4").movement.hops
    ),
}


def says_of_itself(module: str, name: str) -> bool:
    """Whether it is a property of a value, or a part of how a value is made."""
    *owners, last = name.split(".")
    if not owners or "<locals>" in name:
        return False
    if last.startswith("__"):
        return True
    owner = reduce(lambda at, part: vars(at)[part], owners, importlib.import_module(module))
    return isinstance(vars(owner).get(last), property | cached_property)


def path(journey: Callable[[], Any]) -> list[tuple[str, str]]:
    """(module, function or class) of all that is opened, in the order of first calls."""
    opened: dict[tuple[str, str], None] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        file = Path(code.co_filename)
        if event == "call" and not code.co_name.startswith("<") and file.is_relative_to(HOUSE):
            module = ".".join(("lccmodel", *file.relative_to(HOUSE).with_suffix("").parts))
            opened[module, code.co_qualname] = None

    journey()  # what is loaded and compiled on first use is not part of the way
    sys.setprofile(look)
    try:
        journey()
    finally:
        sys.setprofile(None)
    told = (
        (module, name.partition(".")[0])
        for module, name in opened
        if module.rpartition(".")[2] not in EVERYWHERE and not says_of_itself(module, name)
    )
    return list(dict.fromkeys(told))


def entries(opened: list[tuple[str, str]]) -> Counter[str]:
    """How often the path enters each module."""
    return Counter(module for module, _ in groupby(opened, key=lambda each: each[0]))


@pytest.mark.parametrize("journey", sampled(JOURNEYS, 4))
def test_the_path_comes_back_to_no_module_often(
    journey: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "_spent", inf)  # no kernel runs as Python, frame by frame
    entered = entries(path(JOURNEYS[journey]))
    assert len(entered) > 3
    often = {module: times for module, times in entered.items() if times > 1 + A_FEW}
    assert not often


def test_a_path_that_comes_back_is_noticed() -> None:
    opened = [("a", f"f{k}") if k % 2 else ("b", f"g{k}") for k in range(12)]
    assert entries(opened) == {"a": 6, "b": 6}


WALK = """
import os, sys, tempfile
from pathlib import Path
import lccmodel
from lccmodel.cli import main
from lccmodel.kernels import jit
jit.compile_always()  # no kernel runs as Python, frame by frame
os.chdir(tempfile.mkdtemp())
rows = [f"{i},{(7 * i + 3) % 32},{i + 1}" for i in range(32)]
Path("trace.csv").write_text("\\n".join(["source,destination,bytes", *rows]))
sys.argv = ["lccmodel", *"map trace.csv --network torus:4x4x2 --rankfile ranks.txt".split(),
            "--hosts", "a:16,b:16"]
house, entered = os.path.dirname(lccmodel.__file__), set()
def look(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(house):
        entered.add(frame.f_code.co_filename)
for told in (None, look):
    sys.setprofile(told)
    try:
        main()
    except SystemExit as end:
        sys.setprofile(None)
        assert end.code == 0
assert len(Path("ranks.txt").read_text().splitlines()) == 32
print(len(entered), *sorted(entered))
"""
"""A rank file of a trace, asked for twice: what is loaded on first use is not part of the way."""

MOST_ENTERED = 56
"""Modules; two of them count what the ports of hosts send (placement/ports, network/hosts)."""


def test_a_trace_comes_to_its_rank_file_through_few_modules() -> None:
    """Every module counts of which any function is called; docs/architecture.md tells them."""
    done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    assert 3 < int(done.stdout.splitlines()[-1].split()[0]) <= MOST_ENTERED
