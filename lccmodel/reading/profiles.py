"""Profiles that say how much every rank sent to every other: Intel APS and TAU.

APS prints a table, `aps-report -x`, perhaps below others: with `-->` for each direction (2022 and
later), with `<->` for both directions together (2020), which are halved. TAU writes a file a rank,
`profile.R.0.0`, with user events "Message size sent to node D" if TAU_COMM_MATRIX=1; volumes are
number times mean.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from lccmodel.errors import FileError
from lccmodel.ground.numbers import as_number
from lccmodel.reading.entries import Sums, found_traffic, missing_note
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_NUMBER = re.compile(r"\d{1,20}(\.\d{0,20})?([eE][-+]?\d{1,2})?")
"""Numbers that are exact as fractions without many digits."""

# -- Intel APS ---------------------------------------------------------------------------------

_APS = "Data Transfers per Rank-to-Rank Communication"
_APS_ROW = re.compile(r"(\d{1,9})\s*(-->|<->)\s*(\d{1,9})\s+(.*)")
_SKIPPED = re.compile(r"\|\s*\[skipped (\d+) lines?\]")
_HALVED = "this report adds up both directions (<->): half of each volume is sent each way"
_MEGABYTE = 10**6
_MEGABYTES = "volumes are megabytes as printed, 10^6 bytes each"


def _is_aps(text: Text) -> bool:
    return _APS in text.head


def read_aps(text: Text) -> Found:
    """Return the messages of a report of Intel APS.

    Raises:
        FileError: with the line of the fault; lines that the report has skipped.
    """
    sums = Sums(text.path)
    place, halved = None, False
    for number, line in text.filled():
        if skipped := _SKIPPED.match(line):
            rule = "must have all lines (aps-report -x --no-filters); the report skipped some"
            raise FileError(text.path, number, rule, skipped[1])
        heads = re.findall(r"\S+\([^()]*\)", line)
        if "Volume(MB)" in heads:
            place = heads.index("Volume(MB)")
        if line.startswith("|") and ("TOTAL" in line or line.strip("|-= ") == _APS):
            place = None  # the table is over, or has not begun: a report may have others
        row = _APS_ROW.fullmatch(line.lstrip("| "))
        if row is None:
            if place is not None and not line.startswith("|"):
                rule = "must be a row such as '0000 --> 0001  1.00  50.00  4.00  44.44  10'"
                raise FileError(text.path, number, rule, line)
            continue
        cells = row[4].split()
        if place is None or place >= len(cells) or not _NUMBER.fullmatch(cells[place]):
            raise FileError(text.path, number, "must have a volume below Volume(MB)", line)
        volume = Fraction(cells[place]) * _MEGABYTE
        source, destination = int(row[1]), int(row[3])
        if row[2] == "<->" and source != destination:
            halved, volume = True, volume / 2
            sums.add(number, destination, source, as_number(volume))
        sums.add(number, source, destination, as_number(volume))
    entry = sums.entry(text, "Intel APS")
    return found_traffic(text, "aps-rank-to-rank", (entry,), [_MEGABYTES, *[_HALVED] * halved])


# -- TAU ---------------------------------------------------------------------------------------

_TAU = re.compile(r"\d+ templated_functions(_MULTI_\S+)?\s*$")
_PROFILE = re.compile(r"profile\.(\d{1,9})\.\d+\.\d+")
_SENT = re.compile(r'"Message size sent to node (\d{1,9})" (\S+) \S+ \S+ (\S+) \S+\s*')


def _is_tau(text: Text) -> bool:
    return _TAU.match(text.head.partition("\n")[0]) is not None


def read_tau(text: Text) -> Found:
    """Return the messages of the profiles of all ranks: that of the file, and those beside it.

    Raises:
        FileError: no messages are recorded, or a number is none.
    """
    sums = Sums(text.path)
    files: dict[Path, int] = {}
    for file in (*text.beside, text.path):
        if match := _PROFILE.fullmatch(file.name):
            files[file] = int(match[1])
    if text.path not in files:
        rule = "must be called profile.RANK.0.0, as TAU names it: the name has the rank"
        raise FileError(text.path, 0, rule, text.path.name)
    for file, rank in sorted(files.items()):
        own = text if file == text.path else Text.at(file)
        sums.hold(0, rank + 1)
        for number, line in own.filled():
            if (match := _SENT.fullmatch(line)) is None:
                continue
            if not (_NUMBER.fullmatch(match[2]) and _NUMBER.fullmatch(match[3])):
                rule = "must have a number of messages and a mean"
                raise FileError(file, number, rule, line)
            volume = round(Fraction(match[2]) * Fraction(match[3]))
            sums.add(number, rank, int(match[1]), volume)
    missing = sorted(set(range(sums.ranks)) - set(files.values()))
    if not sums.pairs:
        rule = "must record messages between ranks, as TAU_COMM_MATRIX=1 does"
        raise FileError(text.path, 0, rule, f"{len(files)} profiles")
    notes = []
    if missing:
        notes.append(missing_note(missing, sums.ranks, "profiles"))
    entry = sums.entry(text, f"TAU, {len(files)} profiles", text.path.parent.name or "profile")
    return found_traffic(text, "tau-profile", (entry,), notes)


FORMATS = (
    Format("aps-rank-to-rank", "traffic", SIGNATURE, _is_aps, read_aps,
           "Intel APS 2020 and later: aps-report -x",
           lacks="Directions (until 2020), and whether a megabyte is 10^6 or 2^20 bytes."),
    Format("tau-profile", "traffic", SIGNATURE, _is_tau, read_tau,
           "TAU 2: profile.R.0.0 with TAU_COMM_MATRIX=1", lacks="Messages of collectives."),
)  # fmt: skip
