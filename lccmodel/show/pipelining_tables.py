"""Tables about the pipelining degree: the best Q and its neighbours, models, ranges, formulas.

    degree_table(best)                the best Q, why it is, and the time of others
    models_table(machine, N)          the best Q of every model, and what it costs to believe it
    sensitivity_table(machine, N)     how far a number may be off before another Q is better

Times are exact in JSON and CSV, and rounded for people. Formulas are in `formula_tables`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from lccmodel.pipelining.cost.steps import MODELS, Model, step_table
from lccmodel.pipelining.degree import OptimalDegree, optimal_degree, time
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.robustness import DegreeInterval
from lccmodel.show.numbers import Cell, with_unit, written
from lccmodel.show.quantities import Fact, Quantity, named, quantity
from lccmodel.show.records import Table, keyed_table

_MEANING: dict[str, str] = {
    "load": "the busiest link alone, as if a node had a port for each link",
    "lower-bound": "the larger of link load and one port: no schedule takes less",
    "paper": "the schedules of the paper",
    "schedule": "this project's schedules, which are replayed without conflict",
}


_MOST_SHOWN = 40
"""Candidates of a cost of several pieces that a table shows."""


def time_heading(word: str, unit: str = "") -> str:
    """What times are called, with their unit if it is known."""
    return with_unit(word, unit)


def available_models(machine: Machine) -> tuple[Model, ...]:
    """The models that the machine has: the paper's schedules are for equal sides and one port.

    >>> available_models(Machine("torus:4x4", 1, 1))
    ('load', 'lower-bound', 'schedule')
    """
    with_paper = machine.ports == "one" and not machine.on_torus and len(set(machine.shape)) == 1
    return tuple(model for model in MODELS if with_paper or model != "paper")


def machine_facts(machine: Machine, unit: str = "") -> list[Fact]:
    """The machine and its times, as facts of a table."""
    return [
        ("network", machine.mesh.spec),
        ("ports", machine.ports),
        ("unit", unit or None),
        *cost_facts(machine),
        ("barrier", machine.barrier),
    ]


def cost_facts(machine: Machine) -> list[Fact]:
    """α and τ, or the pieces of the cost."""
    if isinstance(machine.cost, Linear):
        return [("alpha", machine.alpha), ("tau", machine.tau)]
    return [(Quantity("cost", "a message of L items"), _pieces_in_words(machine))]


def _pieces_in_words(machine: Machine) -> str:
    pieces = machine.cost.pieces
    lines = [
        f"{float(alpha):.4g} + {float(tau):.4g} L"
        + (" above" if up_to is None else f" up to L = {float(up_to):.6g}")
        for up_to, alpha, tau in pieces[:3]
    ]
    more = [f"{len(pieces) - 3} further pieces"] * (len(pieces) > 3)
    return "; ".join([*lines, *more])


def _interval_facts(between: DegreeInterval | None) -> list[Fact]:
    """What the interval of the fit says of the best Q and of its gain."""
    if between is None:
        return []
    low, high = (f"{float(gain):.4g}" for gain in between.gain)
    share = "" if between.share == 1 else f", {100 * between.share:g} % of {between.costs} fits"
    return [
        (Quantity("Q_interval", "best Q within the fit's interval"), f"{between}{share}"),
        (Quantity("gain_interval", "its gain there"), low if low == high else f"{low} to {high}"),
    ]


def machine_table(machine: Machine) -> Table:
    """What a machine is, in one row.

    >>> machine_table(Machine("8x16", 500, 1)).records()[0]["network"]
    'mesh:8x16'
    """
    facts = [(key, value) for key, value in machine_facts(machine) if value is not None]
    record = {quantity(key).key: value for key, value in facts}
    return Table("Machine", [key for key, _ in facts], [record])


# -- the best degree ----------------------------------------------------------------------


def degree_table(
    best: OptimalDegree,
    degrees: Iterable[int] = (),
    unit: str = "",
    between: DegreeInterval | None = None,
    doubt: str = "",
) -> Table:
    """The best Q, why no other is better, and the time of others: Q = 1, neighbours, those asked.

    Args:
        best: what `optimal_degree` found.
        degrees: other values of Q to show, each in 1..N.
        unit: of the times, for people.
        between: the interval of Q that comes from the interval of the costs.
        doubt: why the costs are no fit to what was measured; then nothing is called exact.

    Raises:
        InputError: a degree out of range.

    >>> table = degree_table(optimal_degree(Machine("16x16", 500, 1), 4096))
    >>> [(row["Q"], row["time"]) for row in table.records()][:2]
    [(1, 137880), (2, 99372)]
    """
    asked = tuple(degrees)
    heads = {"steps": named("steps", "steps P", form="~"), "time": time_heading("time T", unit)}
    records = [_degree_record(best, Q, asked) for Q in _shown_degrees(best, asked)]
    packet = "α + N/Q τ" if isinstance(best.machine.cost, Linear) else "time of N/Q items"
    notes = [
        (
            f"T = P ({packet}) + (d + Q - 1) b; gain: T(1) / T(Q); regime: shallow for Q < d = "
            f"{best.machine.d}, never all dimensions at once, else deep."
        ),
        f"{best.model}: {_meaning(best.machine, best.model)}.",
    ]
    facts = [*_best_facts(best, unit, doubt), *_interval_facts(between)]
    return keyed_table("Pipelining degree", records, facts, heads, notes)


def _meaning(machine: Machine, model: str) -> str:
    if model == "lower-bound" and machine.ports == "all":
        return "the busiest link, which is the bound when a node has a port for each link"
    if model == "paper" and machine.c > 2:
        return f"{_MEANING[model]}, as printed; on three axes or more some of them conflict"
    return _MEANING[model]


def _best_facts(best: OptimalDegree, unit: str, doubt: str = "") -> list[Fact]:
    evidence, star = best.evidence, best.stationary_value
    finite = star if math.isfinite(star) else None
    stationary = Quantity("stationary", "Q*", lambda cell: _star(best, cell), latex="$Q^*$")
    return [
        *machine_facts(best.machine, unit),
        ("N", best.N),
        ("model", best.model),
        ("best_Q", best.Q),
        ("best_time", best.time),
        ("best_gain", float(best.gain)),
        ("best_regime", best.regime),
        (stationary, finite),
        ("evidence", _why(best, doubt)),
        ("evidence_holds", evidence.holds() and not doubt),
        ("candidates", tuple(sorted(evidence.times))),
    ]


def _star(best: OptimalDegree, cell: Cell) -> str:
    d = best.machine.d
    outside = f" (below d = {d}, where the formula that it comes from does not hold)"
    return written(cell, "~") + (outside if isinstance(cell, float) and cell < d else "")


def _why(best: OptimalDegree, doubt: str = "") -> str:
    """The argument of `OptimalDegree.evidence` in a sentence."""
    evidence, d, N = best.evidence, best.machine.d, best.N
    shallow = sum(Q < d for Q in evidence.times)
    parts = [f"Q = 1..{shallow} compared one by one" if shallow > 1 else "Q = 1"] * (shallow > 0)
    deep = sorted(Q for Q in evidence.times if Q >= d)
    if best.packets == "even" and len(best.machine.cost.pieces) > 1:
        parts.append(f"of {d}..{N} one for each piece of the cost, on which T is convex")
    elif len(deep) == 1 and best.packets == "even":
        parts.append(f"of {d}..{N} the best is {deep[0]}, as T is convex there")
    elif deep:
        parts.append(f"{len(deep)} packet lengths from Q = {d} on compared")
    proved = "exact: " if evidence.holds() else "NOT PROVED: "
    if doubt:
        proved = f"of a line that is no fit ({doubt}): "
    return proved + "; ".join(parts)


def _shown_degrees(best: OptimalDegree, asked: Sequence[int]) -> list[int]:
    N, star = best.N, best.stationary_value
    near = [best.Q + k for k in (-2, -1, 0, 1, 2)]
    stationary = [math.floor(star), math.ceil(star)] if math.isfinite(star) else []
    pieces = [] if isinstance(best.machine.cost, Linear) else [*best.evidence.times][-_MOST_SHOWN:]
    shown = {Q for Q in (1, *near, *stationary, best.machine.d, *pieces) if 1 <= Q <= N}
    return sorted(shown | set(asked))


def _degree_record(best: OptimalDegree, Q: int, asked: Sequence[int]) -> dict[str, Any]:
    machine, N, star = best.machine, best.N, best.stationary_value
    taken = time(machine, N, Q, best.model, best.packets)
    whole = time(machine, N, 1, best.model, best.packets)
    roles = {
        "best": Q == best.Q,
        "asked for": Q in asked,
        "no pipelining": Q == 1,
        "Q* rounded": math.isfinite(star) and Q in (math.floor(star), math.ceil(star)),
        "Q = d": Q == machine.d,
    }
    steps = step_table(machine.mesh, best.model, machine.ports)
    return {
        "Q": Q,
        "regime": machine.regime(Q),
        "packet": Fraction(N, Q) if best.packets == "even" else -(-N // Q),
        "steps": steps.total(Q),
        "time": taken,
        "gain": float(whole / taken) if taken else 1.0,
        "excess": float(taken / best.time - 1) if best.time else 0.0,
        "role": ", ".join(role for role, holds in roles.items() if holds),
    }


# -- models -------------------------------------------------------------------------------


def models_table(machine: Machine, N: int, unit: str = "") -> Table:
    """The best Q of every model that the machine has, and its time with schedules that exist.

    >>> table = models_table(Machine("16x16x16", 500, 1), 65536)
    >>> [(row["model"], row["Q"]) for row in table.records()]
    [('load', 20), ('lower-bound', 19), ('paper', 15), ('schedule', 19)]
    """
    schedule = optimal_degree(machine, N, "schedule")
    records = []
    for model in available_models(machine):
        best = optimal_degree(machine, N, model)
        star = best.stationary_value
        feasible = time(machine, N, best.Q, "schedule")
        records.append(
            {
                "model": model,
                "Q": best.Q,
                "regime": best.regime,
                "time": best.time,
                "gain": float(best.gain),
                "stationary": star if math.isfinite(star) else None,
                "feasible_time": feasible,
                "excess": float(feasible / schedule.time - 1) if schedule.time else 0.0,
            }
        )
    facts: list[Fact] = [*machine_facts(machine, unit), ("N", N)]
    notes = [f"{model}: {_meaning(machine, model)}." for model in available_models(machine)]
    notes.append(
        "T with schedules: what the best Q of the model takes with the schedules of this project; "
        "the last column is how far that is above the best Q for them."
    )
    heads = {"Q": "best Q", "time": "its time T"}
    return keyed_table("Pipelining degree by model", records, facts, heads, notes)


# -- sensitivity --------------------------------------------------------------------------


def sensitivity_table(
    machine: Machine,
    N: int,
    model: Model = "schedule",
    unit: str = "",
    between: DegreeInterval | None = None,
) -> Table:
    """The range of α, τ, α/τ, the barrier and N in which the best Q stays the best.

    >>> table = sensitivity_table(Machine("32x32", 500, 1), 4096)
    >>> [(row["quantity"], row["low"], row["high"]) for row in table.records()][-1]
    ('N', 2218, 15826)
    """
    from lccmodel.pipelining.robustness import sensitivity

    best, ranges_of = optimal_degree(machine, N, model), sensitivity(machine, N, model)
    ranges: list[tuple[str, str, Any, tuple[Any, Any]]] = [
        ("alpha", "α, start-up", machine.alpha, ranges_of.alpha),
        ("tau", "τ, per item", machine.tau, ranges_of.tau),
        ("barrier", "barrier", machine.barrier, ranges_of.barrier),
        ("N", "N, items", N, ranges_of.N),
    ]
    if machine.tau:
        ratio = machine.alpha / machine.tau
        ranges.insert(2, ("alpha/tau", "α/τ, as α changes", ratio, ranges_of.ratio))
    heads = {"name": Quantity("name", "what changes", audience="people")}
    records = [
        {
            "quantity": key,
            "name": name,
            "now": now,
            "low": None if low == math.inf else low,
            "high": None if high == math.inf else high,
        }
        for key, name, now, (low, high) in ranges
    ]
    facts: list[Fact] = [
        ("network", machine.mesh.spec),
        ("ports", machine.ports),
        ("unit", unit or None),
        ("model", model),
        ("best_Q", best.Q),
        ("best_time", best.time),
        *_interval_facts(between),
    ]
    notes = ["From and to belong to the range. One quantity changes at a time."]
    title = f"Where Q = {best.Q} stays best"
    return keyed_table(title, records, facts, heads, notes, hidden=["quantity"])
