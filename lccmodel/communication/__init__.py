"""Linear-complement communications: the value, the catalogue, reading and recognition."""

from lccmodel.communication.lcc import LCC

__all__ = ["LCC"]
