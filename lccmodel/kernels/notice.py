"""Who is told of a wait: nobody, or the line of a command that says what it does.

A kernel is compiled, or a large file is read.

Kept apart from numba, which takes a third of a second to load: a command says whom to tell before
it knows whether anything will be compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import parent_process

_told: Callable[[str], None] | None = None


def tell(listener: Callable[[str], None] | None) -> Callable[[str], None] | None:
    """From now on call this with "compiling, once: walk (2 of 7)", and with "" at its end.

    Returns: what was called before.
    """
    global _told
    before, _told = _told, listener
    return before


def say(text: str) -> None:
    """Say it to who asked to be told; the workers of a command share its line, and are silent."""
    if _told is not None and parent_process() is None:
        _told(text)
