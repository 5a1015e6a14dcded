"""Certificates: every answer's is accepted, and what is accepted is true by another route.

The other route tries everything: all orders, all nonsingular Q, all placements, all degrees.

Degrees of mappings by the ranks of [hou, Theorems 1 and 7], schedules by [calmant, Theorem 4].
"""

import contextlib
import itertools
import json
import math
import random
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import BristledHypercube, Hypercube, Mesh, Traffic, collectives
from lccmodel.certificates import cubes, degrees, plans
from lccmodel.certificates import writer as making
from lccmodel.certificates.asking import asked_question, exact_text, stated_network
from lccmodel.certificates.checker import certificate_digest, certified, check
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.placements import PlacementAsked
from lccmodel.certificates.writer import certificate_of
from lccmodel.collectives.steps import CollectiveName
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.errors import InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.weights import objective_value
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Piecewise
from lccmodel.pipelining.schedules import Schedule, schedule
from lccmodel.pipelining.task import Task
from lccmodel.placement import optimal_linear_mapping, optimal_reordering
from lccmodel.placement.search.assignment_bounds import assignment_bound, matrices, potentials
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes
from tests.certificates.samples import (
    CUBE,
    EVERY,
    accepted,
    altered,
    another,
    by_parts,
    drawn_lcc,
    entry,
    leaves,
    placed,
    samples,
    signed,
)
from tests.choosing import fast_only, sampled
from tests.matrices import all_nonsingular
from tests.walking import messages, walked_loads


def _degree(c: LCC, Q: GF2Matrix, inside: int) -> int:
    """The busiest channel between routers, every message walked, by ascending bits."""
    sent = [(Q.apply(x), Q.apply(y)) for x, y in c.pairs().tolist()]
    return max(walked_loads(sent, range(inside, c.n), range(inside)), default=0)


NONSINGULAR = {n: list(all_nonsingular(n)) for n in (1, 2, 3)}


# -- What is accepted is true --------------------------------------------------------------------


@pytest.mark.parametrize("network", [Hypercube, BristledHypercube])
def test_no_nonsingular_mapping_is_better(network):
    """[hou, Theorems 3 and 8, Lemmas 5 to 7] every message walked, every Q tried."""
    draw = random.Random(11)
    for _ in range(12):
        c = drawn_lcc(draw.randint(1, 3), draw)
        found = optimal_linear_mapping(c, network(c.n))
        made = certificate_of(found)
        inside = int(network is BristledHypercube)
        assert "no nonsingular linear mapping gives less" in check(made) or not found.after.degree
        least = min(_degree(c, Q, inside) for Q in NONSINGULAR[c.n])
        assert made["answer"]["degree"] == _degree(c, found.Q, inside) == least


@pytest.mark.parametrize("network", fast_only([Hypercube, BristledHypercube], BristledHypercube))
def test_answers_of_many_bits_have_certificates(network):
    draw = random.Random(5)
    for n in (4, 6, 9, 16):
        c = drawn_lcc(n, draw)
        assert check(json.loads(json.dumps(certificate_of(optimal_linear_mapping(c, network(n))))))
    stays = certificate_of(optimal_reordering(LCC(GF2Matrix.identity(3)), network(3)))
    assert "no message uses a channel" in check(stays)


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
@pytest.mark.parametrize("network", [Hypercube, BristledHypercube])
def test_no_order_is_better_for_several(network, objective):
    """[hou, Theorem 6] weighted gathers and scatters; every order tried. 0.1 means 1/10."""
    draw = random.Random(3)
    for _ in range(6):
        n = draw.randint(1, 4)
        members = [drawn_lcc(n, draw) for _ in range(3)]
        weights = [draw.choice([1, 2, Fraction(1, 3), 0.1]) for _ in members]
        found = optimal_reordering(members, network(n), objective, weights)
        made = certificate_of(found)
        check(made)
        if made["kind"] == "orders":
            inside = int(network is BristledHypercube)
            loads = (
                [walked_loads(messages(c), order[inside:], order[:inside]) for c in members]
                for order in itertools.permutations(range(n))
            )
            exact = [Fraction(str(weight)) for weight in weights]
            least = min(objective_value(of, exact, objective) for of in loads)
            assert Fraction(made["answer"]["value"]) == least


def _certified_placements(network, seed, tries, most):
    """(traffic, placement, certificate) of random traffic whose placement meets a bound."""
    draw = random.Random(seed)
    for _ in range(tries):
        ranks = draw.randint(2, min(4, network.size))
        count = draw.randint(1, most)
        pairs = [[draw.randrange(ranks), draw.randrange(ranks)] for _ in range(count)]
        sent = Traffic(pairs, [draw.choice([1, 2, 3]) for _ in pairs], ranks)
        found = lcc.place(sent, network, over="placements", seconds=0.05)
        with contextlib.suppress(InputError):
            yield sent, found, certificate_of(found)


def test_the_busiest_channel_is_that_of_the_worst_phase():
    """Of phases that send 1, 2 and 3, in any order."""
    for volumes in ((1, 3), (3, 1), (2, 3, 1)):
        phases = [Traffic([[0, 1]], [volume], 2) for volume in volumes]
        made = certificate_of(lcc.place(phases, "mesh:4", "max-max", over="placements"))
        assert check(made).startswith("the busiest channel carries 3")
        with pytest.raises(Refused, match="the placement has 3, not 1"):
            check(signed(made, ("answer", "value"), "1"))


ASKED = {
    "box": ("box", EVERY, "mesh:4x2"),
    "port": ("port", [[0, j] for j in range(1, 8)], "mesh:8"),
    "distances": ("distances", EVERY, "cube:3"),
    "message": ("message", [[0, 1], [3, 2]], "torus:8"),
    "places at routers": ("port", [[0, j] for j in range(1, 6)], "mesh:4*2"),
    "unequal bandwidths": ("box", EVERY, "mesh:4x2,bandwidth=1:3"),
    "fat tree": ("distances", EVERY, "fattree:2x4/2"),
    "tapered": ("box", EVERY, "fattree:2x2x2/1x1"),
    "origin": ("distances", EVERY, "origin:3"),
    "eigenvalue": ("box", CUBE, "fattree:8x2/4"),
}


@pytest.mark.parametrize("name", ASKED)
def test_every_bound_of_placements_is_used(name):
    bound, pairs, network = ASKED[name]
    made = certificate_of(lcc.place(Traffic(pairs), network, over="placements", seconds=0.15))
    proof = made["proof"]
    assert (proof["bound"], "eigenvalue" in proof) == (bound, name == "eigenvalue")


STAR = Traffic([[1, 0], [2, 0], [3, 0]], [5, 3, Fraction(1, 2)], 4)
"""On mesh:4: twice the total is at least 9 1/2 at rank 0, in the middle, and 5 + 3 + 1/2."""


def test_the_potentials_of_an_assignment_prove_volume_times_distance():
    """Rank 0 in the middle of mesh:4: 5 + 3 + 2/2 = 9. Nearest places alone say 8 1/2."""
    answer = lcc.place(STAR, "mesh:4", "distance", seconds=0.02)
    made = certificate_of(answer)
    assert made["proof"]["bound"] == "assignment"
    assert check(made).startswith("volume times distance is 9, and no placement of the 4 ranks")
    assert asked_question(answer.problem, "distance") == certified(made).question
    for name, entries in (("ranks", made["proof"]["ranks"]), ("places", made["proof"]["places"])):
        for k, entry_ in enumerate(entries):
            step = Fraction(1, 2) if name == "ranks" else Fraction(-1, 2)
            with pytest.raises(Refused, match=r"too large|an integer"):
                check(signed(made, ("proof", name, k), str(Fraction(entry_) + step)))
    with pytest.raises(Refused, match="the placement has 9, not 17/2"):
        check(signed(made, ("answer", "value"), "17/2"))


@pytest.mark.parametrize("spec", ["mesh:3x2", "torus:6", "mesh:3*2", "fattree:3x2/2", "mesh:6"])
def test_potentials_prove_no_more_than_the_least_of_all_placements(spec):
    """Random programs with idle places and halves; half of the potentials prove half, rounded up.

    For joint they prove the same over all channels.
    """
    network, draw = lcc.network.parse_network(spec), random.Random(5)
    near = np.array([[network.distance(x, y) for y in range(6)] for x in range(6)])
    for _ in range(8):
        ranks = draw.randint(4, 6)
        pairs = [p for p in itertools.permutations(range(ranks), 2) if draw.random() < 0.5]
        halves = [draw.randint(1, 9) for _ in pairs]
        at = np.array(list(itertools.permutations(range(6), ranks)))[:, np.array(pairs)]
        least = Fraction(int((near[at[..., 0], at[..., 1]] @ halves).min()), 2)
        sent = Traffic(pairs, [Fraction(half, 2) for half in halves], ranks)
        routes = Routes.of(network)
        demand = demand_of(Program.of(sent), "distance", None, routes)
        u, w = potentials(*matrices(demand, routes))
        messages = [[s, d, f"{half}/2"] for (s, d), half in zip(pairs, halves, strict=True)]
        problem = {"network": stated_network(network), "ranks": ranks,
                   "phases": [{"weight": 1, "messages": messages}]}  # fmt: skip
        bounds = [
            PlacementAsked(problem | {"objective": objective}).least({
                "phase": 0, "bound": "assignment",
                "ranks": [exact_text(x * demand.unit * part) for x in u[:ranks].tolist()],
                "places": [exact_text(x * demand.unit * part) for x in w.tolist()],
            })
            for objective, part in (("distance", 1), ("distance", Fraction(1, 2)), ("joint", 1))
        ]  # fmt: skip
        assert bounds[0] <= least
        step = int(np.gcd.reduce(near, axis=None))  # 2 on a fat tree
        known = assignment_bound(*matrices(demand, routes))
        assert Fraction(known, 2) <= bounds[0] < Fraction(known, 2) + step
        assert bounds[0] / 2 <= bounds[1] <= bounds[0]
        assert bounds[0] / network.n_channels <= bounds[2] <= bounds[0]


def _graph_value(network, sent, nodes):
    """Every message walked node by node on the explicit graph; load over bandwidth."""
    carried: dict = {}
    for (s, d), volume in zip(sent.messages.tolist(), sent.volumes, strict=True):
        for channel in network.channels(nodes[s], nodes[d]):
            width = network.bandwidths[network.row_dimension(network.counter(*channel)[0])]
            carried[channel] = carried.get(channel, Fraction(0)) + Fraction(volume) / width
    return max(carried.values(), default=Fraction(0))


@pytest.mark.parametrize(
    "spec",
    fast_only(["mesh:5", "torus:5", "mesh:2x2", "torus:4", "cube:2", "mesh:2*2", "torus:3*2",
     "fattree:2^2", "mesh:2x2,bandwidth=1:3", "fattree:3x2/1", "origin:2",
     "fattree:2^2,routing=s-mod-k", "cube:2*2"], "mesh:5", "mesh:2x2"),
)  # fmt: skip
def test_no_placement_is_better(spec):
    """Every placement of up to four ranks, every message walked by the network.

    Places at routers, bandwidths and fat trees among them.
    """
    network = lcc.network.parse_network(spec)
    certified = met = 0
    for seed, tries, most in ((7, 8, 6), (13, 10, 8)):
        for sent, found, made in _certified_placements(network, seed, tries, most):
            certified += 1
            check(made)
            value = Fraction(made["answer"]["value"])
            least = min(
                _graph_value(network, sent, nodes)
                for nodes in itertools.permutations(range(network.size), sent.ranks)
            )
            assert value == least == _graph_value(network, sent, found.node_of.tolist())
            met += value != 0
    assert certified >= 4
    assert met


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("spec", ["mesh:16", "mesh:4x4", "mesh:4x8", "torus:8", "torus:4x4"])
def test_schedules_at_the_bound_have_certificates(spec, ports):
    """[calmant, Theorems 2 and 4]; the library's replay and bound are the other route."""
    network = lcc.network.parse_network(spec)
    for i in range(network.n):
        for M in range(network.n - i + 1):
            found = schedule(Task(i, M, network, ports))
            if found.length == found.task.lower_bound:
                assert f"takes {found.length} steps" in check(certificate_of(found))


STAGES = {"alpha": 7, "tau": "1/3"}
PIECES = {"cost": Piecewise([(16, 3, 1), (None, 40, "1/2")])}


@pytest.mark.parametrize(
    ("mesh", "costs", "N"),
    [("4x4", costs, N) for costs in (STAGES, PIECES) for N in (1, 3, 10, 64, 300)]
    + [(mesh, STAGES, N) for mesh in ("2", "4", "2x2", "torus:4", "8") for N in (1, 2, 9)],
)
def test_no_degree_is_better(mesh, costs, N):
    """Every degree tried; [calmant 3.3] d = 1 has no shallow step to state."""
    machine = Machine(mesh, barrier="1/2", **costs)
    made = certificate_of(optimal_degree(machine, N))
    assert check(made).startswith(f"Q = {made['answer']['Q']} takes")
    assert Fraction(made["answer"]["time"]) == min(time(machine, N, Q) for Q in range(1, N + 1))


@pytest.mark.parametrize("N", [60, 997, 4096])
def test_the_least_of_a_stretch_is_its_least(N):
    """A degree beside the best, with its own time, where T is said to be least there."""
    machine = Machine("4x4", 7, "1/3", barrier="1/2")
    made = certificate_of(optimal_degree(machine, N))
    stated, stretches = made["problem"], made["proof"]["stretches"]
    degrees.check_degree(stated, made["answer"], made["proof"])
    ((first, last, least),) = stretches
    for Q in {*range(max(first, least - 3), min(last, least + 3) + 1)} - {least}:
        beside = {"Q": Q, "time": str(time(machine, N, Q))}
        with pytest.raises(Refused, match=r"is less|not the least of"):
            degrees.check_degree(stated, beside, {"stretches": [[first, last, Q]]})


@pytest.mark.parametrize("volume", [0.1, 1 / 3, 5e-324, 1.7e308])
def test_decimals_are_certified_as_the_answer_read_them(volume):
    """0.4 wrote 0.1 as a binary fraction where the answer had read 1/10: no certificate."""
    read = Fraction(str(volume))
    sent = Traffic([(0, 1), (1, 0)], [volume, volume], 2)
    made = certificate_of(lcc.place(sent, "mesh:2", over="placements", seconds=0.05))
    assert Fraction(made["answer"]["value"]) == read
    assert Fraction(made["problem"]["phases"][0]["messages"][0][2]) == read
    assert str(read) in check(json.loads(json.dumps(made)))


def _changed_schedule(turn) -> Schedule:
    good = schedule(Task(0, 3, Mesh((8,))))
    steps = good.steps.copy()
    turn(steps)
    return Schedule(good.task, steps)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: _changed_schedule(lambda t: t.__setitem__(t == t.max(), t.max() + 1)), "--cert"),
        (lambda: _changed_schedule(lambda t: t.__setitem__(0, t[1])), "--certificate"),
        (lambda: optimal_degree(Machine("4x4", 5, 1), 10, packets="ceil"), "N/Q items"),
        (lambda: lcc.place(Traffic(EVERY), "torus:8", over="placements", seconds=0.05),
         "needs a placement that meets a bound by counting"),
        (lambda: 3, "must be a mapping, placement, schedule, degree or collective"),
    ],
    ids=["a step too many", "a conflict", "whole items", "above its bound", "no answer"],
)  # fmt: skip
def test_what_proves_nothing_has_no_certificate(answer, words):
    with pytest.raises(InputError, match=words):
        certificate_of(answer())


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(
    "spec",
    fast_only(
        ["cube:1", "torus:8", "mesh:4x2", "cube:3", "torus:4*2", "fattree:2^3"],
        "cube:1",
        "cube:3",
    ),
)
def test_collectives_that_meet_a_bound_have_certificates(spec, ports):
    """The library's loads, replay and bound are the other route; what meets none has none."""
    certified = set()
    for name in get_args(CollectiveName):
        for rule in collectives.algorithms_of(name):
            try:
                found = collectives.collective_of(name, rule.name, network=spec, ports=ports)
            except InputError:
                continue
            least = found.busiest == found.bound.data and name != "barrier"
            if found.start_ups == found.bound.start_ups or least:
                assert check(json.loads(json.dumps(certificate_of(found)))).count("none") in (1, 2)
                certified.add(name)
            else:
                with pytest.raises(InputError, match="needs a plan with the fewest start-ups"):
                    certificate_of(found)
    usual = {"allreduce", "allgather", "broadcast", "barrier", "scatter", "gather"}
    assert usual <= certified or ports == "all"


def _all_to_all(sides: list[int], ranks: int) -> dict:
    messages = [[i, j, 1] for i in range(ranks) for j in range(ranks) if i != j]
    network = {"sides": sides, "rings": [False] * len(sides), "bandwidths": [1] * len(sides),
               "seats": 1}  # fmt: skip
    return {"network": network, "ranks": ranks, "objective": "joint",
            "phases": [{"weight": 1, "messages": messages}]}  # fmt: skip


def test_plans_are_written_down_up_to_a_limit_of_what_they_move(monkeypatch):
    """As many blocks as are sent in all, every time a step runs: counted message by message."""
    found = collectives.collective_of("allgather", "ring", network="torus:4", ports="one")
    plan = found.plan.refined(4) if found.plan.blocks % 4 else found.plan
    moved = sum(
        len(send.source) * send.size for _, _, stage in plan.timed() for send in stage.sends
    )
    monkeypatch.setattr(making, "_MAX_MOVED", moved)
    assert certificate_of(found)
    monkeypatch.setattr(making, "_MAX_MOVED", moved - 1)
    with pytest.raises(InputError, match="--certificate"):
        certificate_of(found)


@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_a_box_is_worth_the_least_that_its_ranks_can_send(ranks):
    """k ranks inside exchange k (n - k) with the others; every k that fits; by hand on 4 x 2.

    The writer ranks boxes by it; the checker rounds up, as volumes are integers.
    """
    asked = PlacementAsked(_all_to_all([4, 2], ranks))
    for box, inside, width in (([2, 2], 4, 2), ([1, 2], 2, 2), ([3, 1], 3, 4), ([4, 1], 4, 4)):
        fits = [k for k in range(ranks + 1) if k <= inside and ranks - k <= 8 - inside]
        least = Fraction(min(k * (ranks - k) for k in fits), width)
        assert making._balance(box, asked) == least
        assert asked.least({"phase": 0, "bound": "box", "box": box}) == math.ceil(least)


def test_boxes_are_those_of_simple_parts_of_the_sides(monkeypatch):
    """A side whole, halved, quartered, less one, one; of many axes one side is halved at a time."""
    network = {"sides": [8, 3]}
    expected = {(x, y) for x in (8, 4, 2, 7, 1) for y in (3, 1, 2)} - {(8, 3)}
    found = making._boxes(network)
    assert sorted(map(tuple, found)) == sorted(expected)
    monkeypatch.setattr(making, "_MAX_BOXES", 15)
    assert making._boxes(network) == found
    monkeypatch.setattr(making, "_MAX_BOXES", 14)
    assert making._boxes({"sides": [8, 1, 3]}) == [[4, 1, 3], [8, 1, 1]]
    assert making._boxes({"down": [4, 4, 2]}) == [1, 2]


# -- What is altered is refused ------------------------------------------------------------------


SAMPLES = samples()


@pytest.mark.parametrize("name", SAMPLES)
def test_each_single_change_is_refused(name):
    made = SAMPLES[name]
    paths = list(leaves(made))
    assert len(paths) > 10
    for path in paths:
        with pytest.raises(Refused):
            check(altered(made, path, another(entry(made, path))))


@pytest.mark.parametrize("name", sampled(SAMPLES, 4))
def test_what_is_missing_or_of_another_kind_is_refused(name):
    """With a digest of its own: nothing but a verdict comes out, never another error."""
    made = SAMPLES[name]
    for path in list(leaves(made))[::5]:
        for value in (None, "", [], {}, -1, 10**9, "x", 1.5):
            accepted(signed(made, path, value))


AS_GOOD = {
    ("answer", "ties"): "on a line no message has two ways",
    ("answer", "node_of"): "two ranks may change places",
    ("answer", "steps"): "a copy into an empty place may be an addition; plans are tried below",
    ("proof", "from"): "prices to the end that are lower prove as much",
    ("proof", "share"): "a port of few messages has the same fullest channel",
    ("proof", "steps"): "L may choose another row as good",
    ("proof", "displaced"): "another vector may be moved, too",
    ("proof", "link"): "another link of a ring carries as much",
    ("proof", "data"): "another rank of a collective sends as much",
    ("proof", "start_ups"): "the least data are proved still, and no more is said",
}
"""Fields of answers and proofs of which another value may be as good, with why; no others may."""


def test_every_field_of_every_kind_of_answer_and_proof_is_read():
    """With a digest of its own: each refuses a change, but where the other value is as good."""
    refused, as_good = set(), set()
    for made in SAMPLES.values():
        for path in leaves(made):
            value = entry(made, path)
            if path[0] not in ("answer", "proof") or value is None:
                continue
            for other in [value + 1, value - 1] if type(value) is int else [another(value)]:
                fields = as_good if accepted(signed(made, path, other)) else refused
                fields.add((made["kind"], *path[:2]))
    assert {field[1:] for field in as_good} <= set(AS_GOOD)
    assert as_good <= refused
    kinds = {"linear", "orders", "placement", "schedule", "degree", "collective"}
    assert {field[0] for field in refused} == kinds


@pytest.mark.parametrize(
    "spec",
    sampled(["mesh:2*2", "mesh:4", "torus:4", "mesh:2x2", "mesh:2x2,bandwidth=1:3", "cube:2",
             "fattree:2^2"], 2),
)  # fmt: skip
def test_no_bound_is_above_the_least_of_all_placements(spec):
    """Every proof of every kind, of all to all and of random traffic; some meet it."""
    network, draw, met = lcc.network.parse_network(spec), random.Random(8), set()
    stated = placed([[0, 1]], spec)["problem"]
    sides = stated["network"].get("sides", ())
    boxes = list(map(list, itertools.product(*(range(1, s + 1) for s in sides)))) if sides else [1]
    proofs = [{"bound": kind, "box": box} for kind in ("box", "parts") for box in boxes]
    proofs += [{"bound": kind} for kind in ("distances", *(("message",) if sides else ()))]
    ports = itertools.product(range(4), ("out", "in"), range(4))
    proofs += [{"bound": "port", "rank": r, "direction": d, "share": s} for r, d, s in ports]
    every = [[i, j] for i in range(4) for j in range(4) if i != j]
    for k in range(8):
        pairs = draw.sample(every, 8 if k < 5 else 3) if k else every
        sent = Traffic(pairs, [draw.choice([1, 2]) if k else 1 for _ in pairs], 4)
        listed = [[*pair, str(v)] for pair, v in zip(pairs, sent.volumes, strict=True)]
        phases = [{"weight": 1, "messages": listed}]
        asked = PlacementAsked(stated | {"ranks": 4, "phases": phases})
        least = min(_graph_value(network, sent, n) for n in itertools.permutations(range(4)))
        for proof in proofs:
            with contextlib.suppress(Refused):
                bound = asked.least({"phase": 0, **proof})
                assert bound <= least, (pairs, proof)
                if bound == least:
                    met.add(proof["bound"])
    assert met


@pytest.mark.parametrize(
    ("name", "box"),
    [("parts", box) for box in ([4, 2], [3, 2], [1, 2], [8, 1], [2], [0, 2], [2, 2, 1], 1)]
    + [("parts of a tree", box) for box in (0, 2, [1], -1)],
)
def test_parts_that_prove_too_little_or_tile_nothing_are_refused(name, box):
    """The whole network, boxes that do not tile it or do not fit in it, and too small ones."""
    check(SAMPLES[name])
    with pytest.raises(Refused):
        check(by_parts(SAMPLES[name], box))


@pytest.mark.parametrize("name", ["allreduce", "alltoall"])
def test_each_single_change_of_a_plan_is_refused(name):
    """With a digest of its own: every rank, block and operation of every message counts."""
    made = SAMPLES[name]
    for path in leaves(made):
        # copies into empty places may be additions
        if path[0] == "answer" and (path[-1] != 3 or name == "allreduce"):
            assert not accepted(signed(made, path, another(entry(made, path)))), path


def test_other_things_are_no_certificates():
    for thing in ({}, {"format": "lccmodel-certificate 1"}, {**SAMPLES["gather"], "kind": []}):
        assert not accepted({**thing, "digest": certificate_digest(thing)})


def test_a_family_that_holds_the_full_set_proves_nothing():
    """From bit 0 on all sets are reached, the set without it never: it stands for no full one."""
    with pytest.raises(Refused, match="wrong ends"):
        cubes._closed([1, 3], 1, 2, Fraction(100), lambda S, j: Fraction(0))
    cubes._closed([1], 1, 2, Fraction(100), lambda S, j: Fraction(100))


def _collective(name: str, ranks: int, root: int, node_of: list[int], blocks: int) -> dict:
    network = {"sides": [4], "rings": [False], "bandwidths": ["1"], "seats": 1}
    return {"collective": name, "network": network, "ranks": ranks, "root": root,
            "node_of": node_of, "ports": "one", "blocks": blocks}  # fmt: skip


@pytest.mark.parametrize("name", ["allreduce", "allgather", "broadcast", "barrier", "alltoall"])
def test_one_rank_has_all_that_it_needs(name):
    """Nothing is sent, in 0 start-ups; without any rank there is no collective."""
    asked = _collective(name, 1, 0, [1], 1)
    made = {
        "format": "lccmodel-certificate 1", "kind": "collective", "problem": asked,
        "answer": {"steps": [], "start_ups": 0, "data": "0"},
        "proof": {"start_ups": True, "data": None},
    }  # fmt: skip
    said = check(signed(made, ("problem",), asked))
    assert said.startswith(f"the {name} of 1 ranks has 0 start-ups, and none has fewer; ")
    for change in ({"ranks": 0, "node_of": []}, {"blocks": 0}, {"root": 1}, {"node_of": [4]}):
        assert not accepted(signed(made, ("problem",), asked | change))


@pytest.mark.parametrize(("p", "root"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1)])
def test_what_a_collective_starts_and_ends_with(p, root):
    """By definition, block by block: contributions as bits, a bit for every rank."""
    every, ranks, blocks = (1 << p) - 1, range(p), 2 * p * p
    for name in plans._NAMES:
        asked = plans._Asked(_collective(name, p, root, [*ranks], blocks))
        sums = name in ("allreduce", "reduce-scatter", "reduce", "barrier")
        for rank, block in itertools.product(ranks, range(blocks)):
            part, pair = block * p // blocks, divmod(block // 2, p)
            starts = {
                "broadcast": 1 << rank if rank == root else 0,
                "allgather": 1 << rank if rank == part else 0,
                "gather": 1 << rank if rank == part else 0,
                "scatter": 1 << rank if rank == root else 0,
                "alltoall": 1 << rank if rank == pair[0] else 0,
            }
            ends = {
                "allreduce": every, "barrier": every, "broadcast": 1 << root,
                "reduce": every if rank == root else None,
                "reduce-scatter": every if rank == part else None,
                "allgather": 1 << part,
                "gather": 1 << part if rank == root else None,
                "scatter": 1 << root if rank == part else None,
                "alltoall": 1 << pair[0] if rank == pair[1] else None,
            }  # fmt: skip
            mine = 1 << rank if sums else starts[name]
            assert asked.at_start().get((rank, block), 0) == mine
            assert {(r, b): h for r, b, h in asked.wanted()}.get((rank, block)) == ends[name]
        assert asked.unit() == Fraction(p if name == "alltoall" else 1, blocks)


@pytest.mark.parametrize(("sample", "links"), [("schedule", 7), ("half a ring", 8)])
def test_a_link_of_a_bound_is_one_that_there_is(sample, links):
    """Up from the last node of a line leads no link; on a ring one leads to the first."""
    for x in range(8):
        said = ""
        try:
            check(signed(SAMPLES[sample], ("proof",), {"link": [x, 0]}))
        except Refused as refused:
            said = str(refused)
        assert (said == "there is no such link") == (x >= links)
    with pytest.raises(Refused, match="-1 must be a whole number"):
        check(signed(SAMPLES[sample], ("proof",), {"link": [0, -1]}))


def test_the_busiest_ranks_are_those_of_the_most_volume_times_weight():
    """1 sends 7 of 1 + 2 + 7, and 0 receives 2 + 7; what 2 keeps to itself does not count."""
    phases = [
        {"weight": "1/3", "messages": [[0, 1, "3"], [2, 2, "100"]]},
        {"weight": "2", "messages": [[3, 0, "1"], [1, 0, "7/2"]]},
    ]
    assert making._busy_ranks(phases) == [0, 1]


def test_blocks_with_owners_are_not_cut_again():
    """p^2 of an alltoall are as many as its ranks have for each other."""
    for p in (2, 3, 4):
        made = certificate_of(collectives.alltoall("linear", f"torus:{p}", ports="all"))
        assert made["problem"]["blocks"] == p * p
