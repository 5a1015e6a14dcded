"""`--install-completion`: the script is where the shell looks, and the shell completes with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from lccmodel.cli import SHELLS, cli, completion_file

PLACES = {
    "bash": ".local/share/bash-completion/completions/lccmodel",
    "zsh": ".zfunc/_lccmodel",
    "fish": ".config/fish/completions/lccmodel.fish",
}


def install(home: Path, *words: str, shell: str = "") -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ZDOTDIR"))}
    return subprocess.run(
        [sys.executable, "-m", "lccmodel", "--install-completion", *words],
        capture_output=True,
        text=True,
        env={**kept, "HOME": str(home), "SHELL": shell},
        check=False,
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_stands_where_the_shell_looks(shell: str, tmp_path: Path) -> None:
    done = install(tmp_path, shell)
    assert done.returncode == 0, done.stderr
    assert "_LCCMODEL_COMPLETE" in (tmp_path / PLACES[shell]).read_text()
    assert done.stdout.startswith(str(tmp_path / PLACES[shell]))


def test_the_shell_is_that_of_the_user(tmp_path: Path) -> None:
    assert install(tmp_path, shell="/usr/bin/fish").returncode == 0
    assert (tmp_path / PLACES["fish"]).exists()


@pytest.mark.parametrize("shell", ["", "/bin/sh", "csh"])
def test_another_shell_is_one_line_and_nothing_is_written(shell: str, tmp_path: Path) -> None:
    done = install(tmp_path, shell=shell)
    assert done.returncode == 2
    assert done.stderr.startswith("lccmodel: error: shell: must be one of bash, zsh, fish; ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_folders_of_ones_own_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert completion_file("bash") == tmp_path / "bash-completion/completions/lccmodel"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_a_command(tmp_path: Path) -> None:
    """The installed script, sourced by bash, offers `contention` for "lccmodel con"."""
    install(tmp_path, "bash")
    tool = tmp_path / "lccmodel"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lccmodel "$@"\n')
    tool.chmod(0o755)
    script = f"""
        PATH="{tmp_path}:$PATH"
        source "{tmp_path / PLACES["bash"]}"
        COMP_WORDS=(lccmodel con); COMP_CWORD=1
        _lccmodel_completion lccmodel
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["contention"], done.stderr


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["map", "--network", "dra"], ["dragonfly:"]),
        (["map", "--objective", "max"], ["max-max", "max-sum"]),
        (["contention", "hot"], ["hotspot", "hot"]),
        (["simulate", "bit-reverse-"], ["bit-reverse-part", "bit-reverse-"]),
        (["contention", "--method", "f"], ["formula"]),
        (["collective", "barrier", "--algorithm", ""], ["dissemination"]),
        (["simulate", "-N", "cube:3", "--routing", "romm,chi"], ["romm,chiu"]),
        (["simulate", "-N", "cube:", "--routing", ""], []),
        (["exchange", "--methods", "direct,base"], ["direct,baseline"]),
        (["route", "--mode", "mimd", "--reading", "t"], ["tag"]),
        (["check", "--objective", "j"], ["joint"]),
        (["catalog", "butter"], ["butterfly"]),
        (["formula", "cycle"], ["cycle-factorizations"]),
        (["references", "ca"], ["calmant"]),
    ],
)
def test_words_are_completed(typed: list[str], words: list[str]) -> None:
    """Of a communication, which may be a file, the last entry lets the shell offer files."""
    *before, last = typed
    offered = ShellComplete(cli, {}, "lccmodel", "_LCCMODEL_COMPLETE").get_completions(before, last)
    assert [item.value for item in offered] == words
    assert [item.type for item in offered].count("file") == (words[-1:] == [last])
