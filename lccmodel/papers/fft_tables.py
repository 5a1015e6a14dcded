"""Tables of wormhole simulations: the parallel FFT beside [hou, Tables 1 and 2].

A printed value stands beside a simulated one where the paper has it: 2^8 to 2^14 points on the
8-dimensional hypercube with the times of the nCUBE-2. Simulated times are rounded as the printed
ones are, half up; CSV and JSON have them exactly as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from lccmodel.errors import InputError, checked_integers
from lccmodel.network import Hypercube, Network
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table
from lccmodel.wormhole.fft_program import FFTProgram, FFTTimes
from lccmodel.wormhole.published import (
    NCUBE2,
    TABLE_1,
    TABLE_2,
    Hardware,
    PrintedColumn,
    Row1,
    Row2,
    half_up,
    hidden_cycles,
)
from lccmodel.wormhole.timing import TIE_RULES, TieRule, Timing


class _Tied(NamedTuple):
    """A program with one tie rule and one seed."""

    tie: TieRule
    seed: int
    program: FFTProgram

    def cycles(self, size: int, hardware: Hardware) -> int:
        """Cycles of the bit reversal of so many points."""
        return _cycles(self.program, size, hardware, self.seed)

    def __str__(self) -> str:
        return f"random, seed {self.seed}" if self.tie == "random" else self.tie


@lru_cache(4096)
def _cycles(program: FFTProgram, size: int, hardware: Hardware, seed: int) -> int:
    return program.reversal(size, hardware, seed)


@lru_cache(16)
def _ready(
    network: Network, routing: str = "e-cube", mapping: Literal["optimal"] | None = None
) -> FFTProgram:
    """A program on a network, ready for any tie rule."""
    return FFTProgram.on(network, routing, mapping)


@lru_cache(64)
def _with_ties(program: FFTProgram, tie: TieRule) -> FFTProgram:
    """The same program under another tie rule."""
    return replace(program, simulation=replace(program.simulation, timing=Timing(tie)))


def _by_tie(routing: str, network: Network, seeds: Sequence[int]) -> list[_Tied]:
    """A program for every tie rule, and for ties at random one for every seed."""
    programs = {tie: _with_ties(_ready(network, routing), tie) for tie in TIE_RULES}
    fixed = [_Tied(tie, 0, programs[tie]) for tie in TIE_RULES if tie != "random"]
    return fixed + [_Tied("random", seed, programs["random"]) for seed in seeds]


_CUBE = Hypercube(8)
_Row = TypeVar("_Row", Row1, Row2)

POINTS = tuple(row.points for row in TABLE_1)
SEEDS = tuple(range(20))
ADAPTIVE: dict[PrintedColumn, str] = {
    "chiu": "chiu",
    "min": "min-turns",
    "mixab3": "mixab3",
    "mixbb3": "mixbb3",
    "pcube": "p-cube",
}
"""The adaptive columns of [hou, Table 1] and the routing functions that they are simulated with."""

_RECONSTRUCTED = (
    "chiu, min, mixab3 and mixbb3 are reconstructed: [hou] only cites them; each is one of the "
    "rules that forbid turns and give its column under ties to the oldest (docs/hou_section6.md)."
)
_LI = (
    "min: the rule of claim hou.tab1.min. With the rule that reference 14 of [hou] is known for it "
    "takes one cycle more (claim hou.tab1.li)."
)
RULES_SAID = (_RECONSTRUCTED, _LI)
"""What tables say of the routing functions that [hou] cites."""


_TIME = named("time", "simulated", form="")
_UNIT = "Times in microseconds."


class _Cells(NamedTuple):
    """What a row says about one part of the program."""

    part: str
    cycles: int | None
    time: Fraction | None
    printed: Decimal | None
    tie: str | None = None
    places: int = 1


def times_table(
    points: Iterable[int] = POINTS,
    network: Network | None = None,
    hardware: Hardware = NCUBE2,
    seeds: Sequence[int] = SEEDS,
) -> Table:
    """The parts of the parallel FFT, as [hou, Table 1].

    Args:
        points: sizes, 2^(n+2d).
        network: with 2^n nodes; the 8-dimensional hypercube if left out.
        hardware: times of the machine.
        seeds: of random ties, which are tried for the adaptive routing functions. Their rows show
            the tie rule that comes nearest to the print; without print, "lowest-input".

    Raises:
        InputError: as `parallel_fft`.
    """
    cube = _CUBE if network is None else network
    sizes = checked_integers("points", points)
    original, mapped = _ready(cube), _ready(cube, mapping="optimal")
    adaptive = {name: _by_tie(routing, cube, seeds) for name, routing in _adaptive(cube).items()}
    rows: list[dict[str, Any]] = []
    for size in sizes:
        row = _printed(TABLE_1, size, cube, hardware)
        plain, better = original.run(size, hardware), mapped.run(size, hardware)
        neighbour = sum(plain.neighbour_cycles)
        parts = [
            _Cells("computation", None, plain.computation, row and row.computation),
            _Cells("neighbours", neighbour, plain.neighbour, row and row.neighbour),
            _reversal("e-cube", plain, row, "any" if cube == _CUBE else plain.tie),
            _reversal("map", better, row, "any" if cube == _CUBE else better.tie),
        ]
        for name, programs in adaptive.items():
            parts.append(_nearest(name, programs, size, hardware, row))
        rows += [_record(size, part, hardware) for part in parts]
    notes = [
        _UNIT + " From e-cube on they are times of the bit reversal, all processors at once; "
        "neighbours adds up its n exchanges.",
    ]
    if adaptive:
        notes += RULES_SAID
    columns: tuple[Column, ...]
    columns = ("points", "part", "cycles", "cycles_printed", _TIME, "printed", "equal", "tie")
    title = "Parallel FFT [hou, Table 1]"
    if not any(_printed(TABLE_1, size, cube, hardware) for size in sizes):
        title, columns, notes = "Parallel FFT", _not_printed(columns), [notes[0], *notes[2:]]
    return Table(title, columns, rows, _facts(cube, hardware), notes)


def _not_printed(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of a table of parameters that no paper has; records keep their keys."""
    return tuple(c for c in columns if c not in ("cycles_printed", "printed", "equal"))


def _facts(network: Network, hardware: Hardware) -> dict[str, Any]:
    return {"network": network.spec, "hardware": hardware.name}


def _adaptive(network: Network) -> dict[PrintedColumn, str]:
    """The adaptive routing functions of [hou, section 2.3] that the network has."""
    return ADAPTIVE if network.geometry.is_cube_or_origin else {}


def _record(size: int, part: _Cells, hardware: Hardware) -> dict[str, Any]:
    time = None if part.time is None else half_up(part.time, part.places)
    equal = None if time is None or part.printed is None else time == part.printed
    hidden = None
    if part.printed is not None and part.part not in ("computation", "neighbours"):
        hidden = hidden_cycles(part.printed, hardware)
    if part.printed is not None and part.part == "neighbours":
        hidden = 8 * _each(part.printed, hardware)
    return {
        "points": size,
        "part": part.part,
        "cycles": part.cycles,
        "cycles_printed": hidden,
        "time": _text(time),
        "printed": _text(part.printed),
        "equal": equal,
        "tie": part.tie,
        "exact": part.time,
    }


def _each(printed: Decimal, hardware: Hardware) -> int:
    """Cycles of one of eight equal exchanges whose times add up to the printed one."""
    cycles = (Fraction(printed) / 8 - hardware.latency) / hardware.per_byte
    return round(cycles)


def _text(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


def _printed(table: Sequence[_Row], size: int, network: Network, hardware: Hardware) -> _Row | None:
    """The printed row of a size, on the network and with the times of the paper."""
    known = network == _CUBE and hardware == NCUBE2
    return next((row for row in table if known and row.points == size), None)


def _reversal(name: PrintedColumn, times: FFTTimes, row: Row1 | None, tie: str) -> _Cells:
    printed = None if row is None else row.bit_reverse[name]
    return _Cells(name, times.bit_reverse_cycles, times.bit_reverse, printed, tie)


# -- adaptive routing -----------------------------------------------------------------------


def _nearest(
    name: PrintedColumn,
    programs: Sequence[_Tied],
    size: int,
    hardware: Hardware,
    row: Row1 | None,
) -> _Cells:
    """The tie rule that comes nearest to the print, the first of equals."""
    printed = None if row is None else row.bit_reverse[name]
    tied = programs[0]
    if printed is not None:
        goal = hidden_cycles(printed, hardware)
        tied = min(programs, key=lambda program: abs(program.cycles(size, hardware) - goal))
    cycles = tied.cycles(size, hardware)
    return _Cells(name, cycles, hardware.message(cycles), printed, str(tied))


_RANDOM = ("random_least", "random_most", "random_exact")


def adaptive_table(
    points: Iterable[int] = POINTS,
    network: Network | None = None,
    hardware: Hardware = NCUBE2,
    seeds: Sequence[int] = SEEDS,
) -> Table:
    """Cycles of the bit reversal with adaptive routing, by tie rule.

    Args:
        points, network, hardware: as for `times_table`.
        seeds: of the random ties.

    Raises:
        InputError: as `parallel_fft`; no seeds.
    """
    cube = _CUBE if network is None else network
    if not len(seeds):
        raise InputError("seeds", "must be at least one", seeds)
    sizes = checked_integers("points", points)
    rules = TIE_RULES[:3]
    rows = []
    for name, routing in _adaptive(cube).items():
        programs = _by_tie(routing, cube, seeds)
        for size in sizes:
            counts = [tied.cycles(size, hardware) for tied in programs]
            fixed, drawn = counts[: len(rules)], counts[len(rules) :]
            row = _printed(TABLE_1, size, cube, hardware)
            goal = hidden_cycles(row.bit_reverse[name], hardware) if row is not None else None
            hits = None if goal is None else drawn.count(goal)
            head = {"points": size, "part": name, "cycles_printed": goal}
            ends = dict(zip(_RANDOM, (min(drawn), max(drawn), hits), strict=True))
            rows.append(head | dict(zip(rules, fixed, strict=True)) | ends)
    notes = ["Cycles from the start of the bit reversal to the last delivery.", *RULES_SAID]
    has_printed = any(row["cycles_printed"] for row in rows)
    hits_said = "; hits: those that give the printed time" * has_printed
    notes.append(f"random: {len(seeds)} seeds{hits_said}.")
    by_rule = (Quantity(tie, tie) for tie in rules)
    columns: tuple[Column, ...] = ("points", "part", "cycles_printed", *by_rule, *_RANDOM)
    if not has_printed:
        columns = tuple(c for c in _not_printed(columns) if c != "random_exact")
    title = "Bit reversal with adaptive routing, by tie rule"
    return Table(title, columns, rows, _facts(cube, hardware), notes)


# -- Table 2 ----------------------------------------------------------------------------------


def fft_speedup_table(
    points: Iterable[int] = POINTS, network: Network | None = None, hardware: Hardware = NCUBE2
) -> Table:
    """What the mapping gains, as [hou, Table 2].

    Args: as for `times_table`.

    Raises:
        InputError: as `parallel_fft`.
    """
    cube = _CUBE if network is None else network
    original, mapped = _ready(cube), _ready(cube, mapping="optimal")
    rows = []
    for size in checked_integers("points", points):
        row = _printed(TABLE_2, size, cube, hardware)
        plain, better = original.run(size, hardware), mapped.run(size, hardware)
        parts = [
            ("computation", plain.computation, 1),
            ("neighbours", plain.neighbour, 1),
            ("bit reversal, original", plain.bit_reverse, 1),
            ("bit reversal, mapping", better.bit_reverse, 1),
            ("bit reversal, speedup", plain.bit_reverse / better.bit_reverse, 2),
            ("execution, original", plain.execution, 1),
            ("execution, mapping", better.execution, 1),
            ("execution, speedup", plain.execution / better.execution, 2),
        ]
        for k, (part, value, places) in enumerate(parts):
            printed = None if row is None else Decimal(row[k + 1])
            shown = half_up(value, places)
            equal = None if printed is None else shown == printed
            record = {"points": size, "part": part, "time": str(shown)}
            rows.append(record | {"printed": _text(printed), "equal": equal, "exact": value})
    columns: tuple[Column, ...] = ("points", "part", _TIME, "printed", "equal")
    title, seen = "Speedup of the parallel FFT by the mapping", columns
    if any(row["printed"] for row in rows):
        title = f"{title} [hou, Table 2]"
    else:
        seen = _not_printed(columns)
    notes = [_UNIT + " Sums and ratios are those of exact times, rounded last."]
    return Table(title, seen, rows, _facts(cube, hardware), notes)


def barrier_table(
    points: Iterable[int] = POINTS,
    network: Network | None = None,
    hardware: Hardware = NCUBE2,
    tie: TieRule = "lowest-input",
) -> Table:
    """The program with barriers between its stages and without, for every routing function.

    Args:
        points, network, hardware: as for `times_table`.
        tie: who goes first among headers that arrive together.

    Raises:
        InputError: as `parallel_fft`.
    """
    cube = _CUBE if network is None else network
    programs: dict[str, FFTProgram] = {"e-cube": _ready(cube)}
    for name, routing in _adaptive(cube).items():
        programs[name] = _ready(cube, routing)
    programs["map"] = _ready(cube, mapping="optimal")
    rows: list[list[Any]] = []
    for size in checked_integers("points", points):
        for part, program in programs.items():
            tied = _with_ties(program, tie)
            staged = tied.run(size, hardware)
            free = tied.run(size, hardware, barrier=False)
            row: list[Any] = [size, part, staged.bit_reverse_cycles, free.bit_reverse_cycles]
            row += [sum(staged.neighbour_cycles), sum(free.neighbour_cycles), free.overlap]
            rows.append([*row, str(half_up(staged.execution)), str(half_up(free.execution))])
    notes = [
        "Cycles of the slowest message of a stage; execution in microseconds.",
        "overlap: cycles in which messages of the bit reversal and of later stages travel.",
    ]
    columns = ("points", "part", "reversal_barrier", "reversal_free", "neighbours_barrier")
    more = ("neighbours_free", "overlap", "execution_barrier", "execution_free")
    facts = _facts(cube, hardware) | {"tie": tie}
    return Table("Parallel FFT with barriers and without", columns + more, rows, facts, notes)
