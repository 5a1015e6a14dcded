"""Why a mapping or an order is the best, as `cubes` checks it: witnesses of ranks, families.

A rank r of an m by k matrix M is shown by L M R = I: L picks r independent rows, and R is the
inverse of what r columns leave of them, put into those columns. A = U W, where W holds a basis of
A's rows, shows that a rank is not higher.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lccmodel.certificates.asking import digits_of, exact_text, lines_of, sent_text
from lccmodel.ground.numbers import as_fraction

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.gf2.matrix import GF2Matrix
    from lccmodel.placement.search import Placement

_MAX_SETS = 1 << 14
"""Most sets of bits that a certificate lists."""


def mapping_proofs(answer: Placement) -> Iterator[tuple[str, Any, Any, Any]]:
    """(kind, problem, answer, proof) of a mapping, best first."""
    network = answer.network.spec
    members = answer.communications
    if len(members) == 1 and answer.objective == "max-max":
        yield _by_ranks(answer, members[0], network)
    if answer.order is not None:
        sent = [
            sent_text(c) | {"weight": exact_text(w)}
            for c, w in zip(members, answer.priced, strict=True)
        ]
        problem = {"network": network, "objective": answer.objective, "communications": sent}
        stated = {"order": list(answer.order), "value": exact_text(answer.value_after)}
        families = _families(answer)
        if families is not None:
            yield "orders", problem, stated, {"from": families}


def _by_ranks(answer: Placement, sent: LCC, network: str) -> tuple[str, Any, Any, Any]:
    inside = int(network.startswith("origin"))
    n, degree = sent.n, max(answer.after[0].messages, default=0)
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
    stated: dict[str, Any] = {"degree": degree}
    if answer.order is not None:
        stated["order"] = list(answer.order)
    elif answer.Q is not None:
        stated |= {"Q": lines_of(answer.Q), "inverse": lines_of(answer.Q.inverse())}
    return "linear", {"network": network, **sent_text(sent)}, stated, proof


def _witness(minor: GF2Matrix, exponent: int) -> dict[str, list[str]]:
    """L and R with L M R = I, of as many rows as are needed."""
    columns = minor.n_columns
    needed = max(0, columns - exponent)
    rows = _independent(minor)[:needed]
    across = _independent(minor.submatrix(rows, range(columns)).T)
    square = minor.submatrix(rows, across)
    inverse = square.inverse().rows if rows else ()
    right = [0] * columns
    for k, column in enumerate(across):
        right[column] = inverse[k]
    left = [digits_of(1 << row, minor.n_rows) for row in rows]
    return {"left": left, "right": [digits_of(row, len(rows)) for row in right]}


def _independent(matrix: GF2Matrix) -> list[int]:
    """Which rows are not sums of earlier ones."""
    from lccmodel.gf2.elimination import reduced_rows

    return reduced_rows(matrix.columns, matrix.n_rows)[1]


def _factors(A: GF2Matrix, r: int) -> list[list[str]]:
    """U and W with A = U W: a basis of A's rows, and how every row is a sum of them."""
    from lccmodel.gf2.matrix import GF2Matrix

    kept = _independent(A)[:r]
    basis = GF2Matrix.from_rows([A.rows[k] for k in kept], A.n_columns)
    sums = [basis.T.solve(row) or 0 for row in A.rows]
    more = [0] * (r - len(kept))
    return [
        [digits_of(s, r) for s in sums],
        [digits_of(row, A.n_columns) for row in (*basis.rows, *more)],
    ]


def _displaced(c: LCC) -> list[str]:
    """Two x with displacements A x + x + b that differ and are not 0."""
    first_of: dict[int, int] = {}
    for x in (0, *(1 << i for i in range(c.n)), *(3 << i for i in range(c.n - 1))):
        d = c.A.apply(x) ^ x ^ int(c.b)
        if d:
            first_of.setdefault(d, x)
    return [digits_of(x, c.n) for x in list(first_of.values())[:2]]


def _families(answer: Placement) -> list[list[Any]] | None:
    """For every choice of the bit in the router: what steps below the answer reach, or heights."""
    from lccmodel.lattice.lattice import CorrectionLattice

    n, bristled = answer.communications[0].n, answer.network.spec.startswith("origin")
    starts: list[tuple[int, ...]] = [(z,) for z in range(n)] if bristled else [()]
    if n > 14:
        return None
    value, adds = as_fraction(answer.value_after), answer.objective == "sum-sum"
    weights = [as_fraction(w) for w in answer.priced]
    families: list[list[Any]] = []
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
        families.append(family)
    return families


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
    return [exact_text(least.get(S, Fraction(0))) for S in range(1 << n)]
