"""The order of service: channels and wires by arrival, or in turn, as [timing] defines it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lccmodel.communication import catalog
from lccmodel.network import as_network
from lccmodel.routing import Fabric, UserRouting
from lccmodel.wormhole import run_trace
from lccmodel.wormhole.simulation import simulate
from tests.cli.calling import refused, run


@pytest.mark.parametrize(("service", "sequence"), [("arrival", [0, 2, 1]), ("turns", [0, 1, 2])])
def test_after_one_input_the_next_is_served_not_the_first_to_arrive(
    service: str, sequence: list[int]
) -> None:
    """Three inputs of the middle of mesh:3x3 by number; while 0 is served, 2 arrives, then 1."""
    fabric = Fabric(as_network("mesh:3x3"))
    sources = sorted((1, 3, 5), key=lambda node: fabric.channel(node, 4))
    rows = [(sources[0], 4, 0, 20), (sources[2], 4, 1, 20), (sources[1], 4, 3, 20)]
    sent = run_trace(rows, "mesh:3x3", service=service)
    ended = dict(zip(sent.source.tolist(), sent.delivered.tolist(), strict=True))
    assert [sources.index(node) for node in sorted(sources, key=ended.__getitem__)] == sequence


def either(fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
    """On a line of routers, channel 1 or 0 of the next link."""
    return [fabric.channel(at, at + 1, k) for k in (1, 0)]


@pytest.mark.parametrize(("rounds", "delivered"), [(1, [5, 5]), (2, [5, 4])])
def test_a_header_without_an_offer_waits_for_a_round(rounds: int, delivered: list[int]) -> None:
    """In cycle 3 both channels of 1->2 are offered to the input 0->1, which takes one of them.

    The other one is offered to the injection of node 1 in the second round, or in cycle 4.
    """
    rows = [(0, 3, 0, 1), (1, 2, 1, 1)]
    how: Any = {"service": "turns", "service_rounds": rounds, "own_wires": True}
    sent = run_trace(rows, "mesh:4", UserRouting("either", either, 2), **how)
    assert sent.delivered.tolist() == delivered


def test_commands_state_the_service() -> None:
    words = ("simulate", "bit-reverse", "-N", "cube:3", "--cycles", 500, "--service", "turns")
    (record,) = json.loads(run(*words, "-f", "json").stdout)
    found = simulate(catalog.bit_reverse(3), "cube:3", cycles=500, service="turns")
    assert (record["service"], record["latency"]) == ("turns", pytest.approx(found.latency))
    assert "order of service" in run(*words).stdout
    assert "--tie changes nothing with --service turns" in refused(run(*words, "--tie", "oldest"))
    without = (*words[:-2], "--service-rounds", 2)
    assert "--service-rounds requires --service turns" in refused(run(*without))
