"""`contention --order`: the loads of a printed order of the address bits."""

from __future__ import annotations

from collections import Counter

import pytest

from lccmodel import catalog
from tests.cli.calling import records, run

EXAMPLE_6 = (3, 4, 0, 7, 2, 5, 1, 6)
"""[hou, Example 6], R(L_8)."""


def walked(name: str, order: tuple[int, ...]) -> list[int]:
    """Return the largest loads per dimension of e-cube routes between the new addresses."""
    n = len(order)

    def new(x: int) -> int:
        return sum((x >> old & 1) << k for k, old in enumerate(order))

    loads: list[Counter[int]] = [Counter() for _ in range(n)]
    c = getattr(catalog, name.replace("-", "_"))(n)
    for x in range(1 << n):
        at, target = new(x), new(int(c(x)))
        for k in range(n):
            if (at ^ target) >> k & 1:
                loads[k][at] += 1
                at ^= 1 << k
    return [max(load.values(), default=0) for load in loads]


@pytest.mark.parametrize(
    ("name", "degree"), [("matrix-transpose", 2), ("bit-reverse", 1), ("reverse-flip", 1)]
)
def test_the_order_of_example_6_has_the_printed_degrees(name: str, degree: int) -> None:
    text = ",".join(map(str, EXAMPLE_6))
    (record,) = records("contention", name, "-N", "cube:8", "--order", text)
    assert record["degree"] == degree
    assert record["loads"] == walked(name, EXAMPLE_6)
    assert record["order"] == list(EXAMPLE_6)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("-N", "cube:4", "--order", "0,1,2"), "must name each of the bits 0 to 3 once"),
        (("-N", "cube:4", "--order", "0,1,2,2"), "must name each of the bits 0 to 3 once"),
        (("-N", "cube:4", "--order", "a"), "must name each of the bits 0 to 3 once"),
        (("-N", "cube:4", "--order", "0,1,2,3", "--channels"), "cannot be combined with --order"),
        (("-N", "cube:4", "--order", "0,1,2,3", "--method", "formula"), "takes no --method"),
    ],
)
def test_what_is_no_order_is_refused(words: tuple[str, ...], rule: str) -> None:
    result = run("contention", "bit-reverse", *words)
    assert result.exit_code == 2
    assert rule in result.stderr
