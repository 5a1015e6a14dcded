"""`python -m tests.mutation`: put faults into the formula modules, and see which tests notice.

Own tool: mutmut leaves decorated functions (all kernels) alone and wraps the others so that numba
cannot compile their callers; cosmic-ray edits the files in place and knows one test command for
all modules; mutatest needs a coverage from before Python 3.11.

A mutant lives in one child process, which imports the changed text in place of the file and runs
the tests that `targets.toml` names for the module: nothing on disk is touched. Results are
appended to a file, so a run that was stopped goes on. Kernels are keyed by what is compiled
into them, so no mutant meets another's machine code.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from tests.mutation.mutants import Mutant, mutants_of, mutated

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MEMORY = 6 << 30
UNUSED = 99
"""Exit code of a child whose tests never imported the mutant: nothing was tried."""
CPU_SECONDS = 120
"""No test file of a formula module needs as long: a mutant that does runs for ever."""


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
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
        phases = [Phase.explicit, Phase.generate]  # an example will do: it need not be the least
        settings.register_profile("mutants", settings.get_profile("lccmodel"), phases=phases)
        settings.load_profile("mutants")


def targets() -> dict[str, list[str]]:
    """The tests of every formula module."""
    return tomllib.loads((HERE / "targets.toml").read_text(encoding="utf-8"))["tests"]


def equivalents() -> dict[str, str]:
    """The mutants that compute the same, each with the reason."""
    found = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    return {entry["mutant"]: entry["reason"] for entry in found["equivalent"]}


def everything() -> list[Mutant]:
    """All mutants of all formula modules."""
    return [mutant for module in targets() for mutant in mutants_of(ROOT / module, module)]


def noticed_by(module: str, tests: Sequence[str], mutant: Mutant | None) -> str:
    """`killed`, `survived`, or `killed (time)`, of one mutant; of None: the tests as they are."""
    child = os.fork()
    if child == 0:
        os._exit(_run_tests(module, tests, mutant))
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os.killpg(child, signal.SIGKILL)
        raise
    if os.WIFSIGNALED(status):
        return "killed (time)" if os.WTERMSIG(status) == signal.SIGXCPU else "killed (crash)"
    code = os.WEXITSTATUS(status)
    return "unused" if code == UNUSED else "killed" if code else "survived"


def _run_tests(module: str, tests: Sequence[str], mutant: Mutant | None) -> int:
    os.setpgrp()  # not a session of its own: the child keeps the priority of the run
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 10))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    plugins = []
    if mutant is not None:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        path = ROOT / module
        tree = mutated(path.read_text(encoding="utf-8"), mutant)
        plugins = [_Changed(module.removesuffix(".py").replace("/", "."), path, tree)]

        from lccmodel._kernel_cache import KernelCache  # not before: it belongs to the library

        KernelCache.save_overload = lambda *_: None  # no mutant's code on disk
    chosen = ["-x", "-q", "-m", "not slow", "-W", "ignore", "-p", "no:cacheprovider"]
    chosen += ["-p", "no:nbmake"]  # takes seconds to load
    files = [str(ROOT / name) for name in (*tests, module)]
    code = int(pytest.main([*chosen, *files], plugins))
    return UNUSED if plugins and not plugins[0].used else code


def report(results: dict[str, str], equal: dict[str, str]) -> str:
    """The figures of a run, one line a module, and the survivors."""
    counts: dict[str, Counter[str]] = {}
    for key, outcome in results.items():
        kind = "equivalent" if key in equal else outcome.split()[0]
        counts.setdefault(key.split(" | ")[0], Counter())[kind] += 1
    counts["all"] = sum(counts.values(), Counter[str]())
    lines = ["| module | mutants | killed | survived | equivalent |", "|---|---|---|---|---|"]
    for module, found in counts.items():
        numbers = (found.total(), found["killed"], found["survived"], found["equivalent"])
        lines.append(f"| {module} | {' | '.join(map(str, numbers))} |")
    real = counts["all"]["killed"] + counts["all"]["survived"]
    share = 100 * counts["all"]["killed"] / max(real, 1)
    lines.append(f"\n{share:.1f} % of the {real} mutants that are not equivalent are killed.")
    alive = [key for key, outcome in results.items() if outcome == "survived" and key not in equal]
    return "\n".join([*lines, *(f"survived: {key}" for key in alive)])


def main() -> int:
    """Run a sample, print what survived; exit code 1 below 95 %."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="size of the random sample")
    parser.add_argument("--seed", type=int, default=12, help="of the sample")
    parser.add_argument("--only", default="*", help="pattern of 'module | function | line | …'")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "mutants.jsonl")
    parser.add_argument("--part", default="1/1", help="2/3: the second of three runs side by side")
    parser.add_argument("--again", action="store_true", help="run survivors once more")
    options = parser.parse_args()
    chosen = [m for m in everything() if fnmatch.fnmatchcase(m.key, options.only)]
    random.Random(options.seed).shuffle(chosen)
    part, parts = map(int, options.part.split("/"))
    chosen = chosen[: options.count][part - 1 :: parts]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    known = _known(options.results)
    if options.again:
        known = {key: outcome for key, outcome in known.items() if outcome != "survived"}
    import networkx  # noqa: F401 - here, so that the children need not load them again
    import numba  # noqa: F401
    import sympy  # noqa: F401

    equal = equivalents()
    for k, mutant in enumerate(chosen):
        if mutant.key in known or mutant.key in equal:
            continue
        started = time.monotonic()
        outcome = known[mutant.key] = noticed_by(mutant.module, targets()[mutant.module], mutant)
        seconds = round(time.monotonic() - started, 1)
        line = {"mutant": mutant.key, "outcome": outcome, "seconds": seconds}
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{k + 1}/{len(chosen)} {outcome} {seconds} s: {mutant.key}", flush=True)
    _tests_pass_without_faults({m.module for m in chosen}, known)
    kept = {m.key: known.get(m.key, "equivalent") for m in chosen}
    text = report(dict(sorted(kept.items())), equal)
    print(text)
    return int("survived:" in text and float(text.split(" %")[0].split("\n")[-1]) < 95)


def _tests_pass_without_faults(modules: set[str], known: dict[str, str]) -> None:
    """The control: tests that fail anyway kill everything. A survivor shows that they pass."""
    alive = {key.split(" | ")[0] for key, outcome in known.items() if outcome == "survived"}
    for module in sorted(modules - alive):
        if noticed_by(module, targets()[module], None) != "survived":
            raise SystemExit(f"{module}: its tests fail without a fault")


def _known(path: Path) -> dict[str, str]:
    """The outcomes of earlier runs; the last of one mutant counts."""
    if not path.exists():
        return {}
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {entry["mutant"]: entry["outcome"] for entry in entries}


if __name__ == "__main__":
    sys.exit(main())
