"""What HL routes besides, and what it is optimal for: [boppana], abstract and section 4.

The omega network has n stages; each shuffles the lines (line a goes to its address rotated left by
one) and then has a switch on every two lines 2i, 2i+1. Omega permutations are those that its
settings realise, 2^(n 2^(n-1)) of them; the inverse omega network is passed from output to input.
Destination-tag routing in it corrects bits n-1, ..., 0, so omega permutations are met with the most
significant bit first, inverse ones with the least: as section 4 says. HL is in state A throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import xor

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, Tried, Undecided, claim
from proofs_check.claims.boppana_hl import MSB, tags_by_step
from proofs_check.claims.boppana_modes import alone, halves, is_routed, together, whole
from proofs_check.domain import PERMUTATIONS, AllOrders, AllVectors, Enumerated, EveryN


def omega(n: int, setting: int) -> list[int]:
    """The output line of every input line of the omega network.

    Args:
        n: number of stages; 2^n lines.
        setting: bit s 2^(n-1) + i is the switch of lines 2i, 2i+1 of stage s.

    >>> omega(2, 0), omega(2, 0b0001)
    ([0, 1, 2, 3], [2, 1, 0, 3])
    """
    size = 1 << n
    outputs = []
    for line in range(size):
        for stage in range(n):
            line = (line << 1 | line >> n - 1) & size - 1
            line ^= setting >> stage * size // 2 + line // 2 & 1
        outputs.append(line)
    return outputs


def _inverse(permutation: Sequence[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for x, y in enumerate(permutation):
        inverse[y] = x
    return inverse


_SETTINGS = Enumerated(
    lambda n: ((tuple(omega(n, s)),) for s in range(1 << n * 2 ** (n - 1))),
    size=lambda n: 1 << n * 2 ** (n - 1),
    names="omega",
    text="what every setting of the omega network does",
)


@lru_cache(maxsize=4)
def _count_distinct(n: int) -> int:
    return len({tuple(omega(n, s)) for s in range(1 << n * 2 ** (n - 1))})


def _keeps_state_a(permutation: Sequence[int], most_significant: bool) -> Finding:
    """HL delivers every tag, and before and after each step every processor has one."""
    states = tags_by_step(list(permutation), MSB if most_significant else 0)
    one_each = all(len(state) == len(permutation) for state in states)
    delivered = states[-1] == {x: [x] for x in range(len(permutation))}
    n = len(permutation).bit_length() - 1
    distinct = _count_distinct(n) == 1 << n * 2 ** (n - 1)
    return Finding(one_each and delivered and distinct, permutation=permutation, states=states)


STATED = Stated(
    place="Section 4",
    evidence="shuffles and switches of the omega network set in every way; HL run on tags",
    sizes=Sizes(most=3, limit=3),
)


@claim(
    "boppana.omega",
    says="choosing the most significant bit wherever there is a choice, HL routes every omega "
    "permutation, one tag in each processor all the time",
    latex=r"\text{HL, MSB first, routes } \Omega",
    over=_SETTINGS,
    control=Control("the least significant bit", most_significant=False),
)
def omega_msb(omega: tuple[int, ...], *, most_significant: bool = True) -> Finding:
    """[boppana, section 4] after i steps the top i bits are those of the destination."""
    return _keeps_state_a(omega, most_significant)


@claim(
    "boppana.inverse-omega",
    says="HL routes every inverse omega permutation, one tag in each processor all the time",
    latex=r"\text{HL routes } \Omega^{-1}",
    over=_SETTINGS.described("what every setting of the omega network does, inverted"),
    control=Control("the most significant bit first", most_significant=True),
)
def omega_lsb(omega: tuple[int, ...], *, most_significant: bool = False) -> Finding:
    """[boppana, section 4] after i steps the low i bits are those of the destination."""
    return _keeps_state_a(_inverse(omega), most_significant)


# -- what HL is optimal for, and which mode routes more ----------------------------------------


STATED = Stated(
    place="Section 4",
    over=EveryN("the n; all permutations of 2^n processors"),
    evidence="HL run on all 8! permutations in both modes",
    sizes=Sizes(least=3, most=3, limit=3),
)


@claim(
    "boppana.optimal",
    place="Abstract",
    says=(
        "HL takes the minimum number of routing steps for every linear-complement "
        "permutation: n, where the farthest message has n hops to go"
    ),
    printed="the algorithm requires only the optimal number of routing steps to realize any "
    "linear-complement permutation",
    over=PERMUTATIONS,
    evidence="the distances of all messages; where none is n, fewer steps may do (for the "
    "identity none does)",
    control=Control("n + 1 steps", more=1),
    reading=Reading(
        "the number is that of the whole class, as in section 3.1 and Theorem 2. The minimum "
        "for the class is n, as the complement of every bit needs n",
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
                "M-SIMD in state A or B only; in MIMD mode one tag corrects the lowest bit in "
                "which it is wrong, and three tags do as two"
            ),
            Tried(
                "M-SIMD in state A or B only. In MIMD mode one tag corrects the lowest bit that "
                "it has not used, and three tags have no rule",
                mimd="unused by tag",
            ),
            Tried(
                "In M-SIMD mode processors with two tags decide. In MIMD mode one tag corrects "
                "the lowest bit in which it is wrong, and three tags do as two",
                msimd="skips",
            ),
        ),
    ),
)
def mimd_is_larger(n: int, *, msimd: str = "", mimd: str = "", times: int = 1) -> Finding:
    fewer, more = routed(n, _MSIMD, msimd), routed(n, _MIMD, mimd)
    ok = fewer < more and len(more) > times * len(fewer)
    return Finding(ok, msimd=len(fewer), mimd=len(more), msimd_alone=len(fewer - more))


# -- bit-permute-complement permutations ---------------------------------------------------------


@claim(
    "boppana.bpc",
    place="Abstract and section 2.2",
    says="every bit-permute-complement permutation is linear-complement, and its matrix Q is a "
    "permutation matrix",
    printed="The set of bit-permute-complement permutations is contained in the set of "
    "linear-complement permutations.",
    latex=r"\mathcal{BPC}_n \subseteq \mathcal{LC}_n",
    over=(AllOrders("order") * AllVectors("b")).described(
        "all permutations of the n bits, each with all sets of bits complemented"
    ),
    evidence="bits moved and complemented one by one; Q read off and multiplied out for every x",
    control=Control("bits complemented by an addition with carries", carries=True),
    sizes=Sizes(most=5, limit=6),
)
def bpc(order: tuple[int, ...], b: GF2Vector, *, carries: bool = False) -> Finding:
    """[boppana, section 2.2] column j of Q is what a change of bit j changes in y."""
    n, complement = len(order), int(b)
    images = []
    for x in range(1 << n):
        moved = sum((x >> bit & 1) << place for place, bit in enumerate(order))
        images.append((moved + complement) % (1 << n) if carries else moved ^ complement)
    columns = [images[1 << j] ^ images[0] for j in range(n)]
    affine = all(
        y == images[0] ^ reduce(xor, (columns[j] for j in range(n) if x >> j & 1), 0)
        for x, y in enumerate(images)
    )
    one_each = sorted(columns) == [1 << j for j in range(n)]
    return Finding(affine and one_each, images=images, columns_of_Q=columns)
