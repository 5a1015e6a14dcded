"""Build the machine-checked theorems: `make proofs`, or `python build.py` with any Python ≥ 3.11.

Installs the prover where apt and root are at hand, compiles the files of `FILES` in order, asks the
prover for the assumptions of every theorem, has its independent checker go through all that was
compiled, and fails if anything is assumed. Then every theorem as it is written (`theorems.json`),
every definition that one of them reaches (`definitions.json`), what the executable models compute
(`EVALUATED`), and two proved programs in OCaml (`checker.ml`) are written anew; if they differ from
the committed ones the build fails, so that a change has to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
if TYPE_CHECKING:
    from proofs_check.formal.sources import Definition, Theorem, reached, read
else:  # a script with its neighbour, without the package
    sys.path.insert(0, str(HERE))
    from sources import Definition, Theorem, reached, read

FILES = ["utility", "kernel", "lattice", "reordering", "ecube", "lcp_optimizer", "origin", "linear"]
FILES += ["exchanges", "gauss_jordan", "free", "sibeyn", "sibeyn_algorithm", "counting", "hl"]
FILES += ["greedy", "programme", "blocks", "symbolic", "fields"]
FILES += ["embedding", "line", "mesh", "schedules", "degree", "tasks", "fattree", "benes"]
FILES += ["factorizations", "executable", "programme_executable", "lcp_executable"]
FILES += ["line_executable", "certificate", "kernel_executable", "orders_executable"]
FILES += ["walks_executable", "mesh_executable", "collectives", "collectives_executable"]
EVALUATED = {
    "evaluated": ("executable", range(4)),
    "sets": ("programme_executable", range(1, 3)),
    "optimized": ("lcp_executable", range(1, 4)),
    "lines": ("line_executable", range(1, 4)),
    "kernels": ("kernel_executable", range(1, 3)),
    "ordered": ("orders_executable", range(1, 4)),
    "walked": ("walks_executable", range(1, 5)),
    "meshes": ("mesh_executable", range(1, 4)),
    "plans": ("collectives_executable", range(1, 5)),
}
"""The file of a program, and the sizes for which it is evaluated."""
EXTRACTED = ["run_check", "run_check_origin", "run_lcp_optimizer"]
PACKAGES = ["coq", "libcoq-mathcomp-algebra", "libcoq-mathcomp-zify"]
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort)\b")
HOW = (
    f"the prover is missing: Debian `apt-get install {' '.join(PACKAGES)}`, "
    "opam `opam install coq.8.16.1 coq-mathcomp-algebra.1.15.0 coq-mathcomp-zify`, "
    "nix `nix-shell -p coq_8_16 coqPackages_8_16.mathcomp coqPackages_8_16.mathcomp-zify`"
)


def main() -> int:
    """Everything, in order; 0 if all is proved and nothing differs."""
    if not _prover():
        return _complain(HOW)
    sources = {name: (HERE / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    for name, text in sources.items():
        forbidden = FORBIDDEN.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))
        if forbidden:
            return _complain(f"{name}.v: {forbidden.group()} is not a proof")
    theorems, definitions, problem = _contents(sources)
    if problem:
        return _complain(problem)
    for name in FILES:
        began = time.monotonic()
        built = _coq(f"{name}.v")
        if built.returncode:
            return _complain(f"{name}.v does not compile\n{built.stdout}{built.stderr}")
        print(f"proofs: {name}.v in {time.monotonic() - began:.1f} s", flush=True)
    problem = _ask(theorems)
    if problem:
        return _complain(problem)
    print(f"proofs: {len(theorems)} theorems, every one closed under the global context")
    with ThreadPoolExecutor() as pool:  # the checker on one core, what is evaluated on another
        checking = pool.submit(_checked)
        evaluated = {f"{name}.txt": _evaluated(name, *how) for name, how in EVALUATED.items()}
        problem = checking.result()
    if problem:
        return _complain(problem)
    changed = _replace("theorems.json", _listed(theorems))
    changed += _replace("definitions.json", _listed(definitions))
    evaluated["checker.ml"] = _extracted()
    for name, text in evaluated.items():
        changed += _replace(name, text)
    return _complain(f"written anew: {', '.join(changed)}; look at them") if changed else 0


def _installed() -> bool:
    """Whether the prover is there, with its library for arithmetic."""
    if shutil.which("coqc") is None:
        return False
    where = subprocess.run(["coqc", "-where"], capture_output=True, text=True, check=False).stdout
    return (Path(where.strip()) / "user-contrib" / "mathcomp" / "zify").is_dir()


def _prover() -> bool:
    if not _installed() and shutil.which("apt-get") and os.geteuid() == 0:
        print("proofs: installing the prover", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *PACKAGES]
        for command in (["apt-get", "update", "-qq"], install):
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    return _installed()


def _coq(file: str) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-q", "-w", "none", "-Q", ".", "lcc", file]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def _contents(sources: dict[str, str]) -> tuple[list[Theorem], list[Definition], str | None]:
    """Theorems, the definitions that they reach, and the first problem with these, if any."""
    files = [read(f"{name}.v", text) for name, text in sources.items()]
    theorems = [theorem for file in files for theorem in file.theorems]
    definitions = reached(theorems, [stated for file in files for stated in file.definitions])
    for name, file in zip(sources, files, strict=True):
        if file.trusted:
            return [], [], f"{name}.v: {file.trusted[0]} is neither proved nor a definition"
    for definition in definitions:
        if not definition.meaning:
            what = f"{definition.file}: the first comment does not say what {definition.name} means"
            return [], [], what
    return theorems, definitions, None


def _ask(theorems: list[Theorem]) -> str | None:
    """The first theorem that rests on something, as the prover sees it, if any does."""
    lines = [f"From lcc Require {' '.join(FILES)}."]
    for theorem in theorems:
        lines.append(f"Print Assumptions lcc.{theorem.file.removesuffix('.v')}.{theorem.name}.")
    answer = _answer(lines)
    if answer.returncode:
        return answer.stderr
    closed = "Closed under the global context\n"
    rest = answer.stdout
    for theorem in theorems:
        if not rest.startswith(closed):
            return f"{theorem.name} rests on something unproved:\n{rest}"
        rest = rest.removeprefix(closed)
    return f"unproved: {rest}" if rest else None


def _checked() -> str | None:
    """What the prover's independent checker finds assumed in the compiled files, if anything."""
    began = time.monotonic()
    command = ["coqchk", "-silent", "-o", "-Q", ".", "lcc"]
    command += [word for name in FILES for word in ("-norec", f"lcc.{name}")]
    compiled = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    output = compiled.stdout + compiled.stderr
    own = re.findall(r"^ +lcc\.\S+$", output, re.MULTILINE)
    if compiled.returncode or own or "type-in-type: <none>" not in output:
        return f"the independent checker does not accept all of it:\n{output}"
    print(
        f"proofs: all files checked independently in {time.monotonic() - began:.1f} s", flush=True
    )
    return None


def _listed(entries: list[Theorem] | list[Definition]) -> str:
    return json.dumps([asdict(x) for x in entries], ensure_ascii=False, indent=2) + "\n"


def _evaluated(program: str, file: str, sizes: range) -> str:
    """What an executable model computes: for every matrix a line of n and digits, or - for none."""
    began = time.monotonic()
    lines = [
        "From Coq Require Import String.",
        f"From lcc Require Import {file}.",
        "Open Scope string_scope.",
        "Set Printing Width 1000000.",
        "Set Printing Depth 1000000.",
    ]
    lines += [f"Eval vm_compute in {program} {n}." for n in sizes]
    answers = _answer(lines).stdout.split("     = ")[1:]
    assert "String" not in "".join(answers), f"{program} does not come out as digits"
    text = "".join(
        f"{n} {digits or '-'}\n"
        for n, answer in zip(sizes, answers, strict=True)
        for digits in re.findall(r'"(\d*)"', answer)
    )
    print(f"proofs: {program} for n <= {sizes[-1]} in {time.monotonic() - began:.1f} s")
    return text


def _extracted() -> str:
    """The proved programs as OCaml, for tests that run them."""
    lines = [
        "From lcc Require Import lcp_executable certificate.",
        "From Coq Require Import Extraction ExtrOcamlBasic.",
        "Extraction Language OCaml.",
        f"Recursive Extraction {' '.join(EXTRACTED)}.",
    ]
    return _answer(lines).stdout.strip() + "\n"


def _answer(lines: list[str]) -> subprocess.CompletedProcess[str]:
    """What the prover prints for these lines."""
    asked = HERE / "asked.v"
    asked.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return _coq("asked.v")
    finally:
        for left in (*HERE.glob("asked.*"), *HERE.glob(".asked.*")):
            left.unlink()


def _replace(name: str, text: str) -> list[str]:
    """Write a generated file; its name if it was different."""
    path = HERE / name
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return []
    path.write_text(text, encoding="utf-8")
    return [name]


def _complain(text: str) -> int:
    print(f"proofs: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
