"""Objectives of a placement: maximum loads, volume times distance, and mixtures of both.

max-max, max-sum, sum-sum and joint are maximum loads (`lattice.programme`). distance is volume
times channels (hop-bytes). A mixture is S x channels of the network x joint + (1 - S) x distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, cast

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number, as_fraction
from lccmodel.ground.words import checked_word, word_rule
from lccmodel.lattice.programme import OBJECTIVES, Objective

__all__ = ["Mixture", "PlacementObjective", "loads_and_share", "placement_objective"]

_LONGEST_SHARE = 20
"""Characters of a share that is read from a text."""

_MIXTURE = ", or mixture:S with 0 < S < 1"

_MOST_PARTS = 10_000
"""Largest denominator of a share."""


@typed_arguments
@dataclass(frozen=True, slots=True)
class Mixture:
    """An objective between joint and distance: S x channels x joint + (1 - S) x distance.

    Attributes:
        share: S, a number between 0 and 1; stored as an exact fraction.

    Raises:
        InputError: the share is not a number between 0 and 1, or has a denominator above 10,000.

    >>> Mixture(0.25).share, str(Mixture("1/10"))
    (Fraction(1, 4), 'mixture:1/10')
    """

    share: Number | str

    def __post_init__(self) -> None:
        """Store the share as a fraction."""
        try:
            share = as_fraction(self.share)
        except (ValueError, TypeError, ZeroDivisionError, OverflowError):
            share = Fraction(0)
        if not 0 < share < 1 or share.denominator > _MOST_PARTS:
            rule = f"must be between 0 and 1, with a denominator of at most {_MOST_PARTS}"
            raise InputError("share", rule, self.share)
        object.__setattr__(self, "share", share)

    def __str__(self) -> str:
        return f"mixture:{self.share}"


PlacementObjective: TypeAlias = (
    Literal["max-max", "max-sum", "sum-sum", "joint", "distance"] | Mixture
)


def placement_objective(text: str) -> PlacementObjective:
    """Return the objective that a text names, such as "joint" or "mixture:1/4".

    Raises:
        InputError: not the name of an objective.

    >>> placement_objective("joint"), placement_objective("mixture:0.25")
    ('joint', Mixture(share=Fraction(1, 4)))
    """
    name, colon, share = text.partition(":") if isinstance(text, str) else ("", "", "")
    if name != "mixture" or not colon or len(share) > _LONGEST_SHARE:
        word = checked_word("objective", text, (*OBJECTIVES, "distance"), _MIXTURE)
        return cast("PlacementObjective", word)
    try:
        return Mixture(Fraction(share))
    except (ValueError, ZeroDivisionError):
        rule = word_rule(text, (*OBJECTIVES, "distance"), _MIXTURE)
        raise InputError("objective", rule, text) from None


def loads_and_share(objective: str | Mixture) -> tuple[Objective, Fraction]:
    """Return the objective by busiest channels, and its share; the rest is distance.

    Raises:
        InputError: not an objective.

    >>> loads_and_share("max-max"), loads_and_share("distance"), loads_and_share("mixture:0.25")
    (('max-max', Fraction(1, 1)), ('joint', Fraction(0, 1)), ('joint', Fraction(1, 4)))
    """
    known = objective if isinstance(objective, Mixture) else placement_objective(objective)
    if isinstance(known, Mixture):
        return "joint", Fraction(known.share)
    if known == "distance":
        return "joint", Fraction(0)
    return known, Fraction(1)
