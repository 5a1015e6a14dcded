"""Equations as text: what is accepted, what they mean, and the line of every fault."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.equations import format_equations, looks_like_equations, parse_equations
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, FileError
from tests.strategies import lccs


@pytest.mark.parametrize(
    ("text", "kind", "map_of"),
    [
        ("y0 = x1 + x2 + 1\ny1 = x0\ny2 = 0", "gather", lambda x: (x[1] ^ x[2] ^ 1, x[0], 0)),
        ("x0 = y1 + 1; x1 = 0; x2 = y0", "scatter", lambda y: (y[1] ^ 1, 0, y[0])),
        ("x0 = y1; x1 = y0 + y1; x2 = y2", "permutation", lambda y: (y[1], y[0] ^ y[1], y[2])),
    ],
)
def test_equations_mean_what_they_say(text, kind, map_of):
    """Evaluated term by term for every source, or destination of a scatter."""
    c = parse_equations(text)
    assert c.kind == kind
    for bits in itertools.product((0, 1), repeat=3):
        near, far = (sum(bit << i for i, bit in enumerate(v)) for v in (bits, map_of(bits)))
        assert (c.source if text[0] == "x" else c.destination)(near) == far


@pytest.mark.parametrize(
    "text",
    [
        "y0 = x1 + 1\ny1 = x0",
        "y0 = x1 + 1; y1 = x0",
        "  Y1=X0 ;; y0 = 1 ^ x1  # the first bit",
        "# a comment\n\ny_0 = x_1 ⊕ 1 # another\r\ny1 = x0\n",
        "y[0] = 1*x[1] + 1; y[1] = 1 x[0] + 0*x1 + 0",
        "y_{0} = x_{1} + 1x0 + x0 + 1 + 1 + 1; y_{1} = x_{0}",
    ],
)
def test_accepted_spellings(text):
    assert parse_equations(text) == LCC([[0, 1], [1, 0]], [1, 0])


@given(st.integers(1, 8).flatmap(lccs), st.randoms(use_true_random=False))
def test_written_equations_are_read_back(c, random):
    lines = format_equations(c).splitlines()
    random.shuffle(lines)
    assert parse_equations("\n".join(lines)) == c
    assert parse_equations(";".join(lines), c.n) == c


@pytest.mark.parametrize(
    "c", [catalog.inverse_gray_code(64), catalog.scale2(6), LCC(np.zeros((3, 3), int), [1, 0, 1])]
)
def test_large_and_singular_maps_can_be_written(c):
    assert parse_equations(format_equations(c)) == c


def test_looks_like_equations():
    assert looks_like_equations(" y0 = x1")
    assert looks_like_equations("x_{2}=1")
    assert not looks_like_equations("shift:k=2")
    assert not looks_like_equations("y0.toml")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "at least one equation"),
        ("y0 = x0\ny1 = x1\ny1 = x0", 3, "y1 is defined already, in line 2"),
        ("y0 = x0\ny2 = x1", 2, "y2 is not among the bits 0..1, with 2 equations and so n = 2"),
        ("y0 = x0\n\ny1 = x2", 3, "x2 is not among the bits 0..1"),
        ("y0 = x1 + x1", 1, "x1 is not among"),
        ("y0 = x0\ny1 = z1", 2, "a term must be"),
        ("y0 = x0\nz1 = x1", 2, "left of ="),
        ("y0 = x0 +", 1, "a term must be"),
        ("y0 = 2*x0", 1, "a term must be"),
        ("y0 = x0 x1", 1, "a term must be"),
        ("y0 + x0", 1, "one equation"),
        ("y0 = x0 = x1", 1, "one equation"),
        ("y0 = x0; x1 = y0", 1, "x and y .* are both defined"),
        ("y0 = y0", 1, "right of = must stand bits of x"),
        ("y64 = x0", 1, "numbered 0..63"),
        ("y0 = x64", 1, "numbered 0..63"),
        ("y99999999999999999999 = x0", 1, "left of ="),
    ],
)
def test_faults_name_the_line(text, line, message):
    with pytest.raises(FileError, match=message) as raised:
        parse_equations(text, path="loop.eq")
    assert (raised.value.path, raised.value.line) == ("loop.eq", line)
    assert str(raised.value).startswith(f"loop.eq:{line}: ")


@pytest.mark.parametrize(
    ("text", "n", "error", "words"),
    [
        ("y0 = x1; y1 = x2", 3, FileError, "every bit must be defined, n = 3"),
        ("y0 = x0; y1 = x0", 1, FileError, r"y1 is not among the bits 0\.\.0, n = 1"),
        ("y0 = x0", 0, CommunicationError, "at least 1"),
    ],
)
def test_stated_n(text, n, error, words):
    with pytest.raises(error, match=words):
        parse_equations(text, n)
