"""Ports of hosts: max over hosts of what they send or receive, S(h) or R(h), by definition."""

import pickle
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.certificates.checker import check
from lccmodel.certificates.writer import certificate_of
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.network import Network, as_network
from lccmodel.pipelining import Task
from lccmodel.placement.ports import hosts_of, is_port_fixed, port_volume
from lccmodel.wormhole import simulate
from tests.choosing import fast_only


def by_definition(
    program: Program, network: Network, node_of: list[int], objective: str
) -> Fraction:
    """Message by message: every host's sent and received volume, phase by phase or together."""
    name = network.names or range(network.size)
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


def a_program(seed: int, second: Fraction = Fraction(2, 3)) -> Program:
    """Two phases of five ranks, of weights 1 and `second`."""
    rng = np.random.default_rng(seed)
    sent = [Traffic(rng.integers(0, 5, (9, 2)), rng.integers(1, 9, 9), 5) for _ in range(2)]
    return Program([Phase(sent[0], 1), Phase(sent[1], second)])


@pytest.mark.parametrize("objective", ["max-max", "sum-sum", "joint", "max-sum"])
@pytest.mark.parametrize("word", ["mesh:5", "fattree:2x3/2", "torus:3x2,nodes=0-4", "slurm"])
def test_the_port_volume_is_that_of_the_definition(word, objective, tmp_path):
    """Hosts with several slots have one port; messages inside use none, and placement matters."""
    (tmp_path / "topology.conf").write_text("SwitchName=s Nodes=a,b,c\n")
    slots = f"slurm:{tmp_path / 'topology.conf'}*2"
    network = as_network(slots if word == "slurm" else word)
    assert is_port_fixed(network) == (word != "slurm")
    if word == "slurm":
        assert sorted(Counter(hosts_of(network).tolist()).values()) == [2, 2, 2]
    for seed in range(4):
        program = a_program(seed)
        node_of = np.random.default_rng(seed).permutation(network.size)[:5]
        counted = port_volume(program, network, node_of, objective)
        assert counted == by_definition(program, network, node_of.tolist(), objective)


@cache
def channel_and_port(word: str) -> dict[tuple[int, ...], tuple[int, Fraction]]:
    """For every placement of five ranks the busiest channel and the volume at the busiest port."""
    network, program, counted = as_network(word), a_program(3, Fraction(1)), {}
    for p in permutations(range(network.size), 5):
        loads = [network.channel_loads(one.traffic, node_of=np.array(p)).counts for one in program]
        busiest = int(sum(part.astype(int) for part in loads).max())
        counted[p] = busiest, by_definition(program, network, list(p), "joint")
    return counted


@pytest.mark.parametrize("word", fast_only(["torus:5", "fattree:2x3/2", "mesh:3x2"], "torus:5"))
@pytest.mark.parametrize("stated", fast_only(["off", "1", "2", "1/3"], "1/3", "off"))
def test_the_larger_of_channel_and_port_is_minimised(word, stated):
    """The least of max(busiest channel, port volume / bandwidth) over all placements.

    The word on a network is the option `ports`; the search is that of the channels.
    """
    off, program = f"{word},hosts=off", a_program(3, Fraction(1))
    counted, bandwidth = channel_and_port(off), None if stated == "off" else Fraction(stated)
    value = {
        p: max(busiest, at_port / bandwidth) if bandwidth else busiest
        for p, (busiest, at_port) in counted.items()
    }
    m = lcc.place(program, f"{word},hosts={stated}", "joint", "placements", seconds=0.02)
    placed = tuple(m.node_of.tolist())
    assert m.after.value == value[placed] == min(value.values())
    assert m.before.value == value[tuple(range(5))]
    assert m.lower_bound <= min(value.values())
    assert m.optimal == bool(m.proof)
    assert m.port_bandwidth == bandwidth
    load = bandwidth and counted[placed][1] / bandwidth
    assert m.records()[0].get("port_load_after") == load
    by_option = lcc.place(program, off, "joint", "placements", seconds=0.02, ports=bandwidth)
    alone = lcc.place(program, off, "joint", "placements", seconds=0.02)
    assert m.node_of.tolist() == by_option.node_of.tolist() == alone.node_of.tolist()
    assert m.after.value == by_option.after.value
    assert m.channels.after.value == alone.after.value


def test_the_answer_of_ranks_counts_ports_too():
    """Matrix transposition: every node sends one message, so ports carry 1; channels 2, then 1."""
    m = lcc.place(lcc.catalog.matrix_transpose(4), "cube:4", ports="1/2")
    assert (m.before.value, m.after.value, m.lower_bound, m.optimal) == (2, 2, 2, True)


@pytest.mark.parametrize(("objective", "ports", "words"), [
    *(("joint", ports, "must be a positive number") for ports in (0, -1, "x", True, float("nan"))),
    ("distance", 1, "must be omitted for distance"),
])  # fmt: skip
def test_a_bandwidth_is_a_positive_number_of_a_busiest_port(objective, ports, words):
    with pytest.raises(InputError, match=f"ports: {words}"):
        lcc.place([(0, 1)], "mesh:2", objective, ports=ports)


def test_a_fat_tree_whose_ports_are_busier_says_so_in_every_format():
    """0.4 promised 28 % less where a flow simulation finished at the host's port."""
    star = [(x, 0) for x in range(1, 16)] + [(x, (x + 5) % 16) for x in range(16)]
    m = lcc.place(star, "fattree:4x4/2", seconds=0.02)
    assert (m.after.value, m.optimal) == (16, True)
    record = m.records()[0]
    assert record["ports_after"] == record["port_load_after"] == record["value_after"] == 16
    assert record["channels_after"] == m.channels.after.value < 16
    table = m.as_table()
    assert all("16" in table.render(form) for form in ("table", "json", "csv", "markdown", "latex"))


@pytest.mark.parametrize("word", [
    "torus:4x4,hosts=2", "mesh:4x4,bandwidth=2:1,hosts=1/3", "cube:3,hosts=2", "origin:4,hosts=off",
    "mesh:2x2*2,hosts=2", "fattree:4x4/2,hosts=2", "dragonfly:2,4,2,hosts=3", "hyperx:3x3,hosts=2",
    "torus:4x4,ties=split,hosts=2,nodes=0-3", "mesh:2x2*4/2,hosts=5", "fattree:4x4*2,hosts=off",
])  # fmt: skip
def test_any_network_states_the_ports_of_its_hosts(word):
    network = as_network(word)
    plain = as_network(re.sub(",hosts=[^,]*", "", word))
    assert network.spec == word
    assert as_network(network.spec) == network == pickle.loads(pickle.dumps(network))
    assert hash(as_network(word)) == hash(network)
    assert network.with_hosts(None) == plain != network
    assert network.with_hosts(None).spec == plain.spec
    pairs = [(0, 1), (1, 2), (2, 0)]
    assert network.path(0, 3) == plain.path(0, 3), "hosts change no route"
    assert network.channel_loads(pairs).per_dimension == plain.channel_loads(pairs).per_dimension


@pytest.mark.parametrize(("word", "width"), [
    ("torus:4x4", None), ("torus:4x4,hosts=3/2", Fraction(3, 2)), ("fattree:4x4", 1),
    ("fattree:4x4,hosts=off", None), ("fattree:4x4,hosts=4", 4), ("dragonfly:1,2,1", None),
    ("fattree:4x4,nodes=0-5", 1), ("torus:4x4,hosts=2,nodes=0-5", 2),
])  # fmt: skip
def test_ports_count_on_fat_trees_unless_stated(word, width):
    assert as_network(word).host_bandwidth == width


@pytest.mark.parametrize("stated", ["0", "-1", "x", "", "1/0", "1,hosts=2", "nan", "inf"])
def test_other_bandwidths_are_refused_by_one_line(stated):
    with pytest.raises(InputError, match="hosts") as refused:
        as_network(f"torus:4x4,hosts={stated}")
    assert "\n" not in str(refused.value)


def test_a_graph_states_ports_in_its_file(tmp_path):
    """There `hosts=` is the number of nodes at a router."""
    (tmp_path / "links").write_text("a b\n")
    network = as_network(f"graph:{tmp_path / 'links'},hosts=2")
    assert (network.size, network.host_bandwidth) == (4, None)
    with pytest.raises(InputError, match="the file of the network states"):
        network.with_hosts(2)


def test_contention_states_volume_and_load_at_the_ports():
    """`ports` is the volume under its older name; the option of schedules has that key, too."""
    star = [(x, 0, 3) for x in range(1, 5)]
    for word, load in (("torus:5", None), ("torus:5,hosts=8", Fraction(3, 2)), ("fattree:2x3", 12)):
        (record,) = lcc.contention(star, word).records()
        assert (record["port_volume"], record["ports"], record["port_load"]) == (12, 12, load)


def test_ports_of_collectives_carry_what_the_network_states():
    """A rank of an all-to-all on two nodes sends half of its vector through its port."""
    words = ("torus:2", "torus:2,hosts=1", "torus:2,hosts=8", "torus:2,hosts=1/4")
    plain, *wide, narrow = (
        lcc.collectives.alltoall("linear", word).loads().busiest for word in words
    )
    assert wide == [plain, plain]
    assert narrow == 4 * plain


def test_where_ports_are_a_convention_the_word_is_refused_in_one_line():
    with pytest.raises(InputError, match="a simulated port carries a flit per cycle"):
        simulate("bit-reverse", "torus:4x4,hosts=2", cycles=100)
    assert not simulate("bit-reverse", "torus:4x4,hosts=1", cycles=1000).saturated
    with pytest.raises(InputError, match="must not state hosts"):
        Task(0, 4, "torus:4x4,hosts=1")


def test_a_certificate_of_a_fat_tree_is_of_its_channels():
    m = lcc.place([(0, 2, 3), (2, 0, 3), (4, 6, 1)], "fattree:2^3", "joint", seconds=0.1)
    assert (m.after.value, m.channels.after.value) == (3, 0)
    made = certificate_of(m)
    assert made["answer"]["value"] == 0
    assert check(made)
