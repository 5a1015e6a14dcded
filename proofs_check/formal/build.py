"""Build the machine-checked theorems: `make proofs`, or `python build.py` with any Python ≥ 3.11.

Installs the prover where apt and root are at hand, compiles the files of `FILES` in order, asks the
prover for the statement and the assumptions of every theorem, and fails if one rests on anything.
Then `theorems.json`, and what the executable models of the lattice (`evaluated.txt`) and of
LCP_Optimizer (`optimized.txt`) compute, are written anew; if they differ from the committed ones
the build fails, so that a change has to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
FILES = ["kernel", "lattice", "reordering", "ecube", "lcp_optimizer", "origin", "linear"]
FILES += ["exchanges", "gauss_jordan", "counting", "free", "hl", "programme", "blocks"]
FILES += ["embedding", "executable", "lcp_executable"]
EVALUATED = {"evaluated": range(4), "optimized": range(1, 4)}
PACKAGES = ["coq", "libcoq-mathcomp-algebra"]
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort)\b")
THEOREM = re.compile(r"(?:\(\*\* Claims: ([^*]*)\. \*\)\n)?^Theorem (\w+)", re.MULTILINE)
HOW = (
    "the prover is missing: Debian `apt-get install coq libcoq-mathcomp-algebra`, "
    "opam `opam install coq.8.16.1 coq-mathcomp-algebra.1.15.0`, "
    "nix `nix-shell -p coq_8_16 coqPackages_8_16.mathcomp`"
)


def main() -> int:
    """Everything, in order; 0 if all is proved and nothing differs."""
    if not _prover():
        return _complain(HOW)
    sources = {name: (HERE / f"{name}.v").read_text(encoding="utf-8") for name in FILES}
    for name, text in sources.items():
        found = FORBIDDEN.search(re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL))
        if found:
            return _complain(f"{name}.v: {found.group()} is not a proof")
    for name in FILES:
        began = time.monotonic()
        built = _coq(f"{name}.v")
        if built.returncode:
            return _complain(f"{name}.v does not compile\n{built.stdout}{built.stderr}")
        print(f"proofs: {name}.v in {time.monotonic() - began:.1f} s", flush=True)
    theorems = [
        {"name": match[2], "file": f"{name}.v", "claims": _words(match[1])}
        for name, text in sources.items()
        for match in THEOREM.finditer(text)
    ]
    problem = _ask(theorems)
    if problem:
        return _complain(problem)
    print(f"proofs: {len(theorems)} theorems, every one closed under the global context")
    order = ("name", "statement", "file", "claims", "assumptions")
    listed = [{key: theorem[key] for key in order} for theorem in theorems]
    evaluated = {f"{name}.txt": _evaluated(name, sizes) for name, sizes in EVALUATED.items()}
    changed = _replace("theorems.json", json.dumps(listed, ensure_ascii=False, indent=2) + "\n")
    for name, text in evaluated.items():
        changed += _replace(name, text)
    return _complain(f"written anew: {', '.join(changed)}; look at them") if changed else 0


def _prover() -> bool:
    if shutil.which("coqc") is None and shutil.which("apt-get") and os.geteuid() == 0:
        print("proofs: installing the prover", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *PACKAGES]
        for command in (["apt-get", "update", "-qq"], install):
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    return shutil.which("coqc") is not None


def _coq(file: str) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-q", "-w", "none", "-Q", ".", "lcc", file]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)


def _words(claims: str | None) -> list[str]:
    return [claim.strip() for claim in claims.split(",")] if claims else []


def _ask(theorems: list[dict[str, object]]) -> str | None:
    """Fill in statements and assumptions as the prover prints them; the first problem, if any."""
    lines = ["From mathcomp Require Import all_ssreflect all_fingroup all_algebra."]
    lines += [f"From lcc Require Import {' '.join(FILES)}.", "Set Printing Width 96."]
    for theorem in theorems:
        lines += [f"Check {theorem['name']}.", f"Print Assumptions {theorem['name']}."]
    answer = _answer(lines)
    if answer.returncode:
        return answer.stderr
    closed = "Closed under the global context\n"
    parts = answer.stdout.split(closed)
    for theorem, part in zip(theorems, parts, strict=False):
        head, _, statement = part.partition("\n     : ")
        if head.strip() != theorem["name"]:
            return f"{theorem['name']} rests on something unproved:\n{part}"
        theorem["statement"] = re.sub(r"\s+", " ", statement).strip()
        theorem["assumptions"] = []
    return None if len(parts) == len(theorems) + 1 else f"unproved: {parts[-1]}"


def _evaluated(program: str, sizes: range) -> str:
    """What an executable model computes: for every matrix a line of n and digits, or - for none."""
    began = time.monotonic()
    lines = [
        "From Coq Require Import String.",
        "From lcc Require Import executable lcp_executable.",
        "Open Scope string_scope.",
        "Set Printing Width 1000000.",
        "Set Printing Depth 1000000.",
    ]
    lines += [f"Eval vm_compute in {program} {n}." for n in sizes]
    answers = _answer(lines).stdout.split("     = ")[1:]
    text = "".join(
        f"{n} {digits or '-'}\n"
        for n, answer in zip(sizes, answers, strict=True)
        for digits in re.findall(r'"(\d*)"', answer)
    )
    print(f"proofs: {program} for n <= {sizes[-1]} in {time.monotonic() - began:.1f} s")
    return text


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
