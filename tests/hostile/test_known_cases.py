"""Inputs that once ended in a traceback, a hang or a full memory: one line and exit code 2 now.

Files nested 100,000 deep, numbers of 100,000 digits, indices outside of their matrix, names that no
file can have, numbers beyond 64 bits, masks, and iterables without end.
"""

import gzip
import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import pipelining, routing
from lccmodel.calibration import machine_file, read_machine, read_measurements
from lccmodel.errors import FileError, InputError, clipped, shown
from lccmodel.ground import arguments, files
from lccmodel.ground.files import write_atomically
from lccmodel.movement import Movement, Ports, kernels
from lccmodel.network.hosts import read_hosts
from lccmodel.permutations.exchanges import exchanges_and_pairs
from lccmodel.reading.recognise import hosts_of
from lccmodel.wormhole import run_program, simulate
from proofs_check.kept import read_records
from tests.cli import calling

# -- files ----------------------------------------------------------------------------------------

DEEP, DIGITS = 100_000, "9" * 100_000
MATRIX_MARKET = "%%MatrixMarket matrix coordinate integer general\n{}\n"
HEADER = b"{'descr': '<i8', 'shape': (4, (  ".ljust(117) + b"\n"
FILES: dict[str, str | bytes] = {
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
    **{  # entries that scipy reads over
        f"cell{k}.mtx": MATRIX_MARKET.format(f"4 4 2\n1 2 8\n4 {cell} 1")
        for k, cell in enumerate(["3-0", "1.", "0x1", "1e", "--1", "1_0"])
    },
    "header.npy": b"\x93NUMPY\x01\x00" + bytes([len(HEADER), 0]) + HEADER,
}


def refused(*words: object) -> str:
    """The one line, not too long, of a command that refuses its arguments."""
    message = calling.refused(calling.run(*words))
    assert len(message) < 1600
    return message


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_no_parser_should_follow(name, folder):
    content = FILES[name]
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert (f"{name}:4: " if name.startswith("cell") else name) in refused("recognise", name)


SPARSE = {
    "outside": {"indices": [0, 1, 2, 9]},
    "negative": {"indices": [0, 1, 2, -3]},
    "pointer": {"indptr": [0, 1, 2, 3, 100]},
    "falling": {"indptr": [0, 3, 1, 2, 4]},
    "shape": {"shape": [10**12, 10**12]},
    "a list outside": {"format": b"coo", "row": [0, 1, 2, 3], "col": [0, 1, 2, 4]},
    "a list negative": {"format": b"coo", "row": [0, 1, 2, -1], "col": [0, 1, 2, 3]},
}


@pytest.mark.parametrize("fault", SPARSE)
def test_a_sparse_matrix_with_an_index_outside(fault, folder):
    content = {"indices": [0, 1, 2, 3], "indptr": [0, 1, 2, 3, 4], "data": [1, 1, 1, 1]}
    content |= {"shape": [4, 4], "format": b"csr"} | SPARSE[fault]
    np.savez("matrix.npz", **{key: np.array(value) for key, value in content.items()})
    assert "sparse matrix" in refused("recognise", "matrix.npz")


def test_files_that_hold_more_than_memory(folder, monkeypatch):
    """/dev/zero was read until memory was full."""
    monkeypatch.setattr(machine_file, "_LARGEST", 1 << 20)
    monkeypatch.setattr(files, "MAX_UNPACKED", 1 << 20)
    (folder / "zeros.csv.gz").write_bytes(gzip.compress(b"0" * (2 << 20)))
    assert "at most 1 MiB" in refused("recognise", "zeros.csv.gz")
    (folder / "endless.csv").symlink_to("/dev/zero")
    for reader in (read_machine, read_measurements, read_hosts, lcc.read):
        with pytest.raises(FileError, match=r"endless\.csv: must have at most 1048576 bytes"):
            reader("endless.csv")


def test_a_size_of_100000_digits_is_refused_at_once(folder):
    """Looking for NetPIPE's lines took time quadratic in the length of a number."""
    (folder / "times.csv").write_text(f"size,time\n{DIGITS},1\n16,2\n")
    started = time.process_time()
    assert "times.csv:2: a size" in refused("calibrate", "times.csv")
    assert time.process_time() - started < 5


def test_times_beyond_the_largest_float_are_shown(folder):
    """A machine file may say 1e999; a picture of it cannot be drawn."""
    machine = folder / "machine.toml"
    machine.write_text("[machine]\nalpha = 1e999\ntau = 1\n")
    command = "pipeline -N mesh:2x2 --machine machine.toml --items 16"
    result = calling.typed(command)
    assert (result.exit_code, "e+999" in result.stdout) == (0, True)
    assert "too large" in calling.refused(calling.typed(f"{command} --plot x.png"))
    assert [*folder.iterdir()] == [machine]
    machine.write_text("[machine]\nalpha = 1e99999999999999999999\ntau = 1\n")
    said = calling.refused(calling.typed(command))
    assert "machine.toml: a number must have a decimal exponent of three digits at most" in said


@pytest.mark.parametrize(
    "records",
    ["[" * DEEP, "[]", '{"a": 3}', '[{"id": "hou.thm1"}]', '"abc"', "[1, 2]"],
    ids=["deep", "empty", "other", "no verdict", "text", "numbers"],
)
def test_records_that_are_no_report(records, folder):
    (folder / "r.json").write_text(records)
    with pytest.raises(
        FileError, match=r"r\.json: must be a report of `proofs-check run"
    ) as raised:
        read_records(Path("r.json"))
    assert "\n" not in str(raised.value)


# -- words ----------------------------------------------------------------------------------------

LONG, REPORT = "a" * 100_000, "report skew.eq -N cube:2 --output"
WORDS = {
    "NUL in a file": "recognise NUL",
    "NUL in an output": "map bit-reverse -N cube:4 --output NUL",
    "NUL in a picture": "map bit-reverse -N cube:4 --plot NUL.png",
    "NUL in a rank file": "map bit-reverse -N cube:4 --rankfile NUL",
    "NUL in a program": "map bit-reverse -N cube:4 --spmd NUL",
    "NUL in times": "calibrate NUL",
    "NUL in a machine": "pipeline --machine NUL",
    "NUL in a folder": "report examples --output NUL",
    "no UTF-8": "exchange -N mesh:2x2 --alpha 5 --tau 1 --unit \udcff",
    "5000 digits": "simulate bit-reverse -N cube:2 --mapping " + "9" * 5000,
    "a long name": f"{REPORT} {'a' * 300}",
    "a device": f"{REPORT} /dev/full",
    "in a file": f"{REPORT} skew.eq/out",
    "a long communication": f"contention {LONG}",
    "a long command": LONG,
    "a long network": f"contention bit-reverse -N {LONG}",
    "a long number": f"pipeline --alpha {LONG}",
    "a long option": f"contention bit-reverse --{LONG}",
    "a long picture": f"map bit-reverse --plot {LONG}.png",
    "a long output": f"contention bit-reverse -N cube:3 -o {LONG}",
}


@pytest.mark.parametrize("kind", WORDS)
def test_words_that_no_command_can_follow(kind, folder):
    """Long ones are not echoed whole."""
    (folder / "skew.eq").write_text("y0 = x1\ny1 = x0\n")
    refused(*WORDS[kind].replace("NUL", "a\0b").split(" "))
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("n", [30, 64])
def test_loads_that_a_formula_knows_are_an_answer(n):
    """Rank formulas need no list of nodes: half the bits of a reversal meet in one node."""
    (row,) = calling.records_of(f"contention bit-reverse -N cube:{n}")
    assert row["degree"] == 2 ** (n // 2 - 1)


# -- values ---------------------------------------------------------------------------------------

INFINITE, HUGE = [[0.0, np.inf]], np.uint64(2**64 - 1)
CUBE, LINE, SQUARE = lcc.Hypercube(2), lcc.Mesh((4,)), lcc.Mesh((4, 4))
NO_POSITIONS: list[Any] = [INFINITE, [], [[2**70]], [[0], [0, 1]]]
NO_STEPS: list[Any] = [[np.nan], [2**62]]
RAGGED: list[Any] = [[[[0, 1], [2]]], [[0, [1, 2]]], ["a", "b"]]
OUTSIDE = [(9, 0), (-1, 0), (0, 99), (0, -1)]
"""Counters of channels that no network has: `Hypercube(2).channel(9, 0)` was (0, 512)."""
MASKED = np.ma.array([[0, 1], [1, 0]], mask=[[0, 0], [0, 1]])
CALLS: list[tuple[Callable[[], Any], str | None]] = [
    *((lambda v=v: Movement.of_positions(CUBE, v), "positions") for v in NO_POSITIONS),
    *((lambda v=v: Movement.of_schedule(CUBE, [[0, 1]], v), "steps") for v in NO_STEPS),
    (lambda: Movement.of_schedule(CUBE, INFINITE, [0]), "pairs"),
    (lambda: Movement.of_schedule(CUBE, [0, 1], [0]), "pairs"),
    (lambda: Movement(CUBE, np.array([np.inf]), *3 * [np.array([0])]), "starts"),
    (lambda: lcc.Traffic(INFINITE), "messages"),
    (lambda: pipelining.communication_time(10**40), "c"),
    (lambda: pipelining.Task(1, 2**63, mesh="mesh:8"), "i, M"),
    (lambda: pipelining.Task(1, 1, mesh=f"mesh:{2**70}"), "mesh"),
    (lambda: pipelining.Embedding(f"mesh:{2**70}x{2**70}"), "mesh"),
    (lambda: pipelining.average_dilation([np.inf] * 4, LINE), "placement"),
    (lambda: hosts_of("h:99999999999999"), "hosts"),
    (lambda: read_hosts("a\0b"), "hosts"),
    (lambda: write_atomically("a\0b", ""), "a\0b"),
    (lambda: lcc.read("a\0b.csv"), "a\0b.csv"),
    (lambda: lcc.mpi.pipelined_exchange([None, []]), "blocks"),
    (lambda: lcc.mpi.pipelined_fft([[0], [1, 2]], 1), "signal"),
    (lambda: pipelining.complete_exchange(1).run([[0], [1, 2]]), "blocks"),
    (lambda: pipelining.cube_fft(1).run([[0], [1, 2]]), "signal"),
    *((lambda f=f, v=v: f(v), None) for f in (lcc.recognise, exchanges_and_pairs) for v in RAGGED),
    *((lambda v=v: SQUARE.node(v), None) for v in ((4, 0), (0, 4))),
    *((lambda v=v: CUBE.channel(*v), None) for v in OUTSIDE),
    *((lambda v=v: lcc.Mesh((2, 2)).channel(*v), None) for v in OUTSIDE),
    *((lambda v=v: lcc.FatTree((2, 2)).channel(*v), None) for v in OUTSIDE),
    (lambda: run_program([[(0, 1)]], CUBE, seed=2**64), "seed"),
    (lambda: run_program([[(0, 1)]], CUBE, compute=HUGE), "compute"),
    (lambda: simulate([(0, 1)], CUBE, cycles=300).histogram(HUGE), "width"),
    *(
        (lambda v=v: simulate([(0, 1)], CUBE, virtual_channels=v), "virtual_channels")
        for v in (4097, 2**64 - 1, 10**5000)
    ),
]
"""Calls, and the arguments that are refused."""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("call", "argument"), CALLS)
def test_a_value_that_no_array_holds_is_named(call, argument):
    """At once, and without a warning of numpy before it."""
    with pytest.raises(InputError) as caught:
        call()
    assert argument in (caught.value.argument, None)


TAKE_MESSAGES: list[Callable[[Any], Any]] = [
    lcc.Traffic,
    lcc.Traffic.of,
    lcc.recognise,
    lambda value: lcc.contention(value, "cube:2"),
    lambda value: lcc.place(value, "cube:2"),
]


@pytest.mark.parametrize("call", [*TAKE_MESSAGES, lcc.LCC, CUBE.channel_loads])
def test_a_mask_is_no_entry(call):
    """numpy forgets masks on the way to an array; what is hidden was sent."""
    with pytest.raises(InputError, match="must have no masked entries"):
        call(MASKED)
    assert len(lcc.Traffic(np.ma.array([[0, 1]]))) == 1, "one that hides nothing is an array"


class Endless:
    """No iterator, and no end: each `iter` begins again."""

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


ENDLESS: dict[str, Callable[[], Any]] = {
    "count": itertools.count,
    "generator": lambda: (0 for _ in itertools.count()),
    "object": Endless,
    "in a list": lambda: [itertools.count()],
    "in lists": lambda: [[Endless()]],
    "in a pair": lambda: [(0, Endless())],
}


TAKE_NUMBERS = [lcc.Mesh, lcc.gf2.GF2Matrix.from_order, CUBE.node]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        *itertools.product([*TAKE_MESSAGES, *TAKE_NUMBERS], ENDLESS),
        *((call, "in a dictionary") for call in TAKE_MESSAGES),
    ],
)
def test_an_endless_iterable_ends(call, kind, monkeypatch):
    """It was eaten up to the limit of memory; a place that takes no iterator says so instead."""
    monkeypatch.setattr(arguments, "_ITERATED", 1000)
    with pytest.raises(InputError, match=r"an iterator may have 1,000 entries|: .*must"):
        call({0: Endless()} if kind == "in a dictionary" else ENDLESS[kind]())


class _Unshown:
    def __repr__(self) -> str:
        raise RuntimeError


def nested() -> list[object]:
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [10**5000, [10**5000], nested(), _Unshown()], ids=range(4))
def test_an_error_is_made_of_every_value(value):
    """`repr` fails for these, and so did the error that showed them."""
    assert shown(value)
    assert str(InputError("x", "must be small", value)).startswith("x: must be small; got ")
    for call in (lcc.Hypercube, TAKE_MESSAGES[-2]):
        with pytest.raises(InputError):
            call(value)


def test_clipped_keeps_both_ends():
    assert clipped("abcdefghij", 5) == "ab…ij"
    assert all(len(clipped("abcdefghij", most)) <= most for most in range(1, 12))


def test_pairs_as_an_array():
    pairs = np.array([[0, 1], [0, 3]])
    table = routing.routing_table(routing.find_routing("e-cube", CUBE), routing.Fabric(CUBE), pairs)
    assert table.states == 2 + 3  # a header in its source, and after each hop
    assert not routing.deadlock_free("e-cube", CUBE, pairs).cycle


def test_an_empty_movement_is_one():
    """No message at all moves in no step, on any network."""
    assert Movement.of_positions(CUBE, np.zeros((3, 0))).hops == 0
    assert Movement.of_schedule(CUBE, [], []).steps == 0


@pytest.mark.parametrize("flag", [0, None, "x", 1 << 63, [[0, 1]], np.array([[0, 5]])])
def test_a_kernel_is_given_flags_that_are_true_or_false(flag, monkeypatch):
    """A nested list among them spoiled memory, and other kinds had a kernel each compiled."""
    flags: list[Any] = []
    walk = kernels.walk

    def noted(*values: Any) -> Any:
        flags.extend(values[4])
        return walk(*values)

    monkeypatch.setattr(kernels, "walk", noted)
    movement = Movement.along([1, 0], [0])
    with suppress(InputError):
        movement.replay(circuits=flag)
    with suppress(InputError):
        movement.replay(Ports("mine", one=flag))
    assert {type(value) for value in flags} <= {bool}
