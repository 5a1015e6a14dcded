"""The three standard streams as a command can use them: open, and able to take every letter.

closed (`>&-`)        the place is taken, or the next file that is opened would stand there; who
                      reads from it or writes to it is told so
not UTF-8             what the encoding lacks is written as an escape of JSON, such as \\u2192
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

_ESCAPED = "lccmodel.escaped"


def prepare_streams() -> None:
    """Before anything is opened, read or written."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # the other way round: to read from a closed input is an error, no empty file
            way = os.O_RDONLY if number == 1 else os.O_WRONLY
            os.dup2(os.open(os.devnull, way), number)
            kept = os.fdopen(number, "rw"[number > 0], encoding="utf-8", closefd=False)
            setattr(sys, name, kept)
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def let_go_of_output() -> None:
    """Forget what standard output does not take: Python would try once more at its end."""
    _let_go(sys.stdout)


def say_on_error(line: str) -> None:
    """A line on standard error; nobody may listen, as in `lccmodel no-such 2>&1 | true`."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    """What cannot be encoded, as JSON writes it in ASCII."""
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong: Any = error.object[error.start : error.end]
    return json.dumps(wrong)[1:-1], error.end
