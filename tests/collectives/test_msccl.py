"""Plans in MSCCL's XML, run by an interpreter of the format that knows no plan."""

import importlib
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.collective import algorithms_of
from lccmodel.collectives.msccl import msccl_text
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import ROOTED
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import as_network
from tests.choosing import fast_only
from tests.cli import calling

Memory = list[dict[str, np.ndarray]]
"""The buffers i, o and s of every rank."""


def run(text: str, memory: Memory, chance: Random) -> None:
    """Run the thread blocks in any order, one message under way between two ranks at a time.

    What a loader refuses is an error here: numbers of steps, chunks and peers, places that a
    buffer does not have, a step that nobody waits for and that says so.
    """
    algo = ElementTree.fromstring(text)
    queues: dict[tuple[int, int], deque[np.ndarray]] = defaultdict(deque)
    threads, done = [], dict[tuple[int, int], int]()
    peers = defaultdict[tuple[int, str, str], list[str]](list)
    for gpu in algo:
        rank = int(gpu.attrib["id"])
        for number, tb in enumerate(gpu):
            send, recv, chan = (tb.attrib[key] for key in ("send", "recv", "chan"))
            peers[rank, "send", chan].append(send)
            peers[rank, "recv", chan].append(recv)
            assert number == int(tb.attrib["id"]) < 128
            assert len(tb) <= 256
            assert int(chan) < int(algo.attrib["nchannels"])
            threads.append((rank, number, int(send), int(recv), [s.attrib for s in tb]))
            done[rank, number] = 0
    for joined in peers.values():
        others = [peer for peer in joined if peer != "-1"]
        assert len(others) == len(set(others)) <= 32
    awaited = {(r, int(s["depid"]), int(s["deps"])) for r, *_, steps in threads for s in steps}
    while True:
        moved = False
        chance.shuffle(threads)
        for rank, tb, send, recv, steps in threads:
            at = done[rank, tb]
            if at == len(steps):
                continue
            step = steps[at]
            count = int(step["cnt"])
            assert int(step["s"]) == at
            assert step["hasdep"] == str(int((rank, tb, at) in awaited))
            assert 0 <= count < 72
            if step["depid"] != "-1" and done[rank, int(step["depid"])] <= int(step["deps"]):
                continue
            if step["type"] == "nop":
                assert step["depid"] != "-1"
                assert steps[at + 1]["depid"] != "-1", "a loader takes the dependencies of a nop"
            ends = [
                (memory[rank][step[f"{end}buf"]], slice(start, start + count))
                for end in ("src", "dst")
                for start in [int(step[f"{end}off"])]
            ]
            reads = step["type"] in ("s", "rrc", "cpy")
            writes = step["type"] in ("r", "rrc", "cpy")
            for used, (buffer, some) in zip((reads, writes), ends, strict=True):
                assert not used or 0 <= some.start < some.stop <= len(buffer), "outside a buffer"
            (source, taken), (target, kept) = ends
            if step["type"] == "s":
                if queues[rank, send]:
                    continue
                queues[rank, send].append(source[taken].copy())
            elif step["type"] in ("r", "rrc"):
                if not queues[recv, rank]:
                    continue
                came = queues[recv, rank].popleft()
                assert len(came) == count
                target[kept] = source[taken] + came if step["type"] == "rrc" else came
            elif step["type"] == "cpy":
                target[kept] = source[taken]
            else:
                assert step["type"] == "nop"
            done[rank, tb] += 1
            moved = True
        if not moved:
            break
    assert all(done[rank, tb] == len(steps) for rank, tb, _, _, steps in threads), "it stops"
    assert not any(queues.values())


def sizes(text: str) -> tuple[int, int, list[int]]:
    algo = ElementTree.fromstring(text)
    p, per_loop = int(algo.attrib["ngpus"]), int(algo.attrib["nchunksperloop"])
    own = [[int(gpu.attrib[f"{buffer}_chunks"]) for buffer in "ios"] for gpu in algo]
    (inputs,), (outputs,) = {i for i, _, _ in own}, {o for _, o, _ in own}
    word = algo.attrib["coll"]
    times = {"allgather": (p, 1), "reduce_scatter": (1, p), "scatter": (0, 1), "gather": (1, 0)}
    for chunks, factor in zip((inputs, outputs), times.get(word, (1, 1)), strict=True):
        assert chunks * factor in (0, per_loop)
    assert int(algo.attrib["maxBytes"]) > 1 << 30
    return inputs, outputs, [s for _, _, s in own]


GARBAGE = -(10**9)


def checked(text: str, root: int, seed: int, *, in_place: bool) -> None:
    word = ElementTree.fromstring(text).attrib["coll"]
    inputs, outputs, scratch = sizes(text)
    p = len(scratch)
    draw = np.random.default_rng(seed)
    given = draw.integers(0, 1000, (p, inputs))
    memory: Memory = []
    for rank in range(p):
        i, o = given[rank].copy(), np.full(outputs, GARBAGE)
        at_root = word not in ("scatter", "gather") or rank == root
        if in_place and inputs == outputs:
            o = i
        elif in_place and inputs < outputs and at_root:
            o[rank * inputs : (rank + 1) * inputs] = i
            i = o[rank * inputs : (rank + 1) * inputs]
        elif in_place and at_root:
            o = i[rank * outputs : (rank + 1) * outputs]
        memory.append({"i": i, "o": o, "s": np.full(scratch[rank], GARBAGE)})
    run(text, memory, Random(seed))
    total = given.sum(axis=0)
    share = inputs // p
    for rank in range(p):
        own = slice(rank * outputs, (rank + 1) * outputs)
        wanted = {
            "allreduce": lambda: total,
            "reduce_scatter": lambda own=own: total[own],
            "allgather": lambda: given.ravel(),
            "broadcast": lambda: given[root],
            "reduce": lambda: total,
            "scatter": lambda own=own: given[root, own],
            "gather": lambda: given.ravel(),
            "alltoall": lambda rank=rank: given.reshape(p, p, share)[:, rank].ravel(),
        }[word]()
        if word not in ("reduce", "gather") or rank == root:
            assert memory[rank]["o"].tolist() == wanted.tolist()
        assert in_place or (memory[rank]["i"] == given[rank]).all(), "the input is read alone"


KINDS = [kind for kind in collectives.COLLECTIVES if kind != "barrier"]


def plans(kind: str, network: str) -> Iterator[Plan]:
    where = as_network(network)
    for ports in ("one", "all"):
        for root in (0, where.size - 1) if kind in ROOTED else (0,):
            site = Site.on(where, ports=ports, root=root)
            yield from (rule.on(site) for rule in algorithms_of(kind) if rule.covers(site))


NETWORKS = ("torus:2", "torus:5", "mesh:4", "cube:3", "torus:2x2*2", "torus:3x3", "hyperx:6")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("network", fast_only(NETWORKS, *NETWORKS[:2]))
def test_a_program_leaves_what_the_collective_is_defined_to_leave(kind, network):
    programs = [(plan.root, msccl_text(plan)) for plan in plans(kind, network)]
    assert programs
    for root, text in programs:
        for in_place in (False, True) if kind != "alltoall" else (False,):
            checked(text, root, len(text), in_place=in_place)


def _spoiled(text: str, how: str) -> str:
    algo = ElementTree.fromstring(text)
    steps = [step.attrib for step in algo.iter("step")]
    if how == "waits for nothing":
        for step in steps:
            step.update(depid="-1", deps="-1", hasdep="0")
    elif how == "lacks a step":
        tb = next(tb for tb in algo.iter("tb") if tb.attrib["recv"] != "-1")
        tb.remove(tb[-1])
    elif how == "writes elsewhere":
        step = next(step for step in steps if step["type"] in ("r", "rrc"))
        step["dstoff"] = str(int(step["dstoff"]) + 1)
    elif how == "takes the wrong buffer":
        step = [step for step in steps if step["type"] == "s"][-1]
        step["srcbuf"] = {"i": "o", "o": "i", "s": "i"}[step["srcbuf"]]
    else:  # all ranks wait for what they receive before they send
        for gpu in algo:
            sends, receives = (
                next(tb for tb in gpu if tb.attrib[end] != "-1") for end in ("send", "recv")
            )
            sends[0].attrib.update(depid=receives.attrib["id"], deps="0")
            receives[0].attrib["hasdep"] = "1"
    return ElementTree.tostring(algo, "unicode")


HOW = ("waits for nothing", "lacks a step", "writes elsewhere", "takes the wrong buffer", "stops")


@pytest.mark.parametrize("kind", ["allreduce", "allgather", "alltoall", "gather"])
@pytest.mark.parametrize("how", HOW)
def test_an_interpreter_notices_what_is_wrong(kind, how):
    """Negative controls: the program as it is passes, and with one thing changed it does not.

    What each is to have comes from the definition of the collective, not from the plan.
    """
    name = {"alltoall": "bruck", "gather": "chain"}.get(kind, "ring")
    text = msccl_text(collectives.plan(kind, name, 4))
    if how == "stops" and kind == "gather":
        return  # its last rank only sends
    checked(text, 0, 3, in_place=False)
    noticed = 0
    for seed in range(8):
        try:
            checked(_spoiled(text, how), 0, seed, in_place=False)
        except (AssertionError, IndexError):
            noticed += 1
    assert noticed


def test_what_moves_on_is_in_scratch():
    """Down a chain of three the middle rank keeps the last rank's chunk in scratch, and copies."""
    scatter = ElementTree.fromstring(msccl_text(collectives.plan("scatter", "chain", 3)))
    assert [gpu.attrib["s_chunks"] for gpu in scatter] == ["0", "1", "0"]
    root = [step.attrib["type"] for step in scatter[0].iter("step")]
    assert sorted(root) == ["cpy", "s", "s"]


def test_a_rank_has_at_most_32_peers_on_a_channel():
    """A root and 33 others: two channels, the same number at both ends of a message."""
    text = msccl_text(Plan.of_steps("scatter", 34, [[(0, r, [r]) for r in range(1, 34)]]))
    algo = ElementTree.fromstring(text)
    assert algo.attrib["nchannels"] == "2"
    sent, received = (
        {
            (rank, int(tb.attrib[key]), tb.attrib["chan"])
            for rank, gpu in enumerate(algo)
            for tb in gpu
            if tb.attrib[key] != "-1"
        }
        for key in ("send", "recv")
    )
    assert sent == {(v, u, chan) for u, v, chan in received}
    checked(text, 0, 1, in_place=False)


def _broadcast(ranks: int, *steps: Any) -> Plan:
    return Plan.of_steps("broadcast", ranks, steps, 1)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (_broadcast(2, *[[(0, 1, [0])]] * 257), "at most 256 steps of a thread block"),
        (_broadcast(130, [(0, r, [0]) for r in range(1, 130)]), "at most 128 thread blocks"),
        (_broadcast(3, [(1, 2, [0])], [(0, 1, [0])]), "blocks that are there"),
        (collectives.plan("barrier", "dissemination", 4), "for a plan in XML"),
    ],
)
def test_what_no_loader_takes_is_refused(plan, words):
    with pytest.raises((InputError, SizeLimitError), match=words):
        msccl_text(plan)


def test_a_message_of_many_chunks_is_cut():
    """A step has at most 71 chunks: 100 are two."""
    text = msccl_text(collectives.plan("broadcast", "binomial", 2).refined(100))
    assert text.count('cnt="71"') == 3  # sent, received, and copied at the root
    checked(text, 0, 1, in_place=True)


@dataclass(frozen=True)
class _Held:
    chunk: Any

    def __add__(self, other: "_Held") -> "_Held":
        return _Held(self.chunk.reduce(-1, other.chunk))


def by_msccl_tools(text: str) -> bool:
    """Whether msccl-tools 2.3.0 accepts a program: its data, dependencies and order of messages.

    It has no reader of XML: its checks take its own objects, which are made here of the text.
    """
    theirs = importlib.import_module("msccl.language.collectives")
    ir = importlib.import_module("msccl.language.ir")
    passes = importlib.import_module("msccl.language.passes")
    algo = ElementTree.fromstring(text)
    _, _, scratch = sizes(text)
    p, blocks = len(scratch), int(algo.attrib["nchunksperloop"])
    cls, share = {
        "allreduce": (theirs.AllReduce, 1),
        "reduce_scatter": (theirs.ReduceScatter, p),
        "allgather": (theirs.AllGather, p),
        "alltoall": (theirs.AllToAll, p),
    }[algo.attrib["coll"]]
    collective = cls(p, blocks // share, False)
    buffers = collective.init_buffers()
    memory: Memory = []
    for own, many in zip(buffers, scratch, strict=True):
        i, o = (np.empty(len(own[b]), dtype=object) for b in (ir.Buffer.input, ir.Buffer.output))
        i[:] = [_Held(chunk) for chunk in own[ir.Buffer.input]]
        memory.append({"i": i, "o": o, "s": np.empty(many, dtype=object)})
    run(text, memory, Random(p))
    for own, after in zip(buffers, memory, strict=True):
        own[ir.Buffer.output][:] = [held and held.chunk for held in after["o"]]
    tbs: list[dict[int, Any]] = [{} for _ in range(p)]
    pairs = defaultdict[tuple[int, int], tuple[list[Any], list[Any]]](lambda: ([], []))
    threads = [(rank, tb) for rank, gpu in enumerate(algo) for tb in gpu]
    for rank, tb in threads:
        block, peers = int(tb.attrib["id"]), (int(tb.attrib["send"]), int(tb.attrib["recv"]))
        tbs[rank][block] = made = ir.Threadblock(0, *peers)
        for step in tb:
            places = [
                ir.ChunkRef(
                    rank if peer < 0 else peer,
                    ir.Buffer(step.attrib[f"{end}buf"]),
                    *(int(step.attrib[key]) for key in (f"{end}off", "cnt")),
                )
                for peer, end in zip(peers[::-1], ("src", "dst"), strict=True)
            ]
            kind = ir.Instruction(step.attrib["type"])
            op = ir.Op(kind, rank, *places, step=len(made.ops), tb=block)
            made.ops.append(op)
            if op.is_send():
                pairs[rank, peers[0]][0].append(op)
            elif op.is_recv():
                pairs[peers[1], rank][1].append(op)
    for rank, tb in threads:
        for at, step in enumerate(tb):
            block, waits = int(step.attrib["depid"]), int(step.attrib["deps"])
            if block >= 0:
                depends = tbs[rank][int(tb.attrib["id"])].ops[at].depends
                depends.append(tbs[rank][block].ops[waits])
    for sent, received in pairs.values():
        for send, receive in zip(sent, received, strict=True):
            send.recv_match = receive
    passes.check_dependency_cycles(tbs)  # ends the process at a cycle
    passes.check_threadblock_ordering(SimpleNamespace(num_ranks=p, tbs=tbs))
    return bool(collective.check(SimpleNamespace(buffers=buffers)))


@pytest.mark.slow
@pytest.mark.parametrize("network", ["mesh:4", "torus:5", "cube:3", "torus:2x2*2"])
@pytest.mark.parametrize("kind", ["allreduce", "reduce-scatter", "allgather", "alltoall"])
def test_msccl_tools_accept_every_plan(kind, network):
    pytest.importorskip("msccl.language.collectives", reason="msccl-tools is not installed")
    for plan in plans(kind, network):
        assert by_msccl_tools(msccl_text(plan)), plan.name
    turns = collectives.plan(kind, "pairwise" if kind == "alltoall" else "ring", 5)
    *first, last = turns.stages
    less = replace(turns, stages=[*first, replace(last, times=last.times - 1)])
    assert not by_msccl_tools(msccl_text(less))


def test_plans_in_xml_from_the_command_line(tmp_path):
    file = tmp_path / "plan.xml"
    asked = ["collective", "alltoall", "-N", "torus:4", "--algorithm", "bruck", "--plan", file]
    assert calling.run(*asked).exit_code == 0
    assert file.read_text() == msccl_text(collectives.alltoall("bruck", "torus:4").plan)
    asked[1], asked[5] = "barrier", "dissemination"
    calling.refused(calling.run(*asked))
