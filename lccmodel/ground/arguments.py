"""`typed_arguments`: a call with an argument of a wrong type is refused by name.

A public function trusts its annotations. Only when something inside fails does `typed_arguments`
compare what was given with what the annotations say: the first argument that does not fit is
named in an `InputError`. If all of them fit, the error is ours and is passed on as it is.

    contention(None, "cube:3")     AttributeError inside  ->  InputError: communication: must be …

Two things no annotation says, and are looked at before the call: masks of numpy's masked arrays,
which numpy itself forgets, and what can be iterated and has no length, which may be endless.
"""

from __future__ import annotations

import builtins
import collections.abc
import functools
import inspect
import itertools
import math
import numbers
import operator
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from lccmodel.errors import InputError, SizeLimitError

F = TypeVar("F", bound=Callable[..., Any])

_MACHINE = 1 << 63
_LARGE = 1 << 16
_MANY = 10_000
"""Entries of a sequence that are looked at."""
_ITERATED = 1 << 22
"""Most entries of what has no length; a list or an array may have more."""
_NESTED = 1000
"""Entries of a list among which one without a length is looked for."""


def typed_arguments(function: F) -> F:
    """Let a public function, or a class and its public methods, name the argument that is wrong.

    >>> @typed_arguments
    ... def double(x: int) -> int:
    ...     return 2 * x.bit_length()
    >>> double("8")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: x: must be int; got '8'
    """
    if isinstance(function, type):
        made: Any = function
        maker = "__new__" if "__new__" in vars(made) else "__init__"
        setattr(made, maker, _guarded(getattr(made, maker)))
        guard_methods(made)
        return function
    return typing.cast(F, _guarded(function))


def guard_methods(made: type) -> None:
    """Let the public methods that a class defines name the argument that is wrong."""
    for name, member in list(vars(made).items()):
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not isinstance(function, types.FunctionType):
            continue
        takes_nothing = function.__code__.co_argcount + function.__code__.co_kwonlyargcount < 2
        if getattr(function, "__wrapped__", None) or (takes_nothing and member is function):
            continue
        if not getattr(function, "__isabstractmethod__", False):
            guarded = _guarded(function)
            setattr(made, name, guarded if member is function else type(member)(guarded))


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    named, ours, admitted, looked_at, endless = _named, InputError, _admitted, _looked_at, _unsized

    def simple(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ours:
            raise
        except Exception as error:
            raise named(function, arguments, options, error) from error

    def guarded(*arguments: Any, **options: Any) -> Any:
        for value in (*arguments, *options.values()) if options else arguments:
            if looked_at(type(value)) and endless(value):
                arguments, options = admitted(function, arguments, options)
                break
        try:
            return function(*arguments, **options)
        except ours:
            raise
        except Exception as error:
            raise named(function, arguments, options, error) from error

    def iterating(*arguments: Any, **options: Any) -> Iterator[Any]:
        try:
            yield from function(*arguments, **options)
        except ours:
            raise
        except Exception as error:
            raise named(function, arguments, options, error) from error

    asked = {name: text for name, text in function.__annotations__.items() if name != "return"}
    chosen = simple if _ONE_VALUE.issuperset(asked.values()) else guarded
    chosen = iterating if inspect.isgeneratorfunction(function) else chosen
    # in the module of the function: doctest passes over what belongs to another
    home = types.FunctionType(
        chosen.__code__, function.__globals__, function.__name__, None, chosen.__closure__
    )
    return functools.wraps(function)(home)


_ONE_VALUE = {
    *("int", "int | None", "str", "str | None", "bool", "bool | None", "float", "float | None"),
    *("Fraction", "LCC", "GF2Matrix", "Network", "Network | str", "Network | str | None"),
    *("Machine", "Model", "Packets", "Task"),
}
"""Annotations of what is refused inside where a masked array or an iterator is given."""


class _Kinds(dict[type, bool]):
    """Whether values of a type are looked at before a call."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = kind in (list, dict) or _has_no_length(kind) or _is_masked(kind)
        return self[kind]


def _is_masked(kind: type) -> bool:
    return any(base.__name__ == "MaskedArray" for base in kind.__mro__)


def _has_no_length(kind: type) -> bool:
    """Iterators, and what only makes them; files and values of the library end by themselves."""
    ours = kind.__module__.partition(".")[0] == "lccmodel"
    alone = not any(hasattr(kind, name) for name in ("__len__", "__array__", "to_numpy", "read"))
    return alone and hasattr(kind, "__iter__") and not ours


# A method, no dictionary of the module: the versions of claims would go by what it holds.
_looked_at = _Kinds().__getitem__


def _unsized(value: Any, depth: int = 3) -> bool:
    """Whether a value of a type that is looked at has to be: a list by its entries."""
    kind = type(value)
    if kind not in (list, tuple, dict):
        return True
    if not depth:
        return False
    entries = value.values() if kind is dict else value
    if len(entries) > _NESTED:
        entries = list(itertools.islice(entries, _NESTED))
    kinds = set(map(type, entries))
    if kinds <= _PLAIN:
        return False
    rows: Any = entries if kinds <= _ROWS else ()
    inside = itertools.chain.from_iterable(rows)
    if rows and sum(map(len, rows)) <= _NESTED and _PLAIN.issuperset(map(type, inside)):
        return False  # a table of numbers, at once
    looked = {kind for kind in kinds if kind is tuple or _looked_at(kind)}
    return bool(looked) and any(type(e) in looked and _unsized(e, depth - 1) for e in entries)


_ROWS, _PLAIN = frozenset({list, tuple}), frozenset({int, float, str})


def _admitted(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, where all that has no length ends.

    Raises:
        InputError: a masked array hides some of its entries.
    """
    try:
        bound = inspect.signature(function).bind(*arguments, **options)
    except TypeError:
        return arguments, options
    for name, value in bound.arguments.items():
        bound.arguments[name] = _ended(name, value)
    return bound.args, bound.kwargs


def _ended(name: str, value: Any) -> Any:
    """The same value, of which nothing is endless."""
    kind = type(value)
    if not (kind is tuple or _looked_at(kind)) or kind is _Ending or not _unsized(value):
        return value
    if kind is dict:
        return {key: _ended(name, item) for key, item in value.items()}
    if kind in (list, tuple):
        return kind(_ended(name, item) for item in value)
    if not _is_masked(kind):
        return _Ending(name, value) if hasattr(kind, "__next__") else _Restarting(name, value)
    if value.mask.any():
        raise InputError(name, "must have no masked entries", value)
    return value


class _Ending:
    """An iterator that is refused when it has had too many entries."""

    def __init__(self, name: str, iterator: Iterator[Any], shown: Any = None) -> None:
        self.name, self.given, self.count = name, iterator, 0
        self.shown = iterator if shown is None else shown

    def __repr__(self) -> str:
        return repr(self.shown)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self.count += 1
        if self.count > _ITERATED:
            rule = f"an iterator may have {_ITERATED:,} entries; give a list or an array"
            raise SizeLimitError(self.name, rule, self.shown)
        return next(self.given)


class _Restarting:
    """What can be iterated again and again, each time to an end."""

    def __init__(self, name: str, iterable: Iterable[Any]) -> None:
        self.name, self.given = name, iterable

    def __repr__(self) -> str:
        return repr(self.given)

    def __iter__(self) -> Iterator[Any]:
        return _Ending(self.name, iter(self.given), self.given)


def _named(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: Mapping[str, Any],
    error: Exception,
) -> Exception:
    """The error of the first argument that does not fit its annotation; else the error itself."""
    try:
        bound = inspect.signature(function).bind(*arguments, **options)
    except TypeError:  # too many, too few, or an unknown name: Python says so already
        return error
    parameters = bound.signature.parameters
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    names = _Names(inspect.unwrap(function).__globals__)
    for name, value in bound.arguments.items():
        text = parameters[name].annotation
        if text is inspect.Parameter.empty or parameters[name].kind in several:
            continue
        wanted = eval(text, {}, names) if isinstance(text, str) else text
        if not _fits(value, wanted):
            kind = text if isinstance(text, str) else getattr(text, "__name__", str(text))
            return InputError(name, f"must be {kind}", value)
        if isinstance(error, OverflowError) and _largest(value) >= _MACHINE:
            return InputError(name, "must fit 64 bits", value)
        if isinstance(error, MemoryError) and _largest(value) >= _LARGE:
            return SizeLimitError(name, "memory is too small for it", value)
    return error


class _Names(dict[str, Any]):
    """What a module calls its types, those too that only a type checker imports."""

    def __missing__(self, name: str) -> Any:
        if name in vars(typing) or name in vars(collections.abc):
            return getattr(typing, name, getattr(collections.abc, name, None))
        for module in [m for key, m in sys.modules.items() if key.startswith("lccmodel.")]:
            if name in vars(module):
                return vars(module)[name]
        return getattr(builtins, name, Any)


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value is what an annotation says, as far as that can be seen."""
    wanted = _aliased(wanted)
    if wanted in (Any, None):
        return wanted is Any or value is None
    origin, inside = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return _fits_one(value, inside)
    if origin is typing.Literal:
        return any(
            value is allowed or (type(value) is type(allowed) and value == allowed)
            for allowed in inside
        )
    if wanted in _NUMBERS:
        return _NUMBERS[wanted](value)
    if getattr(origin or wanted, "__name__", "") == "ndarray":
        return _is_array(value)
    if collections.abc.Callable in (origin, wanted):
        return callable(value)
    if inspect.isclass(origin):
        filled = issubclass(origin, collections.abc.Iterable)
        return _is_filled(value, origin, inside) if filled else isinstance(value, origin)
    if getattr(wanted, "_is_protocol", False):
        asked = set(vars(wanted)) | set(getattr(wanted, "__annotations__", {}))
        return all(hasattr(value, name) for name in asked if not name.startswith("_"))
    return isinstance(value, wanted) if isinstance(wanted, type) else True


def _fits_one(value: Any, parts: tuple[Any, ...]) -> bool:
    """Whether a value is one of several; those that say `ArrayLike` together are an array."""
    if any(getattr(part, "__name__", "") == "_SupportsArray" for part in parts):
        import numpy.typing as npt

        others = set(parts) - set(typing.get_args(_aliased(npt.ArrayLike)))
        return _is_array(value) or any(_fits(value, part) for part in others)
    return any(_fits(value, part) for part in parts)


def _is_integer(value: Any) -> bool:
    """Neither a bool nor an array, though both have an `__index__`."""
    other = isinstance(value, bool) or type(value).__name__ == "ndarray"
    return not other and _works(operator.index, value)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and _works(math.floor, value)


_NUMBERS: dict[Any, Callable[[Any], bool]] = {
    int: _is_integer,
    typing.SupportsIndex: _is_integer,
    float: _is_real,
    Fraction: lambda value: isinstance(value, numbers.Rational),
    type(None): lambda value: value is None,
}


def _aliased(wanted: Any) -> Any:
    """What an alias stands for: from Python 3.12 on numpy has such names for arrays."""
    return getattr(wanted, "__value__", wanted)


def _works(check: Callable[[Any], Any], value: Any) -> bool:
    try:
        check(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_array(value: Any) -> bool:
    """Whether it is an array of finite numbers, or becomes one."""
    import numpy as np

    try:
        array = np.asarray(value)
        return array.dtype.kind in "biufc" and bool(np.isfinite(array).all())
    except (TypeError, ValueError, OverflowError):
        return False


def _is_filled(value: Any, origin: Any, inside: tuple[Any, ...]) -> bool:
    """Whether it is a collection, no text, whose entries are right."""
    if isinstance(value, (str, bytes)) or not isinstance(value, collections.abc.Iterable):
        return False
    if issubclass(origin, collections.abc.Mapping):
        return isinstance(value, collections.abc.Mapping)
    if not isinstance(value, collections.abc.Sized) or not _works(len, value):
        once = isinstance(value, collections.abc.Iterator)
        return once and not issubclass(origin, collections.abc.Sequence)
    kinds = tuple(kind for kind in inside if kind is not Ellipsis)
    if origin is tuple and Ellipsis not in inside and kinds and len(value) != len(kinds):
        return False
    if len(kinds) == 1 and len(value) <= _MANY:
        return all(_fits(item, kinds[0]) for item in value)
    return True


def _largest(value: Any) -> int:
    """The largest integer in a value, whichever its sign."""
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes)):
        return max(map(_largest, value), default=0) if isinstance(value, (list, tuple)) else 0
    return abs(int(value)) if isinstance(value, numbers.Integral) else 0
