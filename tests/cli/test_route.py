"""`lccmodel route`: every option reaches its method; tables are tested in `show`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from lccmodel.permutations.partitioned import random_partitioned
from tests.cli.calling import records_of, typed

EXAMPLE_3 = "'y0 = x2; y1 = x0; y2 = x1'"


def route(line: str, *more: object) -> Result:
    return typed(f"route {line}", *more)


def records(line: str) -> list[dict[str, Any]]:
    return records_of(f"route {line}", codes=(0, 1))


@pytest.fixture
def files(folder: Path) -> Path:
    np.save("astray.npy", [0, 1, 2, 4, 3, 7, 5, 6])
    np.save("parts.npy", random_partitioned(6, seed=6).destinations)
    equations = EXAMPLE_3.strip("'")
    (folder / "on_mesh.toml").write_text(f'network = "mesh:4x2"\nequations = "{equations}"\n')
    return folder


@pytest.mark.parametrize(
    ("line", "column", "values"),
    [
        # [boppana, section 2.3]: bit reversal goes through the states B, A, B, A
        ("bit-reverse -N cube:4 -a hl", "bits", [[], [0], [3], [1], [2]]),
        ("bit-reverse -N cube:4 -a hl", "state", ["A", "B", "A", "B", "A"]),
        ("bit-reverse -N cube:4 -a hl --variant msb", "bits", [[], [3], [0], [2], [1]]),
        ("gray-code -N cube:3 -a exchange", "condition", [None, "u1", "u2", "never"]),
        (
            "gray-code -N cube:3 -a exchange --order 1,0,2",
            "condition",
            [None, "u2", "u1 + u2", "never"],
        ),
        # [edelman, section 5]: no order of exchanges works; two pairs of bits, in four steps
        ("bit-reverse -N cube:4 -a exchange", "method", ["bit-exchange"] * 5),
        ("bit-reverse -N cube:4 -a exchange", "load", [0, 1, 1, 1, 1]),
        ("bit-reverse -N cube:4 -a e-cube", "occupancy", [1, 2, 4, 2, 1]),
        ("bit-reverse -N cube:4 -a e-cube --order '0 3 1 2'", "occupancy", [1, 2, 1, 2, 1]),
        # [sibeyn, Example 3]: one cycle of three bits, 8 unit shifts
        (f"{EXAMPLE_3} -a simd-mesh --numbering shuffled-row-major", "registers", [None, 2, 4, 2]),
        ("butterfly -N mesh:4x4 -a simd-mesh", "registers", [None, 4, 2, 2, 4]),
        ("butterfly -N mesh:4x4 -a simd-mesh --skip", "registers", [None, 4, 2, 0, 0]),
        # [boppana, Theorem 2]: 2^r - 1 + 2^c - 1 unit steps with all ports
        ("vector-reversal -N mesh:8x8 -a hl", "unit_steps_all", [0, 1, 2, 4, 1, 2, 4]),
        ("vector-reversal -N mesh:8x8 -a hl", "unit_steps_one", [0, 1, 3, 7, 1, 3, 7]),
        # [boppana, Lemma 7]: subcubes of the tree route what those of corrected bits do not
        (
            "parts.npy -a hl --mode m-simd --partition tree",
            "bits",
            [[], [0], [1, 2], [1, 2], [3], [4], [5]],
        ),
        ("astray.npy -a hl --mode mimd", "delivered", [True] * 4),
        # where permutations and networks come from
        ("swap.csv --idle stay --first-rank 0", "communication", ["swap"] * 7),
        ("program.toml --name transpose", "n", [4] * 7),
        ("on_mesh.toml -a hl", "network", ["mesh:4x2"] * 4),
        ("on_mesh.toml -N cube -a hl", "network", ["cube:3"] * 4),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_a_column_holds(line, column, values):
    assert [row[column] for row in records(line)] == values


@pytest.mark.usefixtures("files")
def test_options_of_hl_are_in_its_rules():
    for more, rule in (
        ("--mode mimd --reading tag", "reading 'tag'"),
        ("--mode m-simd --partition 2", "partition (2,)"),
    ):
        assert rule in str(records(f"astray.npy -a hl {more}")[0]["rules"])
    tags = records("bit-reverse -N cube:4 -a hl --tags")[1]["tags"]
    assert (tags[0], tags[1]) == ([0, 8], [])


@pytest.mark.usefixtures("files")
def test_what_a_mode_does_not_route_is_exit_code_1():
    stuck = route("astray.npy -a hl")
    assert stuck.exit_code == 1
    assert "in step 2 processor 0 chooses bit 1, but 5 chooses 2" in stuck.stdout
    assert route("parts.npy -a hl --mode m-simd").exit_code == 1


def test_the_registers_of_example_3():
    result = route(f"{EXAMPLE_3} -a simd-mesh --numbering shuffled-row-major --tags")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["olddata", *(f"d{x:03b}" for x in range(8)), "initial", "situation"] in lines
    assert ["selected", *"FTTFFTTF"] in lines


def test_all_methods_side_by_side():
    rows = {row["method"]: row for row in records("matrix-transpose -N mesh:4x4")}
    assert {method: row["order"] for method, row in rows.items()} == {
        "e-cube": [0, 1, 2, 3],
        "reordering": [0, 2, 1, 3],
        "hl": [0, 2, 1, 3],
        "exchange": None,
        "bit-exchange": [0, 2, 1, 3],
        "simd-mesh": [2, 0, 3, 1],
        "simd-mesh-shuffled": [2, 0, 3, 1],
    }
    assert rows["e-cube"]["load"] == [1, 2, 2, 1]
    assert rows["simd-mesh"]["registers"] == 12
    assert "counts on mesh:4x4" in route("matrix-transpose -N mesh:4x4").stdout
    assert "counts on mesh" not in route("matrix-transpose -N cube:4").stdout
