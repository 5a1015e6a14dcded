"""The machine-checked theorems behind claims, from `formal/theorems.json`.

A claim that a theorem covers holds for every n, whatever domain was counted. What is proved is the
mathematics; that the library computes it is what counting and the evaluated model show.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from proofs_check.formal.sources import Definition, Theorem

MACHINE_CHECKED = "every n (machine-checked)"
_FOLDER = Path(__file__).parent / "formal"


@cache
def theorems() -> tuple[Theorem, ...]:
    """All theorems, in the order of the files.

    >>> next(t.file for t in theorems() if t.name == "hou_theorem_1")
    'ecube.v'
    """
    return tuple(Theorem(**{**x, "around": tuple(x["around"])}) for x in _listed("theorems"))


@cache
def definitions() -> tuple[Definition, ...]:
    """All definitions that a theorem reaches, in the order of the files.

    >>> next(d.meaning for d in definitions() if d.name == "below")
    'L_i = {0, ..., i-1}'
    """
    return tuple(Definition(**{**x, "around": tuple(x["around"])}) for x in _listed("definitions"))


def _listed(name: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))
    return listed


def theorems_of(claim_id: str) -> tuple[str, ...]:
    """Names of the theorems that prove a claim for every n; empty where it was counted only.

    A theorem that proves a part of it says which.

    >>> theorems_of("hou.thm1"), theorems_of("hou.fig1")
    (('hou_theorem_1',), ())
    """
    return tuple(
        f"{theorem.name} ({part})" if part else theorem.name
        for theorem in theorems()
        for claim, part in theorem.claims.items()
        if claim == claim_id
    )
