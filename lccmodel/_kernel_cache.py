"""Compiled kernels on disk that are never older than the code they came from.

numba files a compiled function under its own bytecode and looks at its own source file alone.
What it calls is compiled into it, so a change in a called kernel of another module would go
unseen, and yesterday's machine code would answer for today's source. Here the key of an entry
also holds a fingerprint of everything that is compiled in: the code that is in memory, not the
files, so that a file edited while a process runs cannot be taken for what that process loaded.

    walk.py     f calls g           entry of f: f, then g, then h, then LIMIT, and the
    counts.py   g calls h, LIMIT                versions of numba and llvmlite
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

__all__ = ["KernelCache"]


_NumbaCache: Any = FunctionCache  # numba has no types here


class KernelCache(_NumbaCache):  # type: ignore[misc]  # its base has no types
    """numba's cache of one function, with `fingerprint` in the key of every entry."""

    def __init__(self, function: Any, home: Any = None) -> None:
        super().__init__(home or function)  # which names the files on disk
        self._py_func = function

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function for a signature, or None.

        Machine code needs numba's memory management only. numba itself would first load all that
        its compiler knows to translate, which takes twice as long as everything else; a kernel
        that has to be compiled loads it then.

        An index that names a class which is not there any more, since a module was changed, is
        as good as none: numba would end in an error until somebody deletes the file.
        """
        try:
            rtsys.initialize(target)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(signature, target)
        except (AttributeError, ImportError):
            self.flush()
            return None

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        # Not numba's own key: it pickles what a closure holds, which differs in every process.
        return (signature, codegen.magic_tuple(), fingerprint(self._py_func))


def fingerprint(function: Any) -> str:
    """A hash of what a compiled function is made of: its code and all that it names.

    It follows called functions and kernels, intrinsics, closures and attributes of modules, and
    takes constants by value.

    >>> def double(x): return 2 * x
    >>> def triple(x): return 3 * x
    >>> fingerprint(double) == fingerprint(double), fingerprint(double) == fingerprint(triple)
    (True, False)
    """
    versions = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}"
    digest = hashlib.sha256(versions.encode())
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        value = waiting.pop()
        compiled = _python_function(value)
        if not isinstance(compiled, FunctionType):
            digest.update(_text(value).encode())
        elif id(compiled) not in seen:
            seen.add(id(compiled))
            options = getattr(value, "targetoptions", {})
            digest.update(f"\0{sorted(options.items())}{_code_text(compiled.__code__)}".encode())
            waiting.extend(_named(compiled))
    return digest.hexdigest()


def _python_function(value: Any) -> Any:
    """The Python function behind a kernel or an intrinsic; anything else as it is."""
    for attribute in ("py_func", "_defn"):
        inner = getattr(value, attribute, None)
        if isinstance(inner, FunctionType):
            return inner
    return value


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _code_text(code: CodeType) -> str:
    return "\0".join(
        f"{part.co_code.hex()} {part.co_names} {part.co_varnames}"
        f" {[_text(c) for c in part.co_consts if not isinstance(c, CodeType)]}"
        for part in _codes(code)
    )


def _named(function: FunctionType) -> Iterator[Any]:
    """What the names in a function stand for, in the order in which they occur."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    yield from cells
    for code in _codes(function.__code__):
        found = [function.__globals__[n] for n in code.co_names if n in function.__globals__]
        yield from found
        for module in (value for value in found if isinstance(value, ModuleType)):
            yield from (getattr(module, n) for n in code.co_names if hasattr(module, n))


def _text(value: Any) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, frozenset):
        return f"set {sorted(map(_text, value))}"
    if isinstance(value, tuple):
        return f"tuple {[_text(inner) for inner in value]}"
    if isinstance(value, ModuleType | type | BuiltinFunctionType | np.ufunc):
        return f"{type(value).__name__} {value.__name__}"
    if isinstance(value, int | float | complex | str | bytes | np.generic | None):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__module__}.{type(value).__qualname__}"
