"""How many functions a command compiles on a machine without compiled code: a budget.

A kernel costs about a tenth of a second, and numba compiles its own helpers with it. An array that
is made in a kernel costs four of them, a slice assigned to a slice thirty (the text of its error).
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lccmodel
from lccmodel.kernels import jit

ROOT = Path(__file__).parents[1]
KERNELS = tuple(name for name in vars(jit) if name.endswith("kernel"))
PROGRAM = """
import sys
from numba.core import event

class Counting(event.Listener):
    compiled = 0

    def on_start(self, event):
        self.compiled += 1

    def on_end(self, event):
        pass

listener = Counting()
event.register("numba:compile", listener)
from lccmodel.cli import cli
cli.main(sys.argv[1:], standalone_mode=False)
print("compiled", listener.compiled, file=sys.stderr)
"""
BUDGET = {
    "map examples/trace.csv -N torus:8x8 --moves 2000": 50,
    "contention examples/trace.csv -N torus:8x8": 0,
    "simulate bit-reverse -N cube:6 --load 0.3 --cycles 2000": 50,
    "report examples --output {out}": 64,
}
"""Functions that each command compiles; 0.4: 113 for `map`."""


@pytest.mark.slow
@pytest.mark.parametrize("command", BUDGET)
def test_a_command_compiles_no_more_than_its_budget(command, tmp_path):
    words = command.format(out=tmp_path / "out").split()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=ROOT, check=True,
        capture_output=True, text=True, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert int(done.stderr.rsplit("compiled ", 1)[1]) <= BUDGET[command]


def _is_slice(target: ast.expr) -> bool:
    if not isinstance(target, ast.Subscript):
        return False
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return any(isinstance(part, ast.Slice) for part in parts)


def _name(decorator: ast.expr) -> str:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return function.id if isinstance(function, ast.Name) else ""


def copied_slices(source: str) -> list[str]:
    """The assignments of an array to a slice in the kernels of a module."""
    return [
        ast.unparse(line)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        and any(_name(decorator) in KERNELS for decorator in function.decorator_list)
        for line in ast.walk(function)
        if isinstance(line, ast.Assign)
        and any(map(_is_slice, line.targets))
        and _is_slice(line.value)
    ]


def test_no_kernel_assigns_a_slice_to_a_slice():
    """That compiles numba's text of the error for shapes that differ: two seconds."""
    assert "light_kernel" in KERNELS
    assert copied_slices("@kernel\ndef f(a, b):\n    a[1:] = b[:2]\n    a[:] = 0\n") == [
        "a[1:] = b[:2]"
    ]
    for path in Path(lccmodel.__file__).parent.rglob("*.py"):
        source = path.read_text()
        assert "kernel" not in source or copied_slices(source) == [], path
