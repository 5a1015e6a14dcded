"""Every reader of files, given what is nearly right: an answer, or a `FileError` in one line.

Right files of every form stand in `hostile_files`; Hypothesis spoils them. Bytes may come packed,
and from standard input.
"""

import gzip
import io
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import strategies as st

import lccmodel
from lccmodel import calibration
from lccmodel.collectives.mpich_tables import read_mpich_table
from lccmodel.network import as_network, parse_network
from lccmodel.network.hosts import read_hosts
from lccmodel.reading import programs as files
from lccmodel.reading.programs import SUFFIXES
from lccmodel.reading.recognise import hosts_of
from lccmodel.wormhole.booksim import read_booksim
from lccmodel.wormhole.timed import read_recorded
from tests.choosing import sampled, slow
from tests.hostile import hostile_files as right
from tests.hostile.bounds import called, fuzz
from tests.strategies import hostile_bytes, hostile_texts


@cache
def _fabric() -> Path:
    """A file with the fabric that the tables are of."""
    file = Path(tempfile.mkdtemp()) / "fabric.txt"
    file.write_text(str(right.NETWORKS["fabric.ibnetdiscover"]))
    return file


STDIN = right.TEXTS | right.TRAFFIC | right.BINARY
READERS: dict[str, tuple[Callable[[Any], Any], dict[str, str | bytes]]] = {
    "read": (files.read, STDIN),
    "read_communications": (files.read_communications, right.TEXTS | right.BINARY),
    "read_machine": (calibration.read_machine, right.MACHINES),
    "read_measurements": (calibration.read_measurements, right.MEASUREMENTS),
    "read_hosts": (read_hosts, right.HOSTS),
    "read_recorded": (read_recorded, right.RECORDED),
    "graph": (lambda path: parse_network(f"graph:{path}"), right.NETWORKS),
    "tables": (lambda path: parse_network(f"graph:{_fabric()},tables={path}"), right.TABLES),
    "slurm": (lambda path: parse_network(f"slurm:{path}"), right.TOPOLOGIES),
    "levels": (lambda path: parse_network(f"levels:{path}"), right.LEVELS),
    "nodes": (lambda path: as_network("torus:4x4", Path(path)), right.JOBS),
    "tuning": (read_mpich_table, right.TUNING),
    "booksim": (read_booksim, right.BOOKSIM),
}
KINDS = [(reader, name) for reader, (_, files_of) in READERS.items() for name in files_of]


def spoiled(draw: Callable[[Any], Any], right: str | bytes) -> bytes:
    """The bytes of a file that is nearly right; text is mostly spoiled as text."""
    if isinstance(right, str):
        if draw(st.integers(0, 3)):
            return str(draw(hostile_texts(right))).encode("utf-8", "surrogatepass")
        right = right.encode()
    return bytes(draw(hostile_bytes(right)))


def read_spoiled(data: st.DataObject, folder: Path, reader: str, name: str) -> None:
    read, contents = READERS[reader]
    content = spoiled(data.draw, contents[name])
    path = folder / name
    if reader.startswith("read_c") or reader == "read":
        how = data.draw(st.sampled_from(["plain", "plain", "packed", "broken"]))
        if how != "plain":
            path, content = folder / f"{name}.gz", gzip.compress(content, mtime=0)
        if how == "broken":
            content = data.draw(hostile_bytes(content))
    path.write_bytes(content)
    called(read, path)


@pytest.mark.parametrize(("reader", "name"), KINDS)
def test_right_files_are_read(reader, name, folder):
    """The faults stand in files that are right otherwise, so that they are reached."""
    read, contents = READERS[reader]
    content = contents[name]
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert read(folder / name) is not None


FUZZED = """
    calibration/machine_file.py cli/check.py collectives/mpich_tables.py ground/files.py
    network/jobs.py network/node_hierarchy.py wormhole/booksim.py wormhole/timed.py
"""
OWN = """
    pipelining/base_schedules.py pipelining/cost/formulas.py papers/reproduction.py
    kernels/cache.py kernels/cache_files.py mpi/launch.py
"""
"""Modules that read files from outside, and those that read what the library itself writes."""


def test_every_form_is_spoiled():
    """A suffix that is new, or a reader of a file, is fuzzed or this says so."""
    # an archive of many files, read by OTF2's own code, and databases without traffic: test_traces
    alone = {".otf2", ".db"}
    assert {Path(name).suffix for name in STDIN} == set(SUFFIXES) - alone
    root = Path(lccmodel.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(r"\.read_(text|bytes)\(|(read_at_most|file_text)\(", path.read_text())
    }
    fuzzed, own = set(FUZZED.split()), set(OWN.split())
    assert fuzzed <= found
    assert found - fuzzed <= own


@pytest.mark.parametrize(
    ("reader", "name", "examples"),
    [*sampled([(*kind, 12) for kind in KINDS], 4), *(slow((*kind, 600)) for kind in KINDS)],
)
def test_a_spoiled_file(reader, name, examples, folder):
    fuzz(lambda data: read_spoiled(data, folder, reader, name), examples)


def test_a_spoiled_standard_input():
    """Its first bytes say what it is, and they may be those that are spoiled."""

    def trial(data: st.DataObject) -> None:
        content = spoiled(data.draw, STDIN[data.draw(st.sampled_from([*STDIN]))])
        if data.draw(st.booleans()):
            content = gzip.compress(content, mtime=0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
            called(files.read, "-")

    fuzz(trial, 60)


@pytest.mark.parametrize(
    ("read", "right"),
    [
        (hosts_of, "a:4,node[01-04,07]:2,login"),
        (lambda typed: files.read_typed([typed], 4), "y0 = x1 + 1; y1 = x0 ^ x1"),
        (lambda typed: files.read_typed([typed], 4), "butterfly:3"),
    ],
)
def test_spoiled_words(read, right):
    """Hosts, equations and names of the catalogue as they are typed."""
    texts = hostile_texts(right) | st.text(max_size=12)
    fuzz(lambda data: called(read, data.draw(texts)), 60)
