"""The example of [boppana, Figure 2], statement by statement.

The permutation is printed most significant bit first: y_2 = x_1 + x_0, y_1 = x_2 + x_0 + 1,
y_0 = x_1 + 1. The text corrects bits 0, 1, 2; the captions of the figure say "after correcting bit
1" and "bit 2" for the pictures after the first and the second step, so they count bits from 1, as
sections 3.3.1 and 4 do ("dimension 1 links", "bit 1 in routing step 1"). The caption of the last
picture is lost.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.claim import Control, Finding, Reading, claim
from proofs_check.domain import Listed

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
