"""From a machine to its cost: measure or read message times, fit α and τ, keep them in a file.

    measured = calibration.read_measurements("osu_latency.txt")   # OSU, IMB, NetPIPE or size,time
    found = calibration.fit(measured)                             # α, τ, intervals, segments
    calibration.write_machine("machine.toml", found)              # every command takes the file

The times are those of one message from one process to another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
