"""Standard streams that are closed, full, cut short, silent or not UTF-8, and pipes by name."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import lccmodel as lcc
from lccmodel.errors import InputError
from proofs_check.kept import read_records
from tests.choosing import fast_only, sampled

PYTHON = f"'{sys.executable}' -m"
CONTENTION = "lccmodel contention bit-reverse -N cube:3"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command line as bash runs it; the exit code is that of the first of a pipe."""
    return subprocess.run(
        ["bash", "-c", f"{PYTHON} {command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


CLOSED = {
    f"{CONTENTION} >&-": (2, "Bad file descriptor"),
    f"{CONTENTION} --output out.csv >&-": (0, ""),
    "lccmodel contention - <&-": (2, "stdin: must be open to be read"),
    f"{CONTENTION} <&-": (0, ""),
    f"{CONTENTION} >/dev/full": (2, "No space left on device"),
    "proofs_check list hou.thm1 >&-": (2, "Bad file descriptor"),
    "lccmodel no-such 2>&-": (2, ""),
    "lccmodel no-such 2>&1 | true": (2, ""),
    "lccmodel --help | true": (0, ""),
    "proofs_check --version | true": (0, ""),
    "lccmodel catalog | true": (0, ""),
    "proofs_check list | true": (0, ""),
}


@pytest.mark.parametrize("command", sampled(CLOSED, 3))
def test_a_stream_that_takes_nothing(command, folder):
    """A closed standard output was an AttributeError; `| true` exited with 1, which means no."""
    code, said = CLOSED[command]
    done = shell(command)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert (folder / "out.csv").exists() == ("out.csv" in command)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", fast_only(["latin-1", "cp1252", "utf-8:strict"], "latin-1"))
def test_an_encoding_without_arrows(encoding):
    done = shell("lccmodel map bit-reverse -N cube:4", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("\\u2192" in done.stdout) == (encoding != "utf-8:strict")


def test_json_stays_json_in_every_encoding(folder):
    """What an encoding lacks is written as JSON writes it in ASCII, beyond 16 bits too."""
    named = {"n": 2, "communication": [{"name": "→𝔽", "destinations": [1, 0, 3, 2]}]}
    (folder / "a.json").write_text(json.dumps(named))
    done = shell("lccmodel contention a.json -N cube:2 -f json", PYTHONIOENCODING="latin-1")
    assert json.loads(done.stdout)[0]["communication"] == "→𝔽"


def test_a_pipe_with_a_slow_writer_is_read(folder):
    os.mkfifo("slow.csv")

    def write() -> None:
        with Path("slow.csv").open("w") as pipe:
            time.sleep(0.2)
            pipe.write("source,destination\n0,1\n")

    writer = threading.Thread(target=write)
    writer.start()
    assert len(lcc.read("slow.csv")[0].traffic) == 1
    writer.join()


@pytest.mark.parametrize("command", fast_only(["findings", "errata hou"], "findings"))
def test_records_that_are_no_report(command, folder):
    Path("r.json").write_text("[]")
    done = shell(f"proofs_check {command} --records r.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "r.json: must be a report of `proofs-check run --format json`" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_records_without_end():
    with pytest.raises(InputError, match="at most"):
        read_records(Path("/dev/zero"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    sampled(
        [
            ("x = 1\n", "must be a module that declares claims"),
            ("def (", "must be a module of Python"),
            ("raise SystemExit(7)", "ends the process (SystemExit(7))"),
        ],
        3,
    ),
)
def test_a_module_without_claims(text, said, folder):
    """By its name or its file's."""
    Path("without.py").write_text(text)
    for name in ("without", "without.py"):
        done = shell(f"proofs_check --claims {name} list")
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
