"""A machine file: what a message costs on a machine, in TOML that a person can read and write.

    [machine]
    name = "my cluster"
    unit = "us"                          # of every time in the file; sizes are bytes
    alpha = 1.2                          # start-up time
    tau = 0.0004                         # time per byte
    alpha_interval = [1.1, 1.3]          # optional: what is known of their reliability
    tau_interval = [0.00039, 0.00042]
    ratio_interval = [2600, 3400]        # of alpha/tau, in bytes

    doubt = "times fall as sizes grow"   # optional: why the line is no fit
    repeated = [[[1.1, 0.0005], [2.9, 0.0003]], ...]   # optional: alpha and tau of every segment,
                                         # fitted to the measurements drawn again

    [[machine.segment]]                  # optional: where the protocol changes
    up_to = 8192                         # bytes; left out in the last one
    alpha = 1.1
    tau = 0.0005

    [machine.inside]                     # optional: messages between ranks of one node
    alpha = 0.4
    tau = 0.0001

In place of alpha and tau: `loggp = { L = 5, o = 1, g = 6, G = 0.001 }` or
`table = [[8, 1.2], [1024, 1.9]]`, sizes and times with straight lines between them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from lccmodel.calibration.fitting import Fit
from lccmodel.errors import FileError, InputError, checked_name
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.files import read_at_most, write_atomically
from lccmodel.ground.views import Viewed
from lccmodel.network import Mesh
from lccmodel.pipelining.loads import PortName
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Cost, Linear, Piecewise, exact

_KEYS = {
    *("name", "unit", "source", "alpha", "tau", "segment", "loggp", "table"),
    *("alpha_interval", "tau_interval", "ratio_interval", "confidence", "repeated", "doubt"),
    "inside",
}
_LARGEST = 1 << 20

ParameterInterval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class MachineFile(Viewed, view="machine-file"):
    """What a machine file says.

    Attributes:
        cost: of a message of so many bytes: `Linear`, or `Piecewise` where it has segments, a
            table or LogGP.
        unit: of the times, for people.
        others: costs that the measurements allow as well: the two ends of the intervals of α and
            τ, or those that were fitted to the measurements drawn again; none if it does not say.
        confidence: share of `others` that an interval shall hold: 1 for the ends of intervals.
        name, source: for people.
        doubt: why the cost is no fit to what was measured; "" if it is one.
        inside: the cost of a message between ranks of one node, where the file has one.
    """

    cost: Cost
    unit: str = "us"
    others: tuple[Cost, ...] = ()
    confidence: float = 1.0
    name: str = ""
    source: str = ""
    doubt: str = ""
    inside: Linear | None = None

    def on(
        self,
        mesh: Mesh | str,
        item_bytes: Any = 8,
        barrier: Any = 0,
        ports: PortName = "one",
    ) -> Machine:
        """Return the machine with these messages on a network.

        Args:
            mesh, barrier, ports: as for `Machine`.
            item_bytes: bytes of an item.

        Raises:
            InputError: a value out of range or of another type.

        >>> MachineFile(Linear(2, "0.001")).on("mesh:8x8", item_bytes=8)
        Machine('mesh:8x8', alpha=2, tau=1/125)
        """
        return Machine(mesh, cost=self.cost.scaled(item_bytes), barrier=barrier, ports=ports)

    def other_costs(self, item_bytes: Any = 8) -> list[Cost]:
        """Return `others` for messages of so many items, as `degree_interval` takes them."""
        return [cost.scaled(item_bytes) for cost in self.others]


@typed_arguments
def read_machine(path: str | os.PathLike[str]) -> MachineFile:
    """Read a machine file.

    Raises:
        FileError: the file cannot be read or is not TOML, a key is unknown or missing, or a value
            is out of range; it names the key, the rule and the value.

    >>> import tempfile
    >>> from lccmodel.calibration import Measurements, fit
    >>> folder = tempfile.TemporaryDirectory()
    >>> machine_fit = fit(Measurements([0, 1000, 2000, 4000], [5.0, 6.0, 7.0, 9.0]))
    >>> path = write_machine(Path(folder.name, "machine.toml"), machine_fit, "mine")
    >>> read_machine(path).name
    'mine'
    >>> folder.cleanup()
    """
    try:
        text = read_at_most(path, _LARGEST).decode("utf-8")
        data = tomllib.loads(text, parse_float=_decimal)
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, 0, f"{error.argument} {error.rule}", error.value) from None
    except (tomllib.TOMLDecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FileError(
            path, 0, f"must be a machine file, in TOML ({_said(error)})", Path(path).name
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise FileError(path, 0, f"cannot be read: {reason}", str(path)) from None
    try:
        return _machine(data)
    except InputError as error:
        raise FileError(path, 0, f"{error.argument} {error.rule}", error.value) from None


def _decimal(text: str) -> Decimal:
    """A number as it is written; one whose exponent has 19 digits is no Decimal."""
    try:
        return Decimal(text)
    except InvalidOperation:
        rule = "must have a decimal exponent of three digits at most"
        raise InputError("a number", rule, text) from None


def _said(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _machine(data: Mapping[str, Any]) -> MachineFile:
    _known("the file", data, {"machine"})
    machine = data.get("machine")
    if not isinstance(machine, dict):
        raise InputError("[machine]", "must be a table of the file", list(data))
    _known("machine", machine, _KEYS)
    words = {name: machine.get(name, "") for name in ("name", "unit", "source", "doubt")}
    for name, word in words.items():
        if not isinstance(word, str):
            raise InputError(name, "must be text", word)
    cost = _cost(machine)
    others, confidence = _others(machine, cost)
    texts = (words["name"], words["source"], words["doubt"])
    here = _inside(machine["inside"]) if "inside" in machine else None
    return MachineFile(cost, words["unit"] or "us", others, confidence, *texts, here)


def _inside(table: Any) -> Linear:
    if not isinstance(table, dict):
        raise InputError("inside", "must be a table with alpha and tau", table)
    _known("inside", table, {"alpha", "tau"}, {"alpha", "tau"})
    return Linear(table["alpha"], table["tau"])


def _others(machine: Mapping[str, Any], cost: Cost) -> tuple[tuple[Cost, ...], float]:
    """The costs that the file's intervals or repeated fits allow, and the share of them to hold."""
    alpha, tau, ratio = (
        _interval(f"{name}_interval", machine) for name in ("alpha", "tau", "ratio")
    )
    share = exact("confidence", machine.get("confidence", 1))
    if not 0 < share <= 1:
        raise InputError("confidence", "must be above 0 and at most 1", machine["confidence"])
    if "repeated" in machine:
        return tuple(_repeated(machine["repeated"], cost)), float(share)
    if not isinstance(cost, Linear):
        return (), 1.0
    least, most = tau or (cost.tau, cost.tau)
    if ratio is not None:  # large messages with short start-ups, and the other way round
        return (Linear(ratio[0] * most, most), Linear(ratio[1] * least, least)), 1.0
    start, end = alpha or (cost.alpha, cost.alpha)
    return (Linear(start, most), Linear(end, least)) if alpha or tau else (), 1.0


def _repeated(rows: Any, cost: Cost) -> list[Cost]:
    rule = f"must be a list of {len(cost.pieces)} pairs [alpha, tau] for every repetition"
    if not isinstance(rows, list):
        raise InputError("repeated", rule, rows)
    costs: list[Cost] = []
    for row in rows:
        pairs = isinstance(row, list) and all(isinstance(p, list) and len(p) == 2 for p in row)
        if not pairs or len(row) != len(cost.pieces):
            raise InputError("repeated", rule, row)
        lines = zip(cost.pieces, row, strict=True)
        costs.append(Piecewise((piece.up_to, a, t) for piece, (a, t) in lines))
    return costs


def _known(
    where: str, data: Mapping[str, Any], keys: set[str], needed: Collection[str] = ()
) -> None:
    for key in data:
        if key not in keys:
            raise InputError(where, f"may have the keys {', '.join(sorted(keys))}", key)
    for key in sorted(needed):
        if key not in data:
            raise InputError(where, f"must have {key}", sorted(data))


def _cost(machine: Mapping[str, Any]) -> Cost:
    ways = [way for way in ("segment", "loggp", "table") if way in machine]
    if len(ways) > 1:
        raise InputError("machine", "must have one of segment, loggp and table", ways)
    makers: dict[str, Callable[[Any], Cost]] = {
        "segment": _segments,
        "loggp": _loggp,
        "table": _table,
    }
    if ways:
        return makers[ways[0]](machine[ways[0]])
    for key in ("alpha", "tau"):
        if key not in machine:
            raise InputError("machine", f"must have {key}, or segment, loggp or table", key)
    return Linear(machine["alpha"], machine["tau"])


def _segments(segments: Any) -> Piecewise:
    if not isinstance(segments, list) or not all(isinstance(s, dict) for s in segments):
        raise InputError("segment", "must be a list of tables", segments)
    for segment in segments:
        _known("segment", segment, {"up_to", "alpha", "tau"}, {"alpha", "tau"})
    return Piecewise((s.get("up_to"), s["alpha"], s["tau"]) for s in segments)


def _loggp(values: Any) -> Piecewise:
    if not isinstance(values, dict) or set(values) != {"L", "o", "g", "G"}:
        stated = sorted(values) if isinstance(values, dict) else values
        raise InputError("loggp", "must have the keys L, o, g and G", stated)
    return Piecewise.loggp(**values)


def _table(rows: Any) -> Piecewise:
    if not isinstance(rows, list) or not all(isinstance(r, list) and len(r) == 2 for r in rows):
        raise InputError("table", "must be a list of pairs [size, time]", rows)
    return Piecewise.table([row[0] for row in rows], [row[1] for row in rows])


def _interval(name: str, machine: Mapping[str, Any]) -> ParameterInterval | None:
    if name not in machine:
        return None
    ends = machine[name]
    if not isinstance(ends, list) or len(ends) != 2:
        raise InputError(name, "must be a pair [low, high]", ends)
    low, high = (exact(name, end) for end in ends)
    if low > high:
        raise InputError(name, "must not end before it starts", [str(low), str(high)])
    return low, high


@typed_arguments
def write_machine(path: str | os.PathLike[str], found: Fit, name: str = "") -> Path:
    """Write a machine file, replaced atomically; `read_machine` reads it.

    Args:
        found: a fit; times are in microseconds, sizes in bytes.
        name: of the machine, for people.

    Raises:
        InputError: the times are gaps of a window of messages (osu_bw), without a start-up.
        OSError: it cannot be written.

    >>> import tempfile
    >>> from lccmodel.calibration import Measurements, fit
    >>> folder = tempfile.TemporaryDirectory()
    >>> machine_fit = fit(Measurements([0, 1000, 2000, 4000], [5.0, 6.0, 7.0, 9.0]))
    >>> path = write_machine(Path(folder.name, "machine.toml"), machine_fit, "mine")
    >>> path.read_text().splitlines()[0]
    '# Made by `lccmodel calibrate`. Times in microseconds, sizes in bytes.'
    >>> folder.cleanup()
    """
    return write_atomically(path, machine_text(found, name))


def machine_text(fit: Fit, name: str = "") -> str:
    """The text of a machine file."""
    if not fit.measurements.start_up:
        rule = "must be times of single messages: the gaps in a window of them are no start-up"
        raise InputError("measurements", rule, fit.measurements.kind)
    lines = [
        "# Made by `lccmodel calibrate`. Times in microseconds, sizes in bytes.",
        "[machine]",
        *([f"name = {_quoted(name)}"] if name else []),
        'unit = "us"',
        f"source = {_quoted(repr(fit.measurements))}",
        *([f"doubt = {_quoted(fit.doubt)}"] if fit.doubt else []),
        f"alpha = {_written(fit.alpha)}",
        f"tau = {_written(fit.tau)}",
        f"confidence = {_written(fit.confidence)}",
        f"alpha_interval = {_pair(fit.alpha_interval)}",
        f"tau_interval = {_pair(fit.tau_interval)}",
    ]
    if fit.ratio_interval[1] != float("inf"):
        lines.append(f"ratio_interval = {_pair(fit.ratio_interval)}")
    if len(fit.segments) > 1:
        lines += ["# alpha and tau of every segment, fitted to the measurements drawn again"]
        rows = (", ".join(map(_pair, row)) for row in fit.repeated)
        lines += ["repeated = [", *(f"  [{row}]," for row in rows), "]"]
        for segment in fit.segments:
            lines += ["", "[[machine.segment]]"]
            lines += [f"up_to = {segment.up_to}"] * (segment.up_to is not None)
            lines += [f"alpha = {_written(segment.alpha)}", f"tau = {_written(segment.tau)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + checked_name("text", text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _written(value: float) -> str:
    """Six significant digits: more would be noise."""
    return repr(float(f"{value:.6g}"))


def _pair(ends: tuple[float, float]) -> str:
    return f"[{_written(ends[0])}, {_written(ends[1])}]"
