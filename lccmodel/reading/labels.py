"""Labels that launchers put before every line of output.

    0: text                              srun -l, flux run -l, jsrun; padded with blanks
    0.1: text                            srun -l of a heterogeneous job
    [0] text                             mpiexec -l of MPICH and Intel MPI
    nid1 0: text                         mpiexec -l of PALS
    [rank0]: text                        PyTorch
    [1,0]<stdout>:text                   mpirun --tag-output, Open MPI 4
    [1,0]<stdout>: text                  mpirun --output tag, Open MPI 5
    [1,0][n1:77]<stdout>: text           mpirun --output tag-detailed: with the host
    [prterun-n1-77@1,0]<stdout>: text    mpirun --output tag-fullname
    [0]<stdout>: text                    mpirun --output rank
    Thu Nov 26 10:00:00 2026[1,0]<stdout>:text, [Thu Nov 26 10:00:00 2026][1,0]<stdout>: text
    Thu Nov 26 10:00:00 2026<stdout>:text    with --timestamp-output: no rank with the time alone

A label with the name of a stream is never anything else. The others are also words that a line may
begin with, so that nearly all lines from the first to the last one must have them. Lines without a
label (a message of the day, a scheduler's report) keep their text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TIME = r"(?:[A-Z]\w\w [A-Z]\w\w [ \d]\d [\d:]{8} \d{4})"
_STREAM = r"<std(?:out|err|in|diag)>:"
_HOST = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"

_TAG = (
    rf"(?:{_TIME}|\[{_TIME}\])?"
    rf"(?:\[(?:[^\s\[\],]*,)?(?P<rank>\d{{1,9}})\](?:\[(?P<host>{_HOST}):\d+\])?)?{_STREAM}"
)
_TAGGED = re.compile(rf"{_TAG} ?(?P<rest>.*)", re.S)
_LATER_TAG = re.compile(_TAG.replace("?P<rank>", "").replace("?P<host>", ""))
"""A tag in the middle of a line: the line was written in two pieces."""

_PLAIN = (
    re.compile(r"\[rank(?P<rank>\d{1,9})\]:(?:[ ]?(?P<rest>\S.*|\s.*)|)", re.S),
    re.compile(r"\[ *(?P<rank>\d{1,9})\](?: (?P<rest>.*)|)", re.S),
    re.compile(r" *(?P<rank>\d{1,9})(?:\.\d{1,6})?:(?: (?P<rest>.*)|)", re.S),
    re.compile(
        rf"(?P<host>(?=\S*[A-Za-z])(?=\S*\d){_HOST}) +(?P<rank>\d{{1,9}}):(?: (?P<rest>.*)|)", re.S
    ),
)
_OWN = re.compile(
    r"(?:\x1b\[[\d;]*m)?\s*\S+\s+(?:bytes|[KMG]?B)(?:\x1b\[[\d;]*m)?\s+\S+\s+times\s+-->|\s*\"[SHR]-"
)
"""The rest of a row of NetPIPE, or of a port of ibnetdiscover, whose number is no label."""

_INTEGERS = re.compile(r"[\d\s,]*")

_SAMPLE = 1000
"""Lines from which the form is recognised."""

_SHARE = 0.75
"""The share of lines, from the first to the last label, that must have one without a stream."""


@dataclass(frozen=True, slots=True)
class Label:
    """The rank that wrote a line, and its host if the label names it."""

    rank: int | None
    host: str = ""


def without_labels(text: str) -> tuple[str, tuple[Label | None, ...]]:
    r"""Return the text without labels, and the label of every line; () without labels.

    >>> without_labels("[1,0]<stdout>: a\n[1,1]<stdout>: b\n")
    ('a\nb\n', (Label(rank=0, host=''), Label(rank=1, host=''), None))
    >>> without_labels(" 0: n1\n10: n2\n")[0]
    'n1\nn2\n'
    >>> without_labels("1: 8 bytes 200 times --> 3.1 Mbps in 20.1 usec\n")[1]
    ()
    """
    form = _form(text)
    if form is None:
        return text, ()
    known: dict[tuple[str | None, str | None], Label] = {}
    lines: list[str] = []
    labels: list[Label | None] = []
    for line in text.split("\n"):
        match = form.fullmatch(line)
        if match is None:
            lines.append(line)
            labels.append(None)
            continue
        parts = match.groupdict()
        rest, key = parts["rest"] or "", (parts["rank"], parts.get("host"))
        if key not in known:
            known[key] = Label(None if key[0] is None else int(key[0]), key[1] or "")
        lines.append(_LATER_TAG.sub("", rest) if form is _TAGGED and "<std" in rest else rest)
        labels.append(known[key])
    return "\n".join(lines), tuple(labels)


def _is_label(places: list[int], lines: int, ranks: set[str]) -> bool:
    """Return whether so many lines begin with a label that it is none of the text.

    A scheduler's report or a message of the day may stand before and behind the labelled lines.
    """
    span = places[-1] - places[0] + 1
    is_block = len(places) == span and len(ranks) > 1
    return len(places) >= _SHARE * lines or (
        len(places) >= _SHARE * span and (4 * len(places) >= lines or is_block) and len(ranks) > 1
    )


def _form(text: str) -> re.Pattern[str] | None:
    """Return the form of the labels of a text, or None."""
    filled, begin = list[str](), 0
    while len(filled) < _SAMPLE and begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        if text[begin:end].strip():
            filled.append(text[begin:end])
        begin = end + 1
    if any(_TAGGED.fullmatch(line) for line in filled):
        return _TAGGED
    for form in _PLAIN:
        places = [k for k, line in enumerate(filled) if form.fullmatch(line)]
        matches = [match for k in places if (match := form.fullmatch(filled[k]))]
        if not matches or not _is_label(places, len(filled), {match["rank"] for match in matches}):
            continue
        rests = [match["rest"] or "" for match in matches]
        if any(map(_OWN.match, rests)):
            continue
        ranks = {match["rank"] for match in matches}
        # a number and a list of numbers on every line is an adjacency list as well
        if len(ranks) < len(matches) or not all(map(_INTEGERS.fullmatch, rests)):
            return form
    return None
