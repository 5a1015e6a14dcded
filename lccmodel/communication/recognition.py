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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.communication.addresses import AddressPairs, Idle, Of, collect
from lccmodel.communication.fitting import AffineFit, contradiction, fit_affine
from lccmodel.communication.lcc import LCC, Kind
from lccmodel.errors import NotLinearComplement, UnderdeterminedError
from lccmodel.views import Viewed

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
class Recognition(Viewed, view="recognition"):
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
        CommunicationError, NodeError, SizeLimitError: see `addresses.collect`.

    >>> analyse([(0, 1), (1, 0), (2, 3)]).communication        # 3 -> 2 follows
    LCC([[1, 0], [0, 1]], [1, 0])
    >>> analyse(lambda i: i // 2, n=2, of="source").kind
    'scatter'
    """
    given = collect(messages, n, of, idle)
    forward = fit_affine(given.sources, given.destinations, given.n)
    if forward.bad is None and forward.rank == given.n:
        return _verdict(given, LCC(forward.A, forward.b))
    backward = fit_affine(given.destinations, given.sources, given.n)
    if backward.bad is None and backward.rank == given.n:
        return _verdict(given, LCC.scatter(backward.A, backward.b))
    if forward.bad is not None and backward.bad is not None:
        witnesses = (_witness(forward, "gather"), _witness(backward, "scatter"))
        return _open(given, "not-linear-complement", None, 0, witnesses)
    kind: Kind | None = None
    if backward.bad is not None or forward.bad is not None:
        kind = "gather" if forward.bad is None else "scatter"
    fit = backward if kind == "scatter" else forward
    return _open(given, "underdetermined", kind, given.n * (given.n - fit.rank))


@typed_arguments
def recognise(
    messages: Callable[[int], int] | Any,
    n: int | None = None,
    of: Of = "destination",
    idle: Idle = "unknown",
    name: str = "",
) -> LCC:
    """The linear-complement communication behind messages; arguments as for `analyse`.

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
    given = pairs.with_idle_staying()
    both = np.stack([given.sources, given.destinations], axis=1)
    if len(given) != size or len(np.unique(both, axis=0)) != size:
        return None
    return analyse(given).communication


def _verdict(given: AddressPairs, communication: LCC) -> Recognition:
    return Recognition(
        "linear-complement",
        given.n,
        communication,
        communication.kind,
        0,
        len(given),
        given.missing_sources,
    )


def _open(
    given: AddressPairs,
    verdict: Verdict,
    kind: Kind | None,
    freedom: int,
    witnesses: tuple[Witness, ...] = (),
) -> Recognition:
    if not len(given):
        freedom += given.n  # without any message, b is open too
    return Recognition(
        verdict, given.n, None, kind, freedom, len(given), given.missing_sources, witnesses
    )


def _witness(fit: AffineFit, reading: Reading) -> Witness:
    bad, others = contradiction(fit)
    predicted = int(np.bitwise_xor.reduce(fit.y[others]))

    def pair(k: int) -> Pair:
        x, y = int(fit.x[k]), int(fit.y[k])
        return (y, x) if reading == "scatter" else (x, y)

    return Witness(reading, pair(bad), tuple(pair(k) for k in others), predicted)
