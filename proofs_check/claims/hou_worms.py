"""Worms on a hypercube, flit by flit, for the claims on [hou], section 6.

Nothing is shared with the library: routing comes from forbidden turns, messages from here, and
every flit of every worm has its place in a list of channels. One cycle:

1. Headers that stood in a buffer when the cycle began ask in the order of their arrival at the
   router, ties by a rule; each takes the lowest allowed dimension whose channel nobody owns.
   Injection and ejection are channels too, and a source offers its messages one after the other.
2. Worms move: from the front to the back every flit whose next buffer is empty by then. The tail
   gives a channel back when it leaves its buffer, so the channel is granted one cycle later.

A minimal routing function is given by the turns it permits: a hop is offered when the turn into
it is permitted and permitted turns lead on from it to the destination.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.kernels.jit import borrowed, inlined_kernel, kernel
from proofs_check.arrays import Flags, Ints

ECUBE, MIN, PCUBE, DESCENDING = "e-cube", "min", "pcube", "e-cube descending"
_RULES = (ECUBE, MIN, PCUBE, DESCENDING)

TIES = ("lowest input", "highest input", "injection first", "oldest", "random")
"""Who goes first among headers that reached a router together. An input is the dimension they came
along, injection the highest; "injection first" is the lowest input but for that; "oldest" goes by
the time of generation, then by source."""

PENDING = 1 << 60


class Sent(NamedTuple):
    """Messages by source and time: those of node x are first[x]..first[x+1]-1."""

    first: Ints
    ready: Ints
    destination: Ints


@lru_cache(maxsize=8)
def allowed_turns(n: int, rule: str) -> npt.NDArray[np.uint16]:
    """The dimensions offered at node x for node y after a hop along d, as a word of bits.

    Shape (2^n, 2^n, n + 1): [x, y, d], d = n for a message just injected. 0 where no permitted
    turns lead on.

    >>> table = allowed_turns(3, "pcube")
    >>> bin(table[0b011, 0b100, 3]), bin(table[0b001, 0b100, 1])
    ('0b11', '0b1')
    """
    table = np.zeros((1 << n, 1 << n, n + 1), dtype=np.uint16)
    nearest_first = np.array(sorted(range(1 << n), key=int.bit_count), dtype=np.int64)
    _fill(n, permitted_turns(n, rule), nearest_first, table)
    return table


@lru_cache(maxsize=8)
def permitted_turns(n: int, rule: str) -> npt.NDArray[np.bool_]:
    """Whether a hop along d may be followed by one along k: [d, d set its bit, k, k sets it].

    A rule is one of the four names, or lists what it forbids between two dimensions below 3, one
    below 3 and one from 3 on, and two from 3 on: "+d- -d- / +d- -d- / +d- -d-". A turn is the
    first hop, which sets (+) or clears (-) its bit, up or down to the second, and what that does.
    The number of the first upper dimension may follow: "... / 4".

    >>> every = " / ".join(["+u- +d-"] * 3)
    >>> bool((permitted_turns(8, every) == permitted_turns(8, "pcube")).all())
    True
    """
    found = np.zeros((n, 2, n, 2), dtype=np.bool_)
    *forbidden, split = [*rule.split(" / "), "3"][:4]
    for d, rose, k, rises in np.ndindex(found.shape):
        if d == k:
            continue
        if rule in _RULES:
            found[d, rose, k, rises] = _named(rule, k > d, bool(rose), bool(rises))
        else:
            word = "-+"[rose] + "du"[k > d] + "-+"[rises]
            found[d, rose, k, rises] = word not in forbidden[(d >= int(split)) + (k >= int(split))]
    return found


def _named(rule: str, up: bool, rose: bool, rises: bool) -> bool:
    if rule == MIN:  # Li: no turn into a lower dimension whose bit is cleared
        return up or rises
    if rule == PCUBE:  # Glass and Ni: no turn from a hop that sets a bit into one that clears one
        return rises or not rose
    return up if rule == ECUBE else not up


@kernel
def _fill(
    n: int, permitted: npt.NDArray[np.bool_], differences: Ints, table: npt.NDArray[np.uint16]
) -> None:
    for difference in differences:
        for x in range(1 << n):
            y = x ^ difference
            for last in range(n + 1):
                offered = 0
                for k in range(n):
                    if not difference >> k & 1:
                        continue
                    if last < n and not permitted[last, x >> last & 1, k, y >> k & 1]:
                        continue
                    after = x ^ 1 << k
                    if after == y or table[after, y, k] != 0:
                        offered |= 1 << k
                table[x, y, last] = offered


def all_at_once(goes: npt.ArrayLike) -> Sent:
    """One message from every node that has another destination, all at time 0."""
    ends = np.array(goes, dtype=np.int64)
    moves = ends != np.arange(len(ends))
    first = np.concatenate([[0], np.cumsum(moves)])
    return Sent(first, np.zeros(moves.sum(), dtype=np.int64), ends[moves])


def exponential(
    goes: Ints, load: float, flits: int, cycles: int, seed: int, *, place: Ints | None = None
) -> Sent:
    """Messages at exponential intervals, on average one in flits / load cycles from every sender.

    Args:
        goes: the destination of every node; a node that goes to itself sends nothing.
        place: where each node is placed: the same arrivals for every mapping.
    """
    nodes = len(goes)
    place = np.arange(nodes) if place is None else place
    draw = np.random.default_rng(seed)
    mean = flits / load
    times = [np.cumsum(draw.exponential(mean, int(2 * cycles / mean) + 50)) for _ in range(nodes)]
    kept = [np.ceil(t[t <= cycles]).astype(np.int64) for t in times]
    lists: list[Ints] = [np.zeros(0, dtype=np.int64)] * nodes
    ends = np.zeros(nodes, dtype=np.int64)
    for x in range(nodes):
        if goes[x] != x:
            lists[place[x]], ends[place[x]] = kept[x], place[goes[x]]
    counts = np.array([len(part) for part in lists])
    first = np.concatenate([[0], np.cumsum(counts)])
    return Sent(first, np.concatenate(lists), np.repeat(ends, counts))


def run(
    sent: Sent,
    flits: int,
    rule: str = ECUBE,
    tie: str = TIES[0],
    last_cycle: int = PENDING,
    *,
    seed: int = 1,
    early: bool = False,
) -> tuple[Ints, Ints]:
    """When the header of every message was injected and its tail delivered; `PENDING` if not.

    Args:
        seed: of random ties.
        early: for controls: a channel is given back when the tail enters its buffer.
    """
    n = (len(sent.first) - 1).bit_length() - 1
    injected = np.full(len(sent.ready), PENDING, dtype=np.int64)
    delivered = injected.copy()
    table = allowed_turns(n, rule)
    _run(
        *(_no_worms(n), n, *sent, flits, table, TIES.index(tie), last_cycle, early, seed),
        *(injected, delivered),
    )
    return injected, delivered


PARTS, STUDENT = 20, 2.093
"""Parts of a run whose gains are compared; Student's quantile for 19 degrees of freedom, 95 %."""


def waiting_at(begin: int, end: int, ready: Ints, injected: Ints) -> Ints:
    """Messages that have been generated and not injected, at both ends of every part of a run.

    >>> waiting_at(0, 20, np.array([1, 1, 2]), np.array([2, 4, 3]))[:6].tolist()
    [0, 2, 2, 1, 0, 0]
    """
    marks = begin + np.arange(PARTS + 1) * (end - begin) // PARTS
    begun, gone = (np.searchsorted(np.sort(each), marks, "right") for each in (ready, injected))
    return np.asarray(begun - gone)


def grows(waiting: Ints) -> bool:
    """Whether they become more by more than chance: the mean gain of a part is above 0 by more
    than `STUDENT` standard errors.

    >>> grows(np.arange(PARTS + 1) * 9), grows(np.arange(PARTS + 1) % 3)
    (True, False)
    """
    gains = np.diff(waiting)
    return bool(gains.mean() > STUDENT * gains.std(ddof=1) / PARTS**0.5)


class _Worms(NamedTuple):
    """Worms by slot, lists of slots, and who owns which channel.

    Channel d·2^n + u leaves node u along dimension d; n is injection and n + 1 ejection.
    """

    owned: Flags  # by channel
    path: Ints  # [worm, k]: the channels that it took,
    place: Ints  # the flit in the buffer of each, -1 for none,
    length: Ints  # how many they are,
    back: Ints  # and how many of them its tail has left
    message: Ints
    source: Ints
    left: Ints  # flits still at the source
    node: Ints  # where the header is,
    last: Ints  # and along which dimension it came
    key: Ints  # its turn among headers that arrived together
    active: Ints  # lists of slots; `many` has their lengths
    spare: Ints
    waiting: Ints  # headers in buffers, in the order in which they are served
    moving: Ints  # headers that get into a new buffer in this cycle
    many: Ints


_ACTIVE, _SPARE, _WAITING, _MOVING = range(4)


def _no_worms(n: int) -> _Worms:
    slots = (1 << n) * (n + 2)
    numbers = (np.zeros(slots, np.int64) for _ in range(8))
    lists = (np.arange(slots) for _ in range(4))
    paths = (np.empty((slots, n + 2), np.int64) for _ in range(2))
    many = np.array([0, slots, 0, 0])
    return _Worms._make((np.zeros(slots, np.bool_), *paths, *numbers, *lists, many))


@kernel
def _run(
    owner: _Worms,
    n: int,
    first: Ints,
    ready: Ints,
    goes: Ints,
    flits: int,
    table: npt.NDArray[np.uint16],
    tie: int,
    last_cycle: int,
    early: bool,
    seed: int,
    injected: Ints,
    delivered: Ints,
) -> None:
    """The cycles, as the module says, until nothing is under way or `last_cycle` is over."""
    worms, nodes = borrowed(owner), 1 << n
    upcoming = first[:-1].copy()
    unsent, cycle, noise = len(ready), 0, seed
    while cycle < last_cycle and (unsent or worms.many[_ACTIVE]):
        cycle += 1
        worms.many[_MOVING] = 0
        _grant(worms, n, goes, table)
        for x in range(nodes):
            m = upcoming[x]
            if m < first[x + 1] and ready[m] < cycle and not worms.owned[n * nodes + x]:
                _inject(worms, n, x, m, flits)
                injected[m] = cycle
                upcoming[x] += 1
                unsent -= 1
        still = 0
        for a in range(worms.many[_ACTIVE]):
            worm = worms.active[a]
            if _advance(worms, n, worm, flits, early):
                delivered[worms.message[worm]] = cycle
            if worms.back[worm] == worms.length[worm]:
                worms.spare[worms.many[_SPARE]] = worm
                worms.many[_SPARE] += 1
            else:
                worms.active[still] = worm
                still += 1
        worms.many[_ACTIVE] = still
        noise = _queue_up(worms, n, ready, tie, noise)


@inlined_kernel
def _grant(worms: _Worms, n: int, goes: Ints, table: npt.NDArray[np.uint16]) -> None:
    """Waiting headers take the lowest dimension allowed whose channel nobody owns."""
    kept = 0
    for w in range(worms.many[_WAITING]):
        worm = worms.waiting[w]
        m, u = worms.message[worm], worms.node[worm]
        allowed = 1 << n + 1 if u == goes[m] else int(table[u, goes[m], worms.last[worm]])
        channel = _free(u, allowed, n, worms.owned)
        if channel < 0:
            worms.waiting[kept] = worm
            kept += 1
            continue
        worms.last[worm] = channel >> n
        if worms.last[worm] < n:
            worms.node[worm] = u ^ 1 << worms.last[worm]
        _take(worms, worm, channel)
    worms.many[_WAITING] = kept


@inlined_kernel
def _free(u: int, allowed: int, n: int, owned: Flags) -> int:
    """The channel of the lowest dimension allowed that nobody owns, -1 if there is none."""
    for d in range(n + 2):
        if allowed >> d & 1 and not owned[(d << n) + u]:
            return (d << n) + u
    return -1


@inlined_kernel
def _take(worms: _Worms, worm: int, channel: int) -> None:
    """A worm owns one channel more, and its header will move into the buffer."""
    worms.owned[channel] = True
    worms.path[worm, worms.length[worm]] = channel
    worms.place[worm, worms.length[worm]] = -1
    worms.length[worm] += 1
    worms.moving[worms.many[_MOVING]] = worm
    worms.many[_MOVING] += 1


@inlined_kernel
def _inject(worms: _Worms, n: int, x: int, m: int, flits: int) -> None:
    """A worm for message m at its source x."""
    worms.many[_SPARE] -= 1
    worm = worms.spare[worms.many[_SPARE]]
    worms.message[worm], worms.source[worm], worms.left[worm] = m, x, flits
    worms.node[worm], worms.last[worm] = x, n
    worms.length[worm] = worms.back[worm] = 0
    worms.active[worms.many[_ACTIVE]] = worm
    worms.many[_ACTIVE] += 1
    _take(worms, worm, (n << n) + x)


@inlined_kernel
def _advance(worms: _Worms, n: int, worm: int, flits: int, early: bool) -> bool:
    """Move every flit whose next buffer is empty by then; whether the tail is delivered."""
    path, place, delivered = worms.path, worms.place, False
    length, top = worms.length[worm], worms.length[worm] - 1
    ejecting = worms.last[worm] == n + 1
    if ejecting and place[worm, top] >= 0:  # what is in the ejection channel leaves it
        if place[worm, top] == flits - 1:
            worms.back[worm] = length
            if not early:
                worms.owned[path[worm, top]] = False
        place[worm, top] = -1
    for k in range(top, worms.back[worm], -1):
        flit = place[worm, k - 1]
        if place[worm, k] >= 0 or flit < 0:
            continue
        place[worm, k], place[worm, k - 1] = flit, -1
        if flit == flits - 1:
            worms.back[worm] = k
            worms.owned[path[worm, k if early else k - 1]] = False
            delivered = ejecting and k == top
    if worms.left[worm] > 0 and place[worm, 0] < 0:
        place[worm, 0] = flits - worms.left[worm]
        worms.left[worm] -= 1
        if worms.left[worm] == 0 and early:
            worms.owned[path[worm, 0]] = False
    return delivered


@inlined_kernel
def _queue_up(worms: _Worms, n: int, ready: Ints, tie: int, noise: int) -> int:
    """Headers that arrived in this cycle wait behind the others, in the order of their keys."""
    before = count = worms.many[_WAITING]
    waiting, key = worms.waiting, worms.key
    for w in range(worms.many[_MOVING]):
        worm = worms.moving[w]
        if worms.last[worm] == n + 1:
            continue
        noise = (noise * 1103515245 + 12345) % 2147483648
        age = (ready[worms.message[worm]] << n) + worms.source[worm]
        key[worm] = _key(tie, worms.last[worm], n, age, int(noise >> 8))
        at = count
        while at > before and key[waiting[at - 1]] > key[worm]:
            waiting[at] = waiting[at - 1]
            at -= 1
        waiting[at] = worm
        count += 1
    worms.many[_WAITING] = count
    return noise


@inlined_kernel
def _key(tie: int, d: int, n: int, age: int, noise: int) -> int:
    """What decides between headers that arrived together, the smaller first."""
    if tie == 0:
        return d
    if tie == 1:
        return -d
    if tie == 2:
        return -1 if d == n else d
    return age if tie == 3 else noise
