"""`lccmodel --install-completion`: the Tab key completes commands and options.

click writes the script; here it is put where the shell looks for it by itself. No start-up file of
the user's is touched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from lccmodel.errors import InputError

SHELLS = ("bash", "zsh", "fish")
_FOLDERS = {
    "bash": ("XDG_DATA_HOME", ".local/share", "bash-completion/completions/lccmodel"),
    "zsh": ("ZDOTDIR", ".", ".zfunc/_lccmodel"),
    "fish": ("XDG_CONFIG_HOME", ".config", "fish/completions/lccmodel.fish"),
}
_NEXT = {
    "bash": "it works in new shells where the package bash-completion is installed",
    "zsh": "add to .zshrc, if not there yet: fpath+=~/.zfunc; autoload -U compinit; compinit",
    "fish": "it works in new shells",
}


def completion_file(shell: str) -> Path:
    """Where a shell looks for the completion of `lccmodel`, in the user's own folders.

    Raises:
        InputError: not bash, zsh or fish.

    >>> completion_file("fish").name
    'lccmodel.fish'
    """
    if shell not in SHELLS:
        raise InputError("shell", f"must be {', '.join(SHELLS[:-1])} or {SHELLS[-1]}", shell)
    variable, folder, name = _FOLDERS[shell]
    return Path(os.environ.get(variable) or Path.home() / folder, name)


def install_completion(context: click.Context, parameter: Any, shell: str | None) -> None:
    """Write the script of a shell, say where it is, and leave; the callback of the option."""
    from click.shell_completion import get_completion_class

    from lccmodel.files import write_atomically

    if shell is None or context.resilient_parsing:
        return
    if shell == "auto":
        shell = Path(os.environ.get("SHELL", "")).name
    path = completion_file(shell)
    script = get_completion_class(shell)
    assert script is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    source = script(context.command, {}, "lccmodel", "_LCCMODEL_COMPLETE").source()
    write_atomically(path, source)
    click.echo(f"{path}: written; {_NEXT[shell]}")
    context.exit()
