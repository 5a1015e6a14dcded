"""Stored outputs of notebooks are compared with fresh ones: what differs is named, times apart."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "notebooks" / "outputs.py"


@pytest.fixture
def outputs() -> Any:
    spec = importlib.util.spec_from_file_location("outputs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _stream(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def _notebook(*texts: str) -> Any:
    """What nbformat reads of a notebook, as far as outputs are compared."""
    cells = [SimpleNamespace(cell_type="code", outputs=[_stream(text)]) for text in texts]
    return SimpleNamespace(cells=cells)


def test_a_stale_output_is_named_and_a_time_is_none(outputs):
    """0.4 shipped "109 theorems prove 61 claims" where a run gives 154 and 78."""
    stored = _notebook("109 theorems", "took 12.3 ms")
    fresh = _notebook("154 theorems", "took 9.9 ms")
    (line,) = outputs.differences(stored, fresh)
    assert line.startswith("cell 0: ")
    assert "109 theorems" in line
    assert "154 theorems" in line
    assert outputs.differences(stored, stored) == []


def test_a_missing_output_is_named(outputs):
    stored, fresh = _notebook("one"), _notebook("one")
    fresh.cells[0].outputs = []
    assert outputs.differences(stored, fresh) == ["cell 0: stored '1 outputs', fresh '0 outputs'"]


def test_a_stream_in_pieces_is_one_text(outputs):
    whole, pieces = _notebook("one\ntwo\n"), _notebook("one\n")
    pieces.cells[0].outputs.append(_stream("two\n"))
    assert outputs.differences(whole, pieces) == []
