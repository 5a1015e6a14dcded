"""Machine code on disk: it never outlives the code that was compiled, and a damaged one runs never.

A rotten, missing or forbidden cache costs time. It never costs an answer.
"""

import hashlib
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lccmodel.kernels import cache_files, jit
from lccmodel.kernels.cache import fingerprint
from lccmodel.kernels.jit import borrowed, kernel, vector_kernel
from tests.choosing import sampled

KERNEL = """
from typing import NamedTuple
from lccmodel.kernels.jit import kernel
{before}

@kernel
def {name}({argument}):
    return {value}
"""
TRIPLED = KERNEL.format(before="", name="tripled", argument="x", value="3 * x")
RUN = "import sys, few; print(few.tripled(int(sys.argv[1])))"
KNOWS = "; assert ('numba.np.npyimpl' in sys.modules) is {}"
"""Whether numba has loaded what it knows to translate: three tenths of a second."""
KEPT = "__pycache__/lccmodel"
IN_MEMORY = "lccmodel: compiled code cannot be kept"


def ran(
    folder: Path, run: str = RUN, limit: Callable[[], None] | None = None, **environment: str
) -> tuple[str, str]:
    """What a fresh process prints for 5, and what it says on standard error; it ends well."""
    paths = os.pathsep.join([str(folder), *sys.path])
    home = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", run, "5"], capture_output=True, text=True, check=True, timeout=300,
        env={**os.environ, **home, "PYTHONPATH": paths, **environment}, preexec_fn=limit,
    )  # fmt: skip
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    (folder / "few.py").write_text(TRIPLED)
    assert ran(folder, RUN + KNOWS.format(True), PYTHONHASHSEED="1") == ("15", "")
    return folder


@pytest.fixture
def folder(compiled: Path, tmp_path: Path) -> Path:
    """A copy of a module and its compiled kernel."""
    shutil.copytree(compiled, tmp_path / "few", copy_function=shutil.copy2)
    return tmp_path / "few"


def entry(folder: Path) -> Path:
    (container,) = (folder / KEPT).glob("few.tripled-*.nbc")
    return container


# -- a kernel is compiled again when anything that went into it has changed ------------------


def test_an_unchanged_kernel_is_read_from_disk(folder):
    """A second process compiles nothing: the fingerprint does not depend on the process."""
    before = entry(folder).name
    assert ran(folder, RUN + KNOWS.format(False), PYTHONHASHSEED="2") == ("15", "")
    assert entry(folder).name == before
    assert (folder / KEPT).stat().st_mode & 0o777 == 0o700, "the folder is the user's alone"


@pytest.mark.slow
def test_a_changed_called_kernel_is_seen_by_its_callers(tmp_path):
    """The caller's own file is untouched; numba alone would answer 2(x + 1) for ever."""
    called = tmp_path / "called.py"
    step = {"before": "from limits import OFFSET", "name": "step", "argument": "x"}
    twice = {"before": "import called", "name": "twice", "argument": "x"}
    (tmp_path / "few.py").write_text(KERNEL.format(value="2 * called.step(x)", **twice))
    for value, offset, doubled in [("x", 1, "12"), ("x + 10", 1, "32"), ("x + 10", 100, "230")]:
        called.write_text(KERNEL.format(value=f"{value} + OFFSET", **step))
        (tmp_path / "limits.py").write_text(f"OFFSET = {offset}\n")  # two imports away
        assert ran(tmp_path, RUN.replace("tripled", "twice"))[0] == doubled


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "value", "answer"),
    [
        (("Pair(NamedTuple):\n  x: int\n  y: int", "Pair(NamedTuple):\n  y: int\n  x: int"), 1, 5),
        (
            ("Layout(NamedTuple):\n  x: int\n  y: int", "New(NamedTuple):\n  x: int\n  y: int"),
            2,
            10,
        ),
    ],
    ids=["fields are swapped", "a class is renamed"],
)
def test_types_of_yesterday_are_as_good_as_none(classes, value, answer, tmp_path):
    """Both are tuples of two integers to the compiler; the index of numba holds their types."""
    kept = {"name": "first", "argument": "pair", "value": f"{value} * pair.x"}
    for told in classes:
        (tmp_path / "few.py").write_text(KERNEL.format(before=f"class {told}", **kept))
        run = f"import sys, few; print(few.first(few.{told.partition('(')[0]}(x=5, y=8)))"
        assert ran(tmp_path, run)[0] == str(answer)


def test_the_fingerprint_reaches_intrinsics():
    @kernel
    def count(word):
        return jit.bit_count(word)

    @kernel
    def lowest(word):
        return jit.lowest_bit(word)

    assert fingerprint(count) != fingerprint(lowest)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1, 2]), np.array([1, 3])),
        (1, 1.0),
        ((1, 2), (1, 3)),
        (np.int64(1), np.int32(1)),
        ("a", "b"),
        (namedtuple("Pair", "x y"), namedtuple("Pair", "y x")),
    ],
    ids=repr,
)
def test_constants_count_by_value(one, other):
    def made(constant: object) -> str:
        def function() -> object:
            return constant

        return fingerprint(function)

    assert made(one) == made(one)
    assert made(one) != made(other)


def test_options_defaults_and_functions_that_call_each_other_count():
    def half(x: float, by: float = 2.0) -> float:
        return x / by

    def changed(x: float, by: float = 3.0) -> float:
        return x / by

    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    changed.__code__ = half.__code__
    assert fingerprint(half) != fingerprint(changed)
    assert fingerprint(kernel(half)) != fingerprint(vector_kernel(half))
    assert fingerprint(even) != fingerprint(odd)


# -- arguments of kernels ---------------------------------------------------------------------


@kernel
def _raise_all(held, times):
    borrowed_one, (other, number) = borrowed(held)
    for _ in range(times):
        pair = (borrowed_one, other)
        pair[0][0] += number
        pair[1][0] += pair[0][0]


def test_what_is_borrowed_is_the_array_itself_and_no_reference_is_lost():
    """Numbers and nested tuples come through; arrays live on with the references they had."""
    one, other = np.zeros(2, np.int64), np.zeros(2, np.int64)
    references = sys.getrefcount(one), sys.getrefcount(other)
    _raise_all((one, (other, 3)), 4)
    assert (sys.getrefcount(one), sys.getrefcount(other)) == references
    assert one.tolist() == [12, 0]
    assert other.tolist() == [3 + 6 + 9 + 12, 0]


@pytest.mark.parametrize("argument", [[[0, 1]], (1, [[0, 1]]), (np.arange(3), (0, [2]))])
def test_no_kernel_takes_a_list(argument):
    """A tuple with a nested list, given again and again, ended the process in malloc."""
    with pytest.raises(TypeError, match="takes numbers, arrays and tuples"):
        kernel(lambda values: 0)(argument)


# -- what is damaged is set aside ---------------------------------------------------------------

KEY = hashlib.sha256(b"what was compiled").digest()


@pytest.fixture
def lone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file without kernels yet, whose folder no environment variable moves elsewhere."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    source = tmp_path / "few.py"
    source.write_text(TRIPLED)
    return source


def test_no_flipped_bit_passes(lone):
    """Every eleventh bit of a small container, in turn: mark, checksum, key and code."""
    for place in range(0, 8 * (18 + 32 + 32 + 40), 11):
        cache_files.keep("few-1.nbc", KEY, bytes(range(40)), lone, "few-")
        path, code = cache_files.kept("few-1.nbc", KEY, lone) or (None, b"")
        assert path is not None
        assert code == bytes(range(40))
        content = bytearray(path.read_bytes())
        content[place // 8] ^= 1 << place % 8
        path.write_bytes(content)
        assert cache_files.kept("few-1.nbc", KEY, lone) is None
        assert path.with_suffix(".broken").read_bytes() == content


def test_a_spoiled_folder_is_one_line(lone, capsys):
    """A run needs dozens of kernels."""
    for name in ("few-1.nbc", "few-2.nbc"):
        cache_files.keep(name, KEY, b"code", lone, name)
        (lone.parent / KEPT / name).write_bytes(b"")
        assert cache_files.kept(name, KEY, lone) is None
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_code_for_another_key_is_not_taken(lone):
    """A file under the name of another."""
    cache_files.keep("few-1.nbc", KEY, b"code", lone, "few-")
    assert cache_files.kept("few-1.nbc", hashlib.sha256(b"else").digest(), lone) is None


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "zeroed": lambda content: bytes(len(content)),
    "garbage": lambda content: random.Random(1).randbytes(len(content)),
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize("fault", sampled(FAULTS, 5))
def test_a_spoiled_file_heals(fault, folder):
    """Such a file ended the command for good: `interrupted`, exit 130."""
    path = entry(folder)
    spoiled = FAULTS[fault](path.read_bytes())
    path.write_bytes(spoiled)
    printed, said = ran(folder)
    assert printed == "15"
    where = f"compiled code in {path.parent}"
    assert said == f"lccmodel: {where} is damaged: it is set aside, and compiled anew\n"
    assert path.with_suffix(".broken").read_bytes() == spoiled
    assert ran(folder) == ("15", "")


# -- folders: of the user alone, or none --------------------------------------------------------


@pytest.mark.slow
def test_the_first_folder_that_can_be_had_is_used(folder, tmp_path):
    """NUMBA_CACHE_DIR, as numba has it; beside the source; the user's own; none, said once."""
    for _ in range(2):
        assert ran(folder, NUMBA_CACHE_DIR=str(tmp_path / "named")) == ("15", "")
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    assert not (folder / KEPT).exists()
    assert len(list((tmp_path / "named").rglob("*.nbc"))) == 1
    (folder / "__pycache__").write_text("no folder")
    assert ran(folder) == ("15", "")
    (container,) = (folder / "home" / ".cache" / "lccmodel").rglob("*.nbc")
    assert container.parent.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(folder / "home")
    (folder / "home").write_text("nor this")
    printed, said = ran(folder, f"{RUN}; print(few.tripled(2.5))")  # two that cannot be kept
    assert printed.split() == ["15", "7.5"]
    assert said.startswith(IN_MEMORY)
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_full_disk_takes_the_cache_and_not_the_answer(folder):
    """Nothing half-written stays behind either."""
    entry(folder).unlink()
    small = resource.RLIMIT_FSIZE, (1000, 1000)  # as a disk that is full for all but short files
    printed, said = ran(folder, limit=lambda: resource.setrlimit(*small))
    assert printed == "15"
    assert said.startswith(IN_MEMORY)
    assert "too large" in said
    assert list((folder / KEPT).iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o770, 0o707, None], ids=["group", "others", "other owner"])
def test_a_folder_where_others_may_write_is_not_used(mode, folder):
    """What somebody put there would run."""
    if mode is not None:
        (folder / KEPT).chmod(mode)
    elif os.geteuid() == 0:
        os.chown(folder / KEPT, 12345, 12345)
    else:
        pytest.skip("only root can give a folder away")
    entry(folder).write_bytes(b"not code")
    assert ran(folder) == ("15", "")
    assert entry(folder).read_bytes() == b"not code", "neither read, nor set aside, nor replaced"
    assert list((folder / "home").rglob("*.nbc")), "the next folder is taken"


def test_entries_older_than_the_source_go(lone):
    """A cache does not grow with each change of a kernel; other kernels' entries stay."""
    where, unfinished = lone.parent / KEPT, ".few-3.nbc.0123456789abcdef"
    for name in ("few-1.nbc", "few-2.nbc", "other-1.nbc", unfinished):
        cache_files.keep(name, KEY, b"code", lone, "none-")
        if name != "few-2.nbc":
            os.utime(where / name, (0, 0))
    cache_files.keep("few-4.nbc", KEY, b"code", lone, "few-")
    left = sorted(path.name for path in where.iterdir())
    assert left == ["few-2.nbc", "few-4.nbc", "other-1.nbc"]


@pytest.mark.slow
def test_a_kernel_without_a_file_is_compiled_in_every_process(folder):
    """One that was typed in a notebook has no place beside its source, and nothing is said."""
    (folder / "typed").mkdir()
    run = (
        f"import os; os.chdir({str(folder / 'typed')!r}); "
        "code = compile(open('../few.py').read(), '<typed>', 'exec'); exec(code); print(tripled(5))"
    )
    assert ran(folder, run) == ("15", "")
    assert list((folder / "typed").iterdir()) == []


@pytest.mark.slow
def test_a_clock_that_was_set_back_removes_nothing(folder):
    """A source of tomorrow: entries of today, of two combinations of types, are kept."""
    tomorrow = (folder / "few.py").stat().st_mtime + 86400
    os.utime(folder / "few.py", (tomorrow, tomorrow))
    entry(folder).unlink()
    run = f"{RUN}; few.tripled(2.5)"
    written = []
    for _ in range(2):
        assert ran(folder, run) == ("15", "")
        written.append({path: path.stat().st_mtime_ns for path in (folder / KEPT).iterdir()})
    assert len(written[0]) == 2
    assert written[0] == written[1]
