"""How HL spreads tags over processors: [boppana, Figure 2, Claim 1, Lemmas 2 and 3].

The permutation of Figure 2 is printed most significant bit first: y_2 = x_1 + x_0,
y_1 = x_2 + x_0 + 1, y_0 = x_1 + 1. The text corrects bits 0, 1, 2; the captions say "after
correcting bit 1" and "bit 2" for the pictures after the first and the second step, so they count
bits from 1, as sections 3.3.1 and 4 do. The caption of the last picture is lost.

Of the lemmas the map goes from tags to processors, x = f(y) = Ay + b, and A may be singular: a
processor then holds several tags or none. f is affine just when f(y) = f(0) + the sum of
f(2^j) - f(0) over the bits j of y. Lemma 2 says that a spread with ones and twos is not affine;
what is checked is that no affine map has such a spread, and moreover that all processors with tags
hold equally many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.domain import PAIRS, Listed

# -- Figure 2, statement by statement ----------------------------------------------------------


State = dict[int, list[int]]


def tag(x: int) -> int:
    """The tag of processor x as printed.

    >>> [f"{tag(x):03b}" for x in range(8)]
    ['011', '101', '110', '000', '001', '111', '100', '010']
    """
    x2, x1, x0 = x >> 2 & 1, x >> 1 & 1, x & 1
    return (x1 ^ x0) << 2 | (x2 ^ x0 ^ 1) << 1 | (x1 ^ 1)


def states() -> tuple[list[State], list[int]]:
    """HL as printed, each processor with a list of tags: the states, and the bits corrected."""
    held: State = {x: [tag(x)] for x in range(8)}
    found = [held]
    bits: list[int] = []
    for _ in range(3):
        twos = [tags for tags in held.values() if len(tags) == 2]
        if twos:
            choices = {min(j for j in range(3) if (s ^ t) >> j & 1) for s, t in twos}
            assert len(choices) == 1, "the processors choose different bits"
            (bit,) = choices
        else:
            bit = min(set(range(3)) - set(bits))
        after: State = {x: [] for x in range(8)}
        for x, tags in held.items():
            for y in tags:
                after[x ^ ((x ^ y) & 1 << bit)].append(y)
        held = after
        found.append(held)
        bits.append(bit)
    return found, bits


def _senders(before: State, after: State) -> set[int]:
    return {x for x, tags in before.items() if set(tags) - set(after[x])}


def _twos(state: State) -> list[list[int]]:
    return [tags for tags in state.values() if len(tags) == 2]


Check = Callable[[list[State], list[int], int], bool]

STATEMENTS: dict[str, Check] = {
    "000, 011, 100, 111 send in the first step": lambda s, bits, first: (
        _senders(s[0], s[1]) == {0b000, 0b011, 0b100, 0b111}
    ),
    "the first step corrects bit 0": lambda s, bits, first: bits[0] == 0,
    "after it four processors have two tags, four have none": lambda s, bits, first: (
        sorted(map(len, s[1].values())) == [0] * 4 + [2] * 4
    ),
    "the two tags differ in both other bits": lambda s, bits, first: all(
        a ^ b == 0b110 for a, b in _twos(s[1])
    ),
    "the second step corrects bit 1": lambda s, bits, first: bits[1] == 1,
    "after it each processor has one tag": lambda s, bits, first: all(
        len(tags) == 1 for tags in s[2].values()
    ),
    "in the third step 001 and 101, 010 and 110 exchange tags": lambda s, bits, first: (
        _senders(s[2], s[3]) == {0b001, 0b101, 0b010, 0b110} and bits[2] == 2
    ),
    "after it all tags are at their destinations": lambda s, bits, first: (
        s[3] == {x: [x] for x in range(8)}
    ),
    "caption (b): after correcting bit 1": lambda s, bits, first: bits[0] + first == 1,
    "caption (c): after correcting bit 2": lambda s, bits, first: bits[1] + first == 2,
}
"""What is said of the example; `first` is the number that a caption gives to bit 0."""


@claim(
    "boppana.fig2",
    place="Section 2.3, Figure 2",
    says="the text and the captions say what HL does with the permutation of Figure 2",
    latex=r"y_2 = x_1 \oplus x_0,\; y_1 = x_2 \oplus x_0 \oplus 1,\; y_0 = x_1 \oplus 1",
    over=Listed(
        3, list(STATEMENTS), names="statement", text="every statement on the example", size=10
    ),
    evidence="HL run on lists of tags in the eight processors",
    control=Control("the captions count bits from 2", first=2),
    reading=Reading(
        "the captions count bits from 1: their bits 1 and 2 are the text's bits 0 and 1", first=1
    ),
)
def fig2(statement: str, *, first: int = 0) -> Finding:
    found, bits = states()
    shown = [{f"{x:03b}": [f"{y:03b}" for y in tags] for x, tags in s.items()} for s in found]
    return Finding(STATEMENTS[statement](found, bits, first), corrected=bits, states=shown)


# -- affine maps from tags to processors -------------------------------------------------------


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
