"""`lccmodel route`: the steps of every method, tags, registers, figures; one line of complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from lccmodel.permutations.partitioned import random_partitioned
from tests.choosing import fast_only
from tests.cli import calling

ASTRAY = [0, 1, 2, 4, 3, 7, 5, 6]
EXAMPLE_3 = "y0 = x2; y1 = x0; y2 = x1"
PROGRAM = """\
n = 4
[[communication]]
name = "transpose"
catalog = "matrix-transpose"
[[communication]]
name = "scatter"
catalog = "scale2"
"""


def run(*arguments: str | Path) -> Result:
    return calling.run("route", *arguments)


def records(*arguments: object) -> list[dict[str, Any]]:
    return calling.records("route", *arguments, codes=(0, 1))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("astray.npy", ASTRAY)
    (tmp_path / "astray.csv").write_text("".join(f"{x} {y}\n" for x, y in enumerate(ASTRAY)))
    (tmp_path / "swap.csv").write_text("1 2\n2 1\n")
    (tmp_path / "twice.csv").write_text("0 1\n1 1\n")
    (tmp_path / "program.toml").write_text(PROGRAM)
    (tmp_path / "on_mesh.toml").write_text(
        'network = "mesh:4x2"\nequations = "' + EXAMPLE_3 + '"\n'
    )
    return tmp_path


# -- answers ------------------------------------------------------------------------------------


def test_hl_step_by_step() -> None:
    """[boppana, section 2.3]: bit reversal goes through the states B, A, B, A."""
    rows = records("bit-reverse", "-N", "cube:4", "-a", "hl", "--tags")
    assert [row["bits"] for row in rows] == [[], [0], [3], [1], [2]]
    assert [row["state"] for row in rows] == ["A", "B", "A", "B", "A"]
    assert [row["occupancy"] for row in rows] == [1, 2, 1, 2, 1]
    assert [row["load"] for row in rows] == [0, 1, 1, 1, 1]
    tags = rows[1]["tags"]
    assert isinstance(tags, list)
    assert (tags[0], tags[1]) == ([0, 8], [])
    assert rows[4]["tags"] == [[node] for node in range(16)]


def test_variants_and_modes_of_hl(files: Path) -> None:
    rows = records("bit-reverse", "-N", "cube:4", "-a", "hl", "--variant", "msb")
    assert rows[0]["order"] == [3, 0, 2, 1]
    for name in ("astray.npy", "astray.csv"):
        stuck = run(name, "-a", "hl")
        assert stuck.exit_code == 1
        assert "in step 2 processor 0 chooses bit 1, but 5 chooses 2" in stuck.stdout
        assert run(name, "-a", "hl", "--mode", "mimd").exit_code == 0
    tag = records("astray.npy", "-a", "hl", "--mode", "mimd", "--reading", "tag")
    assert "reading 'tag'" in str(tag[0]["rules"])


def test_a_partitioned_permutation_by_its_tree(files: Path) -> None:
    """[boppana, Lemma 7]: the subcubes of corrected bits do not do, those of the tree do."""
    tree = random_partitioned(6, seed=6)
    np.save("parts.npy", tree.destinations)
    assert run("parts.npy", "-a", "hl", "--mode", "m-simd").exit_code == 1
    rows = records("parts.npy", "-a", "hl", "--mode", "m-simd", "--partition", "tree")
    assert rows[0]["delivered"] is True
    assert [row["bits"] for row in rows] == [[], [0], [1, 2], [1, 2], [3], [4], [5]]
    named = records("astray.npy", "-a", "hl", "--mode", "m-simd", "--partition", "2")
    assert "partition (2,)" in str(named[0]["rules"])


def test_exchanges_and_dimension_order() -> None:
    rows = records("gray-code", "-N", "cube:3", "-a", "exchange")
    assert [row["condition"] for row in rows] == [None, "u1", "u2", "never"]
    rows = records("gray-code", "-N", "cube:3", "-a", "exchange", "--order", "1,0,2")
    assert [row["condition"] for row in rows] == [None, "u2", "u1 + u2", "never"]
    rows = records("bit-reverse", "-N", "cube:4", "-a", "e-cube")
    assert [row["occupancy"] for row in rows] == [1, 2, 4, 2, 1]
    rows = records("bit-reverse", "-N", "cube:4", "-a", "e-cube", "--order", "0 3 1 2")
    assert [row["occupancy"] for row in rows] == [1, 2, 1, 2, 1]


def test_the_registers_of_example_3() -> None:
    """[sibeyn, Example 3]: 8 processors, one cycle of three bits, 8 unit shifts."""
    result = run(EXAMPLE_3, "-a", "simd-mesh", "--numbering", "shuffled-row-major", "--tags")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["olddata", *(f"d{x:03b}" for x in range(8)), "initial", "situation"] in lines
    assert ["selected", *"FTTFFTTF"] in lines
    last = "d000 d100 d001 d101 d010 d110 d011 d111 if test"
    assert ["olddata", *last.split()] in lines
    rows = records(EXAMPLE_3, "-a", "simd-mesh", "--numbering", "shuffled-row-major")
    assert [row["registers"] for row in rows] == [None, 2, 4, 2]
    assert [row["cycle"] for row in rows[1:]] == [[0, 2]] * 3


def test_skipping_and_numbering_of_the_simd_mesh() -> None:
    shifts = [
        sum(int(str(row["registers"])) for row in records("butterfly", "-N", "mesh:4x4", *more)[1:])
        for more in (("-a", "simd-mesh"), ("-a", "simd-mesh", "--skip"))
    ]
    assert shifts == [12, 6]  # bits 0 and 3, of weights 1 and 2, are left
    rows = records("butterfly", "-N", "mesh:4x4", "-a", "simd-mesh", "--numbering", "snake-like")
    assert rows[0]["numbering"] == "snake-like"


def test_unit_steps_on_a_mesh() -> None:
    """[boppana, Theorem 2]: 2^r - 1 + 2^c - 1 unit steps with all ports."""
    rows = records("vector-reversal", "-N", "mesh:8x8", "-a", "hl")
    assert [row["unit_steps_all"] for row in rows] == [0, 1, 2, 4, 1, 2, 4]
    assert [row["unit_steps_one"] for row in rows] == [0, 1, 3, 7, 1, 3, 7]
    assert [row["unit_steps_one_direction"] for row in rows] == [0, 2, 4, 8, 2, 4, 8]


def test_all_methods_side_by_side() -> None:
    rows = records("matrix-transpose", "-N", "mesh:4x4")
    found = {str(row["method"]): row for row in rows}
    assert {method: row["order"] for method, row in found.items()} == {
        "e-cube": [0, 1, 2, 3],
        "reordering": [0, 2, 1, 3],
        "hl": [0, 2, 1, 3],
        "exchange": None,
        "bit-exchange": [0, 2, 1, 3],
        "simd-mesh": [2, 0, 3, 1],
        "simd-mesh-shuffled": [2, 0, 3, 1],
    }
    assert found["e-cube"]["load"] == [1, 2, 2, 1]
    assert found["simd-mesh"]["registers"] == 12
    assert "unit_steps_all" in rows[0]
    text = run("matrix-transpose", "-N", "mesh:4x4").stdout
    assert "counts on mesh:4x4" in text
    assert "counts on mesh" not in run("matrix-transpose", "-N", "cube:4").stdout


def test_where_permutations_come_from(files: Path) -> None:
    assert records("swap.csv", "--idle", "stay", "--first-rank", "0")[0]["communication"] == "swap"
    assert run("swap.csv").exit_code == 2
    assert records("program.toml", "--name", "transpose")[0]["n"] == 4
    assert records("on_mesh.toml", "-a", "hl")[0]["network"] == "mesh:4x2"
    assert records("on_mesh.toml", "-N", "cube", "-a", "hl")[0]["network"] == "cube:3"
    assert records("astray.npy")[0]["mesh"] == "mesh:4x2"


@pytest.mark.parametrize("suffix", fast_only(["png", "pdf", "svg"], "svg"))
def test_figures_are_what_their_names_say_and_the_same_twice(files: Path, suffix: str) -> None:
    first, second = files / f"a.{suffix}", files / f"b.{suffix}"
    for path in (first, second):
        assert run(EXAMPLE_3, "-a", "simd-mesh", "--plot", path).exit_code == 0
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[suffix]
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("algorithm", ["all", "hl", "e-cube", "exchange", "simd-mesh"])
def test_every_algorithm_speaks_every_format(algorithm: str, files: Path) -> None:
    arguments = ["gray-code", "-N", "mesh:4x2", "-a", algorithm]
    arguments += [] if algorithm == "all" else ["--tags"]
    found = records(*arguments)
    header = run(*arguments, "-f", "csv").stdout.splitlines()[0].split(",")
    assert header == list(found[0])
    text = run(*arguments).stdout
    assert max(map(len, text.splitlines())) <= 100
    latex = run(*arguments, "-f", "latex").stdout
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    assert "∅" not in latex
    for suffix, content in (("txt", text), ("tex", latex)):
        assert run(*arguments, "-o", f"t.{suffix}").stdout == ""
        assert (files / f"t.{suffix}").read_text() == content
    assert run(*arguments, "-o", "t.json").exit_code == 0
    assert json.loads((files / "t.json").read_text()) == found


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bit-reverse",), ["--network", "cube:4"]),
        (("bit-revers", "-N", "cube:4"), ["did you mean 'bit-reverse'?"]),
        (("bit-reverse", "-N", "origin:4"), ["cube:N, mesh:AxB"]),
        (("bit-reverse", "-N", "mesh:3x4"), ["2^n nodes"]),
        (("bit-reverse", "-N", "cube:30"), ["n <= 24"]),
        (("bit-reverse", "-N", "cube:17"), ["n <= 16"]),
        (("bit-reverse", "-N", "mesh:512x512", "-a", "hl"), ["n <= 16 on a mesh"]),
        (("bit-reverse", "-N", "cube:7", "-a", "hl", "--tags"), ["up to n = 6"]),
        (("bit-reverse", "-N", "cube:4", "--tags"), ["--tags", "--algorithm hl"]),
        (("bit-reverse", "-N", "cube:4", "--mode", "mimd"), ["--mode", "--algorithm hl"]),
        (("bit-reverse", "-N", "cube:4", "-a", "hl", "--skip"), ["--skip", "simd-mesh"]),
        (("bit-reverse", "-N", "cube:4", "-a", "hl", "--reading", "tag"), ["'agree'"]),
        (("bit-reverse", "-N", "cube:4", "-a", "hl", "--order", "0"), ["e-cube or exchange"]),
        (("bit-reverse", "-N", "cube:4", "-a", "hl", "--partition", "tree"), ["m-simd"]),
        (("bit-reverse", "-N", "cube:4", "--partition", "tree"), ["--algorithm hl"]),
        (("astray.npy", "-a", "hl", "--mode", "m-simd", "--partition", "tree"), ["mode mimd"]),
        (("astray.npy", "-a", "hl", "--mode", "m-simd", "--partition", "low"), ["bits such as"]),
        (("astray.npy", "-a", "hl", "--mode", "m-simd", "--partition", "3"), ["bits of 0..2"]),
        (("bit-reverse", "-N", "cube:4", "-a", "e-cube", "--order", "0,x"), ["0,2,1"]),
        (("bit-reverse", "-N", "cube:4", "-a", "e-cube", "--order", "0,1"), ["0..3 once"]),
        (
            ("bit-reverse", "-N", "cube:4", "-a", "exchange", "--order", "0,1,2,3"),
            ["singular", "no order works"],
        ),
        (("bit-reverse", "-N", "cube:4", "-a", "simd-mesh"), ["mesh:4x4"]),
        (("bit-reverse", "-N", "torus:4x4", "-a", "simd-mesh"), ["wrap-around"]),
        (("bit-reverse", "-N", "cube:4", "--plot", "a.jpg"), [".png, .pdf"]),
        (("bit-reverse", "-N", "cube:4", "--plot", "no/a.png"), ["folder that exists"]),
        (
            ("bit-reverse", "-N", "cube:4", "--plot", "a.png", "-o", "a.png", "-f", "csv"),
            ["twice"],
        ),
        (("scale2", "-N", "cube:4"), ["must be a permutation"]),
        (("astray.npy", "-a", "exchange"), ["y = Ax + b", "mode mimd"]),
        (("astray.npy", "-a", "simd-mesh"), ["y = Ax + b", "mode mimd"]),
        (("astray.npy", "-N", "cube:4"), ["y = Ax + b"]),
        (("astray.npy", "-N", "mesh:2x2"), ["0..3"]),
        (("swap.csv", "-N", "cube"), ["swap.csv"]),
        (("twice.csv",), ["--as matrix"]),
        (("program.toml",), ["--name", "transpose, scatter"]),
        (("program.toml", "--name", "x"), ['must be "transpose" or "scatter"']),
        (("program.toml", "--name", "scatter"), ["must be a permutation"]),
        (("missing.csv",), ["missing.csv"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_line_that_says_what_would_work(
    arguments: tuple[str, ...], words: list[str], files: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in files.rglob("*")}
    message = calling.refused(run(*arguments))
    assert all(word in message for word in words)
    assert {path: path.stat().st_mtime_ns for path in files.rglob("*")} == before


def test_exchanges_where_no_order_of_them_works() -> None:
    """[edelman, section 5]: bit reversal by two pairs of bits, in four steps."""
    rows = records("bit-reverse", "-N", "cube:4", "-a", "exchange")
    assert [row["load"] for row in rows] == [0, 1, 1, 1, 1]
    assert {row["method"] for row in rows} == {"bit-exchange"}
