"""What [hou, section 6] prints about the parallel FFT: Tables 1 and 2, and the machine behind them.

Times are in microseconds, as printed. Every communication time T of Table 1 hides a whole number
of cycles C: T = latency + C · (time of a byte), rounded half up to one decimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.published import HOU_NCUBE2, HOU_TABLE_1, HOU_TABLE_2

PrintedColumn = Literal["e-cube", "chiu", "min", "mixab3", "mixbb3", "pcube", "map"]
_TIMES = ("latency", "per_byte", "butterfly", "half_butterfly")


@typed_arguments
@dataclass(frozen=True)
class Hardware:
    """The times of a parallel computer, in microseconds; kept as exact fractions.

    Args:
        name: of the computer.
        latency: software latency of a message.
        per_byte: time of a byte, that is of a flit, on a channel: one cycle.
        butterfly: a butterfly of which the processor has both inputs.
        half_butterfly: its share of one whose other half is done by the neighbour.
        point_bytes: bytes of a complex number.

    A float stands for the decimal that it prints as.

    Raises:
        InputError: a time below 0, no time of a byte, or no bytes.

    >>> NCUBE2.latency, NCUBE2.per_byte, NCUBE2.message(26)
    (Fraction(164, 1), Fraction(57, 100), Fraction(8941, 50))
    """

    name: str
    latency: Fraction
    per_byte: Fraction
    butterfly: Fraction
    half_butterfly: Fraction
    point_bytes: int = 16

    def __post_init__(self) -> None:
        for time in _TIMES:
            object.__setattr__(self, time, _exact(time, getattr(self, time)))
        if not self.per_byte:
            raise InputError("per_byte", "must be positive", self.per_byte)
        if not isinstance(self.point_bytes, int) or self.point_bytes < 1:
            raise InputError("point_bytes", "must be an integer of at least 1", self.point_bytes)

    def message(self, cycles: int) -> Fraction:
        """Time of a message that takes this many cycles in the network."""
        return self.latency + cycles * self.per_byte

    def cycles(self, time: Fraction) -> int:
        """Return the first whole cycle in which this time has passed.

        >>> NCUBE2.cycles(NCUBE2.latency)
        288
        """
        return -(-time // self.per_byte)


def _exact(argument: str, value: object) -> Fraction:
    try:
        exact = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise InputError(argument, "must be a number of microseconds", value) from None
    if exact < 0:
        raise InputError(argument, "must not be negative", value)
    return exact


_LATENCY, _BYTE, _BUTTERFLY, _HALF = map(Fraction, HOU_NCUBE2)
NCUBE2 = Hardware("nCUBE-2", _LATENCY, _BYTE, _BUTTERFLY, _HALF)
"""The computer of [hou, section 6.2]."""


def half_up(value: Fraction, places: int = 1) -> Decimal:
    """Rounded to so many decimals, halves up, as the tables are.

    >>> half_up(Fraction("2248.85")), half_up(Fraction(1, 3), 2)
    (Decimal('2248.9'), Decimal('0.33'))
    """
    whole = (value * 10**places * 2 + 1) // 2
    return Decimal((whole < 0, tuple(map(int, str(abs(whole)))), -places))


def hidden_cycles(time: Decimal, hardware: Hardware = NCUBE2) -> int:
    """The number of cycles of a message behind a printed time: the only one that rounds to it.

    Raises:
        InputError: no number of cycles, or several, round to this time.

    >>> hidden_cycles(Decimal("248.9"))
    149
    """
    about = int((Fraction(time) - hardware.latency) / hardware.per_byte)
    around = range(max(0, about - 2), about + 3)
    fitting = [cycles for cycles in around if half_up(hardware.message(cycles)) == time]
    if len(fitting) != 1:
        rule = "must be a message time, rounded to one decimal, of one whole number of cycles"
        raise InputError("time", rule, str(time))
    return fitting[0]


class Row1(NamedTuple):
    """A row of [hou, Table 1]; microseconds."""

    points: int
    computation: Decimal
    neighbour: Decimal
    bit_reverse: MappingProxyType[PrintedColumn, Decimal]


class Row2(NamedTuple):
    """A row of [hou, Table 2]; microseconds and ratios."""

    points: int
    computation: Decimal
    neighbour: Decimal
    original: Decimal
    mapping: Decimal
    speedup: Decimal
    execution_original: Decimal
    execution_mapping: Decimal
    execution_speedup: Decimal


NAMES: tuple[PrintedColumn, ...] = get_args(PrintedColumn)


def _row_1(points: int, times: tuple[Decimal, ...]) -> Row1:
    computation, neighbour, *rest = times
    columns = MappingProxyType(dict(zip(NAMES, rest, strict=True)))
    return Row1(points, computation, neighbour, columns)


TABLE_1 = tuple(_row_1(points, times) for points, times in HOU_TABLE_1.items())
"""[hou, Table 1]: the parallel FFT on an 8-dimensional hypercube."""

TABLE_2 = tuple(Row2(points, *times) for points, times in HOU_TABLE_2.items())
"""[hou, Table 2]: the speedup of the optimal reordering mapping."""
