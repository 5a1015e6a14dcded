"""Fitting an affine map to messages: elimination on packed nodes, checked on every message.

The basis grows by the first message whose source is not an affine combination of those before;
reduced row echelon form over the differences to the first message gives A column by column, and
remembers which messages each step is made of. So a message that does not fit comes with the
messages that contradict it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from lccmodel.communication.addresses import Nodes
from lccmodel.gf2.matrix import GF2Matrix

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
    A: GF2Matrix = field(init=False)
    b: int = 0
    bad: int | None = None

    @property
    def rank(self) -> int:
        """Dimension of the span of the differences of the sources."""
        return len(self.steps)

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

    Columns of A on which the messages say nothing are zero; `bad` is None if all messages fit.

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
        found = _first_outside(remainder, x, start)
        if found is None:
            break
        fit.add(found)
        start = found + 1
    images = [fit.steps[j].destination if j in fit.steps else 0 for j in range(n)]
    fit.A = GF2Matrix.from_rows(images, n).T
    if len(x):
        fit.b = fit.A.apply(int(x[0])) ^ int(y[0])
        fit.bad = _first_unlike(_LinearMap(images), fit)
    return fit


def _first_outside(remainder: _LinearMap, x: Nodes, start: int) -> int | None:
    return _first(start, len(x), lambda part: remainder(x[part] ^ x[0]) != 0)


def _first_unlike(predict: _LinearMap, fit: AffineFit) -> int | None:
    b = np.uint64(fit.b)
    return _first(0, len(fit.x), lambda part: predict(fit.x[part]) ^ b != fit.y[part])


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
