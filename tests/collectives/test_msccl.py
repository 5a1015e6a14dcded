"""Plans in MSCCL's XML, run by an interpreter of the format that knows no plan."""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random
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
