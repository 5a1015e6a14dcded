"""Index transformations as conditional exchanges and as bit exchanges [edelman].

conditional   A = E⁽ⁿ⁾ ... E⁽¹⁾, one exchange in every dimension, in any order; several data sets
orders        all orders in which that works
triangular    LU, PLU, PᵀAP = LU, U1 P U2; exchanges followed by a dimension permutation
bits          shuffles, elementary exchanges and all shortest products of them, two involutions
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
