"""What a function takes for what is left out is as it was: who calls it relies on it.

    python -m tests.test_signatures      write `signatures.json` anew

Every name that a package offers, and the public methods of its classes, with their defaults.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lccmodel
from tests.holding import write

HELD = Path(__file__).with_name("signatures.json")


def _offered() -> Iterator[tuple[str, Any]]:
    """Names in the faces of packages, each once, where it stands."""
    faces = ["lccmodel"]
    faces += [m.name for m in pkgutil.iter_modules(lccmodel.__path__, "lccmodel.") if m.ispkg]
    seen = set()
    for face in faces:
        module = importlib.import_module(face)
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name)
            if callable(value) and getattr(value, "__module__", "").startswith("lccmodel"):
                place = f"{value.__module__}.{getattr(value, '__qualname__', name)}"
                if place not in seen:
                    seen.add(place)
                    yield place, value


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


def test_defaults_are_as_they_were() -> None:
    """Of what is there now; a new function gets its line, one that is gone loses it."""
    assert signatures() == json.loads(HELD.read_text())


if __name__ == "__main__":
    told = signatures()
    write(HELD, told, told.__getitem__)
