"""Linear algebra over GF(2): single matrices, many at once, and every one of a size.

The names are loaded when they are first used: those of `batch` and `orbits` compile kernels.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
