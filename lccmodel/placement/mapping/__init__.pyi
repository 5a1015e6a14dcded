from .orders import OptimalOrders as OptimalOrders
from .solve import optimal_linear_mapping as optimal_linear_mapping
from .solve import optimal_orders as optimal_orders
from .solve import optimal_reordering as optimal_reordering
from .walks import lcp_iterations as lcp_iterations
from .walks import lcp_optimizer as lcp_optimizer
