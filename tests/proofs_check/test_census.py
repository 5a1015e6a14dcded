"""The census counts what the plain walks count, and its driver finds what a loop would find.

T_i of every (A, b), as in [hou, Theorem 1].
"""

import pytest

from proofs_check.census import Census, census_claim, walked_degrees
from proofs_check.claim import Control, Examined
from proofs_check.claims.hou_origin_steps import OfRank
from proofs_check.domain import PAIRS, AllVectors, Nonsingular, Singular
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
        assert census.images[at].tolist() == [A.apply(x) ^ int(b) for x in range(1 << n)]
        assert census.is_identity[at] == (A.rows == tuple(1 << i for i in range(n)))


def test_walked_degrees_are_the_largest_loads():
    degrees = walked_degrees(2, scatter=True, blind=1)
    assert degrees.tolist() == Census(2, 0, 64).loads(scatter=True, blind=1).max(axis=1).tolist()
    with pytest.raises(ValueError, match="read-only"):
        degrees[0] = 1


@pytest.mark.parametrize(
    "over",
    [
        Singular("A"),
        Nonsingular("A") * AllVectors("b"),
        OfRank("A", lambda n: (n,), "rank A = n, A ≠ I", without_identity=True),
    ],
    ids=lambda over: over.text,
)
def test_a_census_of_a_part_has_the_cases_of_its_domain(over):
    census = Census(3, 40, 3 * over.span(3) // 4, over)
    cases = dict(over.cases(3, census.start, census.stop))
    assert census.index[census.is_case].tolist() == list(cases)
    for index, (A, *b) in list(cases.items())[::37]:
        at = index - census.start
        assert census.ranks[at] == A.rank
        assert census.rows[at].tolist() == list(A.rows)
        assert [census.b[at]] == ([int(word) for word in b] or [0])


def test_the_driver_finds_the_first_failing_pair_across_its_chunks(monkeypatch):
    """Whatever the size of a chunk, cases and counterexample are those of one pass."""
    monkeypatch.setattr("proofs_check.claim.registered", {})

    def declared(name, over, numbers, excluded, control):
        words = {"place": "here", "says": "another index", "evidence": "none"}
        near = Control("nor this", other=control)
        return census_claim(name, over=over, control=near, **words)(
            lambda census, *, other=excluded: (
                (numbers(census) != excluded) & (numbers(census) != other)
            )
        )

    claim = declared("own.census", PAIRS, lambda census: census.index, 700, 300)
    part = declared("own.part", Singular("A"), lambda census: census.code, 100, 0)
    singular = [code for code, _ in Singular("A").cases(3, 0, 512)]
    for size in (1, 64, 1000):
        monkeypatch.setattr("proofs_check.census._CHUNK", size)
        assert claim.examine("printed", 3, 0, 4096) == Examined(701, 700)
        assert claim.examine("control", 3, 0, 4096) == Examined(301, 300)
        assert claim.examine("printed", 3, 701, 900) == Examined(199)
        assert claim.examine("printed", 3, 701, 701) == Examined(0)
        assert part.examine("printed", 3, 0, 512) == Examined(singular.index(100) + 1, 100)
        assert part.examine("printed", 3, 101, 512) == Examined(344 - singular.index(100) - 1)
        assert part.examine("control", 3, 0, 512) == Examined(1, 0)
