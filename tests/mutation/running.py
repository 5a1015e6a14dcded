"""One mutant in one child process: which of the tests of its module notices it.

Most faults stand inside a function. The tests are collected once, and a child that is forked then
only takes the changed code for that of the function that is loaded (a kernel is compiled from it
when a test first calls it): the first failing test ends it, a tenth of a second later as a rule.
A fault of a module or class body is there when the module is imported: the child begins before
that, and imports the changed text in place of the file. Nothing on disk is touched either way.

    Optimum.deep    K = -(-gain * N // cost)    in the collected session, by its code
    counts.py       MAX_BITS = 24               in a session of its own, by its text
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.abc
import importlib.util
import inspect
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from hypothesis import Phase, settings

from tests.mutation.mutants import Mutant, mutated

ROOT = Path(__file__).parent.parent.parent
MEMORY = 6 << 30
UNUSED = 99
"""Exit code of a child whose tests never loaded the mutant: nothing was tried."""
CPU_SECONDS = 120
"""No test file of a formula module needs as long: a mutant that does runs for ever."""
QUICK_SECONDS = 20
"""Nearly every mutant is settled by then; the others are tried again when all have had a turn."""
QUIETLY = [
    "-q",
    "-m",
    "not slow",
    "-W",
    "ignore",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:nbmake",
    "-p",
    "no:faulthandler",
]
"""Without a plugin that takes seconds to load and that these tests do not use."""


class _Profile:
    """An example that fails will do: it need not be the least."""

    def pytest_sessionstart(self) -> None:
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings.default, phases=phases)
        settings.load_profile("mutants")


# -- a child ------------------------------------------------------------------------------


def _outcome(work: Callable[[], int], seconds: int = CPU_SECONDS) -> str:
    """What becomes of a child in so much processor time: its exit code in words."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgrp()  # not a session of its own: the child keeps the priority of the run
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            code = work()
        finally:
            os._exit(code)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os.killpg(child, signal.SIGKILL)
        raise
    if os.WIFSIGNALED(status):
        return "killed (time)" if os.WTERMSIG(status) == signal.SIGXCPU else "killed (crash)"
    code = os.WEXITSTATUS(status)
    return "unused" if code == UNUSED else "killed" if code else "survived"


def _as_a_mutant() -> None:
    """Say nothing, and leave no machine code of a mutant on disk."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)

    from lccmodel._kernel_cache import KernelCache  # not before: it belongs to the library

    KernelCache.save_overload = lambda *_: None


# -- by its text --------------------------------------------------------------------------


class _Changed(_Profile, importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree instead of its file."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree
        self.used = False

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: Any) -> None:
        self.used = True
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)

    def pytest_sessionstart(self) -> None:
        """Stand before pytest's own importer, which takes the files that it is given."""
        sys.meta_path.insert(0, self)
        super().pytest_sessionstart()


def noticed_by(module: str, tests: Sequence[str], mutant: Mutant | None) -> str:
    """`killed`, `survived`, or `killed (time)`, of one mutant; of None: the tests as they are."""

    def run() -> int:
        plugins: list[Any] = []
        if mutant is not None:
            _as_a_mutant()
            for name in [name for name in sys.modules if name.split(".")[0] == "lccmodel"]:
                del sys.modules[name]
            plugins = [_Changed(_dotted(module), ROOT / module, _tree(mutant))]
        files = [str(ROOT / name) for name in (*tests, module)]
        code = pytest.main(["-x", *QUIETLY, *files], plugins)
        return UNUSED if plugins and not plugins[0].used else int(code)

    return _outcome(run)


# -- by its code --------------------------------------------------------------------------


def swaps(mutant: Mutant) -> list[CodeType] | None:
    """The changed functions of a mutant; None if it changes the body of a module or class."""
    path = str(ROOT / mutant.module)
    source = Path(path).read_text(encoding="utf-8")
    pairs = [(compile(source, path, "exec"), compile(_tree(mutant), path, "exec"))]
    found = []
    while pairs:
        old, new = pairs.pop()
        if _body(old) != _body(new):
            return None
        for before, after in zip(_inner(old), _inner(new), strict=True):
            if not after.co_flags & inspect.CO_OPTIMIZED:
                pairs.append((before, after))
            elif before != after:
                found.append(after)
    return found


def _body(code: CodeType) -> tuple[Any, ...]:
    constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_code, code.co_names, [(type(c), c) for c in constants]


def _inner(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _swap(codes: Iterable[CodeType]) -> int:
    """Give loaded functions their changed code; how many were found."""
    named = {(c.co_filename, c.co_qualname, c.co_firstlineno): c for c in codes}
    done = 0
    gc.unfreeze()  # `tests/conftest.py` hides what was there when the tests were collected
    for function in [f for f in gc.get_objects() if isinstance(f, FunctionType)]:
        code = function.__code__
        changed = named.get((code.co_filename, code.co_qualname, code.co_firstlineno))
        if changed is not None:
            function.__code__ = changed
            done += 1
    return done


class _Session(_Profile):
    """Collects the tests of all mutants, and runs those of each mutant in a child."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        targets: dict[str, list[str]],
        done: Callable[[Mutant, str], None],
        seconds: int,
    ) -> None:
        self.mutants, self.targets, self.done, self.seconds = mutants, targets, done, seconds
        self.killers: dict[str, Counter[str]] = {module: Counter() for module in targets}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        by_file: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            by_file.setdefault(str(item.path.relative_to(ROOT)), []).append(item)
        for mutant in self.mutants:
            module = mutant.module
            importlib.import_module(_dotted(module))
            items = [i for f in (*self.targets[module], module) for i in by_file.get(f, ())]
            items.sort(key=lambda item: -self.killers[module][item.nodeid])
            self._try(session, mutant, items)
        return True

    def _try(self, session: pytest.Session, mutant: Mutant, items: list[pytest.Item]) -> None:
        reading, writing = os.pipe()

        def run() -> int:
            codes = swaps(mutant)
            _as_a_mutant()
            if not codes or not _swap(codes):
                return UNUSED
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    os.write(writing, item.nodeid.encode())
                    return 1
            return 0

        outcome = _outcome(run, self.seconds)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            killer = pipe.read()
        self.killers[mutant.module][killer] += 1
        self.done(mutant, outcome)


def in_session(
    mutants: Sequence[Mutant],
    targets: dict[str, list[str]],
    done: Callable[[Mutant, str], None],
    seconds: int = CPU_SECONDS,
) -> None:
    """Run mutants that change functions, one after the other; `done` takes each outcome.

    In a process of its own, so that the caller has not loaded the library.
    """
    files = {str(ROOT / f) for m in mutants for f in (*targets[m.module], m.module)}
    child = os.fork() if mutants else -1
    if child == 0:
        session = _Session(mutants, targets, done, seconds)
        os._exit(int(pytest.main(["-s", *QUIETLY, *sorted(files)], [session])))
    if child > 0 and os.waitpid(child, 0)[1]:
        raise SystemExit("the tests of the mutants could not be collected, or were stopped")


def _tree(mutant: Mutant) -> ast.Module:
    return mutated((ROOT / mutant.module).read_text(encoding="utf-8"), mutant)


def _dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")
