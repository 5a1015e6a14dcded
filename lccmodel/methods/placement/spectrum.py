"""The spectral gap of what is sent: a cut of k of n ranks carries at least gap k (n - k) / n.

The gap is the second smallest eigenvalue of the Laplacian L of the volumes: x' L x is the volume
between the two sides of a cut for its 0-1 vector x, and at least gap |x - mean|^2 = gap k (n-k)/n.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel.methods.placement.problem import Demand

__all__ = ["gap_at_least", "gap_at_most"]

_MOST_RANKS = 1500
"""Most ranks for which eigenvalues are computed: about a second."""

_STEPS = 40

Reals = npt.NDArray[np.float64]


def gap_at_least(demand: Demand) -> float:
    """The gap, rounded down; 0 for more ranks than eigenvalues are computed for."""
    n = demand.ranks
    if not 2 <= n <= _MOST_RANKS:
        return 0.0
    W = np.zeros((n, n))
    np.add.at(W, (demand.source, demand.destination), demand.volume.astype(float))
    W += W.T
    gap = float(np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W)[1])
    return max(0.0, gap - _rounding(demand))


def gap_at_most(demand: Demand) -> float:
    """A number that the gap does not exceed, from so many products with L (Courant and Fischer).

    On any space of vectors whose entries add up to 0, the least value of x' L x / x' x is at least
    the gap; here the space of Lanczos, in milliseconds.
    """
    n = demand.ranks
    if not 2 <= n <= _MOST_RANKS:
        return 0.0
    source, destination, volume = demand.source, demand.destination, demand.volume.astype(float)

    def product(x: Reals) -> Reals:
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
    return float(np.linalg.eigvalsh(basis @ images.T)[0]) + _rounding(demand)


def _rounding(demand: Demand) -> float:
    """More than eigenvalues of L can be wrong by."""
    degrees = np.bincount(demand.source, demand.volume, demand.ranks)
    degrees += np.bincount(demand.destination, demand.volume, demand.ranks)
    return 1e-10 * demand.ranks * float(degrees.max(initial=1.0))
