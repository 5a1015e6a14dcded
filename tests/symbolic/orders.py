"""A communication in another numbering of the address bits."""

from lccmodel import LCC, GF2Matrix


def reordered(c: LCC, order: tuple[int, ...]) -> LCC:
    """Q A Q^-1 and Q b."""
    Q = GF2Matrix.from_order(order)
    b = sum(c.b[bit] << k for k, bit in enumerate(order))
    A = Q @ c.A @ Q.inverse()
    return LCC.scatter(A, b) if c.kind == "scatter" else LCC(A, b)
