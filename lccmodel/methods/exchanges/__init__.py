"""Index transformations as conditional exchanges and as bit exchanges [edelman].

conditional   A = E⁽ⁿ⁾ ... E⁽¹⁾, one exchange in every dimension, in any order; several data sets
orders        all orders in which that works
triangular    LU, PLU, PᵀAP = LU, U1 P U2; exchanges followed by a dimension permutation
bits          shuffles, elementary exchanges and all shortest products of them, two involutions
"""

from lccmodel.methods.exchanges.bits import (
    bit_exchange,
    bit_exchanges,
    count_elementary_factorizations,
    dimension_loads,
    elementary_factorizations,
    independent_exchanges,
    local_exchanges,
    product_of_exchanges,
    shuffle,
    shuffle_factors,
)
from lccmodel.methods.exchanges.conditional import (
    ExchangeFactors,
    ExchangeStep,
    Pipeline,
    exchange_factors,
    pipelined_exchanges,
)
from lccmodel.methods.exchanges.orders import (
    ExchangeOrders,
    exchange_orders,
)
from lccmodel.methods.exchanges.triangular import (
    Bruhat,
    ExchangesThenPermutation,
    TriangularFactors,
    bruhat_factors,
    exchanges_and_pairs,
    exchanges_then_permutation,
    plu_factors,
    reordered_lu_factors,
)

__all__ = [
    "Bruhat",
    "ExchangeFactors",
    "ExchangeOrders",
    "ExchangeStep",
    "ExchangesThenPermutation",
    "Pipeline",
    "TriangularFactors",
    "bit_exchange",
    "bit_exchanges",
    "bruhat_factors",
    "count_elementary_factorizations",
    "dimension_loads",
    "elementary_factorizations",
    "exchange_factors",
    "exchange_orders",
    "exchanges_and_pairs",
    "exchanges_then_permutation",
    "independent_exchanges",
    "local_exchanges",
    "pipelined_exchanges",
    "plu_factors",
    "product_of_exchanges",
    "reordered_lu_factors",
    "shuffle",
    "shuffle_factors",
]
