"""What is public in the library is used by the library, the checker, a notebook or the docs.

A definition that only tests call belongs to the tests. Uses are counted by name, which is lenient:
a name that occurs anywhere outside of the tests, and of its own definition, counts as used.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = ("lccmodel", "proofs_check", "benchmarks", "examples", "docs", "notebooks")

FOR_A_USER = {
    "load_overload": "numba calls it",
    "save_overload": "numba calls it",
    "lcp_iterations": "[hou, Fig. 3], line by line",
    "level_movement": "the schedule whose steps `level_steps` counts",
    "on_end": "numba calls it",
    "on_start": "numba calls it",
    "random_matrix": "one matrix where `random_matrices` has packed rows",
    "reordered_lu_factors": "[edelman, Corollary 3.2]",
    "to_galois": "conversion",
    "to_sympy": "conversion",
}
"""Public names that nothing of ours calls, and what they are for."""


@cache
def sources() -> tuple[tuple[Path, ast.Module], ...]:
    """Every file of ours, parsed once for all tests of this module."""
    paths = [path for folder in CODE for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Afterwards the trees are only in the way of the collector of garbage."""
    yield
    sources.cache_clear()


def names_in(tree: ast.Module) -> Iterator[str]:
    """Names, attributes, keywords, and words in quotes by which a name is looked up."""
    listed = {
        id(part)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and id(node) not in listed:
            text = str(node.value)
            yield from () if " " in text else re.findall(r"\w+", text)


def public_definitions(tree: ast.Module) -> Iterator[str]:
    """Functions, classes and methods without an underscore that no decorator registers."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in [*tree.body, *(part for each in classes for part in each.body)]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            registered = any("command" in ast.unparse(each) for each in node.decorator_list)
            yield from () if registered else (node.name,)


def written() -> str:
    """The text of the pages and notebooks."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")]
    texts = [page.read_text(encoding="utf-8") for page in pages if page.name != "CHANGELOG.md"]
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells]
    return "\n".join(texts)


def unused() -> set[str]:
    defined: set[str] = set()
    used = set(re.findall(r"[A-Za-z_]\w*", written()))
    for path, tree in sources():
        used |= set(names_in(tree))
        if path.is_relative_to(ROOT / "lccmodel"):
            defined |= set(public_definitions(tree))
    return defined - used


def test_nothing_public_is_there_for_the_tests_alone() -> None:
    assert not unused() - set(FOR_A_USER)


def test_a_definition_that_nothing_calls_is_found() -> None:
    tree = ast.parse('__all__ = ["f"]\ndef f(): ...\nclass A:\n    def g(self): ...\nA().g()')
    assert set(public_definitions(tree)) - set(names_in(tree)) == {"f"}


# -- what a module exports, others take ---------------------------------------------------------

FOUND_BY_NAME = {
    "lccmodel.communication.catalog": "a module of values: `lcc.catalog.bit_reverse(8)`",
    "lccmodel.errors": "a module of values",
    "lccmodel.references": "a module of values",
    "lccmodel.mpi.__main__": "a command",
    "lccmodel.mpi.node": "a command",
    "lccmodel.papers.calmant_section": "`papers.reproduction` imports it by its name",
    "lccmodel.papers.hou_section": "`papers.reproduction` imports it by its name",
    "lccmodel.pipelining.cost.generate": "a command",
    "lccmodel.pipelining.search": "a command",
    "lccmodel.show.views": "`lccmodel.views` asks the top level for it",
}
"""Modules whose names nobody imports, and why."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def exports(tree: ast.Module) -> list[str]:
    """The list `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def taken_by(tree: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """(module, name) of imports, `module.name` and "module:name"; a module by its last word."""
    called: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            source = node.module if node.level == 0 else ".".join([*above, node.module or ""])
            for each in node.names:
                called[each.asname or each.name] = each.name
                yield str(source).strip(".").rpartition(".")[2], each.name
        elif isinstance(node, ast.Import):
            called.update({each.asname: each.name for each in node.names if each.asname})
        elif isinstance(node, ast.Constant) and re.fullmatch(r"\w+:\w+", str(node.value)):
            module, _, name = str(node.value).partition(":")
            yield module, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            word = getattr(node.value, "id", None) or getattr(node.value, "attr", "")
            yield called.get(word, word).rpartition(".")[2], node.attr


def taken_in_pages() -> Iterator[tuple[str, str]]:
    text = re.sub(r"\n(?:>>>|\.\.\.) ?", "\n", written())
    for module, names in re.findall(r"from ([\w.]+) import (\([\w ,\n]+|[\w ,]+)", text):
        yield from ((module.rpartition(".")[2], name) for name in re.findall(r"\w+", names))
    yield from re.findall(r"\b(\w+)\.(\w+)", text)


def exported_for_nobody() -> set[str]:
    taken = set(taken_in_pages())
    files = list(sources())
    stubs = (ROOT / "lccmodel").rglob("__init__.pyi")
    files += [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in stubs]
    for path, tree in files:
        module = module_of(path)
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        taken |= set(taken_by(tree, package))
    return {
        f"{module}.{name}"
        for path, tree in files
        if path.is_relative_to(ROOT / "lccmodel") and path.name != "__init__.py"
        if (module := module_of(path)) not in FOUND_BY_NAME
        for name in exports(tree)
        if (module.rpartition(".")[2], name) not in taken
    }


def test_what_a_module_exports_another_takes() -> None:
    assert not exported_for_nobody()


def test_a_name_that_is_taken_is_known_by_its_module() -> None:
    text = "from ..lattice import path as p\nfrom a.b import c\np.walk()\nx = 'steps:draw'"
    assert set(taken_by(ast.parse(text), "lccmodel.show")) == {
        ("lattice", "path"), ("b", "c"), ("path", "walk"), ("steps", "draw"),
    }  # fmt: skip
