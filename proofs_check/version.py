"""The version of a claim: a hash of the code that its verdict rests on.

The hash covers the claim's function and, transitively, every function, class and constant of this
project that it names (numba kernels by their Python source), also through modules and imports
made inside functions, and the data files that they read by a path from their own folder. A
change anywhere there makes stored shards of the claim invalid; a change elsewhere does not, nor
does one of comments, docstrings or the wording of the claim.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_OWN_PACKAGES = ("lccmodel", "proofs_check")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def code_version(*roots: object, salt: str = "") -> str:
    """Twelve hex digits that change when the code or the values reachable from `roots` change.

    >>> code_version(code_version) == code_version(code_version), len(code_version(code_version))
    (True, 12)
    >>> code_version(code_version) == code_version(code_version, salt="other")
    False
    """
    sources: dict[str, str] = {}
    for position, root in enumerate(roots):
        home = getattr(_python_function(root), "__module__", "") or ""
        _collect(f"root {position}", root, home.partition(".")[0], sources)
    digest = hashlib.sha256(salt.encode())
    for name in sorted(sources):
        digest.update(f"\0{name}\0{sources[name]}".encode())
    return digest.hexdigest()[:12]


def _python_function(value: Any) -> Any:
    """The Python function behind a claim, a compiled kernel or a cached function."""
    for attribute in ("check", "py_func", "__wrapped__"):
        inner = getattr(value, attribute, None)
        if isinstance(inner, FunctionType):
            return inner
    return value


def _collect(name: str, value: Any, package: str, sources: dict[str, str]) -> None:
    """Enter what a name stands for: code with all that it names, or a value as text."""
    value = _python_function(value)
    if isinstance(value, ModuleType):
        if _is_own(value.__name__, package):
            sources[f"module {value.__name__}"] = inspect.getsource(value)
    elif isinstance(value, FunctionType | type):
        _collect_code(value, package, sources)
    elif not callable(value) or _is_own(type(value).__module__, package):
        sources[name] = value_text(value)
        _collect(name, type(value), package, sources)


def _collect_code(value: FunctionType | type, package: str, sources: dict[str, str]) -> None:
    if not _is_own(value.__module__, package):
        return
    key, text, used = _analysis(value, package)
    if key in sources:
        return
    sources[key] = text
    sources.update(_files(value, text))
    for name, held in used:
        _collect(f"{key}:{name}", held, package, sources)


def _files(value: FunctionType | type, text: str) -> dict[str, str]:
    """The contents of data files that a string in the code names, from the module's folder."""
    module = sys.modules.get(value.__module__)
    if module is None or not getattr(module, "__file__", None):
        return {}
    folder = Path(str(module.__file__)).parent
    named = [folder / name for _, name in re.findall(r"""(["'])([\w./-]+\.\w+)\1""", text)]
    return {
        f"file {file.relative_to(folder)}": hashlib.sha256(file.read_bytes()).hexdigest()
        for file in named
        if file.is_file() and file.suffix != ".py"
    }


@cache
def _analysis(
    value: FunctionType | type, package: str
) -> tuple[str, str, tuple[tuple[str, Any], ...]]:
    """(name, code without wording, the named objects that it uses) of a function or class."""
    try:
        text = textwrap.dedent(inspect.getsource(value))
    except (OSError, TypeError):  # no source is kept of what was made at run time
        text = getattr(getattr(value, "__code__", None), "co_code", b"").hex()
    key = f"{value.__module__}.{value.__qualname__}"
    if "<lambda>" in key:  # they share a name
        key += hashlib.sha256(text.encode()).hexdigest()
    tree = _bare_tree(text)
    if tree is None:
        return key, text, tuple(_named_in_bytecode(value))
    nodes = list(ast.walk(tree))
    used = dict(_named(nodes, _namespace(value, nodes, package), package))
    state = _state(value.__module__)
    return key, ast.unparse(tree), tuple(pair for pair in used.items() if pair[0] not in state)


def value_text(value: Any) -> str:
    """A value as text that is the same in every process: no addresses, sets in order."""
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, set | frozenset):
        return f"set {sorted(map(value_text, value))}"
    if isinstance(value, Mapping):
        return f"map {[(value_text(k), value_text(v)) for k, v in value.items()]}"
    if isinstance(value, list | tuple):
        return f"list {[value_text(inner) for inner in value]}"
    if callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return _ADDRESS.sub("", repr(value))


def _bare_tree(text: str) -> ast.Module | None:
    """The code without decorators and docstrings: wording does not change what it does.

    None for what is no statement of its own, as a lambda inside a call.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def _named_in_bytecode(value: Any) -> Iterator[tuple[str, Any]]:
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        names = {**value.__globals__, **inspect.getclosurevars(value).nonlocals}
        for name in (*code.co_names, *code.co_freevars):
            if name in names:
                yield name, names[name]


def _is_own(module: str, package: str) -> bool:
    return module.partition(".")[0] in (*_OWN_PACKAGES, package)


def _namespace(value: Any, nodes: Iterable[ast.AST], package: str) -> dict[str, Any]:
    """What names mean inside a function or class: its module's globals, closure, own imports."""
    if isinstance(value, FunctionType):
        inside = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
        held = {name: cell.cell_contents for name, cell in inside.items()}
        names: dict[str, Any] = {**value.__globals__, **held}
    else:
        names = dict(vars(importlib.import_module(value.__module__)))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and _is_own(node.module, package):
            module = importlib.import_module(node.module)
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                named = hasattr(module, alias.name)  # a constant may be 0
                target = getattr(module, alias.name) if named else importlib.import_module(inner)
                names[alias.asname or alias.name] = target
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _is_own(alias.name, package):
                    module = importlib.import_module(alias.name)
                    root = importlib.import_module(alias.name.partition(".")[0])
                    names[alias.asname or root.__name__] = module if alias.asname else root
    return names


def _named(
    nodes: Iterable[ast.AST], names: dict[str, Any], package: str
) -> Iterator[tuple[str, Any]]:
    """The named objects that the code mentions; `module.attribute` counts as the attribute.

    What other packages have is not this project's code.
    """
    inside: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in inside:
            chain = [node.attr]
            base = node.value
            while isinstance(base, ast.Attribute):
                inside.add(id(base))
                chain.append(base.attr)
                base = base.value
            if isinstance(base, ast.Name) and isinstance(names.get(base.id), ModuleType):
                inside.add(id(base))
                held, path, owner = names[base.id], base.id, names[base.id].__name__
                while chain and isinstance(held, ModuleType):
                    owner, path = held.__name__, f"{path}.{chain[-1]}"
                    held = getattr(held, chain.pop(), None)
                if _is_own(owner, package):  # sys.stdin is another one in every process
                    yield path, held
        elif isinstance(node, ast.Name) and id(node) not in inside and node.id in names:
            yield node.id, names[node.id]


@cache
def _state(module: str) -> frozenset[str]:
    """The names that functions of a module assign: what a process has done, not code."""
    try:
        nodes = ast.walk(ast.parse(inspect.getsource(sys.modules[module])))
    except (KeyError, OSError, TypeError):  # no source is kept of what was made at run time
        return frozenset()
    return frozenset(name for node in nodes if isinstance(node, ast.Global) for name in node.names)
