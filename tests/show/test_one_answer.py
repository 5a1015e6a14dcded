"""A picture and the records of Python state what the command states, its notes with it."""

import csv
import inspect
import io
import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import Traffic, catalog, collectives, contention, explore, place, placement, wormhole
from lccmodel.calibration import fit, read_measurements
from lccmodel.cli import cli
from lccmodel.communication.recognition import analyse
from lccmodel.ground.views import Answer
from lccmodel.permutations.comparison import with_reordering
from lccmodel.pipelining import Machine, Task, optimal_degree, schedule, sensitivity
from lccmodel.pipelining.message_cost import Linear
from lccmodel.placement.contention import busiest_channels
from lccmodel.problem import Problem
from lccmodel.routing import deadlock_free
from lccmodel.show.exchange_tables import run_exchange
from lccmodel.show.mapping_views import _draw_messages
from lccmodel.show.records import FORMATS, Table
from lccmodel.show.style import new_figure
from lccmodel.wormhole import pattern
from lccmodel.wormhole.timed import read_recorded
from tests.cli.calling import laid_out, run

FILES = {
    "sent.csv": "source,destination,volume,tag\n0,5,1,7\n5,3,2,7\n3,12,5,7\n7,1,1,7\n12,0,3,7\n",
    "times.csv": "size,time\n" + "".join(f"{8 << k},{2 + 0.001 * (8 << k)}\n" for k in range(9)),
    "recorded.csv": "source,destination,cycle\n0,3,0\n1,3,0\n2,3,0\n3,0,1\n",
}
MESH = Machine("mesh:8x8", 5, 1)
COST = Linear(5, 1)
WORDS = ["bit-reverse", "matrix-transpose"]

ANSWERS: dict[str, Callable[[], Answer]] = {
    "contention sent.csv -N mesh:4x4": lambda: lcc.contention("sent.csv", "mesh:4x4"),
    "contention bit-reverse matrix-transpose -N cube:4": lambda: lcc.contention(WORDS, "cube:4"),
    "contention sent.csv -N mesh:4x4 --channels": lambda: busiest_channels(
        Problem.read("sent.csv", "mesh:4x4")
    ),
    "contention sent.csv -N mesh:4x4 --split hops": lambda: placement.split_loads(
        "sent.csv", "mesh:4x4", "hops"
    ),
    "map bit-reverse matrix-transpose -N cube:4": lambda: lcc.place(WORDS, "cube:4"),
    "map bit-reverse -N cube:4 --count": lambda: lcc.place("bit-reverse", "cube:4", count=True),
    "map bit-reverse -N cube:4 --over linear": lambda: lcc.place(
        "bit-reverse", "cube:4", over="linear"
    ),
    "map sent.csv -N mesh:4x4 --moves 3": lambda: lcc.place("sent.csv", "mesh:4x4", moves=3),
    "map sent.csv -N mesh:4x4 --moves 3 --front": lambda: placement.pareto_front(
        "sent.csv", "mesh:4x4", moves=3
    ),
    "simulate sent.csv -N mesh:4x4 --cycles 300": lambda: wormhole.simulate(
        "sent.csv", "mesh:4x4", cycles=300
    ),
    "simulate sent.csv -N mesh:4x4 --program": lambda: wormhole.run_program("sent.csv", "mesh:4x4"),
    "simulate bit-reverse matrix-transpose -N cube:4 --program": lambda: wormhole.run_program(
        WORDS, "cube:4"
    ),
    "simulate -N torus:4x4 --routing dimension-order --deadlock": lambda: deadlock_free(
        "dimension-order", "torus:4x4"
    ),
    "trace sent.csv -N mesh:4x4": lambda: wormhole.trace("sent.csv", "mesh:4x4"),
    "pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 64": lambda: optimal_degree(MESH, 64),
    "pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 64 --sensitivity": lambda: sensitivity(
        MESH, 64
    ),
    "schedule --task 0,4 -N mesh:4x4": lambda: schedule(Task(0, 4, "mesh:4x4")),
    "exchange -N mesh:4x4 --run": lambda: run_exchange("mesh:4x4", 1, 1),
    "collective broadcast -N mesh:4 --alpha 5 --tau 1 --bytes 64:640": lambda: collectives.envelope(
        "broadcast", COST, 64, 640, "mesh:4"
    ),
    "collective allgather -N mesh:4 --algorithm ring": lambda: collectives.allgather(
        "ring", "mesh:4"
    ),
    "collective allgather -N mesh:4 --optimal": lambda: collectives.front(
        "allgather", network="mesh:4"
    ),
    "calibrate times.csv": lambda: fit(read_measurements("times.csv")),
}
"""Commands, and the same question in Python."""

VALUES: dict[str, Callable[[], Answer]] = {
    "recognise sent.csv": lambda: analyse(lcc.read("sent.csv")),
    "simulate -N torus:4 --routing dimension-order --recorded recorded.csv": (
        lambda: wormhole.run_trace(read_recorded("recorded.csv"), "torus:4", "dimension-order")
    ),
    "route bit-reverse -N cube:4": lambda: with_reordering(
        lcc.compare(catalog.bit_reverse(4), "cube:4")
    ),
}
"""Commands that read a file, and answers in Python to the value that is read."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return laid_out(tmp_path, monkeypatch, FILES)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", [*ANSWERS, *VALUES])
def test_a_command_has_the_records_of_the_answer_in_python(command):
    result = run(*command.split(), "-f", "json")
    typed = json.loads(result.stdout)
    answer = (ANSWERS | VALUES)[command]()
    stated = json.loads(answer.as_table().render("json"))
    if command in VALUES:  # a value has no name, and was not read
        about = ("communication", "read_as", "notes")
        typed, stated = (
            [{key: row[key] for key in row if key not in about} for row in rows]
            for rows in (typed, stated)
        )
    assert [list(row) for row in typed] == [list(row) for row in stated]
    assert typed == stated
    assert len(answer.records()) == len(typed)
    assert list(answer.records()[0])[-2:] == ["read_as", "notes"]
    if "sent.csv" in command and command in ANSWERS:
        assert all(any("tag" in note for note in row["notes"]) for row in typed)
        assert re.search("lccmodel: note: .*tag", result.stderr)


def test_commands_and_functions_have_the_same_defaults():
    """0.4 took the seed 1 for `trace` and `simulate --program` as commands, 0 in Python."""
    pairs: dict[str, tuple[Callable[..., Any], ...]] = {
        "simulate": (wormhole.simulate, wormhole.run_trace, wormhole.run_program),
        "trace": (wormhole.trace,),
        "map": (lcc.place, placement.pareto_front),
        "contention": (lcc.contention,),
        "fft": (wormhole.parallel_fft,),
        "pipeline": (optimal_degree, sensitivity),
    }
    compared = []
    for name, functions in pairs.items():
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for option, function in product(command.params, functions):
            parameter = inspect.signature(function).parameters.get(str(option.name))
            if parameter is None or not isinstance(option.default, (int, float, str)):
                continue
            if parameter.default is not inspect.Parameter.empty and parameter.default is not None:
                same = option.default == parameter.default
                assert same or float(option.default) == parameter.default, (function, option.name)
                compared.append(option.name)
    assert compared.count("seed") == 5


def test_eleven_phases_have_eleven_looks():
    """0.4 drew the eighth phase in the colour of the first."""
    rows = [Traffic([(x, (x + k) % 4) for x in range(4)]) for k in range(1, 12)]
    axes = lcc.contention(rows, "mesh:4").plot()
    looks = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in axes.containers}
    assert len(looks) == len(axes.containers) == 11


def test_axes_of_steps_begin_at_0():
    """0.4 drew the first load at step 0 for `compare` and at step 1 for one of its methods."""
    routed = lcc.compare(catalog.bit_reverse(3))
    one = next(iter(routed.values()))
    several, alone = routed.plot(), one.plot()
    assert several.get_xlabel() == alone.get_xlabel() == "steps done"
    assert np.array_equal(several.lines[0].get_xydata(), alone.lines[1].get_xydata())
    assert several.lines[0].get_ydata()[0] == 0


def test_a_range_from_0_ends_in_an_arrow():
    """0.4 drew a range that starts at 0 with an end, at 0.06 for one machine."""
    found = sensitivity(Machine("mesh:8x8", 5, 1), 64)
    ranges = (found.alpha, found.tau, found.barrier, found.N)
    axes = found.plot()
    arrows = [line for line in axes.lines if line.get_marker() == "<"]
    assert len(arrows) == sum(low == 0 for low, _ in ranges) > 0
    assert [text.get_text() for text in axes.texts] == ["0"] * len(arrows)


def test_sources_are_rows_in_the_picture_of_a_recognised_file():
    """0.4 drew the destinations upwards; the picture of traffic has the sources there."""
    axes = new_figure(3, 3).add_subplot()
    _draw_messages(Traffic([(0, 3), (1, 3)], ranks=4), axes)
    assert np.array_equal(axes.lines[0].get_xydata(), [[3, 0], [3, 1]])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("to node", "from node")
    assert axes.yaxis_inverted()


def test_a_pattern_is_drawn_to_the_last_node_of_its_network():
    """0.4 ended at 14.5: node 15 sends to itself, so it has no dot."""
    axes = pattern(catalog.bit_reverse(4), "cube:4").plot()
    assert axes.get_xlim() == (-0.5, 15.5)
    assert axes.get_ylim() == (15.5, -0.5)


def test_an_exploration_hides_the_picture_below_an_error():
    """0.4 left the picture of the last good values, under the heading of the first network."""
    pytest.importorskip("ipywidgets", reason="the notebook extra")
    shown = explore(Machine("mesh:8x8", 5, 1), N=64)
    assert "mesh:8x8" not in shown.title
    _, row, words, image = shown.widget().children
    parts = {part.description: part for part in row.children if hasattr(part, "description")}
    axes, bits = parts["axes c"], parts["dimensions d"]
    assert image.layout.display is None
    axes.value, bits.value = 3, 2
    assert "must be at least" in words.value
    assert image.layout.display == "none"
    bits.value = 6
    assert image.layout.display is None


IGNORED = "source,destination,volume,tag\n0,1,1000,7\n1,2,1000,7\n"


@pytest.fixture
def sent(tmp_path: Path) -> str:
    path = tmp_path / "sent.csv"
    path.write_text(IGNORED)
    return str(path)


def _flat(text: str) -> str:
    """A text without the marks, line ends and escapes of its format."""
    text = text.replace(r"\hspace{0pt}", "")
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_notes_of_the_problem(sent, form):
    """0.4 had them in the table alone: JSON and CSV did not say that a column was ignored."""
    answers: list[Answer] = [
        contention(sent, "mesh:4"),
        busiest_channels(Problem.read(sent, "mesh:4")),
        place(sent, "mesh:4", moves=10),
    ]
    for answer in answers:
        assert any("tag" in note for note in answer.notes)
        assert any("1 of 4 nodes" in note for note in answer.notes)
        text = _flat(answer.as_table().render(form, width=1000))
        assert all(_flat(note) in text for note in answer.notes)


def test_data_holds_the_notes_and_the_way_in_which_the_input_was_read(sent):
    answer = contention(sent, "mesh:4")
    (record,) = answer.records()
    assert (record["read_as"], record["notes"]) == (answer.read_as, answer.notes)
    assert answer.read_as
    assert answer.to_dict()["notes"] == list(answer.notes)
    row = next(csv.DictReader(io.StringIO(answer.as_table().render("csv"))))
    assert row["notes"] == "; ".join(answer.notes)
    (record,) = contention([(0, 1), (1, 0)], "mesh:2").records()
    assert (record["read_as"], record["notes"]) == ("", ())


def test_a_list_that_answers_nothing_has_notes_only_where_there_are_some():
    assert Table("t", ["n"], [[1]]).records() == [{"n": 1}]
    assert Table("t", ["n"], [[1]], notes=["a", "a"]).records() == [{"n": 1, "notes": ("a",)}]
    assert Table("t", ["n"], [[1]], legend=["n: a number"]).records() == [{"n": 1}]


def test_loads_are_volumes_whatever_the_data():
    """0.4: volumes 1000 and 1000 gave `loads [2]`, 1000 and 1001 gave `[2001]`, 2500 each `[2]`."""
    for first, second in ((1000, 1000), (1000, 1001), (2500, 2500), (1, 1)):
        found = contention(Traffic([[0, 2], [1, 2]], [first, second]), "mesh:3")
        record = found.records()[0]
        assert record["loads"] == (first + second,)
        assert record["degree"] == record["sum"] == first + second
        assert record["busiest_messages"] == (2,)
        assert record["distance"] == 2 * first + second
        placed = place(Traffic([[0, 2], [1, 2]], [first, second]), "mesh:3", moves=0).records()[0]
        assert placed["loads_before"] == record["loads"]
        assert placed["distance_before"] == record["distance"]


@pytest.mark.parametrize(
    ("pairs", "volumes", "network", "node_of", "load", "messages"),
    [
        ([[0, 1], [1, 2], [0, 2]], [9, 1, 1], "mesh:3", None, 10, 2),
        ([[0, 1], [1, 2], [0, 2]], [6, 6, 6], "mesh:3,bandwidth=2", None, 6, 2),
        ([[0, 1], [0, 2]], [3, 4], "mesh:3", [1, 0, 2], 4, 1),
    ],
)
def test_the_messages_of_the_busiest_channel_are_counted_where_volumes_differ(
    pairs, volumes, network, node_of, load, messages
):
    """The busiest channel by number need not be the busiest by volume."""
    answer = contention(Traffic(pairs, volumes), network, node_of=node_of)
    assert (answer.per_dimension, answer.messages) == ((load,), (messages,))


@pytest.mark.parametrize("over", ["orders", "placements"])
def test_a_mapping_by_ranks_states_volumes(over):
    """0.4: orders said 1 → 1 for messages of 1,000, placements 1,000 → 1,000."""
    pairs = [[x, (x >> 1 | x << 1) & 3] for x in range(4)]
    sent = Traffic(pairs, [1000] * 4)
    found = place(Problem.read(sent, "cube:2"), None, over=over, moves=10)
    assert found.before.per_dimension == (1000, 1000)
    assert (found.before.value, found.before.distance) == (1000, 4000)
    assert found.before.members[0].messages == (1, 1)
    assert found.weights == (1,)


def test_idle_nodes_are_those_of_the_placement():
    """0.4 named the nodes that natural numbering leaves free, whatever `node_of` said."""
    found = contention([(0, 1)], "mesh:4", node_of=[3, 2])
    assert found.notes == ("2 of 4 nodes hold no rank: 0 1",)
    assert found.records()[0]["idle_nodes"] == (0, 1)
