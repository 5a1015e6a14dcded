"""Processor mapping: orders and linear maps of least contention, and how to use them."""

from lccmodel.methods.mapping.orders import OptimalOrders
from lccmodel.methods.mapping.solve import (
    optimal_linear_mapping,
    optimal_orders,
    optimal_reordering,
)
from lccmodel.methods.mapping.walks import lcp_iterations, lcp_optimizer

__all__ = [
    "OptimalOrders",
    "lcp_iterations",
    "lcp_optimizer",
    "optimal_linear_mapping",
    "optimal_orders",
    "optimal_reordering",
]
