"""Labels that launchers put before every line of output.

[1,0]<stdout>: text        mpirun --tag-output, Open MPI 4
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORMS = (re.compile(r"\[\d+,(?P<rank>\d{1,9})\](?:<std(?:out|err|diag)>)?: ?(?P<rest>.*)"),)


@dataclass(frozen=True, slots=True)
class Label:
    """The rank that wrote a line, and its host if the label names it."""

    rank: int | None
    host: str = ""


def without_labels(text: str) -> tuple[str, tuple[Label | None, ...]]:
    r"""Return the text without labels, and the label of every line; () without labels.

    Labels are taken off if every line with text has one of the same form.

    >>> without_labels("[1,0]<stdout>: a\n[1,1]<stdout>: b\n")
    ('a\nb\n', (Label(rank=0, host=''), Label(rank=1, host=''), None))
    """
    begin = text[: 1 << 12].lstrip().partition("\n")[0]
    form = next((form for form in _FORMS if form.fullmatch(begin)), None)
    if form is None:
        return text, ()
    lines, labels = [], list[Label | None]()
    for line in text.split("\n"):
        match = form.fullmatch(line)
        if match is None and line.strip():
            return text, ()
        lines.append(match["rest"] if match else "")
        labels.append(Label(int(match["rank"])) if match else None)
    return "\n".join(lines), tuple(labels)
