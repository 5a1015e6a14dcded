"""Every public method of every value that the library makes, called with what nobody should pass.

The values are what right calls of public functions return, and what those hold: one of each class.
A method that a class takes over from its base is called once, on the class that defines it.
"""

from __future__ import annotations

import inspect
import itertools
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from lccmodel.errors import InputError
from tests.hostile.bounds import bounded
from tests.hostile.public import argument_named, base_arguments, public_callables, public_names
from tests.strategies import HOSTILE

NOT_CALLED = {
    "Exploration.widget": "builds widgets",
    "Exploration.show": "shows widgets",
}


def instances() -> dict[type, Any]:
    """A value of each class of the library, as right calls make them."""
    found: dict[type, Any] = {}
    waiting: list[Any] = []
    for name, function in public_callables().items():
        try:
            waiting.append(function(**base_arguments(name, function)))
        except Exception:  # `test_functions` says what is wrong there
            continue
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple)):
            waiting.extend(value[:3])
        kind = type(value)
        if not kind.__module__.startswith("lccmodel") or kind in found:
            continue
        found[kind] = value
        names = [*getattr(value, "__dict__", ()), *getattr(kind, "__slots__", ())]
        waiting.extend(getattr(value, name, None) for name in names)
    return found


@cache
def methods() -> dict[str, tuple[Any, Callable[..., Any]]]:
    """`Class.method` of every public method that takes something, with a value to call it on."""
    found: dict[str, tuple[Any, Callable[..., Any]]] = {}
    public = {value for value in public_names().values() if isinstance(value, type)}
    for kind, value in sorted(instances().items(), key=lambda each: each[0].__qualname__):
        for name in dir(kind) if kind in public else ():
            home = next((base for base in kind.__mro__ if name in vars(base)), kind)
            called = f"{home.__qualname__}.{name}"
            if name.startswith("_") or home.__module__.partition(".")[0] != "lccmodel":
                continue
            if (
                not callable(getattr(kind, name))
                or called in NOT_CALLED
                or "." in home.__qualname__
            ):
                continue
            method = getattr(value, name)
            if list(inspect.signature(method).parameters):
                found.setdefault(called, (value, method))
    return found


def arguments(called: str, method: Callable[..., Any]) -> dict[str, Any]:
    """Right arguments, as far as the names of parameters say."""
    found = {}
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is parameter.empty:
            found[parameter.name] = argument_named(called, parameter.name)
    return found


def calls(called: str, method: Callable[..., Any], every: int) -> Iterator[tuple[str, Any]]:
    for k, parameter in enumerate(inspect.signature(method).parameters.values()):
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            start = (zlib.crc32(called.encode()) + k) % every
            yield from ((parameter.name, value) for value in HOSTILE[start::every])


def try_call(called: str, parameter: str, value: Any) -> None:
    method = methods()[called][1]
    given = arguments(called, method) | {parameter: value}
    kinds = inspect.signature(method).parameters
    places = [given.pop(n) for n, p in kinds.items() if p.kind is p.POSITIONAL_ONLY and n in given]
    with bounded():
        try:
            answer = method(*places, **given)
            if hasattr(answer, "__next__"):
                list(itertools.islice(answer, 3))
        except InputError as error:
            assert str(error)  # noqa: PT017 - every refusal says why
        except Exception as error:
            error.add_note(f"{called}({parameter}={type(value).__name__} {str(value)[:80]})")
            raise


def test_many_methods_are_found() -> None:
    assert len(methods()) > 130


def test_one_wrong_argument_of_a_method() -> None:
    """A third of the methods, and a third of the wrong values for every parameter of theirs."""
    for called in [*methods()][::3]:
        for parameter, value in calls(called, methods()[called][1], 3):
            try_call(called, parameter, value)


@pytest.mark.slow
def test_every_wrong_argument_of_a_method() -> None:
    for called, (_, method) in methods().items():
        for parameter, value in calls(called, method, 1):
            try_call(called, parameter, value)
