"""Eigenvalues of what is sent: the Laplacian L of the volumes bounds every cut of the ranks.

x' L x is the volume between the two sides of a cut for its 0-1 vector x. With the eigenvalues
0 = λ_1 <= λ_2 <= ... a cut of k of n ranks carries at least λ_2 |x - mean|^2 = λ_2 k (n - k) / n
[Fiedler], and parts of m_1 >= m_2 >= ... ranks are left by (m_1 λ_1 + m_2 λ_2 + ...) / 2 or more
[Donath and Hoffman 1973].

They are computed in floating point, with an error of at most some n 2^-53 |L|, and rounded by
thousands of times as much; from there on they are fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np

from lccmodel.ground.arrays import Floats
from lccmodel.placement.search.problem import Demand

_MOST_RANKS = 1500
"""Most ranks for which eigenvalues are computed: about a second."""

_STEPS = 40


def sums_at_least(demand: Demand) -> list[Fraction]:
    """Entry k: λ_1 + ... + λ_k, rounded down; nothing for more ranks than are computed."""
    n = demand.ranks
    if not 2 <= n <= _MOST_RANKS:
        return []
    W = np.zeros((n, n))
    np.add.at(W, (demand.source, demand.destination), demand.volume.astype(float))
    W += W.T
    eigenvalues = np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W) - _rounding(demand)
    least = (Fraction(max(0.0, value)) for value in eigenvalues[1:].tolist())
    return [Fraction(0), *accumulate(least, initial=Fraction(0))]


def sums_at_most(demand: Demand) -> list[float]:
    """Entry k: no less than λ_1 + ... + λ_k, from some products with L.

    On any space of vectors whose entries add up to 0, the k-th least value of x' L x / x' x is at
    least λ_(k+1) (Courant and Fischer); here the space of Lanczos, in milliseconds. All that follow
    add up to the rest of the diagonal of L, and the lower of them are at most the mean of these.
    """
    n = demand.ranks
    if not 2 <= n <= _MOST_RANKS:
        return []
    source, destination, volume = demand.source, demand.destination, demand.volume.astype(float)

    def product(x: Floats) -> Floats:
        flow = volume * (x[source] - x[destination])
        net = np.bincount(source, flow, n) - np.bincount(destination, flow, n)
        return net.astype(np.float64)

    basis = np.zeros((min(_STEPS, n - 1), n))
    images = np.zeros_like(basis)
    x = np.random.default_rng(0).standard_normal(n)
    for k in range(len(basis)):
        for _ in range(2):  # twice is enough for orthogonality
            x -= x.mean()
            x -= basis[:k].T @ (basis[:k] @ x)
        length = float(np.linalg.norm(x))
        if k and length <= _rounding(demand):  # the space is closed under L
            basis, images = basis[:k], images[:k]
            break
        basis[k] = x / length
        images[k] = x = product(basis[k])
    ritz = np.linalg.eigvalsh(basis @ images.T) + _rounding(demand)
    sums = np.concatenate([[0.0, 0.0], np.cumsum(ritz)])
    whole, known = 2 * float(volume.sum()) + _rounding(demand), len(sums) - 1
    sums = np.minimum(sums, whole)
    rest = np.linspace(sums[-1], whole, n + 1 - known)[1:]
    return [*sums.tolist(), *rest.tolist()]


def _rounding(demand: Demand) -> float:
    """More than eigenvalues of L can be wrong by."""
    degrees = np.bincount(demand.source, demand.volume, demand.ranks)
    degrees += np.bincount(demand.destination, demand.volume, demand.ranks)
    return 1e-10 * demand.ranks * float(degrees.max(initial=1.0))
