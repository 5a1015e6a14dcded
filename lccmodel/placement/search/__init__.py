"""Placements of ranks on networks: search, bounds, exact answers, process grids."""

from lccmodel.placement.placement_result import Placement, Use
from lccmodel.placement.search.questions import (
    ParetoFront,
    device_array,
    pareto_front,
    place_grid,
)
from lccmodel.placement.search.solve import place

__all__ = ["ParetoFront", "Placement", "Use", "device_array", "pareto_front", "place", "place_grid"]
