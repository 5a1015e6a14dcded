"""The tables of the main job: before, after, the lower bound and what proves the optimum.

For every program: a summary with one row a communication, the mappings for all communications
together with one row an objective, and the loads of every dimension. For all programs: records
with the whole answer, one for each communication and mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.methods.mapping import Mapping
from lccmodel.show import columns as col
from lccmodel.show.answers import members_of
from lccmodel.show.program import Answer, Program, Solution, exact_weight
from lccmodel.show.tables import Cell, Column, Table, grouped

__all__ = ["loads_table", "program_tables", "records_table", "summary_table", "together_table"]

_PROOFS = {
    "meets the lower bound": "bound",
    "is free of contention": "free",
    "a full search": "search",
    "the subset programme": "search",
}
_MEANINGS = {
    "bound": "bound: proved by the lower bound, which is met.",
    "free": "free: proved by itself, since no channel carries two messages.",
    "search": "search: proved by a search through all orders.",
    "none": "none: not proved; better orders may exist.",
}


def _proof_word(cell: Cell) -> str:
    """What proves an optimum, in one word that a note explains."""
    words = [word for start, word in _PROOFS.items() if str(cell or "").startswith(start)]
    return words[0] if words else "none"


def _proof_notes(answers: Sequence[Answer]) -> list[str]:
    used = {_proof_word(answer.mapping.proof) for answer in answers}
    return [meaning for word, meaning in _MEANINGS.items() if word in used]


_PROOF = Column("proof", "proof", text=_proof_word)


def program_tables(solution: Solution) -> tuple[Table, ...]:
    """All tables of one program, for people."""
    together = (together_table(solution),) if solution.together else ()
    return (summary_table(solution), *together, loads_table(solution))


def summary_table(solution: Solution) -> Table:
    """Degrees of every communication without a mapping, alone (M-S) and together (M-G)."""
    program = solution.program
    columns = [
        col.COMMUNICATION,
        Column("degree_before", "before", right=True),
        Column("degree_alone", "M-S", right=True),
        Column("lower_bound", "bound", right=True),
        _PROOF,
        Column("order", "M-S order"),
    ]
    columns += [Column("degree_linear", "linear", right=True)] if solution.linear else []
    columns += [
        Column(f"degree_{answer.mapping.objective}", f"M-G\n{answer.mapping.objective}", right=True)
        for answer in solution.together
    ]
    rows = []
    for k, (one, answer) in enumerate(zip(program.communications, solution.alone, strict=True)):
        m = answer.mapping
        row: list[Any] = [one.name, _degree(m, 0, "before"), _degree(m, 0, "after")]
        row += [m.lower_bound, m.proof, m.order]
        row += [_degree(a.mapping, 0, "after") for a in solution.linear[k : k + 1]]
        row += [_degree(a.mapping, k, "after") for a in solution.together]
        rows.append(row)
    notes = ["before: messages on the busiest channel, without a mapping."]
    notes += ["M-S: with the best order for the communication alone."]
    notes += ["linear: with the best of all linear mappings."] if solution.linear else []
    notes += ["M-G: with one order for all together."] if solution.together else []
    notes += _proof_notes(solution.alone)
    notes += [solution.skipped] if solution.skipped else []
    return Table(f"{program.path} on {program.network.spec}", columns, rows, notes=notes)


def together_table(solution: Solution) -> Table:
    """The mapping for all communications together, for every objective."""
    columns = [
        col.OBJECTIVE_NAME,
        col.VALUE_BEFORE,
        col.VALUE_AFTER,
        col.BOUND,
        _PROOF,
        col.ORDERS,
        Column("order", "M-G order"),
    ]
    rows = []
    for answer in solution.together:
        m = answer.mapping
        change = (m.value_before, m.value_after, m.lower_bound)
        rows.append((m.objective, *change, m.proof, answer.orders, m.order))
    notes = [
        "max-max: the busiest channel, the communications one at a time.",
        "max-sum: the busiest dimension, all communications at the same time.",
        "sum-sum: the busiest channels of all dimensions, added up.",
    ]
    notes = [note for note in notes if note.split(":")[0] in {row[0] for row in rows}]
    if _is_weighted(solution.program):
        notes.append("The objectives count loads with the weights of the communications.")
    title = f"{solution.program.title}: all communications together (M-G)"
    return Table(title, columns, rows, notes=[*notes, *_proof_notes(solution.together)])


def loads_table(solution: Solution) -> Table:
    """The largest load of every dimension, before and after."""
    columns = [col.COMMUNICATION, col.KIND, col.RANK, col.WEIGHT]
    columns += [Column("optimal_orders", "optimal orders, M-S", right=True, text=grouped)]
    columns += [col.BEFORE]
    columns.append(Column("loads_alone", "T, M-S", latex_heading="$T_i$, M-S"))
    for answer in solution.together:
        name = f"M-G {answer.mapping.objective}"
        key = f"loads_{answer.mapping.objective}"
        columns.append(Column(key, f"T, {name}", latex_heading=f"$T_i$, {name}"))
    if solution.linear:
        columns.append(Column("loads_linear", "T, linear", latex_heading="$T_i$, linear"))
        columns.append(Column("linear", "y = Qx", latex=col.EQUATIONS.latex))
    rows = []
    for k, one in enumerate(solution.program.communications):
        alone, c = solution.alone[k].mapping, one.communication
        row: list[Any] = [one.name, c.kind, c.rank, exact_weight(one.weight)]
        row += [solution.alone[k].orders, _loads(alone, 0, "before"), _loads(alone, 0, "after")]
        row += [_loads(answer.mapping, k, "after") for answer in solution.together]
        for answer in solution.linear[k : k + 1]:
            row += [_loads(answer.mapping, 0, "after"), format_equations(LCC(answer.mapping.Q))]
        rows.append(row)
    title = f"{solution.program.title}: loads of the dimensions"
    return Table(title, columns, rows, notes=[col.DEGREE_NOTE])


def _is_weighted(program: Program) -> bool:
    return len(program.communications) > 1 and any(weight != 1 for weight in program.weights)


def _degree(mapping: Mapping, k: int, when: str) -> int:
    return max(_loads(mapping, k, when), default=0)


def _loads(mapping: Mapping, k: int, when: str) -> tuple[int, ...]:
    state = mapping.before if when == "before" else mapping.after
    return members_of(state)[k].per_dimension


# -- records --------------------------------------------------------------------------------

_RECORD = [
    Column("program", "program"),
    Column("file", "file"),
    col.NETWORK,
    Column("mapping", "mapping"),
    col.OBJECTIVE_NAME,
    col.COMMUNICATION,
    col.KIND,
    col.N,
    col.RANK,
    col.WEIGHT,
    col.BEFORE,
    col.DEGREE_BEFORE,
    col.AFTER,
    col.DEGREE_AFTER,
    col.VALUE_BEFORE,
    col.VALUE_AFTER,
    col.BOUND,
    Column("optimal", "optimal"),
    col.PROOF,
    col.ORDERS,
    col.ORDER,
    Column("Q", "Q"),
]


def records_table(solutions: Iterable[Solution]) -> Table:
    """Every answer for every communication, as data."""
    rows = [row for solution in solutions for row in _records(solution)]
    return Table("Mappings", _RECORD, rows)


def _records(solution: Solution) -> Iterator[Sequence[Any]]:
    for k in range(len(solution.program.communications)):
        yield _record(solution.program, "alone", solution.alone[k], k, 0)
        for answer in solution.linear[k : k + 1]:
            yield _record(solution.program, "linear", answer, k, 0)
        for answer in solution.together:
            yield _record(solution.program, "together", answer, k, k)


def _record(program: Program, kind: str, answer: Answer, k: int, member: int) -> Sequence[Any]:
    one, m = program.communications[k], answer.mapping
    c = one.communication
    return (
        program.name,
        program.path,
        program.network.spec,
        kind,
        m.objective,
        one.name,
        c.kind,
        c.n,
        c.rank,
        m.weights[member],
        _loads(m, member, "before"),
        _degree(m, member, "before"),
        _loads(m, member, "after"),
        _degree(m, member, "after"),
        m.value_before,
        m.value_after,
        m.lower_bound,
        m.optimal,
        m.proof,
        answer.orders,
        m.order,
        m.Q.tolist(),
    )
