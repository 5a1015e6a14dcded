"""Messages on a network, step by step: where they stand, what channels carry, what conflicts.

Movement(network, ...)           the one value; docs/movement.md works it out by hand
movement.in_unit_steps("one")    the same on a mesh or torus, one channel at a time
movement.replay("one")           a `Certificate`, or the first `Conflict` under a model of ports
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
