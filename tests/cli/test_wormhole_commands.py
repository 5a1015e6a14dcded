"""`lccmodel simulate`, `fft`, `trace`: right answers, explicit failures, bad input in one line."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from lccmodel.cli.wormhole import parse_loads
from lccmodel.communication import catalog
from lccmodel.errors import InputError
from lccmodel.network import Hypercube
from lccmodel.papers.fft_tables import ADAPTIVE
from lccmodel.placement import search as placement
from lccmodel.placement.mapping import optimal_reordering
from lccmodel.wormhole.simulation import simulate
from lccmodel.wormhole.timed import run_program
from tests.cli.calling import records, refused, run

EXAMPLES = Path(__file__).parents[2] / "examples"
RING = "".join(f"{x} {(x + 3) % 8}\n" for x in range(8))


# -- loads ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("0.05", [0.05]),
        ("0.05,0.1, 1", [0.05, 0.1, 1.0]),
        ("0.01:0.2:0.01", [round(k / 100, 2) for k in range(1, 21)]),
        ("0.1:0.35:0.1", [0.1, 0.2, 0.3]),
        ("0.5:0.5:0.1", [0.5]),
        ("1e-1", [0.1]),
    ],
)
def test_loads_are_exact_decimals(text: str, loads: list[float]) -> None:
    assert parse_loads(text) == loads


@pytest.mark.parametrize(
    "text",
    ["", "0", "1.01", "-0.1", "a", "0.1:0.2", "0.1:0.2:0", "0.2:0.1:0.1", "0:0.1:0.1", "nan", "inf",
     "0.1:0.9:inf", "0.000001:1:0.000001", "0.1,,0.2", "0.1:0.2:0.1:0.1"],
)  # fmt: skip
def test_wrong_loads(text: str) -> None:
    with pytest.raises(InputError, match="--load"):
        parse_loads(text)


# -- simulate -------------------------------------------------------------------------------


def test_simulate_is_the_library_s_result() -> None:
    args = ("bit-reverse", "-N", "cube:5", "--load", "0.1,0.2", "--cycles", "3000", "--seed", "4")
    rows = records("simulate", *args, "--routing", "p-cube", "--flits", "10", "--tie", "oldest")
    for row, load in zip(rows, (0.1, 0.2), strict=True):
        c, cube = catalog.bit_reverse(5), Hypercube(5)
        known = simulate(c, cube, "p-cube", load, flits=10, cycles=3000, seed=4, tie="oldest")
        assert (row["load"], row["latency"], row["throughput"]) == (
            load,
            known.latency,
            known.throughput,
        )
        assert (row["routing"], row["tie"], row["flits"], row["seed"]) == (
            "p-cube",
            "oldest",
            10,
            4,
        )
        assert row["state"] == "sustained"


def test_both_engines_print_the_same() -> None:
    args = ("simulate", "matrix-transpose", "-N", "cube:4", "--load", "0.3", "--cycles", "1000")
    assert records(*args, "--engine", "message") == records(*args, "--engine", "flit")


def test_saturated_loads_are_rows_without_a_latency() -> None:
    """The degree of bit-reverse is 2 on 4 dimensions, so no load above 10/21 is sustained."""
    args = ("simulate", "bit-reverse", "-N", "cube:4", "--load", "0.2:0.8:0.3", "--cycles", "5000")
    rows = records(*args)
    assert [row["state"] for row in rows] == ["sustained", "saturated", "saturated"]
    assert [row["latency"] is None for row in rows] == [False, True, True]
    assert "saturated: more and more messages wait" in run(*args).stdout


def test_a_deadlock_is_a_row_with_its_ring(tmp_path: Path) -> None:
    """Half-way around a ring, one virtual channel: every header waits for the next worm."""
    row = records("simulate", "y0 = x0; y1 = x1; y2 = x2 + 1", "-N", "torus:8", "--load", "0.9",
                  "--routing", "dimension-order-one-channel", "--cycles", "3000")[0]  # fmt: skip
    assert str(row["state"]).startswith("deadlocked: ")
    ring = str(row["state"]).removeprefix("deadlocked: ").split(" -> ")
    assert len(ring) >= 3


def test_mapping_one_and_several() -> None:
    """M-S and M-G of [hou, section 6.1] are the library's best orders."""
    transpose, reverse = catalog.matrix_transpose(6), catalog.bit_reverse(6)
    args = ("--network", "cube:6", "--load", "0.5", "--cycles", "4000", "--mapping")
    before, row = records("simulate", "matrix-transpose", *args, "optimal")
    assert (before["mapping"], row["mapping"]) == ("before", "after")
    assert before["state"] == "saturated"
    best = optimal_reordering(transpose, Hypercube(6))
    assert row["order"] == list(best.order)
    assert row["state"] == "sustained"
    rows = records("simulate", "matrix-transpose", "bit-reverse", *args, "optimal")
    both = optimal_reordering([transpose, reverse], Hypercube(6))
    assert [each["order"] for each in rows] == [list(both.order)] * 4
    assert [each["mapping"] for each in rows] == ["before", "after"] * 2
    typed = ",".join(map(str, both.order))
    assert rows == records("simulate", "matrix-transpose", "bit-reverse", *args, typed)


def test_a_mapping_keeps_the_arrivals() -> None:
    args = ("simulate", "bit-reverse", "-N", "cube:5", "--load", "0.1", "--cycles", "2000")
    (plain,), (before, after) = records(*args), records(*args, "--mapping", "optimal")
    assert plain["messages"] == before["messages"] == after["messages"]
    assert plain["throughput"] == before["throughput"]


@pytest.mark.slow
def test_throughput_before_and_after_a_placement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any traffic, any network: a scrambled ring of volume-weighted messages on a torus."""
    quick = functools.partial(placement.place, seconds=0.1)
    monkeypatch.setattr(placement, "place", quick)
    table = tmp_path / "ring.csv"
    ranks = [0, 7, 3, 11, 5, 1, 9, 2, 8, 4, 10, 6]
    rows = [f"{a},{b},64" for a, b in zip(ranks, ranks[1:] + ranks[:1], strict=True)]
    table.write_text("source,destination,volume\n" + "\n".join(rows) + "\n")
    for network in ("torus:4x3", "mesh:4x3,bandwidth=2:1", "fattree:2x2x3/1x2"):
        before, after = records("simulate", table, "-N", network, "--mapping", "optimal",
                                "--load", "0.6", "--cycles", "3000")  # fmt: skip
        assert (before["mapping"], after["mapping"]) == ("before", "after")
        assert after["throughput"] >= before["throughput"]
        assert before["messages"] == after["messages"]


@pytest.mark.slow
def test_plot_and_heat_map(tmp_path: Path) -> None:
    plot, heat = tmp_path / "plot.png", tmp_path / "heat.pdf"
    args = ("simulate", "bit-reverse", "-N", "cube:4", "--load", "0.2,0.9", "--cycles", "1000")
    result = run(*args, "--mapping", "optimal", "--plot", plot, "--heatmap", heat)
    assert result.exit_code == 0, result.output
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert heat.read_bytes().startswith(b"%PDF")
    assert run(*args, "--heatmap", tmp_path / "bare.png").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "verdict", "code"),
    [
        (("-N", "cube:4"), "free of deadlock", 0),
        (("-N", "cube:4", "--routing", "min"), "free of deadlock", 0),
        (("-N", "cube:3", "--routing", "fully-adaptive"), "may deadlock", 1),
        (("-N", "torus:8", "--routing", "dimension-order-one-channel"), "can deadlock", 1),
        (("-N", "torus:8", "--routing", "dimension-order"), "free of deadlock", 0),
        (("bit-reverse", "-N", "cube:4", "--routing", "fully-adaptive"), "may deadlock", 1),
    ],
)
def test_deadlock_verdicts(arguments: tuple[str, ...], verdict: str, code: int) -> None:
    result = run("simulate", *arguments, "--deadlock", "-f", "json")
    assert result.exit_code == code, result.output
    (row,) = json.loads(result.stdout)
    assert row["verdict"] == verdict
    assert bool(row["cycle"]) == bool(code)


# -- fft ------------------------------------------------------------------------------------


def test_fft_beside_the_print() -> None:
    """[hou, Tables 1 and 2]: what is simulated agrees with the print but for P-cube."""
    rows = records("fft", "--points", "256,1024", "--table", "times", "--seeds", "1")
    agree = {(row["points"], row["part"]): row["equal"] for row in rows}
    for part in ("computation", "neighbours", "e-cube", "map"):
        assert agree[256, part] is agree[1024, part] is True
    assert agree[256, "min"] is agree[1024, "min"] is True
    assert agree[256, "pcube"] is False
    gained = records("fft", "--points", "1024", "--table", "speedup")
    assert gained
    assert all(row["equal"] for row in gained)


def test_fft_is_drawn_part_by_part(tmp_path: Path) -> None:
    """Heights are shares of the time without a mapping: 100 there, and what is gained beside."""
    from lccmodel.show.wormhole_drawing import draw_fft
    from lccmodel.wormhole import parallel_fft

    file = tmp_path / "fft.svg"
    typed = ("fft", "-N", "cube:4", "--points", "64", "--table", "speedup", "--plot", file)
    assert run(*typed).exit_code == 0
    assert file.read_text().startswith("<?xml")
    both = [parallel_fft(64, "cube:4", mapping=mapping) for mapping in (None, "optimal")]
    bars = draw_fft(both).axes[0].patches[:6]
    tops = [max(bar.get_y() + bar.get_height() for bar in bars[k : k + 3]) for k in (0, 3)]
    assert tops == pytest.approx([100, 100 * float(both[1].execution / both[0].execution)])
    assert run(*typed[:-1], tmp_path / "fft.txt").exit_code == 2


def test_fft_elsewhere_has_no_print() -> None:
    for typed in (("-N", "cube:4"), ("--points", "256", "--latency", "10")):
        rows = records("fft", *typed, "--table", "speedup")
        assert rows
        assert all(row["printed"] is None for row in rows)
    assert {row["points"] for row in records("fft", "-N", "cube:4", "--table", "speedup")} == {
        16, 64, 256, 1024,
    }  # fmt: skip


def test_fft_on_an_origin_has_every_routing_function() -> None:
    """The adaptive functions run on a bristled hypercube too, so that no row is dropped."""
    for network in ("cube:4", "origin:4"):
        typed = ("fft", "-N", network, "--points", "16", "--seeds", "1")
        times = {row["part"] for row in records(*typed, "--table", "times")}
        assert {"e-cube", "map", *ADAPTIVE} <= times
        assert {row["part"] for row in records(*typed, "--table", "adaptive")} == set(ADAPTIVE)


def test_fft_tables_together_and_in_a_file(tmp_path: Path) -> None:
    shown = run("fft", "--points", "256", "--seeds", "1").stdout
    assert "Table 1" in shown
    assert "Table 2" in shown
    out = tmp_path / "fft.md"
    assert run("fft", "--points", "256", "--seeds", "1", "-o", out).exit_code == 0
    assert out.read_text().count("## ") == 2
    assert run("fft", "-N", "cube:3", "--points", "8", "--table", "barriers").exit_code == 0


# -- trace ----------------------------------------------------------------------------------


def test_trace_follows_a_message_and_those_it_meets() -> None:
    """3 to 12 waits for 2 to 8 on 2->0, a worm of 4 flits; nobody waits on 1->0."""
    rows = records("trace", "matrix-transpose", "-N", "cube:4", "--message", "3")
    assert [(row["source"], row["destination"]) for row in rows] == [(3, 12), (1, 4), (2, 8)]
    assert [row["blocked"] for row in rows] == [4, 0, 0]
    assert [row["delivered"] for row in rows] == [13, 7, 7]
    assert rows[0]["path"] == "in 3 1, 3->2 2, 2->0 7, 0->4 8, 4->12 9, out 12 10"


def test_the_chart_of_two_messages() -> None:
    rows = records("trace", "matrix-transpose", "-N", "cube:4", "--message", "3", "--show", "chart")
    chart = {row["channel"]: row["buffers"] for row in rows}
    assert chart["2->0"] == ".Cccc.Aaaa..."
    assert chart["3->2"] == ".AAAAAaaa...."
    assert {len(str(line)) for line in chart.values()} == {13}


def test_trace_of_a_file_with_several_communications_asks_which() -> None:
    """0.4 followed the 64 messages of the first of nine phases, and dropped 512 without a word."""
    asked = run("trace", EXAMPLES / "trace.csv")
    assert asked.exit_code == 2
    assert "--name: is required, since" in asked.stderr
    assert "holds 9: row-exchange-2, row-exchange-1," in asked.stderr
    unknown = run("trace", EXAMPLES / "trace.csv", "--name", "x")
    assert "must be one of row-exchange-2" in unknown.stderr
    lines = (EXAMPLES / "trace.csv").read_text().splitlines()
    sent = [line.split(",") for line in lines if line[0].isdigit()]
    assert len(sent) == 576
    names = list(dict.fromkeys(name for *_, name in sent))
    assert len(names) == 9
    for name in (names[0], names[3], "transpose"):
        rows = records("trace", EXAMPLES / "trace.csv", "--name", name)
        pairs = [(int(s), int(d)) for s, d, _, phase in sent if phase == name and s != d]
        assert sorted((row["source"], row["destination"]) for row in rows) == sorted(pairs)
    assert sum(row["blocked"] for row in rows) == 360  # the one phase whose messages meet


def test_trace_takes_as_long_as_table_1() -> None:
    """[hou, Table 1], e-cube, 2^8 points: 149 cycles of messages of 17 flits; 15 is last."""
    args = ("trace", "bit-reverse", "-N", "cube:8", "--flits", "17")
    rows = records(*args, "--message", "15")
    assert (rows[0]["source"], rows[0]["delivered"]) == (15, 149)
    assert {row["source"] for row in rows} == set(range(8, 16))
    alone = records(*args, "--message", "15", "--mapping", "optimal")
    assert [row["delivered"] for row in alone] == [26]


def test_a_message_is_named_by_its_node_before_the_mapping() -> None:
    """The order (1, 0, 2, 3) places node 1 on processor 2."""
    args = ("trace", "bit-reverse", "-N", "cube:4", "--message", "1")
    assert records(*args)[0]["source"] == 1
    assert records(*args, "--mapping", "1,0,2,3")[0]["source"] == 2


def test_trace_of_all_and_of_channels(tmp_path: Path) -> None:
    rows = records("trace", "bit-reverse", "-N", "cube:4")
    assert len(rows) == 12
    stays = records("trace", "bit-reverse", "-N", "cube:4", "--show", "channels")
    assert all(row["first"] <= row["last"] for row in stays)
    plot = tmp_path / "worm.pdf"
    assert run("trace", "bit-reverse", "-N", "cube:3", "--plot", plot).exit_code == 0
    assert plot.read_bytes().startswith(b"%PDF")


def test_messages_that_never_arrive_are_shown() -> None:
    result = run("trace", "y0 = x0; y1 = x1; y2 = x2 + 1", "-N", "torus:8", "-f", "json",
                 "--routing", "dimension-order-one-channel")  # fmt: skip
    assert result.exit_code == 1
    rows = json.loads(result.stdout)
    assert len(rows) == 8
    assert all(row["delivered"] is None for row in rows)


# -- bad input ------------------------------------------------------------------------------

CUBE = ("bit-reverse", "-N", "cube:4")


@pytest.mark.parametrize(
    "arguments",
    [
        ("fft", "--network", "cube:64", "--points", "16"),
        ("fft", "--network", "cube:27", "--points", str(1 << 27)),
        ("simulate", "bit-reverse", "--network", "cube:27", "--load", "0.1"),
    ],
    ids=["fft-64", "fft-27", "simulate-27"],
)
def test_a_network_too_large_to_simulate_is_refused_before_it_is_listed(
    arguments: tuple[str, ...],
) -> None:
    assert "every channel is simulated" in refused(run(*arguments))


def test_routing_functions_beside_each_other(tmp_path: Path) -> None:
    """A row for each, as each alone; one network, one mapping, the same arrivals."""
    args = ("simulate", "bit-reverse", "-N", "cube:4", "--load", "0.3", "--cycles", "2000")
    names = ["e-cube", "valiant", "adaptive"]
    rows = records(*args, "--routing", ",".join(names), "--mapping", "optimal")
    assert [(row["routing"], row["mapping"]) for row in rows] == [
        (name, turn) for name in names for turn in ("before", "after")
    ]
    for name, *both in zip(names, rows[::2], rows[1::2], strict=True):
        alone = records(*args, "--routing", name, "--mapping", "optimal")
        assert [row["throughput"] for row in alone] == [row["throughput"] for row in both]
    assert len({row["messages"] for row in rows}) == 1
    assert run(*args, "--routing", "e-cube, xy-yx", "--plot", tmp_path / "x.png").exit_code == 0
    assert "must be one of e-cube" in refused(run(*args, "--routing", "e-cube,no"))
    several = run(*args, "--routing", "e-cube,romm", "--heatmap", tmp_path / "x.png")
    assert "--heatmap draws one routing function" in refused(several)


@pytest.mark.parametrize("barrier", [(), ("--barrier",)])
def test_a_program_before_and_after_a_placement(barrier: tuple[str, ...]) -> None:
    """One command: the cycles of both runs, each as the library has it."""
    words = ["bit-reverse", "matrix-transpose"]
    rows = records(
        "simulate", *words, "-N", "cube:6", "--program", *barrier, "--mapping", "optimal"
    )
    assert [(row["mapping"], row["phase"]) for row in rows] == [
        ("before", 0), ("before", 1), ("after", 0), ("after", 1),
    ]  # fmt: skip
    phases = [catalog.build(word, 6) for word in words]
    placed = placement.place(words, "cube:6", over="orders")
    runs = [run_program(phases, "cube:6", mapping=m, barrier=bool(barrier)) for m in (None, placed)]
    assert (rows[0]["cycles_before"], rows[0]["cycles_after"]) == tuple(r.cycles for r in runs)
    assert runs[1].cycles < runs[0].cycles
    assert rows[3]["delivered"] == int(runs[1].delivered[runs[1].phase == 1].max())
