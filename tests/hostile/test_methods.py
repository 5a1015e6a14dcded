"""Every public method of every value that the library makes, called with what nobody should pass.

The values are what right calls of public functions return, and what those hold: one of each class.
A method that a class takes over from its base is called once, on the class that defines it.
"""

import inspect
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.choosing import slow
from tests.hostile.bounds import called
from tests.hostile.public import argument_named, base_arguments, public_callables, public_names
from tests.strategies import HOSTILE

NOT_CALLED = {"Exploration.widget": "builds widgets", "Exploration.show": "shows widgets"}
VARIABLE = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


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
def methods() -> dict[str, Callable[..., Any]]:
    """`Class.method` of every public method that takes something, bound to a value."""
    found: dict[str, Callable[..., Any]] = {}
    public = {value for value in public_names().values() if isinstance(value, type)}
    for kind, value in sorted(instances().items(), key=lambda each: each[0].__qualname__):
        for name in dir(kind) if kind in public else ():
            home = next((base for base in kind.__mro__ if name in vars(base)), kind)
            full = f"{home.__qualname__}.{name}"
            if name.startswith("_") or home.__module__.partition(".")[0] != "lccmodel":
                continue
            if not callable(getattr(kind, name)) or full in NOT_CALLED or full.count(".") > 1:
                continue
            method = getattr(value, name)
            if inspect.signature(method).parameters:
                found.setdefault(full, method)
    return found


def arguments(name: str, method: Callable[..., Any]) -> dict[str, Any]:
    """Right arguments, as far as the names of parameters say."""
    return {
        parameter.name: argument_named(name, parameter.name)
        for parameter in inspect.signature(method).parameters.values()
        if parameter.kind not in VARIABLE and parameter.default is parameter.empty
    }


def test_many_methods_are_found():
    assert len(methods()) > 130


@pytest.mark.parametrize("every", [3, slow(1)])
def test_one_wrong_argument_of_a_method(every):
    """Fast: a third of the methods, and a third of the wrong values for every parameter."""
    for name in [*methods()][::every]:
        method = methods()[name]
        kinds = inspect.signature(method).parameters
        for k, parameter in enumerate(kinds.values()):
            if parameter.kind in VARIABLE:
                continue
            for value in HOSTILE[(zlib.crc32(name.encode()) + k) % every :: every]:
                wrong = arguments(name, method) | {parameter.name: value}
                first = [n for n, p in kinds.items() if p.kind is p.POSITIONAL_ONLY and n in wrong]
                called(method, *map(wrong.pop, first), **wrong)
