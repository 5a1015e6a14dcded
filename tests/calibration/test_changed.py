"""What is read of files of which one line, word or entry was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lccmodel.calibration import read_measurements
from lccmodel.errors import FileError
from tests.calibration.changed import FILES, MACHINES, check_machine, check_output
from tests.calibration.test_benchmark_output import NETPIPE_3
from tests.choosing import sampled


@pytest.mark.parametrize("name", sampled(FILES, 15))
def test_a_changed_line_leaves_the_other_rows_of_a_benchmark(name: str) -> None:
    """Untouched rows are read as before; the rest is refused as input."""
    refused = {"osu both ways", "osu to all", "osu-bcast-73", "osu-bibw-75"}
    assert (check_output(name) > 20) == (name not in refused)


@pytest.mark.parametrize("name", sampled(MACHINES, 3))
def test_a_changed_machine_file_is_a_machine_or_refused(name: str) -> None:
    assert check_machine(name) >= 3


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n8  4.0\n64  1e400\n", 4),
        ("size,time_s\n8,1e305\n", 2),
        ("size,time_ns\n8,1\n16,1e-322\n", 3),
    ],
)
def test_a_time_that_is_none_in_microseconds_is_named_by_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    """Rates beyond all numbers, and times that are 0 or infinite once they are in µs."""
    file = tmp_path / "out.txt"
    file.write_text(text)
    with pytest.raises(FileError, match="a time must be finite and above 0") as refused:
        read_measurements(file)
    assert refused.value.line == line


def test_a_first_row_with_failures_does_not_hide_the_others(tmp_path: Path) -> None:
    """All rows of NetPIPE belong to one benchmark; the one that failed is left out."""
    rows = NETPIPE_3.splitlines(keepends=True)
    first = next(k for k, row in enumerate(rows) if "usec" in row)
    rows[first] = rows[first].rstrip("\n") + "  with failures\n"
    file = tmp_path / "out.txt"
    file.write_text("".join(rows))
    found = read_measurements(file)
    assert found.sizes.tolist() == [64, 1024, 8192, 65536]
    assert found.left_out == ("1 × a row with failures",)
