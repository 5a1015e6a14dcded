"""CALMANT: hypercube algorithms on meshes, schedules of their messages, and the pipelining degree.

    from lccmodel import pipelining

    task = pipelining.Task(0, 4, "mesh:4x4")         # exchange in dimensions 0..3 on a 4x4 mesh
    task.lower_bound                                 # no schedule has fewer steps
    pipelining.schedule(task).steps                  # the step in which every message is sent
    machine = pipelining.Machine("mesh:32x32", alpha=500, tau=1)
    pipelining.optimal_degree(machine, N=4096).Q     # into how many packets to cut a message

The pattern is fixed here - a hypercube's, on the standard embedding - and the schedule is the
unknown: [calmant]. Names are loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
