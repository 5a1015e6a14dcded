"""What a run will cost: computing time (not the clock) of one index of a claim at a given n."""

from __future__ import annotations

import random
import time

from proofs_check.claim import PRINTED, READING, Claim
from proofs_check.ledger import Ledger

_PILOT_SECONDS = 0.2
_SLICES = 8
_FEWEST_INDICES = 64


def seconds_per_index(claim: Claim, n: int, ledger: Ledger | None = None) -> float:
    """Seconds of computing for one index, all variants that run to the end counted.

    Taken from the ledger's shards, or measured on slices at random places (fixed seed): in the
    middle of a domain such as the nonsingular matrices hundreds of indices may hold no case. A
    claim of a few large cases counts as 0, since to measure one would be to run it.
    """
    known = None if ledger is None else ledger.cost(claim.id, claim.version, n)
    if known is not None:
        return known
    span = claim.domain.span(n)
    if span < _FEWEST_INDICES:
        return 0.0
    variant = READING if READING in claim.variants else PRINTED
    places = random.Random(claim.id)
    claim.examine(variant, n, 0, 1)  # compiles
    size = 1
    while True:
        seconds, indices = 0.0, 0
        for _ in range(_SLICES):
            start = places.randrange(span)
            began = time.thread_time()
            examined = claim.examine(variant, n, start, min(start + size, span))
            seconds += time.thread_time() - began
            reached = min(start + size, span) if examined.failing is None else examined.failing + 1
            indices += reached - start
        if seconds > _PILOT_SECONDS or size >= span:
            return seconds / indices
        size *= 4
