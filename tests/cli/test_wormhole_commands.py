"""`lccmodel simulate`, `fft`, `trace`: the library's results as rows, and explicit failures."""

import functools

import pytest

from lccmodel.cli.wormhole import parse_loads
from lccmodel.communication import catalog
from lccmodel.errors import InputError
from lccmodel.network import Hypercube
from lccmodel.papers.fft_tables import ADAPTIVE
from lccmodel.placement import search as placement
from lccmodel.placement.mapping import optimal_reordering
from lccmodel.show.wormhole_drawing import draw_fft
from lccmodel.wormhole import parallel_fft
from lccmodel.wormhole.simulation import simulate
from lccmodel.wormhole.timed import run_program
from tests.choosing import fast_only
from tests.cli.calling import EXAMPLES, records, run

# -- simulate -------------------------------------------------------------------------------------


def test_how_long_links_keep_a_flit_is_noted():
    words = ["bit-reverse", "-N", "torus:4x4,bandwidth=2:1", "--load", "0.1", "--cycles", "500"]
    assert "keeps a link: 1 on axis 0, 2 on axis 1." in run("simulate", *words).stdout


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("0.05", [0.05]),
        ("0.05,0.1, 1", [0.05, 0.1, 1.0]),
        ("0.01:0.2:0.01", [round(k / 100, 2) for k in range(1, 21)]),
        ("0.1:0.35:0.1", [0.1, 0.2, 0.3]),
        ("0.5:0.5:0.1", [0.5]),
        ("1e-1", [0.1]),
        *((text, None) for text in ("", "0", "1.01", "-0.1", "a", "nan", "inf", "0.1,,0.2")),
        *((text, None) for text in ("0.1:0.2", "0.1:0.2:0", "0.2:0.1:0.1", "0:0.1:0.1")),
        *((text, None) for text in ("0.1:0.9:inf", "0.000001:1:0.000001", "0.1:0.2:0.1:0.1")),
    ],
)
def test_loads_are_exact_decimals(text, loads):
    """`None`: refused."""
    if loads is not None:
        assert parse_loads(text) == loads
        return
    with pytest.raises(InputError, match="--load"):
        parse_loads(text)


def test_simulate_is_the_library_s_result():
    args = ("bit-reverse", "-N", "cube:5", "--load", "0.1,0.2", "--cycles", "3000", "--seed", "4")
    rows = records("simulate", *args, "--routing", "p-cube", "--flits", "10", "--tie", "oldest")
    typed = {"routing": "p-cube", "tie": "oldest", "flits": 10, "seed": 4, "state": "sustained"}
    for row, load in zip(rows, (0.1, 0.2), strict=True):
        c, cube = catalog.bit_reverse(5), Hypercube(5)
        known = simulate(c, cube, "p-cube", load, flits=10, cycles=3000, seed=4, tie="oldest")
        computed = {"load": load, "latency": known.latency, "throughput": known.throughput}
        assert row.items() >= (typed | computed).items()


def test_loads_that_are_not_sustained_are_rows_that_say_so():
    """The degree of bit-reverse is 2 on 4 dimensions, so no load above 10/21 is sustained.

    Half-way around a ring with one virtual channel, every header waits for the next worm.
    """
    args = ("simulate", "bit-reverse", "-N", "cube:4", "--load", "0.2:0.8:0.3", "--cycles", "5000")
    rows = records(*args)
    assert [row["state"] for row in rows] == ["sustained", "saturated", "saturated"]
    assert [row["latency"] is None for row in rows] == [False, True, True]
    assert "saturated: more and more messages wait" in run(*args).stdout
    (row,) = records("simulate", "y0 = x0; y1 = x1; y2 = x2 + 1", "-N", "torus:8", "--load", "0.9",
                     "--routing", "dimension-order-one-channel", "--cycles", "3000")  # fmt: skip
    verdict, ring = str(row["state"]).split(": ")
    assert verdict == "deadlocked"
    assert len(ring.split(" -> ")) >= 3


def test_mapping_one_and_several():
    """M-S and M-G of [hou, section 6.1] are the library's best orders."""
    transpose, reverse = catalog.matrix_transpose(6), catalog.bit_reverse(6)
    args = ("--network", "cube:6", "--load", "0.5", "--cycles", "4000", "--mapping")
    before, after = records("simulate", "matrix-transpose", *args, "optimal")
    assert [(row["mapping"], row["state"]) for row in (before, after)] == [
        ("before", "saturated"),
        ("after", "sustained"),
    ]
    assert after["order"] == list(optimal_reordering(transpose, Hypercube(6)).order)
    assert before["messages"] == after["messages"], "a mapping keeps the arrivals"
    rows = records("simulate", "matrix-transpose", "bit-reverse", *args, "optimal")
    both = optimal_reordering([transpose, reverse], Hypercube(6))
    assert [row["order"] for row in rows] == [list(both.order)] * 4
    assert [row["mapping"] for row in rows] == ["before", "after"] * 2
    typed = ",".join(map(str, both.order))
    assert rows == records("simulate", "matrix-transpose", "bit-reverse", *args, typed)


@pytest.mark.parametrize(
    "network",
    fast_only(["torus:4x3", "mesh:4x3,bandwidth=2:1", "fattree:2x2x3/1x2"], "torus:4x3"),
)
def test_throughput_before_and_after_a_placement(network, tmp_path, monkeypatch):
    """Any traffic, any network: a scrambled ring of volume-weighted messages."""
    monkeypatch.setattr(placement, "place", functools.partial(placement.place, seconds=0.1))
    table = tmp_path / "ring.csv"
    ranks = [0, 7, 3, 11, 5, 1, 9, 2, 8, 4, 10, 6]
    rows = [f"{a},{b},64" for a, b in zip(ranks, ranks[1:] + ranks[:1], strict=True)]
    table.write_text("source,destination,volume\n" + "\n".join(rows) + "\n")
    before, after = records("simulate", table, "-N", network, "--mapping", "optimal",
                            "--load", "0.6", "--cycles", "3000")  # fmt: skip
    assert (before["mapping"], after["mapping"]) == ("before", "after")
    assert after["throughput"] >= before["throughput"]
    assert before["messages"] == after["messages"]


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("-N cube:4 --routing min", "free of deadlock"),
        ("-N torus:8 --routing dimension-order", "free of deadlock"),
        ("-N cube:3 --routing fully-adaptive", "may deadlock"),
        ("bit-reverse -N cube:4 --routing fully-adaptive", "may deadlock"),
        ("-N torus:8 --routing dimension-order-one-channel", "can deadlock"),
    ],
)
def test_deadlock_verdicts(words, verdict):
    free = verdict == "free of deadlock"
    (row,) = records("simulate", *words.split(), "--deadlock", codes=(int(not free),))
    assert (row["verdict"], bool(row["cycle"])) == (verdict, not free)


def test_routing_functions_beside_each_other():
    """A row for each, as each alone; one network, one mapping, the same arrivals."""
    args = ("simulate", "bit-reverse", "-N", "cube:4", "--load", "0.3", "--cycles", "2000")
    names = ["e-cube", "valiant", "adaptive"]
    rows = records(*args, "--routing", ",".join(names), "--mapping", "optimal")
    assert [(row["routing"], row["mapping"]) for row in rows] == [
        (name, turn) for name in names for turn in ("before", "after")
    ]
    alone = records(*args, "--routing", "valiant", "--mapping", "optimal")
    assert [row["throughput"] for row in alone] == [row["throughput"] for row in rows[2:4]]
    assert len({row["messages"] for row in rows}) == 1


@pytest.mark.parametrize("barrier", [(), ("--barrier",)])
def test_a_program_before_and_after_a_placement(barrier):
    """One command: the cycles of both runs, each as the library has it."""
    words = ["bit-reverse", "matrix-transpose"]
    program = ("simulate", *words, "-N", "cube:6", "--program", *barrier, "--mapping", "optimal")
    rows = records(*program)
    assert [(row["mapping"], row["phase"]) for row in rows] == [
        ("before", 0), ("before", 1), ("after", 0), ("after", 1),
    ]  # fmt: skip
    phases = [catalog.build(word, 6) for word in words]
    placed = placement.place(words, "cube:6", over="orders")
    runs = [run_program(phases, "cube:6", mapping=m, barrier=bool(barrier)) for m in (None, placed)]
    assert (rows[0]["cycles_before"], rows[0]["cycles_after"]) == tuple(r.cycles for r in runs)
    assert runs[1].cycles < runs[0].cycles
    assert rows[3]["delivered"] == int(runs[1].delivered[runs[1].phase == 1].max())


# -- fft ------------------------------------------------------------------------------------------


def test_fft_elsewhere_has_no_print():
    for typed in (("-N", "cube:4"), ("--points", "256", "--latency", "10")):
        rows = records("fft", *typed, "--table", "speedup")
        assert {row["printed"] for row in rows} == {None}
        assert {row["points"] for row in rows} == ({16, 64, 256, 1024} if "-N" in typed else {256})


def test_fft_is_drawn_part_by_part():
    """Heights are shares of the time without a mapping: 100 there, and what is gained beside."""
    both = [parallel_fft(64, "cube:4", mapping=mapping) for mapping in (None, "optimal")]
    bars = draw_fft(both).axes[0].patches[:6]
    tops = [max(bar.get_y() + bar.get_height() for bar in bars[k : k + 3]) for k in (0, 3)]
    assert tops == pytest.approx([100, 100 * float(both[1].execution / both[0].execution)])


def test_fft_on_an_origin_has_every_routing_function():
    """The adaptive functions run on a bristled hypercube too, so that no row is dropped."""
    typed = ("fft", "-N", "origin:4", "--points", "16", "--seeds", "1", "--table")
    assert {row["part"] for row in records(*typed, "times")} >= {"e-cube", "map", *ADAPTIVE}
    assert {row["part"] for row in records(*typed, "adaptive")} == set(ADAPTIVE)


def test_fft_tables_together_and_in_a_file(tmp_path):
    out = tmp_path / "fft.md"
    assert run("fft", "--points", "256", "--seeds", "1", "-o", out).exit_code == 0
    assert out.read_text().count("## ") == 2
    assert all(f"Table {number}" in out.read_text() for number in (1, 2))
    assert run("fft", "-N", "cube:3", "--points", "8", "--table", "barriers").exit_code == 0


# -- trace ----------------------------------------------------------------------------------------


def test_trace_follows_a_message_and_those_it_meets():
    """3 to 12 waits for 2 to 8 on 2->0, a worm of 4 flits; nobody waits on 1->0."""
    followed = ("trace", "matrix-transpose", "-N", "cube:4", "--message", "3")
    rows = records(*followed)
    assert [(row["source"], row["destination"]) for row in rows] == [(3, 12), (1, 4), (2, 8)]
    assert [row["blocked"] for row in rows] == [4, 0, 0]
    assert [row["delivered"] for row in rows] == [13, 7, 7]
    assert rows[0]["path"] == "in 3 1, 3->2 2, 2->0 7, 0->4 8, 4->12 9, out 12 10"
    rows = records(*followed, "--show", "chart")
    chart = {row["channel"]: row["buffers"] for row in rows}
    assert chart["2->0"] == ".Cccc.Aaaa..."
    assert chart["3->2"] == ".AAAAAaaa...."
    assert {len(str(line)) for line in chart.values()} == {13}


def test_trace_of_a_file_with_several_communications_takes_the_named_one():
    """0.4 followed the 64 messages of the first of nine phases, and dropped 512 without a word."""
    lines = (EXAMPLES / "trace.csv").read_text().splitlines()
    sent = [line.split(",") for line in lines if line[0].isdigit()]
    for name in ("row-exchange-2", "transpose"):
        rows = records("trace", EXAMPLES / "trace.csv", "--name", name)
        pairs = [(int(s), int(d)) for s, d, _, phase in sent if phase == name and s != d]
        assert sorted((row["source"], row["destination"]) for row in rows) == sorted(pairs)
    assert sum(row["blocked"] for row in rows) == 360  # the one phase whose messages meet


def test_trace_takes_as_long_as_table_1():
    """[hou, Table 1], e-cube, 2^8 points: 149 cycles of messages of 17 flits; 15 is last."""
    args = ("trace", "bit-reverse", "-N", "cube:8", "--flits", "17", "--message", "15")
    rows = records(*args)
    assert (rows[0]["source"], rows[0]["delivered"]) == (15, 149)
    assert {row["source"] for row in rows} == set(range(8, 16))
    alone = records(*args, "--mapping", "optimal")
    assert [row["delivered"] for row in alone] == [26]


def test_a_message_is_named_by_its_node_before_the_mapping():
    """The order (1, 0, 2, 3) places node 1 on processor 2."""
    args = ("trace", "bit-reverse", "-N", "cube:4", "--message", "1")
    assert records(*args)[0]["source"] == 1
    assert records(*args, "--mapping", "1,0,2,3")[0]["source"] == 2


def test_trace_of_all_and_of_channels():
    assert len(records("trace", "bit-reverse", "-N", "cube:4")) == 12
    stays = records("trace", "bit-reverse", "-N", "cube:4", "--show", "channels")
    assert all(row["first"] <= row["last"] for row in stays)


def test_messages_that_never_arrive_are_shown():
    rows = records("trace", "y0 = x0; y1 = x1; y2 = x2 + 1", "-N", "torus:8",
                   "--routing", "dimension-order-one-channel", codes=(1,))  # fmt: skip
    assert [row["delivered"] for row in rows] == [None] * 8
