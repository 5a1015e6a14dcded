"""Public names of a package, loaded when they are first used, so that importing it is cheap."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["lazy_names"]

_NONE: Mapping[str, str] = MappingProxyType({})


def lazy_names(
    package: str, home: Mapping[str, str], modules: Mapping[str, str] = _NONE
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: its name.
        home: the module that each public name comes from.
        modules: names that stand for whole modules.

    `__dir__` lists what a person may use, and nothing else: no helpers, no names of typing.

    A name must not be that of a submodule: once imported, that is an attribute and would win.
    """

    def get(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(home[name]), name)
        elif name in modules:
            value = importlib.import_module(modules[name])
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        versions = {"__version__"} & set(vars(sys.modules[package]))
        return sorted({*home, *modules} | versions)

    return get, names
