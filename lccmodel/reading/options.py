"""Options of reading that the caller states: what a file itself leaves open.

with reading_with(decimal=",", first_rank=1):
    ...                                          # every file is read so
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from lccmodel.errors import InputError
from lccmodel.ground.words import SHAPES as SHAPES
from lccmodel.ground.words import checked_word


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller states.

    Attributes:
        n: number of address bits, or None.
        decimal: the decimal mark of numbers, "." or ",", which then separates no columns.
        first_rank: what the first rank is called, 0 or 1; None if it is not stated.
        shape: one of `SHAPES`, for rows of numbers; None if it is not stated.
        volume: the heading of the column with the volumes, or None.
        is_for_all: whether what is read next has to take every option that is stated; not where
            files of several formats are read in turn.
    """

    n: int | None = None
    decimal: str = "."
    first_rank: int | None = None
    shape: str | None = None
    volume: str | None = None
    is_for_all: bool = True

    def __post_init__(self) -> None:
        checked_word("decimal", self.decimal, (".", ","))
        if self.first_rank not in (None, 0, 1):
            raise InputError("first_rank", "must be 0 or 1", self.first_rank)
        if self.shape is not None:
            checked_word("shape", self.shape, SHAPES)


class _Watched(Options):
    """Options that were stated: which of them a reader looks at is noted, see `looked_at`."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        looked = _looked.get()
        if looked is not None and name in _NAMES:
            looked.add(name)
        return super().__getattribute__(name)


_NAMES = frozenset(field.name for field in fields(Options))
_NONE = Options()
_stated = ContextVar("options of reading", default=_NONE)
_looked: ContextVar[set[str] | None] = ContextVar("options that were looked at", default=None)


def stated() -> Options:
    """Return the options that hold now."""
    return _stated.get()


_FLAGS = {"decimal": "--decimal", "first_rank": "--first-rank", "shape": "--as",
          "volume": "--volume"}  # fmt: skip


def check_options(taken: set[str]) -> None:
    """Refuse an option that is stated and that no input takes.

    Args:
        taken: the names of the options that the inputs take.

    Raises:
        InputError: there is one.
    """
    options = stated()
    for name, flag in _FLAGS.items():
        value = getattr(options, name)
        if options.is_for_all and value != getattr(_NONE, name) and name not in taken:
            rule = "changes nothing here: no input is a file that takes it (docs/formats.md)"
            raise InputError(flag, rule, value)


@contextmanager
def reading_with(**options: Any) -> Iterator[None]:
    """Read every file within the context with these `Options`; others stay as they are.

    Raises:
        InputError: a value that an option does not have.
    """
    before, looked = _stated.get(), _looked.get()
    known = {name: object.__getattribute__(before, name) for name in _NAMES}
    unwatched = _looked.set(None)  # checking the new options looks at each of them
    try:
        token = _stated.set(_Watched(**{**known, **options}))
    finally:
        _looked.reset(unwatched)
    watched = _looked.set(set() if looked is None else looked)
    try:
        yield
    finally:
        _stated.reset(token)
        _looked.reset(watched)


def looked_at() -> frozenset[str]:
    """Return the options that a reader looked at since the outermost `reading_with` began.

    An option that no reader looked at cannot have changed what was read.

    >>> with reading_with(decimal=","):
    ...     mark = stated().decimal
    ...     looked_at()
    frozenset({'decimal'})
    """
    return frozenset(_looked.get() or ())
