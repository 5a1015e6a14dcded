"""What a certificate proves, found from the certificate alone, with Python's own library only.

Nothing here, in `reading`, `questions`, `cubes`, `grids`, `placements`, `plans` and `degrees` knows
how an answer was found; an import contract keeps it so. A certificate states a problem, an answer
and a proof, as docs/certificates.md writes down, and ends with one sentence or with `Refused`. The
sentence names the question, too: a certificate of another question proves nothing about yours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lccmodel.certificates.cubes import check_linear, check_orders
from lccmodel.certificates.degrees import check_degree
from lccmodel.certificates.grids import check_schedule
from lccmodel.certificates.parser import Refused, check_types, need, read_part
from lccmodel.certificates.placements import check_placement
from lccmodel.certificates.plans import check_plan
from lccmodel.certificates.questions import Question, question_of

FORMAT = "lccmodel-certificate 1"


@dataclass(frozen=True)
class Certified:
    """What a certificate proves.

    Attributes: `claim`, a sentence about the answer; `question`, what was asked.
    """

    claim: str
    question: Question

    def __str__(self) -> str:
        return f"{self.claim}; {self.question}"


def check(certificate: Mapping[str, Any]) -> str:
    """Return what a certificate proves, and of which question, in one sentence.

    Args:
        certificate: the object of a certificate's JSON text.

    Raises:
        Refused: it proves nothing: altered, incomplete, or wrong.

    >>> check({"format": "another"})
    Traceback (most recent call last):
    ...
    lccmodel.certificates.parser.Refused: the format must be "lccmodel-certificate 1"
    """
    return str(certified(certificate))


def certified(certificate: Mapping[str, Any]) -> Certified:
    """Return the claim of a certificate and the question that it answers.

    Args:
        certificate: the object of a certificate's JSON text.

    Raises:
        Refused: it proves nothing: altered, incomplete, or wrong.

    >>> certified({})
    Traceback (most recent call last):
    ...
    lccmodel.certificates.parser.Refused: the format must be "lccmodel-certificate 1"
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
        "degree": check_degree,
        "collective": check_plan,
    }
    need(certificate.get("kind") in list(known), f"the kind must be one of {', '.join(known)}")
    try:
        parts = [read_part(certificate[part], part) for part in ("problem", "answer", "proof")]
        claim = known[certificate["kind"]](*parts)
        return Certified(claim, question_of(certificate["kind"], parts[0]))
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
