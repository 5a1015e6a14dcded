"""Forged certificates, each with a digest of its own, that a checker has to refuse.

A forgery is a sample of `samples.py` with one entry replaced: (sample, path, value). `FORM` holds
entries that no certificate may have in that place, whatever they mean; 0.4 accepted about a third,
and its floats left the best degree of (2^53 + 3)^2 items out. `CONTENT` holds entries of the right
form that prove nothing.
"""

import json
from typing import Any

Forgery = tuple[str, tuple[Any, ...], Any]

_WIDE = {"sides": [2] * 20 + [1] * 2000, "rings": [False] * 2020, "bandwidths": [1] * 2020,
         "seats": 1}  # fmt: skip
"""Without a limit of dimensions it took a minute."""


def _named(*rows: tuple[Any, ...]) -> dict[str, Forgery]:
    """Rows of (sample, path with dots, values): a forgery for each value."""
    return {
        f"{sample} {dotted} {value!r:.40}": (sample, _path(dotted), value)
        for sample, dotted, *values in rows
        for value in values
    }


def _path(dotted: str) -> tuple[Any, ...]:
    return tuple(int(key) if key.isdigit() else key for key in dotted.split("."))


FORM = _named(
    # numbers that are no integers in ASCII digits, and no p/q of those; 1e100000000 ran for ever
    ("degree", "proof.stretches.0.1", 50.0),
    ("degree", "answer.Q", 5.0),
    ("degree", "problem.N", 50.0),
    ("degree", "problem.steps.A", True),
    ("degree", "problem.barrier", "1e0", "1e100000000", "1.0", "+1", " 1 ", "1\n", "0_1", "-1", -1),
    ("degree", "problem.barrier", "1/0", "1/1/1", "", "inf", [1], None),
    ("degree", "problem.barrier", 10**400, "1" * 401, "1/" + "1" * 401),
    ("placement", "problem.phases.0.messages.0.0", False),
    ("placement", "answer.value", "\u0661"),
    ("gather", "answer.order", [False, True, 2], [0.0, 1.0, 2.0], "012"),
    # words
    ("placement", "problem.network.rings", ["no"], [0], [None]),
    ("gather", "problem.network", "cube:+3", "cube:3\n", "cube: 3", "cube:03", "cube:0_3"),
    ("gather", "problem.network", "cube:\u0663", "Cube:3", ["cube", 3]),
    ("gather", "problem.sends", "both", ["gather"]),
    ("allreduce", "proof.start_ups", 1, "no"),
    ("allreduce", "answer.steps.0.0.3", "ADD"),
    ("schedule", "answer.ties.0", "minus"),
    ("places", "proof.direction", "up"),
    ("allreduce", "problem.ports", ["all"]),
    # lists
    ("gather", "problem.A.0", ["1", "1", "0"], "11", "11 ", "11\u0660"),
    ("gather", "problem.A", "110"),
    ("tree", "problem.phases", {"0": 1}),
    ("placement", "problem.phases.0.messages.0", [0, 1], [0, 1, 1, 1]),
    ("degree", "proof.stretches.0", [4, 50, 5, 5], "455"),
    ("placement", "answer.node_of", [0, 0, 1]),
    ("widths", "problem.network.rings", [False]),
    ("widths", "problem.network.bandwidths", [1], [0, 3]),
    ("parts", "proof.box", [2, 2, 1], "22"),
    ("parts of a tree", "proof.box", True),
    ("parts", "proof.phase", False),
    ("gather", "proof.more", json.loads("[" * 50 + "]" * 50)),
    # sizes
    ("placement", "problem.network", _WIDE),
    ("placement", "problem.network.sides", [1 << 40]),
    ("placement", "problem.network.seats", 1 << 40),
    ("allreduce", "problem.blocks", 1 << 30, 1 << 20),
    ("placement", "problem.ranks", 10**9),
    ("degree", "problem.d", 10**9),
    ("degree", "problem.pieces", [[None, 1, 1]] * 100000),
)

CONTENT = _named(
    ("gather", "answer.degree", 1, 4, 0, 3, 1 << 200),
    ("gather", "answer.order", [2, 1, 0]),
    ("gather", "problem.A", ["100", "010", "001"]),
    ("gather", "problem.network", "origin:3", "cube:4"),
    ("gather", "proof.factors", [["1", "1", "1"], ["110"]]),
    ("gather", "proof.steps", [], [None] * 3),
    ("scatter", "problem.sends", "gather"),
    ("degree", "answer.time", 1),
    ("degree", "answer.Q", 1),
    ("degree", "proof.stretches", []),
    ("degree", "proof.stretches.0.1", 49),  # a degree that no stretch covers
    ("degree", "problem.pieces.0.0", 3),
    ("degree", "problem.pieces.0.1", 700),
    ("tree", "answer.value", "1/2"),
    ("tree", "problem.network.up.0", 2),
    ("tree", "proof.bound", "distances"),
    ("tree", "proof.box", 1),
    ("places", "problem.network.seats", 1),
    ("widths", "problem.network.bandwidths.0", 2),
    ("eigenvalue", "proof.eigenvalue", 5),
    ("placement", "problem.phases.0.messages.0", [0, 1, 2]),
    ("schedule", "answer.length", 4, 6),
    ("schedule", "answer.steps", [[0] * 8] * 3),
    ("schedule", "answer.steps.0.0", 4),
    ("schedule", "problem.M", 2),
    ("allreduce", "answer.steps", []),
    ("allreduce", "answer.data", "1/4"),
    ("allreduce", "problem.ports", "one"),
    ("allreduce", "proof", {"start_ups": False, "data": None}),
    ("alltoall", "answer.start_ups", 1),
    ("alltoall", "proof.data", {"bound": "port", "rank": 0}),
    ("alltoall", "problem.collective", "allgather"),
    ("sums", "answer.value", 1, 100),
    ("sums", "proof.from.0.15", 100),
    ("orders", "answer.value", 1),
    ("orders", "proof.from", [[]]),
    ("orders", "proof.from.0", [0]),
)
