"""`optimal_reordering` and `optimal_linear_mapping`: where processes go so that loads are least.

Cheap constructions come first and the rank bound decides whether they are good enough; only then
a search. Every answer says what proves it.

    one communication, hypercube      LCP_Optimizer, or the walk of Theorem 5: always at the bound
    one communication, bristled       the walk of Theorem 8; for rank >= n-1 the search for degree 1
    several                           the constructions, then the subset programme of Theorem 6
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.lattice.subset import MAX_SUBSET_DIMENSION
from lccmodel.lattice.weights import SetObjective
from lccmodel.network import Network
from lccmodel.placement.mapping.linear import (
    bristled_linear_mapping,
    linear_bound,
    reordering_bound,
)
from lccmodel.placement.mapping.orders import (
    OptimalOrders,
    RankProblem,
    order_to_use,
    programmes_of,
    programmes_of_traffic,
)
from lccmodel.placement.mapping.walks import (
    bristled_order,
    contention_free_order,
    hypercube_order,
    lcp_optimizer,
    router_bits,
)
from lccmodel.placement.placement_result import Placement
from lccmodel.problem import Problem


@typed_arguments
def optimal_reordering(
    communications: LCC | str | Problem | Iterable[LCC | str],
    network: Network | str | None = None,
    objective: SetObjective = "max-max",
    weights: Sequence[Number] | None = None,
) -> Placement:
    """Return the order of address bits with the least contention, for one communication or several.

    Args:
        communications: one LCC or its word ("bit-reverse"), or several of the same n, or
            a file or `Problem` of them; gathers and scatters too.
        network: a `Hypercube` or `BristledHypercube` with 2^n nodes, or its word.
        objective: "max-max" (least degree), "max-sum" (the members run together), "sum-sum".
        weights: a positive number a member, such as its volume or how often it is called; 1 if
            left out, or what a file states. A float means the decimal it prints as; sums are exact.

    Returns: a `Placement`; `optimal` is True when `proof` names what shows that no order is better.

    Raises:
        NetworkError: not a hypercube, or another size.
        SizeLimitError: several communications with more than 26 bits to order.
        InputError: an unknown objective, or weights that are not positive.

    >>> from lccmodel.communication.catalog import bit_reverse, matrix_transpose
    >>> from lccmodel.network import Hypercube
    >>> m = optimal_reordering(matrix_transpose(8), Hypercube(8))
    >>> m.order, m.before.degree, m.after.degree, m.optimal      # [hou, Example 4]
    ((0, 4, 2, 6, 1, 5, 3, 7), 8, 1, True)
    >>> both = optimal_reordering([matrix_transpose(8), bit_reverse(8)], Hypercube(8))
    >>> [c.degree for c in both.after]                           # [hou, Example 6]
    [2, 1]
    """
    problem = RankProblem.of(communications, network, objective, weights)
    bound = reordering_bound(problem.members, problem.weights, objective, problem.bristled)
    best, value = _best_constructed(problem, bound)
    if value == bound and _is_settled(problem, best):
        return problem.placement(best, bound, f"meets the lower bound {bound}")
    return _searched(problem, best, bound)


@typed_arguments
def optimal_linear_mapping(
    communication: LCC | str | Problem, network: Network | str | None = None
) -> Placement:
    """Return the nonsingular Q with the least degree of contention, of all nonsingular Q.

    A reordering is returned where one is as good, since it keeps neighbours neighbours.

    Raises:
        NetworkError: not a hypercube, or another size.
        CommunicationError: not a single LCC.

    >>> from lccmodel.communication.catalog import reverse_flip
    >>> from lccmodel.network import BristledHypercube
    >>> m = optimal_linear_mapping(reverse_flip(5), BristledHypercube(5))     # [hou, Example 9]
    >>> m.before.per_dimension, m.after.degree, m.optimal
    ((0, 2, 4, 2, 1), 1, True)
    """
    asked = Problem.read(communication, network)
    if len(asked.program) > 1 or isinstance(communication, (list, tuple)):
        raise CommunicationError("communication", "must be one LCC", communication)
    problem = RankProblem.of(asked, None, "max-max", None)
    communication = problem.members[0]
    weight = as_fraction(problem.weights[0])
    bound = as_number(linear_bound(communication, problem.bristled) * weight)
    best, value = _best_constructed(problem, bound)
    if value > bound:
        best = bristled_linear_mapping(communication)
        value = problem.value(best)
    proof = f"meets the lower bound {bound} of all linear mappings" if value == bound else ""
    return problem.placement(best, bound, proof, "linear")


def _best_constructed(problem: RankProblem, bound: Number) -> tuple[GF2Matrix, Number]:
    """The best constructed order and its value; the first that nothing can beat ends the search."""
    tried: list[tuple[GF2Matrix, Number]] = []
    for order in _constructed(problem):
        Q = GF2Matrix.from_order(order)
        tried.append((Q, problem.value(Q)))
        if tried[-1][1] == bound and _is_settled(problem, Q):
            return tried[-1]
    return min(tried, key=lambda answer: answer[1])


def _is_settled(problem: RankProblem, Q: GF2Matrix) -> bool:
    """Whether no member below the maximum can do better either; only "max-max" leaves that open."""
    if problem.lone or problem.objective != "max-max":
        return True
    return all(
        max(loads) == reordering_bound([member], [1], "max-max", problem.bristled)
        for member, loads in zip(problem.members, problem.loads(Q), strict=True)
    )


def _constructed(problem: RankProblem) -> Iterator[tuple[int, ...]]:
    """The natural order, then every member's own."""
    yield tuple(range(problem.n))
    for member in problem.members:
        if not problem.bristled:
            permutation = member.kind == "permutation"
            yield lcp_optimizer(member) if permutation else hypercube_order(member)
            continue
        for bit in _router_choices(problem, member):
            yield bristled_order(member, bit)


def _router_choices(problem: RankProblem, member: LCC) -> tuple[int, ...]:
    """The bits worth trying inside the router before any search."""
    moving = tuple(bit for bit in range(member.n) if member.moves(bit))
    if len(moving) == 1:  # inside the router it needs no channel
        return moving
    choices = router_bits(member)
    # Alone, the first choice meets the bound for rank A <= n - 2, and else a search decides.
    return choices[:1] if problem.lone and problem.objective != "sum-sum" else choices


def _searched(problem: RankProblem, best: GF2Matrix, bound: Number) -> Placement:
    """Where the constructions stay above the bound: search, and say what the search proves."""
    if problem.lone and problem.bristled and problem.objective != "sum-sum":
        order, final = contention_free_order(problem.members[0])
        if order is not None:
            return problem.placement(GF2Matrix.from_order(order), bound, "is free of contention")
        degrees = [member.degree for member in problem.contention(best)]
        if final and degrees == [2]:
            return problem.placement(best, bound, "a full search finds no order of degree 1")
    ordered = problem.n - problem.bristled
    if ordered <= MAX_SUBSET_DIMENSION:
        order, searches = order_to_use(problem)
        proof = f"the subset programme is exhaustive ({searches:,} searches) [hou, Theorem 6]"
        return problem.placement(GF2Matrix.from_order(order), bound, proof)
    if problem.value(best) == bound:
        return problem.placement(best, bound, f"meets the lower bound {bound}")
    if problem.lone:
        return problem.placement(best, bound, "")
    rule = (
        f"for several communications the subset programme keeps 2^n states, so that at most "
        f"{MAX_SUBSET_DIMENSION} bits can be ordered"
    )
    raise SizeLimitError("n", rule, problem.n)


@typed_arguments
def optimal_orders(
    communications: Any,
    network: Network | str | None = None,
    objective: SetObjective = "max-max",
    weights: Sequence[Number] | None = None,
) -> OptimalOrders:
    """Return all orders that reach the optimum of an objective, by the subset programme.

    Args:
        communications: as for `optimal_reordering`; or any traffic or program (`Program.of`),
            whose messages are counted, up to 20 bits to order.
        network, objective, weights: as for `optimal_reordering`; the weights of the phases of a
            program if left out.

    Raises: as `optimal_reordering`; SizeLimitError for more than 26 bits to order.

    >>> from lccmodel import Hypercube, catalog
    >>> orders = optimal_orders(catalog.matrix_transpose(4), Hypercube(4))
    >>> orders.count(), next(iter(orders))
    (8, (0, 2, 1, 3))
    >>> ring = optimal_orders([(k, (k + 1) % 12) for k in range(12)], "cube:4")
    >>> ring.value, ring.count()
    (1, 18)
    """
    if isinstance(communications, Iterator):
        communications = list(communications)
    asked = Problem.read(communications, network)
    if all(phase.lcc is not None and phase.lcc.n == asked.network.n for phase in asked.program):
        problem = RankProblem.of(asked, None, objective, weights)
        return OptimalOrders(programmes_of(problem))
    return OptimalOrders(programmes_of_traffic(asked.program, asked.network, objective, weights))
