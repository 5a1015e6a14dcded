"""Files: every form means what the other forms mean, and every fault names its line."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import (
    CommunicationError,
    FileError,
    InputError,
    NotLinearComplement,
    UnderdeterminedError,
)
from lccmodel.reading.options import reading_with
from lccmodel.reading.programs import (
    SUFFIXES,
    read_communications,
    read_entries,
    read_typed,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def check_fault(path, line, message):
    """Reading it is refused, with the line of the fault."""
    with pytest.raises(FileError, match=message) as raised:
        read_communications(path)
    assert (raised.value.path, raised.value.line) == (str(path), line)


# -- TOML and JSON -------------------------------------------------------------------------------

GRAY = """
n = 3

[[communication]]
catalog = "gray-code"

[[communication]]
name = "as matrix"
weight = 2.5
matrix = [[1, 1, 0], [0, 1, 1], [0, 0, 1]]

[[communication]]
name = "as texts"
matrix = ["110", "0 1 1", "001"]
vector = "000"
kind = "permutation"

[[communication]]
name = "as equations"
equations = \"\"\"
y0 = x0 + x1
y1 = x1 + x2   # a comment
y2 = x2
\"\"\"

[[communication]]
name = "as a list of equations"
equations = ["y0 = x0 + x1", "y1 = x1 + x2; y2 = x2"]

[[communication]]
name = "as pairs"
pairs = [[0, 0], [1, 1], [2, 3], [3, 2], [4, 6], [5, 7], [6, 5], [7, 4]]

[[communication]]
name = "as destinations"
destinations = [0, 1, 3, 2, 6, 7, 5, 4]

[[communication]]
name = "as sources"
sources = [0, 1, 3, 2, 7, 6, 4, 5]
"""


def test_all_forms_of_one_communication(write):
    read = read_communications(write("gray.toml", GRAY))
    assert [c.name for c in read[:2]] == ["gray-code", "as matrix"]
    assert len(read) == 8
    for c in read:
        assert c.communication == catalog.gray_code(3), c.name
        assert c.communication.name == c.name
    assert [c.weight for c in read] == [1, 2.5, 1, 1, 1, 1, 1, 1]
    lines = GRAY.split("\n")
    assert all(lines[c.line - 1] == "[[communication]]" for c in read)
    assert read[0].origin == "catalog: gray-code"
    assert read[5].origin == "8 pairs"


def test_json_reads_like_toml(write):
    import tomllib

    document = tomllib.loads(GRAY)
    for content in (document, [dict(table, n=3) for table in document["communication"]]):
        for indent in (None, 2):
            path = write("gray.json", json.dumps(content, indent=indent))
            read = read_communications(path)
            assert [(c.name, c.communication, c.weight) for c in read] == [
                (c.name, c.communication, c.weight)
                for c in read_communications(write("gray.toml", GRAY))
            ]


def test_other_forms(write):
    text = """
[[communication]]
name = "spread"
n = 2
matrix = ["01", "00"]
vector = [0, 1]
kind = "scatter"

[[communication]]
name = "bpc"
order = [1, 0]
complement = [1, 0]

[[communication]]
catalog = "exchange"
n = 2
parameters = { k = 1 }

[[communication]]
catalog = "translation:2"
n = 2
name = "typed"

[[communication]]
name = "trace"
pairs = [[1, 2], [2, 1]]
volumes = [10, 20]
idle = "stay"
"""
    spread, bpc, exchange, typed, trace = read_communications(write("other.toml", text))
    assert spread.communication == LCC.scatter([[0, 1], [0, 0]], [0, 1])
    assert bpc.communication == catalog.bit_permute_complement([1, 0], [1, 0])
    assert exchange.communication == typed.communication == catalog.exchange(2, 1)
    assert exchange.name == "exchange:1"
    assert trace.communication == catalog.bit_reverse(2)
    assert trace.weight == 20


def test_one_communication_at_the_top(write):
    toml = write("flip.toml", 'n = 4\ncatalog = "reverse-flip"\nweight = 3\n')
    (only,) = read_communications(toml)
    assert (only.communication, only.weight, only.line) == (catalog.reverse_flip(4), 3, 1)
    (only,) = read_communications(write("own.json", '{"equations": "y0 = x0 + 1"}'))
    assert (only.name, only.communication) == ("own", catalog.exchange(1, 0))


def test_n_from_the_caller(write):
    path = write("flip.toml", '[[communication]]\ncatalog = "reverse-flip"\n')
    assert read_communications(path, 6)[0].n == 6
    with pytest.raises(FileError, match="needs the number of address bits") as raised:
        read_communications(path)
    assert raised.value.line == 2
    with pytest.raises(FileError, match="n must be 6, as requested; got 8"):
        read_communications(write("eight.toml", "n = 8\n" + path.read_text()), 6)


def test_a_file_may_name_its_network(write):
    for text in (
        'n = 3\nnetwork = "origin:3"\n[[communication]]\ncatalog = "bit-reverse"\n',
        'n = 3\nnetwork = "origin:3"\ncatalog = "bit-reverse"\n',
    ):
        (only,) = read_communications(write("named.toml", text))
        assert (only.network, only.network_line) == ("origin:3", 2)
    (only,) = read_communications(write("open.toml", 'n = 3\ncatalog = "bit-reverse"\n'))
    assert (only.network, only.network_line) == ("", 0)
    text = '{"network": "cube:1",\n"communication": [{"order": [0]}, {"name": "b", "order": [0]}]}'
    assert {c.network for c in read_communications(write("a.json", text))} == {"cube:1"}
    (only,) = read_communications(EXAMPLES / "origin32.toml")
    assert (only.network, only.communication) == ("origin:5", catalog.reverse_flip(5))


TWO = '[[communication]]\nn = 2\ncatalog = "identity"\n\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("n = 8\nn = 9\n", 2, "must be TOML"),
        ("n = \n", 1, "must be TOML"),
        ('name = "open', 1, "must be TOML"),
        ("", 0, "must not be empty"),
        ("n = 2", 1, "exactly one of catalog, matrix"),
        ("communication = 3", 1, "list of tables"),
        ("communication = []", 1, "at least one"),
        ('n = 8\n[[comunication]]\ncatalog = "identity"', 2, "did you mean 'communication'"),
        ('m = 8\n[[communication]]\ncatalog = "identity"', 1, "unknown key"),
        (TWO + '[[communication]]\nn = 2\ncatalgo = "identity"', 7, "did you mean 'catalog'"),
        (TWO + '[[communication]]\nname = "x"\nn = 2', 5, "exactly one of"),
        (TWO + '[[communication]]\ncatalog = "x"\npairs = []', 7, "exactly one of"),
        (
            TWO + '[[communication]]\ncatalog = "x"\nvector = [1]',
            7,
            "cannot be combined with catalog",
        ),
        (TWO + '[[communication]]\nn = 2\ncatalog = "bit-revers"', 7, "did you mean 'bit-reverse'"),
        (TWO + "[[communication]]\nn = 2\ncatalog = 5", 7, "name of the catalogue"),
        (TWO + '[[communication]]\nn = 2\ncatalog = "exchange"', 7, "must state k"),
        (
            TWO + '[[communication]]\nn = 2\ncatalog = "exchange"\nparameters = { k = 2 }',
            8,
            "k: must be in 0..1",
        ),
        (
            TWO + '[[communication]]\nn = 2\ncatalog = "exchange"\n[communication.parameters]\nk=2',
            9,
            "k: must be in 0..1",
        ),
        (
            TWO + '[[communication]]\nn = 2\ncatalog = "shift"\nparameters = { n = 2, k = 1 }',
            8,
            "beside the parameters",
        ),
        (TWO + '[[communication]]\nn = 2\ncatalog = "shift"\nparameters = 2', 8, "must be a table"),
        (TWO + '[[communication]]\nn = 3\ncatalog = "identity"\nname="i"', 5, "the same n"),
        (TWO + '[[communication]]\nn = 2\ncatalog = "identity"', 5, "same name, see line 1"),
        (TWO + "[[communication]]\nn = 0\nmatrix = []", 6, "at least 1"),
        (TWO + '[[communication]]\nn = "2"\nmatrix = []', 6, "at least 1"),
        ("n = 65\n" + TWO, 1, "at most 64"),
        ("network = 5\n" + TWO, 1, "network must be a name"),
        (TWO + 'network = "cube:2"', 5, "network"),
        ("n = 3\n" + TWO, 3, "n: must be 3, as stated for all; got 2"),
        (TWO + "[[communication]]\nmatrix = [[1, 0], [0, 2]]", 6, r"matrix\[1, 1\].*0 or 1; got 2"),
        (TWO + "[[communication]]\nmatrix = [[1, 0], [0]]", 6, "equal length"),
        (TWO + "[[communication]]\nmatrix = [[1, 0]]", 6, "square"),
        (TWO + "[[communication]]\nmatrix = []", 6, "at least one row"),
        (TWO + '[[communication]]\nmatrix = "01"', 6, "must be a list"),
        (TWO + '[[communication]]\nmatrix = ["01", "12"]', 6, r"matrix\[1\]: must be a text of 0"),
        (TWO + "[[communication]]\nmatrix = [1, 2]", 6, "list of 0 and 1"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nvector = [1]', 6, "n = 2 entries"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nvector = 1', 7, "vector"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nkind = "gather"', 7, "rank 2"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nkind = "other"', 7, "kind"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nweight = 0', 7, "positive number"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nweight = true', 7, "positive number"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nweight = inf', 7, "positive number"),
        (TWO + '[[communication]]\nmatrix = ["01", "10"]\nname = 5', 7, "must be a text"),
        (TWO + "[[communication]]\norder = [0, 0]", 6, "permutation of 0..1"),
        (TWO + "[[communication]]\norder = [1, 0]\ncomplement = 4", 7, "complement"),
        (TWO + "[[communication]]\norder = [2, 1, 0]\nname='o'", 5, "the same n"),
        ("n = 2\n[[communication]]\norder = [2, 1, 0]", 3, "must have n = 2 address bits"),
        (TWO + '[[communication]]\nequations = """\ny0 = x0\ny1 = x2\n"""', 8, "x2 is not among"),
        (TWO + '[[communication]]\nequations = """y0 = x0\ny1 = x2\n"""', 7, "x2 is not among"),
        (TWO + '[[communication]]\nequations = ["y0 = x0",\n"y1 = x2"]', 6, "x2 is not among"),
        (TWO + "[[communication]]\nequations = 5", 6, "must be a text"),
        (TWO + "[[communication]]\npairs = [[0, 1, 2]]", 6, "shape"),
        (TWO + "[[communication]]\npairs = []", 6, "is required when there are no messages"),
        (TWO + "[[communication]]\nn = 2\npairs = [[0, 4]]", 7, "0..3"),
        (TWO + "[[communication]]\npairs = [[0, 3]]\nvolumes = [1, 2]", 7, "must be 1 numbers"),
        (TWO + '[[communication]]\npairs = [[0, 3]]\nidle = "no"', 7, '"unknown" or "stay"'),
        (TWO + "[[communication]]\ndestinations = [0, 1, 2]", 6, "power of two"),
        (TWO + "[[communication]]\nsources = 5", 6, "must be a list"),
    ],
)
def test_faults_in_toml(write, text, line, message):
    check_fault(write("bad.toml", text), line, message)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "must not be empty"),
        ('{"n": 2,\n "communication": [}', 2, "must be JSON"),
        ("5", 1, "source, destination and perhaps volume"),
        ("[1]", 1, "must be in 0..0"),
        ('["a"]', 0, "list of tables"),
        ('{"n": 2, "n": 3}', 0, "duplicate key"),
        ('[\n{"n": 2,\n"catalog": "identity"},\n{"n": 2,\n"catalog": "bit"}]', 5, "no such"),
        (
            '{"n": 2,\n"communication": [\n{"order": [0, 1]},\n{"wheight": 2,\n"order": []}]}',
            4,
            "did you mean 'weight'",
        ),
        ('[\n{"equations":\n"y0 = x0\\ny1 = x5"}]', 2, "x5 is not among"),
        ('[{"pairs": [[0, 1]]}]', 1, "must determine A and b"),
        ('[{"n": 2, "pairs": [[0, NaN]]}]', 1, "integers"),
    ],
)
def test_faults_in_json(write, text, line, message):
    check_fault(write("bad.json", text), line, message)


# -- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 0\n",
        "# comment\n\nsource,destination\n0,1\n1,0",
        "to;from\n1;0  # comment\n0;1",
        "dst\tsrc\r\n1\t0\r\n0\t1\r\n",
        "\ufeffsource destination volume\n0 1 1\n1 0 1.0",
        "0, 1, 1e0\n1, 0, 1",
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_spellings_of_a_table(write, text, suffix):
    (only,) = read_communications(write(f"swap{suffix}", text))
    assert (only.name, only.communication, only.weight) == ("swap", catalog.exchange(1, 0), 1)


def test_table_of_several_communications(write):
    text = "source,destination,communication,volume\n0,1,b,5\n0,3,a a,2\n1,0,b,5\n3,0,a a,2\n"
    text += "2,3,b,5\n3,2,b,5\n1,2,a a,1\n2,1,a a,2\n"
    b, a = read_communications(write("two.csv", text))
    assert (b.name, b.communication, b.weight, b.line) == ("b", catalog.exchange(2, 0), 5, 2)
    assert (a.name, a.communication, a.weight, a.line) == ("a a", catalog.rotate180(2), 2, 3)


def test_n_is_that_of_the_whole_table_or_as_asked(write):
    text = "source,destination,communication\n0,0,a\n0,5,b\n"
    a, b = read_entries(write("open.csv", text))
    assert (a.n, b.n) == (3, 3)
    assert read_entries(write("open.csv", text), 4)[0].n == 4
    with pytest.raises(FileError, match=r"0\.\.3 for n = 2; got 5") as raised:
        read_entries(write("open.csv", text), 2)
    assert raised.value.line == 3


def test_repeated_rows_add_up_to_the_weight(write):
    (only,) = read_communications(write("twice.txt", "0 1\n0 1\n1 0\n"))
    assert only.weight == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "must not be empty"),
        ("# nothing\n", 0, "in a known format"),
        ("source destination\n", 0, "no messages"),
        ("0 1\n1\n", 2, "2 columns"),
        ("0 1\n1 0 2\n", 2, "2 columns"),
        ("0 1 2 3\n", 1, "a matrix must be square"),
        ("0\n", 1, "source, destination and perhaps volume"),
        ("0 1\n1 x\n", 2, "integer from 0"),
        ("0 1\n1 -1\n", 2, "integer from 0"),
        ("-1 1\n", 1, "integer from 0"),
        ("0.5 1\n", 1, "integer from 0"),
        ("0 18446744073709551616\n", 1, "integer from 0"),
        ("0 1 x\n", 0, "in a known format"),
        ("0 1 2\n0 1 x\n", 2, "volume"),
        ("0 1 -1\n", 1, "volume"),
        ("0 1 nan\n", 1, "volume"),
        ("\nsource,destnation\n", 2, "did you mean 'destination'"),
        ("source,zzz\n", 1, "there is no column destination"),
        ("source,from\n", 1, "duplicate column"),
        ("source,volume\n", 1, "no column destination"),
        ("source,destination,name\n0,1,\n", 2, "must name"),
    ],
)
def test_faults_in_tables(write, text, line, message):
    check_fault(write("bad.csv", text), line, message)


def test_a_table_that_is_not_linear_names_the_line_of_the_witness(write):
    rows = [f"{x} {y}" for x, y in enumerate([0, 1, 2, 0])]
    path = write("bad.txt", "\n".join(["# comment", *rows]))
    with pytest.raises(FileError, match="3->0 is sent") as raised:
        read_communications(path)
    assert raised.value.line == 5
    assert isinstance(raised.value.__cause__, NotLinearComplement)
    assert raised.value.__cause__.witness.pair == (3, 0)


def test_a_table_that_leaves_bits_open(write):
    path = write("open.csv", "from,to\n1,2\n2,1\n")
    with reading_with(first_rank=0):
        check_open(path)


def check_open(path):
    with pytest.raises(FileError, match="2 bits of A and b free; 2 of 4 nodes") as raised:
        read_communications(path)
    assert isinstance(raised.value.__cause__, UnderdeterminedError)
    assert raised.value.__cause__.recognition.freedom == 2
    assert read_communications(path, idle="stay")[0].communication == catalog.bit_reverse(2)


def test_a_large_table(write):
    c = catalog.gray_code(14)
    path = write("large.csv", "\n".join(f"{x},{y}" for x, y in c.pairs()))
    assert read_communications(path)[0].communication == c


# -- arrays --------------------------------------------------------------------------------------


def test_numpy_files(tmp_path):
    c = catalog.bit_reverse(4)
    for array in (c.pairs(), c.pairs().astype(np.uint8), c.images()):
        np.save(tmp_path / "c.npy", array)
        (only,) = read_communications(tmp_path / "c.npy")
        assert (only.name, only.communication) == ("c", c)
    np.save(tmp_path / "c.npy", c.pairs()[:0])
    with pytest.raises(FileError, match="must determine A and b"):
        read_communications(tmp_path / "c.npy")


@pytest.mark.parametrize(
    "array",
    [
        np.eye(4)[:3],
        np.array(5),
        np.zeros((2, 2, 2), int),
        np.array([[0.5, 1]]),
        np.array([[-1, 1]]),
        np.array(["a", "b"]),
        np.array([[{}, 1]], dtype=object),
    ],
)
def test_bad_numpy_files(tmp_path, array):
    np.save(tmp_path / "c.npy", array, allow_pickle=True)
    with pytest.raises(FileError):
        read_communications(tmp_path / "c.npy")


def test_destinations_of_any_number_of_ranks(tmp_path):
    """Without n: as many ranks as entries, which need not be a power of two."""
    np.save(tmp_path / "c.npy", np.array([2, 0, 1, 4, 3]))
    (entry,) = read_entries(tmp_path / "c.npy")
    assert entry.content == Traffic([(0, 2), (1, 0), (2, 1), (3, 4), (4, 3)])
    assert entry.origin == "5 destinations"


def test_pairs_are_of_all_ranks_that_n_says(tmp_path):
    """0 and 1 swap: among 2 ranks, or among 2^3."""
    np.save(tmp_path / "c.npy", np.array([[0, 1], [1, 0]]))
    for n, ranks in ((None, 2), (3, 8)):
        (entry,) = read_entries(tmp_path / "c.npy", n=n)
        assert entry.content == Traffic([(0, 1), (1, 0)], ranks=ranks)


def test_an_entry_says_how_many_pairs_or_destinations_were_read(tmp_path):
    """In the origin of the entry: of 8 and of 5 ranks, as one row each and as pairs."""
    for array, origin in (
        (np.arange(8)[::-1], "8 destinations"),
        (np.array([2, 0, 1, 4, 3]), "5 destinations"),
        (np.array([[0, 5], [3, 1], [2, 2]]), "3 pairs"),
    ):
        np.save(tmp_path / "c.npy", array)
        (entry,) = read_entries(tmp_path / "c.npy")
        assert (entry.origin, entry.line) == (origin, 0)
        if len(array) != 5:  # with n, as many destinations as nodes
            (entry,) = read_entries(tmp_path / "c.npy", n=3)
            assert entry.origin == origin


def test_a_fault_of_a_whole_file_has_no_line(tmp_path, write):
    """Binary files: the path alone stands before the rule."""
    pytest.importorskip("scipy.sparse")
    np.savez(tmp_path / "d.npz", format="csr")
    for path in (write("c.npy", b"no"), write("c.npz", b"no"), tmp_path / "d.npz"):
        with pytest.raises(FileError) as caught:
            read_entries(path)
        assert caught.value.line == 0
        assert str(caught.value).startswith(f"{path}: ")


def test_several_arrays_under_the_name_of_one(tmp_path):
    """The content decides: an archive of one array is read, of two it is refused."""
    np.savez(tmp_path / "c.npz", a=np.arange(4))
    (tmp_path / "c.npz").rename(tmp_path / "c.npy")
    assert read_communications(tmp_path / "c.npy")[0].communication == catalog.identity(2)
    np.savez(tmp_path / "c.npz", a=np.arange(4), b=np.arange(4))
    with pytest.raises(FileError, match="sparse matrix as written by scipy"):
        read_communications(tmp_path / "c.npz")


@pytest.mark.parametrize(
    ("heading", "rows", "line", "text"),
    [
        ("coordinate complex general", "2 2 1\n1 2 1 5", 1, "must be real numbers; got 'complex'"),
        ("coordinate real skew-symmetric", "3 3 2\n2 1 -4\n3 1 5", 4, "finite"),
        ("coordinate real skew-symmetric", "3 3 2\n2 1 -4\n3 1 0.5", 4, "finite"),
        ("coordinate real general", "3 3 2\n2 1 4\n3 1 -5", 4, "finite"),
    ],
)
def test_the_line_of_an_entry_that_is_no_volume(write, heading, rows, line, text):
    """Matrix Market: the other half of a skew-symmetric matrix has a positive entry negative."""
    pytest.importorskip("scipy")
    with pytest.raises(FileError, match=text) as caught:
        read_entries(write("c.mtx", f"%%MatrixMarket matrix {heading}\n{rows}\n"))
    assert caught.value.line == line


def test_sparse_files_without_scipy(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    for name in ("scipy.io", "scipy.sparse"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(FileError, match=r"needs scipy; install the extra lccmodel\[sparse\]"):
        read_entries(write("c.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 0\n"))


def test_sparse_files(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.io import mmwrite

    for c in (catalog.scale2(4), catalog.bit_reverse(4), LCC(np.zeros((4, 4), int), 5)):
        matrix = sparse.coo_array((np.full(16, 7.5), tuple(c.pairs().T)), shape=(16, 16))
        sparse.save_npz(tmp_path / "c.npz", matrix)
        mmwrite(tmp_path / "c.mtx", matrix)
        for path in (tmp_path / "c.npz", tmp_path / "c.mtx"):
            (only,) = read_communications(path)
            assert (only.communication, only.weight) == (c, 7.5)
            assert only.origin == "communication matrix, 16 entries"


def test_bad_binary_files(write, tmp_path):
    pytest.importorskip("scipy.sparse")
    for name in ("c.npy", "c.npz", "c.mtx"):
        with pytest.raises(FileError):
            read_communications(write(name, b"not such a file"))
        with pytest.raises(FileError):
            read_communications(write(name, b""))
        with pytest.raises(FileError, match="cannot read the file"):
            read_communications(tmp_path / f"absent-{name}")
    np.savez(tmp_path / "c.npz", pairs=np.array([[0.5, 1], [1, 0], [0, 0]]))
    with pytest.raises(FileError, match="must be integers"):
        read_communications(tmp_path / "c.npz")
    with pytest.raises(FileError, match="must determine A and b"):
        read_communications(
            write("c.mtx", b"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n")
        )


# -- what is typed -------------------------------------------------------------------------------


def test_equation_files(write):
    (only,) = read_communications(write("loop.eq", "y0 = x1\ny1 = x0 + 1\n"))
    assert only.name == only.communication.name == "loop"
    assert only.communication == LCC([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(FileError, match="z0") as raised:
        read_communications(write("loop.eq", "y0 = x1\nz0 = x0 + 1\n"))
    assert raised.value.line == 2


def test_faults_of_the_file_itself(write, tmp_path):
    with pytest.raises(FileError, match="No such file"):
        read_communications(tmp_path / "absent.toml")
    with pytest.raises(FileError, match="UTF-8") as raised:
        read_communications(write("latin.csv", "0 1\n# caf\u00e9\n".encode("latin-1")))
    assert raised.value.line == 2
    with pytest.raises(FileError, match="must not be empty"):
        read_communications(write("a.tml", ""))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError):
        read_communications(tmp_path / "folder.csv")
    with pytest.raises(InputError, match="at least 1"):
        read_communications(tmp_path / "absent.toml", 0)


def test_typed_communications(write, monkeypatch):
    path = write("shift", "")
    monkeypatch.chdir(path.parent)
    assert read_typed(["shift:1"], 3)[0].communication == catalog.perfect_shuffle(3)
    assert read_typed(["y0 = x0 + 1"])[0].communication == catalog.exchange(1, 0)
    with pytest.raises(FileError, match="must not be empty"):
        read_typed(["./shift"], 3)
    table = write("swap.csv", "0 1\n1 0")
    assert read_typed([table])[0].name == "swap"
    assert read_typed(["swap.csv"])[0].name == "swap"
    with pytest.raises(CommunicationError, match="needs the number of address bits"):
        read_typed(["bit-reverse"])
    with pytest.raises(CommunicationError, match="did you mean 'unshuffle'"):
        read_typed(["unshufle"], 3)
    with pytest.raises(CommunicationError, match="catalogue name or a file"):
        read_typed(["q" * 5000], 3)


def test_programs(write):
    table = write("swap.csv", "0 3\n1 2\n2 1\n3 0")
    read = read_typed(["bit-reverse", table, "y0 = x1; y1 = x0"])
    assert [c.name for c in read] == ["bit-reverse", "swap", "y0 = x1; y1 = x0"]
    assert {c.n for c in read} == {2}
    with pytest.raises(CommunicationError, match="at least one"):
        read_typed([])
    with pytest.raises(CommunicationError, match="needs the number"):
        read_typed(["bit-reverse", "gray-code"])
    assert read_typed(["bit-reverse", "gray-code"], 5)[1].content == catalog.gray_code(5)


# -- the example files ---------------------------------------------------------------------------


def test_every_example_is_read():
    files = sorted(path for path in EXAMPLES.iterdir() if path.suffix in SUFFIXES)
    assert len(files) >= 6
    for path in files:
        assert read_communications(path)


def test_image_library_is_example_5():
    read = {c.name: c.communication for c in read_communications(EXAMPLES / "image_library.toml")}
    assert len(read) == 11
    assert read["scale the lower-left quarter by 2"] == catalog.scale2(8)
    assert read["rotate 90 clockwise"] == catalog.rotate90_clockwise(8)


def test_trace_is_what_the_program_sends():
    """Running the FFT again, checked against numpy's FFT inside, gives the rows of the file."""
    recorded = runpy.run_path(str(EXAMPLES / "tools" / "record_fft.py"))["run"]()
    rows = [line.split(",") for line in (EXAMPLES / "trace.csv").read_text().splitlines()[2:]]
    assert [[str(value) for value in record] for record in recorded] == rows
    read = {c.name: c.communication for c in read_communications(EXAMPLES / "trace.csv")}
    assert read["row-reorder"] == catalog.fft_rows(6)
    assert read["column-reorder"] == catalog.fft_columns(6)
    assert read["transpose"] == catalog.matrix_transpose(6)
    for k in range(3):
        assert read[f"row-exchange-{k}"] == catalog.exchange(6, k)
        assert read[f"column-exchange-{k}"] == catalog.exchange(6, k + 3)


def test_skewed_storage_is_j_xor_i():
    (c,) = read_communications(EXAMPLES / "skewed_storage.eq")
    for i in range(16):
        for j in range(16):
            assert c.communication.destination(16 * i + j) == 16 * i + (j ^ i)


def test_reduction_collects_and_spreads():
    collect, spread, _ = read_communications(EXAMPLES / "reduction.json")
    for x in range(64):
        assert collect.communication.destination(x) == x - x % 8
        assert spread.communication.source(x) == x - x % 8


def test_mistakes_show_their_line():
    for name, line, hint in (("mistake.toml", 10, "'bit-reverse'"), ("ring.txt", 6, "3->0")):
        with pytest.raises(FileError, match=hint) as raised:
            read_communications(EXAMPLES / "mistakes" / name)
        assert raised.value.line == line
