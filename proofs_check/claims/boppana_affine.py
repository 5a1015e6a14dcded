"""How tags are spread over processors by an affine map: [boppana, Claim 1, Lemmas 2 and 3].

The map goes from tags to processors, x = f(y) = Ay + b, and A may be singular: a processor then
holds several tags or none. Whether a spread of tags is affine is found out by looking at every
tag: f is affine just when f(y) = f(0) + the sum of f(2^j) - f(0) over the bits j of y.

Lemma 2 says that a spread with ones and twos is not affine; what is checked is that no affine map
has such a spread, and moreover that all processors with tags hold equally many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.domain import PAIRS

_MAPS = PAIRS.described("all affine maps x = Ay + b from tags to processors")


def hosts_of(A: GF2Matrix, b: GF2Vector) -> list[int]:
    """The processor that holds each tag y = 0, 1, ..., 2^n - 1."""
    return [A.apply(y) ^ int(b) for y in range(1 << len(b))]


def tags_of(hosts: Sequence[int]) -> dict[int, list[int]]:
    """The tags of every processor that holds any.

    >>> tags_of([0, 0, 3, 3])
    {0: [0, 1], 3: [2, 3]}
    """
    held = defaultdict(list)
    for tag, host in enumerate(hosts):
        held[host].append(tag)
    return dict(held)


def is_affine(values: Sequence[int]) -> bool:
    """Whether y -> values[y] is an affine map over GF(2).

    >>> is_affine([3, 1, 2, 0]), is_affine([0, 1, 2, 2])
    (True, False)
    """
    for y in range(1, len(values)):
        low = y & -y
        if values[y] ^ values[y ^ low] != values[low] ^ values[0]:
            return False
    return True


@claim(
    "boppana.claim1",
    place="Section 2.4, Claim 1",
    says="if every processor sends the tags that disagree with its bit p across dimension p, the "
    "map from tags to processors stays affine; every tag agrees in bit p then",
    latex=r"x = T(y) \oplus k \;\Rightarrow\; x' = T'(y) \oplus k',\quad x'_p = y_p",
    over=_MAPS.described("all affine maps x = Ay + b from tags to processors, every bit p of each"),
    evidence="the tags moved one by one; the new map held against its values at 0 and 2^j",
    control=Control("only the first processor that has such tags sends them", one_sends=True),
    sizes=Sizes(most=3),
)
def claim1(A: GF2Matrix, b: GF2Vector, *, one_sends: bool = False) -> Finding:
    """[boppana, Claim 1] one step, in every dimension."""
    hosts = hosts_of(A, b)
    for p in range(len(b)):
        wrong = [y for y, x in enumerate(hosts) if (x ^ y) >> p & 1]
        senders = sorted({hosts[y] for y in wrong})
        if one_sends:
            senders = senders[:1]
        moved = [x ^ 1 << p if y in wrong and x in senders else x for y, x in enumerate(hosts)]
        agree = all(not (x ^ y) >> p & 1 for y, x in enumerate(moved))
        if not is_affine(moved) or not (agree or one_sends):
            return Finding(False, p=p, before=hosts, after=moved)
    return Finding(True, hosts=hosts)


@claim(
    "boppana.lem2",
    place="Section 2.4, Lemma 2",
    says="when some processors hold one tag, some two and the others none, the map from tags to "
    "processors is not affine; of an affine map all processors with tags hold equally many",
    latex=r"|T_k^{-1}(x)| \in \{0, |\ker T|\}",
    over=_MAPS,
    evidence="the tags of every processor counted; no affine map may have both ones and twos",
    control=Control("when some processors hold two tags and the others none", ones=0),
    sizes=Sizes(most=3, limit=4),
)
def lem2(A: GF2Matrix, b: GF2Vector, *, ones: int = 1) -> Finding:
    """[boppana, Lemma 2] turned round: an affine map has no such spread."""
    counts = {len(tags) for tags in tags_of(hosts_of(A, b)).values()}
    forbidden = {1, 2} if ones else {2}
    return Finding(counts != forbidden and len(counts) == 1, counts=sorted(counts))


@claim(
    "boppana.lem3",
    place="Section 2.4, Lemma 3",
    says="when an affine map puts two tags into half of the processors and none into the others, "
    "the two tags differ in the same bits in all processors",
    latex=r"f(b) = f(c) = x,\; b \ne c \;\Rightarrow\; b \oplus c = a",
    over=_MAPS,
    evidence="the two tags of every processor compared",
    control=Control("and they differ in one bit", most_bits=1),
    sizes=Sizes(most=3, limit=4),
)
def lem3(A: GF2Matrix, b: GF2Vector, *, most_bits: int = 64) -> Finding:
    """[boppana, Lemma 3]; holds trivially for a map of another spread."""
    held = tags_of(hosts_of(A, b))
    if any(len(tags) != 2 for tags in held.values()):
        return Finding(True, state="other")
    differences = {tags[0] ^ tags[1] for tags in held.values()}
    same = len(differences) == 1
    return Finding(same and max(map(int.bit_count, differences)) <= most_bits, differ=differences)
