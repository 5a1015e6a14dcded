"""A bridge of the checker, asked in a test of the library: one independent count for both."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from proofs_check.claim import PRINTED
from proofs_check.registry import get_claim


def found(bridge: str, n: int, most: int = 40) -> Iterator[tuple[Any, Any]]:
    """What `library.<bridge>` finds in cases spread over an n, one after another."""
    claim = get_claim(f"library.{bridge}")
    cases = claim.domain.cases(n, 0, claim.domain.span(n))
    for _, case in islice(cases, 0, None, max(1, claim.domain.size(n) // most)):
        yield case, claim.check(*case, **claim.variant_parameters(PRINTED))


def check_bridge(bridge: str, n: int, most: int = 40) -> None:
    """The library's answers are those that the bridge counts."""
    for case, finding in found(bridge, n, most):
        assert finding, (case, finding)
