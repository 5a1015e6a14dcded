"""What a run will cost: the measured time of one index of a claim at a given n."""

from __future__ import annotations

import time

from proofs_check.claim import PRINTED, READING, Claim
from proofs_check.ledger import Ledger

__all__ = ["seconds_per_index"]

_PILOT_SECONDS = 0.2


def seconds_per_index(claim: Claim, n: int, ledger: Ledger | None = None) -> float:
    """Seconds of computing for one index, all variants that run to the end counted.

    Taken from the ledger's shards, or measured on a slice in the middle of the domain.
    """
    known = None if ledger is None else ledger.cost(claim.id, claim.version, n)
    if known is not None:
        return known
    variant = READING if READING in claim.variants else PRINTED
    span = claim.domain.span(n)
    start, size = span // 2, 1
    claim.examine(variant, n, start, min(start + 1, span))  # compiles
    while True:
        stop = min(start + size, span)
        began = time.perf_counter()
        found = claim.examine(variant, n, start, stop)
        seconds = time.perf_counter() - began
        reached = stop if found.failing is None else found.failing + 1
        if seconds > _PILOT_SECONDS or reached == span or found.failing is not None:
            return seconds / max(reached - start, 1)
        size *= 4
