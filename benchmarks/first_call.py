"""How long every command of the README's table takes on its example, cold and warm.

    python -m benchmarks.first_call [WORD ...]        rows whose command has one of the words

Cold: a copy of the packages, compiled to bytecode as an installation is, without any machine code.
Warm: the same command once more. Times are CPU seconds of the command and its processes, the least
of the repeats, beside the kernels that the cold run left on disk. `examples/trace.csv` stands for
the files of the table.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
_MODULES = {"lccmodel": "lccmodel", "proofs-check": "proofs_check"}
_PROVED = "map matrix-transpose --network cube:8 --certificate proof.json"
_PACKAGES = ("lccmodel", "proofs_check")


@dataclass(frozen=True)
class Row:
    """CPU seconds of one command and the kernels that it compiled."""

    command: str
    cold: float
    warm: float
    kernels: int


def commands() -> list[str]:
    """Every command of the table "One question, one command"."""
    table = (ROOT / "docs" / "questions.md").read_text()
    table = table.partition("\n## ")[0]
    rows = re.findall(r"^\|.*\|$", table, flags=re.MULTILINE)
    return [
        command
        for row in rows
        for command in re.findall(r"`([^`]+)`", row)
        if command.split()[0] in _MODULES
    ]


def measured(chosen: list[str], warm_runs: int = 2) -> Iterator[Row]:
    """Each command in a folder with the files that the table names."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        code, work = place / "code", place / "work"
        for package in _PACKAGES:
            unwanted = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, code / package, ignore=unwanted)
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(code)], check=True)
        for command in chosen:
            shutil.rmtree(work, ignore_errors=True)
            _example_files(work, code)
            kernels = place / "kernels"
            shutil.rmtree(kernels, ignore_errors=True)
            cold = _seconds(command, work, code, kernels)
            kernel_files = len(list(kernels.rglob("*.nbc")))
            warm = min(_seconds(command, work, code, kernels) for _ in range(warm_runs))
            yield Row(command, cold, warm, kernel_files)


def _example_files(work: Path, code: Path) -> None:
    work.mkdir()
    shutil.copy(ROOT / "examples" / "trace.csv", work)
    (work / "machine.toml").write_text("[machine]\nalpha = 1.9\ntau = 0.0002\n")
    (work / "hosts").write_text("".join(f"node{k:02}\n" for k in range(64)))
    (work / "my-programs").mkdir()
    for name in ("trace.csv", "parallel_fft.toml"):
        shutil.copy(ROOT / "examples" / name, work / "my-programs")
    subprocess.run(
        [sys.executable, "-m", "lccmodel", *shlex.split(_PROVED)],
        cwd=work, env=os.environ | {"PYTHONPATH": str(code)}, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip


def _seconds(command: str, work: Path, code: Path, kernels: Path) -> float:
    """CPU seconds of the command; nothing is read from any other cache."""
    name, *arguments = shlex.split(command)
    settings = {"PYTHONPATH": str(code), "NUMBA_CACHE_DIR": str(kernels)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", _MODULES[name], *arguments],
        cwd=work, env=os.environ | settings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_call", description=__doc__)
    parser.add_argument("words", nargs="*", help="of the commands that are run")
    words = parser.parse_args().words
    chosen = [c for c in commands() if not words or any(word in c for word in words)]
    print("| command | cold | warm | kernels |\n| --- | --- | --- | --- |", flush=True)
    for row in measured(chosen):
        print(f"| `{row.command}` | {row.cold:.1f} | {row.warm:.1f} | {row.kernels} |", flush=True)


if __name__ == "__main__":
    main()
