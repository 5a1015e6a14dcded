"""Certificates of answers: the problem, the answer and a proof that `checker` follows.

Nothing is certified that the checker would refuse: an answer whose optimality rests on a search
gets none. Mappings are in `witnesses`; here are placements, schedules and degrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING, Any

from lccmodel.certificates.asking import exact_text, stated_network
from lccmodel.certificates.checker import FORMAT, certificate_digest, check
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.placements import PlacementAsked
from lccmodel.certificates.rank_witnesses import mapping_proofs
from lccmodel.communication.program import Program
from lccmodel.errors import InputError
from lccmodel.placement.objectives import loads_and_share

if TYPE_CHECKING:
    from lccmodel.collectives import Collective
    from lccmodel.collectives.steps import Stage
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.schedules import Schedule
    from lccmodel.placement.search import Placement
    from lccmodel.placement.search.partition_bounds import CutProof

_MAX_BOXES = 1024
"""Most boxes of a mesh that are tried."""

_MAX_MOVED = 1 << 20
"""Most blocks in all messages of a collective."""


def certificate_of(
    answer: Placement | Schedule | OptimalDegree | Collective,
) -> dict[str, Any]:
    """The certificate of an answer, as the object of its JSON text; it has been checked.

    Args:
        answer: what `optimal_reordering`, `optimal_linear_mapping`, `place`, `schedule` or
            `optimal_degree` return, or a collective of `lccmodel.collectives`.

    Raises:
        InputError: nothing short shows that the answer is the best.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.certificates.checker import check
    >>> from lccmodel.placement import optimal_reordering
    >>> placement = optimal_reordering(catalog.matrix_transpose(4), Hypercube(4))
    >>> check(certificate_of(placement)).partition(";")[0]
    'the order of the bits gives degree 1 on cube:4, and no nonsingular linear mapping gives less'
    """
    from lccmodel.collectives import Collective
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.schedules import Schedule
    from lccmodel.placement.search import Placement

    if isinstance(answer, Placement) and answer.port_bandwidth is not None:
        if answer.port_bandwidth != answer.network.host_bandwidth:
            rule = "covers channels alone: omit ports for a certificate"
            raise InputError("certificate", rule, answer.port_bandwidth)
        answer = answer.channels
    if isinstance(answer, Placement) and answer.Q is not None:
        return _first(
            answer, mapping_proofs(answer), "a mapping that a rank, or 2^14 sets, prove best"
        )
    if isinstance(answer, Placement):
        known = "counting (messages, nodes, boxes, distances) or by a small eigenvalue"
        return _first(answer, _placements(answer), f"a placement that meets a bound by {known}")
    if isinstance(answer, Schedule):
        return _first(answer, _schedules(answer), "a schedule as long as a link or node needs")
    if isinstance(answer, OptimalDegree):
        return _first(answer, _degrees(answer), "a degree for packets of N/Q items")
    if isinstance(answer, Collective):
        return _first(answer, _plans(answer), "a plan with the fewest start-ups or the least data")
    rule = "must be a mapping, placement, schedule, degree or collective"
    raise InputError("answer", rule, answer)


def _first(
    answer: object, proofs: Iterator[tuple[str, Any, Any, Any]], what: str
) -> dict[str, Any]:
    """The first that the checker accepts."""
    for kind, problem, stated, proof in proofs:
        made = {"format": FORMAT, "kind": kind, "problem": problem, "answer": stated}
        made["proof"] = proof
        made["digest"] = certificate_digest(made)
        try:
            check(made)
        except Refused:
            continue
        return made
    raise InputError("--certificate", f"needs {what}", answer)


# -- Placements ------------------------------------------------------------------------------------


def _placements(answer: Placement) -> Iterator[tuple[str, Any, Any, Any]]:
    network = stated_network(answer.network)
    joint = answer.objective == "joint"
    phases = answer.program.phases
    by_distance = answer.objective == "distance"
    mixed = loads_and_share(answer.objective)[1] not in (0, 1)
    is_one_bound = joint or by_distance or answer.objective == "max-max" or len(phases) == 1
    if network is None or mixed or not is_one_bound:
        return
    listed = [
        {
            "weight": exact_text(phase.weight),
            "messages": [
                [int(s), int(d), exact_text(v)]
                for s, d, v in zip(
                    *phase.traffic.messages.T.tolist(), phase.traffic.carried, strict=True
                )
            ],
        }
        for phase in phases
    ]
    ranks = len(answer.node_of)
    problem = {
        "network": network,
        "ranks": ranks,
        "objective": answer.objective if joint or by_distance else "max-max",
        "phases": listed,
    }
    stated = {"node_of": answer.node_of.tolist(), "value": exact_text(answer.after.value)}
    if not stated["value"]:
        yield "placement", problem, stated, {}
        return
    asked = PlacementAsked(problem)
    together = joint or by_distance
    for phase in range(1 if together else len(phases)):
        group = listed if together else [listed[phase]]
        known = [{"bound": "distances"}] if by_distance else _bounds(network, group, asked)
        for proof in chain(known, _assignment(answer, phase, together)):
            try:
                enough = asked.least({"phase": phase, **proof}) >= Fraction(stated["value"])
            except Refused:
                continue
            if enough:
                yield "placement", problem, stated, {"phase": phase, **proof}
                return


def _bounds(network: Any, phases: Sequence[Any], asked: PlacementAsked) -> Iterator[dict[str, Any]]:
    """The bounds that the checker knows, the cheap ones first."""
    yield {"bound": "message"}
    yield {"bound": "distances"}
    boxes = _boxes(network)
    for box in boxes:
        yield {"bound": "box", "box": box}
        yield {"bound": "parts", "box": box}
    if "down" not in network:
        for rank in _busy_ranks(phases):
            for share in range(4):
                for direction in ("out", "in"):
                    yield {"bound": "port", "rank": rank, "share": share, "direction": direction}
    eigenvalue = _second_eigenvalue(phases, asked.ranks)
    if eigenvalue:
        box = max(boxes, key=lambda box: _balance(box, asked))
        yield {"bound": "box", "box": box, "eigenvalue": str(eigenvalue)}


def _assignment(answer: Placement, phase: int, together: bool) -> Iterator[dict[str, Any]]:
    """The bounds of volume times distance by an assignment, and by a linear program of cuts."""
    from lccmodel.placement.search.assignment_bounds import matrices, potentials
    from lccmodel.placement.search.partition_bounds import nested_cuts
    from lccmodel.placement.search.problem import demand_of
    from lccmodel.placement.search.routes import Routes

    program = answer.program if together else Program([answer.program[phase]])
    routes = Routes.of(answer.network)
    demand = demand_of(program, "distance", None, routes)
    known = matrices(demand, routes)
    widths = {Fraction(1)} if answer.objective == "distance" else set(answer.network.bandwidths)
    if known is not None and demand.rounded is None and len(widths) == 1:
        unit = demand.unit * routes.scale / widths.pop()
        rank, place = (
            [exact_text(x * unit) for x in values.tolist()] for values in potentials(*known)
        )
        yield {"bound": "assignment", "ranks": rank[: demand.ranks], "places": place}
        levels = [
            {"level": level} | _multipliers(cut.proof, demand.unit)
            for cut in (nested_cuts(demand, routes) if len(routes.tree) else [])
            for level in range(
                cut.division.distance // 2 + 1, (cut.division.distance + cut.division.step) // 2 + 1
            )
            if cut.proof is not None
        ]
        if levels:
            yield {"bound": "cuts", "levels": levels}


def _multipliers(proof: CutProof, unit: Fraction) -> dict[str, Any]:
    """A proof of a cut as the checker reads it."""
    triangles = zip(proof.triangles.tolist(), proof.weights.tolist(), strict=True)
    return {
        "ranks": [exact_text(y * unit / proof.unit) for y in proof.ranks.tolist()],
        "triangles": [[*corners, exact_text(z * unit / proof.unit)] for corners, z in triangles],
    }


def _balance(box: Any, asked: PlacementAsked) -> Fraction:
    """How much a box has to send for an eigenvalue of 1, over the channels that leave it."""
    inside, width = asked.network.box(box)
    counts = max(0, asked.ranks - asked.places + inside), min(inside, asked.ranks)
    return min(Fraction(k * (asked.ranks - k)) for k in counts) / width if width else Fraction(0)


def _boxes(network: Any) -> list[Any]:
    """Levels of a fat tree; of a mesh boxes of halves, quarters, ... and all but one."""
    if "down" in network:
        return list(range(1, len(network["down"])))
    choices = [
        sorted({side, side // 2, side // 4, side - 1, 1} & set(range(1, side + 1)))
        for side in network["sides"]
    ]
    if prod(map(len, choices)) > _MAX_BOXES:
        sides = network["sides"]
        cuts = [(axis, side // 2) for axis, side in enumerate(sides) if side > 1]
        return [[*sides[:axis], at, *sides[axis + 1 :]] for axis, at in cuts]
    return [list(box) for box in product(*choices) if list(box) != network["sides"]]


def _second_eigenvalue(phases: Sequence[Any], ranks: int) -> Fraction | None:
    """A fraction just below the second eigenvalue of the Laplacian of what is sent either way."""
    import numpy as np

    if not 2 <= ranks <= 128:
        return None
    sent = np.zeros((ranks, ranks))
    for phase in phases:
        for s, d, volume in phase["messages"]:
            sent[s, d] += (s != d) * float(Fraction(phase["weight"]) * Fraction(volume))
    between = sent + sent.T
    second = float(np.linalg.eigvalsh(np.diag(between.sum(axis=0)) - between)[1])
    # below it by more than the error of floats: the checker proves a smaller number exactly, and
    # refuses a larger one
    return max(Fraction(0), Fraction(int((second - 1e-9 * abs(second)) * 2**20), 2**20))


def _busy_ranks(phases: Sequence[Any]) -> list[int]:
    """The rank that sends most, and the one that receives most."""
    sums: dict[tuple[int, int], Fraction] = {}
    for phase in phases:
        for s, d, volume in phase["messages"]:
            for end, rank in enumerate((s, d)):
                if s != d:
                    weighted = Fraction(phase["weight"]) * Fraction(volume)
                    sums[end, rank] = sums.get((end, rank), Fraction(0)) + weighted
    most = (max((t, r) for (e, r), t in sums.items() if e == end) for end in (0, 1) if sums)
    return sorted({rank for _, rank in most})


# -- Schedules and degrees -------------------------------------------------------------------------


def _schedules(answer: Schedule) -> Iterator[tuple[str, Any, Any, Any]]:
    task = answer.task
    problem = {"network": stated_network(task.mesh), "i": task.i, "M": task.M, "ports": task.ports}
    stated = {"steps": answer.steps.tolist(), "ties": list(answer.ties), "length": answer.length}
    if task.ports == "one":
        yield "schedule", problem, stated, {"messages": "one node"}
    for axis, loads in enumerate(task.link_loads()):
        coordinate = int(loads[0].argmax())
        yield "schedule", problem, stated, {"link": [coordinate * task.mesh.stride(axis), axis]}


def _degrees(answer: OptimalDegree) -> Iterator[tuple[str, Any, Any, Any]]:
    if answer.packets != "even":
        return
    machine, N = answer.machine, answer.N
    table = answer._solver.table
    pieces = [
        [None if up is None else exact_text(up), exact_text(alpha), exact_text(tau)]
        for up, alpha, tau in machine.cost.pieces
    ]
    problem = {
        "network": machine.mesh.spec,
        "ports": machine.ports,
        "model": answer.model,
        "d": table.d,
        "N": N,
        "steps": {"shallow": list(table.shallow[1:]), "A": table.A, "B": table.B},
        "barrier": exact_text(machine.barrier),
        "pieces": pieces,
    }
    times = answer.evidence.times
    stretches = []
    for stretch in answer._solver.stretches(N):
        (least,) = [Q for Q in times if stretch.first <= Q <= stretch.last]
        stretches.append([stretch.first, stretch.last, least])
    stated = {"Q": answer.Q, "time": exact_text(answer.time)}
    yield "degree", problem, stated, {"stretches": stretches}


# -- Collectives -----------------------------------------------------------------------------------


def _plans(answer: Collective) -> Iterator[tuple[str, Any, Any, Any]]:
    plan, network = answer.plan, stated_network(answer.network)
    parts = plan.ranks**2 if plan.collective == "alltoall" else plan.ranks
    if plan.blocks % parts:
        plan = plan.refined(parts)
    moved = sum(stage.times * len(s.source) * s.size for stage in plan.stages for s in stage.sends)
    if network is None or moved > _MAX_MOVED:
        return
    problem = {
        "collective": plan.collective,
        "ranks": plan.ranks,
        "root": plan.root,
        "blocks": plan.blocks,
        "network": network,
        "node_of": answer.node_of.tolist(),
        "ports": answer.ports,
    }
    stated = {
        "start_ups": answer.start_ups,
        "data": exact_text(answer.busiest),
        "steps": [_moved(stage, time) for _, time, stage in plan.timed()],
    }
    bound = answer.bound
    fewest = answer.start_ups == bound.start_ups
    least: list[dict[str, Any] | None] = [None]
    if answer.busiest == bound.data and plan.collective != "barrier":
        least = [{"bound": "sums"}, *({"bound": "port", "rank": r} for r in {0, plan.root})]
        least += [{"bound": "box", "box": box} for box in _boxes(network) if "sides" in network]
    if fewest or least[0] is not None:
        for data in least:
            yield "collective", problem, stated, {"start_ups": fewest, "data": data}


def _moved(stage: Stage, time: int) -> list[Any]:
    import numpy as np

    messages = []
    for send in stage.sends:
        blocks = send.blocks(time, np.arange(len(send.source)))
        operation = "add" if send.add else "copy"
        rows = zip(send.source.tolist(), send.destination.tolist(), blocks.tolist(), strict=True)
        messages += [
            [source, target, sorted(carried), operation] for source, target, carried in rows
        ]
    return messages
