"""HL where processors need not agree: M-SIMD and MIMD, [boppana, sections 3.3 and 4].

In M-SIMD groups of processors act together: a group is in state A (one tag in each processor) or in
state B (two tags in half of them) and corrects one bit by HL's rule, or HL does not go on. Section
3.3 says twice what the groups are: the two, four, ... subcubes that are left when the bit used in
each step is cut ("halves"); or the subcubes of a partition by the top bits for the low bits, then
those by the low bits for the top ones, recursively (Lemmas 6 and 7).

In MIMD every processor decides alone. HL's rule is silent about a processor with one tag when
others have two, and about one with three tags. Of the 8! permutations of Q_3, in three steps:

    a processor with one tag corrects         with three tags          routed
    the lowest bit that it has not used       HL does not go on        22 752
    the lowest bit that the tag has not used  HL does not go on        34 560
    the lowest bit in which the tag is wrong  HL does not go on        36 672
    the lowest bit in which the tag is wrong  as with two              40 320
    SIMD 7 040; M-SIMD by halves 12 672, by a partition with k = 1, 2, 3: 15 104, 12 672, 7 040

The fourth line is the reading in which the claim of section 4 holds. Three tags may then stand in a
processor and three arrive in one step, which section 2.1 excludes if its one message is one in all.
Nor does M-SIMD fail for want of freedom: a half that takes the lowest bit in which two tags of one
of its processors differ, whatever its processors with one tag have, routes all 8! permutations
(boppana.q3.msimd.chosen).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from proofs_check.claim import Control, Finding, Sizes, Stated, Tried, Undecided, claim
from proofs_check.claims.boppana_affine import is_affine
from proofs_check.claims.boppana_partitioned import DIVIDED, PARTITIONED, Tree, range_of, two_levels
from proofs_check.domain import AllOrders, Listed

Held = list[list[int]]
Groups = Callable[[int, int, Sequence[tuple[int, int]]], Any]
"""The group of a processor, from the step, the processor and the bits (with values) it used."""

ONE_TAG = ("unused by processor", "unused by tag", "wrong")


def _least(word: int) -> int:
    return (word & -word).bit_length() - 1


# -- groups that act together -----------------------------------------------------------------


def whole(t: int, u: int, used: Sequence[tuple[int, int]]) -> Any:
    """SIMD: all processors are one group."""
    return 0


def halves(t: int, u: int, used: Sequence[tuple[int, int]]) -> Any:
    """The subcubes left when the bits used are cut."""
    return frozenset(used)


def by_tree(tree: Tree) -> Groups:
    """The subcubes of a partition: processors that differ only in the bits of the current part."""

    def group(t: int, u: int, used: Sequence[tuple[int, int]]) -> Any:
        low, high = range_of(tree, u, t)
        return low, high, u & ~((1 << high) - (1 << low))

    return group


class Led(NamedTuple):
    """The tags of every processor after each step, and the bit that it corrected in each."""

    states: list[Held]
    rows: list[list[int]]


def together(tags: Sequence[int], groups: Groups, skips: bool = False) -> list[Held] | None:
    """The states of `led`, or None."""
    found = led(tags, groups, skips)
    return None if found is None else found.states


def led(tags: Sequence[int], groups: Groups, skips: bool = False) -> Led | None:
    """Run HL with groups that act together.

    Args:
        tags: the tag of every processor.
        groups: which processors act together.
        skips: a group need not be in state A or B; it takes the lowest bit in which two tags of
            one of its processors differ, if all of its processors with two tags differ in it.

    Returns: None where a group is in neither state or finds no bit to agree on.

    >>> led([0, 2, 1, 3], whole).states[1], led([0, 2, 1, 3], whole).rows
    ([[0, 2], [], [], [1, 3]], [[0, 0, 0, 0], [1, 1, 1, 1]])
    """
    size = len(tags)
    n = size.bit_length() - 1
    held: Held = [[y] for y in tags]
    used: list[list[tuple[int, int]]] = [[] for _ in tags]
    states, rows = [held], []
    for t in range(n):
        members: dict[Any, list[int]] = {}
        for u in range(size):
            members.setdefault(groups(t, u, used[u]), []).append(u)
        chosen = [0] * size
        for group in members.values():
            bit = _agreed(group, held, used, n, skips)
            if bit is None:
                return None
            for u in group:
                chosen[u] = bit
        held = _moved(held, chosen)
        states.append(held)
        rows.append(chosen)
        for u, bit in enumerate(chosen):
            used[u].append((bit, u >> bit & 1))
    return Led(states, rows)


def _agreed(
    group: Sequence[int], held: Held, used: list[list[tuple[int, int]]], n: int, skips: bool
) -> int | None:
    """The bit that a group corrects by HL's rule; None if there is none."""
    counts = sorted(len(held[u]) for u in group)
    state_b = counts == [0] * (len(group) // 2) + [2] * (len(group) // 2)
    twos = [held[u][0] ^ held[u][1] for u in group if len(held[u]) == 2]
    spent = {sum(1 << bit for bit, _ in used[u]) for u in group}
    if counts[-1] > 2 or len(spent) > 1:
        return None
    (past,) = spent
    if not twos:
        return _least(~past & (1 << n) - 1) if counts[0] == 1 else None
    if not state_b and not skips:
        return None
    common = (1 << n) - 1
    for difference in twos:
        common &= difference
    if not skips and len({_least(d) for d in twos}) > 1:
        return None
    return _least(common) if common and not past >> _least(common) & 1 else None


def _moved(held: Held, chosen: Sequence[int]) -> Held:
    """Every processor sends its tags that are wrong in its bit; -1 for none."""
    after: Held = [[] for _ in held]
    for u, tags in enumerate(held):
        for y in tags:
            after[u ^ ((u ^ y) & 1 << chosen[u]) if chosen[u] >= 0 else u].append(y)
    return after


def is_routed(states: list[Held] | None) -> bool:
    """Whether HL went on to the end, where every tag is in its own processor."""
    return states is not None and states[-1] == [[u] for u in range(len(states[-1]))]


# -- processors that act alone ----------------------------------------------------------------


def alone(tags: Sequence[int], one_tag: str, many: bool, less: int = 0) -> list[Held] | None:
    """Run HL where every processor decides alone; the tags of every processor after each step.

    Args:
        tags: the tag of every processor.
        one_tag: the lowest bit of which kind a processor with one tag corrects: "unused by
            processor", "unused by tag" or "wrong".
        many: a processor with more than two tags goes on, in the lowest bit in which they differ.
        less: steps left out at the end.

    Returns: the states, or None where a processor has more than two tags and does not go on.
    """
    size = len(tags)
    n = size.bit_length() - 1
    held: Held = [[y] for y in tags]
    by_processor, by_tag = [0] * size, [0] * size
    states = [held]
    for _ in range(n - less):
        chosen = [-1] * size
        for u, here in enumerate(held):
            if len(here) > 2 and not many:
                return None
            options = 0
            for y in here:
                options |= y ^ here[0]
            if len(here) == 1:
                y = here[0]
                free = {"wrong": y ^ u, "unused by tag": ~by_tag[y], ONE_TAG[0]: ~by_processor[u]}
                options = free[one_tag] & size - 1
            if not options:
                continue
            chosen[u] = _least(options)
            by_processor[u] |= 1 << chosen[u]
            for y in here:
                by_tag[y] |= 1 << chosen[u]
        held = _moved(held, chosen)
        states.append(held)
    return states


def text_of(states: list[Held] | None) -> Any:
    """The tags of every processor after every step, for a counterexample."""
    return None if states is None else [dict(enumerate(s)) for s in states]


# -- the claims --------------------------------------------------------------------------------


_EVERY = AllOrders("permutation", count=lambda n: 2**n)
_RUN = "HL run on lists of tags in the processors"

STATED = Stated(
    place="Section 4", over=_EVERY.described("all permutations of 8 processors"), evidence=_RUN
)


@claim(
    "boppana.order4",
    says="HL routes all 24 permutations of 4 processors; all are linear-complement",
    latex=r"|\mathcal{LC}_2| = 4! = 24",
    over=_EVERY.described("all permutations of 4 processors"),
    control=Control("in n - 1 steps", less=1),
    reading="a permutation of order 4 is one of 4 processors",
    sizes=Sizes(least=2, most=2, limit=2),
)
def order4(permutation: tuple[int, ...], *, less: int = 0) -> Finding:
    states = together(permutation, whole)
    reached = states is not None and states[-1 - less] == [[u] for u in range(4)]
    return Finding(is_affine(permutation) and reached, states=text_of(states))


@claim(
    "boppana.lem6",
    place="Section 3.3, Lemma 6",
    says="when the 2^k subcubes of the top k bits are permuted by a linear-complement permutation "
    "and the processors in each by one of its own, HL in M-SIMD routes it in n steps: the low "
    "bits in the subcubes, then the top k bits in the subcubes of the low bits",
    latex=r"\pi(h, l) = (\sigma(h), \tau_h(l)),\; "
    r"\sigma \in \mathcal{LC}_k,\; \tau_h \in \mathcal{LC}_{n-k}",
    over=DIVIDED,
    evidence=f"{_RUN}; every subcube must be in state A or B; the subcubes are those of the "
    "permutation's own partition, as the lemma has it",
    control=Control("the subcubes left when the bits used are cut act together", cut=True),
    printed="The algorithm HL routes the set of permutations as discussed above in a hypercube "
    "operating in M-SIMD mode with partitions as described above.",
    sizes=Sizes(most=5, limit=7),
)
def lem6(k: int, permutation: tuple[int, ...], *, cut: bool = False) -> Finding:
    n = len(permutation).bit_length() - 1
    states = together(permutation, halves if cut else by_tree(two_levels(n, k)))
    return Finding(is_routed(states), states=text_of(states))


@claim(
    "boppana.lem7",
    place="Section 3.3, Lemma 7",
    says="HL in M-SIMD routes every partitioned linear-complement permutation in n steps, the "
    "hypercube partitioned as the permutation is",
    latex=r"\pi \in \mathcal{PLC}_n \Rightarrow \text{HL routes } \pi \text{ in M-SIMD}",
    over=PARTITIONED,
    evidence=f"{_RUN}; every subcube must be in state A or B",
    control=Control("the subcubes left when the bits used are cut act together", cut=True),
    printed="The algorithm HL can route any PLC permutation in a hypercube operating in M-SIMD "
    "mode.",
    reading=(
        "the hypercube is partitioned as the permutation is, as the proof says. With the "
        "subcubes cut by the bits corrected so far, which section 3.3 also names, it is "
        "false at n = 3 (the negative control)"
    ),
    sizes=Sizes(most=5, limit=7),
)
def lem7(tree: Tree, permutation: tuple[int, ...], *, cut: bool = False) -> Finding:
    states = together(permutation, halves if cut else by_tree(tree))
    return Finding(is_routed(states), states=text_of(states))


@claim(
    "boppana.q3.mimd",
    says="in MIMD mode HL routes every permutation of Q_3 in three steps",
    printed="in an 8 processor hypercube (Q_3), any arbitrary permutation can be realized if the "
    "mode of operation is MIMD",
    latex=r"\text{MIMD HL routes all } 8! \text{ permutations}",
    control=Control("in n - 1 steps", less=1),
    undecided=Undecided(
        "HL's rule in MIMD mode for a processor with one tag whose neighbours have two, and "
        "for one with three tags",
        (
            Tried(
                "one tag corrects the lowest bit in which it is wrong, and three tags do as "
                "two; up to three then arrive in one step",
                one_tag="wrong",
                many=True,
            ),
            Tried(
                "one tag corrects the lowest bit in which it is wrong, and three tags have no rule",
                one_tag="wrong",
            ),
            Tried("one tag corrects the lowest bit that it has not used", one_tag="unused by tag"),
        ),
    ),
    sizes=Sizes(least=3, most=3, limit=3),
)
def q3_mimd(
    permutation: tuple[int, ...], *, one_tag: str, many: bool = False, less: int = 0
) -> Finding:
    states = alone(permutation, one_tag, many, less)
    shown = states or alone(permutation, one_tag, True, less)  # where three tags meet
    return Finding(is_routed(states), states=text_of(shown))


_MODES: dict[str, Groups] = {
    "halves": halves,
    "k = 1": by_tree(two_levels(3, 1)),
    "k = 2": by_tree(two_levels(3, 2)),
    "k = 3": by_tree(two_levels(3, 3)),
}


@claim(
    "boppana.q3.msimd",
    says="in M-SIMD mode HL does not route every permutation of Q_3",
    printed="the same is not true even if M-SIMD mode of operation is used",
    latex=r"\exists \pi:\; \text{M-SIMD HL does not route } \pi",
    over=Listed(
        3,
        list(_MODES),
        names="mode",
        text="the subcubes left by each step; the partitions by the top k = 1, 2, 3 bits",
        size=4,
    ),
    evidence=f"{_RUN}; the first permutation at which a subcube is in neither state",
    control=Control("in no mode but by halves", only=True),
    undecided=Undecided(
        "HL's rule for a subcube that is in neither state A nor state B, which permutations "
        "that are not linear-complement reach",
        (
            Tried("a subcube goes on only in state A or state B"),
            Tried("the processors with two tags decide, and the others follow", skips=True),
        ),
    ),
)
def q3_msimd(mode: str, *, skips: bool = False, only: bool = False) -> Finding:
    """[boppana, section 4] for each way to group the processors; with the second halves route all.

    The control asks the partitions to route all, which they do not.
    """
    for _, (permutation,) in _EVERY.cases(3, 0, _EVERY.span(3)):
        if not is_routed(together(permutation, _MODES[mode], skips)):
            return Finding(not only or mode == "halves", not_routed=permutation)
    return Finding(False, not_routed=None)


@claim(
    "boppana.q3.msimd.chosen",
    place="beside section 4, the rule relaxed",
    says="M-SIMD is enough for every permutation of Q_3, if after the first step each half takes "
    "the lowest bit in which two tags of one of its processors differ, and the least unused bit "
    "when there are none",
    latex=r"\text{M-SIMD routes all } 8! \text{ permutations}",
    control=Control("only in state A or state B", skips=False),
    sizes=Sizes(least=3, most=3, limit=3),
)
def q3_chosen(permutation: tuple[int, ...], *, skips: bool = True) -> Finding:
    """What keeps HL from it is the rule, not that halves act together."""
    states = together(permutation, halves, skips)
    return Finding(is_routed(states), states=text_of(states))
