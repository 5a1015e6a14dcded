"""Machine code on disk is loaded when every bit is right; what is not is set aside and made anew.

A rotten, missing or forbidden cache costs time. It never costs an answer.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lccmodel.kernels import cache_files as files
from tests.choosing import sampled

KERNEL = """
from lccmodel.kernels.jit import kernel

@kernel
def tripled(x):
    return 3 * x
"""
RUN = "import sys, few; print(few.tripled(int(sys.argv[1])))"
KEPT = "__pycache__/lccmodel"
IN_MEMORY = "lccmodel: compiled code cannot be kept"


def ran(
    folder: Path,
    run: str = RUN,
    limit: Callable[[], None] | None = None,
    **environment: str,
) -> tuple[str, str]:
    """What a fresh process prints for 5, and what it says on standard error; it ends well."""
    paths = os.pathsep.join([str(folder), *sys.path])
    home = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", run, "5"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **home, "PYTHONPATH": paths, **environment},
        preexec_fn=limit,
        timeout=300,
    )
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    (folder / "few.py").write_text(KERNEL)
    assert ran(folder) == ("15", "")
    return folder


@pytest.fixture
def folder(compiled: Path, tmp_path: Path) -> Path:
    """A copy of a module and its compiled kernel."""
    shutil.copytree(compiled, tmp_path / "few", copy_function=shutil.copy2)
    return tmp_path / "few"


def entry(folder: Path) -> Path:
    (found,) = (folder / KEPT).glob("few.tripled-*.nbc")
    return found


@pytest.fixture
def lone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file without kernels yet, whose folder no environment variable moves elsewhere."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    source = tmp_path / "few.py"
    source.write_text(KERNEL)
    return source


KEY = hashlib.sha256(b"what was compiled").digest()


@pytest.mark.slow
def test_no_flipped_bit_passes(lone: Path) -> None:
    """Each bit of a small container, in turn: mark, checksum, key and code."""
    for place in range(8 * (18 + 32 + 32 + 40)):
        files.keep("few-1.nbc", KEY, bytes(range(40)), lone, "few-")
        path, code = files.kept("few-1.nbc", KEY, lone) or (None, b"")
        assert path is not None
        assert code == bytes(range(40))
        content = bytearray(path.read_bytes())
        content[place // 8] ^= 1 << place % 8
        path.write_bytes(content)
        assert files.kept("few-1.nbc", KEY, lone) is None
        assert path.with_suffix(".broken").read_bytes() == content


def test_a_spoiled_folder_is_one_line(lone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run needs dozens of kernels."""
    for name in ("few-1.nbc", "few-2.nbc"):
        files.keep(name, KEY, b"code", lone, name)
        (lone.parent / KEPT / name).write_bytes(b"")
        assert files.kept(name, KEY, lone) is None
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_code_for_another_key_is_not_taken(lone: Path) -> None:
    """A file under the name of another."""
    files.keep("few-1.nbc", KEY, b"code", lone, "few-")
    assert files.kept("few-1.nbc", hashlib.sha256(b"else").digest(), lone) is None


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "zeroed": lambda content: bytes(len(content)),
    "garbage": lambda content: random.Random(1).randbytes(len(content)),
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize("fault", sampled(FAULTS, 5))
def test_a_spoiled_file_heals(fault: str, folder: Path) -> None:
    """Such a file ended the command for good: `interrupted`, exit 130."""
    path = entry(folder)
    right = path.read_bytes()
    path.write_bytes(FAULTS[fault](right))
    printed, said = ran(folder)
    assert printed == "15"
    where = f"compiled code in {path.parent}"
    assert said == f"lccmodel: {where} is damaged: it is set aside, and compiled anew\n"
    assert path.with_suffix(".broken").read_bytes() == FAULTS[fault](right)
    assert ran(folder) == ("15", "")


@pytest.mark.slow
def test_flipped_bits_never_change_an_answer(folder: Path) -> None:
    """Ninety of them in machine code; before, one of ninety gave a wrong answer without a word."""
    path, chance = entry(folder), random.Random(1)
    for _ in range(90):
        content = bytearray(path.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        printed, said = ran(folder)
        assert printed == "15"
        assert "is damaged" in said


def without_folders(folder: Path) -> None:
    """As a read-only installation of another user: no cache can be made anywhere."""
    shutil.rmtree(folder / "__pycache__")
    (folder / "__pycache__").write_text("no folder")
    (folder / "home").write_text("nor this")


@pytest.mark.slow
def test_without_a_folder_kernels_compile_in_memory(folder: Path) -> None:
    """It ended in `cannot cache function … no locator`; now it works, and says so once."""
    without_folders(folder)
    run = f"{RUN}; print(few.tripled(2.5))"  # two entries that cannot be kept
    printed, said = ran(folder, run)
    assert printed.split() == ["15", "7.5"]
    assert said.startswith(IN_MEMORY)
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_folder_that_is_named_is_used_first(folder: Path, tmp_path: Path) -> None:
    """NUMBA_CACHE_DIR, as numba has it."""
    assert ran(folder, NUMBA_CACHE_DIR=str(tmp_path / "named")) == ("15", "")
    shutil.rmtree(folder / "__pycache__")
    assert ran(folder, NUMBA_CACHE_DIR=str(tmp_path / "named")) == ("15", "")
    assert not (folder / KEPT).exists()
    assert len(list((tmp_path / "named").rglob("*.nbc"))) == 1


@pytest.mark.slow
def test_the_users_own_cache_is_the_last(folder: Path) -> None:
    """For an installation that the user may not write."""
    shutil.rmtree(folder / "__pycache__")
    (folder / "__pycache__").write_text("no folder")
    assert ran(folder) == ("15", "")
    (found,) = (folder / "home" / ".cache" / "lccmodel").rglob("*.nbc")
    assert found.parent.stat().st_mode & 0o777 == 0o700


def small_files() -> None:
    """A disk that is full for all but short files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.slow
def test_a_full_disk_takes_the_cache_and_not_the_answer(folder: Path) -> None:
    """Nothing half-written stays behind either."""
    entry(folder).unlink()
    printed, said = ran(folder, limit=small_files)
    assert printed == "15"
    assert said.startswith(IN_MEMORY)
    assert "too large" in said
    assert list((folder / KEPT).iterdir()) == []


def test_the_folder_is_the_users_alone(folder: Path) -> None:
    assert (folder / KEPT).stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
@pytest.mark.parametrize("mode", sampled([0o770, 0o707, 0o777], 3))
def test_a_folder_that_others_may_write_is_not_used(mode: int, folder: Path) -> None:
    """What somebody put there would run."""
    (folder / KEPT).chmod(mode)
    planted = b"not code"
    entry(folder).write_bytes(planted)
    assert ran(folder) == ("15", "")
    assert entry(folder).read_bytes() == planted, "neither read, nor set aside, nor replaced"
    assert list((folder / "home").rglob("*.nbc")), "the next folder is taken"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_not_used(folder: Path) -> None:
    os.chown(folder / KEPT, 12345, 12345)
    entry(folder).write_bytes(b"not code")
    assert ran(folder) == ("15", "")
    assert entry(folder).read_bytes() == b"not code"


def test_entries_older_than_the_source_go(lone: Path) -> None:
    """A cache does not grow with each change of a kernel; other kernels' entries stay."""
    for name in ("few-1.nbc", "few-2.nbc", "other-1.nbc", ".few-3.nbc.0123456789abcdef"):
        files.keep(name, KEY, b"code", lone, "none-")
    where = lone.parent / KEPT
    os.utime(where / "few-1.nbc", (0, 0))
    os.utime(where / "other-1.nbc", (0, 0))
    os.utime(where / ".few-3.nbc.0123456789abcdef", (0, 0))
    files.keep("few-4.nbc", KEY, b"code", lone, "few-")
    left = sorted(path.name for path in where.iterdir())
    assert left == ["few-2.nbc", "few-4.nbc", "other-1.nbc"]


@pytest.mark.slow
def test_a_kernel_without_a_file_is_compiled_in_every_process(folder: Path) -> None:
    """One that was typed in a notebook has no place beside its source, and nothing is said."""
    (folder / "typed").mkdir()
    run = (
        f"import os; os.chdir({str(folder / 'typed')!r}); "
        "code = compile(open('../few.py').read(), '<typed>', 'exec'); exec(code); print(tripled(5))"
    )
    assert ran(folder, run) == ("15", "")
    assert list((folder / "typed").iterdir()) == []


@pytest.mark.slow
def test_a_clock_that_was_set_back_removes_nothing(folder: Path) -> None:
    """A source of tomorrow: entries of today, of two combinations of types, are kept."""
    tomorrow = (folder / "few.py").stat().st_mtime + 86400
    os.utime(folder / "few.py", (tomorrow, tomorrow))
    entry(folder).unlink()
    run = f"{RUN}; few.tripled(2.5)"
    assert ran(folder, run) == ("15", "")
    kept = sorted((folder / KEPT).iterdir())
    assert len(kept) == 2
    before = [path.stat().st_mtime_ns for path in kept]
    assert ran(folder, run) == ("15", "")
    assert [path.stat().st_mtime_ns for path in sorted((folder / KEPT).iterdir())] == before
