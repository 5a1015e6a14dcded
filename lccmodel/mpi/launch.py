"""Run jobs on real MPI, on this machine: find mpirun, start 2^n processes, collect the outcomes.

The launcher is looked for beside this Python (`pip install "lccmodel[mpi]"` puts a complete
Open MPI there, without root), then on the PATH. More processes than cores are fine. Settings go
by environment variables that an MPI of another make ignores:

    as root                    Open MPI refuses unless it is told otherwise; a container is root
    oversubscription           processes that wait give their core away
    files                      sockets and shared memory in the run's own folder, which is removed

On a cluster, let the cluster's launcher start the processes and call `lccmodel.mpi.execute`.

Every process of a run does `python -m lccmodel.mpi.launch FOLDER SECONDS`: it reads the jobs, takes
part in each, and rank 0 writes the outcomes. A process that is still there after SECONDS says where
it waits and ends, in case the launcher could not stop it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lccmodel.errors import InputError
from lccmodel.ground.files import write_atomically
from lccmodel.mpi.job import Job, JobOutcome, execute

JOB, OUTCOMES = "jobs.pickle", "outcomes.pickle"

_HINT = 'pip install "lccmodel[mpi]" brings both'
_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # Open MPI 4
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,sm,vader,tcp",  # no search for special networks on one machine
    "OMPI_MCA_pml": "^ucx,cm",
}
_INHERITED = ("OMPI_COMM_WORLD", "PMIX_", "PMI_", "SLURM_", "PBS_", "LSB_")
"""Variables of a surrounding MPI process or batch job, which a launcher would follow."""

_GRACE = 5.0
_TAIL = 12


class MPIError(RuntimeError):
    """There is no MPI, or a run failed or took too long; the message says which."""


def run(
    jobs: Iterable[Job], *, timeout: float = 120.0, launcher: str | None = None
) -> list[JobOutcome]:
    """Run jobs of the same number of processes, one after another, in one start of mpirun.

    Args:
        jobs: their node programs are functions of importable modules.
        timeout: seconds, for all of them; then every process is stopped.
        launcher: path of mpirun or mpiexec; `find_launcher()` if left out.

    Returns: the outcomes in the order of the jobs; none without jobs.

    Raises:
        InputError: jobs of different numbers of processes, or something that is not a job.
        MPIError: there is no MPI, or the run failed or took too long.
    """
    jobs = list(jobs)
    if not jobs:
        return []
    for job in jobs:
        if not isinstance(job, Job) or job.ranks != jobs[0].ranks:
            raise InputError("jobs", f"must be jobs for {jobs[0].ranks} processes each", job)
    reason = unavailable(launcher)
    if reason:
        raise MPIError(reason)
    with tempfile.TemporaryDirectory(prefix="lccmodel-", ignore_cleanup_errors=True) as folder:
        Path(folder, JOB).write_bytes(pickle.dumps(jobs))
        arguments = ["-m", "lccmodel.mpi.launch", folder, str(timeout + 2 * _GRACE)]
        start(jobs[0].ranks, arguments, timeout=timeout, launcher=launcher, folder=folder)
        outcomes: list[JobOutcome] = pickle.loads(Path(folder, OUTCOMES).read_bytes())
    return outcomes


def start(
    ranks: int,
    arguments: Sequence[str],
    *,
    timeout: float,
    launcher: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
) -> str:
    """Run a Python program in a number of MPI processes on this machine.

    Args:
        ranks: number of processes.
        arguments: what follows `python -m mpi4py`: a file or `-m module`, and its arguments. An
            error in one process ends all of them.
        timeout: seconds; then every process is stopped.
        launcher: as for `run`.
        folder: for temporary files; one that is removed afterwards if left out.
        options: further options of the launcher, such as a rank file; each make has its own.
        settings: further variables of the environment.

    Returns: what the processes wrote to standard output.

    Raises:
        MPIError: there is no launcher, the exit code is not 0, or it took too long.
    """
    command = launcher or find_launcher()
    if command is None:
        raise MPIError(unavailable(launcher))
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="lccmodel-", ignore_cleanup_errors=True)
            )
        out, err = Path(folder, "stdout"), Path(folder, "stderr")
        python = (sys.executable, "-m", "mpi4py")
        whole = [command, *options, "-n", str(ranks), *python, *arguments]
        code = _finish(whole, timeout, {**environment(folder), **(settings or {})}, out, err)
        if code is None:
            raise MPIError(f"{ranks} processes did not end within {timeout:g} s{_last(err)}")
        if code:
            raise MPIError(f"{ranks} processes ended with exit code {code}{_last(err)}")
        return out.read_text(encoding="utf-8", errors="replace")


def find_launcher() -> str | None:
    """The path of mpirun or mpiexec: beside this Python, else on the PATH; None if there is none.

    A launcher of another make than the MPI library of mpi4py starts processes that do not know
    of each other, so the one that was installed together with mpi4py comes first.
    """
    beside = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    for place in (*beside, None):
        for name in ("mpirun", "mpiexec"):
            launcher = shutil.which(name, path=place)
            if launcher:
                return launcher
    return None


@functools.cache
def unavailable(launcher: str | None = None) -> str:
    """Why jobs cannot run on MPI here; empty if they can.

    >>> isinstance(unavailable(), str)
    True
    """
    if launcher is not None and shutil.which(launcher) is None:
        return f"{launcher} is no program that can be run"
    if importlib.util.find_spec("mpi4py") is None:
        return f"mpi4py is not installed ({_HINT})"
    if launcher is None and find_launcher() is None:
        return f"there is no mpirun beside {sys.executable} nor on the PATH ({_HINT})"
    load = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI"
    try:
        done = subprocess.run(
            [sys.executable, "-c", load], capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return "mpi4py does not find its MPI library within 60 s"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return f"mpi4py finds no MPI library: {''.join(last)} ({_HINT})"
    return ""


def environment(folder: str | os.PathLike[str]) -> dict[str, str]:
    """Environment of the launcher; temporary files go to `folder`. What the user set stays."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_INHERITED)}
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    places = {
        "TMPDIR": str(folder),
        "OMPI_MCA_btl_sm_backing_directory": str(folder),
        "PYTHONPATH": path,  # whatever can be imported here can be imported there
    }
    return {**_SETTINGS, **kept, **places}


def _finish(
    command: Sequence[str], timeout: float, env: dict[str, str], out: Path, err: Path
) -> int | None:
    """Exit code of a command, or None if it had to be stopped."""
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=env,
            start_new_session=True,  # a session of its own: it can be stopped as a whole
        )
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a launcher and all of its session; nothing is done if it has ended properly."""
    if process.poll() is None:
        process.terminate()  # the launcher ends its processes
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    for member in _session(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()


def _session(leader: int) -> Iterator[int]:
    """Processes of a session, as far as the system tells; a launcher gives each its own group."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(int(entry.name)) == leader:
                yield int(entry.name)


def _last(err: Path) -> str:
    """The end of what went wrong."""
    lines = err.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    words = [line for line in lines if line.strip("- ")]
    return ":\n" + "\n".join(words[-_TAIL:]) if words else ""


def _main(folder: str, seconds: str) -> int:
    """Take part in the jobs of a folder; exit code 2 if there are not enough processes."""
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
    sys.exit(_main(*sys.argv[1:]))
