"""`read`: a program from whatever a user has."""

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from lccmodel import LCC, Traffic, read
from lccmodel.communication.program import Entry
from lccmodel.errors import FileError, InputError
from lccmodel.reading.programs import bits_of, read_entries
from tests.reading.files import rows_of, sent, written

SENT = [(0, 1, 5), (1, 2, 7), (2, 0, 1)]
CSV = "time,src,dst,bytes\n0.5,0,1,5\n0.7,1,2,7\n0.9,2,0,1\n"


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (CSV, "the column time"),
        ("time,src,tag,dst\n0.5,0,x,1\n", "the columns time, tag"),
        ("src,dst\n0,1\n", ""),
    ],
)
def test_other_columns_are_ignored_and_named(tmp_path, text, ignored):
    path = written(tmp_path, text, "trace.csv")
    assert read(path).notes == ((f"{path}: ignored {ignored}",) if ignored else ())


def test_ranks_that_begin_at_one_are_refused_unless_the_first_rank_is_stated(tmp_path):
    """All sets of 0..5: 0.4 refused those of 1..2^k alone, so ranks 1..6 became seven ranks."""
    for subset in range(1, 1 << 6):
        nodes = [node for node in range(6) if subset >> node & 1]
        path = written(tmp_path, "from,to\n" + "".join(f"{nodes[0]},{node}\n" for node in nodes))
        if nodes[0] == 1:
            with pytest.raises(FileError, match=f":{len(nodes) + 1}: .* the ranks 1..{nodes[-1]}"):
                read(path)
            shifted = read(path, first_rank=1)[0].traffic.messages
            assert sorted({*shifted.ravel().tolist()}) == [node - 1 for node in nodes]
        traffic = read(path, first_rank=0)[0].traffic
        assert sorted({*traffic.messages.ravel().tolist()}) == nodes
        assert traffic.ranks == nodes[-1] + 1
    path = written(tmp_path, "\n".join(f"{x},{x % 16 + 1}" for x in range(1, 17)))
    with pytest.raises(FileError, match="subtract 1 from each"):
        read(path, 4)
    assert read(path, 5).ranks == 17


def test_the_line_of_the_largest_node_is_said(tmp_path):
    """Of several communications, and of either end; 64 bits are read, one more is not."""
    path = written(tmp_path, "src,dst,phase\n0,1,a\n5,2,a\n2,7,b\n7,3,b\n1,0,a")
    assert [phase.name for phase in read(path)] == ["a", "b"]
    assert [entry.lines.tolist() for entry in read_entries(path)] == [[2, 3, 6], [4, 5]]
    assert {entry.bits for entry in read_entries(path)} == {3}
    with pytest.raises(FileError, match=r":4: a node must be in 0..3 for n = 2; got 7"):
        read(path, 2)
    assert read_entries(written(tmp_path, f"0,{(1 << 63) - 1}\n"))[0].bits == 63
    for node in (1 << 63, 1 << 64, 10**20):
        with pytest.raises(FileError, match=r":1: a node must be"):
            read(written(tmp_path, f"0,{node}\n"))


def test_the_bits_of_a_number_of_nodes():
    """2^n nodes, n >= 1, and no others."""
    assert [bits_of(k) for k in range(10)] == [None, None, 1, None, 2, None, None, None, 3, None]
    for n in range(2, 65):
        assert [bits_of((1 << n) + d) for d in (-1, 0, 1)] == [None, n, None]


def _bytes_of_every_form() -> dict[str, bytes]:
    """The same program as bytes."""
    matrix = np.zeros((3, 3), np.int64)
    matrix[[0, 1, 2], [1, 2, 0]] = 5, 7, 1
    array, sparse, market = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(array, matrix)
    scipy.sparse.save_npz(sparse, scipy.sparse.csr_array(matrix))
    scipy.io.mmwrite(market, scipy.sparse.coo_matrix(matrix))
    pairs, volumes = [[*pair[:2]] for pair in SENT], [pair[2] for pair in SENT]
    toml = f"[[communication]]\npairs = {pairs}\nvolumes = {volumes}\n"
    return {
        ".csv": CSV.encode(),
        ".tsv": CSV.replace(",", "\t").encode(),
        ".npy": array.getvalue(),
        ".npz": sparse.getvalue(),
        ".mtx": market.getvalue(),
        ".json": json.dumps({"pairs": pairs, "volumes": volumes}).encode(),
        ".toml": toml.encode(),
    }


FORMS = _bytes_of_every_form()


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("packed", ["", ".gz", ".GZ"])
def test_every_form_as_file_and_from_standard_input(tmp_path, suffix, packed, monkeypatch):
    content = gzip.compress(FORMS[suffix]) if packed else FORMS[suffix]
    assert sent(written(tmp_path, content, f"p{suffix}{packed}")) == SENT
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert sent("-") == SENT


def test_equations_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y0 = x1\ny1 = x0 + 1\n")))
    (phase,) = read("-")
    assert sorted(phase.traffic.messages.tolist()) == [[0, 2], [1, 0], [2, 3], [3, 1]]


def test_phases_weights_and_the_network_of_a_document(tmp_path):
    text = (
        'n = 4\nnetwork = "torus:4x4"\n[[communication]]\ncatalog = "bit-reverse"\nweight = 3\n'
        '[[communication]]\nname = "odd"\npairs = [[1, 2], [3, 5]]\nvolumes = [4, 0.5]\n'
    )
    program = read(written(tmp_path, text))
    phases = [(phase.name, phase.weight, phase.lcc is None) for phase in program]
    assert phases == [("bit-reverse", 3, False), ("odd", 1, True)]
    assert (program.ranks, program.network) == (16, "torus:4x4")
    assert rows_of(program[1].traffic) == [(1, 2, 4), (3, 5, 0.5)]


EXAMPLES = Path(__file__).parents[2] / "examples" / "traffic"


@pytest.mark.parametrize(
    ("name", "ranks", "phases", "messages"),
    [
        ("pencil_fft.csv.gz", 48, 2, 48 * 7 + 48 * 5),
        ("adi.csv", 48, 4, 2 * (5 * 8) + 2 * (6 * 7)),
        ("stencil.csv", 256, 2, 5 * 256),
        ("halo_48.csv", 48, 1, 2 * (3 * 4 * 3 + 3 * 4 * 3 + 4 * 4 * 2)),
        ("recorded.csv", 20, 2, 19 + 19),
    ],
)
def test_the_examples_are_what_they_say(name, ranks, phases, messages):
    program = read(EXAMPLES / name)
    assert (program.ranks, len(program)) == (ranks, phases)
    assert sum(len(phase.traffic) for phase in program) == messages


@pytest.mark.parametrize("form", ["coordinate", "array"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_messages_of_matrix_market_know_their_lines(tmp_path, form, symmetry):
    """Every volume stands once in the file: the line of a message is where its volume stands."""
    rng = np.random.default_rng(5)
    matrix = np.arange(1, 26).reshape(5, 5) * (rng.random((5, 5)) < 0.6)
    if symmetry == "symmetric":
        matrix = np.tril(matrix) + np.tril(matrix, -1).T
    stored = scipy.sparse.coo_matrix(matrix) if form == "coordinate" else matrix
    path = tmp_path / "m.mtx"
    scipy.io.mmwrite(path, stored, comment="of five ranks", symmetry=symmetry)
    (entry,) = read_entries(path)
    assert isinstance(entry.content, Traffic)
    assert entry.lines is not None
    assert rows_of(entry.content) == [(s, d, matrix[s, d]) for s, d in np.argwhere(matrix).tolist()]
    lines = path.read_text().split("\n")
    volumes = [float(lines[line - 1].split()[-1]) for line in entry.lines]
    assert volumes == entry.content.volumes.tolist()


@pytest.mark.parametrize("separator", [";", "\t", " "])
def test_decimal_commas_and_ranks_from_one(tmp_path, separator):
    """A table as a spreadsheet writes it in much of Europe is the table written with points."""
    rows = [(1, 2, "0,5"), (2, 3, "1,25"), (3, 1, "2")]
    path = written(tmp_path, "\n".join(separator.join(map(str, row)) for row in rows) + "\n")
    assert sent(path, decimal=",", first_rank=1) == [(0, 1, 0.5), (1, 2, 1.25), (2, 0, 2)]


@pytest.mark.parametrize(
    ("text", "options", "rule"),
    [
        ("0;1;2", {"first_rank": 1}, "t.csv:1: ranks count from 1 here; got '0'"),
        ("0;1;1.000,5", {"decimal": ","}, "t.csv:1: a volume must .*, with a decimal comma"),
        ("0;1;1,5", {}, "t.csv:1: a node .*; state the decimal comma where volumes have one"),
        ("to;from;bytes\n0;1;1,5", {}, "t.csv:2: a volume .*; state the decimal comma"),
        ("0;1;1", {"decimal": "x"}, 'decimal: must be "." or ","'),
        ("0;1;1", {"first_rank": 2}, "first_rank: must be 0 or 1"),
    ],
)
def test_what_does_not_fit_the_way_of_writing(tmp_path, text, options, rule):
    with pytest.raises(InputError, match=rule):
        read(written(tmp_path, text + "\n", "t.csv"), **options)
    plain = written(tmp_path, "0,1,1.5\n1,0,1.5\n")
    assert sent(plain) == [(0, 1, 1.5), (1, 0, 1.5)], "the next table is read as always"


@pytest.mark.parametrize("more", [(), ((0, 3),), ((2, 1), (2, 1))])
def test_a_permutation_is_read_from_more_and_fewer_messages_than_nodes(more):
    """x -> x ^ 3 with messages sent twice, and with one missing: the same permutation."""
    whole = [(x, x ^ 3) for x in range(4)]
    for messages in (whole, whole[:3], [*whole[:3], whole[1]]):
        entry = Entry("a", Traffic([*messages, *more], ranks=4))
        permutation = entry.permutation()
        goes = (
            [*map(permutation, range(4))] if isinstance(permutation, LCC) else permutation.tolist()
        )
        assert goes == [3, 2, 1, 0]
