"""The census counts what the plain walks count, and its driver finds what a loop would find."""

from __future__ import annotations

import numpy as np
import pytest

from proofs_check.census import Census, census_claim, degrees_of_all
from proofs_check.claim import Control, Examined
from proofs_check.domain import PAIRS
from proofs_check.walk import contention, walked_contention

pytestmark = pytest.mark.usefixtures("uncompiled")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_array_is_that_of_the_case(n):
    """[hou, section 4] loads, still bits and ranks, case by case."""
    span = PAIRS.span(n)
    start = 0 if n < 3 else 3000
    census = Census(n, start, span)
    gathers, origin = census.loads(), census.loads(blind=1)
    scatters = census.loads(scatter=True)
    full = census.rank([(1 << n) - 1], [(1 << n) - 1])
    for index in range(start, span, 1 if n < 3 else 7):
        A, b = PAIRS.case(n, index)
        at = index - start
        assert gathers[at].tolist() == walked_contention(A, int(b))
        assert origin[at].tolist() == walked_contention(A, int(b), blind=1)
        back = [(A.apply(y) ^ int(b), y) for y in range(1 << n)]
        assert scatters[at].tolist() == contention(back, range(n))
        assert full[at, 0] == A.rank
        assert census.rows[at].tolist() == list(A.rows)
        assert census.b[at] == int(b)
        still = [A.rows[i] == 1 << i and not b[i] for i in range(n)]
        assert census.still[at].tolist() == still


def test_degrees_of_all_are_the_largest_loads():
    degrees = degrees_of_all(2, scatter=True, blind=1)
    assert degrees.tolist() == Census(2, 0, 64).loads(scatter=True, blind=1).max(axis=1).tolist()
    assert degrees_of_all(0).tolist() == [0]
    with pytest.raises(ValueError, match="read-only"):
        degrees[0] = 1


def test_the_driver_finds_the_first_failing_pair_across_its_chunks(monkeypatch):
    """Whatever the size of a chunk, cases and counterexample are those of one pass."""
    monkeypatch.setattr("proofs_check.claim.registered", {})

    @census_claim(
        "own.census",
        place="here",
        says="no pair has the index 700",
        over=PAIRS,
        evidence="none",
        control=Control("nor 300", other=300),
    )
    def claim(census, *, other=700):
        return (census.index != 700) & (census.index != other)

    for size in (1, 64, 1000):
        monkeypatch.setattr("proofs_check.census._CHUNK", size)
        assert claim.examine("printed", 3, 0, 4096) == Examined(701, 700)
        assert claim.examine("control", 3, 0, 4096) == Examined(301, 300)
        assert claim.examine("printed", 3, 701, 900) == Examined(199)
        assert claim.examine("printed", 3, 701, 701) == Examined(0)


def test_a_census_of_numbers_is_not_the_library_s():
    """With the library's contention spoiled the census is as before."""
    import lccmodel as lcc

    before = Census(2, 0, 64).loads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lcc.lattice.CorrectionLattice, "loads", lambda *_: (7, 7))
        assert np.array_equal(Census(2, 0, 64).loads(), before)
