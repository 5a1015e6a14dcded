"""What every process of a run does: `python -m lccmodel.mpi.node FOLDER SECONDS`.

It reads the jobs, takes part in each, and rank 0 writes the outcomes. A process that is still
there after SECONDS says where it waits and ends, in case the launcher could not stop it.
"""

from __future__ import annotations

import faulthandler
import pickle
import sys
from pathlib import Path

from lccmodel.files import write_atomically
from lccmodel.mpi.job import execute
from lccmodel.mpi.launch import JOB, OUTCOMES


def main(folder: str, seconds: str) -> int:
    """Run the jobs of a folder; exit code 2 if there are not as many processes as they need."""
    faulthandler.dump_traceback_later(float(seconds), exit=True)
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    jobs = pickle.loads(Path(folder, JOB).read_bytes())
    if world.Get_size() != jobs[0].ranks:
        print(
            f"{jobs[0].ranks} processes were started, and {world.Get_size()} know of each other: "
            "is the launcher of the same make as the MPI library of mpi4py "
            f"({MPI.Get_library_version().splitlines()[0]})?",
            file=sys.stderr,
        )
        return 2
    outcomes = [execute(job, world) for job in jobs]
    if world.Get_rank() == 0:
        write_atomically(Path(folder, OUTCOMES), pickle.dumps(outcomes))
    faulthandler.cancel_dump_traceback_later()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
