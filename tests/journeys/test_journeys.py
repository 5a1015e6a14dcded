"""What a new user does from beginning to end, with the commands that the README names.

The third journey, a lecture's exploration in JupyterLab, is `tests/browser`. `.ci/run` does all of
them in a clean clone.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.show.compiling_latex import faults, needs_latex

ROOT = Path(__file__).parents[2]
SIDE = 8


def run(folder: Path, tool: str, *words: str) -> str:
    command = [sys.executable, "-m", tool, *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def hops(x: int, y: int) -> Iterator[tuple[int, int]]:
    """The channels from node x to node y of an 8 × 8 mesh, axis 0 (the low digit) first."""
    for unit, place in ((1, lambda node: node % SIDE), (SIDE, lambda node: node // SIDE)):
        while place(x) != place(y):
            after = x + unit * (1 if place(y) > place(x) else -1)
            yield x, after
            x = after


def busiest(trace: Path, node_of: dict[int, int]) -> int:
    """The largest volume on a channel in any communication of a trace, hop by hop."""
    loads: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    lines = [line for line in trace.read_text().splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        for channel in hops(node_of[int(row["source"])], node_of[int(row["destination"])]):
            loads[row["communication"]][channel] += int(row["volume"])
    return max(max(of.values(), default=0) for of in loads.values())


@pytest.mark.slow
def test_from_a_trace_to_a_rank_file(tmp_path):
    """The rank file places every rank once, and the loads that it makes are those promised."""
    trace = tmp_path / "trace.csv"
    shutil.copy(ROOT / "examples" / "trace.csv", trace)
    contention = run(tmp_path, "lccmodel", "contention", "trace.csv", "-N", "mesh:8x8")
    assert "row-exchange-2" in contention
    run(
        *(tmp_path, "lccmodel", "map", "trace.csv", "--network", "mesh:8x8", "--seconds", "0.1"),
        *("--plot", "loads.png", "--output", "map.json"),
        *("--rankfile", "ranks.txt", "--hosts", "node[01-16]:4"),
    )
    entries = re.findall(
        r"^rank (\d+)=node(\d\d) slot=(\d)$", (tmp_path / "ranks.txt").read_text(), re.M
    )
    node_of = {int(rank): 4 * (int(host) - 1) + int(slot) for rank, host, slot in entries}
    assert sorted(node_of) == sorted(node_of.values()) == list(range(SIDE * SIDE))
    record = json.loads((tmp_path / "map.json").read_text())[0]
    assert [node_of[rank] for rank in range(SIDE * SIDE)] == record["node_of"]
    assert busiest(trace, {k: k for k in range(SIDE * SIDE)}) == record["value_before"]
    assert busiest(trace, node_of) == record["value_after"] < record["value_before"]
    assert (tmp_path / "loads.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@needs_latex
def test_from_a_claim_to_a_table_in_a_pdf(tmp_path):
    """The emitted table, its declared packages, a plain article: a PDF without a complaint."""
    run(
        *(tmp_path, "proofs_check", "run", "hou.thm1", "hou.lem3.2", "--max-n", "2"),
        *("--ledger", "ledger.sqlite", "--format", "latex", "--output", "claims.tex"),
    )
    table = (tmp_path / "claims.tex").read_text()
    preamble = [line.removeprefix("% ") for line in table.splitlines() if line[0] == "%"]
    [label] = re.findall(r"\\label\{(.*)\}", table)
    cited = rf"Table~\ref{{{label}}} says which theorems hold."
    assert faults([cited + table], tmp_path, preamble) == []
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
    assert "hou.lem3.2 & on the Origin 2000 T(QAQ" in table
    assert " & fails in part & " in table
