"""A real MPICH loads the files: versions 4.1 and 5.0, from the wheels of the package index.

Each version is installed once below `.cache/mpich` (or `LCCMODEL_MPICH`), since the programs of
two MPIs cannot stand in one environment. The negative control is the fragment that 0.4 wrote:
MPICH aborts with it.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from lccmodel import collectives
from lccmodel.collectives.decision_files import rules_file, rules_text
from lccmodel.collectives.mpich_tables import read_mpich_table
from lccmodel.pipelining import Linear

pytestmark = pytest.mark.slow
pytest.importorskip("mpi4py")

VERSIONS = ("4.1.3", "5.0.2")
NAMES = (
    "allreduce", "broadcast", "reduce", "allgather", "reduce-scatter", "alltoall", "barrier",
)  # fmt: skip
PROGRAM = """
import sys
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
p = comm.size
assert MPI.Get_library_version().split()[2].startswith(sys.argv[1])
for size in map(int, sys.argv[2:]):
    n = max(1, size // 8 // p) * p
    mine, sums, part = np.arange(n) + float(comm.rank), np.empty(n), np.empty(n // p)
    total = p * np.arange(n) + p * (p - 1) / 2
    comm.Allreduce(mine, sums)
    assert np.array_equal(sums, total)
    comm.Reduce(mine, sums, root=0)
    copy = mine.copy()
    comm.Bcast(copy, root=0)
    assert np.array_equal(copy, np.arange(n))
    comm.Allgather(np.full(n // p, float(comm.rank)), sums)
    assert np.array_equal(sums, np.repeat(np.arange(p), n // p))
    comm.Reduce_scatter(mine, part, [n // p] * p)
    assert np.array_equal(part, total.reshape(p, -1)[comm.rank])
    comm.Alltoall(mine, sums)
    assert np.array_equal(sums.reshape(p, -1)[1] - 1, mine.reshape(p, -1)[comm.rank] - comm.rank)
    comm.Barrier()
    half = comm.Split(comm.rank % 2)
    half.Allreduce(mine, sums)
    half.Free()
"""


@cache
def mpich(version: str) -> Path:
    below = Path(os.environ.get("LCCMODEL_MPICH", Path(__file__).parents[2] / ".cache" / "mpich"))
    prefix = below / version
    if not (prefix / "lib" / "libmpi.so.12").exists():
        asked = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--ignore-installed"]
        done = subprocess.run(
            [*asked, "--prefix", str(prefix), f"mpich=={version}"],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"MPICH {version} cannot be had: {done.stderr.strip()[-200:]}")
    return prefix


def run(version: str, rules: Path | None, folder: Path, *sizes: int) -> int:
    program, prefix = folder / "program.py", mpich(version)
    program.write_text(PROGRAM)
    settings = os.environ | {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": str(prefix / "lib")}
    if rules is not None:
        settings["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] = str(rules)
    command = [str(prefix / "bin" / "mpiexec"), "-n", "4", sys.executable, str(program)]
    done = subprocess.run(
        [*command, version.rpartition(".")[0], *map(str, sizes)],
        env=settings, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("network", ["mesh:4", "torus:2*2"])
def test_mpich_loads_the_file_and_results_are_right(version, network, tmp_path):
    library, cost = mpich(version) / "lib" / "libmpi.so.12", Linear(5, "1/1000")
    table = read_mpich_table(library)
    assert len(table.table) == 44
    assert table.functions is not None
    for names in collectives.libraries.FUNCTIONS.values():
        assert set(names.values()) <= table.functions
    files = [rules_file("mpich", n, cost, 64, 10**6, network, base=library) for n in NAMES]
    rules = tmp_path / "rules.json"
    rules.write_text(rules_text(files))
    assert run(version, rules, tmp_path, 32, 64, 20_000, 10**6, 2_000_000) == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_mpich_stops_with_the_fragment_that_0_4_wrote(version, tmp_path):
    """The negative control: a rule of one collective alone, and a function that there is not."""
    assert run(version, None, tmp_path, 64) == 0
    for text in (
        '{"collective=allreduce": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}}',
        '{"collective=allreduce": {"algorithm=MPIR_Allreduce_intra_none": {}}}',
    ):
        fragment = tmp_path / "fragment.json"
        fragment.write_text(text)
        assert run(version, fragment, tmp_path, 64) != 0
