"""Compiled kernels on disk that are never older than the code they came from.

numba files a compiled function under its own bytecode and looks at its own source file alone.
What it calls is compiled into it, so a change in a called kernel of another module would go
unseen, and yesterday's machine code would answer for today's source. Here the key of an entry
also holds a fingerprint of everything that is compiled in: the code that is in memory, not the
files, so that a file edited while a process runs cannot be taken for what that process loaded.

    walk.py     f calls g           entry of f: f, then g, then h, then LIMIT, and the
    counts.py   g calls h, LIMIT                versions of numba and llvmlite

The digest of all this names the file of an entry, so no index stands between; how a file is kept
and verified is told in `kernels.cache_files`.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from lccmodel.kernels import cache_files as files

# numba has no types here
_NumbaCache: Any = NullCache
_numba: Any = SimpleNamespace(CompileResult=CompileResult, dumps=dumps, normal=normalize_signature)
_PYTHON = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"


class KernelCache(_NumbaCache):  # type: ignore[misc]  # its base has no types
    """The machine code of one function on disk, a file for each combination of types.

    A function without a source file (typed in a notebook) is compiled in every process.
    """

    def __init__(self, kernel: Any, home: Any = None) -> None:
        home = home or kernel.py_func  # where entries are kept, and what they are called
        self._kernel = kernel
        self._source = Path(inspect.getfile(home))
        self._kind = re.sub("[<>]", "", f"{self._source.stem}.{home.__qualname__}-")

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function for a signature, or None.

        Machine code needs numba's memory management only. numba itself would first load all that
        its compiler knows to translate, which takes twice as long as everything else; a kernel
        that has to be compiled loads it then.

        Code that names a class which is not there any more, since a module was changed, is as
        good as none.
        """
        if not self._is_kept():
            return None
        rtsys.initialize(target)
        key = self._key(signature, target.codegen())
        kept = files.kept(self._name(key), key, self._source)
        if kept is None:
            return None
        path, code = kept
        try:
            return _numba.CompileResult._rebuild(target, *pickle.loads(code))
        except MemoryError:
            raise
        except Exception:  # AttributeError, ImportError, TypeError: whatever a changed class makes
            files.set_aside(path)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled for a signature."""
        if not self._is_kept() or compiled.library.has_dynamic_globals:
            return
        key, code = self._key(signature, compiled.codegen), _numba.dumps(compiled._reduce())
        files.keep(self._name(key), key, code, self._source, self._kind)

    def has(self, signature: Any, target: Any) -> bool:
        """Whether the machine code for a signature is on disk."""
        if not self._is_kept():
            return False
        key = self._key(signature, target.codegen())
        return files.kept(self._name(key), key, self._source) is not None

    def _is_kept(self) -> bool:
        return self._source.is_file()

    def _key(self, signature: Any, codegen: Any) -> bytes:
        """A digest of all that machine code is made from, and of the machine that runs it."""
        arguments, result = _numba.normal(signature)
        parts = [_PYTHON, *codegen.magic_tuple(), _content(self._source), fingerprint(self._kernel)]
        parts += [_type_text(kind) for kind in (*arguments, result)]
        return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()

    def _name(self, key: bytes) -> str:
        return f"{self._kind}{key.hex()[:32]}.nbc"


@cache
def _content(source: Path) -> str:
    """A hash of a source file: what no fingerprint sees changes this."""
    return hashlib.sha256(source.read_bytes()).hexdigest()


def _type_text(kind: Any) -> str:
    """A type of numba as text that is the same in every process; of a class its home and fields."""
    made = getattr(kind, "instance_class", None)
    parts: Any = kind if isinstance(kind, types.BaseTuple) else ()
    return f"{_text(made)} {kind} ({', '.join(map(_type_text, parts))})"


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
    for value, compiled in _reached(function):
        if compiled is None:
            digest.update(_text(value).encode())
        else:
            options = {  # a set is written in another order in every process
                key: sorted(option) if isinstance(option, set) else option
                for key, option in getattr(value, "targetoptions", {}).items()
            }
            digest.update(f"\0{sorted(options.items())}{_code_text(compiled.__code__)}".encode())
    return digest.hexdigest()


def kernels_within(kernel: Any) -> list[Any]:
    """A kernel, and every one that is compiled when it is.

    >>> kernels_within(len)
    []
    """
    return [v for v, _ in _reached(kernel) if isinstance(getattr(v, "_cache", None), KernelCache)]


def _reached(function: Any) -> Iterator[tuple[Any, FunctionType | None]]:
    """A function and all that it names, functions once, with the Python function behind each."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        value = waiting.pop()
        compiled = _python_function(value)
        if not isinstance(compiled, FunctionType):
            yield value, None
        elif id(compiled) not in seen:
            seen.add(id(compiled))
            yield value, compiled
            waiting.extend(_named(compiled))


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
    yield function.__defaults__
    for code in _codes(function.__code__):
        values = [function.__globals__[n] for n in code.co_names if n in function.__globals__]
        yield from values
        for module in (value for value in values if isinstance(value, ModuleType)):
            yield from (getattr(module, n) for n in code.co_names if hasattr(module, n))


def _text(value: Any) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, frozenset):
        return f"set {sorted(map(_text, value))}"
    if isinstance(value, tuple):
        return f"tuple {[_text(inner) for inner in value]}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
    if isinstance(value, ModuleType | BuiltinFunctionType | np.ufunc):
        return f"{type(value).__name__} {value.__name__}"
    if isinstance(value, int | float | complex | str | bytes | np.generic | None):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__module__}.{type(value).__qualname__}"
