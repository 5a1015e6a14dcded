"""Permutations routed and exchanged, one address bit after another: each a path of the lattice.

    lcc.permutations.self_route(c)                           # algorithm HL
    lcc.permutations.exchange_factors(c)                     # conditional exchanges
    lcc.permutations.simd_mesh_route(c, dims=(4, 4))         # passes of a SIMD mesh

What only one of the methods needs is in its own package, as
`lcc.permutations.partitioned.BenesNetwork`. `lcc.compare` has all methods side by side.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
