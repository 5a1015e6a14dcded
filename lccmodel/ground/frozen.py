"""`Frozen`: values that cannot change, so that what was checked when they were made stays true.

Most values are frozen dataclasses. Those that work out what they keep, or keep it only when it is
asked for, set it with `object.__setattr__` and inherit the refusal of everything else from here.
"""

from __future__ import annotations

from typing import Any

from lccmodel.ground.arguments import guard_methods


class Frozen:
    """No attribute can be set or deleted from outside.

    Raises:
        AttributeError: it is tried.

    >>> from lccmodel import LCC
    >>> LCC([[1]]).A = None
    Traceback (most recent call last):
    ...
    AttributeError: LCC is frozen: cannot set A
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A public method names the argument that is wrong."""
        super().__init_subclass__(**kwargs)
        guard_methods(cls)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name}")
