"""Ports of hosts: max over hosts of what they send or receive, S(h) or R(h), by definition."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.network import Network, as_network
from lccmodel.placement.ports import hosts_of, is_port_fixed, port_volume
from tests.choosing import fast_only


def by_definition(
    program: Program, network: Network, node_of: list[int], objective: str
) -> Fraction:
    """Message by message: every host's sent and received volume, phase by phase or together."""
    name = [network.names[v] if network.names else v for v in range(network.size)]
    phases = []
    for phase in program:
        carried: Counter[tuple[str, object]] = Counter()
        for (x, y), volume in zip(phase.traffic.messages, phase.traffic.volumes, strict=True):
            here, there = name[node_of[x]], name[node_of[y]]
            if here != there:
                weighted = Fraction(int(volume)) * Fraction(phase.weight)
                carried["sent", here] += weighted
                carried["received", there] += weighted
        phases.append(carried)
    most = [max(carried.values(), default=Fraction(0)) for carried in phases]
    if objective == "max-max":
        return max(most)
    if objective == "sum-sum":
        return sum(most, Fraction(0))
    return max(sum(phases, Counter()).values(), default=Fraction(0))


def a_program(seed: int, ranks: int) -> Program:
    rng = np.random.default_rng(seed)
    return Program(
        [
            Phase(Traffic(rng.integers(0, ranks, (9, 2)), rng.integers(1, 9, 9), ranks), weight)
            for weight in (1, Fraction(2, 3))
        ]
    )


@pytest.mark.parametrize("objective", ["max-max", "sum-sum", "joint", "max-sum"])
@pytest.mark.parametrize("word", ["mesh:5", "fattree:2x3/2", "torus:3x2,nodes=0-4"])
def test_the_port_volume_is_that_of_the_definition(word: str, objective: str) -> None:
    network = as_network(word)
    for seed in range(4):
        program = a_program(seed, 5)
        node_of = np.random.default_rng(seed).permutation(network.size)[:5]
        counted = port_volume(program, network, node_of, objective)
        assert counted == by_definition(program, network, node_of.tolist(), objective)


def test_slots_of_one_host_share_its_port(tmp_path: Path) -> None:
    """Two hosts with two slots: messages inside a host use no port, and placement matters."""
    file = tmp_path / "topology.conf"
    file.write_text("SwitchName=s Nodes=a,b\n")
    network = as_network(f"slurm:{file}*2")
    assert sorted(Counter(hosts_of(network).tolist()).values()) == [2, 2]
    assert not is_port_fixed(network)
    program = Program.of([(0, 1), (1, 0), (2, 3), (3, 2)])
    assert port_volume(program, network, np.array([0, 1, 2, 3])) == 0
    assert port_volume(program, network, np.array([0, 2, 1, 3])) == 2


@pytest.mark.parametrize(
    "word", fast_only(["mesh:5", "torus:5", "fattree:2x3/2", "mesh:3x2"], "mesh:5")
)
@pytest.mark.parametrize("bandwidth", [1, 2, Fraction(1, 3)])
def test_the_larger_of_channel_and_port_is_minimised(word: str, bandwidth: Fraction) -> None:
    """The least of max(busiest channel, port volume / bandwidth) over all placements."""
    network, program = as_network(word), Program.of([(0, 4), (1, 4), (2, 4), (3, 1), (4, 2)])
    least = min(
        max(
            int(network.channel_loads(program.phases[0].traffic, node_of=np.array(p)).counts.max()),
            by_definition(program, network, list(p), "joint") / bandwidth,
        )
        for p in permutations(range(network.size), 5)
    )
    m = lcc.place(program, word, "joint", "placements", seconds=0.03, ports=bandwidth)
    assert m.after.value == least
    assert m.lower_bound <= least <= m.before.value
    assert m.port_bandwidth == bandwidth
    assert m.optimal == bool(m.proof)


def test_without_ports_the_channels_alone_count() -> None:
    """The control: the star has one message on the busiest channel, and four at the port."""
    star = Program.of([(x, 4) for x in range(4)])
    alone = lcc.place(star, "torus:5", "joint", "placements", seconds=0.05)
    assert alone.after.value < alone.ports[1] == 4
    assert lcc.place(star, "torus:5", "joint", ports=1).after.value == 4


def test_the_answer_of_ranks_counts_ports_too() -> None:
    """Matrix transposition: every node sends one message, so ports carry 1; channels 2, then 1."""
    m = lcc.place(lcc.catalog.matrix_transpose(4), "cube:4", ports="1/2")
    assert (m.before.value, m.after.value, m.lower_bound, m.optimal) == (2, 2, 2, True)


@pytest.mark.parametrize("ports", [0, -1, "x", True, float("nan")])
def test_a_bandwidth_is_a_positive_number(ports: object) -> None:
    with pytest.raises(InputError, match="ports: must be a positive number"):
        lcc.place([(0, 1)], "mesh:2", ports=ports)


def test_objectives_without_a_busiest_channel_have_no_busiest_port() -> None:
    with pytest.raises(InputError, match="ports: must be omitted for distance"):
        lcc.place([(0, 1)], "mesh:2", "distance", ports=1)


def test_a_fat_tree_whose_ports_are_busier_says_so_in_every_format() -> None:
    """0.4 promised 28 % less where a flow simulation finished at the host's port."""
    star = [(x, 0) for x in range(1, 16)] + [(x, (x + 5) % 16) for x in range(16)]
    m = lcc.place(star, "fattree:4x4/2", seconds=0.05)
    (note,) = [note for note in m.notes if "port of a host" in note]
    assert f"both together are {max(16, m.before.value)} → 16, the minimum" in note
    counted = lcc.place(star, "fattree:4x4/2", seconds=0.03, ports=1)
    assert (counted.before.value, counted.after.value) == (max(16, m.before.value), 16)
    assert counted.optimal
    assert m.records()[0]["ports_after"] == 16
    table = m.as_table()
    assert all("16" in table.render(form) for form in ("table", "json", "csv", "markdown", "latex"))
