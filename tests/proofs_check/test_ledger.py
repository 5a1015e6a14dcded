"""The ledger keeps what is finished and never writes to a file that is not its own."""

import sqlite3
import subprocess
import sys

import pytest

from lccmodel.errors import FileError
from proofs_check.finding import Examined
from proofs_check.ledger import SCHEMA_VERSION, Ledger
from proofs_check.shards import ShardTask

TASK = ShardTask("hou.thm1", "m", "v1", "printed", 3, "all", 1, 0, 10)


def test_a_shard_is_kept_once_under_its_key(tmp_path):
    path = tmp_path / "deep" / "ledger.sqlite"
    with Ledger(path) as ledger:
        ledger.keep([(TASK, Examined(10, None, 0.5)), (TASK, Examined(10, None, 0.25))])
        ledger.keep([(TASK._replace(start=10, stop=30), Examined(20, None, 0.5))])
        ledger.keep([(TASK._replace(start=30, stop=40), Examined(0, None, 0.5, "raised"))])
    with Ledger(path) as ledger:
        assert ledger.cost("hou.thm1", "v1", 3) == pytest.approx(0.75 / 30)
        assert ledger.cost("hou.thm1", "v2", 3) is None
        ledger.forget_other_versions("hou.thm1", "v2")
        assert ledger.cost("hou.thm1", "v1", 3) is None


def test_keys_tell_every_part_of_a_shard_apart():
    parts = {"claim": "hou.thm3", "version": "v2", "variant": "control", "n": 4}
    parts |= {"mode": "sample 2x1", "seed": 2, "start": 1, "stop": 11}
    keys = {TASK._replace(**{name: value}).key for name, value in parts.items()}
    assert len(keys | {TASK.key}) == 1 + len(parts)
    assert TASK._replace(module="elsewhere").key == TASK.key


@pytest.mark.parametrize("kind", ["version", "tables", "noise"])
def test_a_ledger_of_another_version_is_set_aside_and_kept(tmp_path, kind):
    path = tmp_path / "ledger.sqlite"
    if kind == "noise":
        path.write_bytes(b"not a database" * 100)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE shards (old)")
            version = SCHEMA_VERSION + 1 if kind == "version" else SCHEMA_VERSION
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
    before = path.read_bytes()
    with Ledger(path) as ledger:
        assert ledger.set_aside.read_bytes() == before
        assert ledger.set_aside != path
        assert ledger.records() == []
        assert ledger.is_new
        assert ledger.reason.startswith("is not a ledger") == (kind == "noise")
    with Ledger(path) as ledger:
        assert ledger.set_aside is None


@pytest.mark.parametrize("place", ["file/ledger.sqlite", "."])
def test_a_place_that_cannot_hold_a_ledger_is_refused(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="can be opened"):
        Ledger(tmp_path / place)


@pytest.mark.slow
def test_runs_that_open_the_ledger_at_the_same_time_wait_for_each_other(tmp_path):
    path = tmp_path / "ledger.sqlite"
    program = (
        "import sys; from pathlib import Path; from proofs_check.ledger import Ledger\n"
        "for _ in range(25):\n"
        "    with Ledger(Path(sys.argv[1])) as ledger: ledger.forget_other_versions('a', 'b')"
    )
    runs = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(4)]
    assert [run.wait(timeout=120) for run in runs] == [0, 0, 0, 0]


def test_a_damaged_page_is_one_line(tmp_path):
    """A page overwritten in the middle of the file: no traceback, and nothing more is written."""
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        tasks = [TASK._replace(start=10 * k, stop=10 * k + 10) for k in range(500)]
        ledger.keep([(task, Examined(10, None, 0.5)) for task in tasks])
    content = bytearray(path.read_bytes())
    for at in range(4096, len(content), 4096):  # the first page says what the file is
        content[at : at + 64] = b"\xff" * 64
    path.write_bytes(content)
    with Ledger(path) as ledger, pytest.raises(FileError, match=r"cannot be read \(.+malformed"):
        ledger.cost("hou.thm1", "v1", 3)


def test_a_full_disk_is_one_line(tmp_path):
    """SQLite may not take another page: what is kept stays, the run ends with a line."""
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        ledger.keep([(TASK, Examined(10, None, 0.5))])
        (pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {pages}")
        tasks = [TASK._replace(start=10 * k, stop=10 * k + 10) for k in range(1, 2000)]
        with pytest.raises(FileError, match=r"cannot be written \(database or disk is full\)"):
            ledger.keep([(task, Examined(10, None, 0.5)) for task in tasks])
        assert ledger.cost("hou.thm1", "v1", 3) == pytest.approx(0.05)


@pytest.mark.slow
def test_a_limit_on_the_size_of_files_is_one_line(tmp_path):
    """`ulimit -f`: the system refuses the next page."""
    program = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "from proofs_check.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "run", "hou.thm1", "--max-n", "1", "--ledger", "l.db"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("proofs-check: ledger: must be a file that can be opened and")
    assert done.stderr.count("\n") == 1
