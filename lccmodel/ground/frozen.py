"""`Frozen`: values that cannot change, so that what was checked when they were made stays true.

Most values are frozen dataclasses. Those that work out what they keep, or keep it only when it is
asked for, set it with `object.__setattr__` and inherit the refusal of everything else from here.
"""

from __future__ import annotations

from typing import Any, Self

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

    def _replaced(self, **changed: object) -> Self:
        """Return a copy with other values of some attributes; nothing is checked again.

        >>> from lccmodel import LCC
        >>> LCC([[1]])._replaced(name="same").name
        'same'
        """
        state = object.__getstate__(self)  # the attributes: of the dict, or of the dict and slots
        parts = state if isinstance(state, tuple) else (state,)
        made = object.__new__(type(self))
        for values in (*parts, changed):
            for name, value in (values or {}).items():
                object.__setattr__(made, name, value)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name}")
