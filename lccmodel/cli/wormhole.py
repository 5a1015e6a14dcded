"""Options that the simulating commands share: tie rule, routing, mapping; and what loads are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import click

from lccmodel.cli.modes import refuse_unless
from lccmodel.cli.options import Decorator, completed
from lccmodel.errors import InputError
from lccmodel.ground.words import TIE_RULES

if TYPE_CHECKING:
    from lccmodel.network import Network
    from lccmodel.placement.placement_result import Placement
    from lccmodel.problem import Problem


_MOST_DIGITS = 20
"""Of a number in an order: Python converts no text of more than 4,300."""

_MOST_LOADS = 1000

tie_option: Decorator = click.option(
    "--tie",
    type=click.Choice(TIE_RULES),
    default=TIE_RULES[0],
    show_default=True,
    help="Header that is served first if several reach a router in one cycle: from the lowest or "
    "highest input channel, of the oldest message, or a random one.",
)


def _routings(context: click.Context) -> Iterable[str]:
    """The routing functions that fit the network that is typed."""
    from lccmodel.routing import routings

    try:
        return [function.name for function in routings(context.params.get("network") or "")]
    except InputError:  # none yet, or one of the size of a file
        return ()


wormhole_routing_option: Decorator = click.option(
    "--routing",
    metavar="NAME",
    shell_complete=completed(_routings, lists=True),
    default="e-cube",
    show_default=True,
    help="Routing function. Hypercubes: e-cube, e-cube-descending, p-cube, minimum-restriction "
    "(min), fully-adaptive, or the reconstructed chiu, mixab3, mixbb3, min-turns. Meshes: "
    "dimension-order (also called e-cube), negative-first, ... Each message draws its route with "
    "valiant (all networks), romm and xy-yx. adaptive takes shortest routes above an escape. "
    "simulate compares several at a load: NAME,NAME.",
)

mapping_option: Decorator = click.option(
    "--mapping",
    metavar="optimal|ORDER",
    shell_complete=completed(lambda _: ("optimal",)),
    help="Rename the processors by an order of the address bits, such as 0,4,2,6,1,5,3,7. optimal:"
    " the best order on a hypercube or Origin, or a placement elsewhere, for all "
    "communications together.",
)


def parse_loads(text: str) -> list[float]:
    """Loads from "0.05", "0.05,0.1", or "0.01:0.2:0.01" (first, last, step), in exact decimals.

    Raises:
        InputError: not numbers in (0, 1], a range that is empty or has no end.

    >>> parse_loads("0.1:0.3:0.1"), parse_loads("0.5, 0.25")
    ([0.1, 0.2, 0.3], [0.5, 0.25])
    """
    parts = text.split(":")
    rule = "must be a load, a list such as 0.05,0.1, or first:last:step such as 0.01:0.2:0.01"
    try:
        numbers = [Decimal(word) for word in (text.split(",") if len(parts) == 1 else parts)]
    except InvalidOperation:
        raise InputError("--load", rule, text) from None
    if not all(number.is_finite() for number in numbers) or len(parts) not in (1, 3):
        raise InputError("--load", rule, text)
    if len(parts) == 3:
        first, last, step = numbers
        if step <= 0 or last < first:
            raise InputError("--load", "must go up: first <= last and step > 0", text)
        if (last - first) / step >= _MOST_LOADS:
            raise InputError("--load", f"must be at most {_MOST_LOADS} loads", text)
        numbers = [first + k * step for k in range(int((last - first) / step) + 1)]
    if not all(0 < number <= 1 for number in numbers):
        rule = "must be in (0, 1], flits per cycle and sending processor"
        raise InputError("--load", rule, text)
    return [float(number) for number in numbers]


def _parse_order(text: str) -> tuple[int, ...]:
    """Whole numbers from "0,4,2,6".

    Raises:
        InputError: something else than whole numbers.
    """
    words = text.replace(",", " ").split()
    if (
        not words
        or not all(word.isascii() and word.isdecimal() for word in words)
        or (max(map(len, words)) > _MOST_DIGITS)
    ):
        raise InputError("--mapping", "must be optimal, or an order such as 0,4,2,6,1,5,3,7", text)
    return tuple(map(int, words))


def chosen_mapping(text: str | None, problem: Problem) -> Placement | tuple[int, ...] | None:
    """The mapping that is asked for; `optimal` is one for all communications together.

    On a hypercube or Origin it is the best order of the address bits, elsewhere the best placement
    that is found.

    Raises:
        InputError: not an order.
    """
    from lccmodel.placement.search.solve import place

    if text is None:
        return None
    network = problem.network
    if text.strip().lower() != "optimal":
        order = _parse_order(text)
        if sorted(order) != list(range(network.n)):
            rule = f"must be optimal, or an order of the address bits 0..{network.n - 1}"
            raise InputError("--mapping", rule, text)
        return order
    cube = network.geometry.is_cube_or_origin
    return place(problem, over="orders" if cube else "placements")


def order_of(mapping: Placement | tuple[int, ...] | None) -> tuple[int, ...]:
    """The order of a mapping, () without one."""
    if mapping is None or isinstance(mapping, tuple):
        return mapping or ()
    return mapping.order or ()


def nodes_of_ranks(mapping: Placement | tuple[int, ...] | None, nodes: Sequence[int]) -> list[int]:
    """Where some ranks are after the mapping."""
    from lccmodel.placement.placement_result import Placement

    if isinstance(mapping, Placement):
        return [int(mapping.node_of[node]) for node in nodes]
    order = order_of(mapping)
    if not order:
        return list(nodes)
    return [sum((node >> bit & 1) << k for k, bit in enumerate(order)) for node in nodes]


def refuse_replaced_routing(routing: str, network: Network) -> None:
    """Refuse dimension-order routing, if it was typed, on a network without dimensions.

    Raises:
        click.UsageError: the routes of the network itself would take its place.
    """
    word = routing.strip().lower().replace("_", "-")
    refuse_unless(
        word not in ("e-cube", "dimension-order") or network.whole_network.geometry.is_grid,
        "routing",
        f"has no order of dimensions to follow on {network.spec}; leave it out for its own routes",
    )
