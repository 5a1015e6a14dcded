"""A bridge of the checker, asked in a test of the library: one independent count for both."""

from __future__ import annotations

from itertools import islice

from proofs_check.claim import PRINTED
from proofs_check.registry import get_claim


def check_bridge(bridge: str, n: int, most: int = 40) -> None:
    """The library's answers are those that `library.<bridge>` counts, in cases spread over an n."""
    claim = get_claim(f"library.{bridge}")
    cases = claim.domain.cases(n, 0, claim.domain.span(n))
    for _, case in islice(cases, 0, None, max(1, claim.domain.size(n) // most)):
        found = claim.check(*case, **claim.variant_parameters(PRINTED))
        assert found, (case, found)
