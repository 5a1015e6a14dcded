"""What tables say of a phase of traffic: its kind, the matrix it extends to, idle nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._numbers import number_text
from lccmodel.communication.program import Phase
from lccmodel.network import Network
from lccmodel.problem import Problem
from lccmodel.show.cells import ranges_text

_MOST_LISTED = 1 << 22
"""Most nodes of which those that hold no rank are listed."""

_MOST_NAMED = 12
"""Most nodes or ranges of them that a note lists; JSON has `idle_nodes`, all of them."""


def name_of(phase: Phase, k: int) -> str:
    """What a table calls the k-th phase."""
    c = phase.lcc
    return phase.name or (c.name if c is not None else "") or f"phase {k}"


def kind_of(phase: Phase) -> str:
    """The kind of communication that a phase is, or "traffic"."""
    return "traffic" if phase.lcc is None else phase.lcc.kind


def about_phase(phase: Phase, k: int) -> dict[str, Any]:
    """Name, kind, and the rank of A where there is a matrix."""
    c = phase.lcc
    rank = None if c is None else c.rank
    return {"communication": name_of(phase, k), "kind": kind_of(phase), "rank": rank}


def extension_notes(problem: Problem) -> list[str]:
    """Which messages extend to y = Ax + b: what they leave out is not counted."""
    notes = []
    for phase, found in zip(problem.program, problem.extensions, strict=False):
        if found is None or found.communication is None:
            continue
        c, name = found.communication, phase.name or "the messages"
        missing = (1 << found.n) - len(np.unique(phase.traffic.messages, axis=0))
        letters = "x = Ay + b" if c.kind == "scatter" else "y = Ax + b"
        some = "is" if missing == 1 else "are"
        whole = f"{name}: extends to a {c.kind} {letters} of rank {c.rank}"
        whole += f", of which {missing} messages {some} not sent; what is sent is counted"
        unequal = f"{name}: a {c.kind} {letters} with unequal volumes, which are counted"
        notes.append(whole if missing else unequal)
    return notes


def volume_notes(program: Iterable[Phase], volumes: Sequence[int | Fraction]) -> list[str]:
    """What a message of every phase carries, where loads count messages: once if it is the same."""
    if len(volumes) > 1 and len(set(volumes)) == 1:
        return [] if volumes[0] == 1 else [f"every message carries {number_text(volumes[0])}"]
    return [
        f"{name_of(phase, k)}: every message carries {number_text(volume)}"
        for k, (phase, volume) in enumerate(zip(program, volumes, strict=True))
        if volume != 1
    ]


def idle_note(node_of: npt.NDArray[np.int64], network: Network) -> list[str]:
    """The nodes that hold no rank."""
    if len(node_of) >= network.size or network.size > _MOST_LISTED:
        return []
    idle = idle_nodes(node_of, network)
    if network.names:
        which = [network.name(node) for node in idle]
    else:
        which = ranges_text(tuple(sorted(network.whole(node) for node in idle))).split()
    more = " ..." if len(which) > _MOST_NAMED else ""
    few = " ".join(which[:_MOST_NAMED])
    return [f"{len(idle)} of {network.size} nodes hold no rank: {few}{more}"]


def idle_nodes(node_of: npt.NDArray[np.int64], network: Network) -> list[int]:
    """The nodes that hold no rank, in ascending order."""
    idle: list[int] = np.setdiff1d(np.arange(network.size), node_of).tolist()
    return idle
