"""The lists of the mutation tool name what there is, and what it counts as killed was noticed."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.mutation.__main__ import equivalents, left_out, targets
from tests.mutation.mutants import mutants_of
from tests.mutation.running import ROOT, Controls, noticed_by

pytestmark = pytest.mark.slow  # about the tool, not the library: out of the fast suite


def test_every_equivalent_is_a_mutant_with_a_reason() -> None:
    """A line that has changed since is another mutant, whose reason must be found anew."""
    modules = {key.split(" | ")[0] for key in equivalents()}
    assert modules <= set(targets())
    keys = {mutant.key for module in modules for mutant in mutants_of(ROOT / module, module)}
    assert equivalents().keys() <= keys, equivalents().keys() - keys
    assert all(len(reason.split()) > 5 for reason in equivalents().values())


def test_a_module_that_is_left_out_exists_and_has_a_reason() -> None:
    paths = [str(path.relative_to(ROOT)) for path in (ROOT / "lccmodel").rglob("*.py")]
    for pattern, reason in left_out().items():
        assert fnmatch.filter(paths, pattern), pattern
        assert reason
    assert len(targets()) > 190


def test_a_sum_with_a_name_that_is_0_is_no_fault() -> None:
    """`HEAD, TAIL, LIST = range(3)`: HEAD is 0, here and where it is imported; TAIL is not."""
    module = "lccmodel/wormhole/records.py"
    lines = {m.line for m in mutants_of(ROOT / module, module) if m.change[:3] == "Add"}
    assert any("+ TAIL]" in line for line in lines)
    assert not [line for line in lines if line.endswith("+ HEAD]") and line.count("+") == 1]


def test_any_negative_size_of_reshape_is_the_one_that_is_left() -> None:
    """-2 does as -1, so that is no fault; to drop the sign is one."""
    assert np.zeros((2, 3)).reshape(-2).shape == np.zeros((2, 3)).reshape(-1).shape
    module = "lccmodel/pipelining/fft.py"
    changes = {m.change for m in mutants_of(ROOT / module, module) if "T.reshape(-1)" in m.line}
    assert "USub dropped" in changes
    assert not [change for change in changes if change.startswith("1 becomes")]


def test_a_test_that_fails_anyway_notices_nothing(tmp_path: Path) -> None:
    """Without the fault it fails as well; one that passes without it does notice."""
    module = "lccmodel/network/ring_direction.py"
    mutant = next(m for m in mutants_of(ROOT / module, module) if m.change == "3 becomes 4")
    head = "from lccmodel.network.ring_direction import PLUS\n\n\ndef test_it():\n    "
    failing, passing = tmp_path / "test_failing.py", tmp_path / "test_passing.py"
    failing.write_text(f"{head}assert PLUS\n")
    passing.write_text(f"{head}assert not PLUS\n")
    controls = Controls()
    assert noticed_by(mutant, [str(failing)], 60, controls) == "survived (unmet)"
    assert noticed_by(mutant, [str(failing), str(passing)], 60, controls) == "killed"


def test_the_control_of_a_test_is_run_once() -> None:
    """Tests a and c fail with the fault, and a without it as well."""
    asked = []

    def run(names: list[str], changed: bool) -> tuple[str, str]:
        asked.append(("".join(names), changed))
        failing = [name for name in names if name in ("ac" if changed else "a")]
        return ("killed", failing[0]) if failing else ("survived", "")

    controls = Controls()
    assert [controls.outcome([*"abcd"], run)[0] for _ in range(2)] == ["killed", "killed"]
    assert asked == [
        ("abcd", True), ("a", False), ("bcd", True), ("bc", False), ("bcd", True)
    ]  # fmt: skip


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
