"""Errors show what was received: no addresses in memory, no reasons after "got", no wrappers."""

import gzip
import re
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.errors import FileError, InputError, Reason, SizeLimitError, shown
from lccmodel.ground import files
from tests.cli.calling import run


class Plain:
    """No text of its own."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (nx.path_graph(3), "Graph with 3 nodes and 2 edges"),
        (Plain(), "Plain"),
        ([Plain(), 1], "[Plain, 1]"),
        (len, "built-in function len"),
        (lambda x: x, "function <lambda>"),
        (Fraction(1, 3), "1/3"),
        ([Fraction(2), Fraction(-5, 2)], "[2, -5/2]"),
        (np.int64(3), "3"),
        ([np.float64(0.5), np.bool_(True)], "[0.5, True]"),
        (Path("a b"), "'a b'"),
        ("Fraction(1, 3)", "'Fraction(1, 3)'"),
        ("<x at 0x12>", "'<x at 0x12>'"),
    ],
)
def test_values_are_shown_as_they_are_typed(value, text):
    """0.4 showed <networkx.classes.graph.Graph object at 0x7f...> and Fraction(1, 1)."""
    assert re.sub(r"[\w.]*<locals>\.", "", shown(value)) == text
    assert str(InputError("x", "must be another", value)).endswith(f"; got {shown(value)}")


def test_what_has_no_text_is_told_by_its_type():
    assert shown(10**5000) == "int of about 5001 digits"


def test_a_reason_does_not_follow_got(tmp_path):
    """What the system says of a file is nothing that anybody typed."""
    (tmp_path / "latin").write_bytes(b"\xe9\xe9")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 2\n" * 99)[:20])
    asked = {
        "latin": "must be a text in UTF-8: 'utf-8' codec can't decode byte 0xe9",
        "none": "cannot read the file: No such file or directory",
    }
    for name, said in asked.items():
        with pytest.raises(FileError) as refused:
            files.file_text(tmp_path / name, 100)
        assert str(refused.value).startswith(f"{tmp_path / name}: {said}")
        assert isinstance(refused.value.value, Reason)
        assert "got" not in str(refused.value)
    with pytest.raises(FileError, match="must be a whole gzip file: Compressed file ended"):
        files.content_of(tmp_path / "cut.gz")


def test_reasons_are_texts_and_of_one_line():
    assert str(InputError("x", "must be y", Reason("a\nb"))) == "x: must be y: a b"
    assert Reason(ValueError()) == "ValueError"
    assert Reason(OSError("no")) == "no"


def test_a_mesh_too_large_to_rank_is_refused_at_once():
    """0.4 said nothing for 100 s."""
    with pytest.raises(SizeLimitError, match="must have at most 131072 ranks") as refused:
        lcc.collectives.envelope("allreduce", lcc.pipelining.Linear(1, 1), 1, 10, "torus:1000x1000")
    assert refused.value.value == "torus:1000x1000"
    asked = run("collective", "allreduce", "-N", "torus:1000x1000", "--alpha", "1", "--tau", "1")
    assert asked.exit_code == 2
    assert "name one algorithm; got 'torus:1000x1000'" in asked.stderr


def test_graphs_that_no_function_takes_are_told_by_their_size():
    """What every function that takes a network says of an undirected graph in another place."""
    with pytest.raises(InputError) as refused:
        lcc.place([(0, 1)], "cube:1", over=nx.path_graph(3))
    assert "0x" not in str(refused.value)
