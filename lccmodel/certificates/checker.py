"""What a certificate proves, found from the certificate alone, with Python's own library only.

Nothing here, in `reading`, `cubes`, `grids`, `placements` and `plans` knows how an answer was
found; an import contract keeps it so. A certificate states a problem, an answer and a proof, as
docs/certificates.md writes down, and ends with one sentence or with `Refused`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from lccmodel.certificates.cubes import check_linear, check_orders
from lccmodel.certificates.grids import check_schedule
from lccmodel.certificates.placements import check_placement
from lccmodel.certificates.plans import check_plan
from lccmodel.certificates.reading import (
    Refused,
    check_types,
    common_denominator,
    need,
    read_list,
    read_number,
    read_part,
    read_whole,
)

FORMAT = "lccmodel-certificate 1"

_MAX_DIMENSIONS = 64
"""The most dimensions of an algorithm whose degree is certified."""

_MAX_PIECES = 1000
"""The most pieces of a cost, and about as many stretches of degrees: some seconds."""


def check(certificate: Mapping[str, Any]) -> str:
    """What a certificate proves, in one sentence.

    Args:
        certificate: the object of a certificate's JSON text.

    Raises:
        Refused: it proves nothing: altered, incomplete, or wrong.

    >>> check({"format": "another"})
    Traceback (most recent call last):
    ...
    lccmodel.certificates.reading.Refused: the format must be "lccmodel-certificate 1"
    """
    read_part(certificate, "a certificate")
    check_types(certificate)
    need(certificate.get("format") == FORMAT, f'the format must be "{FORMAT}"')
    need(
        certificate.get("digest") == certificate_digest(certificate),
        "it was altered: its digest differs",
    )
    known: dict[Any, Callable[[Any, Any, Any], str]] = {
        "linear": check_linear,
        "orders": check_orders,
        "placement": check_placement,
        "schedule": check_schedule,
        "degree": _degree,
        "collective": check_plan,
    }
    need(certificate.get("kind") in list(known), f"the kind must be one of {', '.join(known)}")
    try:
        parts = [read_part(certificate[part], part) for part in ("problem", "answer", "proof")]
        return known[certificate["kind"]](*parts)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise Refused(f"it is malformed ({type(error).__name__}: {error})") from None


def certificate_digest(certificate: Mapping[str, Any]) -> str:
    """SHA-256 of everything but the digest itself, keys sorted, without spaces.

    >>> certificate_digest({"digest": "?"})[:8]
    '44136fa3'
    """
    kept = {key: value for key, value in certificate.items() if key != "digest"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# -- Pipelining degrees ----------------------------------------------------------------------------


def _degree(problem: Any, answer: Any, proof: Any) -> str:
    """T(Q) = P(Q) (alpha + N/Q tau) + (d + Q - 1) b, P(Q) = A + B Q from d on, as stated."""
    N, d = read_whole(problem["N"], 1), read_whole(problem["d"], 0, _MAX_DIMENSIONS)
    steps = read_part(problem["steps"], "the steps")
    shallow = [
        read_whole(P)
        for P in read_list(steps["shallow"], max(d - 1, 0), f"the steps of 1..{d - 1}")
    ]
    A, B = read_whole(steps["A"]), read_whole(steps["B"])
    barrier = read_number(problem["barrier"])
    listed = read_list(problem["pieces"], None, "the pieces of the cost")
    need(len(listed) <= _MAX_PIECES, f"the cost has more than {_MAX_PIECES} pieces")
    pieces = [
        (None if up is None else read_number(up), read_number(a), read_number(t))
        for up, a, t in (read_list(piece, 3, "a piece") for piece in listed)
    ]
    common_denominator([barrier, *(number for _, *line in pieces for number in line)])

    def piece(Q: int) -> int:
        fits = (k for k, (up, *_) in enumerate(pieces) if up is None or Fraction(N, Q) <= up)
        found = next(fits, None)
        need(found is not None, f"no piece of the cost holds packets of {N}/{Q} items")
        assert found is not None
        return found

    def time(Q: int, k: int) -> Fraction:
        steps = shallow[Q - 1] if Q < d else A + B * Q
        return steps * (pieces[k][1] + Fraction(N, Q) * pieces[k][2]) + (d + Q - 1) * barrier

    Q = read_whole(answer["Q"], 1, N)
    best = time(Q, piece(Q))
    need(best == read_number(answer["time"]), f"T({Q}) is {best}")
    for other in range(1, min(d, N + 1)):
        need(best <= time(other, piece(other)), f"T({other}) is less")
    end = max(d, 1) - 1
    stretches = read_list(proof["stretches"], None, "the stretches")
    need(len(stretches) <= _MAX_PIECES + 1, f"there are more than {_MAX_PIECES + 1} stretches")
    for stretch in stretches:
        first, last, least = map(read_whole, read_list(stretch, 3, "a stretch"))
        need(first == end + 1 and first <= least <= last <= N, "the stretches must cover d..N")
        k, end = piece(first), last
        need(piece(last) == k, f"packets of {first}..{last} lie in two pieces")
        here = time(least, k)
        need(best <= here, f"T({least}) is less")
        need(least == first or time(least - 1, k) >= here, f"not the least of {first}..{last}")
        need(least == last or time(least + 1, k) >= here, f"not the least of {first}..{last}")
    need(end == N or N < d, "the stretches must cover d..N")
    return f"Q = {Q} takes {best} for {N} items, and no other degree less, with the steps stated"
