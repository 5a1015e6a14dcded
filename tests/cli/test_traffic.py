"""Commands on any traffic: what is in a file is counted, whatever it is, and nothing else."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from lccmodel import Traffic, catalog
from lccmodel.network import Hypercube
from tests.choosing import sampled
from tests.cli.calling import records, records_of, refused, run, typed

FIVE = "source,destination\n0,0\n1,8\n2,4\n4,2\n8,1\n"
PAIRS = [(1, 8), (2, 4), (4, 2), (8, 1)]


@pytest.fixture
def five(folder: Path) -> str:
    (folder / "five.csv").write_text(FIVE)
    return "five.csv -N cube:4"


def test_a_table_is_its_five_messages_and_not_what_they_extend_to(five):
    """They extend to a bit reversal of degree 2; the five themselves never share a channel."""
    (row,) = records_of(f"map {five}")
    assert (row["degree_before"], row["degree_after"], row["over"]) == (1, 1, "orders")
    assert (row["value_before"], row["value_after"], row["optimal"]) == (1, 1, True)
    text = typed(f"map {five}").output
    assert "extends to a permutation y = Ax + b" in " ".join(text.split())
    rows = records_of(f"contention {five} --method walk --channels")
    assert all(row["load"] == 1 for row in rows)
    assert {tuple(pair) for row in rows for pair in row["messages"]} <= set(PAIRS)
    (row,) = records_of(f"contention {five}")
    assert (row["degree"], row["distance"]) == (1, 8)
    rows = records_of(f"trace {five}")
    assert sorted((row["source"], row["destination"]) for row in rows) == PAIRS
    (row,) = records_of(f"simulate {five} --cycles 20000")
    assert row["messages"] == pytest.approx(4 * 18000 * 0.05 / 20, rel=0.3)


def test_map_weighs_every_message_by_its_own_volume(tmp_path):
    """150 is the least of all 24 orders; an order for the largest volumes alone leaves 200.

    A transposition has 150 on 1 -> 4 and 1 elsewhere, a bit reversal 100 each.
    """
    table = ["source,destination,bytes,phase"]
    phases: list[list[tuple[int, int, int]]] = []
    for name, c in (("t", catalog.matrix_transpose(4)), ("r", catalog.bit_reverse(4))):
        volumes = [100 if name == "r" else 1 + 149 * ((x, y) == (1, 4)) for x, y in c.pairs()]
        phases.append([(x, y, v) for (x, y), v in zip(c.pairs().tolist(), volumes, strict=True)])
        table += [f"{x},{y},{v},{name}" for x, y, v in phases[-1]]
    (tmp_path / "two.csv").write_text("\n".join(table))

    def worst(order: tuple[int, ...]) -> int:
        moved = [sum((x >> bit & 1) << k for k, bit in enumerate(order)) for x in range(16)]
        loads: dict[tuple[int, int, int], int] = {}
        for phase, rows in enumerate(phases):
            for x, y, volume in rows:
                at = moved[x]
                for bit in range(4):
                    if (at ^ moved[y]) >> bit & 1:
                        loads[phase, at, bit] = loads.get((phase, at, bit), 0) + volume
                        at ^= 1 << bit
        return max(loads.values())

    least = min(worst(order) for order in permutations(range(4)))
    assert least == worst((0, 3, 1, 2)) == 150
    answer = records("map", tmp_path / "two.csv", "-N", "cube:4")[0]
    assert (answer["value_after"], answer["optimal"]) == (150, True)
    assert worst(tuple(answer["order"])) == 150
    assert answer["value_before"] == worst((0, 1, 2, 3)) == 200


@pytest.mark.parametrize(
    "network",
    sampled(["cube:4", "origin:4", "mesh:5x4", "torus:6x6", "torus:3x3*2", "fattree:3^3"], 2),
)
def test_every_command_takes_any_messages(folder, network):
    generator = np.random.default_rng(7)
    pairs = [(x, y) for x, y in generator.integers(0, 14, (30, 2)).tolist() if x != y]
    table = "\n".join(f"{x} {y}" for x, y in pairs)
    (folder / "t.txt").write_text(table)
    more = f"t.txt -N {network}"
    (row,) = records_of(f"contention {more}")
    assert row["kind"] == "traffic"
    (piped,) = records("contention", "-", "--network", network, stdin=table)
    assert piped["degree"] == row["degree"]
    if network == "cube:4":
        assert row["degree"] == Hypercube(4).channel_loads(Traffic(pairs)).degree
    (answer,) = records_of(f"map {more} --seconds 0.05")
    assert answer["lower_bound"] <= answer["value_after"]
    assert answer["degree_before"] == row["degree"]
    assert answer["value_before"] == max(row["degree"], row["port_load"] or 0)
    assert answer["value_after"] <= answer["value_before"]
    assert answer["gap"] == answer["value_after"] - answer["lower_bound"]
    assert len(set(answer["node_of"])) == len(answer["node_of"])
    assert records_of(f"simulate {more} --cycles 2000")[0]["messages"] > 0
    assert len(records_of(f"trace {more}")) == len(pairs)


def test_ignored_columns_and_idle_nodes_are_named(folder):
    (folder / "t.csv").write_text("time,src,dst\n1,0,1\n2,1,2\n")
    text = " ".join(typed("contention t.csv -N mesh:3x2").output.split())
    assert "ignored the column time" in text
    assert "3 of 6 nodes hold no rank: 3-5" in text
    (row,) = records_of("contention t.csv -N mesh:3x2")
    assert row["idle_nodes"] == [3, 4, 5]
    (row,) = records_of("map t.csv -N mesh:3x2 --over placements")
    assert len(row["idle_nodes"]) == 3
    assert sorted(row["node_of"] + row["idle_nodes"]) == list(range(6))


MARKET = "%%MatrixMarket matrix coordinate real {}\n% a comment\n{}\n"
ZEROS = "0 0 0 0"


@pytest.mark.parametrize(
    ("file", "content", "place", "value"),
    [
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
        ("words.mtx", MARKET.format("general", "3 3 1\n1 2 x"), 4, "'1 2 x'"),
        ("oblong.mtx", MARKET.format("general", "2 3 1\n2 3 1"), 3, "(2, 3)"),
        ("negative.npy", -np.ones((5, 5)), 0, "-1.0"),
        ("far.npy", np.eye(30, k=1), 0, "16"),
    ],
)
def test_bad_files_are_named_with_line_and_value(tmp_path, file, content, place, value):
    """One line: file, line where it is a text, rule, value; exit 2, nothing written [issue]."""
    path, out = tmp_path / file, tmp_path / "out.json"
    path.write_text(content) if isinstance(content, str) else np.save(path, content)
    where = f"{path}:{place}: " if place else f"{path}: "
    for command in ("contention", "map", "report"):
        written = out if command != "report" else tmp_path / "report"
        result = run(command, str(path), "--network", "torus:4x4", "--output", str(written))
        message = refused(result)
        assert message.startswith(f"lccmodel: error: {where}"), message
        assert message.endswith(f"; got {value}\n"), message
        assert not written.exists()


def test_a_report_does_what_it_can(tmp_path):
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


def test_an_exchange_is_uniform_traffic():
    how = "-N mesh:4x4 --block 2 --alpha 5 --tau 1"
    assert records_of(f"exchange uniform {how}") == records_of(f"exchange {how}")
