"""What a user may rely on: the names that the packages export, and the modules of values.

A name stands where it is shortest: `lccmodel.LCC`, not `lccmodel.communication.lcc.LCC`. It is
explained with the other names of the package that it comes from.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import lccmodel
import proofs_check

MODULES_OF_VALUES = ("lccmodel.communication.catalog", "lccmodel.errors", "lccmodel.references")
"""Modules, not packages, whose names a user calls: `lcc.catalog.bit_reverse(8)`."""


@dataclass(frozen=True)
class Public:
    """A public name: where it is imported from, the page it stands on, and what it is."""

    name: str
    home: str
    page: str
    value: Any

    @property
    def path(self) -> str:
        """The name as it is imported, `lccmodel.LCC`."""
        return f"{self.home}.{self.name}"

    @property
    def kind(self) -> str:
        """`class`, `function`, `module` or `data`."""
        if inspect.isclass(self.value):
            return "class"
        if inspect.ismodule(self.value):
            return "module"
        return "function" if inspect.isroutine(self.value) else "data"


def packages() -> Iterator[ModuleType]:
    """The packages that export names, and the modules of values."""
    for top in (lccmodel, proofs_check):
        yield top
        for found in pkgutil.walk_packages(top.__path__, top.__name__ + "."):
            if found.ispkg or found.name in MODULES_OF_VALUES:
                module = importlib.import_module(found.name)
                if getattr(module, "__all__", None):
                    yield module


def exports() -> Iterator[tuple[ModuleType, str]]:
    """Every package with every name that it exports."""
    for package in packages():
        for name in package.__all__:
            yield package, name


def public_names() -> list[Public]:
    """Every public name once: under its shortest import, on the page of its own package."""
    found: dict[tuple[int, str], Public] = {}
    for package, name in exports():
        value = getattr(package, name)
        key = (id(value), name)
        first = found.get(key)  # packages come before those inside them
        home = first.home if first else package.__name__
        found[key] = Public(name, home, package.__name__, value)
    return list(found.values())
