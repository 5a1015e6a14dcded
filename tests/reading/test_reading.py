"""`read`: a program from whatever a user has, and what is wrong with it in one line."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from lccmodel import LCC, Program, Traffic, read
from lccmodel.communication.program import Entry
from lccmodel.errors import FileError, InputError
from lccmodel.reading.programs import bits_of, read_entries, read_typed

SENT = [(0, 1, 5), (1, 2, 7), (2, 0, 1)]
CSV = "time,src,dst,bytes\n0.5,0,1,5\n0.7,1,2,7\n0.9,2,0,1\n"


def sent(program: Program) -> list[tuple[int, int, Any]]:
    (phase,) = program
    t = phase.traffic
    volumes = zip(t.messages.tolist(), t.volumes.tolist(), strict=True)
    return sorted((*pair, v) for pair, v in volumes if v)


def matrix() -> np.ndarray[Any, Any]:
    m = np.zeros((3, 3), np.int64)
    for u, v, volume in SENT:
        m[u, v] = volume
    return m


def test_other_columns_are_ignored_and_named(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(CSV)
    program = read(path)
    assert sent(program) == SENT
    assert (program.ranks, program[0].name, program[0].weight) == (3, "trace", 1)
    assert program.notes == (f"{path}: ignored the column time",)


def test_several_columns_that_are_ignored_are_named_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,src,tag,dst\n0.5,0,x,1\n")
    assert read(path).notes == (f"{path}: ignored the columns time, tag",)
    path.write_text("src,dst\n0,1\n")
    assert not read(path).notes


def test_ranks_that_begin_at_one_are_refused_unless_the_first_rank_is_stated(
    tmp_path: Path,
) -> None:
    """All sets of 0..5: 0.4 refused those of 1..2^k alone, so ranks 1..6 became seven ranks."""
    path = tmp_path / "t.csv"
    sets = [[node for node in range(6) if subset >> node & 1] for subset in range(1, 1 << 6)]
    for nodes in sets:
        path.write_text("from,to\n" + "".join(f"{nodes[0]},{node}\n" for node in nodes))
        if nodes[0] == 1:
            with pytest.raises(FileError, match=f":{len(nodes) + 1}: .* the ranks 1..{nodes[-1]}"):
                read(path)
            shifted = read(path, first_rank=1)[0].traffic.messages
            assert sorted({*shifted.ravel().tolist()}) == [node - 1 for node in nodes]
        found = read(path, first_rank=0)[0].traffic
        assert sorted({*found.messages.ravel().tolist()}) == nodes
        assert found.ranks == nodes[-1] + 1


def test_the_line_of_the_largest_node_is_said(tmp_path: Path) -> None:
    """Of several communications, and of either end; 64 bits are read, one more is not."""
    path = tmp_path / "t.csv"
    rows = ["0,1,a", "5,2,a", "2,7,b", "7,3,b", "1,0,a"]
    path.write_text("\n".join(["src,dst,phase", *rows]))
    assert [phase.name for phase in read(path)] == ["a", "b"]
    assert [entry.lines.tolist() for entry in read_entries(path)] == [[2, 3, 6], [4, 5]]
    assert {entry.bits for entry in read_entries(path)} == {3}
    with pytest.raises(FileError, match=r"t.csv:4: a node must be in 0..3 for n = 2; got 7"):
        read(path, 2)
    path.write_text(f"0,{(1 << 63) - 1}\n")
    assert read_entries(path)[0].bits == 63
    for node, said in (
        (1 << 63, "a node must be"),
        (1 << 64, "a node must be"),
        (10**20, "a"),
    ):
        path.write_text(f"0,{node}\n")
        with pytest.raises(FileError, match=f"t.csv:1: .*{said}"):
            read(path)


def test_the_bits_of_a_number_of_nodes() -> None:
    """2^n nodes, n >= 1, and no others."""
    assert [bits_of(k) for k in range(10)] == [None, None, 1, None, 2, None, None, None, 3, None]
    for n in range(2, 65):
        assert [bits_of((1 << n) + d) for d in (-1, 0, 1)] == [None, n, None]


@pytest.mark.parametrize("name", ["trace.csv.gz", "trace.txt.gz", "TRACE.CSV.GZ"])
def test_packed_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(CSV.encode()))
    assert sent(read(tmp_path / name)) == SENT


def forms() -> dict[str, bytes]:
    """The same program as bytes of every form."""
    import scipy.io
    import scipy.sparse as sp

    array, sparse, market = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(array, matrix())
    sp.save_npz(sparse, sp.csr_array(matrix()))
    scipy.io.mmwrite(market, sp.coo_matrix(matrix()))
    pairs, volumes = [pair[:2] for pair in SENT], [pair[2] for pair in SENT]
    document = {"pairs": pairs, "volumes": volumes}
    toml = f"[[communication]]\npairs = {[list(p) for p in pairs]}\nvolumes = {volumes}\n"
    return {
        ".csv": CSV.encode(),
        ".tsv": CSV.replace(",", "\t").encode(),
        ".npy": array.getvalue(),
        ".npz": sparse.getvalue(),
        ".mtx": market.getvalue(),
        ".json": json.dumps(document).encode(),
        ".toml": toml.encode(),
    }


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".npy", ".npz", ".mtx", ".json", ".toml"])
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_as_file_and_from_standard_input(
    tmp_path: Path, suffix: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    content = gzip.compress(forms()[suffix]) if packed else forms()[suffix]
    path = tmp_path / f"p{suffix}{'.gz' if packed else ''}"
    path.write_bytes(content)
    assert sent(read(path)) == SENT
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert sent(read("-")) == SENT


def test_equations_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y0 = x1\ny1 = x0 + 1\n")))
    (phase,) = read("-")
    assert sorted(phase.traffic.messages.tolist()) == [[0, 2], [1, 0], [2, 3], [3, 1]]


def test_a_matrix_written_out(tmp_path: Path) -> None:
    """48 ranks; the volumes stay what they are."""
    m = np.random.default_rng(3).integers(0, 9, (48, 48))
    np.savetxt(tmp_path / "m.csv", m, fmt="%d", delimiter=",")
    (phase,) = read(tmp_path / "m.csv")
    t = phase.traffic
    back = np.zeros((48, 48), np.int64)
    back[t.sources, t.destinations] = t.volumes
    assert np.array_equal(back, m)
    assert t.ranks == 48


def test_phases_weights_and_the_network_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        'n = 4\nnetwork = "torus:4x4"\n[[communication]]\ncatalog = "bit-reverse"\nweight = 3\n'
        '[[communication]]\nname = "odd"\npairs = [[1, 2], [3, 5]]\nvolumes = [4, 0.5]\n'
    )
    program = read(path)
    assert [(p.name, p.weight, p.lcc is None) for p in program] == [
        ("bit-reverse", 3, False),
        ("odd", 1, True),
    ]
    assert (program.ranks, program.network) == (16, "torus:4x4")
    assert program[1].traffic.volumes.tolist() == [4, 0.5]


def test_what_is_typed_goes_together(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("0,1\n1,12\n0,2\n")
    program = Program.of(read_typed([str(path), "bit-reverse", "y0 = x1; y1 = x0"]))
    assert [phase.traffic.ranks for phase in program] == [13, 16, 4]
    assert program.ranks == 16


ONE_BASED = "\n".join(f"{x},{x % 16 + 1}" for x in range(1, 17))


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.csv", "0,1,-3", "a.csv:1: a volume must be a finite number, not negative; got '-3'"),
        ("a.csv", "0,1\n0,1,nan", "a.csv:2: must have 2 columns"),
        ("a.csv", "0,1,nan", "a volume must be a finite number"),
        ("a.csv", "0,1,inf", "a volume must be a finite number"),
        ("a.csv", "0,-1", "a node must be an integer from 0"),
        ("a.csv", "0 1 2 3\n1 2 3 4", "a matrix must be square"),
        ("a.csv", "0 1 2 3\n1 2 3", "a.csv:2: must have 4 columns"),
        ("a.csv", ONE_BASED, "the ranks 1..16 look numbered from one: state --first-rank 1"),
        ("a.csv", "sorce,destination\n0,1", "there is no column source; did you mean 'source'?"),
        ("a.csv", "", "must not be empty"),
        ("a.json", "[" * 100_000, "must be JSON nested less deeply"),
        ("a.json", '{"n": ' + "9" * 100_000 + "}", "must be JSON with shorter integers"),
        ("a.json", '{"a":' * 100_000, "must be JSON nested less deeply"),
        ("a.toml", "a = " + "[" * 100_000, "must be TOML nested less deeply"),
        ("a.toml", "n = " + "9" * 100_000, "must be TOML with shorter integers"),
        ("a.csv.gz", "0,1", "must be a gzip file, as its name says"),
        ("a.gz", "0,1", "must be a gzip file, as its name says"),
    ],
)
def test_bad_files_are_one_line(tmp_path: Path, name: str, content: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        read(path)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_one_based_ranks_are_refused_where_the_number_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(ONE_BASED)
    with pytest.raises(FileError, match="subtract 1 from each"):
        read(path, 4)
    assert read(path, 5).ranks == 17


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode())[:-9])
    with pytest.raises(FileError, match="must be a whole gzip file"):
        read(path)


def test_names_that_no_file_can_have() -> None:
    with pytest.raises(FileError, match="cannot read the file"):
        read("a\0b.csv")
    with pytest.raises(InputError, match="path"):
        read_entries(5)


@pytest.mark.parametrize("bad", [7, -1])
def test_sparse_matrices_with_an_index_outside(tmp_path: Path, bad: int) -> None:
    """A matrix whose index arrays point outside is refused before anything is read through them."""
    pytest.importorskip("scipy")
    arrays = {
        "indices": np.array([bad], np.int32),
        "indptr": np.array([0, 1, 1], np.int32),
        "format": np.array(b"csr"),
        "shape": np.array([2, 2]),
        "data": np.array([1]),
    }
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FileError) as caught:
        read(tmp_path / "a.npz")
    assert "\n" not in str(caught.value)
    coo = {**arrays, "format": np.array(b"coo"), "row": np.array([0]), "col": np.array([bad])}
    np.savez(tmp_path / "b.npz", **coo)
    with pytest.raises(FileError):
        read(tmp_path / "b.npz")
    (tmp_path / "c.mtx").write_text(
        f"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 {bad} 5\n"
    )
    with pytest.raises(FileError):
        read(tmp_path / "c.mtx")


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
def test_the_examples_are_what_they_say(name: str, ranks: int, phases: int, messages: int) -> None:
    program = read(EXAMPLES / name)
    assert (program.ranks, len(program)) == (ranks, phases)
    assert sum(len(phase.traffic) for phase in program) == messages


@pytest.mark.parametrize("form", ["coordinate", "array"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_messages_of_matrix_market_know_their_lines(
    tmp_path: Path, form: str, symmetry: str
) -> None:
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
    found = np.zeros((5, 5), np.int64)
    found[entry.content.sources, entry.content.destinations] = entry.content.volumes
    assert np.array_equal(found, matrix)
    lines = path.read_text().split("\n")
    told = [float(lines[line - 1].split()[-1]) for line in entry.lines]
    assert told == entry.content.volumes.tolist()


@pytest.mark.parametrize("separator", [";", "\t", " "])
def test_decimal_commas_and_ranks_from_one(tmp_path: Path, separator: str) -> None:
    """A table as a spreadsheet writes it in much of Europe is the table written with points."""
    rows = [(1, 2, "0,5"), (2, 3, "1,25"), (3, 1, "2")]
    path = tmp_path / "ring.csv"
    path.write_text("\n".join(separator.join(map(str, row)) for row in rows) + "\n")
    sent = read(path, decimal=",", first_rank=1)[0].traffic
    assert sent.messages.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert sent.volumes.tolist() == [0.5, 1.25, 2]


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
def test_what_does_not_fit_the_way_of_writing(
    tmp_path: Path, text: str, options: Any, rule: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text + "\n")
    with pytest.raises(InputError, match=rule):
        read(path, **options)
    assert read_entries_again(tmp_path), "the next table is read as always"


def read_entries_again(folder: Path) -> bool:
    (folder / "plain.csv").write_text("0,1,1.5\n1,0,1.5\n")
    return read(folder / "plain.csv")[0].traffic.volumes.tolist() == [1.5, 1.5]


@pytest.mark.parametrize("more", [(), ((0, 3),), ((2, 1), (2, 1))])
def test_a_permutation_is_read_from_more_and_fewer_messages_than_nodes(more: Any) -> None:
    """x -> x ^ 3 with messages sent twice, and with one missing: the same permutation."""
    whole = [(x, x ^ 3) for x in range(4)]
    for messages in (whole, whole[:3], [*whole[:3], whole[1]]):
        entry = Entry("a", Traffic([*messages, *more], ranks=4))
        found = entry.permutation()
        goes = [found(x) for x in range(4)] if isinstance(found, LCC) else found.tolist()
        assert goes == [3, 2, 1, 0]


WRONG_TABLES = [
    ("catalog = 3", 1, "catalog: must be a name of the catalogue"),
    ('catalog = "identity"\nparameters = 3', 2, "parameters: must be a table such as { k = 3 }"),
    (
        'catalog = "exchange"\nparameters = { n = 2 }',
        2,
        "parameters: n and the name stand beside the parameters, not among them",
    ),
    (
        'catalog = "exchange"\nparameters = { name = "x" }',
        2,
        "parameters: n and the name stand beside the parameters, not among them",
    ),
    ("matrix = 3", 1, "matrix: must be a list"),
    ("matrix = [3]", 1, "matrix[0]: must be a list of 0 and 1, or a text such as '010'"),
    ('matrix = ["10", "12"]', 1, "matrix[1]: must be a text of 0 and 1, bit 0 first"),
    ('matrix = ["10", ""]', 1, "matrix[1]: must be a text of 0 and 1, bit 0 first"),
    (
        'matrix = ["10", "11"]\nvector = 3',
        2,
        "vector: must be a list of 0 and 1, or a text such as '010'",
    ),
    ('matrix = ["10", "11"]\nkind = "x"', 2, "kind: must be one of permutation, gather, scatter"),
    (
        'matrix = ["10", "11"]\nkind = "gather"',
        2,
        "kind: the matrix has rank 2: it makes a permutation",
    ),
    (
        'matrix = ["10", "00"]\nkind = "permutation"',
        2,
        "kind: the matrix has rank 1: it makes a gather",
    ),
    ('order = "x"', 1, "order: must be a list"),
    (
        'order = [0, 1]\ncomplement = "0"',
        2,
        "complement: must be 2 bits, or an int from 0 to 2^2 - 1",
    ),
    (
        "order = [0, 1]\ncomplement = []",
        2,
        "complement: must be 2 bits, or an int from 0 to 2^2 - 1",
    ),
    ("equations = 3", 1, "equations: must be a text, or a list of texts"),
    ('equations = ["y0 = x0", 3]', 1, "equations: must be a text, or a list of texts"),
    ("pairs = 3", 1, "pairs: must be a list"),
    ("pairs = [[0, 1]]\nvolumes = [1, 2]", 2, "volumes: must be 1 numbers"),
    ('pairs = [[0, 5]]\nvolumes = 3\nidle = "stay"', 2, "volumes: must be 1 numbers"),
    ('pairs = [[0, 5]]\nvolumes = [1, 2]\nidle = "stay"', 2, "volumes: must be 1 numbers"),
    ('pairs = [[0, 1]]\nidle = "x"', 2, 'idle: must be "unknown" or "stay"'),
    ("destinations = 3", 1, "destinations: must be a list"),
    (
        "destinations = [0, 1, 2]",
        1,
        (
            "messages: a list of nodes, one for each of the 2^n nodes, must have the length "
            "a power of two, at least 2"
        ),
    ),
    ("sources = 5", 1, "sources: must be a list"),
    ("sources = [0, 9]", 1, "node: must be in 0..1 for n = 1"),
    ("name = 3\norder = [1, 0]", 1, "must be a text"),
    ('name = " "\norder = [1, 0]', 1, "must be a text"),
    ('order = [1, 0]\nweight = "x"', 2, "weight: must be a positive number"),
    ("order = [1, 0]\nweight = -1", 2, "weight: must be a positive number"),
    ("network = 3\norder = [1, 0]", 1, "network must be a name such as cube:8 or origin:5"),
    ('network = " "\norder = [1, 0]', 1, "network must be a name such as cube:8 or origin:5"),
    ("n = 0\norder = [1, 0]", 1, "n: must be an integer of at least 1"),
    ("n = 3\norder = [1, 0]", 2, "must have n = 3 address bits"),
    ('n = 70\ncatalog = "identity"', 1, "n: at most 64: a node must fit one machine word"),
]


@pytest.mark.parametrize(("text", "line", "rule"), WRONG_TABLES)
def test_what_is_wrong_in_a_table_is_said_of_its_line(
    tmp_path: Path, text: str, line: int, rule: str
) -> None:
    """Every key of a communication with a value of another kind, in the line where it stands."""
    path = tmp_path / "a.toml"
    path.write_text(f"# one line more\n{text}\n")
    with pytest.raises(FileError) as caught:
        read_entries(path)
    assert (caught.value.line, caught.value.rule) == (line + 1, rule)


def test_a_key_that_is_written_with_escapes_is_read(tmp_path: Path) -> None:
    """Its place in the text is not found; the list itself is as any."""
    path = tmp_path / "a.json"
    path.write_text('{"communicati\\u006fn": [{"order": [1, 0]}]}')
    assert len(read_entries(path)) == 1
    path.write_text('{"communicati\\u006fn": [{"order": 3}]}')
    with pytest.raises(FileError, match="order: must be a list"):
        read_entries(path)


class _Payload:
    """Pickled, it makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_what_is_pickled_in_a_file_of_arrays_is_never_run(tmp_path: Path, suffix: str) -> None:
    path, made = tmp_path / f"a{suffix}", tmp_path / "made"
    (np.save if suffix == ".npy" else np.savez)(path, np.array([_Payload(made)], dtype=object))
    with pytest.raises(FileError):
        read_entries(path)
    assert not made.exists()
