"""What a command assumes stands above its result; what is nearly a network is answered by one."""

import json

import pytest

from lccmodel.errors import NetworkError
from lccmodel.network import parse_network
from lccmodel.problem import Problem
from tests.cli.calling import run

ASSUMED = "Assumed network: cube:2, a hypercube. Specify yours with --network."


@pytest.fixture
def trace(tmp_path):
    file = tmp_path / "trace.csv"
    file.write_text("source,target,volume\n0,1,5\n1,2,5\n2,0,4\n3,0,1\n")
    return str(file)


@pytest.mark.parametrize("command", ["map", "contention"])
def test_the_first_line_names_an_assumed_hypercube(command, trace):
    assert run(command, trace).stdout.splitlines()[0] == ASSUMED
    assert ASSUMED in json.loads(run(command, trace, "-f", "json").stdout)[0]["notes"]
    named = run(command, trace, "--network", "cube:2").stdout
    assert "Assumed" not in named


def test_a_file_that_names_its_network_assumes_nothing(tmp_path):
    file = tmp_path / "program.json"
    file.write_text('{"network": "mesh:4", "pairs": [[0, 1], [1, 2]]}')
    assert not any("Assumed" in note for note in Problem.read(str(file)).notes)


def test_a_word_of_the_catalogue_is_of_the_hypercube_by_its_definition():
    assert Problem.read("y0 = x1; y1 = x0").notes == ()


@pytest.mark.parametrize(
    ("sides", "meant"),
    [
        ("8x8", "torus:8x8 or mesh:8x8"),
        ("4x4x4*2", "torus:4x4x4*2 or mesh:4x4x4*2"),
        ("4^3", "fattree:4^3"),
    ],
)
def test_sides_without_a_kind_are_answered_with_the_networks_that_they_may_mean(sides, meant):
    with pytest.raises(NetworkError, match="did you mean") as raised:
        parse_network(sides)
    assert f"did you mean {meant}?" in str(raised.value)
    for word in meant.split(" or "):
        assert parse_network(word).spec == word


def test_hosts_of_a_network_with_slots_have_its_slots(tmp_path):
    """16 hosts on torus:4x4*4 were refused: one slot each for 64 ranks."""
    file = tmp_path / "ranks.txt"
    command = ["map", "grid:8x8:rings:8,1", "--network", "torus:4x4*4", "--moves", "0"]
    printed = run(*command, "--rankfile", str(file), "--hosts", "node[01-16]").stdout
    assert "every host has 4 slots, as a node of torus:4x4*4" in " ".join(printed.split())
    slots = [line.split("=", 1)[1] for line in file.read_text().splitlines()]
    assert sorted(slots) == sorted(
        f"node{k:02} slot={slot}" for k in range(1, 17) for slot in range(4)
    )
