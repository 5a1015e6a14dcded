"""Another process gives the same answers: no choice depends on hashes of texts or on addresses.

Which of several right answers is given no equation says; the second routes of every package verify
them, and digests of two processes are compared here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

PROGRAM = """
import json
from tests.lattice import second_routes as lattice
from tests.movement import second_routes as movement
from tests.pipelining import second_routes as pipelining
from tests.placement import second_routes as placement

CASES = {
    lattice: ("ordered | mesh:4x2", "matrices | 3"),
    placement: ("mapped | 2", "exchanged | 3", "partitioned | 3"),
    movement: ("moved | mesh:4x2", "routed | cube:3"),
    pipelining: ("composed | 2 | rings", "degrees | 4 | "),
}
print(json.dumps([package.facts(case) for package, cases in CASES.items() for case in cases]))
"""


def test_answers_do_not_depend_on_the_process() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "7")
    ]  # fmt: skip
    assert len(json.loads(printed[0])) == 9
    assert printed[0] == printed[1]
