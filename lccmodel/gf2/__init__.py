"""Linear algebra over GF(2): single matrices, many at once, and every one of a size."""

from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix, GF2Vector

__all__ = ["MAX_DIMENSION", "GF2Matrix", "GF2Vector"]
