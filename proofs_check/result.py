"""Verdicts: from what the variants of a claim found to one frozen result.

holds                  true as printed on the whole domain
holds-as-read          the printed words are ambiguous or fail; the stated reading is true
fails                  false, with the smallest counterexample and an amended claim
undecided              the text does not determine what to check: what was tried, what came out
control-not-rejected   the checker passed a statement known to be wrong: no verdict
error                  the claim's code raised, or the count of cases is off: no verdict
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.views import Viewed
from proofs_check import display
from proofs_check.claim import CONTROL, PRINTED, READING, Claim, compiled_unless_small
from proofs_check.registry import get_claim
from proofs_check.shards import Stage, Track, base_ranges, in_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lccmodel.show.records import Table

_LONGEST = 200
_BRIEF = 100

HOLDS, AS_READ, FAILS, UNDECIDED = "holds", "holds-as-read", "fails", "undecided"
NOT_REJECTED, ERROR = "control-not-rejected", "error"
VERDICTS = (HOLDS, AS_READ, FAILS, UNDECIDED, NOT_REJECTED, ERROR)


@dataclass(frozen=True)
class Counterexample:
    """A case where a variant fails: n, index in the domain, its values and what they show.

    `case` and `details` hold plain values: a matrix is a list of rows, a vector a list of bits.
    """

    n: int
    index: int
    case: Mapping[str, Any]
    details: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The counterexample in one line; details too long for it are left to `details`."""
        return counterexample_text(self.n, self.case, self.details)

    def record(self) -> dict[str, Any]:
        """As in the JSON report."""
        return {
            "n": self.n,
            "index": self.index,
            "case": dict(self.case),
            "details": dict(self.details),
            "text": self.text,
        }


def counterexample_text(
    n: int, case: Mapping[str, Any], details: Mapping[str, Any], without: tuple[str, ...] = ()
) -> str:
    """A case and the numbers that it shows, in one line.

    A number is shown whole or, if it is longer than 200 characters, not at all.

    >>> counterexample_text(2, {"A": [[1, 0]]}, {"T": 1, "paths": [[0], [1]]}, without=("paths",))
    'n = 2: A = [[1, 0]]; T = 1'
    """
    shown, *more = counterexample_lines(n, case, details, without)
    return shown + (f"; {', '.join(more)}" if more else "")


def counterexample_lines(
    n: int, case: Mapping[str, Any], details: Mapping[str, Any], without: tuple[str, ...] = ()
) -> list[str]:
    """Return the case, then one line for each number that it shows.

    >>> counterexample_lines(2, {"A": [[1, 0]]}, {"T": 1, "bound": 2})
    ['n = 2: A = [[1, 0]]', 'T = 1', 'bound = 2']
    """
    shown = ", ".join(f"{name} = {_inline(value)}" for name, value in case.items())
    known = ((name, _inline(value)) for name, value in details.items() if name not in without)
    return [
        f"n = {n}: {shown}",
        *(f"{name} = {text}" for name, text in known if len(text) <= _LONGEST),
    ]


@dataclass(frozen=True)
class TriedResult:
    """What came out of one way to complete the text: it holds, or has a counterexample."""

    text: str
    cases: int
    counterexample: Counterexample | None

    def record(self) -> dict[str, Any]:
        """As in the JSON report."""
        shown = self.counterexample
        return {
            "text": self.text,
            "cases": self.cases,
            "counterexample": None if shown is None else shown.record(),
        }


@dataclass(frozen=True)
class ControlResult:
    """What became of the negative control, the claim spoiled in one case: it must be rejected.

    `cases` are those from the case that refutes it to the last one, of `total`; `counterexample`
    is that case.
    """

    text: str
    rejected: bool
    cases: int
    counterexample: Counterexample | None
    total: int

    @property
    def falls(self) -> str:
        """Where it is rejected, counted from the last case of the largest n backwards."""
        if self.counterexample is None:
            return "rejected at no case where the claim holds"
        at = f"n = {self.counterexample.n}, index {self.counterexample.index}"
        return f"rejected at {at}, case {self.cases} of {self.total} from the end"


@dataclass(frozen=True, repr=False)
class Result(Viewed):
    """The verdict on a claim, with everything a reader needs to believe it.

    Attributes: `claim`; `verdict`; `cases` examined (up to the counterexample if there is one);
    `counterexample`; `amended`, the result of the amended claim; `tried`, what came out of each way
    to complete a text that decides nothing; `control`; `stages`, what was covered; `seconds` of
    computing, summed over shards; `seed`; `problem`, why there is none;
    `shortened`, why it goes less far than was asked for.

    >>> from proofs_check import check
    >>> result = check("edelman.subcube", max_n=2)
    >>> result.verdict, result.amended.verdict
    ('fails', 'holds')
    >>> result.records()[0]["n"], result.to_dict()["verdict"], result.plot().get_xlabel()
    (1, 'fails', 'n')
    """

    claim: Claim
    verdict: str
    stages: tuple[Stage, ...]
    cases: int
    counterexample: Counterexample | None
    control: ControlResult
    seconds: float
    seed: int
    amended: Result | None = None
    tried: tuple[TriedResult, ...] = ()
    problem: str | None = None
    shortened: str | None = None

    # -- how it shows itself ----------------------------------------------------------------

    def as_table(self) -> Table:
        """The cases of every n, under the verdict."""
        from lccmodel.show.quantities import Column, Fact, Quantity
        from lccmodel.show.records import Table

        shown = None if self.counterexample is None else self.counterexample.text
        which = {True: "sample", False: "all"}
        rows: list[tuple[Any, ...]] = [
            (stage.n, stage.cases, which[stage.is_sample]) for stage in self.stages
        ]
        columns: list[Column] = ["n", Quantity("cases", "cases"), Quantity("mode", "which")]
        facts: list[Fact] = [
            (Quantity("claim", "claim"), self.claim.id),
            ("verdict", self.verdict),
            (Quantity("counterexample", "counterexample"), shown),
        ]
        return Table(self.claim.says, columns, rows or [(None, 0, None)], facts)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The cases of every n as bars; a vermilion one where the claim fails."""
        from lccmodel.show.style import BLUE, VERMILION
        from lccmodel.show.view_registry import new_axes

        axes = new_axes(6.4, 3.6) if ax is None else ax
        fails = None if self.counterexample is None else self.counterexample.n
        for stage in self.stages:
            colour = VERMILION if stage.n == fails else BLUE
            axes.bar([stage.n], [max(stage.cases, 1)], color=colour)
        title = f"{self.claim.id}: {self.verdict}"
        axes.set(yscale="log", xlabel="n", ylabel="cases", title=title)
        axes.locator_params(axis="x", integer=True)
        return axes

    def __str__(self) -> str:
        return display.card_text(self.record())

    def _repr_latex_(self) -> str | None:
        latex = self.claim.latex
        return f"$\\displaystyle {latex}$" if latex else None

    def _repr_markdown_(self) -> str:
        record, formula = self.record(), self._repr_latex_()
        body = "\n".join(f"- **{label}**: {text}" for label, text in display.card_lines(record))
        return f"**{display.heading(record)}**\n\n" + (f"{formula}\n\n" if formula else "") + body

    def _repr_html_(self) -> str:
        record, formula = self.record(), self._repr_latex_()
        rows = "".join(
            f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(label)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for label, text in display.card_lines(record)
        )
        shown = f"<p>{html.escape(formula)}</p>" if formula else ""
        title = html.escape(display.heading(record))
        return f"<div><p><strong>{title}</strong></p>{shown}<table>{rows}</table></div>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {
            "text/plain": str(self),
            "text/markdown": self._repr_markdown_(),
            "text/html": self._repr_html_(),
        }
        formula = self._repr_latex_()
        return {**bundle, "text/latex": formula} if formula else bundle

    # -- what it says -------------------------------------------------------------------------

    @property
    def covers(self) -> str | None:
        """What part of the claim's own domain was covered, in words; None if all of it was.

        A verdict below that domain says so: what holds for small n may fail beyond.
        """
        done = {stage.n for stage in self.stages if not stage.is_sample}
        whole = self.claim.dimensions()
        if done >= set(whole):
            return None
        text = f"n = {_range_text(sorted(done))} only, of n = {_range_text(list(whole))}"
        if self.verdict not in (HOLDS, AS_READ):
            return text
        if self.claim.amended is not None:
            return f"{text}; known to fail beyond, true there: {self.claim.amended}"
        if self.verdict == HOLDS and READING in self.claim.variants:
            return f"{text}; the printed statement is known to fail beyond, the reading holds"
        return text

    def __repr__(self) -> str:
        shown = "" if self.counterexample is None else f" at {self.counterexample.text}"
        brief = shown if len(shown) <= _BRIEF else f"{shown[:_BRIEF]}..."
        part = "" if self.covers is None else f", {self.covers}"
        return f"<Result {self.claim.id}: {self.verdict}{brief}; {self.cases} cases{part}>"

    @property
    def is_settled(self) -> bool:
        """A verdict, a rejected control, and, where the claim fails, an amended one that holds."""
        return self.unsettled is None

    @property
    def unsettled(self) -> str | None:
        """What is missing, in one line, or None."""
        if self.verdict == ERROR:
            return self.problem
        if self.verdict == NOT_REJECTED:
            return f"the control was not rejected: {self.control.text}"
        if self.verdict != FAILS:
            return None
        if self.claim.amended is None:
            return "fails and has no amended claim"
        if self.amended is None:
            return f"the amended claim {self.claim.amended} was not run"
        if self.amended.verdict not in (HOLDS, AS_READ):
            return f"the amended claim {self.claim.amended}: {self.amended.verdict}"
        return None

    def record(self) -> dict[str, Any]:
        """One record of the JSON report (`schema/report-2.schema.json`)."""
        claim = self.claim
        shown = self.counterexample
        amended = None
        if self.verdict == FAILS and claim.amended is not None:
            verdict = None if self.amended is None else self.amended.verdict
            statement = get_claim(claim.amended).says
            amended = {"id": claim.amended, "verdict": verdict, "statement": statement}
        control = self.control
        refuted = control.counterexample
        return {
            "id": claim.id,
            "paper": claim.source.paper,
            "place": claim.source.place,
            "statement": claim.says,
            "printed": claim.printed or None,
            "reading": None if claim.reading is None else claim.reading.text,
            "verdict": self.verdict,
            "domain": {
                "text": f"{claim.domain.text}; {_covered(self.stages)}",
                "covers": self.covers,
                "dimensions": [
                    {"n": s.n, "cases": s.cases, "sampled": s.is_sample} for s in self.stages
                ],
            },
            "cases": self.cases,
            "counterexample": None if shown is None else shown.record(),
            "amended": amended,
            "undecided": self._undecided(),
            "evidence": claim.evidence,
            "control": {
                "text": control.text,
                "rejected": control.rejected,
                "cases": control.cases,
                "counterexample": None if refuted is None else refuted.record(),
                "of": control.total,
                "falls": control.falls,
            },
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "version": claim.version,
            "problem": self.unsettled,
        }

    def _undecided(self) -> dict[str, Any] | None:
        if self.claim.undecided is None:
            return None
        tried = [each.record() for each in self.tried]
        return {"missing": self.claim.undecided.missing, "tried": tried}


def settle(claim: Claim, tracks: Mapping[str, Track], seed: int) -> Result:
    """The result of a claim from the finished tracks of its variants."""
    outcomes = {variant: track.outcome() for variant, track in tracks.items()}
    control, read = outcomes[CONTROL], outcomes.get(READING)
    problem = next((each.problem for each in outcomes.values() if each.problem is not None), None)
    main = READING if read is not None and outcomes[PRINTED].failing is not None else PRINTED
    ways = tuple(variant for variant in tracks if variant not in (READING, CONTROL))
    said_no = any(outcomes[way].failing is not None for way in ways)
    if problem is not None:
        verdict = ERROR
    elif claim.undecided is not None:
        verdict = UNDECIDED if said_no or control.failing is not None else NOT_REJECTED
    elif outcomes[main].failing is not None:  # then the checker has said no, to the claim itself
        verdict = FAILS
    elif control.failing is None:
        verdict = NOT_REJECTED
    else:
        is_read = claim.reading is not None and (read is None or main == READING)
        verdict = AS_READ if is_read else HOLDS
    counterexample = refuted = None
    tried: tuple[TriedResult, ...] = ()
    if problem is None:
        try:
            if claim.undecided is None:
                shown = main if outcomes[main].failing is not None else PRINTED
                counterexample = _counterexample(tracks[shown])
            else:
                tried = tuple(
                    TriedResult(way.text, outcomes[v].cases, _counterexample(tracks[v]))
                    for way, v in zip(claim.undecided.tried, ways, strict=True)
                )
            refuted = _counterexample(tracks[CONTROL])
        except Exception as error:  # the claim's own code shows the case
            verdict, problem = ERROR, f"while showing a counterexample, {in_one_line(error)}"
    return Result(
        claim=claim,
        verdict=verdict,
        stages=tracks[PRINTED].plan,
        cases=outcomes[main].cases,
        counterexample=counterexample,
        control=ControlResult(
            claim.control.text,
            control.failing is not None,
            control.cases,
            refuted,
            sum(stage.cases for stage in tracks[CONTROL].plan),
        ),
        seconds=sum(each.seconds for each in outcomes.values()),
        seed=seed,
        tried=tried,
        problem=problem,
    )


def _counterexample(track: Track) -> Counterexample | None:
    if track.failing is None:
        return None
    claim, stage, position = track.claim, track.plan[track.failing[0]], track.failing[1]
    ((_, index, _),) = base_ranges(claim, stage.n, stage.mode, track.seed, position, position + 1)
    case = claim.domain.case(stage.n, index)
    if case is None:
        raise AssertionError(f"index {index} of n = {stage.n} failed and holds no case")
    named = dict(zip(claim.domain.names, map(plain, case), strict=True))
    with compiled_unless_small(stage.n, 1):
        shown = claim.details(track.variant, case)
    details = {name: plain(value) for name, value in shown.items()}
    return Counterexample(stage.n, index, named, details)


def with_amended(result: Result, amended: Result | None) -> Result:
    """The same result with the result of its amended claim."""
    return replace(result, amended=amended) if result.verdict == FAILS else result


def plain(value: Any) -> Any:
    """A value as JSON has it: matrices as rows, vectors as bits, fractions as text.

    >>> plain((GF2Matrix([[1]]), Fraction(1, 2), np.int64(3), {1, 0}))
    [[[1]], '1/2', 3, [0, 1]]
    """
    if isinstance(value, GF2Matrix):
        return value.tolist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Fraction):
        return str(value) if value.denominator > 1 else value.numerator
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, frozenset | set):
        return [plain(inner) for inner in sorted(value)]
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _inline(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _covered(covered: tuple[Stage, ...]) -> str:
    exhaustive = [stage.n for stage in covered if not stage.is_sample]
    text = f"n = {_range_text(exhaustive)}"
    for stage in covered:
        if stage.is_sample:
            text += f"; {stage.cases} random cases at n = {stage.n}"
    return text


def _range_text(values: list[int]) -> str:
    if len(values) > 1 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return ", ".join(map(str, values))
