"""What HL is optimal for, and which mode routes more: [boppana], abstract and section 4."""

from __future__ import annotations

from functools import lru_cache

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, Tried, Undecided, claim
from proofs_check.claims.boppana_groups import alone, halves, is_routed, together, whole
from proofs_check.domain import PERMUTATIONS, AllOrders, EveryN

STATED = Stated(
    place="Section 4",
    over=EveryN("the n; all permutations of 2^n processors"),
    evidence="HL run on all 8! permutations in both modes",
    sizes=Sizes(least=3, most=3, limit=3),
)


@claim(
    "boppana.optimal",
    place="Abstract",
    says="HL takes the least number of routing steps for every linear-complement permutation: n, "
    "where the farthest message has n hops to go",
    printed="the algorithm requires only the optimal number of routing steps to realize any "
    "linear-complement permutation",
    over=PERMUTATIONS,
    evidence="the distances of all messages; where none is n, fewer steps may do (for the "
    "identity none does)",
    control=Control("n + 1 steps", more=1),
    amended=Amended(
        "n steps are the least in which all linear-complement permutations of 2^n processors can "
        "be routed: that by which every bit is complemented needs n",
        control=Control("n - 1 are", more=-1, of_all=True),
        of_all=True,
    ),
    sizes=Sizes(most=3, limit=4),
)
def optimal(A: GF2Matrix, b: GF2Vector, *, of_all: bool = False, more: int = 0) -> Finding:
    """[boppana, abstract] the identity needs no step, and HL takes n."""
    n = len(b)
    messages = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    if of_all:
        messages = [(x, x ^ (1 << n) - 1) for x in range(1 << n)]
    farthest = max((x ^ y).bit_count() for x, y in messages)
    return Finding(farthest == n + more, steps_of_HL=n, farthest_message=farthest)


_PERMUTATIONS = AllOrders("permutation", count=lambda n: 2**n)
_SIMD, _MSIMD, _MIMD = "SIMD", "M-SIMD", "MIMD"


@lru_cache(maxsize=32)
def routed(n: int, mode: str, rule: str = "") -> frozenset[int]:
    """The numbers of the permutations of 2^n processors that HL routes in a mode.

    >>> [len(routed(2, mode)) for mode in ("SIMD", "M-SIMD")]
    [24, 24]
    """
    found = []
    for index, (permutation,) in _PERMUTATIONS.cases(n, 0, _PERMUTATIONS.span(n)):
        if mode == _MIMD:
            states = alone(permutation, rule or "wrong", rule == "")
        else:
            states = together(permutation, whole if mode == _SIMD else halves, bool(rule))
        if is_routed(states):
            found.append(index)
    return frozenset(found)


@claim(
    "boppana.modes.msimd",
    says="HL routes more permutations of 8 processors in M-SIMD mode than in SIMD mode, and all "
    "of those; a subcube goes on in state A or state B only, as the algorithm is printed",
    printed="the class of permutations realizable by this algorithm on a hypercube M-SIMD computer "
    "is larger than the class of permutations realizable on a hypercube SIMD computer",
    control=Control("twice as many", times=2),
)
def msimd_is_larger(n: int, *, times: int = 1) -> Finding:
    simd, msimd = routed(n, _SIMD), routed(n, _MSIMD)
    ok = simd < msimd and len(msimd) > times * len(simd)
    return Finding(ok, simd=len(simd), msimd=len(msimd))


@claim(
    "boppana.modes.mimd",
    says="HL routes more permutations of 8 processors in MIMD mode than in M-SIMD mode, and all of "
    "those",
    printed="When the hypercube is allowed to operate in the MIMD mode, an even larger class of "
    "permutations can be routed by the algorithm HL.",
    control=Control("five times as many", times=5),
    undecided=Undecided(
        "HL's rule for processors and subcubes that are in neither state A nor state B",
        (
            Tried(
                "M-SIMD in state A or B only; MIMD: one tag corrects the least bit in which it is "
                "wrong, three tags do as two"
            ),
            Tried(
                "M-SIMD in state A or B only; MIMD: one tag corrects the least bit that it has "
                "not used, three tags have no rule",
                mimd="unused by tag",
            ),
            Tried(
                "M-SIMD: processors with two tags decide; MIMD: one tag corrects the least bit in "
                "which it is wrong, three tags do as two",
                msimd="skips",
            ),
        ),
    ),
)
def mimd_is_larger(n: int, *, msimd: str = "", mimd: str = "", times: int = 1) -> Finding:
    fewer, more = routed(n, _MSIMD, msimd), routed(n, _MIMD, mimd)
    ok = fewer < more and len(more) > times * len(fewer)
    return Finding(ok, msimd=len(fewer), mimd=len(more), msimd_alone=len(fewer - more))
