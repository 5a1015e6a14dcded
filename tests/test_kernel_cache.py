"""A compiled kernel on disk never outlives the code that was compiled into it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from lccmodel.kernels.cache import fingerprint
from lccmodel.kernels.jit import borrowed, kernel, vector_kernel

CALLER = """
from lccmodel.kernels.jit import borrowed, kernel
import called

@kernel
def twice(x):
    return 2 * called.step(x)
"""
CALLED = """
from lccmodel.kernels.jit import borrowed, kernel
from limits import OFFSET

@kernel
def step(x):
    return x + OFFSET {more}
"""
RUN = "import caller, sys; print(caller.twice(int(sys.argv[1])))"
KNOWS = "; assert ('numba.np.npyimpl' in sys.modules) is {}"
"""Whether numba has loaded what it knows to translate: three tenths of a second."""


def answer(folder: Path, x: int, run: str = RUN, seed: str = "random") -> int:
    """What a fresh process computes with the modules in `folder` and the cache beside them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    environment.pop("NUMBA_CACHE_DIR", None)
    environment["PYTHONHASHSEED"] = seed
    done = subprocess.run(
        [sys.executable, "-c", run, str(x)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=300,
    )
    return int(done.stdout)


def entries(folder: Path, kind: str = "") -> list[Path]:
    """The machine code that is kept for the modules in a folder."""
    return sorted((folder / "__pycache__" / "lccmodel").glob(f"{kind}*.nbc"))


def write(folder: Path, more: str = "", offset: int = 1) -> None:
    (folder / "caller.py").write_text(CALLER)
    (folder / "called.py").write_text(CALLED.format(more=more))
    (folder / "limits.py").write_text(f"OFFSET = {offset}\n")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules, and the kernels that a process compiled of them."""
    folder = tmp_path_factory.mktemp("compiled")
    write(folder)
    assert answer(folder, 5, RUN + KNOWS.format(True), seed="1") == 12
    assert len(entries(folder, "caller.twice-")) == 1, "the kernel is cached"
    return folder


@pytest.mark.slow
def test_a_changed_called_kernel_is_seen_by_its_callers(compiled: Path, tmp_path: Path) -> None:
    """The caller's own file is untouched; numba alone would answer 2(x + 1) for ever."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    caller_stamp = (tmp_path / "caller.py").stat()
    (tmp_path / "called.py").write_text(CALLED.format(more="+ 10"))
    assert answer(tmp_path, 5) == 32
    (tmp_path / "limits.py").write_text("OFFSET = 100\n")  # a constant two imports away
    assert answer(tmp_path, 5) == 230
    assert (tmp_path / "caller.py").stat().st_mtime_ns == caller_stamp.st_mtime_ns


def test_an_unchanged_kernel_is_read_from_disk(compiled: Path, tmp_path: Path) -> None:
    """A second process compiles nothing: the fingerprint does not depend on the process."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    before = [path.name for path in entries(tmp_path)]
    assert answer(tmp_path, 5, RUN + KNOWS.format(False), seed="2") == 12
    assert [path.name for path in entries(tmp_path)] == before != []


def test_the_checkers_count_sees_a_changed_walk() -> None:
    """`occupancy` and its like call `bit_count`: the fingerprint reaches intrinsics too."""
    from lccmodel.kernels import jit

    @kernel
    def count(word):
        return jit.bit_count(word)

    @kernel
    def lowest(word):
        return jit.lowest_bit(word)

    assert fingerprint(count) != fingerprint(lowest)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1, 2]), np.array([1, 3])),
        (1, 1.0),
        ((1, 2), (1, 3)),
        (np.int64(1), np.int32(1)),
        ("a", "b"),
    ],
    ids=repr,
)
def test_constants_count_by_value(one: object, other: object) -> None:
    def made(constant: object) -> str:
        def function() -> object:
            return constant

        return fingerprint(function)

    assert made(one) == made(one)
    assert made(one) != made(other)


def test_what_no_code_shows_counts() -> None:
    """Options of the decorator, defaults, and the order of a tuple's fields."""

    def half(x: float, by: float = 2.0) -> float:
        return x / by

    def changed(x: float, by: float = 3.0) -> float:
        return x / by

    changed.__code__ = half.__code__
    assert fingerprint(half) != fingerprint(changed)
    assert fingerprint(kernel(half)) != fingerprint(vector_kernel(half))

    def made(fields: str) -> object:
        pair = namedtuple("Pair", fields)

        def function() -> object:
            return pair

        return fingerprint(function)

    assert made("x y") == made("x y")
    assert made("x y") != made("y x")


SWAPPED = """
from typing import NamedTuple
from lccmodel.kernels.jit import kernel

class Pair(NamedTuple):
    {fields}

@kernel
def first(given):
    return given.x
"""


@pytest.mark.slow
def test_swapped_fields_are_seen(tmp_path: Path) -> None:
    """Both are tuples of two integers to the compiler."""
    run = "import sys, pair; print(pair.first(pair.Pair(x=int(sys.argv[1]), y=8)))"
    for fields in ("x: int; y: int", "y: int; x: int"):
        (tmp_path / "pair.py").write_text(SWAPPED.format(fields=fields))
        assert answer(tmp_path, 5, run) == 5


def test_recursion_ends() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert fingerprint(even) != fingerprint(odd)


@kernel
def _raise_all(held, times):
    borrowed_one, (other, number) = borrowed(held)
    for _ in range(times):
        pair = (borrowed_one, other)
        pair[0][0] += number
        pair[1][0] += pair[0][0]


def test_what_is_borrowed_is_the_array_itself_and_no_reference_is_lost():
    """Numbers and nested tuples come through; arrays live on with the references they had."""
    one, other = np.zeros(2, np.int64), np.zeros(2, np.int64)
    references = sys.getrefcount(one), sys.getrefcount(other)
    _raise_all((one, (other, 3)), 4)
    assert (sys.getrefcount(one), sys.getrefcount(other)) == references
    assert one.tolist() == [12, 0]
    assert other.tolist() == [3 + 6 + 9 + 12, 0]


TAKES = """
from typing import NamedTuple
from lccmodel.kernels.jit import kernel

class {name}(NamedTuple):
    x: int

@kernel
def twice(given):
    return 2 * given.x
"""
RUN_WITH = "import sys, taken; print(taken.twice(taken.{name}(int(sys.argv[1]))))"


@pytest.mark.slow
def test_an_index_that_names_a_class_of_yesterday_is_as_good_as_none(tmp_path: Path) -> None:
    """The index holds the types of arguments; numba ends in an AttributeError where one is gone."""
    for name in ("Layout", "Renamed"):
        (tmp_path / "taken.py").write_text(TAKES.format(name=name))
        assert answer(tmp_path, 3, RUN_WITH.format(name=name)) == 6


@pytest.mark.parametrize("given", [[[0, 1]], (1, [[0, 1]]), (np.arange(3), (0, [2]))])
def test_no_kernel_takes_a_list(given: object) -> None:
    """A tuple with a nested list, given again and again, ended the process in malloc."""
    with pytest.raises(TypeError, match="takes numbers, arrays and tuples"):
        kernel(lambda given: 0)(given)
