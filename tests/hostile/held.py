"""What every reader says of files that are nearly right, held.

    python -m tests.hostile.held      write `held.json` anew, which a test compares

Files of every form, each with one word left out, doubled, or another in its place. What is refused
is refused in one line; the line of the file that it names is there, and where a form is read line
by line, the lines up to that one are refused as well, however the file goes on. Then answers and
texts are compared. What other libraries say of TOML, JSON and XML is theirs, and is left out.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.calibration import Measurements
from lccmodel.communication.program import Program
from lccmodel.errors import FileError, InputError
from lccmodel.network import Network
from tests.holding import short, write
from tests.hostile.test_readers import READERS, _fabric

HELD = Path(__file__).with_name("held.json")
SAMPLES = Path(__file__).parents[1] / "calibration" / "samples"
VARIANTS = 45
OTHERS = ("7", "x", "-1", "0", ":", "1e9", "", "2.5", "cn1", "=")
FOREIGN = re.compile(r"(must be (?:whole )?(?:TOML|JSON|XML|GraphML)[^;]*);.*|(to be XML.*);.*")
BY_LINES = ("trace.csv", "trace.tsv", "pairs.txt", "dump.prof", "hostfile", "recorded.csv")


def _right() -> dict[str, tuple[str, str]]:
    found = {
        f"{reader} {name}": (reader, text)
        for reader, (_, files) in READERS.items()
        for name, text in files.items()
        if isinstance(text, str) and reader != "read"
    }
    for path in sorted(SAMPLES.glob("*")):
        if path.is_file() and path.stat().st_size < 5000:
            found[f"read_measurements {path.name}"] = "read_measurements", path.read_text()
    return found


RIGHT = _right()
CASES = tuple(RIGHT)


def spoiled(text: str, case: str) -> list[str]:
    """The text, and with one of its words changed, each time another."""
    pieces = re.findall(r"[\w.]+|\s|[^\w\s]", text)
    draw = np.random.default_rng(len(text) + len(case))
    places = draw.permutation(len(pieces))[:VARIANTS].tolist()
    found = [text]
    for k, place in enumerate(sorted(places)):
        put = ("", pieces[place] * 2, OTHERS[(k // 3) % len(OTHERS)])[k % 3]
        found.append("".join([*pieces[:place], put, *pieces[place + 1 :]]))
    return found


def said(value: Any) -> Any:
    """All that an answer says, as text."""
    match value:
        case Program():
            rows = [(p.traffic.messages.tolist(), p.traffic.volumes.tolist()) for p in value]
            return [repr(value), rows, value.notes]
        case Network():
            edges = sorted((u, v, str(data)) for u, v, data in value.graph().edges(data=True))
            names = [value.name(x) for x in range(value.size)]
            return [edges, names, value.channel_loads([(0, value.size - 1)]).counts.tolist()]
        case Measurements():
            return [repr(value), value.sizes.tolist(), value.times.tolist(), vars(value)]
        case _:
            return repr(value)


def outcome(read: Any, path: Path, text: str) -> tuple[str, int]:
    """The answer or the text of the error; and the line that it names, -1 for an answer."""
    path.write_text(text)
    try:
        return re.sub(r"array\([^)]*\)", "", str(said(read(path)))), -1
    except InputError as error:
        line = error.line if isinstance(error, FileError) else 0
        return FOREIGN.sub(r"\1\2", str(error)), line


def facts(case: str) -> str:
    """How many of the spoiled files are read, and a digest of all that is said."""
    reader, text = RIGHT[case]
    read, name = READERS[reader][0], case.split(" ", 1)[1]
    answers, texts = 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        for k, given in enumerate(spoiled(text, case)):
            told, line = outcome(read, path, given)
            lines = re.split("\r\n|\r|\n", given)
            assert k or line == -1 or "must hold times of single messages" in told
            assert line == -1 or ("\n" not in told and line <= len(lines))
            if line > 0 and name in BY_LINES:
                before, at = outcome(read, path, "\n".join(lines[:line]))
                assert at == line or "look numbered from one" in told, (told, before)
            answers += line == -1
            texts.append(told.replace(folder, "").replace(str(_fabric().parent), ""))
    digest = short("\n".join(texts))
    return f"{answers} of {len(texts)} {digest}"


if __name__ == "__main__":
    write(HELD, CASES, facts)
