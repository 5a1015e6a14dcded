"""Wormhole switching, flit by flit: latency, throughput, and programs run on the simulated network.

    import lccmodel as lcc

    c, cube = lcc.catalog.bit_reverse(8), lcc.Hypercube(8)
    lcc.wormhole.simulate(c, cube, load=0.05).latency
    lcc.wormhole.simulate(c, cube, load=0.5, mapping=lcc.optimal_reordering(c, cube)).throughput

The subject of [hou, section 6]: its Tables 1 and 2 and Figs 5 to 7 come from here. Names are
loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.wormhole.curves import Curve as Curve
    from lccmodel.wormhole.curves import Sustained as Sustained
    from lccmodel.wormhole.curves import curve as curve
    from lccmodel.wormhole.curves import figure_curves as figure_curves
    from lccmodel.wormhole.curves import highest_load as highest_load
    from lccmodel.wormhole.curves import sustained_throughput as sustained_throughput
    from lccmodel.wormhole.fft_program import FFTProgram as FFTProgram
    from lccmodel.wormhole.fft_program import FFTTimes as FFTTimes
    from lccmodel.wormhole.fft_program import parallel_fft as parallel_fft
    from lccmodel.wormhole.printed import NCUBE2 as NCUBE2
    from lccmodel.wormhole.printed import Hardware as Hardware
    from lccmodel.wormhole.simulation import Result as Result
    from lccmodel.wormhole.simulation import Simulation as Simulation
    from lccmodel.wormhole.simulation import simulate as simulate
    from lccmodel.wormhole.stall import waiting_ring as waiting_ring
    from lccmodel.wormhole.timing import Timing as Timing
    from lccmodel.wormhole.tracing import Trace as Trace
    from lccmodel.wormhole.tracing import trace as trace
    from lccmodel.wormhole.traffic import pattern as pattern

_HOME = {
    "Curve": "lccmodel.wormhole.curves",
    "FFTProgram": "lccmodel.wormhole.fft_program",
    "FFTTimes": "lccmodel.wormhole.fft_program",
    "Hardware": "lccmodel.wormhole.printed",
    "NCUBE2": "lccmodel.wormhole.printed",
    "Result": "lccmodel.wormhole.simulation",
    "Simulation": "lccmodel.wormhole.simulation",
    "Sustained": "lccmodel.wormhole.curves",
    "Timing": "lccmodel.wormhole.timing",
    "Trace": "lccmodel.wormhole.tracing",
    "curve": "lccmodel.wormhole.curves",
    "figure_curves": "lccmodel.wormhole.curves",
    "highest_load": "lccmodel.wormhole.curves",
    "parallel_fft": "lccmodel.wormhole.fft_program",
    "pattern": "lccmodel.wormhole.traffic",
    "simulate": "lccmodel.wormhole.simulation",
    "sustained_throughput": "lccmodel.wormhole.curves",
    "trace": "lccmodel.wormhole.tracing",
    "waiting_ring": "lccmodel.wormhole.stall",
}

__all__ = [*_HOME]


__getattr__, __dir__ = lazy_names(__name__, _HOME)
