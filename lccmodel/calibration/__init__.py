"""From a machine to its cost: measure or read message times, fit α and τ, keep them in a file.

    measured = calibration.read_measurements("osu_latency.txt")   # OSU, IMB, NetPIPE or size,time
    found = calibration.fit(measured)                             # α, τ, intervals, segments
    calibration.write_machine("machine.toml", found)              # every command takes the file

The times are those of one message from one process to another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.calibration.fitting import Fit as Fit
    from lccmodel.calibration.fitting import Segment as Segment
    from lccmodel.calibration.fitting import fit as fit
    from lccmodel.calibration.machine_file import MachineFile as MachineFile
    from lccmodel.calibration.machine_file import read_machine as read_machine
    from lccmodel.calibration.machine_file import write_machine as write_machine
    from lccmodel.calibration.measurements import Measurements as Measurements
    from lccmodel.calibration.measurements import read_measurements as read_measurements

_HOME = {
    "Fit": "lccmodel.calibration.fitting",
    "MachineFile": "lccmodel.calibration.machine_file",
    "Measurements": "lccmodel.calibration.measurements",
    "Segment": "lccmodel.calibration.fitting",
    "fit": "lccmodel.calibration.fitting",
    "read_machine": "lccmodel.calibration.machine_file",
    "read_measurements": "lccmodel.calibration.measurements",
    "write_machine": "lccmodel.calibration.machine_file",
}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
