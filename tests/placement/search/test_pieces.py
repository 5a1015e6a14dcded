"""Every piece of the search: valid placements, values counted message by message, sound bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.choosing import sampled
from tests.placement.search.pieces import CASES, facts

REPEATED = [
    case for case in CASES if case.split(" | ")[1] in ("mesh:6x7", "torus:5x4", "fattree:4^2")
]


@pytest.mark.parametrize("case", sampled(CASES, 6))
def test_each_answer_is_verified(case: str) -> None:
    """Ranks are on different nodes, values are those of a count by the network, bounds hold."""
    assert facts(case)


@pytest.mark.slow
def test_a_seed_gives_the_same_answers_in_another_process() -> None:
    """Hashes of texts differ between processes; no answer depends on them."""
    code = (
        "import json; from tests.placement.search.pieces import facts\n"
        f"print(json.dumps([facts(case) for case in {REPEATED[:12]!r}]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(elsewhere.stdout) == [facts(case) for case in REPEATED[:12]]
