"""Which cases of a large table the fast suite runs; `make check-all` runs every one.

The others verify the same equation at other values. They are marked slow here, in one way:

    fast_only(["mesh:2", "torus:4x4"], "mesh:2")    the named cases are fast
    sampled(cases, 5)                               the first of every five cases is fast
    each_choice(networks, ports)                    all pairs; fast are as many as `networks` has
"""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def slow(case: Any) -> Any:
    """The case as one that only `make check-all` runs; a tuple holds one value per argument."""
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)


def fast_only(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """All cases, of which only the named ones are fast."""
    all_cases = list(cases)
    missing = [case for case in fast if case not in all_cases]
    assert not missing, missing
    return [case if case in fast else slow(case) for case in all_cases]


def sampled(cases: Iterable[Any], step: int, *, whole: bool = False) -> list[Any]:
    """All cases, of which the first of every `step` is fast; `whole`: a tuple is one value."""
    return [
        case if k % step == 0 else slow((case,) if whole else case) for k, case in enumerate(cases)
    ]


def each_choice(*axes: Iterable[Any]) -> list[Any]:
    """All combinations; the fast ones are the fewest in which each value of each axis occurs."""
    values = [list(axis) for axis in axes]
    longest = max(map(len, values))
    diagonal = {tuple(k % len(axis) for axis in values) for k in range(longest)}
    chosen = []
    for places in product(*(range(len(axis)) for axis in values)):
        case = tuple(axis[place] for axis, place in zip(values, places, strict=True))
        chosen.append(case if places in diagonal else slow(case))
    return chosen
