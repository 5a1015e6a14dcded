"""Files of communications: every form means what the other forms mean, every fault has its line."""

import json
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

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
from lccmodel.reading.programs import SUFFIXES, read_communications, read_entries, read_typed
from tests.reading.files import written

EXAMPLES = Path(__file__).parents[2] / "examples"


def check_fault(path: Path, line: int, words: str) -> None:
    """Reading it is refused, with the line of the fault and in one line."""
    with pytest.raises(FileError) as raised:
        read_communications(path)
    assert (raised.value.path, raised.value.line) == (str(path), line), raised.value
    assert words in str(raised.value)
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


# -- TOML and JSON --------------------------------------------------------------------------------

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


def test_all_forms_of_one_communication(tmp_path):
    read = read_communications(written(tmp_path, GRAY, "gray.toml"))
    assert [c.name for c in read[:2]] == ["gray-code", "as matrix"]
    assert [c.communication for c in read] == [catalog.gray_code(3)] * 8
    assert [c.communication.name for c in read] == [c.name for c in read]
    assert [c.weight for c in read] == [1, 2.5, 1, 1, 1, 1, 1, 1]
    lines = GRAY.split("\n")
    assert all(lines[c.line - 1] == "[[communication]]" for c in read)
    assert (read[0].origin, read[5].origin) == ("catalog: gray-code", "8 pairs")
    document = tomllib.loads(GRAY)
    for content in (document, [dict(table, n=3) for table in document["communication"]]):
        for indent in (None, 2):
            path = written(tmp_path, json.dumps(content, indent=indent), "gray.json")
            as_json = read_communications(path)
            assert [c.communication for c in as_json] == [c.communication for c in read]
            assert [(c.name, c.weight) for c in as_json] == [(c.name, c.weight) for c in read]


@pytest.mark.parametrize(
    ("table", "communication", "name", "weight"),
    [
        (
            'name = "s"\nn = 2\nmatrix = ["01", "00"]\nvector = [0, 1]\nkind = "scatter"',
            LCC.scatter([[0, 1], [0, 0]], [0, 1]),
            "s",
            1,
        ),
        ("order = [1, 0]\ncomplement = [1, 0]", catalog.bit_permute_complement([1, 0], 1), "a", 1),
        ('n = 2\ncatalog = "exchange"\nparameters.k = 1', catalog.exchange(2, 1), "exchange:1", 1),
        ('n = 2\ncatalog = "translation:2"\nname = "t"', catalog.exchange(2, 1), "t", 1),
        (
            'pairs = [[1, 2], [2, 1]]\nvolumes = [10, 20]\nidle = "stay"',
            catalog.bit_reverse(2),
            "a",
            20,
        ),
        ('n = 4\ncatalog = "reverse-flip"\nweight = 3', catalog.reverse_flip(4), "reverse-flip", 3),
        ('equations = "y0 = x0 + 1"', catalog.exchange(1, 0), "a", 1),
    ],
)
def test_one_communication_at_the_top(tmp_path, table, communication, name, weight):
    (only,) = read_communications(written(tmp_path, table + "\n", "a.toml"))
    assert (only.communication, only.name, only.weight) == (communication, name, weight)


def test_n_from_the_caller(tmp_path):
    path = written(tmp_path, '[[communication]]\ncatalog = "reverse-flip"\n', "flip.toml")
    assert read_communications(path, 6)[0].n == 6
    check_fault(path, 2, "needs the number of address bits")
    path.write_text("n = 8\n" + path.read_text())
    with pytest.raises(FileError, match="n must be 6, as requested; got 8"):
        read_communications(path, 6)


@pytest.mark.parametrize(
    ("text", "network", "line"),
    [
        ('n = 3\nnetwork = "origin:3"\n[[communication]]\ncatalog = "identity"\n', "origin:3", 2),
        ('n = 3\nnetwork = "origin:3"\ncatalog = "bit-reverse"\n', "origin:3", 2),
        ('n = 3\ncatalog = "bit-reverse"\n', "", 0),
        ('{"network": "cube:1",\n"communication": [{"order": [0]}]}', "cube:1", 1),
    ],
)
def test_a_file_may_name_its_network(tmp_path, text, network, line):
    (only,) = read_communications(written(tmp_path, text))
    assert (only.network, only.network_line) == (network, line)


NO_MEMBER = "parameters: n and the name stand beside the parameters, not among them"
BITS = "must be a list of 0 and 1, or a text such as '010'"
MATRIX = 'matrix = ["10", "11"]\n'


@pytest.mark.parametrize(
    ("keys", "line", "words"),
    [
        ('n = 2\ncatalgo = "identity"', 2, "did you mean 'catalog'"),
        ('name = "x"\nn = 2', 0, "exactly one of catalog, matrix"),
        ('catalog = "x"\npairs = []', 2, "exactly one of"),
        ('catalog = "x"\nvector = [1]', 2, "cannot be combined with catalog"),
        ('n = 2\ncatalog = "bit-revers"', 2, "did you mean 'bit-reverse'"),
        ("n = 2\ncatalog = 5", 2, "catalog: must be a name of the catalogue"),
        ('n = 2\ncatalog = "exchange"', 2, "must state k"),
        ('n = 2\ncatalog = "exchange"\nparameters = { k = 2 }', 3, "k: must be in 0..1"),
        ('n = 2\ncatalog = "exchange"\n[communication.parameters]\nk=2', 4, "k: must be in 0..1"),
        ('n = 2\ncatalog = "shift"\nparameters = { n = 2, k = 1 }', 3, NO_MEMBER),
        ('n = 2\ncatalog = "shift"\nparameters = 2', 3, "must be a table such as { k = 3 }"),
        ('n = 3\ncatalog = "identity"\nname = "i"', 0, "the same n"),
        ('n = 2\ncatalog = "identity"', 0, "same name, see line 1"),
        ("n = 0\nmatrix = []", 1, "n: must be an integer of at least 1"),
        ("matrix = [[1, 0], [0, 2]]", 1, "matrix[1, 1]: entries must be 0 or 1; got 2"),
        ("matrix = [[1, 0], [0]]", 1, "equal length"),
        ("matrix = [[1, 0]]", 1, "square"),
        ("matrix = []", 1, "at least one row"),
        ('matrix = "01"', 1, "matrix: must be a list"),
        ('matrix = ["01", "12"]', 1, "matrix[1]: must be a text of 0 and 1, bit 0 first"),
        ("matrix = [1, 2]", 1, f"matrix[0]: {BITS}"),
        (f"{MATRIX}vector = [1]", 1, "n = 2 entries"),
        (f"{MATRIX}vector = 1", 2, f"vector: {BITS}"),
        (f'{MATRIX}kind = "gather"', 2, "kind: the matrix has rank 2: it makes a permutation"),
        ('matrix = ["10", "00"]\nkind = "permutation"', 2, "has rank 1: it makes a gather"),
        (f'{MATRIX}kind = "other"', 2, "kind: must be one of permutation, gather, scatter"),
        (f"{MATRIX}weight = true", 2, "weight: must be a positive number"),
        (f"{MATRIX}weight = inf", 2, "weight: must be a positive number"),
        (f'{MATRIX}weight = "x"', 2, "weight: must be a positive number"),
        (f"{MATRIX}name = 5", 2, "must be a text"),
        (f'{MATRIX}name = " "', 2, "must be a text"),
        ("order = [0, 0]", 1, "permutation of 0..1"),
        ('order = "x"', 1, "order: must be a list"),
        ("order = [1, 0]\ncomplement = 4", 2, "complement: must be 2 bits, or an int from 0 to"),
        ("n = 3\norder = [1, 0]", 2, "must have n = 3 address bits"),
        ('equations = """\ny0 = x0\ny1 = x2\n"""', 3, "x2 is not among"),
        ('equations = ["y0 = x0",\n"y1 = x2"]', 1, "x2 is not among"),
        ("equations = 5", 1, "equations: must be a text, or a list of texts"),
        ('equations = ["y0 = x0", 3]', 1, "equations: must be a text, or a list of texts"),
        ("pairs = 3", 1, "pairs: must be a list"),
        ("pairs = [[0, 1, 2]]", 1, "shape"),
        ("pairs = []", 1, "is required when there are no messages"),
        ("n = 2\npairs = [[0, 4]]", 2, "0..3"),
        ("pairs = [[0, 3]]\nvolumes = [1, 2]", 2, "volumes: must be 1 numbers"),
        ('pairs = [[0, 3]]\nidle = "no"', 2, 'idle: must be "unknown" or "stay"'),
        ("destinations = 3", 1, "destinations: must be a list"),
        ("destinations = [0, 1, 2]", 1, "the length a power of two, at least 2"),
        ("sources = 5", 1, "sources: must be a list"),
        ("sources = [0, 9]", 1, "node: must be in 0..1 for n = 1"),
        ('network = "cube:2"', 1, "network"),
    ],
)
def test_faults_of_a_communication(tmp_path, keys, line, words):
    """In the second of a file; lines count from its heading."""
    first = '[[communication]]\nn = 2\ncatalog = "identity"\n\n'
    check_fault(written(tmp_path, f"{first}[[communication]]\n{keys}", "b.toml"), line + 5, words)


DEEP, DIGITS = 100_000, "9" * 100_000


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a.toml", "n = \n", 1, "must be TOML"),
        ("a.toml", "a = " + "[" * DEEP, 0, "must be TOML nested less deeply"),
        ("a.toml", f"n = {DIGITS}", 0, "must be TOML with shorter integers"),
        ("a.toml", "", 0, "must not be empty"),
        ("a.toml", "n = 2", 1, "exactly one of catalog, matrix"),
        ("a.toml", "communication = 3", 1, "list of tables"),
        ("a.toml", "communication = []", 1, "at least one"),
        ("a.toml", "n = 8\n[[comunication]]\norder = [0]", 2, "did you mean 'communication'"),
        ("a.toml", "m = 8\n[[communication]]\norder = [0]", 1, "unknown key"),
        ("a.toml", 'n = 65\ncatalog = "identity"', 1, "at most 64: a node must fit one machine"),
        ("a.toml", "network = 5\norder = [0]", 1, "network must be a name such as cube:8"),
        ("a.toml", 'network = " "\norder = [0]', 1, "network must be a name such as cube:8"),
        ("a.toml", "n = 3\n[[communication]]\nn = 2\norder = [1, 0]", 3, "must be 3, as stated"),
        ("a.toml", "n = 2\n[[communication]]\norder = [2, 1, 0]", 3, "have n = 2 address bits"),
        ("a.json", '{"n": 2,\n "communication": [}', 2, "must be JSON"),
        ("a.json", "[" * DEEP, 0, "must be JSON nested less deeply"),
        ("a.json", f'{{"n": {DIGITS}}}', 0, "must be JSON with shorter integers"),
        ("a.json", "5", 1, "source, destination and perhaps volume"),
        ("a.json", "[1]", 1, "must be in 0..0"),
        ("a.json", '["a"]', 0, "list of tables"),
        ("a.json", '{"n": 2, "n": 3}', 0, "duplicate key"),
        ("a.json", '[\n{"order": [0]},\n{"n": 2,\n"catalog": "bit"}]', 4, "no such"),
        ("a.json", '[\n{"order": [0]},\n{"wheight": 2,\n"order": []}]', 3, "mean 'weight'"),
        ("a.json", '[\n{"equations":\n"y0 = x0\\ny1 = x5"}]', 2, "x5 is not among"),
        ("a.json", '[{"pairs": [[0, 1]]}]', 1, "must determine A and b"),
        ("a.json", '[{"n": 2, "pairs": [[0, NaN]]}]', 1, "integers"),
        ("a.json", '{"communicati\\u006fn": [{"order": 3}]}', 1, "order: must be a list"),
        ("a.eq", "y0 = x1\nz0 = x0 + 1\n", 2, "z0"),
        ("a.csv.gz", "0,1", 0, "must be a gzip file, as its name says"),
        ("a.csv", b"0 1\n# caf\xe9\n", 2, "UTF-8"),
        ("a.csv", "# nothing\n", 0, "in a known format"),
        ("a.csv", "source destination\n", 0, "no messages"),
        ("a.csv", "0 1\n1\n", 2, "2 columns"),
        ("a.csv", "0 1 2 3\n1 2 3", 2, "must have 4 columns"),
        ("a.csv", "0 1 2 3\n", 1, "a matrix must be square"),
        ("a.csv", "0\n", 1, "source, destination and perhaps volume"),
        ("a.csv", "0 1\n1 x\n", 2, "integer from 0"),
        ("a.csv", "-1 1\n", 1, "integer from 0"),
        ("a.csv", "0 18446744073709551616\n", 1, "integer from 0"),
        ("a.csv", "0 1 x\n", 0, "in a known format"),
        ("a.csv", "0 1 2\n0 1 x\n", 2, "volume"),
        ("a.csv", "0 1 -1\n", 1, "a volume must be a finite number, not negative; got '-1'"),
        ("a.csv", "0 1 nan\n", 1, "a volume must be a finite number"),
        ("a.csv", "\nsource,destnation\n", 2, "did you mean 'destination'"),
        ("a.csv", "source,zzz\n", 1, "there is no column destination"),
        ("a.csv", "source,from\n", 1, "duplicate column"),
        ("a.csv", "source,destination,name\n0,1,\n", 2, "must name"),
        ("a.csv", "".join(f"{x},{x % 16 + 1}\n" for x in range(1, 17)), 15, "--first-rank 1"),
    ],
)
def test_faults_of_a_file(tmp_path, name, text, line, words):
    check_fault(written(tmp_path, text, name), line, words)


def test_a_key_that_is_written_with_escapes_is_read(tmp_path):
    path = written(tmp_path, '{"communicati\\u006fn": [{"order": [1, 0]}]}', "a.json")
    assert len(read_entries(path)) == 1


def test_paths_of_no_file(tmp_path):
    check_fault(tmp_path / "absent.toml", 0, "No such file")
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "folder.csv", "a\0b.csv"):
        with pytest.raises(FileError):
            read_communications(path)
    with pytest.raises(InputError, match="path"):
        read_entries(5)
    with pytest.raises(InputError, match="at least 1"):
        read_communications(tmp_path / "absent.toml", 0)


# -- tables ---------------------------------------------------------------------------------------


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
def test_spellings_of_a_table(tmp_path, text, suffix):
    (only,) = read_communications(written(tmp_path, text, f"swap{suffix}"))
    assert (only.name, only.communication, only.weight) == ("swap", catalog.exchange(1, 0), 1)


def test_table_of_several_communications(tmp_path):
    text = "source,destination,communication,volume\n0,1,b,5\n0,3,a a,2\n1,0,b,5\n3,0,a a,2\n"
    text += "2,3,b,5\n3,2,b,5\n1,2,a a,1\n2,1,a a,2\n"
    b, a = read_communications(written(tmp_path, text))
    assert (b.name, b.communication, b.weight, b.line) == ("b", catalog.exchange(2, 0), 5, 2)
    assert (a.name, a.communication, a.weight, a.line) == ("a a", catalog.rotate180(2), 2, 3)
    (only,) = read_communications(written(tmp_path, "0 1\n0 1\n1 0\n"))
    assert only.weight == 2, "repeated rows add up"


def test_n_is_that_of_the_whole_table_or_as_asked(tmp_path):
    path = written(tmp_path, "source,destination,communication\n0,0,a\n0,5,b\n")
    assert [entry.n for entry in read_entries(path)] == [3, 3]
    assert read_entries(path, 4)[0].n == 4
    with pytest.raises(FileError, match=r":3: .*0\.\.3 for n = 2; got 5"):
        read_entries(path, 2)


def test_a_table_that_is_not_linear_names_the_line_of_the_witness(tmp_path):
    path = written(tmp_path, "# comment\n0 0\n1 1\n2 2\n3 0\n")
    with pytest.raises(FileError, match="3->0 is sent") as raised:
        read_communications(path)
    assert raised.value.line == 5
    assert isinstance(raised.value.__cause__, NotLinearComplement)
    assert raised.value.__cause__.witness.pair == (3, 0)


def test_a_table_that_leaves_bits_open(tmp_path):
    path = written(tmp_path, "from,to\n1,2\n2,1\n")
    with reading_with(first_rank=0):
        with pytest.raises(FileError, match="2 bits of A and b free; 2 of 4 nodes") as raised:
            read_communications(path)
        assert isinstance(raised.value.__cause__, UnderdeterminedError)
        assert raised.value.__cause__.recognition.freedom == 2
        (only,) = read_communications(path, idle="stay")
    assert only.communication == catalog.bit_reverse(2)


# -- arrays ---------------------------------------------------------------------------------------


def test_numpy_files(tmp_path):
    c, path = catalog.bit_reverse(4), tmp_path / "c.npy"
    for array in (c.pairs(), c.pairs().astype(np.uint8), c.images()):
        np.save(path, array)
        (only,) = read_communications(path)
        assert (only.name, only.communication) == ("c", c)
    np.save(path, c.pairs()[:0])
    check_fault(path, 0, "must determine A and b")


@pytest.mark.parametrize(
    ("array", "n", "content", "origin"),
    [
        ([2, 0, 1, 4, 3], None, [(0, 2), (1, 0), (2, 1), (3, 4), (4, 3)], "5 destinations"),
        ([1, 0, 3, 2], 2, [(0, 1), (1, 0), (2, 3), (3, 2)], "4 destinations"),
        ([[0, 1], [1, 0]], None, [(0, 1), (1, 0)], "2 pairs"),
        ([[0, 1], [1, 0]], 3, Traffic([(0, 1), (1, 0)], ranks=8), "2 pairs"),
        ([[0, 5], [3, 1], [2, 2]], 3, Traffic([(0, 5), (3, 1), (2, 2)], ranks=8), "3 pairs"),
    ],
)
def test_entries_of_arrays(tmp_path, array, n, content, origin):
    """As many ranks as entries, or as n says; what was read is the origin of an entry."""
    np.save(tmp_path / "c.npy", np.array(array))
    (entry,) = read_entries(tmp_path / "c.npy", n)
    assert entry.content == (content if isinstance(content, Traffic) else Traffic(content))
    assert (entry.origin, entry.line) == (origin, 0)


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
    check_fault(tmp_path / "c.npy", 0, "")


def test_several_arrays_under_the_name_of_one(tmp_path):
    """The content decides: an archive of one array is read, of two it is refused."""
    np.savez(tmp_path / "c.npz", a=np.arange(4))
    (tmp_path / "c.npz").rename(tmp_path / "c.npy")
    assert read_communications(tmp_path / "c.npy")[0].communication == catalog.identity(2)
    np.savez(tmp_path / "c.npz", a=np.arange(4), b=np.arange(4))
    check_fault(tmp_path / "c.npz", 0, "sparse matrix as written by scipy")


class _Payload:
    """Pickled, it makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize(("save", "name"), [(np.save, "a.npy"), (np.savez, "a.npz")])
def test_what_is_pickled_in_a_file_is_never_run(tmp_path, save, name):
    path, made = tmp_path / name, tmp_path / "made"
    save(path, np.array([_Payload(made)], dtype=object))
    check_fault(path, 0, "")
    assert not made.exists()


MARKET = "%%MatrixMarket matrix coordinate"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"{MARKET} complex general\n2 2 1\n1 2 1 5", 1, "must be real numbers; got 'complex'"),
        (f"{MARKET} real skew-symmetric\n3 3 2\n2 1 -4\n3 1 5", 4, "finite"),
        (f"{MARKET} real skew-symmetric\n3 3 2\n2 1 -4\n3 1 0.5", 4, "finite"),
        (f"{MARKET} real general\n3 3 2\n2 1 4\n3 1 -5", 4, "finite"),
        (f"{MARKET} real general\n3 3 1\n1 1 1", 2, "must determine A and b"),
        ("not such a file", 1, ""),
    ],
)
def test_faults_of_matrix_market(tmp_path, text, line, words):
    """The other half of a skew-symmetric matrix has a positive entry negative."""
    check_fault(written(tmp_path, text + "\n", "c.mtx"), line, words)


def test_bad_binary_files(tmp_path):
    for name in ("c.npy", "c.npz"):
        for content in (b"no", b""):
            check_fault(written(tmp_path, content, name), 0, f"{tmp_path / name}: ")
    np.savez(tmp_path / "c.npz", pairs=np.array([[0.5, 1], [1, 0], [0, 0]]))
    check_fault(tmp_path / "c.npz", 0, "must be integers")
    np.savez(tmp_path / "c.npz", format="csr")
    check_fault(tmp_path / "c.npz", 0, f"{tmp_path / 'c.npz'}: ")


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


def test_sparse_files_without_scipy(tmp_path, monkeypatch):
    for name in ("scipy", "scipy.io", "scipy.sparse"):
        monkeypatch.setitem(sys.modules, name, None)
    path = written(tmp_path, f"{MARKET} real general\n2 2 0\n", "c.mtx")
    with pytest.raises(FileError, match=r"needs scipy; install the extra lccmodel\[sparse\]"):
        read_entries(path)


# -- what is typed --------------------------------------------------------------------------------


def test_typed_communications(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "", "shift")
    table = written(tmp_path, "0 3\n1 2\n2 1\n3 0", "swap.csv")
    written(tmp_path, "y0 = x1\ny1 = x0 + 1\n", "loop.eq")
    assert read_typed(["shift:1"], 3)[0].communication == catalog.perfect_shuffle(3)
    assert read_typed(["loop.eq"])[0].communication == LCC([[0, 1], [1, 0]], [0, 1])
    read = read_typed(["bit-reverse", table, "swap.csv", "y0 = x1; y1 = x0"])
    assert [c.name for c in read] == ["bit-reverse", "swap", "swap", "y0 = x1; y1 = x0"]
    assert {c.n for c in read} == {2}
    written(tmp_path, "0,1\n1,12\n0,2\n", "more.csv")
    assert [entry.ranks for entry in read_typed(["more.csv", "bit-reverse"])] == [13, 16]
    assert read_typed(["bit-reverse", "gray-code"], 5)[1].content == catalog.gray_code(5)


@pytest.mark.parametrize(
    ("words", "n", "rule"),
    [
        (["./shift"], 3, "must not be empty"),
        ([], None, "at least one"),
        (["bit-reverse", "gray-code"], None, "needs the number of address bits"),
        (["unshufle"], 3, "did you mean 'unshuffle'"),
        (["q" * 5000], 3, "catalogue name or a file"),
    ],
)
def test_typed_words_that_are_refused(tmp_path, monkeypatch, words, n, rule):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "", "shift")
    with pytest.raises((FileError, CommunicationError), match=rule):
        read_typed(words, n)


# -- the example files ----------------------------------------------------------------------------


def test_every_example_is_read():
    files = sorted(path for path in EXAMPLES.iterdir() if path.suffix in SUFFIXES)
    read = {path.name: read_communications(path) for path in files}
    assert len(read) >= 6
    images = {c.name: c.communication for c in read["image_library.toml"]}
    assert len(images) == 11
    assert images["scale the lower-left quarter by 2"] == catalog.scale2(8)
    assert images["rotate 90 clockwise"] == catalog.rotate90_clockwise(8)
    (skewed,) = read["skewed_storage.eq"]
    assert all(
        skewed.communication.destination(16 * i + j) == 16 * i + (j ^ i)
        for i in range(16)
        for j in range(16)
    )
    collect, spread, _ = read["reduction.json"]
    for x in range(64):
        assert collect.communication.destination(x) == x - x % 8
        assert spread.communication.source(x) == x - x % 8


def test_trace_is_what_the_program_sends():
    """Running the FFT again, checked against numpy's FFT inside, gives the rows of the file."""
    recorded = runpy.run_path(str(EXAMPLES / "tools" / "record_fft.py"))["run"]()
    rows = [line.split(",") for line in (EXAMPLES / "trace.csv").read_text().splitlines()[2:]]
    assert [[str(value) for value in record] for record in recorded] == rows
    read = {c.name: c.communication for c in read_communications(EXAMPLES / "trace.csv")}
    named = {"row-reorder": catalog.fft_rows(6), "column-reorder": catalog.fft_columns(6)}
    named["transpose"] = catalog.matrix_transpose(6)
    for k in range(3):
        named |= {f"row-exchange-{k}": catalog.exchange(6, k)}
        named |= {f"column-exchange-{k}": catalog.exchange(6, k + 3)}
    assert read == named


def test_mistakes_show_their_line():
    check_fault(EXAMPLES / "mistakes" / "mistake.toml", 10, "'bit-reverse'")
    check_fault(EXAMPLES / "mistakes" / "ring.txt", 6, "3->0")
