"""Inputs that once ended in a traceback, a hang or a full memory: one line and exit code 2 now.

Files nested 100,000 deep, numbers of 100,000 digits, indices outside of their matrix, networks
that no memory holds, names that no file can have, and numbers beyond 64 bits.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import pipelining
from lccmodel.calibration import machine_file, read_machine, read_measurements
from lccmodel.errors import FileError, InputError
from lccmodel.ground import files
from lccmodel.ground.files import write_atomically
from lccmodel.movement import Ports, kernels
from lccmodel.network.hosts import read_hosts
from lccmodel.permutations.exchanges import exchanges_and_pairs
from lccmodel.reading.recognise import hosts_of
from tests.cli import calling

DEEP, DIGITS = 100_000, "9" * 100_000
MATRIX_MARKET = "%%MatrixMarket matrix coordinate integer general\n{}\n"
TEXTS = {
    "lists.json": "[" * DEEP + "]" * DEEP,
    "objects.json": '{"a":' * DEEP + "1" + "}" * DEEP,
    "lists.toml": "a = " + "[" * DEEP + "]" * DEEP,
    "tables.toml": "a = " + "{a=" * DEEP + "1" + "}" * DEEP,
    "dotted.toml": ".".join(["a"] * DEEP) + " = 1",
    "headed.toml": "[" + ".".join(["'a'"] * DEEP) + "]",
    "digits.json": f'{{"n": {DIGITS}}}',
    "exponent.json": f'{{"n": 1e{DIGITS}}}',
    "message.json": f'{{"n": 4, "pairs": [[0, {DIGITS}]]}}',
    "digits.toml": f"n = {DIGITS}",
    "node.csv": f"source,destination\n0,{DIGITS}\n",
    "volume.csv": f"source,destination,volume\n0,1,{DIGITS}\n",
    "node.txt": f"0 {DIGITS}\n",
    "bit.eq": f"y0 = x{DIGITS}\n",
    "negative.mtx": MATRIX_MARKET.format("4 4 1\n-1 2 1"),
    "outside.mtx": MATRIX_MARKET.format("4 4 1\n9 2 1"),
    "nul.mtx": MATRIX_MARKET.format("4 4 1\n1 2 8\0 8"),
    "behind.mtx": MATRIX_MARKET.format("4 4 1\n1 2 8\306"),
    "entries.mtx": MATRIX_MARKET.format("4 4 99999999999999\n1 2 1"),
    "digits.mtx": MATRIX_MARKET.format(f"4 4 1\n1 2 {DIGITS}"),
}
SPARSE = {
    "outside": {"indices": [0, 1, 2, 9]},
    "negative": {"indices": [0, 1, 2, -3]},
    "pointer": {"indptr": [0, 1, 2, 3, 100]},
    "falling": {"indptr": [0, 3, 1, 2, 4]},
    "shape": {"shape": [10**12, 10**12]},
}


def refused(arguments: list[str]) -> str:
    """The one line, not too long, of a command that refuses its arguments."""
    message = calling.refused(calling.run(*arguments))
    assert len(message) < 1000
    return message


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_that_no_parser_should_follow(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name])
    assert name in refused(["recognise", str(path)])


@pytest.mark.parametrize("fault", SPARSE)
def test_a_sparse_matrix_with_an_index_outside(fault: str, tmp_path: Path) -> None:
    content: dict[str, Any] = {
        "indices": [0, 1, 2, 3],
        "indptr": [0, 1, 2, 3, 4],
        "data": [1, 1, 1, 1],
        "shape": [4, 4],
        "format": b"csr",
    }
    path = tmp_path / "matrix.npz"
    np.savez(path, **{key: np.array(value) for key, value in (content | SPARSE[fault]).items()})
    assert "sparse matrix" in refused(["recognise", str(path)])


@pytest.mark.parametrize(
    "arguments",
    [
        "fft --network cube:64 --points 16",
        "fft --network cube:27 --points 16",
        "simulate bit-reverse --network cube:27",
        "trace bit-reverse --network cube:27",
        "contention bit-reverse --network mesh:4294967296x4294967296",
        "map bit-reverse --network cube:40 --spmd x.c",
        "route bit-reverse --network cube:40",
        "map bit-reverse --network cube:4 --rankfile ranks --hosts h:99999999999999",
        "map bit-reverse --network cube:4 --rankfile ranks --hosts h[1-99999999999999]",
        "pipeline --network mesh:2x2 --alpha 1 --tau 1 --items 1e999999999",
    ],
)
def test_a_size_beyond_all_memory_is_refused_before_it_is_listed(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(arguments.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("n", [30, 64])
def test_loads_that_a_formula_knows_are_an_answer(n: int) -> None:
    """Rank formulas need no list of nodes: half the bits of a reversal meet in one node."""
    command = ["contention", "bit-reverse", "--network", f"cube:{n}", "--format", "json"]
    result = calling.run(*command)
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["degree"] == 2 ** (n // 2 - 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["recognise", "a\0b.csv"],
        ["map", "bit-reverse", "-N", "cube:4", "--output", "a\0b"],
        ["map", "bit-reverse", "-N", "cube:4", "--plot", "a\0b.png"],
        ["map", "bit-reverse", "-N", "cube:4", "--rankfile", "a\0b"],
        ["map", "bit-reverse", "-N", "cube:4", "--spmd", "a\0b"],
        ["calibrate", "a\0b"],
        ["pipeline", "--machine", "a\0b"],
        ["report", "examples", "--output", "a\0b"],
    ],
    ids=lambda arguments: " ".join(arguments).replace("\0", "NUL"),
)
def test_a_null_character_in_a_name(arguments: list[str]) -> None:
    refused(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["exchange", "--network", "mesh:2x2", "--alpha", "5", "--tau", "1", "--unit", "\udcff"],
        ["simulate", "bit-reverse", "-N", "cube:2", "--mapping", "9" * 5000],
        ["report", "skew.eq", "--network", "cube:2", "--output", "a" * 300],
        ["report", "skew.eq", "--network", "cube:2", "--output", "/dev/full"],
        ["report", "skew.eq", "--network", "cube:2", "--output", "skew.eq/out"],
    ],
    ids=["no UTF-8", "5000 digits", "name too long", "a device", "in a file"],
)
def test_words_that_the_fuzzing_of_commands_found(arguments: list[str], folder: Path) -> None:
    (folder / "skew.eq").write_text("y0 = x1\ny1 = x0\n")
    refused(arguments)
    assert len(list(folder.iterdir())) == 1


def test_a_numpy_header_that_numpy_cannot_read(folder: Path) -> None:
    """Found by the fuzzing of readers: an error of the tokenizer came out."""
    header = b"{'descr': '<i8', 'shape': (4, (  ".ljust(117) + b"\n"
    (folder / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
    assert "numpy" in refused(["recognise", "a.npy"])


def test_a_gzip_file_that_holds_more_than_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_UNPACKED", 1 << 20)
    path = tmp_path / "zeros.csv.gz"
    path.write_bytes(gzip.compress(b"0" * (2 << 20)))
    assert "at most 1 MiB" in refused(["recognise", str(path)])


def test_a_size_of_100000_digits_is_refused_at_once(folder: Path) -> None:
    """Looking for NetPIPE's lines took time quadratic in the length of a number."""
    (folder / "times.csv").write_text(f"size,time\n{DIGITS},1\n16,2\n")
    started = time.process_time()
    assert "times.csv:2: a size" in refused(["calibrate", "times.csv"])
    assert time.process_time() - started < 5


def test_a_file_without_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/zero was read until memory was full."""
    monkeypatch.setattr(machine_file, "_LARGEST", 1 << 20)
    monkeypatch.setattr(files, "MAX_UNPACKED", 1 << 20)
    (folder / "endless.csv").symlink_to("/dev/zero")
    for reader in (read_machine, read_measurements, read_hosts, lcc.read):
        with pytest.raises(FileError, match=r"endless\.csv: must have at most 1048576 bytes"):
            reader("endless.csv")


def test_times_beyond_the_largest_float_are_shown(folder: Path) -> None:
    """A machine file may say 1e999; a picture of it cannot be drawn."""
    (folder / "machine.toml").write_text("[machine]\nalpha = 1e999\ntau = 1\n")
    command = ["pipeline", "-N", "mesh:2x2", "--machine", "machine.toml", "--items", "16"]
    result = calling.run(*command)
    assert (result.exit_code, "e+999" in result.stdout) == (0, True)
    assert "too large" in refused([*command, "--plot", "x.png"])
    assert [path.name for path in folder.iterdir()] == ["machine.toml"]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: lcc.mpi.pipelined_exchange([None, []]), "blocks"),
        (lambda: lcc.mpi.pipelined_fft([[0], [1, 2]], 1), "signal"),
        (lambda: pipelining.complete_exchange(1).run([[0], [1, 2]]), "blocks"),
        (lambda: pipelining.cube_fft(1).run([[0], [1, 2]]), "signal"),
    ],
)
def test_rows_of_different_lengths_are_no_array(call: Callable[[], object], argument: str) -> None:
    """numpy refuses them with an error of its own."""
    with pytest.raises(InputError, match="rows of one length") as caught:
        call()
    assert caught.value.argument == argument


@pytest.mark.parametrize("ragged", [[[[0, 1], [2]]], [[0, [1, 2]]], ["a", "b"]])
def test_a_table_whose_rows_are_no_rows_is_refused(ragged: Any) -> None:
    """Found by wrong calls at random: numpy was asked for the shape of a row that has none."""
    for call in (lcc.recognise, exchanges_and_pairs):
        with pytest.raises(InputError):
            call(ragged)


INFINITE = [[0.0, np.inf]]
CUBE = lcc.Hypercube(2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: lcc.movement.Movement.of_positions(CUBE, INFINITE), "positions"),
        (lambda: lcc.movement.Movement.of_positions(CUBE, []), "positions"),
        (lambda: lcc.movement.Movement.of_positions(CUBE, [[2**70]]), "positions"),
        (lambda: lcc.movement.Movement.of_positions(CUBE, [[0], [0, 1]]), "positions"),
        (lambda: lcc.movement.Movement.of_schedule(CUBE, INFINITE, [0]), "pairs"),
        (lambda: lcc.movement.Movement.of_schedule(CUBE, [0, 1], [0]), "pairs"),
        (lambda: lcc.movement.Movement.of_schedule(CUBE, [[0, 1]], [np.nan]), "steps"),
        (lambda: lcc.movement.Movement.of_schedule(CUBE, [[0, 1]], [2**62]), "steps"),
        (lambda: lcc.movement.Movement(CUBE, np.array([np.inf]), *3 * [np.array([0])]), "starts"),
        (lambda: lcc.Traffic(INFINITE), "messages"),
        (lambda: pipelining.communication_time(10**40), "c"),
        (lambda: pipelining.Task(1, 2**63, mesh="mesh:8"), "i, M"),
        (lambda: pipelining.Task(1, 1, mesh=f"mesh:{2**70}"), "mesh"),
        (lambda: pipelining.Embedding(f"mesh:{2**70}x{2**70}"), "mesh"),
        (lambda: pipelining.average_dilation([np.inf] * 4, lcc.Mesh((4,))), "placement"),
        (lambda: hosts_of("h:99999999999999"), "hosts"),
        (lambda: read_hosts("a\0b"), "hosts"),
        (lambda: write_atomically("a\0b", ""), "a\0b"),
        (lambda: lcc.read("a\0b.csv"), "a\0b.csv"),
    ],
)
def test_a_value_that_no_array_holds_is_named(call: Callable[[], Any], argument: str) -> None:
    """At once, and without a warning of numpy before it."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_an_empty_movement_is_one() -> None:
    """No message at all moves in no step, on any network."""
    assert lcc.movement.Movement.of_positions(CUBE, np.zeros((3, 0))).hops == 0
    assert lcc.movement.Movement.of_schedule(CUBE, [], []).steps == 0


@pytest.mark.parametrize("flag", [0, None, "x", 1 << 63, [[0, 1]], np.array([[0, 5]])])
def test_a_kernel_is_given_flags_that_are_true_or_false(
    flag: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A nested list among them spoiled memory, and other kinds had a kernel each compiled."""
    given: list[Any] = []
    walk = kernels.walk

    def noted(*arguments: Any) -> Any:
        given.extend(arguments[4])
        return walk(*arguments)

    monkeypatch.setattr(kernels, "walk", noted)
    movement = lcc.movement.Movement.along([1, 0], [0])
    with suppress(InputError):
        movement.replay(circuits=flag)
    with suppress(InputError):
        movement.replay(Ports("mine", one=flag))
    assert {type(value) for value in given} <= {bool}


def test_a_coordinate_one_too_large_is_no_node() -> None:
    """Found by a mutant: `<` for `<=` in the range of a coordinate was not noticed."""
    with pytest.raises(InputError):
        lcc.Mesh((4, 4)).node((4, 0))
    with pytest.raises(InputError):
        lcc.Mesh((4, 4)).node((0, 4))


HUGE = np.uint64(2**64 - 1)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: lcc.wormhole.run_program([[(0, 1)]], CUBE, seed=2**64), "seed"),
        (lambda: lcc.wormhole.run_program([[(0, 1)]], CUBE, compute=HUGE), "compute"),
        (lambda: lcc.wormhole.simulate([(0, 1)], CUBE, cycles=300).histogram(HUGE), "width"),
        *(
            (lambda v=v: lcc.wormhole.simulate([(0, 1)], CUBE, virtual_channels=v), name)
            for name in ["virtual_channels"]
            for v in (4097, 2**64 - 1, 10**5000)
        ),
    ],
)
def test_numbers_beyond_the_machine_are_named(call: Callable[[], Any], argument: str) -> None:
    """Those of numpy too; so many virtual channels were listed until memory ended."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
