"""What algorithm HL leaves open for arbitrary permutations, as named choices.

[boppana, section 2.3] states the rule for two situations only: every processor has one tag
(state A), or half of them have two and the others none (state B). Linear-complement permutations
never leave these states [boppana, Lemma 4]. Others do, and in M-SIMD and MIMD mode (section 3.3)
the words "not used in earlier steps" can be read in several ways. `READINGS` names them:

    mode            reading       the open question that it answers
    simd, m-simd    agree         one tag: least unused bit; two: least bit that differs; all the
                                  processors that hold tags have to come to the same bit
                    pairs         the processors with two tags decide, the others follow
                    states        no rule outside states A and B, as printed
    mimd            differ        one tag: the least bit in which it differs from the processor
                    tag           one tag: the least bit in which this tag was not corrected yet
                    processor     one tag: the least bit that this processor has not chosen yet
                    cube          one tag: the least bit that no processor has chosen yet

In every reading a processor with two tags takes the least bit in which they differ. One of the
two is wrong in that bit, and moves: so every move shortens a way, and every way is minimal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import checked_order
from lccmodel.errors import InputError, checked_integer, checked_integers, shown
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import MODES as MODES
from lccmodel.ground.words import VARIANTS as VARIANTS
from lccmodel.ground.words import checked_word
from lccmodel.permutations.partitioned.tree import PartitionTree

ENDINGS = ("delivered", "disagreement", "state", "third tag", "two arrive", "undelivered")
"""How a routing ends, in the order of the numbers that `route_all` returns."""

DELIVERED, DISAGREEMENT, NEITHER_STATE, THIRD_TAG, TWO_ARRIVE, UNDELIVERED = range(len(ENDINGS))

_THIRD = ("kept", "refused")
_RECEIVE = ("any", "one")

_LOCKSTEP = ("agree", "pairs", "states")
READINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "simd": _LOCKSTEP,
        "m-simd": _LOCKSTEP,
        "mimd": ("differ", "tag", "processor", "cube"),
    }
)
"""The readings of each mode, the default first."""

BY_TREE = -1
"""In place of the set of bits that cut out subcubes, where a tree does."""

_UNLIMITED = np.iinfo(np.int64).max


@typed_arguments
@dataclass(frozen=True)
class Rules:
    """Algorithm HL in one reading.

    Args:
        mode: whose processors choose the same bit: "simd" all, "m-simd" those of a subcube that
            is cut out by the bits corrected so far, "mimd" each for itself.
        variant: "lsb" takes the least bit where there is a choice, "msb" the greatest
            [boppana, section 4].
        reading: one of `READINGS[mode]`; the first if left out.
        third: what a third tag in a processor does: "kept" beside the others (three tags take
            the least bit in which two of them differ, and one that is wrong in it moves), or
            "refused", which ends the routing. In SIMD mode there never is one.
        receive: "one" ends the routing when two neighbours send to a processor in the same
            step, as section 2.1 has it; "any" lets them. In SIMD mode there is only one.
        steps: most routing steps; n if left out. Beyond n only in MIMD mode.
        partition: in M-SIMD mode, bits that cut out subcubes besides those corrected so far,
            until all others are corrected: the partition of [boppana, Lemma 6]. Or the
            `PartitionTree` of the permutation, which alone says what a subcube is in every step,
            low bits first [boppana, Lemma 7].

    Raises:
        InputError: an unknown name, or an option that the mode does not have.

    >>> Rules().reading, Rules("mimd").reading
    ('agree', 'differ')
    >>> Rules("simd", reading="tag")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: reading: must be one of agree, pairs, states in mode 'simd'; \
did you mean 'agree'?; got 'tag'
    """

    mode: str = "simd"
    variant: str = "lsb"
    reading: str | None = None
    third: str = "kept"
    receive: str = "any"
    steps: int | None = None
    partition: Sequence[int] | PartitionTree = ()

    def __post_init__(self) -> None:
        checked_word("mode", self.mode, MODES)
        checked_word("variant", self.variant, VARIANTS)
        checked_word("third", self.third, _THIRD)
        checked_word("receive", self.receive, _RECEIVE)
        readings = READINGS[self.mode]
        if self.reading is None:
            object.__setattr__(self, "reading", readings[0])
        checked_word("reading", self.reading, readings, f" in mode {self.mode!r}")
        if self.steps is not None and checked_integer("steps", self.steps) < 0:
            raise InputError("steps", "must not be negative", self.steps)
        if not isinstance(self.partition, PartitionTree):
            if self.partition is None:
                rule = "must be bits or a PartitionTree; this permutation is not partitioned"
                raise InputError("partition", rule, None)
            bits = checked_integers("partition", self.partition)
            object.__setattr__(self, "partition", bits)
        if self.partition and self.mode != "m-simd":
            raise InputError("partition", "requires mode 'm-simd'", self.partition)

    def steps_for(self, n: int) -> int:
        """Return the most steps on 2^n processors."""
        if self.steps is None:
            return n
        if self.steps > n and self.mode != "mimd":
            rule = f"must be at most n = {n}: in mode {self.mode!r} every bit is used once"
            raise InputError("steps", rule, self.steps)
        return self.steps

    def codes(self, n: int) -> npt.NDArray[np.int64]:
        """Return the rules as the kernels take them: int64 of shape (7,)."""
        if isinstance(self.partition, PartitionTree):
            cut = BY_TREE
        else:
            cut = sum(1 << bit for bit in checked_order(self.partition, n, False, "partition"))
        return np.array(
            [
                MODES.index(self.mode),
                READINGS[self.mode].index(str(self.reading)),
                VARIANTS.index(self.variant),
                2 if self.third == "refused" else _UNLIMITED,
                1 if self.receive == "one" else _UNLIMITED,
                cut,
                n,
            ],
            dtype=np.int64,
        )

    def starts(self, n: int) -> npt.NDArray[np.int64]:
        """`PartitionTree.starts` of every processor, int64 of shape (2^n,); (0,) without a tree.

        Raises:
            InputError: a tree of another size.
        """
        if not isinstance(self.partition, PartitionTree):
            return np.empty(0, dtype=np.int64)
        if self.partition.n != n:
            raise InputError("partition", f"must be a tree of {n} bits", self.partition.n)
        return self.partition.starts

    def __str__(self) -> str:
        parts = [self.mode, self.variant, f"reading {self.reading!r}"]
        if self.mode == "mimd":
            parts.append(f"third tag {self.third}")
            parts.append(f"receive {self.receive}")
        if isinstance(self.partition, PartitionTree):
            parts.append(f"partition tree of depth {self.partition.depth}")
        elif self.partition:
            parts.append(f"partition {shown(self.partition)}")
        return ", ".join(parts)
