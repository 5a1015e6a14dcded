"""Claims about small numbers whose truth is known, to test the checker with."""

import time

from proofs_check.claim import (
    Amended,
    Control,
    Examined,
    Finding,
    Reading,
    Sizes,
    Stated,
    Tried,
    Undecided,
    batch_claim,
    claim,
)
from proofs_check.domain import AllMatrices, AllVectors, Enumerated, Listed, Nonsingular

NUMBERS = Enumerated(range, size=lambda n: n, names="x", text="all x < n", dimensions=(50, 100))
STATED = Stated(place="nowhere", over=NUMBERS, evidence="arithmetic")


@claim("fake.true", says="x < n", control=Control("x < 70", limit=70))
def fake_true(x, *, limit=100):
    return x < limit


@claim(
    "fake.false",
    says="x is not 63 modulo 64, nor 80",
    control=Control("x is not 10", other=10),
    amended=Amended(
        "x is neither 99 + 1 nor -1", other=-1, odd=100, control=Control("x ≠ 7", odd=7)
    ),
)
def fake_false(x, *, other=80, odd=63):
    return Finding(x not in (other, odd), x_squared=x * x)


@claim("fake.weak", says="x ≥ 0", control=Control("x ≥ -1", least=-1))
def fake_weak(x, *, least=0):
    return x >= least


@claim("fake.raises", says="1/x", control=Control("0", top=0))
def fake_raises(x, *, top=1):
    return top / (x - 60) < 2


@claim("fake.unamended", says="x ≠ 5", control=Control("x ≠ 4", x0=4))
def fake_unamended(x, *, x0=5):
    return x != x0


@claim(
    "fake.read",
    says="x ≤ 60",
    reading=Reading("x ≤ 99 is meant", limit=99),
    control=Control("x ≤ 98", limit=98),
)
def fake_read(x, *, limit=60):
    return x <= limit


@claim(
    "fake.ambiguous",
    says="x is small",
    reading="small means below 100",
    control=Control("below 99", limit=99),
)
def fake_ambiguous(x, *, limit=100):
    return x < limit


@claim(
    "fake.open",
    says="x is below the limit",
    printed="x stays below the limit of [7]",
    undecided=Undecided(
        "the limit of [7], which is cited and not stated",
        (Tried("100", limit=100), Tried("60", limit=60), Tried("0", limit=0)),
    ),
    control=Control("x is not 98", never=98),
)
def fake_open(x, *, limit, never=-1):
    return x < limit and x != never


@claim(
    "fake.misread",
    says="x ≤ 60",
    reading=Reading("x ≤ 61 is meant", limit=61),
    control=Control("x ≤ 40", limit=40),
)
def fake_misread(x, *, limit=60):
    return x <= limit


@batch_claim(
    "fake.miscounted",
    says="every second case is forgotten",
    over=AllMatrices(),
    control=Control("fails", fails=True),
    sizes=Sizes(most=2),
)
def fake_miscounted(n, start, stop, *, fails=False):
    return Examined(1, start) if fails else Examined((stop - start) // 2)


@claim(
    "fake.nonsingular",
    says="the product with the inverse is the identity",
    over=Nonsingular() * AllVectors("v"),
    control=Control("the matrix is its own inverse", invert=False),
    sizes=Sizes(most=2),
    samples={3: 40},
)
def fake_nonsingular(A, v, *, invert=True):
    inverse = A.inverse() if invert else A
    return inverse.apply(A.apply(int(v))) == int(v)


@claim(
    "fake.slow",
    says="x < n, slowly",
    over=Listed(9, range(300), names="x", text="x < 300", size=300),
    control=Control("x < 290", limit=290),
)
def fake_slow(x, *, limit=300):
    time.sleep(0.002)
    return x < limit
