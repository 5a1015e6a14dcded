"""calmant.*: the verdicts, with the exact counterexample where the print fails."""

import pytest

import proofs_check
from proofs_check.claims.calmant_bounds import above

TASKS = 56 + 3 + 10 + 21 + 6 + 21
HOLDS = {
    "calmant.lem3": 21,
    "calmant.lem4": 21,
    "calmant.thm1": 56,
    "calmant.thm2": 56,
    "calmant.lem1": 56,
    "calmant.lem5": 56 + 2 + 6 + 12 + 3 + 9,
    "calmant.thm3": TASKS,
    "calmant.thm3.proof": TASKS,
    "calmant.thm4": TASKS,
    "calmant.embed.bijection": 6 + 3 + 2,
    "calmant.embed.dilation": 21 + 12 + 9,
    "calmant.embed.axis": 21 + 12 + 9,
    "calmant.embed.consecutive": 1 + 3 + 5 + 2 + 5,
    "calmant.baseline": 6 + 3 + 2,
    "calmant.sched.i2": 15,
    "calmant.prop1": 1 + 3 + 1,
    "calmant.prop2": 3 + 7 + 11 + 6 + 15 + 10 + 15,
    "calmant.prop3.odd": 2 + 4 + 3 + 2,
    "calmant.subtask": 36 + 31 + 27 + 10 + 15 + 21,
    "calmant.whole": TASKS + 10 + 15,
    "calmant.whole.every": 4 * 21,
    "calmant.sides.load": 602,
    "calmant.sides.whole": 602,
    "calmant.sides.dilation": 41,
    "calmant.sides.direct": 38,
    "calmant.pipeline": 6 * 39,
    "calmant.pipeline.sums": 6 * 39,
    "calmant.condition": 21,
    "calmant.exchange.transpose": 12,
    "calmant.fft": 6 * 21,
    "calmant.closed.line.shallow": 21,
    "calmant.closed.line.deep": 39 + 38 + 37 + 36 + 35 + 34,
    "calmant.closed.meet": 6 + 3 + 2,
}
"""Cases with c = 1, then 2, 3, ..., up to n = 6."""

OTHERS = {"calmant.embed.average": (4, 7), "calmant.exchange.every-Q": (5, 106),
         "calmant.whole.slots": (12, 55 + 45 + 36 + 28)}  # fmt: skip
"""(n, cases) of claims that are checked as far as another n."""

AS_READ = {
    "calmant.sched.i1": {"d": 2, "i": 0},
    "calmant.thm1.proof": {"d": 3, "k": 0},
    "calmant.exchange.condition": {"d": 3, "B": 1},
}

FAILS = {
    "calmant.prop3": {"d": 6, "c": 3, "i": 0, "M": 4},
    "calmant.r": {"d": 4, "c": 2, "i": 0, "M": 2},
    "calmant.closed.mesh.shallow": {"d": 4, "c": 2, "Q": 2},
    "calmant.closed.mesh.deep": {"d": 4, "c": 2, "Q": 4},
}

QUESTIONS = {
    "calmant.schedule": ("holds-as-read", 197),
    "calmant.closed.mesh.schedules": ("holds", 67),
    "calmant.exchange.natural": ("holds-as-read", 9),
    "calmant.embed.average.ring": ("holds", 2),
    "calmant.barrier": ("undecided", 285),
    "calmant.lem2": ("holds-as-read", 900),
    "calmant.footnote1": ("holds-as-read", 7260),
    "calmant.copying": ("undecided", 204),
    "calmant.barrier.small": ("holds", 114),
    "calmant.conclusion.3d": ("undecided", 19),
    "calmant.conclusion.2d": ("undecided", 7),
    "calmant.conclusion.3d.direct": ("holds", 120),
}
"""What is not printed as such cannot fail: readings that are stated, and questions of our own."""


@pytest.mark.parametrize("name", HOLDS)
def test_a_printed_claim_holds(name):
    """Theorems 1 to 4, Lemmas 1 to 5, Properties 1 and 2, and what goes with them."""
    result = proofs_check.check(name, max_n=6)
    assert (result.verdict, result.cases) == ("holds", HOLDS[name])
    assert result.control.rejected


@pytest.mark.parametrize("name", OTHERS)
def test_placements_and_exchanges_hold(name):
    n, cases = OTHERS[name]
    result = proofs_check.check(name, max_n=n)
    assert (result.verdict, result.cases) == ("holds", cases)
    assert result.control.rejected


@pytest.mark.parametrize("name", ["calmant.fig7", "calmant.exchange.example"])
def test_an_example_is_right(name):
    """Figs. 6 and 7; the blocks that section 5.1 names."""
    result = proofs_check.check(name)
    assert result.verdict == "holds"
    assert result.control.rejected


@pytest.mark.parametrize("name", AS_READ)
def test_a_slip_is_read_as_it_must_be_meant(name):
    result = proofs_check.check(name, max_n=5)
    assert result.verdict == "holds-as-read"
    assert result.counterexample.case == AS_READ[name]
    assert result.control.rejected


def test_about_twice_as_fast():
    """[calmant, section 5.2] by the closed forms; 1.7 with the paper's own schedules."""
    result = proofs_check.check("calmant.conclusion.twice")
    assert (result.verdict, result.cases) == ("undecided", 4)
    assert [each.counterexample for each in result.tried] == [None] * 3
    assert result.control.counterexample.details == {"gain": 2.34}


def test_direct_exchange_overtakes_where_blocks_are_large():
    """16³, α/τ = 5000: by appendix A.3 from B = 16384 on, with the paper's schedules from 8192."""
    result = proofs_check.check("calmant.conclusion.3d")
    found = [each.counterexample and each.counterexample.case["B"] for each in result.tried]
    assert found == [None, 16384, 8192]


def test_barriers_cost_more_on_small_meshes():
    """16 × 16, B = 16: 1.80 percent."""
    first, second = proofs_check.check("calmant.barrier").tried
    assert first.counterexample is None
    assert second.counterexample.case == {"d": 8, "c": 2, "B": 16}
    assert second.counterexample.details["percent"]["printed"] == 1.8


@pytest.mark.parametrize("name", FAILS)
def test_a_claim_fails_at_its_smallest_counterexample_and_holds_as_amended(name):
    result = proofs_check.check(name)
    assert (result.verdict, result.counterexample.case) == ("fails", FAILS[name])
    assert result.amended.verdict == "holds"
    assert result.amended.control.rejected
    assert result.is_settled


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_not_printed_does_not_fail(name):
    result = proofs_check.check(name)
    assert (result.verdict, result.cases) == QUESTIONS[name]
    assert result.control.rejected
    assert result.is_settled


def test_lemma_2_is_for_three_axes_at_most():
    """Section 2.1 has c = 2, 3; with more axes there is a difference, first at ⟨5,11⟩_5."""
    result = proofs_check.check("calmant.lem2.any", max_n=13)
    assert result.verdict == "holds"
    assert above(5, 11, 5) == 1
    assert next((i, M) for M in range(1, 20) for i in range(18) if above(i, M, 4)) == (4, 13)


def test_what_a_counterexample_shows():
    """⟨0,4⟩_3: LB/2 = 2 pairs of steps for three axes."""
    shown = proofs_check.check("calmant.prop3", max_n=6).counterexample.details
    conflict = "step 0: processes 3 -> 2 and 0 -> 2, one node receives both"
    assert shown == {"steps": 4, "stated": 4, "conflict": conflict}
    printed = proofs_check.check("calmant.closed.mesh.shallow", max_n=4).counterexample
    assert printed.details == {"printed": 8, "load": 8, "bound": 9, "stated": 10, "rules": 9}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*HOLDS, *OTHERS])
def test_a_claim_holds_as_far_as_it_is_declared(name):
    assert proofs_check.check(name).verdict == "holds"


def test_words_that_are_spoiled_are_seen():
    """A letter left out, a word too few; two swapped, where every node is always busy."""
    from proofs_check.claims.calmant_words import obey, stored

    full = 0
    for words in stored():
        assert obey(words)
        first, *others = words.lines
        word = first[0]
        at = next(k for k in range(1, len(word)) if word[k] != word[0])
        swapped = word[at] + word[1:at] + word[0] + word[at + 1 :]
        less = word.replace(word[at], ".", 1) if word[at] != "." else word.replace(word[0], ".", 1)
        spoiled = [(less, *first[1:]), first[1:]]
        if sum(many for _, many in words.runs) == words.steps:
            full += 1
            spoiled.append((swapped, *first[1:]))
        for wrong in spoiled:
            assert not obey(words._replace(lines=(wrong, *others)))
    assert full
