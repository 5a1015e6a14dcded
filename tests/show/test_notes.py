"""What an answer rests on is in every format: the same sentences on paper, in data, in Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from lccmodel import Traffic, contention, place
from lccmodel.ground.views import Answer
from lccmodel.placement.contention import busiest_channels
from lccmodel.problem import Problem
from lccmodel.show.records import FORMATS, Table
from tests.cli.calling import run

IGNORED = "source,destination,volume,tag\n0,1,1000,7\n1,2,1000,7\n"


@pytest.fixture
def sent(tmp_path: Path) -> str:
    path = tmp_path / "sent.csv"
    path.write_text(IGNORED)
    return str(path)


def _flat(text: str) -> str:
    """A text without the marks, line ends and escapes of its format."""
    text = text.replace(r"\hspace{0pt}", "")
    return "".join(letter for letter in text if letter.isalnum())


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_notes_of_the_problem(sent: str, form: str) -> None:
    """0.4 had them in the table alone: JSON and CSV did not say that a column was ignored."""
    answers: list[Answer] = [
        contention(sent, "mesh:4"),
        busiest_channels(Problem.read(sent, "mesh:4")),
        place(sent, "mesh:4", moves=10),
    ]
    for answer in answers:
        assert any("tag" in note for note in answer.notes)
        assert any("1 of 4 nodes" in note for note in answer.notes)
        text = _flat(answer.as_table().render(form, width=1000))  # type: ignore[arg-type]
        assert all(_flat(note) in text for note in answer.notes)


def test_records_end_with_the_notes_and_the_way_in_which_the_input_was_read(sent: str) -> None:
    answer = contention(sent, "mesh:4")
    assert [list(record)[-2:] for record in answer.records()] == [["read_as", "notes"]]
    record = answer.records()[0]
    assert (record["read_as"], record["notes"]) == (answer.read_as, answer.notes)
    assert answer.to_dict()["notes"] == list(answer.notes)
    table = answer.as_table()
    assert json.loads(table.render("json"))[0]["notes"] == list(answer.notes)
    row = next(csv.DictReader(io.StringIO(table.render("csv"))))
    assert row["notes"] == "; ".join(answer.notes)


def test_an_answer_to_a_value_has_no_notes() -> None:
    record = contention([(0, 1), (1, 0)], "mesh:2").records()[0]
    assert (record["read_as"], record["notes"]) == ("", ())


def test_a_list_that_answers_nothing_has_notes_only_where_there_are_some() -> None:
    assert Table("t", ["n"], [[1]]).records() == [{"n": 1}]
    assert Table("t", ["n"], [[1]], notes=["a", "a"]).records() == [{"n": 1, "notes": ("a",)}]
    assert Table("t", ["n"], [[1]], legend=["n: a number"]).records() == [{"n": 1}]


COMMANDS = (
    "contention {} -N mesh:4",
    "contention {} -N mesh:4 --channels",
    "contention {} -N mesh:4 --split hops",
    "map {} -N mesh:4 --moves 5",
    "map {} -N mesh:4 --moves 5 --front",
    "recognise {}",
    "simulate {} -N mesh:4 --cycles 200",
    "simulate {} -N mesh:4 --program",
    "trace {} -N mesh:4",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_the_ignored_column_as_data_and_on_standard_error(
    sent: str, command: str
) -> None:
    words = command.format(sent).split()
    result = run(*words, "-f", "json")
    assert all(
        any("tag" in note for note in record["notes"]) for record in json.loads(result.stdout)
    )
    assert "lccmodel: note: " in result.stderr
    assert "tag" in result.stderr
    assert "tag" in "".join(run(*words).stdout.split())


def test_loads_are_volumes_whatever_the_data() -> None:
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


def test_the_messages_of_the_busiest_channel_are_counted_where_volumes_differ() -> None:
    """The busiest channel by number need not be the busiest by volume."""
    found = contention(Traffic([[0, 1], [1, 2], [0, 2]], [9, 1, 1]), "mesh:3")
    assert (found.per_dimension, found.messages) == ((10,), (2,))
    wide = contention(Traffic([[0, 1], [1, 2], [0, 2]], [6, 6, 6]), "mesh:3,bandwidth=2")
    assert (wide.per_dimension, wide.messages) == ((6,), (2,))
    moved = contention(Traffic([[0, 1], [0, 2]], [3, 4]), "mesh:3", node_of=[1, 0, 2])
    assert (moved.per_dimension, moved.messages) == ((4,), (1,))


@pytest.mark.parametrize("over", ["orders", "placements"])
def test_a_mapping_by_ranks_states_volumes(over: str) -> None:
    """0.4: orders said 1 → 1 for messages of 1,000, placements 1,000 → 1,000."""
    pairs = [[x, (x >> 1 | x << 1) & 3] for x in range(4)]
    sent = Traffic(pairs, [1000] * 4)
    found = place(Problem.read(sent, "cube:2"), None, over=over, moves=10)  # type: ignore[arg-type]
    assert found.before.per_dimension == (1000, 1000)
    assert (found.before.value, found.before.distance) == (1000, 4000)
    assert found.before.members[0].messages == (1, 1)
    assert found.weights == (1,)


def test_idle_nodes_are_those_of_the_placement() -> None:
    """0.4 named the nodes that natural numbering leaves free, whatever `node_of` said."""
    found = contention([(0, 1)], "mesh:4", node_of=[3, 2])
    assert found.notes == ("2 of 4 nodes hold no rank: 0 1",)
    assert found.records()[0]["idle_nodes"] == (0, 1)
