"""Tables and figures of the main job: before, after, the lower bound, what proves the optimum.

For every program: a summary with one row a communication, the mappings for all communications
together with one row an objective, and the loads of every dimension; where placements are searched
for, one row an objective, and the table of each. For all programs: records with the whole answer,
one for each communication and mapping. Figures are channel loads before and after a mapping.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.network import ChannelLoads
from lccmodel.placement.placement_result import Placement
from lccmodel.placement.search.questions import Solution
from lccmodel.show.drawing import CountedIn, counted_in, draw_before_after
from lccmodel.show.latex import label
from lccmodel.show.numbers import proof_word
from lccmodel.show.phase_loads import objective_texts, placed_loads, shown_together
from lccmodel.show.placement_tables import (
    about_phase,
    degree_legend,
    kind_of,
    load_of,
    name_of,
    placement_table,
)
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table, keyed_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def _proof_notes(answers: Sequence[Placement]) -> list[str]:
    used = {proof_word(answer.proof) for answer in answers}
    return [meaning for word, meaning in _MEANINGS.items() if word in used]


_PROOF = named("proof", "proof", form=proof_word)


def program_tables(solution: Solution) -> tuple[Table, ...]:
    """All tables of one program, for people."""
    if not solution.ranked:
        return (_placed_table(solution), *map(placement_table, solution.together))
    return (*main_tables(solution), before_after_table(solution))


def main_tables(solution: Solution) -> tuple[Table, ...]:
    """What was found for one program, without the load of every dimension."""
    if not solution.ranked:
        return (_placed_table(solution),)
    together = (together_table(solution),) if solution.together else ()
    return (summary_table(solution), *together)


def _placed_table(solution: Solution) -> Table:
    """The best placement found for every objective."""
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
        for p in solution.together
    ]
    legend = [_OBJECTIVES[p.objective] for p in solution.together]
    legend.append("joint: the busiest channel with all messages at once; volumes count.")
    title = f"{solution.path} on {solution.problem.network.spec}: placements"
    return keyed_table(title, records, legend=legend, notes=solution.notes)


def summary_table(solution: Solution) -> Table:
    """Degrees of every communication without a mapping, alone (M-S) and together (M-G)."""
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
        Quantity(f"degree_{answer.objective}", f"M-G\n{answer.objective}")
        for answer in solution.together
    ]
    records = []
    for k, (phase, m) in enumerate(zip(solution.problem.program, solution.alone, strict=True)):
        record: dict[str, Any] = {
            "communication": name_of(phase, k),
            "degree_before": _degree(m, 0, "before"),
            "degree_alone": _degree(m, 0, "after"),
            "lower_bound": m.lower_bound,
            "proof": m.proof,
            "order": m.order,
        }
        for placement in solution.linear[k : k + 1]:
            record["degree_linear"] = _degree(placement, 0, "after")
        for placement in solution.together:
            record[f"degree_{placement.objective}"] = _degree(placement, k, "after")
        records.append(record)
    load = load_of(solution.problem.program, solution.problem.network)
    legend = [f"before: {load} on the busiest channel, without a mapping."]
    legend += ["M-S: with the best order for the communication alone."]
    legend += ["linear: with the best of all linear mappings."] if solution.linear else []
    legend += ["M-G: with one order for all together."] if solution.together else []
    legend += _proof_notes(solution.alone)
    title = f"{solution.path} on {solution.problem.network.spec}"
    return Table(title, columns, records, (), legend, notes=solution.notes)


def together_table(solution: Solution) -> Table:
    """The mapping for all communications together, for every objective."""
    records = [
        {
            "objective": answer.objective,
            "value_before": answer.value_before,
            "value_after": answer.value_after,
            "lower_bound": answer.lower_bound,
            "proof": answer.proof,
            "optimal_orders": answer.optimal_orders,
            "order": answer.order,
        }
        for answer in solution.together
    ]
    legend = [_OBJECTIVES[answer.objective] for answer in solution.together]
    if any(w != 1 for w in solution.together[0].weights):
        legend.append("The objectives count loads with the weights of the communications.")
    title = f"{solution.title}: all communications together (M-G)"
    legend += _proof_notes(solution.together)
    heads = {"proof": _PROOF, "order": "M-G order"}
    return keyed_table(title, records, (), heads, legend, notes=solution.notes)


def before_after_table(solution: Solution) -> Table:
    """The largest load of every dimension, before and after."""
    columns: list[Column] = ["communication", "kind", "rank", "weight"]
    columns += [named("optimal_orders", "optimal orders, M-S"), "loads_before", "loads_alone"]
    for answer in solution.together:
        name = f"M-G {answer.objective}"
        key = f"loads_{answer.objective}"
        columns.append(Quantity(key, f"T, {name}", latex=f"$T_i$, {name}"))
    columns += ["loads_linear", "linear"] if solution.linear else []
    records = []
    for k, (phase, alone) in enumerate(zip(solution.problem.program, solution.alone, strict=True)):
        record: dict[str, Any] = about_phase(phase, k) | {
            "weight": as_number(as_fraction(phase.weight)),
            "optimal_orders": alone.optimal_orders,
            "loads_before": _loads(alone, 0, "before"),
            "loads_alone": _loads(alone, 0, "after"),
        }
        for answer in solution.together:
            key = f"loads_{answer.objective}"
            record[key] = _loads(answer, k, "after")
        for answer in solution.linear[k : k + 1]:
            record["loads_linear"] = _loads(answer, 0, "after")
            record["linear"] = format_equations(LCC(answer.Q)) if answer.Q else None
        records.append(record)
    title = f"{solution.title}: loads of the dimensions"
    legend = [degree_legend(solution.problem.program, solution.problem.network)]
    return Table(title, columns, records, (), legend, notes=solution.notes)


def _degree(placement: Placement, k: int, when: str) -> Number:
    return max(_loads(placement, k, when), default=0)


def _loads(placement: Placement, k: int, when: str) -> tuple[Number, ...]:
    return (placement.before if when == "before" else placement.after)[k].per_dimension


# -- records --------------------------------------------------------------------------------


def records_table(solutions: Iterable[Solution], notes: Sequence[str] = ()) -> Table:
    """Every answer for every communication, as data; all records end with some more notes."""
    records = [record for solution in solutions for record in _records(solution)]
    for record in records:
        record["notes"] += notes
    return Table("Mappings", list(records[0]) if records else ["communication"], records)


def _records(solution: Solution) -> Iterator[dict[str, Any]]:
    if not solution.ranked:
        for placement in solution.together:
            for k in range(len(solution.problem.program)):
                yield _record(solution, "placement", placement, k, k)
        return
    for k in range(len(solution.problem.program)):
        yield _record(solution, "alone", solution.alone[k], k, 0)
        for placement in solution.linear[k : k + 1]:
            yield _record(solution, "linear", placement, k, 0)
        for placement in solution.together:
            yield _record(solution, "together", placement, k, k)


def _record(solution: Solution, kind: str, m: Placement, k: int, member: int) -> dict[str, Any]:
    phase = solution.problem.program[k]
    return {
        "program": solution.name,
        "file": solution.path,
        "network": m.network.spec,
        "mapping": kind,
        "objective": m.objective,
        "communication": name_of(phase, k),
        "kind": kind_of(phase),
        "n": phase.traffic.n,
        "rank": None if phase.lcc is None else phase.lcc.rank,
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
        "optimal_orders": m.optimal_orders,
        "order": m.order,
        "Q": None if m.Q is None else m.Q.tolist(),
        "node_of": None if m.Q is not None else m.node_of.tolist(),
        "read_as": m.read_as,
        "notes": list(m.notes),
    }


# -- figures ------------------------------------------------------------------------------------


_MAX_DRAWN = 16
"""Largest n whose channel loads a report draws: 2^20 counters in a figure."""


@dataclass(frozen=True)
class Drawing:
    """The loads before and after a placement, not drawn yet.

    Attributes: `name`, for its files; `caption`; `titles` and `values`, above the two; `subject`,
    what is sent or what the channels show; `before` and `after`; `counted`, the unit of loads.
    """

    name: str
    caption: str
    titles: tuple[str, str]
    values: tuple[str, str]
    subject: str
    before: ChannelLoads
    after: ChannelLoads
    counted: CountedIn = "messages"

    @classmethod
    def of(
        cls, p: Placement, name: str, caption: str, titles: tuple[str, str], subject: str = ""
    ) -> Drawing:
        """The drawing of a placement: its title has the objective and value of its table."""
        before, after = placed_loads(p)
        subject = subject or shown_together(p)
        counted = counted_in(phase.traffic for phase in p.program)
        return cls(name, caption, titles, objective_texts(p), subject, before, after, counted)

    def draw(self) -> Figure:
        """The figure."""
        return draw_before_after(
            self.before.network,
            self.before,
            self.after,
            titles=self.titles,
            values=self.values,
            name=self.subject,
            counted=self.counted,
        )


def drawings(solution: Solution) -> Iterator[Drawing]:
    """What is worth a figure: each communication that a mapping improves, and all together.

    A single communication is drawn in any case. Of the mappings for all together the one for
    "max-sum" is shown if there is one, else the first; the title has its objective and value.
    """
    if not solution.ranked:
        yield from _placed(solution)
        return
    problem = solution.problem
    if problem.network.n > _MAX_DRAWN:
        return
    together = solution.together
    if together:
        at_once = [answer for answer in together if answer.objective == "max-sum"]
        m = (at_once or together)[0]
        caption = f"All communications together, before and after M-G ({m.objective})"
        yield Drawing.of(m, "together", caption, ("before", "M-G"))
    taken = {"together"}
    for k, phase in enumerate(problem.program):
        best, kind = solution.alone[k], "M-S"
        for answer in solution.linear[k : k + 1]:
            if answer.value_after < best.value_after:
                best, kind = answer, "linear"
        if together and best.value_after == best.value_before:
            continue
        name = _free_name(label(phase.name), taken)
        taken.add(name)
        caption = f"{phase.name}, before and after {kind}"
        yield Drawing.of(best, name, caption, ("before", kind), phase.name)


def _placed(solution: Solution) -> Iterator[Drawing]:
    """All phases together, before and after the placement for "max-sum" if there is one."""
    if solution.problem.network.size > 1 << _MAX_DRAWN:
        return
    best = {p.objective: p for p in solution.together}
    placement = best.get("max-sum", solution.together[0])
    caption = f"All messages, before and after the placement ({placement.objective})"
    yield Drawing.of(placement, "together", caption, ("before", "placed"))


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken: names may differ in characters that files do not keep."""
    numbered = (f"{name}-{k}" for k in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)


def draw_placed(p: Placement) -> Figure:
    """The loads of a placement, before (now, or rank r on node r) and as placed."""
    titles = ("before", "after") if p.now_nodes is None else ("now", "placed")
    return Drawing.of(p, "", "", titles).draw()
