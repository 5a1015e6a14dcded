"""Where the ranks of a program run: contention, orders of bits, linear maps, search and bounds.

    lcc.contention(c, lcc.Hypercube(8)).degree               # messages on the busiest channel
    lcc.placement.optimal_reordering(c, lcc.Hypercube(8))    # Hou's order of bits
    lcc.place(traffic, network)                              # a search, with a lower bound

`mapping` has the orders and linear maps that ranks of submatrices prove [hou, Definitions 7, 8],
`search` the placements of any traffic on any network.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
