"""The time to recognise a text is linear in it, whatever it consists of, also without line ends."""

import time
import tracemalloc
from pathlib import Path

import pytest

from lccmodel.errors import FileError
from lccmodel.reading import cells, hostfiles
from lccmodel.reading.hostlist import split_outside_brackets
from lccmodel.reading.recognise import formats, read
from lccmodel.reading.text import Text

UNITS = ("0,1,5 ", "12,", "1", "a", " ", "[", "[0,1],", "[0,1 ", '"0,1 ', "a:1 ", "a=1 ", "(", "{",
         "<a ", "<a>", "#", "/", "/*", "a@", "-", ".", "n[1-2]", "0\t1\t", "\n", "0 1;", "0->1 ",
         "0|1|", "0x1", "a_1", "%", "*", "1+", "1e", "rank 0=", "1-", '{"a":', "0,1\n", "a:\n",
         "a=b\n", " \n")  # fmt: skip


def seconds(unit: str, characters: int) -> dict[str, float]:
    """Return the processor seconds of every format for a text of repeated units."""
    times = {}
    for form in formats():
        text = Text(Path("a.txt"), (unit * (characters // len(unit)) + "x").encode())
        began = time.process_time()
        form.recognises(text)
        times[form.name] = time.process_time() - began
    return times


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_no_text_is_recognised_in_time_that_grows_with_its_square(unit):
    """0.4 took hours for 35 MB without line ends, and 43 s for 100,000 empty lines."""
    for name, taken in seconds(unit, 60_000).items():
        assert taken < 1, name


def test_a_list_of_hosts_is_split_in_linear_time():
    """0.4 looked ahead to the next bracket from every comma: 4 s for this line."""
    began = time.process_time()
    assert len(split_outside_brackets("12," * 40_000)) == 40_001
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a,b", ["a", "b"]),
        ("n[1,2]x[3-4],b,[5,6]", ["n[1,2]x[3-4]", "b", "[5,6]"]),
        ("a,[1,2", ["a", "[1", "2"]),
        (",a,", ["", "a", ""]),
    ],
)
def test_separators_inside_brackets_separate_nothing(text, parts):
    assert split_outside_brackets(text) == parts


@pytest.mark.parametrize(
    "body", ["0,1 " * 100_000, "0,1," * 100_000, '"0,1 ' * 50_000, "1" * 200_000],
    ids=["pairs", "cells", "a quote", "digits"],
)  # fmt: skip
def test_a_table_without_line_ends_is_refused_in_a_line_and_little_memory(body, monkeypatch):
    """0.4 took 45 times the size of the file; of a quote without an end it ended in a traceback."""
    for module in (cells, hostfiles):
        monkeypatch.setattr(module, "_LONGEST", 1 << 16)
    text = Text.typed("source,destination\n" + body)
    tracemalloc.start()
    with pytest.raises(FileError):
        read(text, "traffic")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * len(body) + 3_000_000
