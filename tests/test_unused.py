"""What is public in the library is used by the library, the checker, a notebook or the docs.

A definition that only tests call belongs to the tests. Uses are counted by name, which is lenient:
a name that occurs anywhere outside of the tests, and of its own definition, counts as used.
"""

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
    "best_placement": "the old name of `place` for a problem, for one version",
    "families_page": "the tables of docs/closed_forms.md",
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
    """The text of the pages and notebooks, but for those that list what moved and went."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")]
    old = ("CHANGELOG.md", "migration.md")
    texts = [page.read_text(encoding="utf-8") for page in pages if page.name not in old]
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


@pytest.mark.slow
def test_nothing_public_is_there_for_the_tests_alone():
    assert not unused() - set(FOR_A_USER)


def test_a_definition_that_nothing_calls_is_found():
    tree = ast.parse('__all__ = ["f"]\ndef f(): ...\nclass A:\n    def g(self): ...\nA().g()')
    assert set(public_definitions(tree)) - set(names_in(tree)) == {"f"}
