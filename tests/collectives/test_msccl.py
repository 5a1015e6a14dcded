"""Plans in MSCCL's XML, run by an interpreter of the format that knows no plan."""

from __future__ import annotations

import importlib
from collections import defaultdict, deque
from dataclasses import dataclass, replace
from random import Random
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.msccl import msccl_text
from lccmodel.errors import InputError
from tests.cli import calling


def run(text: str, vectors: np.ndarray, chance: Random) -> np.ndarray:
    """Run the thread blocks in any order, one chunk under way between two ranks at a time."""
    algo = ElementTree.fromstring(text)
    held = vectors.copy()
    queues: dict[tuple[int, int], deque[np.ndarray]] = defaultdict(deque)
    threads, done = [], dict[tuple[int, int], int]()
    for gpu in algo:
        rank = int(gpu.attrib["id"])
        for tb in gpu:
            send, recv = int(tb.attrib["send"]), int(tb.attrib["recv"])
            threads.append((rank, int(tb.attrib["id"]), send, recv, [s.attrib for s in tb]))
            done[rank, int(tb.attrib["id"])] = 0
    awaited = {(r, int(s["depid"]), int(s["deps"])) for r, *_, steps in threads for s in steps}
    while True:
        moved = False
        chance.shuffle(threads)
        for rank, tb, send, recv, steps in threads:
            at = done[rank, tb]
            if at == len(steps):
                continue
            step = steps[at]
            assert int(step["s"]) == at
            assert step["hasdep"] == str(int((rank, tb, at) in awaited))
            if step["depid"] != "-1" and done[rank, int(step["depid"])] <= int(step["deps"]):
                continue
            some = slice(int(step["srcoff"]), int(step["srcoff"]) + int(step["cnt"]))
            if step["type"] == "s":
                if queues[rank, send]:
                    continue
                queues[rank, send].append(held[rank, some].copy())
            elif step["type"] in ("r", "rrc"):
                if not queues[recv, rank]:
                    continue
                came = queues[recv, rank].popleft()
                held[rank, some] = came + (held[rank, some] if step["type"] == "rrc" else 0)
            else:
                assert step["type"] == "nop"
            done[rank, tb] += 1
            moved = True
        if not moved:
            break
    assert all(done[rank, tb] == len(steps) for rank, tb, _, _, steps in threads), "it stops"
    assert not any(queues.values())
    return held


KINDS = ("allreduce", "reduce-scatter", "allgather", "broadcast")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [2, 4, 5, 8])
def test_what_msccl_runs_is_what_the_plan_does(kind: str, p: int) -> None:
    """On random whole numbers, in a random order of thread blocks; the same as `run_plan`."""
    draw = np.random.default_rng(p)
    for (collective, name), rule in ALGORITHMS.items():
        for ports in ("one", "all"):
            site = Site(p, (p,), ports=ports)  # type: ignore[arg-type]
            if collective != kind or not rule.covers(site):
                continue
            plan = rule.on(site)
            vectors = draw.integers(0, 1000, (p, plan.blocks))
            mine = run(msccl_text(plan), vectors, Random(p))
            assert (mine == collectives.run_plan(plan, vectors)).all(), (name, ports)


def test_an_interpreter_notices_a_missing_dependency() -> None:
    """The negative control: without waiting, a ring sends blocks before they have arrived."""
    plan = collectives.plan("allreduce", "ring", 5)
    text, vectors = msccl_text(plan), np.arange(25).reshape(5, 5)
    wrong = ElementTree.fromstring(text)
    for step in wrong.iter("step"):
        step.attrib.update(depid="-1", deps="-1", hasdep="0")
    hasty = ElementTree.tostring(wrong, "unicode")
    right = collectives.run_plan(plan, vectors)
    assert (run(text, vectors, Random(3)) == right).all()
    assert any((run(hasty, vectors, Random(seed)) != right).any() for seed in range(5))


@dataclass(frozen=True)
class _Held:
    """A chunk of msccl-tools that `run` can move and add."""

    chunk: Any

    def __add__(self, other: Any) -> _Held:
        return self if isinstance(other, int) else _Held(self.chunk.reduce(-1, other.chunk))


def by_msccl_tools(text: str) -> bool:
    """Whether msccl-tools 2.3.0 accepts a program: its data, dependencies and order of messages.

    It has no reader of XML: its checks take its own objects, which are made here of the text.
    """
    theirs = importlib.import_module("msccl.language.collectives")
    ir = importlib.import_module("msccl.language.ir")
    passes = importlib.import_module("msccl.language.passes")
    algo = ElementTree.fromstring(text)
    p, blocks = int(algo.attrib["ngpus"]), int(algo.attrib["nchunksperloop"])
    cls, share, buffer = {
        "allreduce": (theirs.AllReduce, 1, ir.Buffer.input),
        "reduce_scatter": (theirs.ReduceScatter, p, ir.Buffer.input),
        "allgather": (theirs.AllGather, p, ir.Buffer.output),
    }[algo.attrib["coll"]]
    collective = cls(p, blocks // share, True)
    buffers = collective.init_buffers()
    held = np.array([[_Held(chunk) for chunk in own[buffer]] for own in buffers], dtype=object)
    for own, after in zip(buffers, run(text, held, Random(p)), strict=True):
        own[buffer][:] = [one.chunk for one in after]
    tbs: list[dict[int, Any]] = [{} for _ in range(p)]
    sent, received = (
        defaultdict[tuple[int, int], list[Any]](list),
        defaultdict[Any, list[Any]](list),
    )
    for gpu in algo:
        rank = int(gpu.attrib["id"])
        for tb in gpu:
            block, peers = int(tb.attrib["id"]), (int(tb.attrib["send"]), int(tb.attrib["recv"]))
            tbs[rank][block] = made = ir.Threadblock(0, *peers)
            for step in tb:
                at, many = int(step.attrib["srcoff"]), int(step.attrib["cnt"])
                ends = [rank if peer < 0 else peer for peer in peers[::-1]]
                places = [ir.ChunkRef(end, buffer, at, many) for end in ends]
                kind = ir.Instruction(step.attrib["type"])
                op = ir.Op(kind, rank, *places, step=len(made.ops), tb=block)
                made.ops.append(op)
                if op.is_send():
                    sent[rank, peers[0]].append(op)
                elif op.is_recv():
                    received[peers[1], rank].append(op)
    for gpu in algo:
        for tb in gpu:
            for step in tb:
                block, waits = int(step.attrib["depid"]), int(step.attrib["deps"])
                own = tbs[int(gpu.attrib["id"])]
                if block >= 0:
                    own[int(tb.attrib["id"])].ops[int(step.attrib["s"])].depends.append(
                        own[block].ops[waits]
                    )
    assert set(sent) == set(received)
    for pair, ops in sent.items():
        for send, receive in zip(ops, received[pair], strict=True):
            send.recv_match = receive
    passes.check_dependency_cycles(tbs)  # ends the process at a cycle
    passes.check_threadblock_ordering(SimpleNamespace(num_ranks=p, tbs=tbs))
    return bool(collective.check(SimpleNamespace(buffers=buffers)))


@pytest.mark.slow
@pytest.mark.parametrize("p", [4, 5, 8])
@pytest.mark.parametrize("kind", ["allreduce", "reduce-scatter", "allgather"])
def test_msccl_tools_accept_every_plan(kind: str, p: int) -> None:
    """Every rule of the catalogue on p ranks; not a program that lacks a step."""
    pytest.importorskip("msccl.language.collectives", reason="msccl-tools is not installed")
    for (collective, name), rule in ALGORITHMS.items():
        for ports in ("one", "all"):
            site = Site(p, (p,), ports=ports)  # type: ignore[arg-type]
            if collective == kind and rule.covers(site):
                assert by_msccl_tools(msccl_text(rule.on(site))), (name, ports)
    ring = collectives.plan(kind, "ring", p)  # type: ignore[arg-type]
    *first, last = ring.stages
    less = replace(ring, stages=[*first, replace(last, times=last.times - 1)])
    assert not by_msccl_tools(msccl_text(less))


def test_plans_in_xml_from_the_command_line(tmp_path) -> None:
    file = tmp_path / "ring.xml"
    asked = ["collective", "allreduce", "-N", "torus:4", "--algorithm", "ring", "--plan", str(file)]
    assert calling.run(*asked).exit_code == 0
    assert file.read_text() == msccl_text(collectives.allreduce("ring", "torus:4").plan)
    asked[1] = "alltoall"
    asked[5] = "pairwise"
    refused = calling.run(*asked)
    assert (refused.exit_code, len(refused.output.strip().splitlines())) == (2, 1)
    with pytest.raises(InputError, match="must be one of allreduce"):
        msccl_text(collectives.plan("alltoall", "pairwise", 4))
