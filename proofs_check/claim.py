"""Claims: one small function with its place in a paper, its domain, and a negative control.

A predicate is called with the values of one case and says whether the claim holds there:

    @claim("hou.cor9", place="Section 9", says="...", over=PAIRS, evidence="...",
           control=Control("the bound halved", factor=2))
    def cor9(A, b, *, factor=1):
        return walked(A, b) * factor <= bound(A)

A batch claim is called with a range of case indices, for compiled kernels:

    @batch_claim("hou.thm9", ...)
    def thm9(n, start, stop, *, shift=0):
        return Examined.of(start, degrees_of_all(n)[start:stop] <= 2 + shift)

What claims have in common stands once, above them; a claim declares what differs:

    STATED = Stated(place="Section 9", over=PAIRS)

The keyword parameters are what readings, controls and amended forms change: one checker runs all
of them, so the control proves that this checker can say no on this domain.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypedDict, Unpack

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.kernels.jit import in_python
from proofs_check.domain import Case, Domain
from proofs_check.finding import Examined, Finding
from proofs_check.statement import (
    PAPERS,
    Amended,
    Control,
    Reading,
    Sample,
    Sizes,
    Source,
    Tried,
    Undecided,
)
from proofs_check.version import code_version, value_text

__all__ = [
    "PAPERS",
    "Amended",
    "Claim",
    "Control",
    "Examined",
    "Finding",
    "Reading",
    "Sample",
    "Sizes",
    "Source",
    "Stated",
    "Tried",
    "Undecided",
    "batch_claim",
    "claim",
    "compiled_unless_small",
    "with_stated",
]

_ID = re.compile(r"[a-z]+(\.[A-Za-z0-9_/-]+)+")

Parameters = Mapping[str, Any]
PRINTED, READING, CONTROL = "printed", "reading", "control"


def compiled_unless_small(n: int, span: int) -> AbstractContextManager[None]:
    """On a domain of so few indices kernels run as Python: compiling them would take longer.

    Both say the same (`tests/proofs_check/test_small_domains.py`).
    """
    return in_python() if n <= 3 and span <= 4096 else nullcontext()


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim with everything needed to settle it. Made by `claim` and `batch_claim`."""

    id: str
    source: Source
    says: str
    latex: str
    domain: Domain
    check: Callable[..., Any]
    is_batch: bool
    control: Control
    evidence: str
    printed: str = ""
    reading: Reading | None = None
    undecided: Undecided | None = None
    amended: str | None = None
    least_n: int = 1
    max_n: int = 4
    limit_n: int | None = None
    samples: Mapping[int, Sample] = field(default_factory=dict)
    parameters: Parameters = field(default_factory=dict)
    _explain: list[Callable[..., Mapping[str, Any]]] = field(default_factory=list)

    def explain(self, function: Callable[..., Mapping[str, Any]]) -> Callable[..., Any]:
        """Decorate the function that shows a counterexample: called like a predicate.

        It returns what to show besides the case: numbers, and under `paths` lists of nodes.
        """
        self._explain.append(function)
        return function

    # -- what is run ----------------------------------------------------------------------

    @property
    def module(self) -> str:
        """The module that defines the claim; a worker imports it."""
        return self.check.__module__

    @property
    def is_own(self) -> bool:
        """Whether nobody has printed it: a question beside the text, or an amended statement."""
        return self.source.is_own or self.id.endswith(".amended")

    @cached_property
    def version(self) -> str:
        """A hash of the code and of the parameters of the claim."""
        chosen = {variant: self.variant_parameters(variant) for variant in self.variants}
        functions = (
            v for parameters in chosen.values() for v in parameters.values() if callable(v)
        )
        salt = value_text((self.id, self.is_batch, self.domain.fingerprint(), chosen))
        return code_version(self.check, *self.domain.code(), *functions, salt=salt)

    @property
    def variants(self) -> tuple[str, ...]:
        """`printed`, `reading` if the print can be run besides it, and `control`.

        Where the text decides nothing, `printed` is the first of what was tried; others follow.
        """
        if self.undecided is not None:
            others = range(2, len(self.undecided.tried) + 1)
            return (PRINTED, *(f"tried {k}" for k in others), CONTROL)
        if self.reading is not None and self.reading.parameters:
            return (PRINTED, READING, CONTROL)
        return (PRINTED, CONTROL)

    def variant_parameters(self, variant: str) -> dict[str, Any]:
        """The keyword arguments of a variant; the control spoils what the claim asserts."""
        chosen = dict(self.parameters)
        if self.undecided is not None:
            at = 0 if variant == CONTROL else self.variants.index(variant)
            chosen.update(self.undecided.tried[at].parameters)
        if self.reading is not None and variant != PRINTED:
            chosen.update(self.reading.parameters)
        if variant == CONTROL:
            chosen.update(self.control.parameters)
        return chosen

    def dimensions(self, max_n: int | None = None) -> tuple[int, ...]:
        """The n that are checked exhaustively."""
        if self.domain.dimensions is not None:
            fixed = self.domain.dimensions
            return fixed if max_n is None else tuple(n for n in fixed if n <= max_n) or fixed[:1]
        top = self.max_n if max_n is None else max_n
        if self.limit_n is not None and top > self.limit_n:
            raise SizeLimitError("max-n", f"{self.id} can be checked up to {self.limit_n}", top)
        return tuple(range(self.least_n, max(top, self.least_n) + 1))

    def sampled_dimensions(self, max_n: int | None = None) -> tuple[int, ...]:
        """The n above the exhaustive ones that are sampled; none if `max_n` is given."""
        return () if max_n is not None else tuple(sorted(n for n in self.samples if n > self.max_n))

    def examine(self, variant: str, n: int, start: int, stop: int) -> Examined:
        """Check the cases start <= index < stop of one n; stops at the first that fails."""
        parameters = self.variant_parameters(variant)
        if self.is_batch:
            with compiled_unless_small(n, self.domain.span(n)):
                examined: Examined = self.check(n, start, stop, **parameters)
            return examined
        count = 0
        for index, case in self.domain.cases(n, start, stop):
            count += 1
            if not self.check(*case, **parameters):
                return Examined(count, index)
        return Examined(count)

    def examine_control(self, n: int, start: int, stop: int) -> Examined:
        """Check the cases start <= index < stop from the last one back, as the near miss needs it.

        The control is the claim spoiled in one case alone: the last one where the claim holds as
        stated and the spoiled statement does not. `failing` is that case, or None; `cases` are
        those from it to the end.
        """
        stated = READING if READING in self.variants else PRINTED
        cases, width = 0, 1
        while stop > start:
            examined = self.examine(CONTROL, n, max(start, stop - width), stop)
            if examined.failing is None:
                cases += examined.cases
                stop, width = max(start, stop - width), 2 * width
            elif stop - examined.failing > 1:  # a later one may fail, too
                width = (stop - examined.failing) // 2
            elif self.examine(stated, n, stop - 1, stop).failing is None:
                return Examined(cases + 1, stop - 1)
            else:  # the claim itself fails there
                cases, stop = cases + 1, stop - 1
        return Examined(cases)

    def details(self, variant: str, case: Case) -> dict[str, Any]:
        """The numbers that show why a case passes or fails."""
        parameters = self.variant_parameters(variant)
        details: dict[str, Any] = {}
        if not self.is_batch:
            finding = self.check(*case, **parameters)
            details.update(getattr(finding, "details", {}))
        for function in self._explain:
            details.update(function(*case, **parameters))
        return details

    # -- samples --------------------------------------------------------------------------

    def sample_starts(self, n: int, seed: int) -> tuple[int, ...]:
        """The first index of every sampled block, ascending; the seed and n decide them."""
        return _sample_starts(self.domain, n, self.samples[n], seed)


registered: dict[str, Claim] = {}
"""Every claim declared so far, by id; `proofs_check.registry` finds and selects them."""


def register(claim: Claim) -> Claim:
    """Enter a claim; the declaring decorators do it.

    Raises:
        InputError: another function has entered the id before.
    """
    known = registered.get(claim.id)
    if known is not None and _home(known) != _home(claim):
        raise InputError("id", f"is already used in {known.module}", claim.id)
    registered[claim.id] = claim
    return claim


def _home(claim: Claim) -> tuple[str, str]:
    return claim.module, claim.check.__qualname__


@lru_cache(maxsize=32)
def _sample_starts(domain: Domain, n: int, sample: Sample, seed: int) -> tuple[int, ...]:
    span = domain.span(n)
    blocks = span // sample.length
    if sample.length > 1 and (span % sample.length or domain.size(n) != span):
        rule = "a block longer than 1 must divide the range of indices, and every index be a case"
        raise InputError("samples", rule, sample)
    if domain.size(n) < sample.blocks * sample.length:
        raise InputError(
            "samples", f"must be at most the {domain.size(n)} cases of n = {n}", sample
        )
    chosen: set[int] = set()
    attempt = 0
    while len(chosen) < sample.blocks:
        text = f"{seed}|{n}|{attempt}".encode()
        attempt += 1
        index = int.from_bytes(hashlib.sha256(text).digest()) % blocks
        if sample.length > 1 or domain.case(n, index) is not None:
            chosen.add(index)
    return tuple(sorted(block * sample.length for block in chosen))


class Stated(TypedDict, total=False):
    """What a claim declares besides its id; `STATED` of a module holds for the claims below it.

    Keys:
        place: where in the paper.
        says, latex: the statement as plain text and as LaTeX (without dollar signs).
        printed: the paper's own words, where they are shorter or say something else.
        over: the domain.
        evidence: in one line, what the claim is checked against.
        control: the wrong variant that must be rejected.
        reading: a text, or a `Reading` with parameters.
        undecided: what is missing in the text, and what was tried; instead of a reading.
        amended: `Amended(...)`, or the id of a claim written separately.
        sizes: the n that are checked; 1 to 4 if left out.
        samples: for n above `sizes.most`, the number of random cases, or a `Sample`.
    """

    place: str
    says: str
    latex: str
    printed: str
    over: Domain
    evidence: str
    control: Control
    reading: Reading | str | None
    undecided: Undecided | None
    amended: Amended | str | None
    sizes: Sizes
    samples: Mapping[int, int | Sample]


def with_stated(function: Callable[..., Any], declared: Stated) -> Stated:
    """What a claim declares, and what the module of its function states for all of its claims."""
    return {**getattr(function, "__globals__", {}).get("STATED", {}), **declared}


_NEEDED = ("place", "says", "over", "evidence", "control")


def _declare(is_batch: bool, id: str, function: Callable[..., Any], declared: Stated) -> Claim:
    stated = with_stated(function, declared)
    if unknown := stated.keys() - Stated.__annotations__.keys():
        rule = f"states {', '.join(sorted(Stated.__annotations__))}, not {', '.join(unknown)}"
        raise InputError("claim", rule, id)
    if missing := [name for name in _NEEDED if name not in stated]:
        raise InputError("claim", f"must state its {' and '.join(missing)}", id)
    control, amended, reading = stated["control"], stated.get("amended"), stated.get("reading")
    undecided = stated.get("undecided")
    if not _ID.fullmatch(id):
        raise InputError("id", "must be <paper>.<name>", id)
    if not control.parameters:
        raise InputError("control", "needs a parameter that spoils the claim", control)
    if undecided is not None and (reading is not None or amended is not None):
        rule = "what the text does not decide has neither a reading nor an amended statement"
        raise InputError("undecided", rule, id)
    sizes = stated.get("sizes", Sizes())
    if not isinstance(sizes, Sizes):
        raise InputError("sizes", "must be Sizes(least, most, limit)", sizes)
    common: dict[str, Any] = {
        "source": Source(id.partition(".")[0], stated["place"]),
        "domain": stated["over"],
        "check": function,
        "is_batch": is_batch,
        "least_n": sizes.least,
        "max_n": sizes.most,
        "limit_n": sizes.limit,
        "samples": {
            n: sample if isinstance(sample, Sample) else Sample(sample)
            for n, sample in stated.get("samples", {}).items()
        },
        "_explain": [],
    }
    if isinstance(amended, Amended):
        made = Claim(
            id=f"{id}.amended",
            says=amended.text,
            latex=amended.latex,
            control=amended.control or control,
            evidence=amended.evidence or stated["evidence"],
            parameters=amended.parameters,
            **common,
        )
        amended = register(made).id
    made = Claim(
        id=id,
        says=stated["says"],
        latex=stated.get("latex", ""),
        control=control,
        evidence=stated["evidence"],
        printed=stated.get("printed", ""),
        reading=Reading(reading) if isinstance(reading, str) else reading,
        undecided=undecided,
        amended=amended,
        **common,
    )
    return register(made)


def claim(id: str, **declared: Unpack[Stated]) -> Callable[[Callable[..., Any]], Claim]:
    """Declare a claim whose function is a predicate on one case.

    The function takes the values of a case and the parameters as keywords; it returns a bool or
    a `Finding`. What is declared: see `Stated`.

    Args:
        id: `<paper>.<name>`, as in the list of claims.

    Raises:
        InputError: an id of another form, nothing said where it is needed, a control without
            parameters, an id used twice, or a claim that is undecided and has a reading or an
            amended statement.
    """
    return lambda function: _declare(False, id, function, declared)


def batch_claim(id: str, **declared: Unpack[Stated]) -> Callable[[Callable[..., Any]], Claim]:
    """Declare a claim whose function checks a range of case indices; arguments as for `claim`.

    The function takes (n, start, stop) and the parameters as keywords; it returns an `Examined`.
    """
    return lambda function: _declare(True, id, function, declared)
