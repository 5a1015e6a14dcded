"""Kernels are compiled in fewer passes than numba has, and what kernels call is linked only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.errors import NumbaError

from lccmodel._arrays import Ints
from lccmodel._jit import inlined_kernel, kernel


@kernel
def _digits(number: int) -> int:
    return 1 if number < 10 else 1 + _digits(number // 10)


@inlined_kernel
def _filled(length: int) -> Ints:
    return np.full(length, 7, np.int64)


@kernel
def _share(values: Ints, parts: int) -> int:
    return int(values[0] // parts)


@kernel
def _total(values: Ints, parts: int) -> int:
    return _share(values, parts) + _digits(values[1]) + _filled(3)[-1]


@kernel
def _of_closures(length: int) -> int:
    return sum([k * k for k in range(length)])


def test_only_what_python_calls_is_made_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    made: set[str] = set()
    library: Any = JITCodeLibrary  # numba has no types here
    finalize = library._finalize_specific

    def noted(one: Any) -> None:
        made.add(one.name)
        finalize(one)

    monkeypatch.setattr(library, "_finalize_specific", noted)
    values = np.array([100, 12345])
    assert _total(values, 3) == 33 + 5 + 7
    assert "_total" in made
    assert not {"_share", "_digits", "_filled"} & made
    assert (_share(values, 7), _digits(0)) == (14, 1)  # when Python calls them they are
    assert {"_share", "_digits"} <= made


def test_errors_come_through_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        _total(np.array([1, 2]), 0)


def test_what_no_pass_translates_is_refused() -> None:
    with pytest.raises(NumbaError):
        _of_closures(3)
