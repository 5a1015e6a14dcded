"""Which tests run through which function of the library: a mutant meets those, and no others.

Every function but kernels, which are numba's, notes that it was called, test by test, while the
fast suite runs once; the notes are kept, and a file of tests that has changed since is run again.
A kernel is met by the tests of the functions that name it, and by those that name it. What a
fixture of a file runs through, each test of that fixture does; answers that the library keeps are
dropped between tests, or only the first test would meet what computes them. What runs while tests
are collected, for their parameters, is noted, too, as met by those: there a fault has to be in
place before that.

    python -m tests.mutation.reach               one process, as long as the fast suite
    python -m tests.mutation.reach --part 1/2    a half of the files
"""

from __future__ import annotations

import argparse
import ast
import builtins
import gc
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import _lru_cache_wrapper, cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
NOTES = ROOT / "out" / "reach.jsonl"
PLACES = ("tests", "lccmodel", "proofs_check", "docs", "README.md")
FAST = "not slow and not browser"
CHOSEN = ["-q", "-m", FAST, "-p", "no:nbmake", "-p", "no:cacheprovider"]
_MARK = "_reached_by_a_test"

Function = tuple[str, str]
"""A file of the library, and the qualified name of a function in it."""


# -- taking notes -------------------------------------------------------------------------


@cache
def _made_kernels() -> set[str]:
    """Functions that become kernels without a decorator: `plus_kernel = kernel(goes_plus)`."""
    sources = (ROOT / "lccmodel").rglob("*.py")
    return {name for path in sources for name in re.findall(r"kernel\((\w+)\)", path.read_text())}


def _is_kernel(function: ast.FunctionDef) -> bool:
    words = " ".join(map(ast.unparse, function.decorator_list))
    marks = ("kernel", "jit", "intrinsic", "overload")
    return function.name in _made_kernels() or any(mark in words for mark in marks)


def marked(tree: ast.Module, path: str) -> ast.Module:
    """The source with a call at the head of each outermost function: one set insertion."""

    def visit(body: list[ast.stmt], name: str) -> None:
        for statement in body:
            match statement:
                case ast.ClassDef():
                    visit(statement.body, f"{name}{statement.name}.")
                case ast.FunctionDef() if not _is_kernel(statement):
                    key = repr((path, f"{name}{statement.name}"))
                    (note,) = ast.parse(f"{_MARK}({key})").body
                    first = ast.get_docstring(statement, clean=False) is not None
                    ast.copy_location(note, statement.body[0])
                    statement.body.insert(int(first), note)
                case ast.If() | ast.Try() | ast.With():
                    for part in ("body", "orelse", "finalbody"):
                        visit(getattr(statement, part, []), name)

    visit(tree.body, "")
    return ast.fix_missing_locations(tree)


class _Marking(SourceFileLoader):
    """Reads a module of the library with the notes in it; no bytecode is kept."""

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path)
        name = str(Path(self.path).relative_to(ROOT))
        code: CodeType = compile(marked(ast.parse(source), name), self.path, "exec")
        return code


class Notes(importlib.abc.MetaPathFinder):
    """A plugin of pytest that writes down, file by file, what each test runs through."""

    def __init__(self) -> None:
        self.reached: set[Function] = set()
        self.of_fixtures: dict[str, set[Function]] = defaultdict(set)
        self.of_files: dict[str, set[Function]] = defaultdict(set)
        self.tests: dict[str, tuple[float, set[Function]]] = {}
        self.began, self.last, self.failed = 0.0, "", False
        setattr(builtins, _MARK, self.reached.add)
        sys.meta_path.insert(0, self)  # before any conftest loads the library

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname.split(".")[0] != "lccmodel":
            return None
        place = ROOT.joinpath(*fullname.split("."))
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if not file.exists():
            return None
        return importlib.util.spec_from_file_location(
            fullname, file, loader=_Marking(fullname, str(file))
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        sys.meta_path.remove(self)
        sys.meta_path.insert(0, self)

    def pytest_collection_finish(self) -> None:
        _write("", {"": (0.0, set(self.reached))})

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        """What makes a file's parameters is met by the tests that have some."""
        before = set(self.reached)
        self.reached.clear()
        try:
            return (yield)
        finally:
            self.of_files[collector.nodeid.split("::")[0]] |= self.reached
            self.reached |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        before = set(self.reached)
        self.reached.clear()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self.of_fixtures[fixturedef.argname] |= self.reached
            self.reached |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Any:
        function = item.nodeid.split("[")[0]
        if function != self.last:
            for kept in _keeping(len(sys.modules)):
                kept.cache_clear()
        self.last = function
        self.reached.clear()
        self.began, self.failed = time.process_time(), False
        result = yield
        reached = set(self.reached)
        for name in getattr(item, "fixturenames", ()):
            reached |= self.of_fixtures.get(name, set())
        if "[" in item.nodeid:
            reached |= self.of_files[item.nodeid.split("::")[0]]
        if not self.failed:
            self.tests[item.nodeid] = (round(time.process_time() - self.began, 4), reached)
        file = item.nodeid.split("::")[0]
        if nextitem is None or nextitem.nodeid.split("::")[0] != file:
            _write(file, self.tests)
            self.tests, self.of_fixtures = {}, defaultdict(set)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = True  # a test that fails anyway notices nothing


@cache
def _keeping(modules: int) -> list[Any]:
    """The functions of the library that keep answers; looked for where a module is new."""
    gc.unfreeze()  # `tests/conftest.py` hides what was there when the tests were collected
    kept = [o for o in gc.get_objects() if type(o) is _lru_cache_wrapper]
    gc.freeze()
    return [o for o in kept if str(getattr(o, "__module__", "")).startswith("lccmodel")]


def _write(file: str, tests: dict[str, tuple[float, set[Function]]]) -> None:
    names = sorted({f for _, reached in tests.values() for f in reached})
    number = {name: k for k, name in enumerate(names)}
    entry = {
        "file": file,
        "text": _text(file) if file else "",
        "functions": names,
        "tests": {
            test: [seconds, sorted(number[f] for f in reached)]
            for test, (seconds, reached) in tests.items()
        },
    }
    NOTES.parent.mkdir(exist_ok=True)
    with NOTES.open("a", encoding="utf-8") as notes:
        notes.write(json.dumps(entry) + "\n")


# -- reading them -------------------------------------------------------------------------


def _text(file: str) -> str:
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]


def _lines() -> list[dict[str, Any]]:
    if not NOTES.exists():
        return []
    return list(map(json.loads, NOTES.read_text(encoding="utf-8").splitlines()))


def _entries() -> dict[str, dict[str, Any]]:
    """The last notes of each file of tests that is still as it was."""
    found = {entry["file"]: entry for entry in _lines() if entry["file"]}
    return {
        file: entry
        for file, entry in found.items()
        if (ROOT / file).exists() and _text(file) == entry["text"]
    }


def missing() -> list[str]:
    """The files of tests without notes."""
    known = _entries()
    return [file for file in _test_files() if file not in known]


def _test_files() -> Iterator[str]:
    for place in PLACES:
        root = ROOT / place
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            name = str(path.relative_to(ROOT))
            text = path.read_text(encoding="utf-8") if path.suffix in (".py", ".md") else ""
            if name.startswith(("tests/mutation/", "tests/browser/", "docs/figures/")):
                continue
            is_tests = place == "tests" and path.match("test_*.py")
            if is_tests or (place != "tests" and ">>> " in text):
                yield name


class Reach:
    """The notes, the other way round: the tests of a function, of a kernel, of a module."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: dict[Function, set[str]] = defaultdict(set)
        collected = (entry["functions"] for entry in _lines() if not entry["file"])
        self.early: set[Function] = {(path, name) for names in collected for path, name in names}
        for entry in _entries().values():
            names = [(path, name) for path, name in entry["functions"]]
            for test, (seconds, reached) in entry["tests"].items():
                self.seconds[test] = seconds
                for k in reached:
                    self.tests[names[k]].add(test)

    def add_kernels(self) -> None:
        """Kernels are met by the tests of what names them, kernels too, and by those that do."""
        for path in sorted((ROOT / "lccmodel").rglob("*.py")):
            if path.stem != "__main__":
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        callers: dict[Function, set[Function]] = defaultdict(set)
        for function in _functions():
            for named in _named(function):
                if _key(named) not in self.tests:
                    callers[_key(named)].add(_key(function))
        direct = self._naming(set(callers))
        for kernel in callers:
            seen, waiting = {kernel}, [kernel]
            while waiting:
                direct[kernel] |= direct[one := waiting.pop()]
                waiting += (new := (callers[one] & callers.keys()) - seen)
                seen |= new
                for caller in callers[one] - callers.keys():
                    direct[kernel] |= self.tests.get(caller, set())
        self.tests |= direct

    def _naming(self, kernels: set[Function]) -> dict[Function, set[str]]:
        """The tests that name kernels."""
        found: dict[Function, set[str]] = defaultdict(set)
        of_files: dict[str, list[str]] = defaultdict(list)
        for test in self.seconds:
            of_files[test.split("::")[0]].append(test)
        for file, tests in of_files.items():
            named = _named_by_tests(file) if file.endswith(".py") else {}
            for test in tests:
                for kernel in named.get(test.split("[")[0].split("::")[-1], set()) & kernels:
                    found[kernel].add(test)
        return found

    def is_early(self, module: str, function: str) -> bool:
        """Whether a function ran while tests were collected."""
        parts = function.split(".")
        return any((module, ".".join(parts[:k])) in self.early for k in range(1, len(parts) + 1))

    def of(self, module: str, function: str) -> set[str]:
        """The tests that run through a function, or through the one that it stands in."""
        parts = function.split(".")
        for size in range(len(parts), 0, -1):
            found = self.tests.get((module, ".".join(parts[:size])))
            if found:
                return found
        return {test for (path, _), tests in self.tests.items() if path == module for test in tests}


def _functions() -> list[FunctionType]:
    return [o for o in gc.get_objects() if type(o) is FunctionType and _is_ours(o)]


def _is_ours(function: FunctionType) -> bool:
    return function.__code__.co_filename.startswith(str(ROOT / "lccmodel"))


def _key(function: FunctionType) -> Function:
    path = str(Path(function.__code__.co_filename).relative_to(ROOT))
    return path, function.__qualname__.split(".<locals>")[0]


def _named(function: FunctionType) -> Iterator[FunctionType]:
    """Functions of the library that a function names, itself or as a part of a module."""
    names, codes = set(), [function.__code__]
    while codes:
        code = codes.pop()
        names |= set(code.co_names)
        codes += [c for c in code.co_consts if isinstance(c, CodeType)]
    dotted = {name for name in names if name.split(".")[0] == "lccmodel"}  # imported within it
    modules = [sys.modules.get(name) for name in dotted]
    modules += [sys.modules.get(f"{name}.{part}") for name in dotted for part in names]
    modules += [function.__globals__.get(name) for name in names]
    scopes = [function.__globals__]
    scopes += [vars(m) for m in modules if isinstance(m, ModuleType) and "lccmodel" in m.__name__]
    for scope in scopes:
        for name in names & scope.keys():
            found = getattr(scope[name], "py_func", scope[name])
            if isinstance(found, FunctionType) and _is_ours(found):
                yield found


def _named_by_tests(file: str) -> dict[str, set[Function]]:
    """What the functions of a file of tests name of the library, themselves or by each other."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    modules: dict[str, str] = {}
    imported: dict[str, Function] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("lccmodel"):
            path = str(node.module).replace(".", "/")
            for name in node.names:
                modules[name.asname or name.name] = f"{path}/{name.name}.py"
                imported[name.asname or name.name] = (f"{path}.py", name.name)
    bodies = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    named: dict[str, set[Function]] = {}
    others: dict[str, set[str]] = {}
    for name, body in bodies.items():
        plain = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
        named[name] = {imported[one] for one in plain & imported.keys()}
        named[name] |= {
            (modules[node.value.id], node.attr)
            for node in ast.walk(body)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if node.value.id in modules
        }
        others[name] = (plain & bodies.keys()) - {name}
    for name in bodies:
        seen, waiting = {name}, [name]
        while waiting:
            for other in others[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
                named[name] |= named[other]
    return named


def main() -> int:
    """Run the files of tests that have no notes yet, some at a time: a stop loses little."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.reach", description=__doc__)
    parser.add_argument("--part", default="1/1")
    part, parts = map(int, parser.parse_args().part.split("/"))
    files = missing()[part - 1 :: parts]
    for k in range(0, len(files), 40):
        command = [sys.executable, "-m", "tests.mutation.reach", "--these", *files[k : k + 40]]
        subprocess.run(command, cwd=ROOT, check=False)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--these"]:
        sys.exit(pytest.main([*CHOSEN, *sys.argv[2:]], [Notes()]))
    sys.exit(main())
