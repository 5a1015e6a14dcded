"""`python -m tests.mutation`: put faults into the modules that compute, and see which tests notice.

Own tool: mutmut leaves decorated functions (all kernels) alone and wraps the others so that numba
cannot compile their callers; cosmic-ray edits the files in place and knows one test command for
all modules; mutatest needs a coverage from before Python 3.11.

A mutant lives in one child process (`running`), which runs the tests that reach its function
(`reach`). Which modules compute, and why the others do not, says `targets.toml`. Results are
appended to a file, so a run that was stopped goes on. What takes long is put off, and gets the
whole limit of time at the end. Kernels are keyed by what is compiled into them, so no mutant meets
another's machine code.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import random
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.reach import Reach, missing
from tests.mutation.running import (
    BUDGET,
    QUICKLY,
    ROOT,
    Controls,
    chosen,
    in_session,
    noticed_by,
    slow_tests,
    swaps,
)

HERE = Path(__file__).parent


def targets() -> list[str]:
    """The modules that compute: all but those that are left out with a reason."""
    every = (path.relative_to(ROOT) for path in sorted((ROOT / "lccmodel").rglob("*.py")))
    return [str(p) for p in every if not any(fnmatch.fnmatchcase(str(p), o) for o in left_out())]


def left_out() -> dict[str, str]:
    """Patterns of modules, each with the reason."""
    return dict(tomllib.loads((HERE / "targets.toml").read_text(encoding="utf-8"))["left_out"])


def equivalents() -> dict[str, str]:
    """The mutants that compute the same, each with the reason."""
    found = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    return {entry["mutant"]: entry["reason"] for entry in found["equivalent"]}


def everything() -> list[Mutant]:
    """All mutants of all modules that compute."""
    return [mutant for module in targets() for mutant in mutants_of(ROOT / module, module)]


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
    alive = [
        key
        for key, outcome in results.items()
        if outcome.startswith("survived") and key not in equal
    ]
    return "\n".join([*lines, *(f"survived: {key}" for key in alive)])


def main() -> int:
    """Run a sample, print what survived; exit code 1 below 95 %."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="size of the random sample")
    parser.add_argument("--seed", type=int, default=12, help="of the sample")
    parser.add_argument("--only", default="*", help="pattern of 'module | function | line | …'")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "mutants.jsonl")
    parser.add_argument("--part", default="1/1", help="2/3: the second of three runs side by side")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tests a mutant")
    parser.add_argument("--again", action="store_true", help="run survivors once more")
    parser.add_argument("--slow", action="store_true", help="survivors meet slow tests and bridges")
    options = parser.parse_args()
    sample = [m for m in everything() if fnmatch.fnmatchcase(m.key, options.only)]
    random.Random(options.seed).shuffle(sample)
    part, parts = map(int, options.part.split("/"))
    sample = sample[: options.count][part - 1 :: parts]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    known = _known(options.results)
    if options.again:
        known = {key: outcome for key, outcome in known.items() if "survived" not in outcome}
    equal = equivalents()
    waiting = [m for m in sample if m.key not in known and m.key not in equal]
    before = time.monotonic()

    def done(mutant: Mutant, outcome: str) -> None:
        nonlocal before
        seconds, before = round(time.monotonic() - before, 1), time.monotonic()
        line = {"mutant": mutant.key, "outcome": outcome, "seconds": seconds}
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{outcome} {seconds} s: {mutant.key}", flush=True)

    def settled(mutant: Mutant, outcome: str) -> None:
        if outcome != "killed (time)":
            done(mutant, outcome)

    if missing():
        print(f"{len(missing())} files of tests are not known: python -m tests.mutation.reach")
    reach = Reach()
    inside = [m for m in waiting if swaps(m) is not None]
    in_session(inside, reach, options.budget, settled, QUICKLY)
    outcomes = _known(options.results)
    early = [m for m in inside if reach.is_early(m.module, m.function)]
    early = [m for m in early if outcomes.get(m.key) == "survived"]
    controls = Controls()
    for mutant in [*(m for m in waiting if m not in inside), *early]:
        tests = chosen(reach, mutant, options.budget / 2)
        done(mutant, noticed_by(mutant, tests, 200, controls))
    known = _known(options.results)
    in_session([m for m in inside if m.key not in known], reach, options.budget, done)
    known = _known(options.results)
    if options.slow:
        for mutant in [m for m in sample if "survived" in known.get(m.key, "")]:
            done(mutant, noticed_by(mutant, slow_tests(mutant), 900, controls, "slow"))
        known = _known(options.results)
    kept = {m.key: "equivalent" if m.key in equal else known[m.key] for m in sample}
    text = report(dict(sorted(kept.items())), equal)
    print(text)
    return int("survived:" in text and float(text.split(" %")[0].split("\n")[-1]) < 95)


def _known(path: Path) -> dict[str, str]:
    """The outcomes of earlier runs; the last of one mutant counts."""
    if not path.exists():
        return {}
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {entry["mutant"]: entry["outcome"] for entry in entries}


if __name__ == "__main__":
    sys.exit(main())
