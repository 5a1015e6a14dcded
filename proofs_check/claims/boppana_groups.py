"""HL where processors need not agree, on lists of tags: in groups that act together, or alone.

What the modes mean is told in `boppana_modes`, whose claims are checked by these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from proofs_check.claims.boppana_trees import Tree, range_of

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
        skips: a group need not be in state A or B; it takes the least bit in which two tags of
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
        one_tag: the least bit of which kind a processor with one tag corrects: "unused by
            processor", "unused by tag" or "wrong".
        many: a processor with more than two tags goes on, in the least bit in which they differ.
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
