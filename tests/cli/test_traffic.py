"""Commands on any traffic: what is in a file is counted, whatever it is, and nothing else."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lccmodel import Traffic, catalog
from lccmodel.network import Hypercube
from tests.choosing import sampled
from tests.cli.calling import records, refused, run

FIVE = "source,destination\n0,0\n1,8\n2,4\n4,2\n8,1\n"
PAIRS = [(1, 8), (2, 4), (4, 2), (8, 1)]


@pytest.fixture
def five(tmp_path: Path) -> str:
    (tmp_path / "five.csv").write_text(FIVE)
    return str(tmp_path / "five.csv")


@pytest.fixture
def two(tmp_path: Path) -> str:
    """A transposition with 150 on 1 -> 4 and 1 elsewhere, and a bit reversal with 100 each."""
    rows = ["source,destination,bytes,phase"]
    for name, c, volume in (
        ("transpose", catalog.matrix_transpose(4), 1),
        ("reversal", catalog.bit_reverse(4), 100),
    ):
        for x, y in c.pairs().tolist():
            carried = 150 if (name, x, y) == ("transpose", 1, 4) else volume
            rows.append(f"{x},{y},{carried},{name}")
    (tmp_path / "two.csv").write_text("\n".join(rows))
    return str(tmp_path / "two.csv")


# -- the two answers that were wrong ---------------------------------------------------------


def test_map_counts_the_five_messages_only(five: str) -> None:
    """They extend to a bit reversal of degree 2; the five themselves never share a channel."""
    (row,) = records("map", five, "--network", "cube:4")
    assert (row["degree_before"], row["degree_after"]) == (1, 1)
    assert (row["value_before"], row["value_after"], row["optimal"]) == (1, 1, True)
    text = run("map", five, "--network", "cube:4").output
    assert "extends to a permutation y = Ax + b" in " ".join(text.split())


def test_contention_lists_no_channel_that_nobody_uses(five: str) -> None:
    rows = records("contention", five, "--network", "cube:4", "--method", "walk", "--channels")
    assert all(row["load"] == 1 for row in rows)
    listed = [tuple(pair) for row in rows for pair in row["messages"]]
    assert set(listed) <= set(PAIRS)
    (row,) = records("contention", five, "--network", "cube:4")
    assert (row["degree"], row["distance"]) == (1, 8)


def test_trace_follows_the_messages_that_are_sent(five: str) -> None:
    rows = records("trace", five, "--network", "cube:4")
    assert sorted((row["source"], row["destination"]) for row in rows) == PAIRS


def test_simulate_has_four_senders(five: str) -> None:
    (row,) = records("simulate", five, "--network", "cube:4", "--cycles", "20000")
    expected = 4 * 18000 * 0.05 / 20
    assert row["messages"] == pytest.approx(expected, rel=0.3)


def test_map_weighs_every_message_by_its_own_volume(two: str) -> None:
    """150 is the least of all 24 orders; an order for the largest volumes alone leaves 200."""
    phases: dict[str, list[tuple[int, int, int]]] = {}
    for line in Path(two).read_text().split("\n")[1:]:
        x, y, volume, name = line.split(",")
        phases.setdefault(name, []).append((int(x), int(y), int(volume)))

    def worst(order: tuple[int, ...]) -> int:
        moved = [sum((x >> bit & 1) << k for k, bit in enumerate(order)) for x in range(16)]
        found = 0
        for rows in phases.values():
            used: dict[tuple[int, int], int] = {}
            for x, y, volume in rows:
                at, goal = moved[x], moved[y]
                for bit in range(4):
                    if (at ^ goal) >> bit & 1:
                        used[at, bit] = used.get((at, bit), 0) + volume
                        at ^= 1 << bit
            found = max(found, *used.values())
        return found

    least = min(worst(order) for order in permutations(range(4)))
    assert least == worst((0, 3, 1, 2)) == 150
    answer = records("map", two, "--network", "cube:4")[0]
    assert (answer["value_after"], answer["optimal"]) == (150, True)
    assert worst(tuple(answer["order"])) == 150
    assert answer["value_before"] == worst((0, 1, 2, 3)) == 200


# -- any traffic on any network --------------------------------------------------------------


@pytest.mark.parametrize(
    "network",
    sampled(["cube:4", "origin:4", "mesh:5x4", "torus:6x6", "torus:3x3*2", "fattree:3^3"], 2),
)
def test_every_command_takes_any_messages(tmp_path: Path, network: str) -> None:
    generator = np.random.default_rng(7)
    pairs = [(x, y) for x, y in generator.integers(0, 14, (30, 2)).tolist() if x != y]
    table = "\n".join(f"{x} {y}" for x, y in pairs)
    path = tmp_path / "t.txt"
    path.write_text(table)
    expected = Traffic(pairs)
    (row,) = records("contention", str(path), "--network", network)
    assert row["kind"] == "traffic"
    (piped,) = records("contention", "-", "--network", network, stdin=table)
    assert piped["degree"] == row["degree"]
    if network == "cube:4":
        assert row["degree"] == Hypercube(4).channel_loads(expected).degree
    seconds = ("--seconds", "0.05")
    (answer,) = records("map", str(path), "--network", network, *seconds)
    assert answer["value_after"] <= answer["value_before"] == row["degree"]
    assert sorted(set(answer["node_of"])) == sorted(answer["node_of"])
    assert answer["lower_bound"] <= answer["value_after"]
    simulated = records("simulate", str(path), "--network", network, "--cycles", "2000")
    assert simulated[0]["messages"] > 0
    assert len(records("trace", str(path), "--network", network)) == len(pairs)


def test_the_best_placement_can_be_simulated(tmp_path: Path) -> None:
    path = tmp_path / "ring.txt"
    path.write_text("\n".join(f"{x} {(x + 5) % 12}" for x in range(12)))
    mapped = ("--network", "mesh:4x3", "--mapping", "optimal", "--cycles", "4000")
    before, after = records("simulate", str(path), *mapped)
    assert (before["mapping"], after["mapping"]) == ("before", "after")
    assert after["throughput"] >= before["throughput"]


def test_ignored_columns_and_idle_nodes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("time,src,dst\n1,0,1\n2,1,2\n")
    text = " ".join(run("contention", str(path), "--network", "mesh:3x2").output.split())
    assert "ignored the column time" in text
    assert "3 of 6 nodes hold no rank: 3-5" in text
    (row,) = records("contention", str(path), "--network", "mesh:3x2")
    assert row["idle_nodes"] == [3, 4, 5]
    (row,) = records("map", str(path), "--network", "mesh:3x2", "--over", "placements")
    assert len(row["idle_nodes"]) == 3
    assert sorted(row["node_of"] + row["idle_nodes"]) == list(range(6))


@pytest.mark.parametrize(
    ("content", "network", "words"),
    [
        ("0 1 -2", "cube:4", "a volume must be a finite number, not negative"),
        ("0 1 nan", "cube:4", "a volume must be a finite number"),
        ("0 16", "cube:4", "must have at least 17 nodes"),
        ("1 2\n2 12\n12 1", "mesh:4x3", "state --first-rank 1"),
        ("0 1", "mesh:4.5x3", "side length must be a positive integer"),
        ("0 1", "mesh:0x3", "must be at least 1"),
        ("0 1 2 3\n0 1 2 3", "cube:4", "a matrix must be square"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, content: str, network: str, words: str
) -> None:
    path = tmp_path / "t.txt"
    path.write_text(content)
    out = tmp_path / "out.json"
    for command in ("contention", "map", "simulate", "trace"):
        result = run(command, str(path), "--network", network, "--output", str(out))
        assert words in refused(result)
        assert not out.exists()


MARKET = "%%MatrixMarket matrix coordinate real {}\n% a comment\n{}\n"
ZEROS = "0 0 0 0"


@pytest.mark.parametrize(
    ("file", "content", "place", "value"),
    [
        ("negative.csv", "source,destination,bytes\n0,1,5\n2,3,-1\n", 3, "'-1'"),
        ("infinite.csv", "source,destination,bytes\n0,1,inf\n", 2, "'inf'"),
        ("far.csv", "source,destination,bytes,phase\n0,1,5,a\n0,99,1,b\n", 3, "99"),
        ("many.csv", "".join(f"{x},{x + 1}\n" for x in range(20)), 16, "16"),
        ("negative.txt", f"0 1 0 0\n{ZEROS}\n0 0 0 -2\n{ZEROS}\n", 3, "'-2'"),
        ("far.txt", "\n".join([" ".join("1" * 17)] * 17), 1, "16"),
        ("idle.txt", "\n".join([" ".join("0" * 17)] * 17), 1, "'torus:4x4'"),
        ("oblong.txt", f"{ZEROS}\n{ZEROS}\n", 1, "'2 rows of 4 numbers'"),
        ("negative.mtx", MARKET.format("symmetric", "3 3 2\n2 1 5\n3 2 -1"), 5, "-1.0"),
        ("nan.mtx", MARKET.format("general", "3 3 2\n2 1 nan\n3 2 1"), 4, "nan"),
        ("far.mtx", MARKET.format("general", "30 30 2\n1 2 1\n2 29 1"), 5, "28"),
        ("far_half.mtx", MARKET.format("symmetric", "30 30 2\n2 1 1\n29 2 1"), 5, "28"),
        ("idle.mtx", MARKET.format("general", "30 30 1\n1 2 1"), 3, "'torus:4x4'"),
        ("outside.mtx", MARKET.format("general", "3 3 2\n1 2 1\n4 1 1"), 5, "'4 1 1'"),
        ("words.mtx", MARKET.format("general", "3 3 1\n1 2 x"), 4, "'1 2 x'"),
        ("oblong.mtx", MARKET.format("general", "2 3 1\n2 3 1"), 3, "(2, 3)"),
        ("negative.npy", -np.ones((5, 5)), 0, "-1.0"),
        ("nan.npy", np.full((5, 5), np.nan), 0, "nan"),
        ("far.npy", np.eye(30, k=1), 0, "16"),
        ("oblong.npy", np.ones((2, 4)), 0, "'2 rows of 4 numbers'"),
    ],
)
def test_bad_files_are_named_with_line_and_value(
    tmp_path: Path, file: str, content: Any, place: int, value: str
) -> None:
    """One line: file, line where it is a text, rule, value; exit 2, nothing written [issue]."""
    path, out = tmp_path / file, tmp_path / "out.json"
    path.write_text(content) if isinstance(content, str) else np.save(path, content)
    where = f"{path}:{place}: " if place else f"{path}: "
    for command in ("contention", "map", "simulate", "trace", "report"):
        written = out if command != "report" else tmp_path / "report"
        result = run(command, str(path), "--network", "torus:4x4", "--output", str(written))
        message = refused(result)
        assert message.startswith(f"lccmodel: error: {where}"), message
        assert message.endswith(f"; got {value}\n"), message
        assert not written.exists()


def test_a_report_does_what_it_can(tmp_path: Path) -> None:
    """A file that cannot be used is named with its error; the others are reported; exit code 1."""
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    (inputs / "good.toml").write_text('n = 2\ncatalog = "bit-reverse"\n')
    (inputs / "odd.csv").write_text(FIVE + "3,-3\n")
    (inputs / "worse.csv").write_text("0,1\n1,x\n")
    result = run("report", str(inputs), "--output", str(out))
    assert result.exit_code == 1
    assert result.stderr.count("left out:") == 2
    assert "odd.csv" in result.stderr
    assert "worse.csv:2" in result.stderr
    index = (out / "README.md").read_text()
    assert "good" in index
    assert "worse.csv:2" in index.replace("\\", "")
    assert (out / "results.json").exists()
    (inputs / "odd.csv").write_text(FIVE + "3,3\n")  # any traffic is mapped
    placed = run("report", str(inputs / "odd.csv"), "--output", str(out), "--seconds", "0.1")
    assert placed.exit_code == 0, placed.stderr
    assert "joint" in placed.stdout
    (inputs / "good.toml").unlink()
    (inputs / "odd.csv").unlink()
    again = run("report", str(inputs), "--output", str(tmp_path / "none"))
    assert again.exit_code == 2
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("formula randperm:3", "its permutation belongs to one network"),
        ("formula hotspot:0,0.5 -N cube:n", "its node belongs to one network"),
        ("formula tornado:2", "tornado has no parameters"),
        ("formula uniform --check 11", "must be at most 10 for a traffic pattern"),
        ("exchange tornado -N mesh:4x4", "must be uniform or left out"),
        ("schedule uniform -N mesh:4x4", "takes --task I,M and no traffic: a CALMANT schedule"),
        ("schedule hotspot:1,1 --task 0,2 -N mesh:4x4", "and no traffic: a CALMANT schedule"),
        ("schedule bit-reverse", "takes --task I,M and no communication; contention"),
        ("schedule -N mesh:4x4", "Missing option '--task'"),
        ("contention uniform -N torus:128x128", "simulate draws destinations of more"),
        (
            "simulate uniform -N torus:128x128 --routing valiant",
            "must be e-cube or dimension-order",
        ),
        ("simulate bit-reverse -N torus:4x4,hosts=2", "a simulated port carries a flit per cycle"),
        ("schedule -N torus:8x8,ties=split --task 0,6", "use torus:8x8"),
    ],
)
def test_words_that_a_command_has_no_use_for_are_refused_in_one_line(
    arguments: str, said: str
) -> None:
    assert said in refused(run(*arguments.split()))


def test_an_exchange_is_uniform_traffic() -> None:
    how = ("-N", "mesh:4x4", "--block", 2, "--alpha", 5, "--tau", 1)
    assert records("exchange", "uniform", *how) == records("exchange", *how)
