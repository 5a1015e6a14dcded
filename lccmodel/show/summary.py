"""The tables of the main job: before, after, the lower bound and what proves the optimum.

For every program: a summary with one row a communication, the mappings for all communications
together with one row an objective, and the loads of every dimension; where placements are searched
for, one row an objective, and the table of each. For all programs: records with the whole answer,
one for each communication and mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.volumes import as_fraction, as_number
from lccmodel.methods.mapping import Mapping
from lccmodel.methods.placement import Placement
from lccmodel.show.answers import DEGREE_NOTE, members_of
from lccmodel.show.cells import proof_word
from lccmodel.show.placements import placement_table
from lccmodel.show.program import Answer, LccProgram, Placed, Solution, TrafficProgram
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table

__all__ = ["main_tables", "program_tables", "records_table"]

_MEANINGS = {
    "bound": "bound: proved by the lower bound, which is met.",
    "free": "free: proved by itself, since no channel carries two messages.",
    "search": "search: proved by a search through all orders.",
    "none": "none: not proved; better orders may exist.",
}


_OBJECTIVES = {
    "max-max": "max-max: the busiest channel, the communications one at a time.",
    "max-sum": "max-sum: the busiest dimension, all communications at the same time.",
    "sum-sum": "sum-sum: the busiest channels of all dimensions, added up.",
}


def _proof_notes(answers: Sequence[Answer]) -> list[str]:
    used = {proof_word(answer.mapping.proof) for answer in answers}
    return [meaning for word, meaning in _MEANINGS.items() if word in used]


_PROOF = named("proof", "proof", form=proof_word)


def program_tables(solution: Solution | Placed) -> tuple[Table, ...]:
    """All tables of one program, for people."""
    if isinstance(solution, Placed):
        notes = solution.program.sent.notes
        each = (placement_table(p, notes) for p in solution.placements)
        return (_placed_table(solution), *each)
    return (*main_tables(solution), before_after_table(solution))


def main_tables(solution: Solution | Placed) -> tuple[Table, ...]:
    """What was found for one program, without the load of every dimension."""
    if isinstance(solution, Placed):
        return (_placed_table(solution),)
    together = (together_table(solution),) if solution.together else ()
    return (summary_table(solution), *together)


def _placed_table(solution: Placed) -> Table:
    """The best placement found for every objective."""
    keys = ["value_before", "value_after", "joint_before", "joint_after", "lower_bound", "verdict"]
    records = [
        {
            "objective": p.objective,
            "value_before": p.before.value,
            "value_after": p.after.value,
            "joint_before": p.before.joint,
            "joint_after": p.after.joint,
            "lower_bound": p.lower_bound,
            "verdict": p.verdict,
        }
        for p in solution.placements
    ]
    notes = [_OBJECTIVES[p.objective] for p in solution.placements]
    notes.append("joint: the busiest channel with all messages at once; volumes count.")
    title = f"{solution.program.path} on {solution.program.network.spec}: placements"
    return Table(title, ["objective", *keys], records, notes=notes)


def summary_table(solution: Solution) -> Table:
    """Degrees of every communication without a mapping, alone (M-S) and together (M-G)."""
    program = solution.program
    columns: list[Column] = [
        "communication",
        named("degree_before", "before"),
        "degree_alone",
        named("lower_bound", "bound"),
        _PROOF,
        named("order", "M-S order"),
    ]
    columns += ["degree_linear"] if solution.linear else []
    columns += [
        Quantity(f"degree_{answer.mapping.objective}", f"M-G\n{answer.mapping.objective}")
        for answer in solution.together
    ]
    records = []
    for k, (one, answer) in enumerate(zip(program.communications, solution.alone, strict=True)):
        m = answer.mapping
        record: dict[str, Any] = {
            "communication": one.name,
            "degree_before": _degree(m, 0, "before"),
            "degree_alone": _degree(m, 0, "after"),
            "lower_bound": m.lower_bound,
            "proof": m.proof,
            "order": m.order,
        }
        for each in solution.linear[k : k + 1]:
            record["degree_linear"] = _degree(each.mapping, 0, "after")
        for each in solution.together:
            record[f"degree_{each.mapping.objective}"] = _degree(each.mapping, k, "after")
        records.append(record)
    notes = ["before: messages on the busiest channel, without a mapping."]
    notes += ["M-S: with the best order for the communication alone."]
    notes += ["linear: with the best of all linear mappings."] if solution.linear else []
    notes += ["M-G: with one order for all together."] if solution.together else []
    notes += _proof_notes(solution.alone)
    notes += [solution.skipped] if solution.skipped else []
    return Table(f"{program.path} on {program.network.spec}", columns, records, notes=notes)


def together_table(solution: Solution) -> Table:
    """The mapping for all communications together, for every objective."""
    columns: list[Column] = [
        "objective",
        "value_before",
        "value_after",
        "lower_bound",
        _PROOF,
        "optimal_orders",
        named("order", "M-G order"),
    ]
    records = [
        {
            "objective": answer.mapping.objective,
            "value_before": answer.mapping.value_before,
            "value_after": answer.mapping.value_after,
            "lower_bound": answer.mapping.lower_bound,
            "proof": answer.mapping.proof,
            "optimal_orders": answer.orders,
            "order": answer.mapping.order,
        }
        for answer in solution.together
    ]
    notes = [_OBJECTIVES[answer.mapping.objective] for answer in solution.together]
    if _is_weighted(solution.program):
        notes.append("The objectives count loads with the weights of the communications.")
    title = f"{solution.program.title}: all communications together (M-G)"
    return Table(title, columns, records, notes=[*notes, *_proof_notes(solution.together)])


def before_after_table(solution: Solution) -> Table:
    """The largest load of every dimension, before and after."""
    columns: list[Column] = ["communication", "kind", "rank", "weight"]
    columns += [named("optimal_orders", "optimal orders, M-S"), "loads_before", "loads_alone"]
    for answer in solution.together:
        name = f"M-G {answer.mapping.objective}"
        key = f"loads_{answer.mapping.objective}"
        columns.append(Quantity(key, f"T, {name}", latex=f"$T_i$, {name}"))
    columns += ["loads_linear", "linear"] if solution.linear else []
    records = []
    for k, one in enumerate(solution.program.communications):
        alone, c = solution.alone[k].mapping, one.communication
        record: dict[str, Any] = {
            "communication": one.name,
            "kind": c.kind,
            "rank": c.rank,
            "weight": as_number(as_fraction(one.weight)),
            "optimal_orders": solution.alone[k].orders,
            "loads_before": _loads(alone, 0, "before"),
            "loads_alone": _loads(alone, 0, "after"),
        }
        for answer in solution.together:
            key = f"loads_{answer.mapping.objective}"
            record[key] = _loads(answer.mapping, k, "after")
        for answer in solution.linear[k : k + 1]:
            record["loads_linear"] = _loads(answer.mapping, 0, "after")
            record["linear"] = format_equations(LCC(answer.mapping.Q))
        records.append(record)
    title = f"{solution.program.title}: loads of the dimensions"
    return Table(title, columns, records, notes=[DEGREE_NOTE])


def _is_weighted(program: LccProgram) -> bool:
    return len(program.communications) > 1 and any(weight != 1 for weight in program.weights)


def _degree(mapping: Mapping, k: int, when: str) -> int:
    return max(_loads(mapping, k, when), default=0)


def _loads(mapping: Mapping, k: int, when: str) -> tuple[int, ...]:
    state = mapping.before if when == "before" else mapping.after
    return members_of(state)[k].per_dimension


# -- records --------------------------------------------------------------------------------


def records_table(solutions: Iterable[Solution | Placed]) -> Table:
    """Every answer for every communication, as data."""
    records = [record for solution in solutions for record in _records(solution)]
    return Table("Mappings", list(records[0]) if records else ["communication"], records)


def _records(solution: Solution | Placed) -> Iterator[dict[str, Any]]:
    if isinstance(solution, Placed):
        for p in solution.placements:
            yield from _placed_records(solution.program, p)
        return
    for k in range(len(solution.program.communications)):
        yield _record(solution.program, "alone", solution.alone[k], k, 0)
        for answer in solution.linear[k : k + 1]:
            yield _record(solution.program, "linear", answer, k, 0)
        for answer in solution.together:
            yield _record(solution.program, "together", answer, k, k)


def _record(program: LccProgram, kind: str, answer: Answer, k: int, member: int) -> dict[str, Any]:
    one, m = program.communications[k], answer.mapping
    c = one.communication
    return {
        "program": program.name,
        "file": program.path,
        "network": program.network.spec,
        "mapping": kind,
        "objective": m.objective,
        "communication": one.name,
        "kind": c.kind,
        "n": c.n,
        "rank": c.rank,
        "weight": m.weights[member],
        "loads_before": _loads(m, member, "before"),
        "degree_before": _degree(m, member, "before"),
        "loads_after": _loads(m, member, "after"),
        "degree_after": _degree(m, member, "after"),
        "value_before": m.value_before,
        "value_after": m.value_after,
        "lower_bound": m.lower_bound,
        "optimal": m.optimal,
        "proof": m.proof,
        "optimal_orders": answer.orders,
        "order": m.order,
        "Q": m.Q.tolist(),
        "node_of": None,
    }


def _placed_records(program: TrafficProgram, p: Placement) -> Iterator[dict[str, Any]]:
    loads = zip(p.program, p.before.per_dimension, p.after.per_dimension, strict=True)
    for k, (phase, before, after) in enumerate(loads):
        yield {
            "program": program.name,
            "file": program.path,
            "network": program.network.spec,
            "mapping": "placement",
            "objective": p.objective,
            "communication": phase.name or f"phase {k}",
            "kind": "traffic" if phase.lcc is None else phase.lcc.kind,
            "n": phase.traffic.n,
            "rank": None if phase.lcc is None else phase.lcc.rank,
            "weight": phase.weight,
            "loads_before": before,
            "degree_before": max(before, default=0),
            "loads_after": after,
            "degree_after": max(after, default=0),
            "value_before": p.before.value,
            "value_after": p.after.value,
            "lower_bound": p.lower_bound,
            "optimal": p.optimal,
            "proof": p.proof,
            "optimal_orders": None,
            "order": p.order,
            "Q": None,
            "node_of": p.node_of.tolist(),
        }
