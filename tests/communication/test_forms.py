"""Every function that takes messages takes every form of them [issue: Traffic].

One set of messages, y = 5x + 3 mod 16, with a volume of 1 each, is written in every form; every
function must answer as for the plain list of pairs, on every kind of network.
"""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

import lccmodel as lcc
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import parse_network
from tests.choosing import fast_only

PAIRS = [(x, (5 * x + 3) % 16) for x in range(16)]
NETWORKS = ("cube:4", "origin:4", "mesh:4x4", "mesh:6x3", "torus:5x4", "torus:2x4*2", "fattree:2^4")


def _matrix() -> Any:
    matrix = np.zeros((16, 16), np.int64)
    matrix[tuple(np.array(PAIRS).T)] = 1
    return matrix


def _table(separator: str) -> str:
    """Other columns stand between and behind; they are ignored."""
    rows = [f"{x}{separator}0.5{separator}{y}{separator}note" for x, y in PAIRS]
    return "\n".join([separator.join(("source", "time", "dest", "tag")), *rows]) + "\n"


def _saved(save: Callable[..., Any], value: Any, path: Path) -> None:
    save(path, value)


VALUES: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array(PAIRS),
    "triples": lambda: [(x, y, 1) for x, y in PAIRS],
    "destinations": lambda: np.array([y for _, y in PAIRS]),
    "matrix": _matrix,
    "sparse matrix": lambda: scipy.sparse.csr_matrix(_matrix()),
    "data frame": lambda: pd.DataFrame({"dst": [y for _, y in PAIRS], "src": range(16)}),
    "graph": lambda: nx.DiGraph(PAIRS),
    "function": lambda: lambda x: (5 * x + 3) % 16 if x < 16 else None,
    "Traffic": lambda: Traffic(PAIRS),
    "Phase": lambda: Phase(Traffic(PAIRS), 1, "one"),
    "Program": lambda: Program.of(Traffic(PAIRS)),
    "phases": lambda: [Phase(Traffic(PAIRS), 1, "one")],
}

FILES: dict[str, Callable[[Path], Any]] = {
    "a.csv": lambda path: path.write_text(_table(",")),
    "a.tsv": lambda path: path.write_text(_table("\t")),
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(_table(",").encode())),
    "pairs.npy": lambda path: _saved(np.save, np.array(PAIRS), path),
    "matrix.npy": lambda path: _saved(np.save, _matrix(), path),
    "matrix.npz": lambda path: _saved(np.savez, _matrix(), path),
    "sparse.npz": lambda path: _saved(
        scipy.sparse.save_npz, scipy.sparse.csr_matrix(_matrix()), path
    ),
    "matrix.mtx": lambda path: _saved(scipy.io.mmwrite, scipy.sparse.coo_matrix(_matrix()), path),
    "matrix.csv": lambda path: np.savetxt(path, _matrix(), fmt="%d", delimiter=","),
}

FUNCTIONS: dict[str, Callable[[Any, str], Any]] = {
    "contention": lambda sent, word: _member(lcc.contention(sent, word)),
    "channel_loads": lambda sent, word: parse_network(word).channel_loads(sent),
    "messages_on": lambda sent, word: parse_network(word).messages_on(_channel(word), sent).size,
    "simulate": lambda sent, word: _measured(lcc.wormhole.simulate(sent, word, cycles=300)),
    "trace": lambda sent, word: lcc.wormhole.trace(sent, word).cycles,
    "place": lambda sent, word: _placed(sent, word),
    "recognise": lambda sent, word: _refuted(sent),  # whatever the network
}


def _member(found: Any) -> Any:
    return found.per_dimension if hasattr(found, "per_dimension") else found[0].per_dimension


def _measured(result: Any) -> Any:
    return result.latency, result.throughput


def _placed(sent: Any, word: str) -> Any:
    found = lcc.place(sent, word, over="placements", seconds=0.02)
    where = found.node_of.tolist()[:16]  # a function is asked for the ranks of all nodes
    return where, found.before.value, found.after.value, found.lower_bound


def _refuted(sent: Any) -> str:
    """Messages of y = 5x + 3 are not linear-complement; the witness is among them, in any order."""
    with pytest.raises(lcc.errors.NotLinearComplement) as caught:
        lcc.recognise(sent, 4)  # a function of the rank is asked for 2^4 ranks
    found: Any = caught.value.witness
    assert {found.pair, *found.others} <= set(PAIRS)
    first, second, third = (y for _, y in found.others)
    assert found.predicted == first ^ second ^ third != found.pair[1]
    return str(found.reading)


def _channel(word: str) -> Any:
    network = parse_network(word)
    return network.channel_loads(PAIRS).busiest()[0]


@pytest.mark.parametrize("word", fast_only(NETWORKS, "mesh:6x3"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_every_form(name, word):
    function = FUNCTIONS[name]
    expected = function(PAIRS, word)
    for form, make in VALUES.items():
        if (name, form) == ("trace", "triples"):
            continue  # a third number is the cycle in which a message is generated there
        same = expected
        if (name, form) == ("place", "function"):  # it is asked for the ranks of all nodes
            same = function(Traffic(PAIRS, ranks=parse_network(word).size), word)
        assert function(make(), word) == same, form


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_what_every_file_holds(name, tmp_path):
    expected = FUNCTIONS[name](PAIRS, "torus:5x4")
    for file, write in FILES.items():
        write(tmp_path / file)
        program = lcc.read(tmp_path / file)
        assert FUNCTIONS[name](program, "torus:5x4") == expected, file
        assert program[0].traffic.total == 16


def test_standard_input_is_read_as_the_file_is(monkeypatch):
    for content in (_table(",").encode(), gzip.compress(_table("\t").encode())):
        stream = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr("sys.stdin", stream)
        program = lcc.read("-")
        assert sorted(program[0].traffic.messages.tolist()) == [list(pair) for pair in PAIRS]
        assert any("time" in note and "tag" in note for note in program.notes)


def test_several_phases_are_not_one_traffic():
    """Loads are of messages that run together; a program is asked phase by phase."""
    program = Program.of([Traffic(PAIRS), Traffic([(0, 1)])])
    with pytest.raises(lcc.errors.InputError, match="is required, since the program holds 2"):
        FUNCTIONS["trace"](program, "cube:4")
    for name in ("channel_loads", "simulate"):
        with pytest.raises(lcc.errors.CommunicationError, match="must be one phase"):
            FUNCTIONS[name](program, "cube:4")
    assert len(lcc.contention(program, "cube:4")) == 2
