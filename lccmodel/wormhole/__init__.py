"""Wormhole switching, flit by flit: latency, throughput, and programs run on the simulated network.

    import lccmodel as lcc

    c, cube = lcc.catalog.bit_reverse(8), lcc.Hypercube(8)
    lcc.wormhole.simulate(c, cube, load=0.05).latency
    mapping = lcc.placement.optimal_reordering(c, cube)
    lcc.wormhole.simulate(c, cube, load=0.5, mapping=mapping).throughput

The subject of [hou, section 6]: its Tables 1 and 2 and Figs 5 to 7 come from here. Names are
loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
