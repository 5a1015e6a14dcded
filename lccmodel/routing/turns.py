"""Routing functions of hypercubes given by the turns that they forbid.

A turn is a hop along one dimension after a hop along another. Of two dimensions there are eight:
the second hop goes up to the higher dimension or down to the lower one, and each hop sets its bit
(+) or clears it (-). `+d-` is a hop that sets a bit, then one that clears a bit of a lower
dimension. In a square of the cube the eight turns make two rings of four,

    +u+ +d- -u- -d+        +d+ +u- -d- -u+

and unless one of each is forbidden, four messages can wait for each other there. So a rule forbids
two turns at least, one of each ring (the turn model of Glass and Ni). A rule may forbid other turns
between two dimensions below `split`, between one below and one above, and between two above.

    p-cube                   +u- +d- everywhere
    minimum-restriction      +d- -d- everywhere
    e-cube                   +d- -d- -d+ +d+ everywhere

A hop is offered when the turn into it is permitted and permitted turns lead on to the destination.

The routing functions of Chiu, Min, MIXab3 and MIXbb3 are cited in [hou, section 6] and not defined
there. `RECONSTRUCTED` holds rules that give their columns of [hou, Table 1] at all four sizes when
the message of the lower node goes first (tie rule "oldest"). They show that such rules exist, not
that these are the ones that were meant: others fit as well (docs/wormhole.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from lccmodel._arguments import typed_arguments
from lccmodel.errors import NodeError, SizeLimitError, checked_integer
from lccmodel.routing.cubes import CubeRouting, bits
from lccmodel.routing.function import Provenance, RoutingError

Turns = tuple[str, ...]

RINGS: tuple[Turns, Turns] = (("+u+", "+d-", "-u-", "-d+"), ("+d+", "+u-", "-d-", "-u+"))
"""The turns of the two ways round a square of two dimensions."""

_ALL = frozenset(turn for ring in RINGS for turn in ring)


@typed_arguments
@dataclass(frozen=True)
class TurnRouting(CubeRouting):
    """A minimal routing function that forbids turns.

    Args:
        within: turns forbidden between two dimensions below `split`, as words such as "+d-".
        across: those between a dimension below `split` and one from it on.
        above: those between two dimensions from `split` on.
        split: the first dimension of the upper ones.
        name, about, provenance: how tables and figures call it, and where it comes from.

    Raises:
        RoutingError: not a turn, or a split below 0.

    >>> pcube = TurnRouting(*(("+u-", "+d-"),) * 3)
    >>> pcube.dimensions(0b011, 0b110, -1), pcube.dimensions(0b010, 0b110, 0)
    ([0], [2])
    """

    within: Turns
    across: Turns
    above: Turns
    split: int = 3
    name: str = "turns"
    about: str = "a rule that forbids turns"
    provenance: Provenance = "user"
    _permitted: tuple[frozenset[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if checked_integer("split", self.split) < 0:
            raise RoutingError("split", "must not be negative", self.split)
        kept = []
        for place in ("within", "across", "above"):
            turns = getattr(self, place)
            wrong = [turn for turn in turns if not isinstance(turn, str) or turn not in _ALL]
            if wrong or isinstance(turns, str):
                rule = f"must be a tuple of turns, each one of {' '.join(sorted(_ALL))}"
                raise RoutingError(place, rule, turns)
            kept.append(_ALL - frozenset(turns))
        object.__setattr__(self, "_permitted", tuple(kept))

    def permits(self, last: int, rose: bool, following: int, rises: bool) -> bool:
        """Whether a hop along `last`, setting the bit if `rose`, may be followed by another.

        >>> TurnRouting(("+d-", "-d-"), (), ()).permits(1, True, 0, False)
        False
        """
        word = "-+"[rose] + "du"[following > last] + "-+"[rises]
        return word in self._permitted[(last >= self.split) + (following >= self.split)]

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The dimensions that may follow `last` and leave a way on.

        Raises:
            NodeError: a router below 0.
            SizeLimitError: more than 18 dimensions to go.
        """
        for argument, router in (("at", at), ("to", to)):
            checked_integer(argument, router, NodeError, least=0)
        if (at ^ to).bit_count() > _MOST_HOPS:
            rule = f"at most {_MOST_HOPS} dimensions to go: what is left is looked up for each set"
            raise SizeLimitError("to", rule, to)
        rose = last >= 0 and at >> last & 1 == 1
        return _offered(self, to & ~at, at & ~to, last, rose)


_MOST_HOPS = 18


@lru_cache(maxsize=1 << _MOST_HOPS)
def _offered(rule: TurnRouting, sets: int, clears: int, last: int, rose: bool) -> list[int]:
    """The dimensions offered to a header that still has to set and to clear these bits."""
    found = []
    for k in bits(sets | clears):
        rises, rest = sets >> k & 1 == 1, ~(1 << k)
        if last < 0 or rule.permits(last, rose, k, rises):
            done = sets & rest, clears & rest
            if done == (0, 0) or _offered(rule, *done, k, rises):
                found.append(k)
    return found


def _reconstructed(name: str, column: str, within: Turns, across: Turns) -> TurnRouting:
    about = f"a rule that gives column {column} of [hou, Table 1] under ties to the oldest"
    return TurnRouting(within, across, ("+u-", "+d-"), 3, name, about, "reconstructed")


RECONSTRUCTED: tuple[TurnRouting, ...] = (
    _reconstructed("chiu", "chiu", ("-u-", "-u+"), ("-u-", "-u+")),
    _reconstructed("mixab3", "mixab3", ("+u-", "+u+"), ("-u-", "+u-")),
    _reconstructed("mixbb3", "mixbb3", ("-u+", "+u+"), ("-u-", "+u-")),
    _reconstructed("min-turns", "min", ("+d-", "+d+"), ("-u-", "+u-")),
)
"""A rule for each column of [hou, Table 1] whose routing the paper only cites.

Above dimension 2 all four forbid what p-cube forbids; the last three differ below dimension 3 only.
"""
