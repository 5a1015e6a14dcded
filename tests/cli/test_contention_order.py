"""`contention --order`: the loads of a printed order of the address bits."""

from collections import Counter

import pytest

from lccmodel import catalog
from tests.cli.calling import records

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
def test_the_order_of_example_6_has_the_printed_degrees(name, degree):
    text = ",".join(map(str, EXAMPLE_6))
    (record,) = records("contention", name, "-N", "cube:8", "--order", text)
    assert record["degree"] == degree
    assert record["loads"] == walked(name, EXAMPLE_6)
    assert record["order"] == list(EXAMPLE_6)


def test_a_rank_stands_beside_the_load_that_it_gives():
    row = records("contention", "matrix-transpose", "-N", "cube:8", "--matrix-ranks")[4]
    assert (row["matrix_rank"], row["load"], row["formula"]) == (1, 8, "2^(4 − 1) = 8")


def test_ranks_give_the_counted_loads_of_any_order_on_cubes_and_origins():
    """The size of the row space, listed, against messages walked in the orders that are typed."""
    order = (2, 0, 3, 1)
    for network in ("cube:4", "origin:4"):
        for name in ("bit-reverse", "matrix-transpose", "perfect-shuffle", "gray-code"):
            typed = ("contention", name, "-N", network, "--matrix-ranks", "--order", "2,0,3,1")
            c = getattr(catalog, name.replace("-", "_"))(4).reordered(order)
            first = int(network == "origin:4")
            for row in records(*typed):
                assert row["method"] == "walk"
                i, space = row["dimension"], {0}
                for entries in c.A.tolist()[first : i + 1]:
                    word = sum(entry << j for j, entry in enumerate(entries[:i]))
                    space |= {word ^ other for other in space}
                assert len(space) == 1 << row["matrix_rank"]
                moves = any((int(c(x)) ^ x) >> i & 1 for x in range(16))
                assert row["load"] == (1 << i - row["matrix_rank"] if moves else 0)
