"""Certificates of answers: the problem, the answer and a proof that `checker` follows.

Nothing is certified that the checker would refuse: an answer whose optimality rests on a search
gets none. Mappings are in `witnesses`; here are placements, schedules and degrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lccmodel.certificates.checker import FORMAT, certificate_digest, check
from lccmodel.certificates.reading import Refused
from lccmodel.certificates.witnesses import exact_text, mapping_proofs
from lccmodel.errors import InputError
from lccmodel.methods.placement.problem import divided

if TYPE_CHECKING:
    from lccmodel.methods.placement import Placement
    from lccmodel.network import Network
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.schedules import Schedule


def certificate_of(answer: Placement | Schedule | OptimalDegree) -> dict[str, Any]:
    """The certificate of an answer, as the object of its JSON text; it has been checked.

    Args:
        answer: what `optimal_reordering`, `optimal_linear_mapping`, `place`, `schedule` or
            `optimal_degree` return.

    Raises:
        InputError: nothing short shows that the answer is the best.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.certificates.checker import check
    >>> from lccmodel.methods import optimal_reordering
    >>> found = optimal_reordering(catalog.matrix_transpose(4), Hypercube(4))
    >>> check(certificate_of(found))
    'the order of the bits gives degree 1 on cube:4, and no nonsingular linear mapping gives less'
    """
    from lccmodel.methods.placement import Placement
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.schedules import Schedule

    if isinstance(answer, Placement) and answer.Q is not None:
        return _first(
            answer, mapping_proofs(answer), "a mapping that a rank, or 2^14 sets, prove best"
        )
    if isinstance(answer, Placement):
        known = "counting (messages, nodes, cuts, distances)"
        return _first(answer, _placements(answer), f"a placement that meets a bound by {known}")
    if isinstance(answer, Schedule):
        return _first(answer, _schedules(answer), "a schedule as long as a link or node needs")
    if isinstance(answer, OptimalDegree):
        return _first(answer, _degrees(answer), "a degree for packets of N/Q items")
    raise InputError("answer", "must be a mapping, placement, schedule or degree", answer)


def _first(answer: object, found: Iterator[tuple[str, Any, Any, Any]], what: str) -> dict[str, Any]:
    """The first that the checker accepts."""
    for kind, problem, stated, proof in found:
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


def _axes(network: Network) -> dict[str, Any] | None:
    """Sides, rings and the bandwidth of all channels; None for other networks."""
    from lccmodel.network import Hypercube, Mesh

    if len(set(network.bandwidths)) > 1:
        return None
    width = {"bandwidth": exact_text(network.bandwidths[0] if network.bandwidths else 1)}
    if isinstance(network, Mesh):
        rings = [network.is_ring(axis) for axis in range(len(network.shape))]
        return {"sides": list(network.shape), "rings": rings, **width}
    if isinstance(network, Hypercube):
        return {"sides": [2] * network.n, "rings": [False] * network.n, **width}
    return None


def _placements(answer: Placement) -> Iterator[tuple[str, Any, Any, Any]]:
    axes = _axes(answer.network)
    joint = answer.objective == "joint"
    phases = answer.program.phases
    mixed = divided(answer.objective)[1] != 1  # volume times distance is in it
    if axes is None or mixed or not (joint or answer.objective == "max-max" or len(phases) == 1):
        return
    listed = [
        {
            "weight": exact_text(phase.weight),
            "messages": [
                [int(s), int(d), exact_text(v)]
                for s, d, v in zip(
                    *phase.traffic.messages.T.tolist(), phase.traffic.volumes, strict=True
                )
            ],
        }
        for phase in phases
    ]
    problem = {
        "network": axes,
        "ranks": len(answer.node_of),
        "objective": "joint" if joint else "max-max",
        "phases": listed,
    }
    found = {"node_of": answer.node_of.tolist(), "value": exact_text(answer.after.value)}
    for phase in range(1 if joint else len(phases)):
        yield "placement", problem, found, {"phase": phase, "bound": "message"}
        yield "placement", problem, found, {"phase": phase, "bound": "distances"}
        for axis, side in enumerate(axes["sides"]):
            for at in {1, side // 2, side - 1} & set(range(1, side)):
                cut = {"phase": phase, "bound": "cut", "axis": axis, "at": at}
                yield "placement", problem, found, cut
        for rank in _busy_ranks(listed if joint else [listed[phase]]):
            for share in range(4):
                for direction in ("out", "in"):
                    proof = {"phase": phase, "bound": "port", "rank": rank, "share": share}
                    yield "placement", problem, found, {**proof, "direction": direction}


def _busy_ranks(phases: Sequence[Any]) -> list[int]:
    """The ranks with the largest single volumes and the largest sums, each way."""
    best: dict[tuple[int, str], tuple[Fraction, int]] = {}
    sums: dict[tuple[int, int], Fraction] = {}
    for phase in phases:
        for s, d, volume in phase["messages"]:
            for end, rank in enumerate((s, d)):
                if s != d:
                    weighted = Fraction(phase["weight"]) * Fraction(volume)
                    sums[end, rank] = sums.get((end, rank), Fraction(0)) + weighted
    for (end, rank), total in sums.items():
        best[end, "sum"] = max(best.get((end, "sum"), (total, rank)), (total, rank))
    return sorted({rank for _, rank in best.values()})


# -- Schedules and degrees -------------------------------------------------------------------------


def _schedules(answer: Schedule) -> Iterator[tuple[str, Any, Any, Any]]:
    task = answer.task
    axes = _axes(task.mesh)
    if axes is None:
        return
    problem = {"network": axes, "i": task.i, "M": task.M, "ports": task.ports}
    found = {"steps": answer.steps.tolist(), "ties": list(answer.ties), "length": answer.length}
    if task.ports == "one":
        yield "schedule", problem, found, {"messages": "one node"}
    for axis, loads in enumerate(task.link_loads()):
        coordinate = int(loads[0].argmax())
        yield "schedule", problem, found, {"link": [coordinate * task.mesh.stride(axis), axis]}


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
    found = {"Q": answer.Q, "time": exact_text(answer.time)}
    yield "degree", problem, found, {"stretches": stretches}
