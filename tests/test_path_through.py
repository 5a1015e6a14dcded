"""A question asked once passes few modules: from a trace to its rank file."""

import subprocess
import sys

WALK = """
import os, sys, tempfile
from pathlib import Path
import lccmodel
from lccmodel.cli import main
from lccmodel.kernels import jit
jit.compile_always()  # no kernel runs as Python, frame by frame
os.chdir(tempfile.mkdtemp())
rows = [f"{i},{(7 * i + 3) % 32},{i + 1}" for i in range(32)]
Path("trace.csv").write_text("\\n".join(["source,destination,bytes", *rows]))
sys.argv = ["lccmodel", *"map trace.csv --network torus:4x4x2 --rankfile ranks.txt".split(),
            "--hosts", "a:16,b:16"]
house, entered = os.path.dirname(lccmodel.__file__), set()
def look(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(house):
        entered.add(frame.f_code.co_filename)
for told in (None, look):
    sys.setprofile(told)
    try:
        main()
    except SystemExit as end:
        sys.setprofile(None)
        assert end.code == 0
assert len(Path("ranks.txt").read_text().splitlines()) == 32
print(len(entered), *sorted(entered))
"""
"""A rank file of a trace, asked for twice: what is loaded on first use is not part of the way."""

MOST_ENTERED = 56
"""Modules; two of them count what the ports of hosts send (placement/ports, network/hosts)."""


def test_a_trace_comes_to_its_rank_file_through_few_modules():
    """Every module counts of which any function is called; docs/architecture.md tells them."""
    done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    assert 3 < int(done.stdout.splitlines()[-1].split()[0]) <= MOST_ENTERED
