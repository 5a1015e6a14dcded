"""Certificates of answers: the problem, the answer and a proof that `checker` follows.

A rank r of an m by k matrix M is shown by L M R = I: L picks r independent rows, and R is the
inverse of what r columns leave of them, put into those columns. A = U W, where U holds a basis of
A's columns, shows that a rank is not higher. Nothing is certified that the checker would refuse:
an answer whose optimality rests on a search gets none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lccmodel.certificates.checker import FORMAT, Refused, certificate_digest, check
from lccmodel.errors import InputError

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.gf2.matrix import GF2Matrix
    from lccmodel.methods.placement import Placement
    from lccmodel.network import Network
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.schedules import Schedule

__all__ = ["certificate_of"]

_MAX_SETS = 1 << 14
"""Most sets of bits that a certificate lists."""


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
        return _first(answer, _mappings(answer), "a mapping that a rank, or 2^14 sets, prove best")
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


def _text(number: Any) -> int | str:
    value = Fraction(number)
    return int(value) if value.denominator == 1 else str(value)


# -- Mappings --------------------------------------------------------------------------------------


def _mappings(answer: Placement) -> Iterator[tuple[str, Any, Any, Any]]:
    network = answer.network.spec
    members = answer.communications
    plain = set(answer.weights) == {1} or len(members) == 1
    if len(members) == 1 and answer.objective == "max-max" and plain:
        yield _by_ranks(answer, members[0], network)
    if answer.order is not None:
        sent = [
            _sent(c) | {"weight": _text(w)} for c, w in zip(members, answer.weights, strict=True)
        ]
        problem = {"network": network, "objective": answer.objective, "communications": sent}
        found = {"order": list(answer.order), "value": _text(answer.value_after)}
        families = _families(answer)
        if families is not None:
            yield "orders", problem, found, {"from": families}


def _by_ranks(answer: Placement, sent: LCC, network: str) -> tuple[str, Any, Any, Any]:
    inside = int(network.startswith("origin"))
    n, degree = sent.n, answer.after.degree
    mapped = answer.mapped[0]
    exponent = max(degree.bit_length() - 1, 0)
    steps: list[Any] = []
    for i in range(inside, n):
        if not mapped.moves(i):
            steps.append(None)
            continue
        done = range(i + 1, n) if mapped.kind == "scatter" else range(i)
        rows = sorted({*done, i} - set(range(inside)))
        columns = sorted({*done, *range(inside)} - {i})
        steps.append(_witness(mapped.A.submatrix(rows, columns), exponent))
    proof: dict[str, Any] = {"steps": steps}
    if exponent:
        proof["factors"] = _factors(sent.A, n - 1 - exponent)
    elif inside and degree:
        proof["displaced"] = _displaced(sent)
    found: dict[str, Any] = {"degree": degree}
    if answer.order is not None:
        found["order"] = list(answer.order)
    elif answer.Q is not None:
        found |= {"Q": _lines(answer.Q), "inverse": _lines(answer.Q.inverse())}
    return "linear", {"network": network, **_sent(sent)}, found, proof


def _sent(c: LCC) -> dict[str, Any]:
    return {
        "sends": "scatter" if c.kind == "scatter" else "gather",
        "A": _lines(c.A),
        "b": _digits(int(c.b), c.n),
    }


def _digits(x: int, n: int) -> str:
    return "".join(str(x >> j & 1) for j in range(n))


def _lines(matrix: GF2Matrix) -> list[str]:
    return [_digits(row, matrix.n_columns) for row in matrix.rows]


def _witness(minor: GF2Matrix, exponent: int) -> dict[str, list[str]]:
    """L and R with L M R = I, of as many rows as are needed."""
    from lccmodel.gf2.matrix import GF2Matrix

    columns = minor.n_columns
    needed = max(0, columns - exponent)
    rows = _independent(minor.rows)[:needed]
    across = _independent(minor.submatrix(rows, range(columns)).columns)
    square = minor.submatrix(rows, across)
    inverse = square.inverse() if rows else GF2Matrix.zeros(0, 0)
    right = [0] * columns
    for k, column in enumerate(across):
        right[column] = inverse.rows[k]
    left = [_digits(1 << row, minor.n_rows) for row in rows]
    return {"left": left, "right": [_digits(row, len(rows)) for row in right]}


def _independent(vectors: Sequence[int]) -> list[int]:
    """Which vectors are not sums of earlier ones."""
    found: list[int] = []
    basis: list[int] = []
    for k, vector in enumerate(vectors):
        for kept in basis:
            vector = min(vector, vector ^ kept)
        if vector:
            basis.append(vector)
            found.append(k)
    return found


def _factors(A: GF2Matrix, r: int) -> list[list[str]]:
    """U and W with A = U W: a basis of A's rows, and how every row is a sum of them."""
    from lccmodel.gf2.matrix import GF2Matrix

    kept = _independent(A.rows)[:r]
    basis = GF2Matrix.from_rows([A.rows[k] for k in kept], A.n_columns)
    sums = [basis.T.solve(row) or 0 for row in A.rows]
    more = [0] * (r - len(kept))
    return [
        [_digits(s, r) for s in sums],
        [_digits(row, A.n_columns) for row in (*basis.rows, *more)],
    ]


def _displaced(c: LCC) -> list[str]:
    """Two x with displacements A x + x + b that differ and are not 0."""
    found: dict[int, int] = {}
    for x in (0, *(1 << i for i in range(c.n)), *(3 << i for i in range(c.n - 1))):
        d = c.A.apply(x) ^ x ^ int(c.b)
        if d:
            found.setdefault(d, x)
    return [_digits(x, c.n) for x in list(found.values())[:2]]


def _families(answer: Placement) -> list[list[Any]] | None:
    """For every choice of the bit in the router: what steps below the answer reach, or heights."""
    from lccmodel.lattice.lattice import CorrectionLattice

    n, bristled = answer.communications[0].n, answer.network.spec.startswith("origin")
    starts: list[tuple[int, ...]] = [(z,) for z in range(n)] if bristled else [()]
    if n > 14:
        return None
    value, adds = Fraction(answer.value_after), answer.objective == "sum-sum"
    weights = [Fraction(w) for w in answer.weights]
    found: list[list[Any]] = []
    for inner in starts:
        lattices = [CorrectionLattice(c, internal=inner) for c in answer.communications]

        def price(S: int, j: int, lattices: Any = lattices, inner: Any = inner) -> Fraction:
            done = [k for k in range(n) if S >> k & 1 and k not in inner]
            loads = [
                w * lattice.load(done, j) for w, lattice in zip(weights, lattices, strict=True)
            ]
            return max(loads) if answer.objective == "max-max" else sum(loads, Fraction(0))

        start = sum(1 << z for z in inner)
        family = _heights(start, n, price) if adds else _reached(start, n, value, price)
        if family is None:
            return None
        found.append(family)
    return found


def _reached(start: int, n: int, value: Fraction, price: Any) -> list[int] | None:
    seen, waiting = {start}, [start]
    while waiting and value:
        S = waiting.pop()
        for j in range(n):
            after = S | 1 << j
            if after != S and after not in seen and price(S, j) < value:
                seen.add(after)
                waiting.append(after)
        if len(seen) > _MAX_SETS:
            return None
    return sorted(seen)


def _heights(start: int, n: int, price: Any) -> list[Any] | None:
    if n > 10:
        return None
    least = {start: Fraction(0)}
    for S in range(start, 1 << n):
        for j in range(n):
            if S in least and not S >> j & 1:
                after, cost = S | 1 << j, least[S] + price(S, j)
                least[after] = min(least.get(after, cost), cost)
    return [_text(least.get(S, Fraction(0))) for S in range(1 << n)]


# -- Placements ------------------------------------------------------------------------------------


def _axes(network: Network) -> dict[str, Any] | None:
    """Sides, rings and the bandwidth of all channels; None for other networks."""
    from lccmodel.network import Hypercube, Mesh

    if len(set(network.bandwidths)) > 1:
        return None
    width = {"bandwidth": _text(network.bandwidths[0] if network.bandwidths else 1)}
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
    if axes is None or not (joint or answer.objective == "max-max" or len(phases) == 1):
        return
    listed = [
        {
            "weight": _text(phase.weight),
            "messages": [
                [int(s), int(d), _text(v)]
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
    found = {"node_of": answer.node_of.tolist(), "value": _text(answer.after.value)}
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
        [None if up is None else _text(up), _text(alpha), _text(tau)]
        for up, alpha, tau in machine.cost.pieces
    ]
    problem = {
        "network": machine.mesh.spec,
        "ports": machine.ports,
        "model": answer.model,
        "d": table.d,
        "N": N,
        "steps": {"shallow": list(table.shallow[1:]), "A": table.A, "B": table.B},
        "barrier": _text(machine.barrier),
        "pieces": pieces,
    }
    times = answer.evidence.times
    stretches = []
    for stretch in answer._solver.stretches(N):
        (least,) = [Q for Q in times if stretch.first <= Q <= stretch.last]
        stretches.append([stretch.first, stretch.last, least])
    found = {"Q": answer.Q, "time": _text(answer.time)}
    yield "degree", problem, found, {"stretches": stretches}
