"""What an answer rests on is in every format: the same sentences on paper, in data, in Python."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from lccmodel import Traffic, contention, place
from lccmodel.ground.views import Answer
from lccmodel.placement.contention import busiest_channels
from lccmodel.problem import Problem
from lccmodel.show.records import FORMATS, Table

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


def test_data_holds_the_notes_and_the_way_in_which_the_input_was_read(sent: str) -> None:
    answer = contention(sent, "mesh:4")
    (record,) = answer.records()
    assert (record["read_as"], record["notes"]) == (answer.read_as, answer.notes)
    assert answer.read_as
    assert answer.to_dict()["notes"] == list(answer.notes)
    row = next(csv.DictReader(io.StringIO(answer.as_table().render("csv"))))
    assert row["notes"] == "; ".join(answer.notes)
    (record,) = contention([(0, 1), (1, 0)], "mesh:2").records()
    assert (record["read_as"], record["notes"]) == ("", ())


def test_a_list_that_answers_nothing_has_notes_only_where_there_are_some() -> None:
    assert Table("t", ["n"], [[1]]).records() == [{"n": 1}]
    assert Table("t", ["n"], [[1]], notes=["a", "a"]).records() == [{"n": 1, "notes": ("a",)}]
    assert Table("t", ["n"], [[1]], legend=["n: a number"]).records() == [{"n": 1}]


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


@pytest.mark.parametrize(
    ("pairs", "volumes", "network", "node_of", "load", "messages"),
    [
        ([[0, 1], [1, 2], [0, 2]], [9, 1, 1], "mesh:3", None, 10, 2),
        ([[0, 1], [1, 2], [0, 2]], [6, 6, 6], "mesh:3,bandwidth=2", None, 6, 2),
        ([[0, 1], [0, 2]], [3, 4], "mesh:3", [1, 0, 2], 4, 1),
    ],
)
def test_the_messages_of_the_busiest_channel_are_counted_where_volumes_differ(
    pairs: Any, volumes: Any, network: str, node_of: Any, load: int, messages: int
) -> None:
    """The busiest channel by number need not be the busiest by volume."""
    answer = contention(Traffic(pairs, volumes), network, node_of=node_of)
    assert (answer.per_dimension, answer.messages) == ((load,), (messages,))


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
