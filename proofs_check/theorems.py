"""The machine-checked theorems behind claims, from `formal/theorems.json`.

A claim that a theorem covers holds for every n, whatever domain was counted. What is proved is the
mathematics; that the library computes it is what counting and the evaluated model show.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["MACHINE_CHECKED", "Theorem", "theorems", "theorems_of"]

MACHINE_CHECKED = "every n (machine-checked)"
_FOLDER = Path(__file__).parent / "formal"


@dataclass(frozen=True)
class Theorem:
    """One theorem of `formal/`: its name, formal statement, file, and the claims it proves."""

    name: str
    statement: str
    file: str
    claims: tuple[str, ...]
    assumptions: tuple[str, ...]


@cache
def theorems() -> tuple[Theorem, ...]:
    """All theorems, in the order of the files.

    >>> next(t.file for t in theorems() if t.name == "hou_theorem_1")
    'ecube.v'
    """
    listed = json.loads((_FOLDER / "theorems.json").read_text(encoding="utf-8"))
    return tuple(
        Theorem(**{**entry, "claims": tuple(entry["claims"]), "assumptions": ()})
        for entry in listed
        if not entry["assumptions"]
    )


def theorems_of(claim_id: str) -> tuple[str, ...]:
    """Names of the theorems that prove a claim for every n; empty where it was counted only.

    >>> theorems_of("hou.thm1"), theorems_of("hou.fig1")
    (('hou_theorem_1',), ())
    """
    return tuple(theorem.name for theorem in theorems() if claim_id in theorem.claims)
