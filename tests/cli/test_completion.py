"""`--install-completion`: the script is where the shell looks, and the shell completes with it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from lccmodel.cli import SHELLS, cli, completion_file
from tests.cli.calling import refused, run

PLACES = {
    "bash": ".local/share/bash-completion/completions/lccmodel",
    "zsh": ".zfunc/_lccmodel",
    "fish": ".config/fish/completions/lccmodel.fish",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [*os.environ]:
        if name.startswith(("XDG_", "ZDOTDIR")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "own", "shell"),
    [*(([shell], "", shell) for shell in SHELLS), ([], "/usr/bin/fish", "fish")],
)
def test_the_script_stands_where_the_shell_looks(words, own, shell, home, monkeypatch):
    """The shell is the one that is typed, or that of the user."""
    monkeypatch.setenv("SHELL", own)
    done = run("--install-completion", *words)
    assert done.exit_code == 0, done.output
    assert "_LCCMODEL_COMPLETE" in (home / PLACES[shell]).read_text()
    assert done.stdout.startswith(str(home / PLACES[shell]))
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert completion_file("bash") == Path("/data/bash-completion/completions/lccmodel")


@pytest.mark.parametrize("own", ["", "/bin/sh", "csh"])
def test_another_shell_is_one_line_and_nothing_is_written(own, home, monkeypatch):
    monkeypatch.setenv("SHELL", own)
    assert "shell: must be one of bash, zsh, fish; " in refused(run("--install-completion"))
    assert not list(home.iterdir())


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_a_command(home):
    """The installed script, sourced by bash, offers `contention` for "lccmodel con"."""
    run("--install-completion", "bash")
    tool = home / "lccmodel"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lccmodel "$@"\n')
    tool.chmod(0o755)
    script = f"""
        PATH="{home}:$PATH"
        source "{home / PLACES["bash"]}"
        COMP_WORDS=(lccmodel con); COMP_CWORD=1
        _lccmodel_completion lccmodel
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["contention"], done.stderr


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("map --network dra", "dragonfly:"),
        ("map --objective max", "max-max max-sum"),
        ("contention hot", "hotspot hot"),
        ("simulate bit-reverse-", "bit-reverse-part bit-reverse-"),
        ("contention --method f", "formula"),
        ("collective barrier --algorithm ", "dissemination"),
        ("simulate -N cube:3 --routing romm,chi", "romm,chiu"),
        ("simulate -N cube: --routing ", ""),
        ("exchange --methods direct,base", "direct,baseline"),
        ("route --mode mimd --reading t", "tag"),
        ("check --objective j", "joint"),
        ("catalog butter", "butterfly"),
        ("formula cycle", "cycle-factorizations"),
        ("references ca", "calmant"),
    ],
)
def test_words_are_completed(typed, words):
    """Of a communication, which may be a file, the last entry lets the shell offer files."""
    *before, last = typed.split(" ")
    offered = ShellComplete(cli, {}, "lccmodel", "_LCCMODEL_COMPLETE").get_completions(before, last)
    assert [item.value for item in offered] == words.split()
    assert [item.type for item in offered].count("file") == (words.split()[-1:] == [last])
