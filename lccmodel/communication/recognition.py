"""Recognition: is there a matrix A and a vector b behind the messages that a program sends?

Messages are a gather or permutation if y = Ax + b for every pair (x, y), and a scatter if
x = Ay + b [hou, Definitions 1-4]. Take one message (x_0, y_0). The differences x + x_0 span a
space of dimension r; r independent ones fix A on it, and every other message must agree:

    r = n   the messages determine A and b; at most one of the two readings is left, or both
            describe the same permutation
    r < n   A is open on n - r independent vectors: n (n - r) bits are free

A message that disagrees, together with those that predict another one, is a `Witness`: an odd
number of messages whose sources sum to its source and whose destinations do not sum to its
destination. An affine map cannot do that.

The basis grows by the first message whose source is not an affine combination of those before;
reduced row echelon form over the differences gives A column by column, and remembers which
messages each step is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.communication.conversion import AddressPairs, Idle, Nodes, Of, collect
from lccmodel.communication.lcc import LCC, Kind
from lccmodel.errors import CommunicationError, NotLinearComplement, UnderdeterminedError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer

_CHUNK = 1 << 15


@dataclass(slots=True)
class _Step:
    """A difference of sources, that of the destinations, and the basis messages it is made of."""

    source: int
    destination: int
    used: int


@dataclass(slots=True)
class AffineFit:
    """An affine map through a basis of the messages; `bad` is the first message that it misses."""

    x: Nodes
    y: Nodes
    n: int
    basis: list[int] = field(default_factory=list)
    steps: dict[int, _Step] = field(default_factory=dict)
    b: int = 0
    bad: int | None = None

    @property
    def rank(self) -> int:
        """Dimension of the span of the differences of the sources."""
        return len(self.steps)

    @property
    def images(self) -> list[int]:
        """The columns of A; 0 where the messages say nothing."""
        return [self.steps[j].destination if j in self.steps else 0 for j in range(self.n)]

    @property
    def A(self) -> GF2Matrix:
        """The matrix of the map."""
        return GF2Matrix.from_rows(self.images, self.n).T

    def add(self, k: int) -> None:
        """Take message k, whose source is affinely independent, into the reduced basis."""
        step = self.step(k)
        step.used ^= 1 << len(self.basis)
        self.basis.append(k)
        pivot = step.source.bit_length() - 1
        for other in self.steps.values():
            if other.source >> pivot & 1:
                other.source ^= step.source
                other.destination ^= step.destination
                other.used ^= step.used
        self.steps[pivot] = step

    def step(self, k: int) -> _Step:
        """Message k less the first one, reduced by the basis."""
        first = self.basis[0] if self.basis else k
        rest = _Step(int(self.x[k] ^ self.x[first]), int(self.y[k] ^ self.y[first]), 0)
        for pivot, other in self.steps.items():
            if rest.source >> pivot & 1:
                rest.source ^= other.source
                rest.destination ^= other.destination
                rest.used ^= other.used
        return rest


def fit_affine(x: Nodes, y: Nodes, n: int) -> AffineFit:
    """The map y = Ax + b through the messages (x[k], y[k]), if there is one.

    `bad` is None if all messages fit.

    >>> fit = fit_affine(np.array([1, 0], dtype=np.uint64), np.array([0, 1], dtype=np.uint64), 1)
    >>> fit.A, fit.b, fit.bad
    (GF2Matrix([[1]]), 1, None)
    """
    fit = AffineFit(x, y, n)
    if len(x):
        fit.basis.append(0)
    start = 1
    while fit.rank < n:
        columns = [fit.steps[j].source ^ 1 << j if j in fit.steps else 1 << j for j in range(n)]
        remainder = _LinearMap(columns)  # zero on the span of the differences found so far
        outside = _first_outside(remainder, x, start)
        if outside is None:
            break
        fit.add(outside)
        start = outside + 1
    if len(x):
        predict = _LinearMap(fit.images)
        fit.b = int(predict(x[:1])[0] ^ y[0])
        b = np.uint64(fit.b)
        fit.bad = _first(0, len(x), lambda part: predict(x[part]) ^ b != y[part])
    return fit


def _first_outside(remainder: _LinearMap, x: Nodes, start: int) -> int | None:
    return _first(start, len(x), lambda part: remainder(x[part] ^ x[0]) != 0)


class _LinearMap:
    """x to the sum of the columns of its bits, by one table look-up for each byte of x."""

    def __init__(self, columns: list[int]) -> None:
        self.tables = []
        for low in range(0, len(columns), 8):
            table = np.zeros(256, dtype=np.uint64)
            for j, column in enumerate(columns[low : low + 8]):
                table[1 << j : 2 << j] = table[: 1 << j] ^ np.uint64(column)
            self.tables.append(table)

    def __call__(self, x: Nodes) -> Nodes:
        result: Nodes = self.tables[0][x & np.uint64(255)]
        for k, table in enumerate(self.tables[1:], start=1):
            result ^= table[x >> np.uint64(8 * k) & np.uint64(255)]
        return result


def _first(start: int, stop: int, test: Callable[[slice], npt.NDArray[np.bool_]]) -> int | None:
    """The first index in start..stop-1 where the test holds, looked for in growing chunks."""
    size = 64
    while start < stop:
        part = slice(start, min(start + size, stop))
        hits = test(part)
        k = int(hits.argmax())
        if hits[k]:
            return start + k
        start, size = part.stop, min(2 * size, _CHUNK)
    return None


def contradiction(fit: AffineFit) -> tuple[int, list[int]]:
    """A message, and an odd number of others that imply a different one, as indices.

    Together their sources are minimally dependent: none can be left out.

    Requires: `fit.bad` is not None.
    """
    assert fit.bad is not None
    used = fit.step(fit.bad).used
    if used.bit_count() % 2 == 0:
        used ^= 1  # the first message stands in every difference
    return _fewer(fit, fit.bad, [k for i, k in enumerate(fit.basis) if used >> i & 1])


def _fewer(fit: AffineFit, bad: int, others: list[int]) -> tuple[int, list[int]]:
    """Replace three messages by one that stands at their sum, until that is not possible.

    If the message at the sum is not the predicted one, the three already contradict it.
    """
    order = np.argsort(fit.x, kind="stable") if len(others) > 3 else np.arange(0)
    while len(others) > 3:
        triples = np.array(list(combinations(others, 3)))
        sums = np.bitwise_xor.reduce(fit.x[triples], axis=1)
        places = np.minimum(np.searchsorted(fit.x, sums, sorter=order), len(order) - 1)
        at_sum = order[places]
        hits = np.flatnonzero(fit.x[at_sum] == sums)
        if not len(hits):
            break
        wrong = fit.y[at_sum[hits]] != np.bitwise_xor.reduce(fit.y[triples[hits]], axis=1)
        chosen = int(hits[wrong.argmax()])
        triple, single = [int(k) for k in triples[chosen]], int(at_sum[chosen])
        if wrong.any():
            return single, triple
        others = [k for k in others if k not in triple] + [single]
    return bad, others


Verdict = Literal["linear-complement", "underdetermined", "not-linear-complement"]
Reading = Literal["gather", "scatter"]
Pair = tuple[int, int]

_SHOWN = 7  # messages that an explanation lists; a witness among all 2^n messages needs 3


@dataclass(frozen=True, slots=True)
class Witness:
    """A message that no affine map fits, given the others.

    Attributes: `reading`, which of y = Ax + b ("gather", a permutation included) and x = Ay + b
    ("scatter") is refuted; `pair`, the message (source, destination); `others`, an odd number of
    messages whose sources (in the scatter reading: destinations) sum to that of the pair modulo
    2, no fewer of them being dependent; `predicted`, the destination (source) they imply.

    >>> recognition = analyse([0, 1, 2, 0])
    >>> print(recognition.witness.explanation)
    0->0, 1->1, 2->2 imply 3->3, but 3->0 is sent
    """

    reading: Reading
    pair: Pair
    others: tuple[Pair, ...]
    predicted: int

    @property
    def explanation(self) -> str:
        """The contradiction in one line."""
        source, destination = self.pair
        shown = self.others if len(self.others) <= _SHOWN else self.others[: _SHOWN - 1]
        known = ", ".join(f"{x}->{y}" for x, y in shown)
        if len(shown) < len(self.others):
            known += f" and {len(self.others) - len(shown)} more"
        verb = "implies" if len(self.others) == 1 else "imply"
        if self.reading == "scatter":
            implied = f"{self.predicted}->{destination} and no other to {destination}"
            return (
                f"read as a scatter, {known} {verb} {implied}, but {source}->{destination} is sent"
            )
        if len(self.others) == 1:
            return f"node {source} sends to two nodes, {self.predicted} and {destination}"
        return f"{known} {verb} {source}->{self.predicted}, but {source}->{destination} is sent"


@dataclass(frozen=True, slots=True)
class Recognition(Answer, view="recognition"):
    """What messages say about A and b.

    Attributes:
        verdict: "linear-complement" (A and b are determined), "underdetermined" (several A and b
            fit) or "not-linear-complement" (none fit).
        n: number of address bits.
        communication: the `LCC`, if it is determined; it holds the missing messages too.
        kind: its kind; when A and b are open, "gather" or "scatter" if all that fit are of this
            kind, else None.
        freedom: number of bits of A and b that are free; 0 unless underdetermined.
        messages: number of messages given, repetitions included.
        missing_sources: number of nodes that send nothing.
        witnesses: if none fit, one contradiction for each of the two readings.
    """

    verdict: Verdict
    n: int
    communication: LCC | None
    kind: Kind | None
    freedom: int
    messages: int
    missing_sources: int
    witnesses: tuple[Witness, ...] = ()

    @property
    def determined(self) -> bool:
        """Whether the messages determine A and b."""
        return self.communication is not None

    @property
    def witness(self) -> Witness | None:
        """The more telling contradiction: that of the reading in which no node has two partners."""
        if not self.witnesses:
            return None
        gather, scatter = self.witnesses
        return scatter if len(gather.others) == 1 < len(scatter.others) else gather

    @property
    def explanation(self) -> str:
        """The verdict in one line.

        >>> analyse([(0, 1)], n=2).explanation
        'the messages leave 4 bits of A and b free; 3 of 4 nodes send nothing'
        """
        missing = f"; {self.missing_sources} of {1 << self.n} nodes send nothing"
        silent = missing if self.missing_sources else ""
        if self.communication is not None:
            return f"a {self.kind} of rank {self.communication.rank}{silent}"
        if self.witness is not None:
            return self.witness.explanation
        return f"the messages leave {self.freedom} bits of A and b free{silent}"


@typed_arguments
def analyse(
    messages: Callable[[int], int] | Any,
    n: int | None = None,
    of: Of = "destination",
    idle: Idle = "unknown",
) -> Recognition:
    """Decide whether messages are a linear-complement communication, and which.

    Args:
        messages: pairs (source, destination) as an (m, 2) integer array or a sequence; a
            one-dimensional array of 2^n nodes; a function of the node number; or anything else
            that describes one phase of traffic (`Traffic.of`), such as a matrix.
        n: number of address bits; needed for a function, else the smallest that fits.
        of: for a function or an array of 2^n nodes f, "destination" if node i sends to f(i),
            "source" if node i receives from f(i): the loop b[i] = r[f(i)] of [hou, Fig. 1].
        idle: "stay" lets every node that neither sends nor receives send to itself.

    Returns: a `Recognition`; exact, in time O(m n / 8) for m messages.

    Raises:
        CommunicationError, NodeError, SizeLimitError: see `describing.collect`.

    >>> analyse([(0, 1), (1, 0), (2, 3)]).communication        # 3 -> 2 follows
    LCC([[1, 0], [0, 1]], [1, 0])
    >>> analyse(lambda i: i // 2, n=2, of="source").kind
    'scatter'
    """
    if isinstance(messages, str):
        rule = "must be messages; communication.parse_equations reads equations, read() files"
        raise CommunicationError("messages", rule, messages)
    pairs = collect(messages, n, of, idle)
    forward = fit_affine(pairs.sources, pairs.destinations, pairs.n)
    if forward.bad is None and forward.rank == pairs.n:
        return _verdict(pairs, LCC(forward.A, forward.b))
    backward = fit_affine(pairs.destinations, pairs.sources, pairs.n)
    if backward.bad is None and backward.rank == pairs.n:
        return _verdict(pairs, LCC.scatter(backward.A, backward.b))
    if forward.bad is not None and backward.bad is not None:
        witnesses = (_witness(forward, "gather"), _witness(backward, "scatter"))
        return _open(pairs, "not-linear-complement", None, 0, witnesses)
    kind: Kind | None = None
    if backward.bad is not None or forward.bad is not None:
        kind = "gather" if forward.bad is None else "scatter"
    fit = backward if kind == "scatter" else forward
    return _open(pairs, "underdetermined", kind, pairs.n * (pairs.n - fit.rank))


@typed_arguments
def recognise(
    messages: Callable[[int], int] | Any,
    n: int | None = None,
    of: Of = "destination",
    idle: Idle = "unknown",
    name: str = "",
) -> LCC:
    """Return the linear-complement communication behind messages; arguments as for `analyse`.

    Raises:
        NotLinearComplement: no A and b fit; its `witness` is a contradiction.
        UnderdeterminedError: several fit; its `recognition` says how many bits are open.

    >>> recognise(lambda i: 3 - i, n=2)
    LCC([[1, 0], [0, 1]], [1, 1])
    >>> recognise([0, 1, 2, 0])
    Traceback (most recent call last):
    ...
    lccmodel.errors.NotLinearComplement: messages: must be of the form y = Ax + b or x = Ay + b: \
0->0, 1->1, 2->2 imply 3->3, but 3->0 is sent; got (3, 0)
    """
    recognition = analyse(messages, n, of, idle)
    c = recognition.communication
    if c is not None:
        maker = LCC.scatter if c.kind == "scatter" else LCC
        return maker(c.A, c.b, name=name)
    if recognition.witness is None:
        hint = 'with idle="stay", nodes without messages count as sending to themselves'
        rule = f"must determine A and b: {recognition.explanation} ({hint})"
        raise UnderdeterminedError("messages", rule, recognition.messages, recognition)
    witness = recognition.witness
    rule = f"must be of the form y = Ax + b or x = Ay + b: {witness.explanation}"
    raise NotLinearComplement("messages", rule, witness.pair, witness)


def message_for_message(messages: Any, n: int) -> LCC | None:
    """The communication whose 2^n messages are sent, each once and no others; None if none is.

    Those of a node to itself may be missing for nodes that do nothing else.

    >>> message_for_message([(1, 2), (2, 1)], 2)
    LCC([[0, 1], [1, 0]])

    Raises:
        InputError: what is not pairs of n-bit nodes.
    """
    pairs = AddressPairs.of(messages, n)
    size = 1 << pairs.n
    if len(pairs) > size:
        return None
    complete = pairs.with_idle_staying()
    both = np.stack([complete.sources, complete.destinations], axis=1)
    if len(complete) != size or len(np.unique(both, axis=0)) != size:
        return None
    return analyse(complete).communication


def _verdict(pairs: AddressPairs, communication: LCC) -> Recognition:
    return Recognition(
        "linear-complement",
        pairs.n,
        communication,
        communication.kind,
        0,
        len(pairs),
        pairs.missing_sources,
    )


def _open(
    pairs: AddressPairs,
    verdict: Verdict,
    kind: Kind | None,
    freedom: int,
    witnesses: tuple[Witness, ...] = (),
) -> Recognition:
    if not len(pairs):
        freedom += pairs.n  # without any message, b is open too
    return Recognition(
        verdict, pairs.n, None, kind, freedom, len(pairs), pairs.missing_sources, witnesses
    )


def _witness(fit: AffineFit, reading: Reading) -> Witness:
    bad, others = contradiction(fit)
    predicted = int(np.bitwise_xor.reduce(fit.y[others]))

    def pair(k: int) -> Pair:
        x, y = int(fit.x[k]), int(fit.y[k])
        return (y, x) if reading == "scatter" else (x, y)

    return Witness(reading, pair(bad), tuple(pair(k) for k in others), predicted)
