"""Affine permutations on a SIMD mesh [sibeyn]: decomposition, passes, numbering schemes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
