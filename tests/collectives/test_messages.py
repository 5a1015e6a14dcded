"""What is one message, which ports a rank has, and bounds by ports inside and between nodes."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site, has_own_links
from lccmodel.collectives.bounds import ports_between
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import fast_only
from tests.cli import calling

F = Fraction


def test_mirrored_parts_to_one_partner_are_one_message_where_0_4_had_16_start_ups() -> None:
    """On sides of 2 both directions of Swing lead to one rank: 2 n start-ups, as for one part."""
    for n in (1, 2, 3, 4):
        found = collectives.allreduce("swing", f"cube:{n}", ports="all")
        assert found.start_ups == 2 * n == collectives.allreduce("swing", f"cube:{n}").start_ups
    best = collectives.choose("allreduce", Linear(5, "1/1000"), 16384, "torus:4x2x2", ports="all")
    assert best.time == F("44.576")  # 69.6 in 0.4


def test_blocks_of_one_step_between_two_ranks_are_one_message_unless_they_are_of_two_segments() -> (
    None
):
    """By hand: two rows from 0 to 1 start once; the same block in two segments starts twice."""
    step = [(0, 1, [0], "copy"), (0, 1, [1], "copy")]
    plan = collectives.Plan.of_steps("broadcast", 2, [step], 2)
    assert plan.messages == 1
    assert [len(set(t.message_of())) for t in plan.stages] == [1]
    loads = collectives.PlanLoads(plan, as_network("mesh:2"), np.arange(2))
    assert (loads.start_ups, loads.busiest) == (1, 1)
    twice = collectives.Plan.of_steps("broadcast", 2, [[(0, 1, [0])], [(0, 1, [1])]], 2)
    cut = collectives.PlanLoads(twice.segmented(2), as_network("mesh:2"), np.arange(2))
    assert [cost.start_ups for cost in cut.per_step_costs] == [1, 2, 1]


@pytest.mark.parametrize(
    ("word", "own"),
    [
        ("torus:4", True),
        ("hyperx:4", True),
        ("rails:4,2", True),
        ("rails:4,2,nodes=0-3", True),
        ("fattree:4x4", False),
        ("torus:4*2", False),
        ("hyperx:4*2", False),
    ],
)
def test_ranks_with_links_of_their_own_use_all_of_them(word: str, own: bool) -> None:
    """On rails a GPU has a link to its node's switch and a NIC; 0.4 gave it one port."""
    assert has_own_links(as_network(word)) is own
    found = collectives.allreduce("ring", word, ports="all")
    assert bool(found.notes) is not own
    if not own:
        assert found.notes == found.as_table().notes
        plain = collectives.broadcast("binomial", word)
        assert plain.time(Linear(5, 1), 7) == collectives.broadcast(
            "binomial", word, ports="one"
        ).time(Linear(5, 1), 7)
    bound = found.bound
    assert bound.data <= found.busiest
    assert bound.start_ups <= found.start_ups


def test_the_unit_of_bandwidths_of_a_file_is_said(tmp_path: Path) -> None:
    """A port carries 1, so one port of links of 4 takes m, not m / 4; 0.4 did not say so."""
    file = tmp_path / "pair.txt"
    file.write_text("a b 4\nb c 4\nc d 2\n", encoding="utf-8")
    for ports, time in (("one", 8), ("all", 2)):
        found = collectives.collective_of("broadcast", "chain", f"graph:{file}", ports=ports)  # type: ignore[arg-type]
        assert found.loads().per_step[0] * 8 == time
        said = [note for note in found.as_table().notes if "(2, 4) count in this unit" in note]
        assert len(said) == (ports == "one")
    assert not collectives.broadcast("chain", "torus:4,bandwidth=4").notes


def test_hosts_with_several_ports_use_all_of_them(tmp_path: Path) -> None:
    """0.4 gave such a host one port, and its note stated a single link of every rank."""
    file = tmp_path / "two.txt"
    file.write_text("routers: s1 s2\n" + "".join(f"s{s} h{h}\n" for h in range(9) for s in (1, 2)))
    found = collectives.broadcast("binomial", f"graph:{file}", ports="all")
    assert not any("single link" in note for note in found.notes)
    assert as_network(f"graph:{file}").notes[2:] == (
        "h2 has 2 ports",
        "6 further hosts have several ports",
    )


def test_two_links_of_a_host_carry_at_a_time_what_one_port_cannot() -> None:
    """One step: GPU 0 sends to its node over one link and to the other node over its NIC."""
    plan = collectives.Plan.of_steps("broadcast", 4, [[(0, 1, [0]), (0, 2, [0])]], 1)
    where = as_network("rails:2,2")
    for ports, start_ups, busiest in (("one", 2, 2), ("all", 1, 1)):
        loads = collectives.PlanLoads(plan, where, np.arange(4), ports)  # type: ignore[arg-type]
        assert (loads.start_ups, loads.busiest) == (start_ups, busiest)


def test_the_bound_of_two_prices_counts_the_ports_of_a_node_where_0_4_had_174() -> None:
    """Alltoall of 64 MiB on 48 nodes of 8: 47/48 of the vector leaves by every port."""
    inside = Linear(1, "1/300000")
    best = collectives.choose(
        "alltoall", Linear(5, "1/50000"), 1 << 26, "fattree:8x48", inside=inside
    )
    assert best.lower_bound > 1314
    assert best.lower_bound <= best.time


@pytest.mark.parametrize(
    "word", fast_only(["mesh:3*2", "fattree:2x3", "rails:2,3", "torus:4*2,nodes=0-4"], "mesh:3*2")
)
@pytest.mark.parametrize("item", [F(0), F(1, 3), F(1)])
def test_no_plan_is_below_the_bound_of_ports_between_nodes(word: str, item: Fraction) -> None:
    """Every algorithm of every collective, at prices of data by far above start-ups."""
    where = as_network(word)
    for (collective, name), rule in ALGORITHMS.items():
        if rule.covers(Site.on(where)):
            found = collectives.collective_of(collective, name, where)
            bound = ports_between(CollectiveProblem(collective, where, found.node_of), item)
            cost, inside = Linear(1, 1000), Linear(1, 1000 * item)
            below = found.lower_bound(cost, 60, inside=inside)
            assert bound * 60_000 <= below <= found.time(cost, 60, inside=inside), name


def test_the_bound_of_ports_by_hand() -> None:
    """Two nodes of two: an allgather brings 1/2 from outside and 2/4 more to two ports."""
    nodes, where = np.arange(4), as_network("mesh:2*2")
    assert ports_between(CollectiveProblem("allgather", where, nodes), F(0)) == F(1, 4)
    assert ports_between(CollectiveProblem("allgather", where, nodes), F(1)) == F(3, 4)
    assert ports_between(CollectiveProblem("alltoall", where, nodes), F(0)) == F(1, 2)
    assert ports_between(CollectiveProblem("allreduce", where, nodes), F(0)) == F(1, 2)
    assert ports_between(CollectiveProblem("barrier", where, nodes), F(1)) == 0
    on_one = CollectiveProblem("allreduce", as_network("mesh:2*2,nodes=0-1"))
    assert ports_between(on_one, F(1)) == 0


def test_one_rank_meets_its_bound_where_0_4_printed_infinity() -> None:
    asked = ["collective", "allreduce", "-N", "torus:4", "--nodes", "0"]
    found = calling.run(*asked, "--alpha", "5", "--tau", "1")
    assert found.exit_code == 0
    assert "∞" not in found.output
    assert "1.00" in found.output


@pytest.mark.parametrize(
    "asked",
    [
        ["allreduce", "-N", "torus:4", "--optimal", "--hop", "3"],
        ["allreduce", "-N", "torus:4", "--optimal", "--add", "3"],
        ["allreduce", "-N", "torus:4", "--optimal", "--bytes", "3"],
        ["allreduce", "-N", "torus:4", "--optimal", "--unit", "s"],
        ["allreduce", "-N", "torus:4*2", "--optimal", "--inside-alpha", "3", "--inside-tau", "1"],
        ["allreduce", "--formula", "-N", "nosense"],
        ["allreduce", "--formula", "--machine", "nosuch.toml"],
        ["allreduce", "--formula", "--root", "1"],
        ["allreduce", "-N", "torus:4", "--alpha", "1", "--tau", "1", "--root", "1"],
        ["barrier", "-N", "torus:4", "--optimal", "--root", "1"],
        ["allreduce", "-N", "torus:4", "--algorithm", "ring", "--hop", "1"],
        ["allreduce", "-N", "torus:4", "--algorithm", "ring", "--bytes", "1"],
        ["allreduce", "-N", "torus:4", "--algorithm", "ring", "--unit", "s"],
    ],
    ids=" ".join,
)
def test_an_option_that_changes_nothing_is_refused_where_0_4_ignored_it(asked: list[str]) -> None:
    found = calling.run("collective", *asked)
    assert found.exit_code == 2
    assert len(found.output.strip().splitlines()) == 1


def test_a_root_goes_with_a_broadcast_or_a_reduction() -> None:
    with pytest.raises(InputError, match="root"):
        collectives.allreduce("ring", "torus:4", root=1)


def test_rows_of_one_message_have_one_number() -> None:
    """The CSV of a plan: swing with all ports on cube:2, 4 ranks × 2 links × 4 steps."""
    from lccmodel.cli.collective import plan_text

    plan = collectives.allreduce("swing", "cube:2", ports="all").plan
    head, *rows = [line.split(",") for line in plan_text(plan).splitlines()]
    assert head == ["step", "source", "destination", "block", "operation", "message"]
    numbers = {tuple(row[:3]): set() for row in rows}
    for row in rows:
        numbers[tuple(row[:3])].add(row[5])
    assert all(len(some) == 1 for some in numbers.values())
    assert len(set().union(*numbers.values())) == len(numbers) == plan.messages == 32
    assert all(first != second for first, second in combinations(map(min, numbers.values()), 2))


def test_messages_are_counted_by_pairs_of_ranks() -> None:
    for name, ports in product(("swing", "ring", "bucket"), ("one", "all")):
        plan = collectives.allreduce(name, "torus:2x4", ports=ports).plan
        pairs = sum(
            t.times
            * len({(u, v) for s in t.sends for u, v in zip(s.source, s.destination, strict=True)})
            for t in plan.stages
        )
        assert plan.messages == pairs
