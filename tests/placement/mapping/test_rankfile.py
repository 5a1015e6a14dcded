"""Rank files are read back by small independent readers of each launcher's rule."""

from __future__ import annotations

import json
import re
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lccmodel as lcc
from lccmodel.errors import FileError, InputError
from lccmodel.ground.arrays import inverse_mapping
from lccmodel.network import hosts as rank_files
from lccmodel.network.hosts import (
    cray_rank_order,
    device_order,
    hydra_machinefile,
    lsf_resource_file,
    open_mpi_rankfile,
    placement,
    read_hosts,
    slurm_hostfile,
)
from lccmodel.placement.launchers import LAUNCHERS, Launcher
from lccmodel.reading.hostlist import Host
from lccmodel.reading.recognise import hosts_of


def parse_hosts(text):
    """The hosts of a typed list."""
    return tuple(Host(*host) for host in hosts_of(text).value)


def processors(hosts):
    """(host, slot) of physical processors 0, 1, ..., by counting down the host list."""
    counted: dict[str, int] = {}
    places = []
    for name, slots in hosts:
        for _ in range(slots):
            places.append((name, counted.get(name, 0)))
            counted[name] = counted.get(name, 0) + 1
    return places


@st.composite
def mappings_and_hosts(draw):
    """A mapping of 1..16 processors, and hosts with slots enough, the last ones not all used."""
    count = draw(st.integers(1, 16))
    hosts, slots = [], 0
    while slots < count:
        hosts.append((f"node{len(hosts):02}.cluster-1", draw(st.integers(1, 5))))
        slots += hosts[-1][1]
    return draw(st.permutations(range(count))), hosts


def values(hosts):
    return [Host(name, slots) for name, slots in hosts]


@given(mappings_and_hosts())
def test_hydra_fills_line_after_line(case):
    """As the Hydra of MPICH 5.0.2 and Intel MPI 2021.19 did on a:1, b:2, a:1: a, b, b, a."""
    to_physical, hosts = case
    ranks = []
    for line in hydra_machinefile(to_physical, values(hosts)).splitlines():
        name, many = line.split(":")
        ranks += [name] * int(many)
    assert ranks == [processors(hosts)[p][0] for p in to_physical]


@given(mappings_and_hosts())
def test_lsf_names_hosts_by_number(case):
    to_physical, hosts = case
    head, *lines = lsf_resource_file(to_physical, values(hosts)).splitlines()
    assert head == "cpu_index_using: logical"
    for rank, line in enumerate(lines):
        match = re.fullmatch(r"rank: (\d+): { host: (\d+); cpu: {(\d+)} }", line)
        place = (hosts[int(match[2]) - 1][0], int(match[3]))
        assert (int(match[1]), processors(hosts).index(place)) == (rank, to_physical[rank])
    assert len(lines) == len(to_physical)


@given(mappings_and_hosts())
def test_devices_stand_in_the_order_of_ranks(case):
    assert json.loads(device_order(case[0])) == list(case[0])


def test_every_launcher_has_its_line_in_the_table():
    assert set(get_args(Launcher)) == set(LAUNCHERS)
    for launch in LAUNCHERS.values():
        text = getattr(rank_files, launch.writer)([1, 0], ["a", "b"])
        assert text.endswith("\n")
        assert "{file}" in launch.command


@given(mappings_and_hosts())
def test_open_mpi_places_rank_v_on_processor_to_physical_v(case):
    to_physical, hosts = case
    read = {}
    for line in open_mpi_rankfile(to_physical, values(hosts)).splitlines():
        match = re.fullmatch(r"rank (\d+)=(\S+) slot=(\d+)", line)
        read[int(match[1])] = (match[2], int(match[3]))
    assert sorted(read) == list(range(len(to_physical)))
    assert len(set(read.values())) == len(read)
    for rank, place in read.items():
        assert processors(hosts).index(place) == to_physical[rank]


@given(mappings_and_hosts())
def test_slurm_names_the_host_of_rank_k_in_line_k(case):
    to_physical, hosts = case
    lines = slurm_hostfile(to_physical, values(hosts)).splitlines()
    assert lines == [processors(hosts)[processor][0] for processor in to_physical]


@given(mappings_and_hosts(), st.booleans())
def test_cray_lists_the_rank_of_every_slot(case, broken):
    """The k-th number is the rank that is started in slot k, as the launcher fills the hosts."""
    to_physical, hosts = case
    text = cray_rank_order(to_physical, values(hosts) if broken else None)
    started = [int(number) for number in re.findall(r"\d+", text)]
    for slot, rank in enumerate(started):
        assert to_physical[rank] == slot
    assert len(started) == len(to_physical)
    if broken:
        lengths = [len(line.split(",")) for line in text.splitlines()]
        assert all(length <= slots for length, (_, slots) in zip(lengths, hosts, strict=False))
        assert lengths[:-1] == [slots for _, slots in hosts[: len(lengths) - 1]]
    else:
        assert text.count("\n") == 1


def test_the_direction_is_not_the_inverse():
    """A rotation differs from its inverse, so a file with the two exchanged is caught."""
    to_physical = np.array([1, 2, 3, 0])
    hosts = ["a", "b", "c", "d"]
    assert slurm_hostfile(to_physical, hosts).split() == ["b", "c", "d", "a"]
    assert cray_rank_order(to_physical) == "3,0,1,2\n"
    assert open_mpi_rankfile(to_physical, hosts).splitlines()[0] == "rank 0=b slot=0"
    assert inverse_mapping(to_physical).tolist() == [3, 0, 1, 2]


def test_names_with_slots_per_host_and_repeated_names():
    assert [slot.host for slot in placement(range(4), ["a", "b"], 2)] == ["a", "a", "b", "b"]
    repeated = placement(range(3), ["a", "b", "a"])
    assert [(slot.host, slot.index) for slot in repeated] == [("a", 0), ("b", 0), ("a", 1)]
    assert cray_rank_order(range(3), ["a", "a", "b"]) == "0,1\n2\n"


def test_reading_hosts(tmp_path):
    path = tmp_path / "hosts"
    path.write_text(
        "# the cluster\n"
        "\n"
        "node01 slots=2   # two of them\n"
        "  node02:3\n"
        "node03 slots = 4 max_slots=8\n"
        "10.0.0.7 max-slots=2\r\n"
        "node04",
        encoding="utf-8",
    )
    assert read_hosts(path) == (
        Host("node01", 2),
        Host("node02", 3),
        Host("node03", 4),
        Host("10.0.0.7", 1),
        Host("node04", 1),
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("node slots=0", "positive integer"),
        ("node slots=x", "positive integer"),
        ("node slots=", "positive integer"),
        ("node:0", "positive integer"),
        ("node:1:2", "positive integer"),
        ("node max_slots=-1", "positive integer"),
        ("node:2 slots=2", "at most one of"),
        ("node slots=1 slots=2", "at most one of"),
        ("node 4", "at most one of"),
        ("node other", "at most one of"),
        ("no=de", "host name"),
        ("nöde", "host name"),
        ("-node", "host name"),
        (":4", "host name"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, reason):
    path = tmp_path / "hosts"
    path.write_text(f"good\n# comment\n{line}\n", encoding="utf-8")
    with pytest.raises(FileError, match=reason) as caught:
        read_hosts(path)
    assert caught.value.line == 3
    assert str(caught.value).startswith(f"{path}:3")


def test_files_without_hosts(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("# nothing\n\n")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (empty, binary, tmp_path / "absent", tmp_path):
        with pytest.raises(FileError) as caught:
            read_hosts(path)
        assert caught.value.line <= 1


@pytest.mark.parametrize("write", [open_mpi_rankfile, slurm_hostfile, cray_rank_order])
@pytest.mark.parametrize("mapping", [[], [0, 0], [0.0, 1.0], [[0, 1]], "01", [-1, 0]])
def test_what_places_no_ranks_is_refused(write, mapping):
    with pytest.raises(InputError, match=r"permutation|different integers") as caught:
        write(mapping, ["a", "b"])
    assert caught.value.argument == "to_physical"


def test_processors_may_stay_idle():
    """1000 ranks on 1024 slots are an answer, except where a launch fills slot after slot."""
    places = np.random.default_rng(1).permutation(1024)[:1000]
    hosts = [Host(f"n{k}", 16) for k in range(64)]
    lines = slurm_hostfile(places, hosts).splitlines()
    assert lines == [f"n{place // 16}" for place in places]
    read = re.findall(r"rank (\d+)=n(\d+) slot=(\d+)", open_mpi_rankfile(places, hosts))
    assert [(int(r), 16 * int(h) + int(s)) for r, h, s in read] == list(enumerate(places.tolist()))
    with pytest.raises(InputError, match="permutation"):
        cray_rank_order([1, 2], ["a", "b", "c"])
    with pytest.raises(InputError, match="at least 3 slots"):
        slurm_hostfile([1, 2], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node[01-04,07]", ["node01", "node02", "node03", "node04", "node07"]),
        ("a, b", ["a", "b"]),
        ("r[1-2]n[9-10]", ["r1n9", "r1n10", "r2n9", "r2n10"]),
        ("x[3].site,y", ["x3.site", "y"]),
        ("n[098-101]", ["n098", "n099", "n100", "n101"]),
    ],
)
def test_ranges_as_slurm_writes_them(text, names):
    assert [host.name for host in parse_hosts(text)] == names


def test_slots_of_a_range(tmp_path):
    assert parse_hosts("n[1-2]:3,m") == (Host("n1", 3), Host("n2", 3), Host("m"))
    path = tmp_path / "hosts"
    path.write_text("n[1-2] slots=3\nm\n")
    assert read_hosts(path) == parse_hosts("n[1-2]:3,m")


@pytest.mark.parametrize(
    "text",
    ["", ",", "a,,b", "n[", "n[1", "n[2-1]", "n[a]", "n[1-99999999]", "a:x", "a:", "[1]]", "a;b"],
)
def test_bad_host_lists(text):
    with pytest.raises(InputError):
        parse_hosts(text)


def test_absurd_numbers_are_refused_at_once():
    """No slot is made before the number is known to be one."""
    with pytest.raises(InputError, match="at most 1,048,576"):
        parse_hosts("h:99999999999999")
    with pytest.raises(InputError, match="at most"):
        parse_hosts("a[1-9999][1-9999]")


@pytest.mark.parametrize("write", [open_mpi_rankfile, slurm_hostfile, cray_rank_order])
def test_bad_hosts(write):
    with pytest.raises(InputError, match="at least 4 slots together") as caught:
        write(range(4), ["a", Host("b", 2)])
    assert "2 hosts with 3 slots" in str(caught.value)
    for hosts in (["a b"], [""], ["a=b"], ["a#"], [3], "ab"):
        with pytest.raises(InputError):
            write([0], hosts)
    with pytest.raises(InputError, match="slots"):
        write([0], ["a"], 0)
    with pytest.raises(InputError, match="slots"):
        Host("a", 0)


def test_cray_hosts_that_a_block_launch_cannot_follow():
    with pytest.raises(InputError, match="one after the other"):
        cray_rank_order(range(3), ["a", "b", "a"])


@pytest.mark.parametrize("times", [2, 3, 4])
def test_a_host_named_again_goes_on_with_its_next_slots(times: int) -> None:
    """Named three times it has slots 0..5: each only once, whatever stands between."""
    entries = ["a:2", "b:1"] * times
    lines = open_mpi_rankfile(range(3 * times), parse_hosts(",".join(entries))).splitlines()
    found = [tuple(line.split("=", 1)[1].split(" slot=")) for line in lines]
    expected, used = [], {"a": 0, "b": 0}
    for entry in entries:
        host, count = entry.split(":")
        for _ in range(int(count)):
            expected.append((host, str(used[host])))
            used[host] += 1
    assert found == expected
    assert len(set(found)) == 3 * times


@pytest.mark.parametrize("hosts", [None, [], ()])
def test_without_any_host_the_hosts_are_asked_for(hosts: object) -> None:
    """The nodes of a mesh have no names; an empty list names none."""
    found = lcc.place([(0, 1)], "mesh:2", over="placements")
    with pytest.raises(InputError, match="is required: the network's nodes have no names"):
        found.rankfile(hosts)
