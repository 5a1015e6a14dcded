"""The table by which an MPICH chooses its algorithms: a file, or inside the library itself.

A table is JSON: under "collective=bcast" and so on a tree of conditions such as "comm_size<=8",
whose leaves are "algorithm=MPIR_Bcast_intra_binomial". MPICH stops with an error when a collective
that it calls has no entry, so a decision file is a whole table. Which functions and conditions a
version knows is in its library, beside the table that it takes by default.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lccmodel.errors import FileError, Reason
from lccmodel.ground.files import read_at_most

_LARGEST = 1 << 28
_TABLE = re.compile(rb'\{"collective=[ -~]*')
_FUNCTION = re.compile(rb"algorithm=MPIR_([A-Za-z_0-9]+)")


@dataclass(frozen=True)
class MpichTable:
    """What an MPICH chooses by itself.

    Attributes:
        table: JSON of a tuning file: a tree for every collective.
        functions: the algorithms that this version knows, MPIR_ left out; None if a file does not
            say.
    """

    table: Mapping[str, Any] = field(hash=False)
    functions: frozenset[str] | None = None


def read_mpich_table(path: str | os.PathLike[str]) -> MpichTable:
    """The table of an MPICH.

    Args:
        path: a tuning file (JSON), or the library, such as libmpi.so.12.

    Raises:
        FileError: it cannot be read, or has no such table.
    """
    try:
        content = read_at_most(Path(path), _LARGEST)
    except OSError as error:
        raise FileError(path, 0, "cannot read the file", Reason(error.strerror or error)) from None
    if not content.startswith(b"\x7fELF"):
        return MpichTable(_checked(path, content))
    tables = [match.group() for match in _TABLE.finditer(content)]
    # of several tables the one for communication between nodes has the most collectives
    largest = max(tables, key=len, default=b"")
    functions = frozenset(name.decode() for name in _FUNCTION.findall(content))
    return MpichTable(_checked(path, largest), functions)


def _checked(path: str | os.PathLike[str], content: bytes) -> dict[str, Any]:
    try:
        table = json.loads(content)
    except (ValueError, RecursionError) as error:
        rule = "must be a tuning file of MPICH (JSON), or its library"
        raise FileError(path, 0, rule, Reason(error)) from None
    needed = [f"collective={name}" for name in ("allreduce", "bcast", "barrier", "ibarrier")]
    if not isinstance(table, dict) or not all(isinstance(table.get(key), dict) for key in needed):
        rule = "must have a rule for every collective, as the file that comes with MPICH has"
        raise FileError(path, 0, rule, sorted(map(str, table))[:3] if table else table)
    return table
