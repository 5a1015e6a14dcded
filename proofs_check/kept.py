"""The verdicts that ship with the package: the records of its last full run.

`data/verdicts.json` is a report (`run --all --format json --no-times`), one record to a line, but
for numbers of counterexamples that are too long to be shown. So `report`, `list` and `show` say
what is settled before anything is run, and the findings and errata are made from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lccmodel.errors import FileError
from lccmodel.ground.files import read_at_most

Record = Mapping[str, Any]
"""What is known of a claim, after `schema/report-2.schema.json`."""

Records = Mapping[str, Record]
"""Records by the id of their claim."""

KEPT = Path(__file__).parent / "data" / "verdicts.json"
_LONGEST = 200
_LARGEST = 1 << 28
"""Most bytes of a report."""
_NEEDED = {"id", "verdict", "counterexample", "domain", "cases", "control", "problem"}
"""What findings and errata read of every record."""


@cache
def kept_records() -> Records:
    """The records that ship, each marked as stored.

    >>> kept_records()["hou.thm1"]["verdict"]
    'holds'
    """
    from lccmodel import __version__

    mark = f"stored, of version {__version__}"
    return {id: {**record, "kept": mark} for id, record in read_records(KEPT).items()}


def read_records(path: Path) -> Records:
    """The records of a report of `proofs-check run --format json`.

    Raises:
        FileError: it cannot be read, or is not such a report.
    """
    try:
        records = json.loads(read_at_most(path, _LARGEST))
        if not isinstance(records, list) or not records:
            raise TypeError("not a list of records")
        for record in records:
            if missing := _NEEDED - set(record):
                raise KeyError(f"a record without {' and '.join(sorted(missing))}")
        return {record["id"]: record for record in records if record["verdict"]}
    except FileError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        rule = f"must be a report of `proofs-check run --format json` ({error})"
        raise FileError(path, 0, rule, str(path)) from None


def writing(records: Iterable[Record]) -> str:
    """Records as they are kept."""
    lines = (json.dumps(_kept(record), ensure_ascii=False) for record in records)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _kept(value: Any) -> Any:
    """Without times and marks, and without numbers that are too long to be shown."""
    if isinstance(value, list):
        return [_kept(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    kept = {k: _kept(v) for k, v in value.items() if k not in ("seconds", "kept", "theorems")}
    if "details" in kept:
        details = kept["details"].items()
        kept["details"] = {k: v for k, v in details if len(json.dumps(v)) <= _LONGEST}
    return kept
