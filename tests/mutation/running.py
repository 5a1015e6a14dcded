"""One mutant in one child process: which of the tests that run through it notices it.

Most faults stand inside a function. The tests are collected once, in a process that has loaded the
library, compiled a first kernel and tried a first example; a child that is forked then only takes
the changed code for that of the function that is loaded (a kernel is compiled from it when a test
first calls it), and runs the tests that reach the function (`reach`), the quickest and closest
first, until one fails. A fault of a module or class body is there when the module is imported: the
child begins before that, and imports the changed text in place of the file. Nothing on disk is
touched either way.

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
import json
import os
import resource
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numba.core.registry import CPUDispatcher

from tests.mutation.mutants import Mutant, mutated
from tests.mutation.reach import FAST, Reach

ROOT = Path(__file__).parent.parent.parent
MEMORY = 6 << 30
UNUSED = 99
"""Exit code of a child whose tests never loaded the mutant: nothing was tried."""
PATIENCE = 4, 40
"""Processor time of a mutant, as a multiple of its tests' and seconds for compiling: a mutant that
needs more runs for ever."""
QUICKLY = 1.5, 12
"""Nearly every mutant is settled by then; the others are tried again when all have had a turn."""
WALL_SECONDS = 1200
"""A mutant that waits for ever uses no processor time."""
BUDGET = 30.0
"""Processor time of the tests that a mutant meets, as they took without it."""
QUIETLY = [
    "-q",
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


Run = Callable[[list[str], bool], tuple[str, str]]
"""Tests, with the fault or without: the outcome, and the test that failed."""


class _Profile:
    """An example that fails will do: it need not be the least."""

    def pytest_sessionstart(self) -> None:
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings.default, phases=phases)
        settings.load_profile("mutants")


# -- the tests of a mutant ----------------------------------------------------------------


def chosen(reach: Reach, mutant: Mutant, budget: float = BUDGET) -> list[str]:
    """The tests that reach a mutant: many different ones, the close and quick ones first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for test in reach.of(mutant.module, mutant.function):
        groups[test.split("[")[0]].append(test)
    package = "tests" + mutant.module.removeprefix("lccmodel").rsplit("/", 1)[0]
    cost: dict[str, float] = {}
    for name, tests in groups.items():
        own = name.startswith(mutant.module)
        distance = 0.1 if own else 0.3 if name.startswith(package) else 1.0
        for k, test in enumerate(sorted(tests, key=lambda test: reach.seconds[test])):
            cost[test] = (reach.seconds[test] + 0.01) * distance * (k + 1)
    found, spent = [], 0.0
    for test in sorted(cost, key=lambda test: (cost[test], test)):
        if spent + reach.seconds[test] <= budget or not found:
            found.append(test)
            spent += reach.seconds[test]
    return found


def slow_tests(mutant: Mutant) -> list[str]:
    """Those of its package, and the claims that tie the library's answers to the checker's."""
    folder = Path("tests", *Path(mutant.module).parts[1:-1])
    claims = (
        "tests/proofs_check/test_verdicts.py::test_a_claim_settles_as_kept_as_far_as_it_declares"
    )
    records = json.loads((ROOT / "proofs_check/data/verdicts.json").read_text(encoding="utf-8"))
    own = [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("test_*.py"))]
    marked = [test for test in own if "pytest.mark.slow" in (ROOT / test).read_text()]
    bridges = (one["id"] for one in records if one["id"].startswith("library."))
    return [*marked, *(f"{claims}[{name}]" for name in bridges)]


# -- a child ------------------------------------------------------------------------------


def _outcome(work: Callable[[], int], seconds: int) -> str:
    """What becomes of a child in so much processor time: its exit code in words."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgrp()  # not a session of its own: the child keeps the priority of the run
            signal.alarm(WALL_SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]  # tests have limits of their own
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
            code = work()
        finally:
            os._exit(code)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os.killpg(child, signal.SIGKILL)
        raise
    if os.WIFSIGNALED(status):
        late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
        return "killed (time)" if late else "killed (crash)"
    code = os.WEXITSTATUS(status)
    return "survived (unmet)" if code == UNUSED else "killed" if code else "survived"


def _told(work: Callable[[int], int], seconds: int) -> tuple[str, str]:
    """The outcome of a child, and what it writes: the test that failed."""
    reading, writing = os.pipe()
    outcome = _outcome(lambda: work(writing), seconds)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return outcome, pipe.read()


def _as_a_mutant(changed: bool) -> None:
    """Say nothing, and leave no machine code of a mutant on disk; a control's is right."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    if changed:
        from lccmodel.kernels.cache import KernelCache  # not before: it belongs to the library

        KernelCache.save_overload = lambda *_: None


class Controls:
    """A test notices a mutant only if it passes without: tried once a test, when it first fails."""

    def __init__(self) -> None:
        self.trusted: set[str] = set()
        self.distrusted: set[str] = set()

    def outcome(self, names: list[str], run: Run) -> tuple[str, str]:
        """What becomes of a mutant, and the test that notices it."""
        names = [name for name in names if not self.distrusted & _holding(name)]
        while names:
            found, killer = run(names, True)
            if found != "killed" or killer in self.trusted:
                return found, killer
            own = [name for name in names if killer in _holding(name)] or names
            if run(names[: names.index(own[-1]) + 1], False)[0] == "survived":
                self.trusted.add(killer)
                return found, killer
            self.distrusted.update(own)
            names = [name for name in names if name not in own]
        return "survived (unmet)", ""


def _holding(test: str) -> set[str]:
    """A test, and the file that it stands in: one that cannot be collected fails as a whole."""
    return {test, test.split("::")[0]}


# -- by its text --------------------------------------------------------------------------


class _Changed(_Profile, importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree instead of its file; notes what fails first."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree
        self.used, self.failed = False, ""
        sys.meta_path.insert(0, self)  # before any conftest loads the library

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def exec_module(self, module: Any) -> None:
        self.used = True
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)

    def pytest_sessionstart(self) -> None:
        """Stand before pytest's own importer, which takes the files that it is given."""
        sys.meta_path.remove(self)
        sys.meta_path.insert(0, self)
        super().pytest_sessionstart()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def noticed_by(
    mutant: Mutant,
    tests: Sequence[str],
    seconds: int,
    controls: Controls,
    which: str = FAST,
) -> str:
    """`killed`, `survived`, or `killed (time)`, of one mutant that is imported by its text."""
    path = ROOT / mutant.module
    trees = {True: _tree(mutant), False: ast.parse(path.read_text(encoding="utf-8"))}

    def run(names: list[str], changed: bool) -> tuple[str, str]:
        def work(told: int) -> int:
            _as_a_mutant(changed)
            for name in [name for name in sys.modules if name.split(".")[0] == "lccmodel"]:
                del sys.modules[name]
            finder = _Changed(_dotted(mutant.module), path, trees[changed])
            asked = ["-x", *QUIETLY, "-m", which, *(str(ROOT / test) for test in names)]
            code = pytest.main(asked, [finder])
            os.write(told, finder.failed.encode())
            return int(code) if finder.used else UNUSED

        return _told(work, seconds)

    return controls.outcome(list(tests), run)[0]


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


class _Loaded:
    """The functions of the library that are loaded, by where they stand.

    What they answered while the tests were collected is forgotten, and what was compiled for it.
    """

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        gc.unfreeze()  # `tests/conftest.py` hides what was there when the tests were collected
        for value in gc.get_objects():
            if type(value) is FunctionType:
                self.functions[_place(value.__code__)].append(value)
            elif type(value) is _lru_cache_wrapper and "lccmodel" in str(value.__module__):
                value.cache_clear()
            elif type(value) is CPUDispatcher:
                value._reset_overloads()
        gc.freeze()

    def swap(self, codes: Iterable[CodeType]) -> int:
        """Give loaded functions their changed code; how many were found."""
        done = 0
        for code in codes:
            for function in self.functions.get(_place(code), ()):
                function.__code__ = code
                done += 1
        return done


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


class _Session(_Profile):
    """Collects the tests of all mutants, and runs those of each mutant in a child."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        reach: Reach,
        budget: float,
        done: Callable[[Mutant, str], None],
        patience: tuple[float, int],
    ) -> None:
        self.mutants, self.reach, self.done, self.patience = mutants, reach, done, patience
        self.tests = {mutant: chosen(reach, mutant, budget) for mutant in mutants}
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)
        self.controls = Controls()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        session.testsfailed = 0  # files that could not be collected are no failures of mutants
        for mutant in self.mutants:
            importlib.import_module(_dotted(mutant.module))
        _warm_up()
        self.loaded = _Loaded()
        for mutant in self.mutants:
            self._try(session, mutant)
        return True

    def _try(self, session: pytest.Session, mutant: Mutant) -> None:
        codes = swaps(mutant)
        known = self.killers[mutant.module]
        names = [t for t in self.tests[mutant] if t in self.items]
        names.sort(key=lambda test: -known[test])
        outcome, killer = self.controls.outcome(
            names, lambda tests, changed: self._run(session, tests, codes if changed else None)
        )
        known[killer] += 1
        self.done(mutant, outcome)

    def _run(
        self, session: pytest.Session, names: list[str], codes: list[CodeType] | None
    ) -> tuple[str, str]:
        """The outcome of tests with changed functions (None: as they are), and which one failed."""
        items = [self.items[name] for name in names]

        def run(told: int) -> int:
            _as_a_mutant(codes is not None)
            if codes is not None and not (items and self.loaded.swap(codes)):
                return UNUSED
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    os.write(told, item.nodeid.encode())
                    return 1
            return 0

        factor, more = self.patience if codes is not None else PATIENCE
        return _told(run, int(factor * sum(self.reach.seconds[name] for name in names)) + more)


def _warm_up() -> None:
    """What every child would else do first: load the compiler, and what draws examples."""
    import numba
    import numpy as np

    numba.njit(lambda numbers: numbers[0] + 1)(np.zeros(2, np.uint64))

    @given(st.lists(st.integers()), st.text())
    @settings(max_examples=1)
    def example(numbers: list[int], text: str) -> None:
        pass

    example()


def in_session(
    mutants: Sequence[Mutant],
    reach: Reach,
    budget: float,
    done: Callable[[Mutant, str], None],
    patience: tuple[float, int] = PATIENCE,
) -> None:
    """Run mutants that change functions, one after the other; `done` takes each outcome.

    In a process of its own, so that the caller has not loaded the library.
    """
    child = os.fork() if mutants else -1
    if child == 0:
        for mutant in mutants:
            importlib.import_module(_dotted(mutant.module))
        reach.add_kernels()
        session = _Session(mutants, reach, budget, done, patience)
        files = {test.split("::")[0] for tests in session.tests.values() for test in tests}
        paths = [str(ROOT / file) for file in sorted(files)]
        os._exit(int(pytest.main(["-s", *QUIETLY, "-m", FAST, *paths], [session])))
    if child > 0 and os.waitpid(child, 0)[1]:
        raise SystemExit("the tests of the mutants could not be collected, or were stopped")


def _tree(mutant: Mutant) -> ast.Module:
    return mutated((ROOT / mutant.module).read_text(encoding="utf-8"), mutant)


def _dotted(module: str) -> str:
    return module.removesuffix(".py").replace("/", ".")
