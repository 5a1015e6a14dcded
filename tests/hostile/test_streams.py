"""Standard streams that are closed, full, cut short, silent or not UTF-8, and pipes by name."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import routing
from lccmodel.errors import InputError, NetworkError, clipped, shown
from lccmodel.ground import arguments
from proofs_check.kept import read_records
from tests.choosing import fast_only, sampled
from tests.cli import calling

PYTHON = f"'{sys.executable}' -m"
CONTENTION = "lccmodel contention bit-reverse -N cube:3"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command line as bash runs it; the exit code is that of the first of a pipe."""
    return subprocess.run(
        ["bash", "-c", f"{PYTHON} {command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


CLOSED = {
    f"{CONTENTION} >&-": (2, "Bad file descriptor"),
    f"{CONTENTION} --output out.csv >&-": (0, ""),
    "lccmodel contention - <&-": (2, "stdin: must be open to be read"),
    f"{CONTENTION} <&-": (0, ""),
    f"{CONTENTION} >/dev/full": (2, "No space left on device"),
    "proofs_check list hou.thm1 >&-": (2, "Bad file descriptor"),
    "lccmodel no-such 2>&-": (2, ""),
    "lccmodel no-such 2>&1 | true": (2, ""),
    "lccmodel --help | true": (0, ""),
    "proofs_check --version | true": (0, ""),
    "lccmodel catalog | true": (0, ""),
    "proofs_check list | true": (0, ""),
}


@pytest.mark.parametrize("command", sampled(CLOSED, 3))
def test_a_stream_that_takes_nothing(command: str, folder: Path) -> None:
    """A closed standard output was an AttributeError; `| true` exited with 1, which means no."""
    code, said = CLOSED[command]
    done = shell(command)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert (folder / "out.csv").exists() == ("out.csv" in command)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", fast_only(["latin-1", "cp1252", "utf-8:strict"], "latin-1"))
def test_an_encoding_without_arrows(encoding: str) -> None:
    done = shell("lccmodel map bit-reverse -N cube:4", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("\\u2192" in done.stdout) == (encoding != "utf-8:strict")


def test_json_stays_json_in_every_encoding(folder: Path) -> None:
    """What an encoding lacks is written as JSON writes it in ASCII, beyond 16 bits too."""
    named = {"n": 2, "communication": [{"name": "→𝔽", "destinations": [1, 0, 3, 2]}]}
    (folder / "a.json").write_text(json.dumps(named))
    done = shell("lccmodel contention a.json -N cube:2 -f json", PYTHONIOENCODING="latin-1")
    assert json.loads(done.stdout)[0]["communication"] == "→𝔽"


def test_a_pipe_with_a_slow_writer_is_read(folder: Path) -> None:
    os.mkfifo("slow.csv")

    def write() -> None:
        with Path("slow.csv").open("w") as pipe:
            time.sleep(0.2)
            pipe.write("source,destination\n0,1\n")

    writer = threading.Thread(target=write)
    writer.start()
    assert len(lcc.read("slow.csv")[0].traffic) == 1
    writer.join()


def refused(*arguments: str) -> str:
    return calling.refused(calling.run(*arguments))


def test_an_exponent_of_twenty_digits(folder: Path) -> None:
    Path("m.toml").write_text("[machine]\nalpha = 1e99999999999999999999\ntau = 1\n")
    said = refused("pipeline", "-N", "mesh:2x2", "--machine", "m.toml", "--items", "16")
    assert "m.toml: a number must have a decimal exponent of three digits at most" in said


@pytest.mark.parametrize("cell", ["3-0", "1.", "0x1", "1e", "--1", "1_0"])
def test_a_matrix_market_entry_that_scipy_reads_over(cell: str, folder: Path) -> None:
    heading = "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 8\n"
    Path("m.mtx").write_text(f"{heading}4 {cell} 1\n")
    assert "m.mtx:4: " in refused("contention", "m.mtx")


RECORDS = {
    "deep": "[" * 100_000,
    "empty": "[]",
    "other": '{"a": 3}',
    "no verdict": '[{"id": "hou.thm1"}]',
    "text": '"abc"',
    "numbers": "[1, 2]",
}


@pytest.mark.parametrize("kind", sampled(RECORDS, 6))
@pytest.mark.parametrize("command", ["findings", "errata hou"])
def test_records_that_are_no_report(command: str, kind: str, folder: Path) -> None:
    Path("r.json").write_text(RECORDS[kind])
    done = shell(f"proofs_check {command} --records r.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "r.json: must be a report of `proofs-check run --format json`" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_records_without_end() -> None:
    with pytest.raises(InputError, match="at most"):
        read_records(Path("/dev/zero"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    sampled(
        [
            ("x = 1\n", "must be a module that declares claims"),
            ("def (", "must be a module of Python"),
            ("raise SystemExit(7)", "ends the process (SystemExit(7))"),
        ],
        3,
    ),
)
def test_a_module_without_claims(text: str, said: str, folder: Path) -> None:
    """By its name or its file's."""
    Path("without.py").write_text(text)
    for name in ("without", "without.py"):
        done = shell(f"proofs_check --claims {name} list")
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


LONG = "a" * 100_000


@pytest.mark.parametrize(
    "arguments",
    [
        ["contention", LONG],
        [LONG],
        ["contention", "bit-reverse", "-N", LONG],
        ["pipeline", "--alpha", LONG],
        ["contention", "bit-reverse", f"--{LONG}"],
        ["map", "bit-reverse", "--plot", f"{LONG}.png"],
        ["contention", "bit-reverse", "-N", "cube:3", "-o", LONG],
    ],
    ids=range(7),
)
def test_a_long_argument_is_not_echoed_whole(arguments: list[str]) -> None:
    assert len(refused(*arguments)) < 1600


def test_clipped_keeps_both_ends() -> None:
    for most in range(1, 12):
        assert len(clipped("abcdefghij", most)) <= most
    assert clipped("abcdefghij", 5) == "ab…ij"


class _Unshown:
    def __repr__(self) -> str:
        raise RuntimeError


def nested() -> list[object]:
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [10**5000, [10**5000], nested(), _Unshown()], ids=range(4))
def test_an_error_is_made_of_every_value(value: object) -> None:
    """`repr` fails for these, and so did the error that showed them."""
    assert shown(value)
    assert str(InputError("x", "must be small", value)).startswith("x: must be small; got ")
    with pytest.raises(InputError):
        lcc.Hypercube(value)
    with pytest.raises(InputError):
        lcc.contention(value, "cube:3")


@pytest.mark.parametrize("network", [lcc.Hypercube(2), lcc.Mesh((2, 2)), lcc.FatTree((2, 2))])
@pytest.mark.parametrize(("row", "column"), [(9, 0), (-1, 0), (0, 99), (0, -1)])
def test_a_counter_that_is_none(network: lcc.Network, row: int, column: int) -> None:
    """`Hypercube(2).channel(9, 0)` was (0, 512)."""
    with pytest.raises(NetworkError):
        network.channel(row, column)


def test_pairs_as_an_array() -> None:
    cube = lcc.Hypercube(2)
    pairs = np.array([[0, 1], [0, 3]])
    table = routing.routing_table(routing.find_routing("e-cube", cube), routing.Fabric(cube), pairs)
    assert table.states == 2 + 3  # a header in its source, and after each hop
    assert not routing.deadlock_free("e-cube", cube, pairs).cycle


MASKED = np.ma.array([[0, 1], [1, 0]], mask=[[0, 0], [0, 1]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: lcc.Traffic(MASKED),
        lambda: lcc.Traffic.of(MASKED),
        lambda: lcc.LCC(MASKED),
        lambda: lcc.contention(MASKED, "cube:1"),
        lambda: lcc.recognise(MASKED),
        lambda: lcc.Hypercube(1).channel_loads(MASKED),
        lambda: lcc.place(MASKED, "cube:1"),
    ],
)
def test_a_mask_is_no_entry(call: object) -> None:
    """numpy forgets masks on the way to an array; what is hidden was sent."""
    with pytest.raises(InputError, match="must have no masked entries"):
        call()


def test_a_masked_array_that_hides_nothing_is_an_array() -> None:
    assert len(lcc.Traffic(np.ma.array([[0, 1]]))) == 1


def zeros() -> Iterator[int]:
    while True:
        yield 0


class Endless:
    """No iterator, and no end: each `iter` begins again."""

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


ENDLESS = {
    "count": itertools.count,
    "generator": zeros,
    "object": Endless,
    "in a list": lambda: [itertools.count()],
    "in lists": lambda: [[Endless()]],
    "in a pair": lambda: [(0, Endless())],
}


@pytest.mark.parametrize("endless", ENDLESS.values(), ids=list(ENDLESS))
@pytest.mark.parametrize(
    "call",
    [
        lambda given: lcc.Traffic(given),
        lambda given: lcc.contention(given, "cube:2"),
        lambda given: lcc.recognise(given),
        lambda given: lcc.Mesh(given),
        lambda given: lcc.gf2.GF2Matrix.from_order(given),
        lambda given: lcc.Traffic.of(given),
        lambda given: lcc.Hypercube(2).node(given),
    ],
)
def test_an_endless_iterable_ends(
    call: object, endless: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was eaten up to the limit of memory; a place that takes no iterator says so instead."""
    monkeypatch.setattr(arguments, "_ITERATED", 1000)
    with pytest.raises(InputError, match=r"an iterator may have 1,000 entries|: .*must"):
        call(endless())


@pytest.mark.parametrize("call", [lcc.Traffic, lcc.Traffic.of, lcc.contention, lcc.place])
def test_endless_values_of_a_dictionary_end(
    call: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Destinations of a node are read from a dictionary's values."""
    monkeypatch.setattr(arguments, "_ITERATED", 1000)
    with pytest.raises(InputError, match=r"an iterator may have 1,000 entries|: .*must"):
        call({0: Endless()})
