"""Mapping, routing and exchanging a communication: each a path of the lattice.

    lcc.methods.optimal_reordering(c, lcc.Hypercube(8))      # Hou's order of bits
    lcc.methods.self_route(c)                                # algorithm HL
    lcc.methods.exchange_factors(c)                          # conditional exchanges
    lcc.methods.simd_mesh_route(c, dims=(4, 4))              # passes of a SIMD mesh

What only one of the methods needs is in its own package, as `lcc.methods.partitioned.BenesNetwork`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
