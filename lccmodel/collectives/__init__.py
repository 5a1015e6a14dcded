"""Collectives: which algorithm, in how many segments, on a network and a machine.

    from lccmodel import collectives

    swing = collectives.allreduce("swing", "torus:8x8", ports="all")
    swing.replay()                                        # every rank holds the sum, each part once
    swing.loads().busiest                                 # data on the busiest channel: 69/128
    swing.best_segments(machine, 2**20)                   # Q, the time, and why
    collectives.choose("allreduce", machine, 2**20)       # the fastest, and all others behind it

A plan is steps of messages that carry blocks, which are copied or added: docs/collectives.md works
one out by hand. Names are loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
