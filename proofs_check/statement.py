"""What a claim is made of: where it stands, its readings, its control, what amends it.

Where the text does not determine what to check, a claim has no reading but a list of what was
tried: `Undecided`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

PAPERS: Mapping[str, str] = {
    "hou": "Hou, Wang, Ku, Hsu: Optimal Processor Mapping for Linear-Complement Communication "
    "on Hypercubes and Their Variations",
    "boppana": "Boppana, Raghavendra: Optimal Self-Routing of Linear-Complement Permutations "
    "in Hypercubes",
    "calmant": "Díaz de Cerio, Valero-García, González: Hypercube Algorithms on Mesh Connected "
    "Multicomputers",
    "edelman": "Edelman, Heller, Johnsson: Index Transformation Algorithms in a Linear Algebra "
    "Framework",
    "sibeyn": "Sibeyn: Matrix Techniques for Faster Routing of Affine Permutations on a Mesh "
    "Interconnection Network",
    "lattice": "this project: the bit-correction lattice",
    "collectives": "this project: plans of collectives",
    "swing": "this project: what Swing's busiest channel carries",
    "symbolic": "this project: formulas in n",
    "library": "this project: what lccmodel answers",
}

OWN = ("lattice", "collectives", "swing", "symbolic", "library")
"""Keys of claims that are this project's own and nobody's print."""


@dataclass(frozen=True)
class Source:
    """Where a claim stands: the key of the paper and the place in it.

    >>> Source("hou", "Section 4, Theorem 3").is_own, Source("hou", "beside section 4").is_own
    (False, True)
    >>> Source("mine", "a question of mine").is_own
    True
    """

    paper: str
    place: str

    @property
    def is_own(self) -> bool:
        """Whether nobody printed it: a question beside a paper, or of a key that is no paper's."""
        return self.paper in OWN or self.paper not in PAPERS or self.place.startswith("beside ")


class Variant:
    """A text and the parameters that turn the checker into this variant of the claim."""

    def __init__(self, text: str, **parameters: Any) -> None:
        self.text = text
        self.parameters = parameters

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r}, {self.parameters})"


class Control(Variant):
    """A deliberately wrong variant, which the checker must reject on the same domain.

    >>> Control("the rank of one row less", rows_less=1)
    Control('the rank of one row less', {'rows_less': 1})
    """


class Reading(Variant):
    """How an ambiguous print, or a print with a slip, is read.

    Without parameters the function checks the reading itself (the print cannot be run). With
    parameters the defaults are the print, which is run too, and the parameters are the reading.
    """


class Tried(Variant):
    """One way to complete what the text leaves open, e.g. an order that is not printed."""


@dataclass(frozen=True)
class Undecided:
    """Why no verdict can be read from the text: what is missing, and what was tried in its place.

    Args:
        missing: what would decide it, e.g. the order that is not printed.
        tried: what was put in its place. All are run; the control spoils the first.
    """

    missing: str
    tried: tuple[Tried, ...]


class Amended(Variant):
    """The statement that is true where the printed one fails; registered as `<id>.amended`.

    Args:
        says, latex: the amended statement.
        control: its negative control; that of the printed claim if left out.
        evidence: how it is checked; as for the printed claim if left out.
        parameters: what turns the checker into the amended statement.
    """

    def __init__(
        self,
        says: str,
        *,
        latex: str = "",
        control: Control | None = None,
        evidence: str = "",
        **parameters: Any,
    ) -> None:
        super().__init__(says, **parameters)
        self.latex = latex
        self.control = control
        self.evidence = evidence


class Sizes(NamedTuple):
    """The n of a claim: `least` to `most` are checked unless asked otherwise; beyond `limit` the
    checker cannot go at all.

    >>> Sizes(least=2, limit=8)
    Sizes(least=2, most=4, limit=8)
    """

    least: int = 1
    most: int = 4
    limit: int | None = None


@dataclass(frozen=True)
class Sample:
    """A seeded random sample: `blocks` random aligned ranges of `length` consecutive indices.

    A predicate is sampled case by case; a compiled kernel is fed longer blocks.
    """

    blocks: int
    length: int = 1
