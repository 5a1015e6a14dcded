"""Algorithm HL once more, in plain Python on lists of tags, to hold the kernels against.

Tags are objects in processors; the rule of a processor gets its address, its tags and its own
memory. Written from [boppana, section 2.3] and the meaning of the readings, not from the kernels.
"""

from dataclasses import dataclass, field


@dataclass
class Tag:
    source: int
    goal: int
    settled: set[int] = field(default_factory=set)


def bits(number: int, n: int) -> set[int]:
    return {k for k in range(n) if number >> k & 1}


def wanted(u: int, here: list[Tag], n: int, single: str, chosen: set[int], by_any: set[int]):
    """The bits among which processor u takes its first."""
    if len(here) > 1:
        return {k for k in range(n) if len({t.goal >> k & 1 for t in here}) == 2}
    (tag,) = here
    return {
        "differ": bits(u ^ tag.goal, n),
        "tag": set(range(n)) - tag.settled,
        "processor": set(range(n)) - chosen,
        "cube": set(range(n)) - by_any,
    }[single]


def simulate(
    permutation,
    mode="simd",
    variant="lsb",
    reading="agree",
    third="kept",
    receive="any",
    steps=None,
    partition=(),
    tree=None,
):
    """(how it ends, the hosts of all sources before step 1 and after every step made)."""
    size = len(permutation)
    n = size.bit_length() - 1
    first = min if variant == "lsb" else max
    tags = [Tag(x, y) for x, y in enumerate(permutation)]
    hosts = list(range(size))
    rows = [list(hosts)]
    chosen: list[set[int]] = [set() for _ in range(size)]
    by_any: set[int] = set()
    for step in range(n if steps is None else steps):
        if step >= n and all(h == t.goal for h, t in zip(hosts, tags, strict=True)):
            return "delivered", rows
        held = {u: [t for t in tags if hosts[t.source] == u] for u in range(size)}
        choice: dict[int, int] = {}
        for u, here in held.items():
            if here:
                single = reading if mode == "mimd" else "tag"
                options = wanted(u, here, n, single, chosen[u], by_any)
                if tree is not None:
                    options &= part(tree, u, step)
                if options:
                    choice[u] = first(options)
        by_any |= set(choice.values())
        if mode != "mimd":
            end = lockstep(held, choice, mode, reading, n, chosen, set(partition), tree, step)
            if end:
                return end, rows
        else:
            for u, bit in choice.items():
                chosen[u].add(bit)
        after, arrivals = list(hosts), dict.fromkeys(range(size), 0)
        for u, bit in choice.items():
            wrong = [t for t in held[u] if (u ^ t.goal) >> bit & 1]
            if wrong:
                after[wrong[0].source] = u ^ 1 << bit
                arrivals[u ^ 1 << bit] += 1
        for u in range(size):
            if receive == "one" and arrivals[u] > 1:
                return "two arrive", rows
            if third == "refused" and after.count(u) > 2:
                return "third tag", rows
        for t in tags:
            bit = choice.get(hosts[t.source])
            if bit is not None and not (after[t.source] ^ t.goal) >> bit & 1:
                t.settled.add(bit)
        hosts = after
        rows.append(list(hosts))
    return ("delivered" if hosts == [t.goal for t in tags] else "undelivered"), rows


def part(tree, u: int, step: int) -> set[int]:
    """The bits that the tree gives processor u in this step: its own subcube first."""
    if not tree.inner:
        return set(range(tree.outer.n))
    low = tree.inner[0].n
    if step < low:
        return part(tree.inner[u >> low], u % 2**low, step)
    return set(range(low, low + tree.outer.n))


def lockstep(held, choice, mode, reading, n, chosen, partition, tree=None, step=0):
    """Check every subcube, and make its processors take the same bit; an ending, or ""."""
    cubes: dict[int, list[int]] = {}
    for u in held:
        fixed = chosen[u] | partition if chosen[u] | partition != set(range(n)) else chosen[u]
        if tree is not None:
            fixed = set(range(n)) - part(tree, u, step)
        least = 0 if mode == "simd" else sum(1 << k for k in fixed if u >> k & 1)
        cubes.setdefault(least, []).append(u)
    alike = all(chosen[u] == chosen[least] for least, members in cubes.items() for u in members)
    if tree is None and not alike:
        return "disagreement"
    ends = set()
    for members in cubes.values():
        counts = {len(held[u]) for u in members}
        if reading == "states" and counts not in ({1}, {0, 2}, {2}, {0}):
            ends.add("state")
        voters = [u for u in members if u in choice]
        if reading == "pairs" and max(counts) > 1:
            voters = [u for u in voters if len(held[u]) > 1]
        votes = {choice[u] for u in voters}
        if len(votes) > 1:
            ends.add("disagreement")
        for u in members:
            if len(votes) == 1:
                chosen[u] |= votes
                if held[u]:
                    choice[u] = min(votes)
            elif not votes:  # pairs that differ outside of their part, and nobody else has a say
                choice.pop(u, None)
    return max(ends, default="")  # "state" is told before "disagreement"
