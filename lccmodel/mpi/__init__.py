"""Programs of mapped communications on real MPI: FFTs, transposition, pictures, exchange.

    from lccmodel.mpi import launch, distributed_fft

    job = distributed_fft(points, n=4)                        # 16 processes, 2^(4+2d) points
    mapping = lcc.placement.optimal_reordering(list(job.communications.values()), lcc.Hypercube(4))
    outcome = launch.run([job.mapped(mapping)])[0]            # starts mpirun
    outcome.values, outcome.pairs("bit reversal")             # numpy.fft.fft, and who sent to whom

A `Job` is data, how it is distributed and a node program; the same job runs under mpirun
(`launch.run`), under any launcher that has already started the processes (`job.execute`), and
without MPI on threads (`local.run`). mpi4py is imported by the processes only.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
