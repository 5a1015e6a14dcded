"""Node programs that do not end by themselves, where every process finds them soon: no pytest."""

import os
from pathlib import Path


def hangs(comm, values, folder):
    """Every process says who it is and waits for a message that nobody sends."""
    Path(folder, str(comm.v_get_pid())).write_text(str(os.getpid()))
    return comm.v_receive(comm.v_get_pid() ^ 1, values)


def fails(comm, values):
    if comm.v_get_pid() == 2:
        raise ZeroDivisionError("for the test")
    return comm.v_receive(2, values)
