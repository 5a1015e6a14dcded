"""Atomic replacement: complete or untouched, and nothing left behind."""

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lccmodel.errors import FileError
from lccmodel.ground import files
from lccmodel.ground.files import write_atomically

_TRIAL = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
MOUNTS = (
    shutil.which("unshare")
    and not subprocess.run(_TRIAL, capture_output=True, check=False).returncode
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes(tmp_path):
    path = tmp_path / "out.txt"
    assert write_atomically(path, "y = Ax + b\r\nα\n") == path
    assert path.read_bytes() == "y = Ax + b\r\nα\n".encode()
    write_atomically(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    write_atomically(path, "")
    assert path.read_bytes() == b""
    assert names(tmp_path) == ["out.txt"]


def test_permissions(tmp_path):
    """A new file obeys the umask; an existing one keeps its mode."""
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("")
    write_atomically(ours, "")
    assert ours.stat().st_mode == plain.stat().st_mode
    ours.chmod(0o640)
    write_atomically(ours, "new")
    assert stat.S_IMODE(ours.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "through")
    reader.join(timeout=10)
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_by_name_that_is_a_pipe():
    """Its link leads to no path; more than a pipe holds is written."""
    program = (
        "from lccmodel.ground.files import write_atomically\n"
        "write_atomically('/dev/stdout', 'x' * 10**6)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (len(ended.stdout), ended.stderr) == (10**6, b"")


@pytest.mark.skipif(not MOUNTS, reason="needs a mount of its own")
def test_a_read_only_mount_is_one_line(tmp_path):
    """Refused with the system's reason, and nothing is left."""
    program = f"mount -t tmpfs -o ro none {tmp_path} && {sys.executable} -c {{}}"
    write = f'\'from lccmodel.ground.files import *; write_atomically("{tmp_path}/x", "a")\''
    command = ["unshare", "-rm", "sh", "-c", program.format(write)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "must be a file that can be written: Read-only file system" in ended.stderr
    assert names(tmp_path) == []


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing, error):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail(*arguments):
        raise error

    if failing == "fsync":
        monkeypatch.setattr(files.os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    expected = FileError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_atomically(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_bad_places(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "out", tmp_path / "file" / "out", tmp_path):
        with pytest.raises(FileError) as caught:
            write_atomically(path, "x")
        assert str(path) in str(caught.value)
    assert names(tmp_path) == ["file"]


def test_a_reader_never_sees_half_a_file(tmp_path):
    """Readers beside 60 replacements find one of the two contents, whole."""
    path = tmp_path / "out"
    contents = (b"a" * 100_000, b"b" * 200_000)
    write_atomically(path, contents[0])
    stop = threading.Event()
    seen: set[bytes] = set()

    def read():
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for k in range(60):
        write_atomically(path, contents[k % 2])
    stop.set()
    reader.join(timeout=10)
    assert seen <= set(contents)
    assert seen
