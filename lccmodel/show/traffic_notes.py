"""What tables say of a phase of traffic: its kind, the matrix it extends to, idle nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Phase
from lccmodel.communication.recognition import analyse
from lccmodel.communication.volumes import number_text
from lccmodel.errors import InputError
from lccmodel.network import Network
from lccmodel.show.cells import ranges_text

__all__ = ["about_phase", "idle_nodes", "idle_note", "name_of", "offer", "volume_note"]

_MOST_OFFERED = 1 << 22
"""Most messages among which a matrix is looked for."""


def name_of(phase: Phase, k: int) -> str:
    """What a table calls the k-th phase."""
    c = phase.lcc
    return phase.name or (c.name if c is not None else "") or f"phase {k}"


def about_phase(phase: Phase, k: int) -> dict[str, Any]:
    """Name, kind, and the rank of A where there is a matrix."""
    c = phase.lcc
    if c is None:
        return {"communication": name_of(phase, k), "kind": "traffic", "rank": None}
    return {"communication": name_of(phase, k), "kind": c.kind, "rank": c.rank}


def offer(phase: Phase) -> list[str]:
    """That the messages extend to y = Ax + b, if they do: what they leave out is not counted."""
    traffic = phase.traffic
    if phase.lcc is not None or not 0 < len(traffic) <= _MOST_OFFERED:
        return []
    try:
        found = analyse(traffic)
    except InputError:
        return []
    c = found.communication
    if c is None:
        return []
    missing = (1 << found.n) - len(np.unique(traffic.messages, axis=0))
    letters = "x = Ay + b" if c.kind == "scatter" else "y = Ax + b"
    name = phase.name or "the messages"
    if missing:
        some = "is" if missing == 1 else "are"
        whole = f"{name}: extends to a {c.kind} {letters} of rank {c.rank}"
        return [f"{whole}, of which {missing} messages {some} not sent; what is sent is counted"]
    return [f"{name}: a {c.kind} {letters} with unequal volumes, which are counted"]


def volume_note(phase: Phase, k: int) -> list[str]:
    """What a message carries, where all carry the same and loads count messages."""
    volume = phase.traffic.uniform_volume if phase.traffic.uniform else 1
    each = f"{name_of(phase, k)}: every message carries {number_text(volume)}"
    return [] if volume == 1 else [each]


def idle_note(node_of: npt.NDArray[np.int64], network: Network) -> list[str]:
    """The nodes that hold no rank."""
    if len(node_of) >= network.size or network.size > _MOST_OFFERED:
        return []
    idle = idle_nodes(node_of, network)
    many = f"{len(idle)} of {network.size} nodes"
    return [f"{many} hold no rank: {ranges_text(tuple(idle))}"]


def idle_nodes(node_of: npt.NDArray[np.int64], network: Network) -> list[int]:
    """The nodes that hold no rank, in ascending order."""
    idle: list[int] = np.setdiff1d(np.arange(network.size), node_of).tolist()
    return idle
