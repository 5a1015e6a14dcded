"""`explore(thing)`: the exploration for a kind of result, found by the view that it names."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError
from lccmodel.exploration.exploration import Exploration

EXPLORERS: Mapping[str, str] = MappingProxyType(
    {
        "communication": "loads:explore_communication",
        "lattice": "loads:explore_lattice",
        "program": "loads:explore_program",
        "traffic": "loads:explore_program",
        "placement": "loads:explore_placement",
        "movement": "steps:explore_movement",
        "routed": "steps:explore_routed",
        "self-routing": "steps:explore_self_routing",
        "certificate": "steps:explore_certificate",
        "comparison": "steps:explore_comparison",
        "schedule": "steps:explore_schedule",
        "worms": "steps:explore_worms",
        "machine": "degrees:explore_machine",
        "degree": "degrees:explore_degree",
        "envelope": "envelopes:explore_envelope",
    }
)
"""For every view (`lccmodel.show.views.VIEWS`): the module here and its function."""


@typed_arguments
def explore(thing: Any, **given: Any) -> Exploration:
    """Controls for a thing, and its picture for every choice; widgets in JupyterLab.

    Args:
        thing: a communication (its order and network), a program, traffic, mapping, placement or
            correction lattice; a movement, a routed permutation or a comparison (step by
            step, message by message); a schedule; worms (`wormhole.trace`); a machine or a
            best degree (T against Q); the best collective from size to size (T against m).
        given: `network`, an object or a word, for a communication, program or traffic; for a
            machine `N`, the items of a dimension, and `of`, see `degrees.explore_machine`.

    Raises:
        InputError: another kind of thing, or another argument.

    >>> from lccmodel import catalog, compare
    >>> explore(compare(catalog.bit_reverse(3))["hl"]).words(step=1, message=1)
    'step 1 of 3: 4 messages move, load 1, occupancy 2; message 1 to 4 stands at 0'
    >>> explore("cube:4")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: thing: must be a communication, or a result of lccmodel that \
can be explored, such as a schedule; got 'cube:4'
    """
    view = getattr(type(thing), "_view", "")
    if view not in EXPLORERS:
        rule = (
            "must be a communication, or a result of lccmodel that can be explored, "
            "such as a schedule"
        )
        raise InputError("thing", rule, thing)
    module, _, name = EXPLORERS[view].partition(":")
    explorer = getattr(importlib.import_module(f"lccmodel.exploration.{module}"), name)
    names = explorer.__code__.co_varnames[1 : explorer.__code__.co_argcount]
    for other in set(given) - set(names):
        rule = f"is not an argument here; {', '.join(names) or 'nothing'} can be given"
        raise InputError(other, rule, given[other])
    shown: Exploration = explorer(thing, **given)
    return shown
