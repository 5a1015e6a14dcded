"""The lists of the mutation tool name what there is."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.__main__ import equivalents, left_out, targets
from tests.mutation.mutants import mutants_of
from tests.mutation.running import ROOT


def test_every_equivalent_is_a_mutant_with_a_reason() -> None:
    """A line that has changed since is another mutant, whose reason must be found anew."""
    for key, reason in equivalents().items():
        module = key.split(" | ")[0]
        assert module in targets()
        assert key in {mutant.key for mutant in mutants_of(ROOT / module, module)}
        assert len(reason.split()) > 5


def test_a_module_that_is_left_out_exists_and_has_a_reason() -> None:
    paths = [str(path.relative_to(ROOT)) for path in (ROOT / "lccmodel").rglob("*.py")]
    for pattern, reason in left_out().items():
        assert fnmatch.filter(paths, pattern), pattern
        assert reason
    assert len(targets()) > 200


@pytest.mark.slow
def test_a_fault_is_noticed(tmp_path: Path) -> None:
    """The tool in a process of its own, as it is run: a session that dies settles nothing."""
    fault = (
        "lccmodel/network/tree_loads.py | _widen | for i in range(row.size): | AugAssign dropped"
    )
    results = tmp_path / "results.jsonl"
    noted = ["reach", "--these", "tests/network/test_fattree.py"]
    for tool in (noted, ["__main__", "--only", f"{fault}*", "--results", str(results)]):
        command = [sys.executable, "-m", f"tests.mutation.{tool[0]}", *tool[1:]]
        subprocess.run(command, cwd=ROOT, check=True)
    (found,) = map(json.loads, results.read_text(encoding="utf-8").splitlines())
    assert (found["mutant"].startswith(fault), found["outcome"]) == (True, "killed")
