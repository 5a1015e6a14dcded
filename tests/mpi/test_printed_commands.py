"""Every printed command runs as it is printed, with a program in place of PROGRAM.

0.4 printed `mpirun --map-by rankfile:...` without the hosts, at which Open MPI ends with "host was
either not allocated", and paths with spaces without quotes. A remote shell that runs everything on
this machine stands for ssh, so that Open MPI and MPICH start ranks on hosts of any name; each rank
prints the name of the host where it was started.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lccmodel.mpi import launch
from lccmodel.network import as_network
from lccmodel.placement.launchers import LAUNCHERS, rank_file
from tests.cli import calling
from tests.mpi.test_launch import needs_mpi
from tests.mpi.test_mpich import mpich

needs_posix = pytest.mark.skipif(os.name != "posix", reason="a remote shell in sh")

SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
TEST_HOST=$host exec sh -c "$*"
"""
RING = "source,destination,bytes\n" + "".join(f"{r},{(r + 2) % 4},8\n" for r in range(4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a space in its name, messages, and a remote shell that stays here."""
    folder = tmp_path / "my files"
    folder.mkdir()
    (folder / "ring.csv").write_text(RING)
    (folder / "host file").write_text("oak1 slots=2\noak2 slots=2\n")
    shell = tmp_path / "bin" / "ssh"
    shell.parent.mkdir()
    shell.write_text(SSH)
    shell.chmod(0o755)
    return folder


def printed(folder: Path, *options: object) -> str:
    result = calling.run(
        *("map", folder / "ring.csv", "-N", "mesh:2*2", "--objective", "distance", "-f", "json"),
        *options,
    )
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()
    line = next(line for line in lines if "PROGRAM" in line or "mpi4py" in line)
    return line.removeprefix("lccmodel: note: ")


def started(command: str, folder: Path, path: str) -> str:
    """What the command prints when a shell runs it."""
    settings = os.environ | {
        "PATH": f"{folder.parent / 'bin'}:{path}:{os.environ['PATH']}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=90, env=settings, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@needs_mpi
@needs_posix
@pytest.mark.slow
@pytest.mark.parametrize("how", ["typed hosts", "host file", "mpich"])
def test_every_rank_is_started_where_the_file_says(folder, how):
    """Typed hosts are named by the command, a host file that mpirun reads is given to it.

    MPICH's file has a line a host, as many ranks as stand behind the colon.
    """
    ranks, hosts = folder / "my ranks", folder / "host file"
    options = ["--rankfile", ranks, "--hosts", "oak1:2,oak2:2" if how == "typed hosts" else hosts]
    path, variable = Path(launch.find_launcher()).parent, "OMPI_COMM_WORLD_RANK"
    if how == "mpich":
        path, variable = mpich("5.0.2") / "bin", "PMI_RANK"
        options += ["--launcher", "mpich"]
    command = printed(folder, *options).partition(": ")[2].partition(" (Open MPI 4")[0]
    program = f"sh -c 'echo \"<${variable} $TEST_HOST>\"'"
    output = started(command.replace("PROGRAM", program), folder, str(path))
    stated = dict(re.findall(r"rank (\d)=(oak\d) slot", ranks.read_text()))
    if how == "mpich":
        lines = [line.split(":") for line in ranks.read_text().splitlines()]
        listed = [host for host, many in lines for _ in range(int(many))]
        stated = {str(rank): host for rank, host in enumerate(listed)}
    assert dict(re.findall(r"<(\d+) (\w+)>", output)) == stated
    assert len(stated) == 4


@needs_mpi
@needs_posix
@pytest.mark.slow
def test_the_spmd_program_runs_from_a_path_with_spaces(folder):
    file = folder / "my program.py"
    command = printed(folder, "--spmd", file).partition(": ")[2]
    path = f"{Path(launch.find_launcher()).parent}:{Path(sys.executable).parent}"
    started(command, folder, path)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_the_shell_reads_the_path_as_one_word(launcher, tmp_path):
    """Spaces, quotes and dollars in a path; Python's commands have it as a string."""
    file = tmp_path / "a $HOME 'file"
    order = rank_file(as_network("mesh:2"), [1, 0], ["a", "b"], launcher)
    file.write_text(order.content)
    command = order.command(file).partition(" (Open MPI 4")[0]
    if LAUNCHERS[launcher].python:
        inner = re.search(r"json\.load\(open\(.*?\)\)", command)
        assert inner is not None
        assert eval(inner[0], {"json": json}) == [1, 0]
        return
    tool = next(tool for tool in ("mpirun", "jsrun", "srun", "mpiexec", "flux") if tool in command)
    shown = f'{tool}() {{ env; for w in "$@"; do echo "$w"; done; }}\n{command}'
    words = subprocess.run(shown, shell=True, capture_output=True, text=True, check=True).stdout
    assert str(file) in words


def test_hosts_beyond_a_line_go_into_a_host_file():
    """Up to eight hosts are named; more of them by a file, which the command says how to write."""
    few = rank_file(as_network("mesh:8"), range(8), [f"n{k}" for k in range(8)])
    assert "--host n0:1,n1:1" in few.command("r")
    many = rank_file(as_network("mesh:9"), range(9), [f"n{k}" for k in range(9)])
    assert "--hostfile HOSTS" in many.command("r")
    assert "HOSTS has a line `name slots=K`" in many.command("r")
    assert "--hostfile hosts.txt" in many.command("r", "hosts.txt")
