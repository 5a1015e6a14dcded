"""What a communication is, as tables: the catalogue, one entry of it, and what files say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lccmodel.communication import catalog
from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.naming import CatalogEntry
from lccmodel.communication.program import Entry
from lccmodel.communication.recognition import Recognition
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.show.numbers import verdict_text
from lccmodel.show.quantities import Column, Fact, Quantity, data, named
from lccmodel.show.records import Facts, Table


def catalog_table() -> Table:
    """Return the catalogue: name and parameters, meaning, source, T_i for every n if known."""
    records = [
        {
            "name": e.name,
            "usage": e.usage,
            "typed": _typed(e),
            "description": e.description,
            "source": f"{e.reference[0]}, {e.reference[1]}",
            "load_for_every_n": _load_of(e.name),
        }
        for e in catalog.entries()
    ]
    legend = [
        "lccmodel catalog NAME shows all parameters of an entry, its A and its b.",
        "T_i is the load of dimension i, proved for every n.",
        "lccmodel formula NAME shows where it holds, its maximum and the rules that prove it.",
    ]
    columns = ("typed", "description", "source", _LOAD_FOR_EVERY_N)
    return Table("Catalogue of communications", columns, records, legend=legend)


_LOAD_FOR_EVERY_N = Quantity("load_for_every_n", "T_i on cube:n")


def _load_of(name: str) -> str | None:
    """T_i of a catalogue word on the hypercube, its parameters left open; None of other words."""
    from lccmodel.symbolic import FAMILIES, ContentionFormula, contention

    if name not in FAMILIES:
        return None
    T = contention(name)
    assert isinstance(T, ContentionFormula)
    return str(T.load)


def _typed(entry: CatalogEntry) -> str:
    """The name with the parameters that must be stated."""
    required = ",".join(p.name for p in entry.parameters if p.required)
    return f"{entry.name}:{required}" if required else entry.name


def entry_table(entry: CatalogEntry, communication: LCC | None) -> Table:
    """One entry of the catalogue: its parameters and, for one n, its equations.

    Args:
        entry: the entry.
        communication: the entry built; None shows the parameters only.
    """
    facts: list[Fact] = [
        (data("name"), entry.name),
        ("usage", entry.usage),
        ("description", entry.description),
        ("source", f"{entry.paper.short}, {entry.reference[1]}"),
    ]
    if communication is None:
        parameters = [
            {"parameter": p.name, "required": p.required, "meaning": p.meaning}
            for p in entry.parameters
        ]
        return Table(entry.title, ["parameter", "required", "meaning"], parameters, facts)
    c = communication
    facts += [(Quantity(p.name, audience="people"), p.meaning) for p in entry.parameters]
    facts += [("communication", c.name), ("n", c.n), ("kind", c.kind), ("rank", c.rank)]
    facts += _for_every_n(c)
    return equations_table(entry.title, c, facts)


def _for_every_n(c: LCC) -> list[Fact]:
    """T_i of the family of a communication on the hypercube, if it is one."""
    from lccmodel.symbolic import ContentionFormula, contention

    try:
        T = contention(str(c.name))
    except InputError:  # no family
        return []
    assert isinstance(T, ContentionFormula)
    text = f"{T.load} for {T.domain}"
    return [(Quantity("load_for_every_n", "T_i on cube:n", audience="people"), text)]


def equations_table(title: str, c: LCC, facts: Facts) -> Table:
    """The equations y = Ax + b, row by row."""
    columns = ("equation", named("row", f"row of A (x0 .. x{c.n - 1})"), "constant")
    return Table(title, columns, zip(format_equations(c).split("\n"), c.A, c.b, strict=True), facts)


# -- recognition ----------------------------------------------------------------------------


def recognition_table(entries: Sequence[Entry], recognitions: Sequence[Recognition]) -> Table:
    """What files say: A, b and kind of every communication, or what contradicts them.

    Args:
        entries: as read, before recognition.
        found: what is recognised in each entry.
    """
    records = [_recognition_record(*pair) for pair in zip(entries, recognitions, strict=True)]
    columns: list[Column] = [
        "communication",
        named("verdict", "y = Ax + b", form=verdict_text),
        "n",
        "kind",
        "rank",
        "found",
        "messages",
        "missing_sources",
    ]
    legend = ["x = Ay + b: a scatter sends from x to y."]
    scatters = any(record["kind"] == "scatter" for record in records)
    return Table("Recognition", columns, records, legend=legend if scatters else [])


def recognised_table(recognition: Recognition) -> Table:
    """The same of one result, whose messages have no name."""
    messages = Traffic([], ranks=1 << min(recognition.n, 20))
    return recognition_table([Entry("messages", messages)], [recognition])


def _recognition_record(entry: Entry, recognition: Recognition) -> dict[str, Any]:
    c = recognition.communication
    counted = not isinstance(entry.content, LCC)
    return {
        "communication": entry.name,
        "verdict": recognition.verdict,
        "n": recognition.n,
        "kind": recognition.kind,
        "rank": None if c is None else c.rank,
        "found": recognition.explanation if c is None else format_equations(c),
        "A": None if c is None else c.A.tolist(),
        "b": None if c is None else list(c.b),
        "messages": recognition.messages if counted else None,
        "missing_sources": recognition.missing_sources if counted else None,
        "free_bits": recognition.freedom,
        "explanation": recognition.explanation,
    }
