"""The command as a process of its own: start-up, exit codes, pipes, interrupts."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.choosing import fast_only

COMMAND = [sys.executable, "-m", "lccmodel"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_exit_codes_and_streams():
    good = run("catalog", "identity", "--n", "2", "--format", "csv")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.splitlines()[-1].endswith("y1 = x1,0 1,0")
    bad = run("map", "nothing.toml")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.count("\n") == 1
    assert "Traceback" not in bad.stderr


def test_the_installed_script_is_the_same_command():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="lccmodel")
    assert script.value == "lccmodel.cli:main"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_interrupt_is_one_line_and_exit_code_130(tmp_path):
    """The command waits for a pipe that nobody writes to, and is interrupted there."""
    pipe = tmp_path / "messages.csv"
    os.mkfifo(pipe)
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from lccmodel.cli import main; main()"
    )  # a shell may have started the tests with interrupts ignored
    process = subprocess.Popen(
        [sys.executable, "-c", program, "contention", str(pipe)], stderr=subprocess.PIPE, text=True
    )
    writer = _open_once_read(pipe)
    for _ in range(30):  # one that comes just before the read begins is seen after it: again
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            _, stderr = process.communicate(timeout=2)
            break
    os.close(writer)
    assert (process.returncode, stderr) == (130, "lccmodel: interrupted\n")


def _open_once_read(pipe: Path) -> int:
    """The writing end of a pipe, as soon as somebody reads it."""
    for _ in range(1200):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise AssertionError("nobody opened the pipe")


SEARCH = (
    "import os, signal, sys\n"
    "from lccmodel.cli import cli\n"
    "from lccmodel.placement.search.annealing import Descent\n"
    "advance = Descent.advance\n"
    "def told(self, *arguments):\n"
    "    advance(self, *arguments)\n"
    "    os.write(2, b'searching\\n')\n"
    "Descent.advance = told\n"
    "if __name__ == '__main__':\n"
    "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "    cli.main(sys.argv[1:])\n"
)
"""`lccmodel`, which says when it, or a worker, has searched for a while."""


@pytest.mark.parametrize("stop", fast_only([signal.SIGINT, signal.SIGTERM], signal.SIGTERM))
@pytest.mark.parametrize("workers", fast_only([1, 2], 2))
def test_an_interrupted_search_leaves_the_best_so_far_at_once(tmp_path, workers, stop):
    """Ctrl-C at a terminal, or kill: to the whole group, workers too, ten minutes before the end.

    0.4 left nothing at SIGTERM, which batch systems send before the time is over.
    """
    program = tmp_path / "told.py"
    program.write_text(SEARCH)
    arguments = ["map", "grid:16x4:all-to-all", "-N", "torus:8x8", "--objective", "joint",
                 "--seconds", "600", "--workers", str(workers), "-f", "json"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, str(program), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    for _ in range(workers):
        assert process.stderr.readline() == "searching\n"
    assert process.poll() is None
    sent = time.monotonic()
    os.killpg(process.pid, stop)
    answer, said = process.communicate(timeout=60)
    assert (process.returncode, set(said.splitlines())) in ((0, set()), (0, {"searching"}))
    (row,) = json.loads(answer)[:1]
    print(f"{workers} workers: {time.monotonic() - sent:.2f} s")
    assert "before the search was interrupted" in row["verdict"]
    assert sorted(row["node_of"]) == list(range(64))
    assert row["value_after"] < row["value_before"]
    assert not row["optimal"]
