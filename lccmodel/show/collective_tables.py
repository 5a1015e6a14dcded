"""Tables about collectives: one plan, all algorithms at one size, the best over a range of sizes.

    collective_table(found)      what a plan takes: steps, start-ups, the busiest channel, the bound
    ranking_table(choice)         every algorithm at one size, fastest first
    envelope_table(found)         the best algorithm, a row for every stretch between crossovers

Data are fractions of a vector, and written so ("23/84"); times and sizes are exact in JSON and CSV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError
from lccmodel.pipelining.message_cost import Linear
from lccmodel.show.numbers import Cell, with_unit, written
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table

if TYPE_CHECKING:
    from lccmodel.collectives import Collective, Envelope, PlanFront, Ranking, RulesFile
    from lccmodel.collectives.bounds import CollectiveBound
    from lccmodel.collectives.defaults import DefaultCost
    from lccmodel.collectives.ranking import Option
    from lccmodel.collectives.times import Prices


def sizes_text(cell: Cell) -> str:
    """Sizes from and to, for people.

    >>> sizes_text((1024, Fraction(1 << 21))), sizes_text((1000, 1000))
    ('1 Ki to 2 Mi', '1,000')
    """
    if not isinstance(cell, tuple):
        return written(cell)
    low, high = map(_size, cell)
    return low if low == high else f"{low} to {high}"


def _size(value: Any) -> str:
    for power, word in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if value >= 1 << power and value % (1 << power) == 0:
            return f"{int(value) >> power} {word}"
    return f"{float(value):,.0f}" if value >= 100 else written(Fraction(value), "~")


_SIZES = Quantity("sizes", "sizes", sizes_text)
_WHICH: tuple[Column, ...] = (
    "algorithm",
    "steps",
    "start_ups",
    named("busiest", "busiest\nchannel"),
)


def decision_table(files: Sequence[RulesFile]) -> Table:
    """The rules of a decision file: a row for every collective and stretch of sizes.

    >>> from lccmodel.collectives import rules_file
    >>> file = rules_file("ompi", "allreduce", Linear(5, "1/1000"), 1, 10**6, "torus:4x4")
    >>> [row["algorithm"] for row in decision_table([file]).records()]
    ['recursive-doubling', 'rabenseifner']
    """
    rows = [
        {
            "collective": file.collective,
            "sizes": (rule.first, rule.last),
            "algorithm": rule.algorithm,
            "segment": rule.segment or None,
        }
        for file in files
        for rule in file.rules
    ]
    columns = ("collective", _SIZES, "algorithm", Quantity("segment", "bytes of\na segment"))
    facts: list[Fact] = [(Quantity("kind", "read by"), files[0].kind), ("ranks", files[0].ranks)]
    return Table("A decision file", columns, rows, facts)


def with_rules(table: Table, file: RulesFile) -> Table:
    """The fastest of all, and what a decision file says of those that its library has.

    >>> from lccmodel.collectives import rules_file
    >>> file = rules_file("ompi", "allreduce", Linear(5, "1/1000"), 1, 10**6, "torus:4x4")
    >>> with_rules(Table("Times", ["time"], [[5]]), file).notes
    ('the file for ompi: recursive-doubling from 1 bytes on, rabenseifner from 9,412',)
    """
    runs = [next(run) for _, run in groupby(file.rules, lambda rule: rule.algorithm)]
    ranges = [f"{rule.algorithm} from {rule.first:,}" for rule in runs]
    ranges[:1] = [f"{first} bytes on" for first in ranges[:1]]
    return replace(table, notes=(*table.notes, f"the file for {file.kind}: {', '.join(ranges)}"))


def _which(collective: Collective) -> dict[str, Any]:
    return {
        "algorithm": collective.algorithm.name,
        "steps": collective.steps,
        "start_ups": collective.start_ups,
        "busiest": str(collective.busiest),
    }


def collective_table(collective: Collective) -> Table:
    """What a plan takes on its network, beside what no plan is below.

    >>> from lccmodel import collectives
    >>> swing = collectives.allreduce("swing", "torus:8x8", ports="all")
    >>> collective_table(swing).records()[0]["busiest"]
    '69/128'
    """
    bound = collective.bound
    row = {
        **_which(collective),
        "start_ups_bound": bound.start_ups,
        "data_bound": str(bound.data),
        "bound": bound.by,
        "cut": bound.cut or None,
        "source": collective.algorithm.source,
    }
    columns = (*_WHICH, "start_ups_bound", "data_bound", "bound", "source")
    title = f"The {collective.plan.collective} of a plan"
    return Table(title, columns, [row], _where(collective), _cut_of(bound), notes=collective.notes)


def _cut_of(bound: CollectiveBound) -> list[str]:
    """Which cut gives a bound on data, if one does."""
    return [f"the cut of the lower bound: {bound.cut}"] if bound.cut else []


def front_table(front: PlanFront) -> Table:
    """Plans between the fewest steps and the least data, and what is proved of them.

    >>> from lccmodel.collectives import front
    >>> front_table(front("allgather", "torus:4", most_chunks=2)).records()[0]["data"]
    '3/2'
    """
    rows = []
    for corner in front.corners:
        lower = [refuted for refuted in front.refuted if refuted[0] == corner.steps]
        least = corner.data == front.data_bound
        proved = f"less refuted for {len(lower)} of fewer rounds"
        left = [undecided for undecided in front.undecided if undecided[0] == corner.steps]
        proved += f", undecided for {len(left)}" if left else ""
        if corner.by != "solver":
            proved = "counted; the solver has none of so few steps"
        proved = "no plan has less" if least else proved
        rows.append({**corner._asdict(), "data": str(corner.data), "proved": proved})
        rows[-1].pop("plan")
    facts: list[Fact] = [
        ("collective", front.collective),
        ("network", front.network.spec),
        ("ports", front.ports),
        (Quantity("data_bound", "no plan has less data than"), str(front.data_bound)),
        (Quantity("undecided", "undecided in time"), len(front.undecided)),
    ]
    part = "what a rank has for another" if front.collective == "alltoall" else "what a rank has"
    if front.collective in ("broadcast", "reduce"):
        part = "the vector"
    if front.collective == "scatter":
        part = "what a rank receives"
    part = part if front.collective != "allreduce" else "1/p of the vector"
    legend = [f"data: rounds over chunks, in parts of {part}"]
    notes = []
    if not rows:
        notes.append("no plan was found in time")
    words = ("rounds", "chunks", "data", "by", "proved")
    columns: tuple[Column, ...] = ("steps", *(Quantity(word, word) for word in words))
    title = f"The {front.collective} from the fewest steps to the least data, by a solver"
    return Table(title, columns, rows, facts, legend, notes=notes)


def _where(collective: Collective) -> list[Fact]:
    return [
        ("collective", collective.plan.collective),
        ("network", collective.network.spec),
        ("ranks", collective.plan.ranks),
        ("ports", collective.ports),
    ]


def _prices(prices: Prices, unit: str) -> list[Fact]:
    facts: list[Fact] = [("unit", unit or None)]
    if isinstance(prices.cost, Linear):
        facts += [("alpha", prices.cost.alpha), ("tau", prices.cost.tau)]
    else:
        facts.append((Quantity("pieces", "pieces of the cost"), len(prices.cost.pieces)))
    if prices.inside is not None:
        facts.append((Quantity("inside_alpha", "α inside a node"), prices.inside.alpha))
        facts.append((Quantity("inside_tau", "τ inside a node"), prices.inside.tau))
    facts += [(Quantity("hop", "λ, per channel"), prices.hop)] * bool(prices.hop)
    facts += [(Quantity("add", "γ, per item added"), prices.add)] * bool(prices.add)
    return facts


def _timed(option: Option, bound: Fraction) -> dict[str, Any]:
    return {
        **_which(option.collective),
        "segments": option.segments,
        "time": option.time,
        "lower_bound": bound,
        "over_bound": option.time / bound if bound else 1 if not option.time else None,
    }


def _stretch(first: Option, last: Option, low: Ranking, high: Ranking) -> dict[str, Any]:
    """What an algorithm takes from size to size."""
    to = {"segments_to": last.segments, "time_to": last.time}
    return {**_timed(first, low.lower_bound), "sizes": (low.m, high.m), **to}


def ranking_table(choice: Ranking) -> Table:
    """Every algorithm at one size, fastest first."""
    rows = [
        {**_timed(option, choice.lower_bound), "sizes": (choice.m, choice.m)}
        for option in choice.options
    ]
    bound = named("lower_bound", "lower\nbound", form="~")
    columns = ("algorithm", "segments", "time", bound, "over_bound", *_WHICH[1:])
    chosen = choice.collective
    title = f"{chosen.plan.collective.capitalize()} of {_size(choice.m)}"
    facts = [*_where(chosen), *_prices(choice.prices, "")]
    legend = _cut_of(chosen.weighted_bound(choice.prices)[1])
    return Table(title, columns, rows, facts, legend, notes=chosen.notes)


def envelope_table(envelope: Envelope, unit: str = "") -> Table:
    """The best algorithm for every size, a row for each stretch between crossovers."""
    rows = []
    for low, high in zip(envelope.low, envelope.high, strict=True):
        second = low.options[1] if len(low.options) > 1 else None
        name, time = (second.name, second.time) if second else (None, None)
        row = _stretch(low.options[0], high.options[0], low, high)
        rows.append(row | {"second": name, "second_time": time})
    title = f"The fastest {envelope.collective}, from size to size"
    return _ranged(title, rows, envelope.low[0], unit, ("second",), ())


def every_table(envelope: Envelope, unit: str = "") -> Table:
    """Every algorithm alone over a range of sizes, at its two ends; fastest at the first first."""
    low, high = envelope.at(envelope.ends[0]), envelope.at(envelope.ends[-1])
    last = {option.name: option for option in high.options}
    rows = [_stretch(option, last[option.name], low, high) for option in low.options]
    return _ranged(f"Every algorithm of {envelope.collective}", rows, low, unit, (), _WHICH[1:])


def default_table(rows: Sequence[DefaultCost], unit: str = "") -> Table:
    """Return what Open MPI chooses by itself, a row per stretch of sizes, beside the best.

    >>> from lccmodel.collectives import default_costs
    >>> rows = default_costs("allreduce", Linear(5, "1/1000"), 2**20, 2**20, "torus:8x8")
    >>> [(row["chooses"], row["best"]) for row in default_table(rows).records()]
    [('6 rabenseifner', 'bucket')]
    """
    from lccmodel.collectives.defaults import NOTES

    records, unknown = list[dict[str, Any]](), list[str]()
    for default, sizes, times, best in rows:
        record: dict[str, Any] = {"sizes": sizes, "chooses": f"{default.number} {default.name}"}
        for end, k in (("", 0), ("_to", 1)):
            time, least = times and times[k], best[k].time
            record[f"time{end}"] = time
            record[f"best{end}"], record[f"best_time{end}"] = best[k].algorithm, least
            record[f"over_best{end}"] = time / least if time is not None and least else None
        records.append(record)
        if times is None:
            unknown.append(default.name)
    in_unit = with_unit("", unit)
    columns: tuple[Column, ...] = (
        _SIZES,
        Quantity("chooses", "Open MPI\nchooses"),
        named("time", f"time{in_unit}\nfrom", none="-"),
        named("time_to", "to", none="-"),
        Quantity("best", "fastest\nfrom"),
        Quantity("best_to", "to"),
        Quantity("over_best", "over the\nfastest from", ".2f", none="-"),
        Quantity("over_best_to", "to", ".2f", none="-"),
    )
    choice = rows[0].best[0]
    facts = [*_where(choice.collective), *_prices(choice.prices, unit)]
    notes = [*NOTES, *choice.collective.notes]
    if unknown:
        words = ", ".join(dict.fromkeys(unknown))
        notes.append(f"no time for {words}: no plan here sends the same messages")
    title = f"The {choice.collective.plan.collective} that Open MPI chooses by itself"
    return Table(title, columns, records, facts, notes=notes)


def forms_table(collective: str, algorithm: str | None = None) -> Table:
    """Closed forms of a collective, of all algorithms or one.

    >>> forms_table("alltoall").records()[0]["formula"]
    'n alpha + n/2 m tau'
    """
    from lccmodel.collectives.formulas import closed_forms
    from lccmodel.show.formula_tables import formula_latex

    forms = [f for f in closed_forms(collective) if algorithm in (None, f.algorithm)]
    if not forms:
        raise InputError("--formula", "has closed forms for no such algorithm", algorithm)
    rows = [
        {
            "algorithm": form.algorithm,
            "network": form.family,
            "ports": form.ports,
            "formula": f"{_factor(form.start_ups)} alpha + {_factor(form.data)} m tau",
            "where": form.where,
            "latex": form.latex,
            "derived": form.derived,
        }
        for form in forms
    ]
    as_latex = {
        row["formula"]: formula_latex("T", form.time) for row, form in zip(rows, forms, strict=True)
    }
    formula = named("formula", "T", math=lambda cell: as_latex[str(cell)])
    columns = ("algorithm", "network", "ports", formula, "where")
    read = dict.fromkeys(f"{f.algorithm} ({f.family})" for f in forms if not f.derived)
    notes = [f"fit all counts up to p = 128, not derived: {', '.join(read)}"] if read else []
    return Table(f"Closed forms of {collective}", columns, rows, notes=notes)


def _factor(formula: Any) -> str:
    text = str(formula)
    return f"({text})" if formula.is_Add else text


def _ranged(
    title: str,
    rows: list[dict[str, Any]],
    choice: Ranking,
    unit: str,
    more: tuple[Column, ...],
    last: tuple[Column, ...],
) -> Table:
    in_unit = with_unit("", unit)
    alike = len({row["sizes"] for row in rows}) == 1  # said once, above the rows
    facts = [*_where(choice.collective), *_prices(choice.prices, unit)]
    if alike:
        facts.append((replace(_SIZES, key="all_sizes", audience="people"), rows[0]["sizes"]))
    columns: tuple[Column, ...] = (
        *([] if alike else [_SIZES]),
        "algorithm",
        named("segments", "Q\nfrom"),
        named("segments_to", "to"),
        named("time", f"time{in_unit}\nfrom"),
        named("time_to", "to"),
        *more,
        named("lower_bound", "lower\nbound", form="~"),
        "over_bound",
        *last,
    )
    chosen = choice.collective
    legend = _cut_of(chosen.weighted_bound(choice.prices)[1])
    return Table(title, columns, rows, facts, legend, notes=chosen.notes)
