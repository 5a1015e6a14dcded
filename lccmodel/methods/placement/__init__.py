"""Placements of ranks on networks: search, bounds, exact answers, process grids."""

from lccmodel.methods.placed import Placement, Use
from lccmodel.methods.placement.questions import (
    ParetoFront,
    device_array,
    pareto_front,
    place_grid,
)
from lccmodel.methods.placement.solve import place

__all__ = ["ParetoFront", "Placement", "Use", "device_array", "pareto_front", "place", "place_grid"]
