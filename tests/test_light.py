"""What is light stays light: nothing heavy is loaded by who does not ask for it."""

import subprocess
import sys

import pytest

from lccmodel.cli import cli
from tests.choosing import sampled

HELP = f"""
from lccmodel.cli import cli
for words in (["--help"], ["--version"], *([name, "--help"] for name in {sorted(cli.commands)})):
    cli.main(words, standalone_mode=False)
"""
CHECKER_HELP = """
import sys
sys.argv = ["proofs-check", "--help"]
from proofs_check.cli import main
try:
    main()
except SystemExit:
    pass
"""
FIRST_ANSWER = """
import lccmodel as lcc
lcc.contention(lcc.catalog.bit_reverse(4), lcc.Hypercube(4))
lcc.placement.optimal_reordering(lcc.catalog.bit_reverse(8), lcc.Hypercube(8))
"""
DEGREE = """
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
assert optimal_degree(Machine("32x32", 500, 1), 4096).Q == 4
"""
LAZY = """
import sys, lccmodel.gf2 as g, lccmodel.gf2.enumeration, lccmodel.gf2.enumeration
assert "numba" not in sys.modules
g.ranks
assert "numba" in sys.modules
assert all(hasattr(g, name) for name in g.__all__) and set(g.__all__) <= set(dir(g))
"""
DRAWING = """
import sys
from lccmodel.network import Hypercube
from lccmodel.show.drawing import draw_network
assert "matplotlib" not in sys.modules
draw_network(Hypercube(3))
"""
ON_THREADS = """
import numpy, lccmodel.mpi as m
m.local.run([m.distributed_fft(numpy.ones(8), 1)])
"""
TEXT_TABLE = """
from lccmodel.cli import cli
cli.main("contention bit-reverse -N cube:8 -f json".split(), standalone_mode=False)
"""
PLAIN = "numba networkx sympy matplotlib scipy dask distributed pandas"
COMMAND = f"numpy rich tabulate {PLAIN}"
HEAVY = {
    "import lccmodel": COMMAND,
    "import lccmodel.cli": COMMAND,
    "import proofs_check, proofs_check.cli": COMMAND,
    HELP: COMMAND,
    CHECKER_HELP: COMMAND,
    TEXT_TABLE: f"rich tabulate {PLAIN}",
    "import lccmodel.network as n; n.Hypercube(3).path(0, 7)": f"{PLAIN} lccmodel.communication",
    FIRST_ANSWER: f"{PLAIN} lccmodel.show",
    DEGREE: PLAIN,
    ON_THREADS: "mpi4py numba",
    LAZY: "matplotlib",
    DRAWING: "matplotlib.pyplot",
}
"""What must not be loaded after a piece of code."""


@pytest.mark.parametrize(
    "code", sampled(HEAVY, 4), ids=lambda code: code.strip().splitlines()[-1].strip()
)
def test_nothing_heavy_is_loaded(code):
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(HEAVY[code].split()) & set(done.stdout.splitlines()[-1].split())
