"""Placements of ranks on networks: search, bounds, exact answers, process grids."""

from lccmodel.methods.placed import Placement, Use
from lccmodel.methods.placement.grids import device_array, place_grid
from lccmodel.methods.placement.solve import place

__all__ = ["Placement", "Use", "device_array", "place", "place_grid"]
