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

from lccmodel.pipelining.cost.steps import MODELS, Model
from lccmodel.pipelining.cost.sums import step_table
from lccmodel.pipelining.degree import OptimalDegree, optimal_degree, time
from lccmodel.pipelining.machine import Machine
from lccmodel.show.tables import Cell, Column, Table, cell_text, grouped

__all__ = [
    "available_models",
    "degree_table",
    "machine_facts",
    "models_table",
    "network_word",
    "rounded",
    "sensitivity_table",
]

_MEANING: dict[str, str] = {
    "load": "the busiest link alone, as if a node had a port for each link",
    "lower-bound": "the larger of link load and one port: no schedule takes less",
    "paper": "the schedules of the paper",
    "schedule": "this project's schedules, which are replayed without conflict",
}


_LARGE = 10**12


def rounded(cell: Cell) -> str:
    """A number for people: whole ones with all digits up to 10^12, others rounded.

    >>> rounded(175036), rounded(Fraction(1000, 3)), rounded(Fraction(1, 3)), rounded(10**20)
    ('175,036', '333.33', '0.33333', '1e+20')
    """
    if cell is None:
        return "∞"
    if not isinstance(cell, (int, float, Fraction)):
        return cell_text(cell)
    if isinstance(cell, int) and abs(cell) < _LARGE:
        return grouped(cell)
    value = float(cell)
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.5g}"


def _gain(cell: Cell) -> str:
    return f"{float(cell):.3f}" if isinstance(cell, (int, float, Fraction)) else cell_text(cell)


def _percent(cell: Cell) -> str:
    """How much more than the best; nothing for the best itself."""
    if not isinstance(cell, (int, float, Fraction)) or not cell:
        return ""
    share = 100 * float(cell)
    return f"+{share:.2f} %" if share >= 0.005 else "< 0.01 %"


def available_models(machine: Machine) -> tuple[Model, ...]:
    """The models that the machine has: the paper's schedules are for meshes with one port.

    >>> available_models(Machine(4, 2, 1, 1, topology="torus"))
    ('load', 'lower-bound', 'schedule')
    """
    one_port_mesh = (machine.topology, machine.ports) == ("mesh", "one")
    return tuple(model for model in MODELS if one_port_mesh or model != "paper")


def network_word(topology: str, d: int, c: int) -> str:
    """The network as it is typed.

    >>> network_word("torus", 8, 2)
    'torus:16x16'
    """
    return f"{topology}:{'x'.join([str(1 << d // c)] * c)}"


def machine_facts(machine: Machine, unit: str = "") -> list[tuple[Column, Cell]]:
    """The machine and its times, as facts of a table."""
    facts: list[tuple[Column, Cell]] = [
        (Column("network", "network"), network_word(machine.topology, machine.d, machine.c)),
        (Column("ports", "ports"), machine.ports),
        (Column("unit", "unit of times"), unit or None),
        (Column("alpha", "α, start-up"), machine.alpha),
        (Column("tau", "τ, per item"), machine.tau),
        (Column("barrier", "barrier"), machine.barrier),
    ]
    return facts


# -- the best degree ----------------------------------------------------------------------


def degree_table(best: OptimalDegree, degrees: Iterable[int] = (), unit: str = "") -> Table:
    """The best Q, why no other is better, and the time of others: Q = 1, neighbours, those asked.

    Args:
        best: what `optimal_degree` found.
        degrees: other values of Q to show, each in 1..N.
        unit: of the times, for people.

    Raises:
        InputError: a degree out of range.

    >>> table = degree_table(optimal_degree(Machine(8, 2, 500, 1), 4096))
    >>> [(row["Q"], row["time"]) for row in table.records()][:2]
    [(1, 137880), (2, 99372)]
    """
    asked = tuple(degrees)
    columns = [
        Column("Q", "Q", right=True, text=grouped, latex_heading="$Q$"),
        Column("regime", "regime"),
        Column("packet", "items in a packet", right=True, text=rounded),
        Column("steps", "steps P", right=True, text=rounded, latex_heading="steps $P$"),
        Column("time", f"time T ({unit})" if unit else "time T", right=True, text=rounded),
        Column("gain", "gain", right=True, text=_gain),
        Column("excess", "over the best", right=True, text=_percent),
        Column("role", "what"),
    ]
    rows = [_degree_row(best, Q, asked) for Q in _shown_degrees(best, asked)]
    notes = [
        (
            f"T = P (α + N/Q τ) + (d + Q - 1) b; gain: T(1) / T(Q); regime: shallow for Q < d = "
            f"{best.machine.d}, never all dimensions at once, else deep."
        ),
        f"{best.model}: {_meaning(best.machine, best.model)}.",
    ]
    return Table("Pipelining degree", columns, rows, _best_facts(best, unit), notes)


def _meaning(machine: Machine, model: str) -> str:
    if model == "lower-bound" and machine.ports == "all":
        return "the busiest link, which is the bound when a node has a port for each link"
    if model == "paper" and machine.c > 2:
        return f"{_MEANING[model]}, as printed; on three axes or more some of them conflict"
    return _MEANING[model]


def _best_facts(best: OptimalDegree, unit: str) -> list[tuple[Column, Cell]]:
    evidence, star = best.evidence, best.stationary_value
    finite = star if math.isfinite(star) else None
    return [
        *machine_facts(best.machine, unit),
        (Column("N", "N, items", text=grouped), best.N),
        (Column("model", "model"), best.model),
        (Column("best_Q", "best Q", text=grouped), best.Q),
        (Column("best_time", "time T", text=rounded), best.time),
        (Column("best_gain", "gain over Q = 1", text=_gain), float(best.gain)),
        (Column("best_regime", "regime"), best.regime),
        (Column("stationary", "Q*", text=lambda cell: _star(best, cell)), finite),
        (Column("evidence", "why no other Q"), _why(best)),
        (Column("evidence_holds", "evidence holds", audience="data"), evidence.holds()),
        (Column("candidates", "candidates", audience="data"), tuple(sorted(evidence.times))),
    ]


def _star(best: OptimalDegree, cell: Cell) -> str:
    d = best.machine.d
    outside = f" (below d = {d}, where the formula that it comes from does not hold)"
    return rounded(cell) + (outside if isinstance(cell, float) and cell < d else "")


def _why(best: OptimalDegree) -> str:
    """The argument of `OptimalDegree.evidence` in a sentence."""
    evidence, d, N = best.evidence, best.machine.d, best.N
    shallow = sum(Q < d for Q in evidence.times)
    parts = [f"Q = 1..{shallow} compared one by one" if shallow > 1 else "Q = 1"] * (shallow > 0)
    deep = sorted(Q for Q in evidence.times if Q >= d)
    if len(deep) == 1 and best.packets == "even":
        parts.append(f"of {d}..{N} the best is {deep[0]}, as T is convex there")
    elif deep:
        parts.append(f"{len(deep)} packet lengths from Q = {d} on compared")
    return ("exact: " if evidence.holds() else "NOT PROVED: ") + "; ".join(parts)


def _shown_degrees(best: OptimalDegree, asked: Sequence[int]) -> list[int]:
    N, star = best.N, best.stationary_value
    near = [best.Q + k for k in (-2, -1, 0, 1, 2)]
    stationary = [math.floor(star), math.ceil(star)] if math.isfinite(star) else []
    shown = {Q for Q in (1, *near, *stationary, best.machine.d) if 1 <= Q <= N}
    return sorted(shown | set(asked))


def _degree_row(best: OptimalDegree, Q: int, asked: Sequence[int]) -> list[Any]:
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
    return [
        Q,
        machine.regime(Q),
        Fraction(N, Q) if best.packets == "even" else -(-N // Q),
        step_table(machine.d, machine.c, best.model, machine.topology, machine.ports).total(Q),
        taken,
        float(whole / taken) if taken else 1.0,
        float(taken / best.time - 1) if best.time else 0.0,
        ", ".join(role for role, holds in roles.items() if holds),
    ]


# -- models -------------------------------------------------------------------------------


def models_table(machine: Machine, N: int, unit: str = "") -> Table:
    """The best Q of every model that the machine has, and its time with schedules that exist.

    >>> table = models_table(Machine.from_mesh("16x16x16", 500, 1), 65536)
    >>> [(row["model"], row["Q"]) for row in table.records()]
    [('load', 20), ('lower-bound', 19), ('paper', 15), ('schedule', 19)]
    """
    schedule = optimal_degree(machine, N, "schedule")
    columns = [
        Column("model", "model"),
        Column("Q", "best Q", right=True, text=grouped, latex_heading="best $Q$"),
        Column("regime", "regime"),
        Column("time", "its time T", right=True, text=rounded),
        Column("gain", "gain", right=True, text=_gain),
        Column("stationary", "Q*", right=True, text=_gain, latex_heading="$Q^*$"),
        Column("feasible_time", "T with schedules", right=True, text=rounded),
        Column("excess", "over the best", right=True, text=_percent),
    ]
    rows = []
    for model in available_models(machine):
        best = optimal_degree(machine, N, model)
        star = best.stationary_value
        feasible = time(machine, N, best.Q, "schedule")
        more = float(feasible / schedule.time - 1) if schedule.time else 0.0
        finite = star if math.isfinite(star) else None
        gain = float(best.gain)
        rows.append([model, best.Q, best.regime, best.time, gain, finite, feasible, more])
    facts = [*machine_facts(machine, unit), (Column("N", "N, items", text=grouped), N)]
    notes = [f"{model}: {_meaning(machine, model)}." for model in available_models(machine)]
    notes.append(
        "T with schedules: what the best Q of the model takes with the schedules of this project; "
        "the last column is how far that is above the best Q for them."
    )
    return Table("Pipelining degree by model", columns, rows, facts, notes)


# -- sensitivity --------------------------------------------------------------------------


def sensitivity_table(machine: Machine, N: int, model: Model = "schedule", unit: str = "") -> Table:
    """The range of α, τ, α/τ, the barrier and N in which the best Q stays the best.

    >>> table = sensitivity_table(Machine.from_mesh("32x32", 500, 1), 4096)
    >>> [(row["quantity"], row["low"], row["high"]) for row in table.records()][-1]
    ('N', 2218, 15826)
    """
    from lccmodel.pipelining.robustness import sensitivity

    best, found = optimal_degree(machine, N, model), sensitivity(machine, N, model)
    ranges: list[tuple[str, str, Any, tuple[Any, Any]]] = [
        ("alpha", "α, start-up", machine.alpha, found.alpha),
        ("tau", "τ, per item", machine.tau, found.tau),
        ("barrier", "barrier", machine.barrier, found.barrier),
        ("N", "N, items", N, found.N),
    ]
    if machine.tau:
        ratio = machine.alpha / machine.tau
        ranges.insert(2, ("alpha/tau", "α/τ, as α changes", ratio, found.ratio))
    columns = [
        Column("quantity", "quantity", audience="data"),
        Column("name", "what changes", audience="people"),
        Column("now", "now", right=True, text=rounded),
        Column("low", "from", right=True, text=rounded),
        Column("high", "to", right=True, text=rounded),
    ]
    rows = [
        [key, name, now, *(None if end == math.inf else end for end in ends)]
        for key, name, now, ends in ranges
    ]
    facts: list[tuple[Column, Cell]] = [
        (Column("network", "network"), network_word(machine.topology, machine.d, machine.c)),
        (Column("ports", "ports"), machine.ports),
        (Column("unit", "unit of times"), unit or None),
        (Column("model", "model"), model),
        (Column("best_Q", "best Q", text=grouped), best.Q),
        (Column("best_time", "time T", text=rounded), best.time),
    ]
    notes = ["From and to belong to the range. One quantity changes at a time."]
    return Table(f"Where Q = {best.Q} stays best", columns, rows, facts, notes)
