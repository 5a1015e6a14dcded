"""The launchers that start ranks where a placement says: one table, with how each is used.

    launcher           its file lists                                      written by `hosts.`
    openmpi            the host and the slot of every rank                 open_mpi_rankfile
    slurm, pbs, flux   the host of every rank, in the order of ranks       slurm_hostfile
    mpich, intelmpi    hosts with how many of the next ranks run there     hydra_machinefile
    lsf                the host and the CPU of every rank, by number       lsf_resource_file
    cray               the rank in every slot, in the order of slots       cray_rank_order
    jax, pytorch       the device of every rank, a list in JSON            device_order

The Hydra of MPICH 5.0 and of Intel MPI 2021.19 take hosts that come again as they stand (tried).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Launcher = Literal[
    "openmpi", "slurm", "cray", "pbs", "lsf", "flux", "mpich", "intelmpi", "jax", "pytorch"
]


@dataclass(frozen=True)
class Launch:
    """How a launcher is told where ranks run.

    Attributes:
        writer: the function of `network.hosts` that writes its file.
        usage: how the file is used, with {file} and {size}.
        hosts: whether it names hosts, so that a list of them is needed.
    """

    writer: str
    usage: str
    hosts: bool = True


LAUNCHERS: dict[Launcher, Launch] = {
    "openmpi": Launch(
        "open_mpi_rankfile",
        "mpirun --map-by rankfile:file={file} -n {size} PROGRAM "
        "(Open MPI 4: mpirun --rankfile {file} ...)",
    ),
    "slurm": Launch(
        "slurm_hostfile",
        "SLURM_HOSTFILE={file} srun --distribution=arbitrary --ntasks={size} PROGRAM",
    ),
    "cray": Launch(
        "cray_rank_order",
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={file} "
        "srun --distribution=block --ntasks={size} PROGRAM",
        hosts=False,
    ),
    "pbs": Launch("slurm_hostfile", "PBS_NODEFILE={file} mpiexec -n {size} PROGRAM"),
    "lsf": Launch("lsf_resource_file", "jsrun --erf_input {file} PROGRAM"),
    "flux": Launch("slurm_hostfile", "flux run --taskmap=hostfile:{file} -n {size} PROGRAM"),
    "mpich": Launch("hydra_machinefile", "mpiexec -f {file} -n {size} PROGRAM"),
    "intelmpi": Launch(
        "hydra_machinefile",
        "I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=off mpiexec -machinefile {file} -n {size} PROGRAM",
    ),
    "jax": Launch(
        "device_order",
        "Mesh(np.array(jax.devices())[json.load(open('{file}'))].reshape(...), names)",
        hosts=False,
    ),
    "pytorch": Launch(
        "device_order",
        "DeviceMesh('cuda', torch.tensor(json.load(open('{file}'))).reshape(...))",
        hosts=False,
    ),
}
"""Every launcher by its word."""
