"""What a function takes for what is left out, and how far it goes, is as it was: users rely on it.

    python -m tests.test_signatures      write `signatures.json` and `constants.json` anew

The first has every function that a module offers and the public methods of its classes, with
their defaults; the second every number that stands at the head of a module: limits, which errors
and docs state, efforts, on which seeded answers rest, codes of formats, and sizes of blocks, on
which the speeds of docs/benchmarks.md rest.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import lccmodel
from tests.holding import write

HELD = Path(__file__).with_name("signatures.json")
CONSTANTS = Path(__file__).with_name("constants.json")


def _modules() -> Iterator[ModuleType]:
    """All that are imported and not run."""
    for found in pkgutil.walk_packages(lccmodel.__path__, "lccmodel."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def _offered() -> Iterator[tuple[str, Any]]:
    """Functions and classes without an underscore, each where it stands."""
    for module in _modules():
        for name, value in sorted(vars(module).items()):
            own = getattr(value, "__module__", "") == module.__name__
            if own and callable(value) and not name.startswith("_"):
                yield f"{module.__name__}.{getattr(value, '__qualname__', name)}", value


def _defaults(value: Any) -> str:
    """`name=value` of every parameter that may be left out."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    told = (p for p in parameters if p.default is not p.empty)
    return ", ".join(f"{p.name}={p.default!r}" for p in told if " at 0x" not in repr(p.default))


def signatures() -> dict[str, str]:
    """All defaults, by the full name of what has them."""
    found = {}
    for place, value in _offered():
        found[place] = _defaults(value)
        if inspect.isclass(value):
            for name, method in inspect.getmembers(value, inspect.isroutine):
                qualified = getattr(method, "__qualname__", "")
                if not name.startswith("_") and qualified.startswith(value.__name__):
                    found[f"{place}.{name}"] = _defaults(method)
    return {place: told for place, told in sorted(found.items()) if told}


def constants() -> dict[str, str]:
    """The numbers at the head of modules, by their full names."""
    found = {}
    for module in _modules():
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            for target in (name for one in targets for name in ast.walk(one)):
                if isinstance(target, ast.Name) and target.id.isupper():
                    value = vars(module)[target.id]
                    if _of_numbers(value):
                        found[f"{module.__name__}.{target.id}"] = repr(value)
    return dict(sorted(found.items()))


def _of_numbers(value: Any) -> bool:
    """A number, or a tuple or table of numbers alone."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return bool(value) and all(map(_of_numbers, value))
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def test_numbers_at_the_head_of_modules_are_as_they_were() -> None:
    """One that is changed on purpose is written anew, and the changelog says so."""
    assert constants() == json.loads(CONSTANTS.read_text())


def test_defaults_are_as_they_were() -> None:
    """Of what is there now; a new function gets its line, one that is gone loses it."""
    assert signatures() == json.loads(HELD.read_text())


if __name__ == "__main__":
    told = signatures()
    write(HELD, told, told.__getitem__)
    numbers = constants()
    write(CONSTANTS, numbers, numbers.__getitem__)
