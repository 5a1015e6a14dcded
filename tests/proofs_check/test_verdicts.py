"""Every claim settles as in the last full run: verdict, cases, counterexamples, amended, control.

What is expected is the record that ships (`proofs_check/data/verdicts.json`), which the findings
and the pages of the papers are made from. The fast tests run claims up to an n that takes a
moment, the slow one every claim as far as it declares, samples too.
"""

import json
import re
from contextlib import nullcontext
from typing import Any

import pytest

import proofs_check
from lccmodel.kernels.jit import in_python
from proofs_check import claim as declared
from proofs_check import driver, stations
from proofs_check.kept import Record, kept_records, writing
from proofs_check.registry import all_claims, get_claim
from proofs_check.result import FAILS, Result
from tests.choosing import sampled

WHOLE = 120
"""As far as any claim declares."""

FAST = {
    "as it is": """
        boppana 2: order4 benes inverse-omega
        boppana 3: def34 eq3 eq3.amended lin benes.made
        boppana 4: bpc lem6 lem7 benes.count benes.different
        boppana 8: thm2.dimension
        boppana 12: bound bound.exponential
        calmant 5: sched.i1 thm1.proof exchange.condition prop2
        calmant 6: lem1 lem3 lem4 lem5 thm1 thm2 thm3 thm3.proof thm4 embed.bijection
            embed.dilation embed.axis embed.consecutive baseline sched.i2 prop1 prop3 prop3.odd
            subtask whole whole.every sides.load sides.dilation pipeline pipeline.sums condition
            exchange.transpose fft closed.line.shallow closed.line.deep closed.meet
        calmant 13: lem2.any whole.slots
        calmant whole: fig7 exchange.example exchange.every-Q exchange.natural r schedule lem2
            closed.mesh.shallow closed.mesh.deep closed.mesh.schedules embed.average.ring
            footnote1 copying barrier barrier.small conclusion.2d conclusion.3d
            conclusion.3d.direct conclusion.twice
        edelman 4: gray thm4.1 thm4.2 cor4.2 decoding directions lem5.1 lem5.2 lem5.3 eq5.6
            eq5.7 shuffles.join shuffles.commute factorizations factorizations.all inverse
            balance local local.fewest local.hops
        hou 2: thm6 thm2 cor2.gather cor2.scatter lem1 cor4 cor4.proof cor7 thm7.proof
            sec4.remove sec4.remove.halves
        hou 3: thm3 thm5 thm5.proof thm7 lem2 lem3.1 lem3.2 lem4 lem5 lem5.proof lem6 lem7 cor3
            cor5 cor6 thm8 thm1.ranks thm7.ranks sec4.remove.order sec4.remove.halves.order
            thm6.restricted thm1
        hou whole: ex1 ex3 ex4 sec2.channel ex5.reflect-diagonal ex5.reflect-antidiagonal
            ex5.rotate90-clockwise ex5.rotate90-counterclockwise ex5.reflect-vertical
            ex5.reflect-horizontal ex5.rotate180 ex5.scale2 ex5.fft ex5.fft-rows ex5.fft-columns
            ex6 ex6.optimal sec2.pcube thm6.searches thm6.reduced tab1.comp tab1.nb tab1.ecube
            tab1.map tab1.li tab1.chiu tab1.mixab3 tab1.mixbb3 tab1.min tab1.pcube.random tab2
            sec6.adaptive sec6.stages sec6.sizes
        lattice 2: fattree.load fattree.free fattree.least traffic.programme
        lattice 3: count.nonsingular count.ranks count.vector count.pairs fattree.shift
            traffic.load traffic.internal traffic.axis
        sibeyn 4: indices
        symbolic 4: count free reversal shift triangle
    """,
    "in python": """
        boppana 2: thm2.steps thm2.one-port thm2.optimal benes.circuits claim1 lem2 lem3 lem4.c
            cor1 thm1 lem5 subcubes
        boppana 3: lem4.a lem4.b cor2 omega.linear fig2
        edelman 2: cor3.2 subcube subcube.amended
        edelman 3: lem3.1 lem3.1.projection thm3.1 thm3.1.unique cor3.1 cor3.3 cor3.4 cor3.5
            cor3.6 cor3.6.proof cor3.7 cor3.7.all circulant circulant.amended circulant.cycle
            utilisation utilisation.swaps wires
        hou 2: fig3.invariant1
        hou 3: fig3 fig3.invariant2 fig3.invariant3 lem7.proof thm4 thm4.proof cor1 thm8.proof
        hou 7: thm6.cost
        hou 12: fig3.cost
        hou whole: ex7 ex8 ex9 sec6.speedup
        lattice 2: load.scatter.internal lcp.sibeyn translation
        lattice 3: count count.edelman sibeyn.orders sibeyn.orders.amended
        sibeyn 2: thm1 numbering.formula onebit bcs
        sibeyn 3: involutions.VL lem1 lem1.any tul
        sibeyn 12: lem2 lem3
        sibeyn whole: commute commute.exactly earlier ex1 ex2 ex3 ex4.cc ex4.other numbering
    """,
    "compiled": """
        lattice 3: occupancy load occupancy.scatter load.scatter occupancy.bristled
            load.bristled load.internal
    """,
    "walked once": """
        lattice 3: edelman edelman.converse.amended hl hl.first hl.moving sibeyn
            sibeyn.ascending
    """,
}
"""Claims that the fast tests run, by how they run, by paper and by the last n; at most 0.2 s each.

"in python": kernels run as Python, also where n is not small, as compiling would take longer.
"compiled": one kernel, which is compiled though n is small. "walked once": claims that ask for the
walks of all pairs, which are taken once.
"""


def fast(mode: str) -> list[tuple[str, int]]:
    cases = []
    parts = re.split(r"(\w+) (\d+|whole):", FAST[mode])[1:]
    for paper, n, names in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        last = WHOLE if n == "whole" else int(n)
        cases += [(f"{paper}.{name}", last) for name in names.split()]
    return cases


def canonical(record: Record) -> dict[str, Any]:
    """A record as it is kept, but for the version of the code."""
    (kept,) = json.loads(writing([record]))
    return {key: value for key, value in kept.items() if key != "version"}


def check_record(result: Result) -> None:
    """All of it, or, of a run that ends at a smaller n, what that n decides."""
    found, known = canonical(result.record()), canonical(kept_records()[result.claim.id])
    if found["domain"]["dimensions"] == known["domain"]["dimensions"]:
        assert found == known
        return
    last = max(stage.n for stage in result.stages)
    covered = [d for d in known["domain"]["dimensions"] if d["n"] <= last]
    assert found["domain"]["dimensions"] == covered
    for key in ("verdict", "counterexample", "amended", "reading"):
        assert found[key] == known[key]
    whole = sum(dimension["cases"] for dimension in covered)
    assert found["cases"] == (known["cases"] if result.verdict == FAILS else whole)
    assert found["control"]["rejected"] == known["control"]["rejected"]


_walked: dict[object, Any] = {}


def walk_once(n, rows, b, scatter, inside, scratch, occupied, crossing):
    """`walk_subsets` as Python; what it counts is kept."""
    asked = n, tuple(rows.tolist()), int(b), scatter, inside
    if asked not in _walked:
        stations.walk_subsets(n, rows, b, scatter, inside, scratch, occupied, crossing)
        _walked[asked] = occupied.copy(), crossing.copy()
    occupied[:], crossing[:] = _walked[asked]


@pytest.mark.parametrize(
    ("mode", "name", "n"), sampled([(mode, *case) for mode in FAST for case in fast(mode)], 3)
)
def test_a_claim_settles_as_kept(mode, name, n, monkeypatch):
    if mode == "compiled":
        monkeypatch.setattr(declared, "compiled_unless_small", lambda n, span: nullcontext())
    elif mode == "walked once":
        monkeypatch.setattr(driver, "walk_subsets", walk_once)
    with in_python() if mode == "in python" else nullcontext():
        check_record(proofs_check.check(name, max_n=min(n, max(get_claim(name).dimensions()))))


@pytest.mark.slow
@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.id)
def test_a_claim_settles_as_kept_as_far_as_it_declares(claim):
    check_record(proofs_check.check(claim.id))
