"""The present placement: nodes of ranks by names or positions, and searches that start from it.

Nodes are compared with a count by hand; values with the loads that another route counts (messages
walked over the explicit graph by `contention`), never with the search itself.
"""

from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.errors import InputError
from lccmodel.network import Allocation, Mesh, as_network
from lccmodel.placement.present import moved_ranks, present_nodes
from lccmodel.reading.found import Found
from tests.choosing import fast_only
from tests.cli.calling import records, refused, run

LINE = Allocation(Mesh((4,)), [0, 1, 2, 3], ["n1.x", "n1.x", "n2.x", "n3.x"])


def placed(*hosts: str) -> Found:
    return Found("placement", "list", hosts, (), "now.txt")


BAAB = ("b", "a", "a", "b")


@pytest.mark.parametrize(("network", "hosts", "listed", "outcome"), [
    (LINE, ("n1.x", "n1.x", "n2.x", "n3.x"), None, [0, 1, 2, 3]),
    (LINE, ("n3.x", "n1.x", "n2.x", "n1.x"), None, [3, 0, 2, 1]),
    (LINE, ("n3", "n1", "n2"), None, [3, 0, 2]),
    (LINE, ("n1.x", "n9"), None, "must name hosts of"),
    (LINE, ("n1.y", "n2.x"), None, "must name hosts of"),
    (LINE, ("n2", "n2"), None, "at most 1 ranks on n2"), (LINE, ("n2", "n2.x"), None, "in one way"),
    (LINE, ("n1",), None, "the host of 2 ranks"),
    ("mesh:4", BAAB, None, [0, 2, 3, 1]), ("mesh:2*3", BAAB, None, [0, 3, 4, 1]),
    ("mesh:4", BAAB, (("a", 2), ("b", 2)), [2, 0, 1, 3]),
    ("mesh:4", BAAB, (("a", 4),), "of the list of hosts"),
    ("mesh:4", BAAB, (("b", 3), ("a", 2)), "at most 1 ranks on a"),
    ("mesh:4", BAAB, (("b", 4), ("a", 2)), "4 slots together"),
])  # fmt: skip
def test_hosts_match_by_name_full_or_short_or_by_position(network, hosts, listed, outcome):
    """The nodes of the ranks, or the words of a refusal.

    Without names the first host has the first nodes, or those that a list gives it.
    """
    asked = placed(*hosts), as_network(network), max(2, len(hosts)), listed
    if isinstance(outcome, list):
        assert present_nodes(*asked)[0].tolist() == outcome
    else:
        with pytest.raises(InputError, match=outcome):
            present_nodes(*asked)


def test_an_order_of_ranks_needs_hosts(tmp_path):
    """MPICH_RANK_ORDER is the inverse: slot k runs the k-th rank of the file."""
    order = tmp_path / "MPICH_RANK_ORDER"
    order.write_text("0,2\n1,3\n")
    with pytest.raises(InputError, match="counts hosts by position"):
        present_nodes(order, as_network("mesh:4"), 4)
    nodes, _ = present_nodes(order, as_network("mesh:4"), 4, (("h0", 2), ("h1", 2)))
    assert nodes.tolist() == [0, 2, 1, 3]


def test_ranks_that_send_nothing_are_left_out():
    nodes, notes = present_nodes(placed("n3", "n2", "n1"), LINE, 2)
    assert nodes.tolist() == [3, 2]
    assert notes[0] == "of 3 placed ranks, the last 1 send nothing"


@pytest.mark.parametrize(("options", "words"), [
    *(({"now": now}, "now") for now in ([0, 0, 1], [0, 1], [0, 1, 4], [0, 1, -1], [0.5, 1, 2])),
    ({"now": "nothing"}, "nothing"), ({"now": [0, 1, 2], "over": "orders"}, "must be placements"),
    ({"hosts": "a,b"}, "with a present placement"),
])  # fmt: skip
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        lcc.place([(0, 1), (1, 2)], "mesh:4", **options)


@pytest.mark.parametrize("seed", fast_only(range(6), 0))
@pytest.mark.parametrize("objective", ["max-max", "joint", "distance"])
def test_the_answer_is_never_worse_than_the_present_placement(seed, objective):
    """Also without any search; and its value is that of messages walked over the graph."""
    draw = np.random.default_rng(seed)
    pairs = draw.integers(0, 12, (30, 2))
    sent = [(int(a), int(b)) for a, b in pairs if a != b]
    now = draw.permutation(16)[: max(map(max, sent)) + 1]
    answer = lcc.place(sent, "torus:4x4", objective, now=now, moves=0)
    assert answer.now is not None
    assert answer.after.value <= answer.now.value
    walked = lcc.contention(sent, "torus:4x4", node_of=now)
    assert answer.now.joint == max(walked.per_dimension)
    assert answer.now.distance == walked.distance
    assert answer.moved_ranks == int((answer.node_of != now).sum())


def test_a_placement_that_meets_the_bound_stays():
    """No rank moves where nothing better exists, although natural numbering is as good."""
    ring = [(x, (x + 1) % 8) for x in range(8)]
    now = np.roll(np.arange(8), 3)
    answer = lcc.place(ring, "torus:8", now=now)
    assert (answer.moved_ranks, answer.optimal) == (0, True)
    assert answer.node_of.tolist() == now.tolist()
    assert answer.found == "the present placement"
    assert lcc.place("bit-reverse", "cube:4", now=range(16), moves=0).over == "placements"


def test_another_slot_of_a_host_is_no_move():
    network = as_network("mesh:2*2")
    assert moved_ranks(network, np.array([0, 1, 2]), np.array([1, 2, 3])) == 1
    assert moved_ranks(LINE, np.array([0, 1, 2]), np.array([1, 0, 3])) == 1


TOPOLOGY = (
    "SwitchName=leaf1 Nodes=ant[01-02]\nSwitchName=leaf2 Nodes=ant[03-04]\n"
    "SwitchName=top Switches=leaf[1-2]\n"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """Pairs 0-1 and 2-3, each between two leaves of a tree now."""
    contents = {
        "pairs.csv": "source,destination,bytes\n0,1,1000\n2,3,1000\n",
        "topo.conf": TOPOLOGY,
        "now.txt": "0: ant01\n1: ant03\n2: ant02\n3: ant04\n",
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    pairs, topology, now = (str(tmp_path / name) for name in contents)
    return pairs, f"slurm:{topology}", now


def test_the_commands_say_what_the_present_placement_costs(files):
    """Both messages cross the one uplink of a leaf now, 2,000; none has to."""
    pairs, network, now = files
    assert records("contention", pairs, "-N", network, "--now", now)[0]["degree"] == 2000
    record = records("map", pairs, "-N", network, "--now", now)[0]
    assert (record["value_now"], record["value_after"], record["lower_bound"]) == (2000, 0, 0)
    assert record["moved_ranks"] == 2
    assert record["node_of_now"] == [0, 2, 1, 3]
    assert record["loads_now"] == [2000]
    table = run("map", pairs, "-N", network, "--now", now).stdout
    assert "now 2,000, best 0, bound 0, moves 2 of 4 ranks" in table


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("command", ["map", "contention"])
def test_notes_of_the_present_placement_are_in_every_format(files, command, form):
    pairs, _, now = files
    result = run(command, pairs, "-N", "mesh:4", "--now", now, "-f", form)
    assert result.exit_code == 0
    assert "no names: hosts are taken in the order" in " ".join(result.stdout.split())


def test_options_that_do_not_go_with_a_present_placement(files):
    pairs, network, now = files
    for command, *more in (
        ("contention", "--channels", "--now", now), ("contention", "--hosts", "a,b"),
        ("contention", "--split", "hops", "--now", now), ("map", "--hosts", "a,b"),
        ("map", "--front", "--now", now), ("map", "--now", pairs), ("map", "--now", "/nowhere"),
        ("contention", "--now", pairs),
    ):  # fmt: skip
        refused(run(command, pairs, "-N", network, *more))
